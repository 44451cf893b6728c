package callback_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
	"homeward/internal/web"
	"homeward/internal/web/callback"
	"homeward/internal/web/respond"
)

// listener notes what it heard, and answers as it is told to.
type listener struct {
	heard []string
	err   error
}

func (l *listener) HearPayment(_ context.Context, h http.Header, body []byte) error {
	l.heard = append(l.heard, "payment "+h.Get("Stripe-Signature")+" "+string(body))
	return l.err
}

func (l *listener) HearParcel(_ context.Context, h http.Header, body []byte) error {
	l.heard = append(l.heard, "parcel "+h.Get("X-Hmac-Signature")+" "+string(body))
	return l.err
}

// call makes a request to the door as the service mounts it, and gives the answer and what was logged.
func call(d callback.Desk, method, path string, body io.Reader, header ...string) (*httptest.ResponseRecorder, string) {
	var log bytes.Buffer
	none := http.NotFoundHandler()
	h := web.Handler(web.Doors{
		API: none, Files: none, Hooks: callback.New(d), Log: slog.New(slog.NewJSONHandler(&log, nil)),
	})
	r := httptest.NewRequest(method, path, body)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w, log.String()
}

func TestACallReachesTheDeskAsItWasSigned(t *testing.T) {
	body := " {\"id\" : \"evt_1\",\n\"é\":1}\x00\xff"
	for path, c := range map[string]struct{ header, want string }{
		"/hooks/stripe":   {"Stripe-Signature", "payment t=1,v1=2 " + body},
		"/hooks/easypost": {"X-Hmac-Signature", "parcel t=1,v1=2 " + body},
	} {
		l := &listener{}
		w, log := call(l, "POST", path, strings.NewReader(body), c.header, "t=1,v1=2")
		if w.Code != 200 || w.Body.String() != "{}" || len(l.heard) != 1 || l.heard[0] != c.want {
			t.Errorf("%s: %d %s, heard %q", path, w.Code, w.Body, l.heard)
		}
		if strings.Contains(log, "evt_1") || strings.Contains(log, "v1=2") || !strings.Contains(log, path) {
			t.Errorf("%s is logged as %s", path, log)
		}
	}
}

func TestWhatTheDeskSaysDecidesWhetherTheCallerTriesAgain(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		status int
		code   lost.Code
	}{
		"a bad signature": {lost.E(lost.Forbidden, "The signature is not good."), 403, lost.Forbidden},
		"no JSON":         {lost.E(lost.Unreadable, "The event cannot be read."), 400, lost.Unreadable},
		"a busy database": {lost.E(lost.Unavailable, "The service is busy.").Because(errors.New("secret cause")),
			503, lost.Unavailable},
		"something else":      {errors.New("secret cause"), 500, lost.Internal},
		"nothing of the kind": {lost.Missing("page"), 404, lost.NotFound},
	} {
		w, log := call(&listener{err: c.err}, "POST", "/hooks/stripe", strings.NewReader(`{"card":"4242"}`))
		var p v1.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != c.status || p.Code != string(c.code) ||
			w.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %s %v", name, w.Code, w.Body, err)
		}
		if (c.status == 503) != (w.Header().Get("Retry-After") != "") {
			t.Errorf("%s: Retry-After is %q", name, w.Header().Get("Retry-After"))
		}
		if strings.Contains(w.Body.String(), "secret") || strings.Contains(log, "4242") {
			t.Errorf("%s: %s, logged as %s", name, w.Body, log)
		}
	}
}

func TestNoMoreThanAMebibyteIsTaken(t *testing.T) {
	const mebibyte = 1 << 20
	for size, want := range map[int]int{mebibyte: 200, mebibyte + 1: 413} {
		for _, told := range []bool{true, false} {
			l := &listener{}
			var body io.Reader = strings.NewReader(strings.Repeat("x", size))
			if !told {
				body = io.MultiReader(body)
			}
			w, _ := call(l, "POST", "/hooks/easypost", body)
			if w.Code != want || len(l.heard) != map[int]int{200: 1, 413: 0}[want] {
				t.Errorf("%d bytes, told before: %v: %d, heard %d calls", size, told, w.Code, len(l.heard))
			}
		}
	}
}

func TestABodyThatBreaksOffIsNotHeard(t *testing.T) {
	l := &listener{}
	w, _ := call(l, "POST", "/hooks/stripe", io.MultiReader(strings.NewReader("{"), broken{}))
	if w.Code != 400 || len(l.heard) != 0 {
		t.Errorf("%d %s, heard %q", w.Code, w.Body, l.heard)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestOtherMethodsAndAddressesAreRefused(t *testing.T) {
	l := &listener{}
	for _, method := range []string{"GET", "HEAD", "PUT", "DELETE", "OPTIONS", strings.Repeat("X", 500)} {
		w, _ := call(l, method, "/hooks/stripe", nil)
		if w.Code != 405 || w.Header().Get("Allow") != "POST" || w.Body.Len() > 500 {
			t.Errorf("%.20s: %d %v %s", method, w.Code, w.Header(), w.Body)
		}
	}
	for _, path := range []string{
		"/hooks", "/hooks/", "/hooks/paypal", "/hooks/stripe/", "/hooks/stripe/x", "/hooks//stripe",
		"/hooks/x/../stripe", "/hooks/Stripe",
	} {
		w, _ := call(l, "POST", path, strings.NewReader("{}"))
		if w.Code != 404 || w.Header().Get(respond.RequestIDHeader) == "" {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
	}
	if len(l.heard) != 0 {
		t.Errorf("heard %q", l.heard)
	}
}

func TestWithoutTheDoorThereIsNothing(t *testing.T) {
	none := http.NotFoundHandler()
	h := web.Handler(web.Doors{API: none, Files: none, Log: slog.New(slog.DiscardHandler)})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", "/hooks/stripe", strings.NewReader("{}")))
	if w.Code != 404 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
