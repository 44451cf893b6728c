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

// A mail server rejects some recipients temporarily and some permanently, hangs with others, and is unavailable for a
// while. Mails to everybody else are sent, temporary failures are retried, and permanent failures are recorded.
func TestMailFailuresDoNotDelayOthers(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, testMailFaults)
}

func testMailFaults(t *testing.T, name, database string) {
	const (
		ofEach = 4
		prompt = 15 * time.Second // less than the 30 s timeout of a hanging server, with a margin for a busy machine
	)
	well, posts := make(chan struct{}), mailtest.Start(t)
	defer closeOnce(well)
	var hung sync.Map
	posts.Refuse = func(to string) error {
		select {
		case <-well:
			if !strings.HasPrefix(to, "never") {
				return nil
			}
		default:
		}
		switch who, _, _ := strings.Cut(to, "-"); who {
		case "never":
			return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such user"}
		case "later":
			return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 7, 1}, Message: "try again later"}
		case "closing":
			return &smtp.SMTPError{Code: 421, EnhancedCode: smtp.EnhancedCode{4, 3, 2}, Message: "closing"}
		case "hanging":
			hung.Store(to, true)
			<-well
		}
		return nil
	}
	g := newFaultyProxy(t, strings.TrimPrefix(posts.Setting(), "smtp://"))
	p := startService(t, newSettings(t, database, "HOMEWARD_SMTP=smtp://"+g.at)...)
	hotel := "/v1/locations/" + p.must(http.StatusCreated, "POST", "/v1/locations", `{"name": "Hotel"}`)["id"].(string)
	items := map[string]string{} // by recipient
	notify := func(who string) {
		items[who] = hotel + "/items/" +
			p.must(http.StatusCreated, "POST", hotel+"/items",
				`{"description": "Hat", "owner": {"email": "`+who+`"}}`)["id"].(string)
	}
	arrived := func(who string) (n int) {
		for _, m := range posts.All() {
			if m.To == who {
				n++
			}
		}
		return n
	}
	state := func(who string) string {
		messages := p.must(http.StatusOK, "GET", items[who]+"/messages", "")["data"].([]any)
		if len(messages) == 0 {
			return ""
		}
		return fmt.Sprint(messages[0].(map[string]any)["state"])
	}

	f := faultReport{
		fault: "mail server refuses, hangs, is gone (" + name + ")", load: fmt.Sprintf("%d mails of each kind", ofEach),
		injected: 4*ofEach + 1,
	}
	for _, kind := range []string{"hanging", "never", "later", "closing"} {
		for n := range ofEach {
			notify(fmt.Sprintf("%s-%d@example.com", kind, n))
		}
	}
	waitWithin(t, time.Minute, "the server hangs", func() bool {
		n := 0
		hung.Range(func(any, any) bool { n++; return true })
		return n == ofEach
	})
	began := time.Now()
	for n := range ofEach {
		notify(fmt.Sprintf("good-%d@example.com", n))
	}
	good := func(fine func(who string) bool) func() bool {
		return func() bool {
			for n := range ofEach {
				if !fine(fmt.Sprintf("good-%d@example.com", n)) {
					return false
				}
			}
			return true
		}
	}
	waitWithin(t, prompt, "everybody else has their mail", good(func(who string) bool { return arrived(who) > 0 }))
	f.slowest = time.Since(began)
	waitWithin(t, time.Minute, "the outcomes are recorded: others would be sent again",
		good(func(who string) bool {
			return state(who) == "sent"
		}))

	g.refuse()
	for n := range ofEach {
		notify(fmt.Sprintf("gone-%d@example.com", n))
	}
	closeOnce(well)
	g.accept()
	began = time.Now()
	waitWithin(t, 3*time.Minute, "everything deliverable is sent", func() bool {
		for who := range items {
			want := "sent"
			if strings.HasPrefix(who, "never") {
				want = "failed"
			}
			if state(who) != want {
				return false
			}
		}
		return true
	})
	f.recovered = time.Since(began)
	for who := range items {
		f.requests++
		switch n := arrived(who); {
		case strings.HasPrefix(who, "never"):
			f.refused++
			if n > 0 {
				t.Errorf("%s was rejected and has %d mails", who, n)
			}
		case n == 0:
			f.lost++
		default:
			f.doubled += n - 1
		}
	}
	if f.doubled > 0 {
		t.Errorf("%d mails were sent twice", f.doubled)
	}
	f.log(t)
}

func closeOnce(c chan struct{}) {
	select {
	case <-c:
	default:
		close(c)
	}
}
