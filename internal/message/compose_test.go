package message_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/message"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; check it, and run go test with -update if the change is intended:\n%s", path, got)
	}
}

func compose(t *testing.T, p *message.Sender, l lost.MessageData) (subject, text string) {
	t.Helper()
	subject, text, err := p.Compose(l)
	if err != nil {
		t.Fatal(err)
	}
	return subject, text
}

func htmlOf(t *testing.T, p *message.Sender, l lost.MessageData) (text, preheader string) {
	t.Helper()
	text, preheader, err := p.HTML(l)
	if err != nil {
		t.Fatal(err)
	}
	return text, preheader
}

func TestEveryKindOfMessageMatchesItsGoldenFile(t *testing.T) {
	p := newSender(t, message.Options{})
	for name, l := range allMessages() {
		t.Run(name, func(t *testing.T) {
			subject, text := compose(t, p, l)
			htmlPart, _ := htmlOf(t, p, l)
			golden(t, name+".txt", subject+"\n\n"+text)
			golden(t, name+".html", htmlPart)
		})
	}
}

func TestEverySMSMatchesItsGoldenFile(t *testing.T) {
	var all strings.Builder
	for _, discreet := range []bool{false, true} {
		p := newSender(t, message.Options{Discreet: discreet})
		for _, name := range slices.Sorted(maps.Keys(allMessages())) {
			subject, text := compose(t, p, bySMS(allMessages()[name]))
			if subject != "" {
				t.Errorf("%s has the subject %q", name, subject)
			}
			fmt.Fprintf(&all, "%s discreet %t: %s\n", name, discreet, text)
		}
	}
	golden(t, "sms.txt", all.String())
}

// longest returns a copy of a message in which every text has the largest length.
func longest(l lost.MessageData) lost.MessageData {
	long := strings.Repeat("lengthy wording ", 13)[:200]
	fill(&l.Item, long)
	fill(&l.Location, long)
	l.Item.DiscoveryDate = "2026-09-02"
	l.Item.Reference = "K7F-3QD"
	l.Item.Language = ""
	l.Location.Language = ""
	l.Item.Terms.TimeZone = ""
	if l.Item.Pickup.Date != "" {
		l.Item.Pickup.Date, l.Item.Pickup.Time = "2026-09-23", "14:30"
	}
	return l
}

func TestAnSMSIsShort(t *testing.T) {
	for _, discreet := range []bool{false, true} {
		p := newSender(t, message.Options{Discreet: discreet})
		for name, l := range allMessages() {
			for _, tag := range i18n.Tags() {
				l := longest(bySMS(l))
				l.Item.Language, l.Location.Language = tag, tag
				_, whole := compose(t, p, l)
				if n := utf8.RuneCountInString(whole); n > 320 {
					t.Errorf("%s in %s has %d characters: %s", name, tag, n, whole)
				}
				l.URL = ""
				_, bare := compose(t, p, l)
				if tag == "en" && len(bare) > 160 {
					t.Errorf("%s has %d characters without the link: %s", name, len(bare), bare)
				}
				if tag == "en" && strings.ContainsFunc(bare, func(r rune) bool { return r < ' ' || r > '~' }) {
					t.Errorf("%s is not ASCII: %q", name, bare)
				}
			}
		}
	}
}

var leftOver = regexp.MustCompile(`\{[a-zA-Z]*\}|%!|<nil>`)

func TestEveryKindIsCompleteInEveryLanguage(t *testing.T) {
	for _, discreet := range []bool{false, true} {
		p := newSender(t, message.Options{Discreet: discreet})
		for name, l := range allMessages() {
			for _, tag := range i18n.Tags() {
				for _, url := range []string{link, ""} {
					if url == "" && discreet {
						continue // messages without a link are checked only once, with discreet off
					}
					l.Item.Language, l.Location.Language, l.URL = tag, tag, url
					checkComplete(t, p, name+" in "+tag, l)
				}
			}
		}
	}
}

// checkComplete checks that no part of a message is empty or has unfilled placeholders, and that it contains the link
// if there is one.
func checkComplete(t *testing.T, p *message.Sender, name string, l lost.MessageData) {
	t.Helper()
	subject, text := compose(t, p, l)
	_, sms := compose(t, p, bySMS(l))
	htmlPart, preheader := htmlOf(t, p, l)
	_, body, _ := strings.Cut(htmlPart, "<body")
	shown := tags.ReplaceAllString(body, "")
	for part, content := range map[string]string{
		"subject": subject, "text": text, "SMS": sms, "HTML": shown, "preheader": preheader,
	} {
		if found := leftOver.FindString(content); found != "" || strings.TrimSpace(content) == "" {
			t.Errorf("the %s of %s contains %q: %s", part, name, found, content)
		}
	}
	wanted := l.URL != "" && l.Kind != lost.DigestMessage && l.Kind != lost.LabelMessage &&
		!l.Kind.ToFinder()
	if strings.Contains(text, link) != wanted || strings.Contains(htmlPart, link) != wanted ||
		strings.Contains(htmlPart, `href=""`) || strings.Contains(htmlPart, "ZgotmplZ") {
		t.Errorf("link in %s: want %t", name, wanted)
	}
	if !strings.Contains(htmlPart, `<html lang="`+l.Languages()[0]+`"`) {
		t.Errorf("the language of %s is wrong: %s", name, htmlPart)
	}
}

