package staff_test

import (
	"image/color"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

// newcomer uses the dashboard for the first time, in the language of the browser. It knows only the words on the page
// and counts what it does.
type newcomer struct {
	*browsertest.Visitor
	t       *testing.T
	l       *i18n.Language
	english map[string]string // the English texts that have a translation, with their keys
	clicks  int
	fields  int
	letters int
}

func newNewcomer(t *testing.T, o browsertest.Options) *newcomer {
	t.Helper()
	n := &newcomer{Visitor: browsertest.New(t, o), t: t, l: i18n.Choose(o.Language), english: map[string]string{}}
	english, own := i18n.Choose("en"), map[string]string{}
	for _, key := range n.l.Keys("") {
		own[n.l.Source(key)[""]] = key
		n.english[english.Source(key)[""]] = key
	}
	for text := range own {
		delete(n.english, text)
	}
	return n
}

// follow presses a link or button by its text in the newcomer's language, and checks the page that it opens.
func (n *newcomer) follow(key string) {
	n.t.Helper()
	n.clicks++
	n.Follow(n.l.Say(key))
	n.expectOwnLanguage()
}

// fill types into a field that is named by its label in the newcomer's language.
func (n *newcomer) fill(key, text string) {
	n.t.Helper()
	n.fields++
	n.letters += utf8.RuneCountInString(text)
	n.Fill(n.l.Say(key), text)
}

// rawKey matches the keys of the catalogs.
var rawKey = regexp.MustCompile(`^(` + strings.Join([]string{
	"common", "error", "frame", "signin", "today", "items", "finds", "requests", "storage", "bulk", "locations",
	"search", "settings", "users", "reports", "calendar", "notices", "stays", "assistant",
}, "|") + `)\.[a-z.-]+$`)

// expectOwnLanguage fails the test if the page shows an English text that has a translation, or a key.
func (n *newcomer) expectOwnLanguage() {
	n.t.Helper()
	var lang string
	if n.Run("document.documentElement.lang", &lang); lang != n.l.Tag() {
		n.t.Errorf("%s is in %q, want %q", n.Location(), lang, n.l.Tag())
	}
	var texts []string
	n.Run(`[...document.querySelectorAll('*')].filter(e => !e.matches('body [lang]')).flatMap(e => [
		...[...e.childNodes].filter(part => part.nodeType === Node.TEXT_NODE).map(part => part.data),
		...['title', 'alt', 'placeholder', 'aria-label'].map(name => e.getAttribute(name) || ''),
	]).map(text => text.trim()).filter(text => text)`, &texts)
	for _, text := range texts {
		if key := n.english[text]; key != "" {
			n.t.Errorf("%s shows the English text %q of %s", n.Location(), text, key)
		} else if rawKey.MatchString(text) {
			n.t.Errorf("%s shows the key %q", n.Location(), text)
		}
	}
	if faults := n.TextFaults(); len(faults) > 0 {
		n.t.Errorf("%s has texts that do not fit:\n%s", n.Location(), strings.Join(faults, "\n"))
	}
}

// seconds estimates how long a person takes for what was counted so far, by the keystroke-level model: each step is
// thought about and pointed at, and each letter is typed. In Japanese a character takes two keys and a choice.
func (n *newcomer) seconds() float64 {
	const think, point, key = 1.35, 1.1, 0.28
	keys := 1.0
	if n.l.Tag() == "ja" {
		keys = 3
	}
	return float64(n.clicks+n.fields)*(think+point) + float64(n.letters)*keys*key
}

// A newcomer logs in to a new account, adds a location, records the first find with a photo, and finds it again with a
// vague word that is not in the description. All in the language of the browser.
func TestANewcomerRecordsTheFirstFindAndFindsItAgain(t *testing.T) {
	for _, tt := range []struct {
		language, hotel, what, where string
		vague                        []string
	}{
		{
			"de", "Hotel zur Post", "Schwarzer Knirps mit Holzgriff", "Frühstücksraum",
			[]string{"Schirm", "Regenschirm", "regenschrim"},
		},
		{"ja", "ホテル桜", "黒い折りたたみ傘", "ロビー", []string{"かさ", "雨傘", "アンブレラ"}},
	} {
		for _, o := range []browsertest.Options{
			{Phone: true, Language: tt.language}, {Language: tt.language}, {NoScript: true, Language: tt.language},
		} {
			t.Run(o.String(), func(t *testing.T) {
				h, at := testkit.NewBrowserServer(t)
				photo := filepath.Join(t.TempDir(), "photo.png")
				testkit.Must(0, os.WriteFile(photo, stafftest.Picture(t, color.RGBA{30, 30, 34, 255}), 0o600))
				n := newNewcomer(t, o)
				began := time.Now()
				n.logIn(h, at)
				n.addLocation(tt.hotel)

				n.clicks, n.fields, n.letters = 0, 0, 0
				n.record(photo, tt.what, tt.where)
				record := n.seconds()
				t.Logf("the find took %d clicks, %d fields and %d letters, about %.0f seconds of a person", n.clicks,
					n.fields, n.letters, record)
				if i := newestItem(h); len(i.Images) != 1 || i.Description != tt.what {
					t.Errorf("got item %+v", i)
				}
				if n.clicks > 3 || n.fields > 3 || record > 60 {
					t.Errorf("got %d clicks, %d fields and %.0f seconds, want at most 3, 3 and 60", n.clicks, n.fields,
						record)
				}
				for _, word := range tt.vague {
					n.search(word, tt.what, o)
				}
				t.Logf("the browser took %s for all of it", time.Since(began).Round(time.Millisecond))
			})
		}
	}
}

// newestItem returns the newest item of the account. The test fails if there is none.
func newestItem(h *testkit.Server) lost.Item {
	h.T.Helper()
	list := testkit.Must(h.Services.Items.ListAll(h.T.Context(), h.Actor, nil,
		lost.ItemFilter{Page: lost.FirstPage()}))
	if len(list.Data) == 0 {
		h.T.Fatal("no item was recorded")
	}
	return list.Data[0]
}

func (n *newcomer) logIn(h *testkit.Server, at string) {
	n.t.Helper()
	n.Visit(at + "/")
	n.expectOwnLanguage()
	n.Screenshot("1 login")
	n.fill("signin.email", h.Owner.Email)
	n.fill("signin.password", testkit.Password)
	n.follow("signin.log-in")
	n.Screenshot("2 today")
}

func (n *newcomer) addLocation(name string) {
	n.t.Helper()
	n.follow("today.add-location")
	n.Screenshot("3 location")
	n.fill("locations.name", name)
	n.follow("locations.new.button")
	n.Screenshot("4 added")
}

func (n *newcomer) record(photo, what, where string) {
	n.t.Helper()
	n.clicks += 2 // the second one is for the field for photos
	n.Follow("css:main a.button")
	n.expectOwnLanguage()
	n.Upload(n.l.Say("frame.photos.choose"), photo)
	n.fill("finds.what", what)
	n.fill("finds.where", where)
	n.expectOwnLanguage()
	n.Screenshot("5 find")
	n.follow("frame.save")
	n.See(n.l.Say("finds.recorded"), what)
	n.Screenshot("6 recorded")
}

// search finds an item with a word that its description does not contain, and opens it.
func (n *newcomer) search(word, what string, o browsertest.Options) {
	n.t.Helper()
	if n.clicks++; o.NoScript {
		n.Follow(n.l.Say("frame.search"))
	} else {
		n.Click(n.l.Say("frame.search"))
	}
	n.fill("frame.search.field", word)
	if o.NoScript {
		n.follow("search.title")
	}
	n.See(n.l.Say("search.count", "n", 1))
	n.expectOwnLanguage()
	n.Screenshot("7 search " + word)
	n.clicks++
	n.Follow("css:.search-results a[href*='/items/']")
	n.See(what)
	n.expectOwnLanguage()
	n.Screenshot("8 item")
}
