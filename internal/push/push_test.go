package push_test

import (
	"bytes"
	"net/http"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/push"
	"homeward/internal/push/pushtest"
	"homeward/internal/webhook"
)

// newSender returns a sender that connects to private addresses only if allowed.
func newSender(t *testing.T, allowPrivate bool) *push.Sender {
	t.Helper()
	s, err := push.New(push.Options{
		Transport: webhook.NewSender(webhook.Options{AllowPrivate: allowPrivate}).Transport(),
		CheckURL:  func(raw string) lost.Problems { return webhook.CheckURL(raw, allowPrivate) },
		Key: func(n int) ([]byte, error) { // the first number is not a key of the curve
			if n == 0 {
				return bytes.Repeat([]byte{0xff}, 32), nil
			}
			return bytes.Repeat([]byte{7}, 32), nil
		},
		Contact: "lost@example.com",
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestABrowserDecryptsWhatIsSent(t *testing.T) {
	server, s := pushtest.Start(t), newSender(t, true)
	browser, other := server.NewBrowser(), server.NewBrowser()
	for _, text := range []string{"{}", `{"title":"お忘れ物"}`, string(bytes.Repeat([]byte("x"), 3000))} {
		if err := s.Push(t.Context(), browser.Subscription(), []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got := browser.Received(); got[len(got)-1] != text {
			t.Errorf("got %q, want %q", got[len(got)-1], text)
		}
	}
	if got := other.Received(); len(got) > 0 || len(server.Faults()) > 0 {
		t.Errorf("another browser got %q; faults: %q", got, server.Faults())
	}
	wrong := browser.Subscription()
	wrong.AuthSecret = other.Subscription().AuthSecret
	if err := s.Push(t.Context(), wrong, []byte("{}")); lost.CodeOf(err) != lost.Invalid || len(server.Faults()) != 1 {
		t.Errorf("got %v and the faults %q for a message that the browser cannot decrypt", err, server.Faults())
	}
}

func TestAnswersOfThePushServiceDecideWhatFollows(t *testing.T) {
	server, s := pushtest.Start(t), newSender(t, true)
	to := server.NewBrowser().Subscription()
	for status, want := range map[int]lost.Code{
		http.StatusCreated: "", http.StatusNotFound: lost.NotFound, http.StatusGone: lost.NotFound,
		http.StatusRequestEntityTooLarge: lost.Invalid, http.StatusFound: lost.Invalid,
		http.StatusTooManyRequests: lost.Internal, http.StatusServiceUnavailable: lost.Internal,
	} {
		server.SetStatus(status)
		err := s.Push(t.Context(), to, []byte("{}"))
		if err == nil && want != "" || err != nil && lost.CodeOf(err) != want {
			t.Errorf("%d: got %v, want %q", status, err, want)
		}
	}
}

func TestSubscriptionsAreChecked(t *testing.T) {
	server := pushtest.Start(t)
	to := server.NewBrowser().Subscription()
	s := newSender(t, false)
	if err := s.Push(t.Context(), to, []byte("{}")); lost.CodeOf(err) != lost.Invalid {
		t.Errorf("got %v for a private address without TLS", err)
	}
	to.Endpoint = "https://localhost/push"
	if err := s.Push(t.Context(), to, []byte("{}")); err == nil {
		t.Error("a message was sent to this machine")
	}
	to.Endpoint = "https://push.example.com/1"
	if p := s.Check(to); len(p) > 0 {
		t.Errorf("got problems %v with a subscription", p)
	}
	for _, change := range []func(){
		func() { to.PublicKey = "AAAA" }, func() { to.PublicKey = "" }, func() { to.AuthSecret = "AAAA" },
	} {
		before := to
		change()
		if p := s.Check(to); !p.Has("keys") {
			t.Errorf("got problems %v with the keys %q and %q", p, to.PublicKey, to.AuthSecret)
		}
		to = before
	}
	if key := s.PublicKey(); key != newSender(t, true).PublicKey() || len(key) != 87 {
		t.Errorf("got the public key %q", key)
	}
}