var tags = regexp.MustCompile(`<[^>]*>`)

// TestAnOldMessageIsStillShown: staff can still read a message after its item has changed.
func TestAnOldMessageIsStillShown(t *testing.T) {
	p := newSender(t, message.Options{})
	for _, kind := range lost.MessageKinds() {
		for _, status := range lost.Statuses() {
			for _, item := range []lost.Item{{Status: status},
				{Status: status, Source: lost.Request, Claim: lost.Claim{State: lost.RequestMatched}}} {
				l := newMessage(kind)
				l.Item, l.URL, l.Location = item, "", lost.Location{Name: "Hotel Adler"}
				subject, text := compose(t, p, l)
				_, sms := compose(t, p, bySMS(l))
				if found := leftOver.FindString(subject + text + sms); found != "" || subject == "" {
					t.Errorf("%s with %s contains %q: %s", kind, status, found, text)
				}
			}
		}
	}
}

func TestAMessageSaysWhatItsReaderNeeds(t *testing.T) {
	p := newSender(t, message.Options{})
	for name, wanted := range map[string][]string{
		"notice": {
			"Hello Anna,", "Black umbrella with a wooden handle, found", "K7F-3QD", "Friday 20 November 2026",
			"Jana Berg", "+493012345678", "desk@adler.example",
		},
		"last-call": {"We cannot keep it for you after Friday 20 November 2026."},
		"pickup-soon": {"Friday 20 November 2026 at 14:30", "Hauptstraße 1, 10115 Berlin, Germany",
			"K7F-3QD"},
		"pickup-missed":         {"If you already have it, there is nothing more for you to do"},
		"choice-pickup":         {"Friday 20 November 2026 at 14:30", "Hauptstraße 1", "choose again"},
		"choice-donate-charity": {"Berliner Stadtmission"},
		"choice-ship":           {"will tell you the price before anything is sent"},
		"request-received":      {"K7F-3QD", link},
		"request-question":      {"Is the wood of the handle light or dark?"},
		"request-rejected":      {"We looked in the room and asked the cleaners."},
		"digest": {
			"Hello Jana Berg,", "K7F-3QD  Black umbrella", "since Saturday 7 November 2026", "And 5 more.",
		},
	} {
		_, text := compose(t, p, allMessages()[name])
		flat := strings.Join(strings.Fields(text), " ")
		for _, w := range wanted {
			if !strings.Contains(flat, strings.Join(strings.Fields(w), " ")) {
				t.Errorf("%s does not say %q:\n%s", name, w, text)
			}
		}
		if strings.Contains(text, "secret") {
			t.Errorf("%s contains text that is for the desk only:\n%s", name, text)
		}
		for _, row := range strings.Split(text, "\n") {
			if utf8.RuneCountInString(row) > 72 && !strings.Contains(row, "://") {
				t.Errorf("%s has a long line: %s", name, row)
			}
		}
	}
}

func TestDiscreetMessagesNameNeitherItemNorPlaceOutside(t *testing.T) {
	p := newSender(t, message.Options{Discreet: true})
	for name, l := range allMessages() {
		subject, text := compose(t, p, l)
		_, sms := compose(t, p, bySMS(l))
		_, preheader := htmlOf(t, p, l)
		for part, content := range map[string]string{"subject": subject, "SMS": sms, "preheader": preheader} {
			for _, secret := range []string{"Adler", "umbrella", "Berlin", "Hauptstra"} {
				if strings.Contains(content, secret) {
					t.Errorf("the %s of %s says %q", part, name, content)
				}
			}
		}
		if !strings.Contains(text, "Hotel Adler") {
			t.Errorf("the body of %s does not name the place:\n%s", name, text)
		}
	}
}

