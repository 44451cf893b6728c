package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/web"
	"homeward/internal/web/respond"
)

// serveTest panics, fails or says hello, depending on the path.
func serveTest(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/v1/panic":
		panic("secret cause")
	case "/v1/half":
		_, _ = w.Write([]byte("half"))
		panic("too late")
	case "/v1/fail":
		respond.Problem(w, errors.New("secret cause"))
	case "/v1/busy":
		respond.Problem(w, lost.E(lost.Unavailable, "Try again.").WithCause(errors.New("secret cause")))
	default:
		respond.AddLogAttrs(w, slog.String("account", "acc_1"))
		_ = respond.JSON(w, http.StatusOK, map[string]string{"say": "hello <you>"})
	}
}

func handler(log io.Writer, ready error) http.Handler {
	api := http.NewServeMux()
	api.HandleFunc("/v1/", serveTest)
	return web.Handler(web.Options{
		API: api, Files: http.NotFoundHandler(), Log: slog.New(slog.NewJSONHandler(log, nil)),
		Ready: func(context.Context) error { return ready },
	})
}

func get(h http.Handler, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestARequestKeepsItsIDIfItIsSafe(t *testing.T) {
	h := handler(io.Discard, nil)
	for sent, safe := range map[string]bool{
		"abc-1_2.3:4": true, "": false, "a b": false, "x\"y": false, strings.Repeat("a", 128): true,
		strings.Repeat("a", 129): false, "ä": false,
	} {
		got := get(h, "/v1/hello", "X-Request-Id", sent).Header().Get("X-Request-Id")
		if (got == sent) != safe || got == "" {
			t.Errorf("sent the id %q, got %q", sent, got)
		}
	}
}

func TestTheCauseOfAFaultIsLoggedAndNotShown(t *testing.T) {
	for path, status := range map[string]int{"/v1/panic": 500, "/v1/fail": 500, "/v1/busy": 503} {
		var log bytes.Buffer
		w := get(handler(&log, nil), path)
		var p struct {
			Code, RequestID string
			Status          int
		}
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != status || p.Status != status ||
			p.RequestID != w.Header().Get("X-Request-Id") {
			t.Errorf("%s: %d %s (%v)", path, w.Code, w.Body, err)
		}
		if strings.Contains(w.Body.String(), "secret cause") {
			t.Errorf("%s shows the cause: %s", path, w.Body)
		}
		if !strings.Contains(log.String(), "secret cause") || !strings.Contains(log.String(), `"level":"ERROR"`) {
			t.Errorf("%s does not log the cause: %s", path, &log)
		}
		if status == 503 && w.Header().Get("Retry-After") == "" {
			t.Errorf("%s has no Retry-After", path)
		}
	}
}

func TestAPanicDuringTheResponseAbortsTheConnection(t *testing.T) {
	server := httptest.NewServer(handler(io.Discard, nil))
	defer server.Close()
	res, err := http.Get(server.URL + "/v1/half")
	if err == nil {
		_, err = io.ReadAll(res.Body)
		_ = res.Body.Close()
	}
	if err == nil {
		t.Error("the client accepted half a response as complete")
	}
}

func TestEachRequestHasOneLogLine(t *testing.T) {
	var log bytes.Buffer
	w := get(handler(&log, nil), "/v1/hello?term=anna@example.com")
	var line map[string]any
	if err := json.Unmarshal(log.Bytes(), &line); err != nil {
		t.Fatalf("not one line: %s", &log)
	}
	if line["request"] != w.Header().Get("X-Request-Id") || line["status"] != 200.0 || line["account"] != "acc_1" ||
		line["route"] != "/v1/" || line["bytes"] != float64(w.Body.Len()) {
		t.Errorf("logged %v", line)
	}
	if strings.Contains(log.String(), "anna") {
		t.Errorf("the log contains the search term: %s", &log)
	}
	if w.Body.String() != `{"say":"hello <you>"}` || w.Header().Get("Content-Length") != "21" {
		t.Errorf("got body %q with Content-Length %s", w.Body, w.Header().Get("Content-Length"))
	}
}

func TestReadinessDependsOnTheCheck(t *testing.T) {
	if w := get(handler(io.Discard, nil), "/readyz"); w.Code != 200 {
		t.Errorf("ready: %d", w.Code)
	}
	if w := get(handler(io.Discard, nil), "/readyz?verbose"); w.Code != 200 ||
		w.Body.String() != `{"parts":{"database":"ok"},"ready":true}` {
		t.Errorf("/readyz?verbose returned %d %s", w.Code, w.Body)
	}
	if w := get(handler(io.Discard, errors.New("no database")), "/readyz?verbose"); w.Code != 503 ||
		w.Header().Get("Retry-After") == "" || w.Body.String() != `{"parts":{"database":"failing"},"ready":false}` {
		t.Errorf("/readyz?verbose without a database returned %d %s", w.Code, w.Body)
	}
	if w := get(handler(io.Discard, errors.New("no database")), "/readyz"); w.Code != 503 ||
		strings.Contains(w.Body.String(), "no database") {
		t.Errorf("not ready: %d %s", w.Code, w.Body)
	}
	if w := get(handler(io.Discard, errors.New("no database")), "/healthz"); w.Code != 200 {
		t.Errorf("healthz: %d", w.Code)
	}
	if w := get(handler(io.Discard, nil), "/nowhere"); w.Code != 404 ||
		w.Header().Get("Content-Type") != "application/problem+json" {
		t.Errorf("unknown address: %d", w.Code)
	}
}

func TestStoppingFinishesRunningRequests(t *testing.T) {
	started, finish := make(chan struct{}), make(chan struct{})
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(started)
		<-finish
		_, _ = w.Write([]byte("whole"))
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- web.Serve(ctx, l, h, slog.New(slog.DiscardHandler)) }()
	received := make(chan string, 1)
	go func() {
		res, err := http.Get("http://" + l.Addr().String())
		if err != nil {
			received <- err.Error()
			return
		}
		body, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		received <- string(body)
	}()
	<-started
	stop()
	select {
	case err := <-served:
		t.Fatalf("Serve returned while a request was running: %v", err)
	case <-time.After(20 * time.Millisecond): // long enough for Serve to return if it did not wait for the request
	}
	close(finish)
	if got := <-received; got != "whole" {
		t.Errorf("the running request got %q", got)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}
