package message_test

import (
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/message"
)

const authToken = "5f4dcc3b5aa765d6"

// provider is an SMS provider that records the requests that it accepts.
type provider struct {
	*httptest.Server
	closed chan struct{} // receives a value for each connection
	status int
	body   string

	mu       sync.Mutex
	opened   int // number of connections
	accepted []url.Values
	requests []string
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, "half a request", http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	user, password, _ := r.BasicAuth()
	p.requests = append(p.requests, r.Method+" "+r.URL.Path+" "+user+" "+password)
	if r.Method == http.MethodPost {
		p.accepted = append(p.accepted, r.PostForm)
	}
	p.mu.Unlock()
	if p.status/100 == 3 {
		w.Header().Set("Location", p.URL+"/elsewhere")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(p.status)
	_, _ = w.Write([]byte(p.body))
}

func (p *provider) got() []url.Values {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.accepted
}

func smsProvider(t *testing.T, status int, body string) (*provider, *message.Sender) {
	t.Helper()
	p := &provider{status: status, body: body, closed: make(chan struct{}, 1000)}
	p.Server = httptest.NewUnstartedServer(p)
	p.Config.ErrorLog = log.New(io.Discard, "", 0)
	p.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		switch s {
		case http.StateNew:
			p.mu.Lock()
			p.opened++
			p.mu.Unlock()
		case http.StateClosed:
			p.closed <- struct{}{}
		}
	}
	p.StartTLS()
	t.Cleanup(p.Close)
	roots := x509.NewCertPool()
	roots.AddCert(p.Certificate())
	return p,
		newSender(t,
			message.Options{
				Roots:  roots,
				Twilio: message.Twilio{Account: "AC1", Token: authToken, From: "+15005550006", API: p.URL},
			})
}

func TestAMessageArrivesBySMS(t *testing.T) {
	provider, p := smsProvider(t, http.StatusCreated, `{"sid":"SM1","status":"queued","error_code":null}`)
	calls := 0
	for range 2 {
		receipt, err := p.Send(t.Context(), bySMS(newMessage(lost.NoticeMessage)), countCalls(&calls, nil))
		if err != nil || receipt != (lost.SendResult{State: lost.MessageSent, ProviderID: "SM1"}) {
			t.Fatal(receipt, err)
		}
	}
	got := provider.got()
	if len(got) != 2 || calls != 2 ||
		provider.requests[0] != "POST /2010-04-01/Accounts/AC1/Messages.json AC1 "+authToken {
		t.Fatalf("handed over %d times: %q", calls, provider.requests)
	}
	if provider.opened != 2 {
		t.Errorf("got %d connections for two messages, want 2: on a reused connection a request may be repeated",
			provider.opened)
	}
	_, text := compose(t, p, bySMS(newMessage(lost.NoticeMessage)))
	if got[0].Get("To") != "+447700900123" || got[0].Get("From") != "+15005550006" || got[0].Get("Body") != text ||
		!strings.Contains(text, link) {
		t.Errorf("got %v", got[0])
	}
}