// TestAReportCarriesNoTextOfAStranger: nobody can use the public page to send advertisements to others.
func TestAReportCarriesNoTextOfAStranger(t *testing.T) {
	p := newSender(t, message.Options{})
	for _, kind := range []lost.MessageKind{lost.ReceivedMessage, lost.RejectedMessage} {
		l := newMessage(kind)
		l.Item.MovedBy = lost.ByPublic
		l.Item.Description, l.Item.Claim.Proof, l.Item.Claim.LostPlace = "Buy pills", "Buy pills", "Buy pills"
		for _, name := range []string{
			"pills.example.com", "https://pills", "a@pills", "Anna www.pills.shop", "call +1 900 pills",
		} {
			l.Item.Owner.FirstName = name
			subject, text := compose(t, p, l)
			_, sms := compose(t, p, bySMS(l))
			if htmlPart, _ := htmlOf(t, p, l); strings.Contains(subject+text+sms+htmlPart, "pills") {
				t.Errorf("%s:\n%s\n%s", subject, text, sms)
			}
		}
	}
}

func TestScriptInEveryFieldIsShownAsText(t *testing.T) {
	for _, discreet := range []bool{false, true} {
		p := newSender(t, message.Options{Discreet: discreet})
		for name, l := range allMessages() {
			fill(&l.Item, script)
			fill(&l.Location, script)
			fill(&l.Privacy, script)
			l.Privacy.URL = privacyURL
			for n := range l.Tasks.Data {
				fill(&l.Tasks.Data[n].Item, script)
			}
			_, text := compose(t, p, l)
			if !strings.Contains(strings.Join(strings.Fields(text), " "), script) {
				t.Errorf("the text of %s does not show the script unchanged:\n%s", name, text)
			}
			htmlPart, _ := htmlOf(t, p, l)
			checkHTML(t, name, htmlPart)
			if !strings.Contains(htmlPart, "{name}") {
				t.Errorf("the HTML of %s does not show the script as text", name)
			}
		}
	}
}

// fill sets every text field of a record to text.
func fill(record any, text string) {
	var into func(v reflect.Value)
	into = func(v reflect.Value) {
		switch {
		case v.Kind() == reflect.Struct:
			for n := range v.NumField() {
				if v.Field(n).CanSet() {
					into(v.Field(n))
				}
			}
		case v.Type() == reflect.TypeFor[string]():
			v.SetString(text)
		}
	}
	into(reflect.ValueOf(record).Elem())
}

// checkHTML checks that an e-mail contains no script, and that its links lead only to this service, phone numbers,
// e-mail addresses and the carrier.
func checkHTML(t *testing.T, name, htmlPart string) {
	t.Helper()
	known := []string{
		"html", "head", "meta", "title", "style", "body", "div", "table", "tr", "td", "h1", "p", "span", "br", "a",
		"img",
	}
	for z := html.NewTokenizer(strings.NewReader(htmlPart)); ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			return
		}
		token := z.Token()
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		if !slices.Contains(known, token.Data) {
			t.Errorf("%s has <%s>", name, token.Data)
		}
		for _, a := range token.Attr {
			isLink := a.Key == "src" || a.Key == "href"
			ours := strings.HasPrefix(a.Val, base+"/") ||
				token.Data == "a" && (strings.HasPrefix(a.Val, "tel:") || strings.HasPrefix(a.Val, "mailto:") ||
					a.Val == tracking || a.Val == privacyURL)
			if strings.HasPrefix(a.Key, "on") || isLink && !ours {
				t.Errorf("%s has %s=%q", name, a.Key, a.Val)
			}
		}
	}
}

func TestTheLogoIsOursOrNone(t *testing.T) {
	p := newSender(t, message.Options{})
	l := newMessage(lost.NoticeMessage)
	if htmlPart, _ := htmlOf(t, p, l); !strings.Contains(htmlPart, `<img src="`+base+`/files/logo-1.png"`) {
		t.Errorf("no logo in %s", htmlPart)
	}
	l.Location.LogoFile, l.Location.LogoURL = "", "https://elsewhere.example/logo.png"
	if htmlPart, _ := htmlOf(t, p, l); strings.Contains(htmlPart, "<img") || strings.Contains(htmlPart, "elsewhere") {
		t.Errorf("a logo from another server in %s", htmlPart)
	}
}

func TestALineIsOneHarmlessLine(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                                   "plain",
		"  two\r\nlines\tand\u2028more":           "two lines and more",
		"a\x00b\x1b[31mc":                         "a b [31mc",
		"\u202ereversed\u202c\u2066x":             "reversedx",
		"👩\u200d🚀 خانه\u200cها":                   "👩\u200d🚀 خانه\u200cها",
		"soft\u00adhyphen\ufeff":                  "softhyphen",
		"bad\xffbyte":                             "bad\ufffdbyte",
		"one two three four five six seven eight": "one two three four five six…",
		strings.Repeat("x", 50):                   strings.Repeat("x", 29) + "…",
	} {
		if got := message.Line(in, 30); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
