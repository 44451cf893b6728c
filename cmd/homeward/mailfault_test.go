package main_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"homeward/internal/message/mailtest"
)

// A mail server rejects some recipients temporarily and some permanently, hangs for others, and is unavailable for a
// while. E-mails to everybody else are sent, temporary failures are retried, and permanent failures are recorded.
func TestMailFailuresDoNotDelayOthers(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, testMailFaults)
}

// mailFaults is a service with a mail server that rejects and delays e-mails, depending on the recipient.
type mailFaults struct {
	t         *testing.T
	p         *process
	mails     *mailtest.Server
	proxy     *faultyProxy
	hotel     string
	recovered chan struct{}     // closed when the server works again
	hanging   sync.Map          // recipients for whom the server hangs
	items     map[string]string // path of the item by recipient
}

func newMailFaults(t *testing.T, database string) *mailFaults {
	t.Helper()
	f := &mailFaults{t: t, mails: mailtest.Start(t), recovered: make(chan struct{}), items: map[string]string{}}
	f.mails.Refuse = f.refuse
	f.proxy = newFaultyProxy(t, strings.TrimPrefix(f.mails.URL(), "smtp://"))
	f.p = startService(t, newSettings(t, database, "HOMEWARD_SMTP=smtp://"+f.proxy.at)...)
	f.hotel = "/v1/locations/" +
		f.p.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Hotel"}`)["id"].(string)
	return f
}

// refuse returns the mail server's error for a recipient, hangs, or returns nil.
func (f *mailFaults) refuse(to string) error {
	select {
	case <-f.recovered:
		if !strings.HasPrefix(to, "never") {
			return nil
		}
	default:
	}
	switch kind, _, _ := strings.Cut(to, "-"); kind {
	case "never":
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such user"}
	case "later":
		return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 7, 1}, Message: "try again later"}
	case "closing":
		return &smtp.SMTPError{Code: 421, EnhancedCode: smtp.EnhancedCode{4, 3, 2}, Message: "closing"}
	case "hanging":
		f.hanging.Store(to, true)
		<-f.recovered
	}
	return nil
}

// notify creates n items, whose owners are recipients of the given kind and are notified.
func (f *mailFaults) notify(kind string, n int) {
	f.t.Helper()
	for i := range n {
		recipient := fmt.Sprintf("%s-%d@example.com", kind, i)
		item := f.p.must(http.StatusCreated, "POST", f.hotel+"/items",
			`{"description": "Hat", "owner": {"email": "`+recipient+`"}}`)
		f.items[recipient] = f.hotel + "/items/" + item["id"].(string)
	}
}

// arrived returns how many e-mails a recipient has received.
func (f *mailFaults) arrived(recipient string) (n int) {
	for _, m := range f.mails.All() {
		if m.To == recipient {
			n++
		}
	}
	return n
}

// state returns the state of the message to a recipient.
func (f *mailFaults) state(recipient string) string {
	messages := f.p.must(http.StatusOK, "GET", f.items[recipient]+"/messages", "")["data"].([]any)
	if len(messages) == 0 {
		return ""
	}
	return fmt.Sprint(messages[0].(map[string]any)["state"])
}

// every returns a function that reports whether a condition is true for every recipient of a kind.
func (f *mailFaults) every(kind string, condition func(recipient string) bool) func() bool {
	return func() bool {
		for recipient := range f.items {
			if strings.HasPrefix(recipient, kind) && !condition(recipient) {
				return false
			}
		}
		return true
	}
}

func testMailFaults(t *testing.T, name, database string) {
	const (
		perKind = 4
		prompt  = 15 * time.Second // less than the 30 s timeout for a hanging server, even on a busy machine
	)
	f := newMailFaults(t, database)
	defer closeOnce(f.recovered)
	report := faultReport{
		fault:    "mail server refuses, hangs, is unavailable (" + name + ")",
		load:     fmt.Sprintf("%d e-mails of each kind", perKind),
		injected: 4*perKind + 1,
	}
	for _, kind := range []string{"hanging", "never", "later", "closing"} {
		f.notify(kind, perKind)
	}
	waitWithin(t, time.Minute, "the server hangs", func() bool {
		n := 0
		f.hanging.Range(func(any, any) bool { n++; return true })
		return n == perKind
	})
	began := time.Now()
	f.notify("good", perKind)
	waitWithin(t, prompt, "everybody else has received their e-mail",
		f.every("good", func(recipient string) bool { return f.arrived(recipient) > 0 }))
	report.slowest = time.Since(began)
	waitWithin(t, time.Minute, "the outcomes are recorded",
		f.every("good", func(recipient string) bool { return f.state(recipient) == "sent" }))

	f.proxy.refuse()
	f.notify("gone", perKind)
	closeOnce(f.recovered)
	f.proxy.accept()
	began = time.Now()
	waitWithin(t, 3*time.Minute, "every deliverable e-mail is sent", f.every("", func(recipient string) bool {
		if strings.HasPrefix(recipient, "never") {
			return f.state(recipient) == "failed"
		}
		return f.state(recipient) == "sent"
	}))
	report.recovered = time.Since(began)
	f.count(&report)
	report.log(t)
}

// count adds the lost, repeated and rejected e-mails to a report.
func (f *mailFaults) count(report *faultReport) {
	f.t.Helper()
	for recipient := range f.items {
		report.requests++
		switch n := f.arrived(recipient); {
		case strings.HasPrefix(recipient, "never"):
			report.refused++
			if n > 0 {
				f.t.Errorf("%s was rejected, but received %d e-mails", recipient, n)
			}
		case n == 0:
			report.lost++
		default:
			report.doubled += n - 1
		}
	}
	if report.doubled > 0 {
		f.t.Errorf("%d e-mails were sent twice", report.doubled)
	}
}

func closeOnce(c chan struct{}) {
	select {
	case <-c:
	default:
		close(c)
	}
}