func TestAMessagingServiceCanBeTheSender(t *testing.T) {
	provider, _ := smsProvider(t, http.StatusCreated, `{"sid":"SM1"}`)
	roots := x509.NewCertPool()
	roots.AddCert(provider.Certificate())
	p := newSender(t,
		message.Options{
			Roots: roots, Twilio: message.Twilio{Account: "AC1", Token: authToken, From: "MG123", API: provider.URL},
		})
	if _, err := p.Send(t.Context(), bySMS(newMessage(lost.NoticeMessage)), func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	if got := provider.got()[0]; got.Get("MessagingServiceSid") != "MG123" || got.Has("From") {
		t.Errorf("got %v", got)
	}
}

func TestAnSMSThatIsNotHandedOverIsNotAccepted(t *testing.T) {
	provider, p := smsProvider(t, http.StatusCreated, `{"sid":"SM1"}`)
	claimed := errors.New("claimed by another worker")
	calls := 0
	_, err := p.Send(t.Context(), bySMS(newMessage(lost.ReminderMessage)), countCalls(&calls, claimed))
	if !errors.Is(err, claimed) || calls != 1 {
		t.Errorf("handed over %d times: %v", calls, err)
	}
	<-provider.closed // by then the provider has read everything
	if len(provider.got()) != 0 {
		t.Errorf("accepted %v", provider.got())
	}
}

func TestAnSMSIsHandedOverOnceConnected(t *testing.T) {
	provider, p := smsProvider(t, http.StatusCreated, `{"sid":"SM1"}`)
	calls := 0
	_, err := p.Send(t.Context(), bySMS(newMessage(lost.ReminderMessage)), func() error {
		calls++
		if len(provider.got()) > 0 {
			t.Error("the message was accepted too early")
		}
		return nil
	})
	if err != nil || calls != 1 {
		t.Errorf("handed over %d times: %v", calls, err)
	}
	provider.Close()
	if _, err := p.Send(t.Context(), bySMS(newMessage(lost.ReminderMessage)), countCalls(&calls, nil)); err == nil ||
		lost.CodeOf(err) == lost.Invalid || calls != 1 {
		t.Errorf("without a provider it was handed over %d times: %v", calls, err)
	}
}

func TestPermanentAndTemporaryRefusalsAreDistinguished(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		want   lost.Code
		text   string
	}{
		{
			400, `{"code":21211,"message":"The 'To' number is not a valid phone number.","status":400}`, lost.Invalid,
			"not a valid phone number",
		},
		{
			400, `{"code":21610,"message":"Attempt to send to unsubscribed recipient","status":400}`, lost.Invalid,
			"unsubscribed",
		},
		{400, `{"code":21614,"message":"'To' number is not a valid mobile number"}`, lost.Invalid, "mobile"},
		{201, `{"sid":"SM1","status":"failed","error_code":30006}`, lost.Invalid, "landline"},
		{400, `{"code":21606,"message":"The 'From' phone number is not yours"}`, lost.Unavailable, "From"},
		{
			400, `{"code":21408,"message":"Permission to send an SMS has not been enabled for the region"}`,
			lost.Unavailable, "",
		},
		{401, `{"code":20003,"message":"Authenticate"}`, lost.Unavailable, "401"},
		{403, `not JSON`, lost.Unavailable, "403"},
		{404, ``, lost.Unavailable, ""},
		{429, `{"code":20429,"message":"Too Many Requests"}`, lost.Unavailable, "Too Many"},
		{302, ``, lost.Unavailable, ""},
		{500, `<html>`, lost.Internal, "500"},
		{503, ``, lost.Internal, "503"},
		{
			400, fmt.Sprintf(`{"code":21617,"message":"too long: %s %s %s"}`, link, token, authToken), lost.Invalid,
			"too long",
		},
		{500, fmt.Sprintf(`{"message":"%s %s %s"}`, link, token, authToken), lost.Internal, ""},
	} {
		provider, p := smsProvider(t, c.status, c.body)
		receipt, err := p.Send(t.Context(), bySMS(newMessage(lost.NoticeMessage)), func() error { return nil })
		if err == nil || lost.CodeOf(err) != c.want || !strings.Contains(err.Error(), c.text) ||
			receipt != (lost.SendResult{}) {
			t.Errorf("%d %s: %v", c.status, c.body, err)
			continue
		}
		for _, secret := range []string{link, token, authToken} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%d %s: %v", c.status, c.body, err)
			}
		}
		if len(provider.requests) != 1 {
			t.Errorf("%d was followed or repeated: %v", c.status, provider.requests)
		}
	}
}

func TestAnUnreadableResponseStillCounts(t *testing.T) {
	_, p := smsProvider(t, http.StatusCreated, `not JSON`)
	receipt, err := p.Send(t.Context(), bySMS(newMessage(lost.NoticeMessage)), func() error { return nil })
	if err != nil || receipt.State != lost.MessageSent {
		t.Error(receipt, err)
	}
}

func TestTheStateOfAnSMSIsRead(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		want   lost.MessageState
		why    string
	}{
		{200, `{"status":"queued"}`, lost.MessageWaiting, ""},
		{200, `{"status":"accepted"}`, lost.MessageWaiting, ""},
		{200, `{"status":"sending"}`, lost.MessageWaiting, ""},
		{200, `{"status":"sent"}`, lost.MessageWaiting, ""},
		{200, `{"status":"delivered","error_code":null}`, lost.MessageSent, ""},
		{
			200, `{"status":"undelivered","error_code":30005,"error_message":"Unknown destination"}`,
			lost.MessageFailed, "the number is not in use",
		},
		{
			200, `{"status":"failed","error_code":39999,"error_message":"New trouble"}`, lost.MessageFailed,
			"39999 New trouble",
		},
		{200, `{"status":"failed"}`, lost.MessageFailed, "did not arrive"},
		{404, `{"code":20404}`, lost.MessageSent, ""},
		{401, `{}`, "", ""},
		{500, ``, "", ""},
	} {
		provider, p := smsProvider(t, c.status, c.body)
		state, why, err := p.DeliveryState(t.Context(), lost.Message{Channel: lost.BySMS, ProviderID: "SM/1"})
		if state != c.want || (err != nil) != (c.want == "") || !strings.Contains(why, c.why) ||
			(why == "") != (c.why == "") {
			t.Errorf("%s: %s %q %v", c.body, state, why, err)
		}
		if provider.requests[0] != "GET /2010-04-01/Accounts/AC1/Messages/SM/1.json AC1 "+authToken {
			t.Errorf("got requests %q", provider.requests)
		}
	}
	state, why, err := newSender(t, message.Options{}).DeliveryState(t.Context(),
		lost.Message{Channel: lost.BySMS, ProviderID: "SM1"})
	if state != lost.MessageSent || why != "" || err != nil {
		t.Error(state, why, err)
	}
}
