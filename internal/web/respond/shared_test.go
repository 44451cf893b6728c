package respond_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

func TestMethodNotAllowedListsTheMethods(t *testing.T) {
	for _, c := range []struct {
		allowed []string
		want    string
	}{
		{[]string{"POST", "GET"}, "GET, HEAD, POST"},
		{[]string{"POST"}, "POST"},
	} {
		w := httptest.NewRecorder()
		err := respond.MethodNotAllowed(w, httptest.NewRequest("PATCH", "/", nil), c.allowed)
		if lost.CodeOf(err) != lost.NoMethod || w.Header().Get("Allow") != c.want {
			t.Errorf("%v: Allow is %q, error %v", c.allowed, w.Header().Get("Allow"), err)
		}
		if want := "This address supports " + c.want + ", not PATCH."; lost.Detail(err) != want {
			t.Errorf("detail %q, want %q", lost.Detail(err), want)
		}
	}
}

func TestRecoverRespondsToAPanic(t *testing.T) {
	var failed error
	w := &respond.Recorder{ResponseWriter: httptest.NewRecorder()}
	func() {
		defer respond.Recover(w, func(err error) { failed = err })
		panic("cause")
	}()
	if failed == nil || !strings.HasPrefix(failed.Error(), "panic: cause\n") {
		t.Errorf("got error %v, want panic: cause", failed)
	}
}

func TestRecoverAbortsAStartedResponse(t *testing.T) {
	w := &respond.Recorder{ResponseWriter: httptest.NewRecorder()}
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
			t.Errorf("panicked with %v", err)
		}
		if w.Err == nil || !strings.HasPrefix(w.Err.Error(), "panic: cause\n") {
			t.Errorf("recorded %v", w.Err)
		}
	}()
	defer respond.Recover(w, func(error) { t.Error("fail was called after the response had started") })
	w.WriteHeader(http.StatusOK)
	panic("cause")
}

func TestOriginCheckRefusesFormsOfOtherSites(t *testing.T) {
	base, err := url.Parse("https://homeward.example")
	if err != nil {
		t.Fatal(err)
	}
	check, err := respond.NewOriginCheck(base)
	if err != nil {
		t.Fatal(err)
	}
	for origin, code := range map[string]lost.Code{
		"https://homeward.example": "", "https://evil.example": lost.Forbidden, "null": lost.Forbidden,
	} {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r.Header.Set("Origin", origin)
		err := check.Check(r)
		if (err == nil) != (code == "") || err != nil && lost.CodeOf(err) != code {
			t.Errorf("%s: %v", origin, err)
		}
	}
}
