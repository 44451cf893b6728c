package lost_test

import (
	"strings"
	"testing"

	"homeward/internal/lost"
)

func TestAPrivacyURLIsASafeLink(t *testing.T) {
	for in, want := range map[string]bool{
		"https://example.com/privacy": true, "HTTPS://example.com:8443/x?y=z#f": true,
		"https://münchen.example/datenschutz": true, "https://example.com/@us": true,
		"https://example.com/" + strings.Repeat("a", 2028): true,
		"https://example.com/" + strings.Repeat("a", 2029): false,
		"http://example.com/privacy":                       false,
		"javascript:alert(1)":                              false, "JavaScript://example.com/%0aalert(1)": false,
		"data:text/html,x": false, "//example.com": false, "example.com/privacy": false, "https://": false,
		"https://user@example.com/": false, "https://user:secret@example.com/": false, "https://@example.com/": false,
		"https://hotel.example@evil.example/": false,
		"https://example.com/a b":             false, "https://example.com/a\u202eb": false,
		"https://example.com/a\u3000b":   false,
		"https://example.com/\"onclick=": false, "https://example.com/<b>": false,
	} {
		p := lost.LocationPatch{Name: lost.Set("x"), PrivacyURL: lost.Set(in)}
		l, err := lost.NewLocation("acc_1", p, noon)
		if (err == nil) != want || want && l.PrivacyURL != in {
			t.Errorf("location with %q: got %q, %v", in, l.PrivacyURL, err)
		}
		var a lost.Account
		if _, err := a.SetPrivacyNotice(lost.Field[string]{}, lost.Set(in)); (err == nil) != want ||
			want && a.Privacy.URL != in {
			t.Errorf("account with %q: got %q, %v", in, a.Privacy.URL, err)
		}
	}
}

func TestAPrivacyTextIsPlainTextOfLimitedLength(t *testing.T) {
	for in, want := range map[string]bool{
		"Two\nlines": true, strings.Repeat("ä", lost.MaxPrivacyText): true,
		strings.Repeat("ä", lost.MaxPrivacyText+1): false, "a bell\a": false,
	} {
		_, err := lost.NewLocation("acc_1", lost.LocationPatch{Name: lost.Set("x"), PrivacyText: lost.Set(in)}, noon)
		var a lost.Account
		_, accountErr := a.SetPrivacyNotice(lost.Set(in), lost.Field[string]{})
		if (err == nil) != want || (accountErr == nil) != want {
			t.Errorf("%.20q: got %v for a location, %v for an account", in, err, accountErr)
		}
	}
}

func TestALocationsOwnPrivacyNoticeReplacesTheAccounts(t *testing.T) {
	a := lost.Account{Privacy: lost.PrivacyNotice{Text: "Account", URL: "https://account.example"}}
	for _, c := range []struct{ own, want lost.PrivacyNotice }{
		{lost.PrivacyNotice{}, a.Privacy},
		{lost.PrivacyNotice{Text: "Own"}, lost.PrivacyNotice{Text: "Own"}},
		{lost.PrivacyNotice{URL: "https://own.example"}, lost.PrivacyNotice{URL: "https://own.example"}},
		{
			lost.PrivacyNotice{Text: "Own", URL: "https://own.example"},
			lost.PrivacyNotice{Text: "Own", URL: "https://own.example"},
		},
	} {
		l := lost.Location{PrivacyText: c.own.Text, PrivacyURL: c.own.URL}
		if got := l.PrivacyNotice(a); got != c.want {
			t.Errorf("location with %+v: got %+v, want %+v", c.own, got, c.want)
		}
	}
	if got := (lost.Location{}).PrivacyNotice(lost.Account{}); !got.Empty() {
		t.Errorf("no notice at all: got %+v", got)
	}
}

func TestAnAccountsPrivacyNoticeIsChangedCompletelyOrNotAtAll(t *testing.T) {
	a := lost.Account{Privacy: lost.PrivacyNotice{Text: "Old", URL: "https://old.example"}}
	before := a
	if changed, err := a.SetPrivacyNotice(lost.Set("New"), lost.Set("http://new.example")); err == nil || changed ||
		a != before {
		t.Errorf("invalid URL: got %v, %v, %+v", changed, err, a.Privacy)
	}
	if changed, err := a.SetPrivacyNotice(lost.Set(" Old "), lost.Field[string]{}); err != nil || changed {
		t.Errorf("same text: got %v, %v", changed, err)
	}
	if changed, err := a.SetPrivacyNotice(lost.Set("New"), lost.Clear[string]()); err != nil || !changed ||
		a.Privacy != (lost.PrivacyNotice{Text: "New"}) {
		t.Errorf("new text without a URL: got %v, %v, %+v", changed, err, a.Privacy)
	}
}
