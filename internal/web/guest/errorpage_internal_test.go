package guest

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

func TestEveryErrorCodeHasItsPage(t *testing.T) {
	assets, err := respond.NewAssets()
	if err != nil {
		t.Fatal(err)
	}
	handler, err := New(Options{
		Base: "https://homeward.example", FormKey: make([]byte, minKey), Assets: assets, Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		err    error
		status int
		title  string
	}{
		{lost.Missing("link"), 404, "This link does not work"},
		{lost.E(lost.Gone, "Expired."), 410, "This link has expired"},
		{lost.E(lost.TooMany, "Too many reports."), 429, "We received too many reports today"},
		{lost.E(lost.Conflict, "Closed."), 409, "This can no longer be changed"},
		{lost.E(lost.Forbidden, "Another site."), 403, "This form was sent from another site"},
		{lost.E(lost.NoMethod, "Wrong method."), 405, "This action is not available here"},
		{lost.E(lost.Unreadable, "Incomplete."), 400, "The form is incomplete"},
		{lost.E(lost.TooLarge, "Too large."), 413, "The form is too large"},
		{lost.E(lost.Unavailable, "Busy."), 503, "We are busy right now"},
		{errors.New("secret"), 500, "Something went wrong on our side"},
	} {
		w := httptest.NewRecorder()
		at := &call{
			Guest: handler.(*Guest), w: w, r: httptest.NewRequest(http.MethodGet, "/g/token", nil), token: "token",
		}
		at.place = &lost.Location{Name: "Hotel Adler"}
		at.writeError(c.err)
		page := w.Body.String()
		if w.Code != c.status || !strings.Contains(page, "<h1>"+c.title+"</h1>") ||
			!strings.Contains(page, "Hotel Adler") || strings.Contains(page, "secret") {
			t.Errorf("%v: %d %s", c.err, w.Code, page)
		}
	}
}

func TestAThrottledFormSaysWhenToTryAgain(t *testing.T) {
	throttled := lost.FieldError{Code: "wait"}
	at := problemContext{location: lost.Location{Name: "Hotel Adler"}}
	if got := errorText(i18n.Choose("en"), throttled, input{},
		at); got != "Nothing was saved. Try again tomorrow, or call or write to Hotel Adler." {
		t.Error(got)
	}
	at.wait = 9
	if got := errorText(i18n.Choose("en"), throttled, input{},
		at); got != "Nothing was saved. Try again in 9 minutes, or call or write instead." {
		t.Error(got)
	}
}
