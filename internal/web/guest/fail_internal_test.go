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

// Every kind of error is a page of its own, whoever made it.
func TestEveryKindOfErrorHasItsPage(t *testing.T) {
	assets, err := respond.NewAssets()
	if err != nil {
		t.Fatal(err)
	}
	door, err := New(Options{Base: "https://homeward.example", FormKey: make([]byte, minKey), Assets: assets, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		err    error
		status int
		says   string
	}{
		{lost.Missing("link"), 404, "This link leads nowhere"},
		{lost.E(lost.Gone, "Over."), 410, "This link has expired"},
		{lost.E(lost.TooMany, "Full."), 429, "There were many reports today"},
		{lost.E(lost.Conflict, "No."), 409, "That can no longer be changed"},
		{lost.E(lost.Forbidden, "No."), 403, "This form came from somewhere else"},
		{lost.E(lost.NoMethod, "No."), 405, "That does not work here"},
		{lost.E(lost.Unreadable, "What?"), 400, "The form did not arrive whole"},
		{lost.E(lost.TooLarge, "Much."), 413, "That is more than we can take"},
		{lost.E(lost.Unavailable, "Later."), 503, "We are busy right now"},
		{errors.New("secret"), 500, "Something went wrong on our side"},
	} {
		w := httptest.NewRecorder()
		at := &call{Guest: door.(*Guest), w: w, r: httptest.NewRequest(http.MethodGet, "/g/token", nil), token: "token"}
		at.place = &lost.Location{Name: "Hotel Adler"}
		at.fail(c.err)
		page := w.Body.String()
		if w.Code != c.status || !strings.Contains(page, "<h1>"+c.says+"</h1>") || !strings.Contains(page, "Hotel Adler") || strings.Contains(page, "secret") {
			t.Errorf("%v: %d %s", c.err, w.Code, page)
		}
	}
}

func TestAFormThatComesTooOftenSaysWhenToComeBack(t *testing.T) {
	late := lost.FieldError{Code: "wait"}
	at := facts{location: lost.Location{Name: "Hotel Adler"}}
	if got := wrong(i18n.Choose("en"), late, input{}, at); got != "Nothing was saved. Try again tomorrow, or call or write to Hotel Adler." {
		t.Error(got)
	}
	at.wait = 9
	if got := wrong(i18n.Choose("en"), late, input{}, at); got != "Nothing was saved. Try again in 9 minutes, or call or write instead." {
		t.Error(got)
	}
}

func TestClientsAreForgottenInTime(t *testing.T) {
	now := time.Unix(0, 0)
	p := newPace(time.Minute, 1, func() time.Time { return now })
	for n := range 3 * maxPaced {
		p.take(strings.Repeat("x", n%7) + time.Duration(n).String())
	}
	if len(p.clients) > maxPaced {
		t.Errorf("%d clients are remembered", len(p.clients))
	}
	p.take("somebody")
	if _, wait := p.take("somebody"); wait != time.Minute {
		t.Errorf("has to wait for %v", wait)
	}
	now = now.Add(time.Minute)
	if giveBack, wait := p.take("somebody"); wait != 0 {
		t.Errorf("a minute later, has to wait for %v", wait)
	} else {
		giveBack()
	}
	if _, wait := p.take("somebody"); wait != 0 {
		t.Errorf("what was given back is gone: %v", wait)
	}
}
