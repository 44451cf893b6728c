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

// recorder records the callbacks that it processes, and returns err for each.
type recorder struct {
	calls []string
	err   error
}

func (r *recorder) HandlePayment(_ context.Context, h http.Header, body []byte) error {
	r.calls = append(r.calls, "payment "+h.Get("Stripe-Signature")+" "+string(body))
	return r.err
}

func (r *recorder) HandleParcel(_ context.Context, h http.Header, body []byte) error {
	r.calls = append(r.calls, "parcel "+h.Get("X-Hmac-Signature")+" "+string(body))
	return r.err
}

func (r *recorder) HandleText(_ context.Context, h http.Header, body []byte) error {
	r.calls = append(r.calls, "text "+h.Get("X-Twilio-Signature")+" "+string(body))
	return r.err
}

// call sends a request to the callback handler, mounted as in the service, and returns the response and the log.
func call(d *recorder, method, path string, body io.Reader, header ...string) (*httptest.ResponseRecorder, string) {
	var log bytes.Buffer
	none := http.NotFoundHandler()
	h := web.Handler(web.Options{
		API: none, Files: none, Callback: callback.New(d.HandlePayment, d.HandleParcel, d.HandleText),
		Log: slog.New(slog.NewJSONHandler(&log, nil)),
	})
	r := httptest.NewRequest(method, path, body)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w, log.String()
}

func TestTheBodyIsPassedOnUnchanged(t *testing.T) {
	body := " {\"id\" : \"evt_1\",\n\"é\":1}\x00\xff"
	for path, c := range map[string]struct{ header, want string }{
		"/hooks/stripe":   {"Stripe-Signature", "payment t=1,v1=2 " + body},
		"/hooks/easypost": {"X-Hmac-Signature", "parcel t=1,v1=2 " + body},
	} {
		l := &recorder{}
		w, log := call(l, "POST", path, strings.NewReader(body), c.header, "t=1,v1=2")
		if w.Code != 200 || w.Body.String() != "{}" || len(l.calls) != 1 || l.calls[0] != c.want {
			t.Errorf("%s: got status %d %s, processed calls %q", path, w.Code, w.Body, l.calls)
		}
		if strings.Contains(log, "evt_1") || strings.Contains(log, "v1=2") || !strings.Contains(log, path) {
			t.Errorf("%s: got the log %s", path, log)
		}
	}
}

func TestTheSMSProviderIsToldToSendNoAnswer(t *testing.T) {
	l := &recorder{}
	w, log := call(l, "POST", "/hooks/twilio", strings.NewReader("Body=Dark"), "X-Twilio-Signature", "abc=")
	if w.Code != 200 || w.Header().Get("Content-Type") != "text/xml; charset=utf-8" ||
		w.Body.String() != `<?xml version="1.0" encoding="UTF-8"?><Response></Response>` ||
		len(l.calls) != 1 || l.calls[0] != "text abc= Body=Dark" {
		t.Errorf("got status %d %s, processed calls %q", w.Code, w.Body, l.calls)
	}
	if strings.Contains(log, "Dark") || strings.Contains(log, "abc=") {
		t.Errorf("got the log %s", log)
	}
	l.err = lost.E(lost.Forbidden, "The signature is wrong.")
	if w, _ := call(l, "POST", "/hooks/twilio", strings.NewReader("Body=Dark")); w.Code != 403 {
		t.Errorf("a wrong signature: got status %d", w.Code)
	}
}

func TestTheErrorDecidesWhetherTheCallerRetries(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		status int
		code   lost.Code
	}{
		"a bad signature": {lost.E(lost.Forbidden, "The signature is wrong."), 403, lost.Forbidden},
		"no JSON":         {lost.E(lost.Unreadable, "The event cannot be read."), 400, lost.Unreadable},
		"a busy database": {lost.E(lost.Unavailable, "The service is busy.").WithCause(errors.New("secret cause")),
			503, lost.Unavailable},
		"something else": {errors.New("secret cause"), 500, lost.Internal},
		"not found":      {lost.Missing("page"), 404, lost.NotFound},
	} {
		w, log := call(&recorder{err: c.err}, "POST", "/hooks/stripe", strings.NewReader(`{"card":"4242"}`))
		var p v1.Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != c.status || p.Code != string(c.code) ||
			w.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %s %v", name, w.Code, w.Body, err)
		}
		if (c.status == 503) != (w.Header().Get("Retry-After") != "") {
			t.Errorf("%s: got Retry-After %q", name, w.Header().Get("Retry-After"))
		}
		if strings.Contains(w.Body.String(), "secret") || strings.Contains(log, "4242") {
			t.Errorf("%s: got the response %s and the log %s", name, w.Body, log)
		}
	}
}

func TestABodyHasAtMostOneMebibyte(t *testing.T) {
	const mebibyte = 1 << 20
	for _, c := range []struct{ size, status, calls int }{{mebibyte, 200, 1}, {mebibyte + 1, 413, 0}} {
		for _, announced := range []bool{true, false} {
			l := &recorder{}
			var body io.Reader = strings.NewReader(strings.Repeat("x", c.size))
			if !announced {
				body = io.MultiReader(body)
			}
			w, _ := call(l, "POST", "/hooks/easypost", body)
			if w.Code != c.status || len(l.calls) != c.calls {
				t.Errorf("%d bytes, Content-Length sent %v: got status %d, processed %d calls", c.size, announced,
					w.Code, len(l.calls))
			}
		}
	}
}

func TestAnIncompleteBodyIsNotProcessed(t *testing.T) {
	l := &recorder{}
	w, _ := call(l, "POST", "/hooks/stripe", io.MultiReader(strings.NewReader("{"), broken{}))
	if w.Code != 400 || len(l.calls) != 0 {
		t.Errorf("got status %d %s, processed calls %q", w.Code, w.Body, l.calls)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestOtherMethodsAndAddressesAreRefused(t *testing.T) {
	l := &recorder{}
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
	if len(l.calls) != 0 {
		t.Errorf("processed %q", l.calls)
	}
}

func TestWithoutTheHandlerThereIsNothing(t *testing.T) {
	none := http.NotFoundHandler()
	h := web.Handler(web.Options{API: none, Files: none, Log: slog.New(slog.DiscardHandler)})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", "/hooks/stripe", strings.NewReader("{}")))
	if w.Code != 404 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
