package guest_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/browsertest"
)

const (
	privacyText = "We use your details only to return your item.\n<b>Adler & Sons</b> deletes them 180 days later."
	privacyURL  = "https://adler.example/privacy?a=1&b=2"
)

// pagesWithForms are the pages of allPages on which visitors enter data about themselves.
var pagesWithForms = []string{"address", "embedded", "location", "pickup", "request"}

// noticeAt describes where a page shows the privacy notice.
type noticeAt struct {
	formText, formLink     bool // before the button of a form
	footerText, footerLink bool
}

// notices returns where a page shows the privacy notice. It reports links that are not safe to follow.
func notices(t *testing.T, name string, a response) (at noticeAt) {
	t.Helper()
	for n := range a.doc.Descendants() {
		if n.Type != html.ElementNode || !slices.Contains(strings.Fields(attr(n, "class")), "privacy") {
			continue
		}
		inForm, inFooter := within(n, "form"), within(n, "footer")
		if inForm == inFooter {
			t.Errorf("%s: the notice is in a form: %v, in the footer: %v", name, inForm, inFooter)
		}
		if strings.Contains(text(n), strings.ReplaceAll(privacyText, "\n", " ")) {
			at.formText, at.footerText = at.formText || inForm, at.footerText || inFooter
		}
		if inForm && !beforeButton(n) {
			t.Errorf("%s: the notice is not before the button", name)
		}
		for _, link := range (response{doc: n}).all("a") {
			at.formLink, at.footerLink = at.formLink || inForm, at.footerLink || inFooter
			if attr(link, "href") != privacyURL || !strings.Contains(attr(link, "rel"), "noopener") ||
				text(link) != "Privacy at Hotel Adler" {
				t.Errorf("%s: got the link %v with the text %q", name, link.Attr, text(link))
			}
		}
	}
	return at
}

func within(n *html.Node, tag string) bool {
	for p := range n.Ancestors() {
		if p.Data == tag {
			return true
		}
	}
	return false
}

// beforeButton reports whether the next element after the notice is a button.
func beforeButton(n *html.Node) bool {
	for s := n.NextSibling; s != nil; s = s.NextSibling {
		if s.Type == html.ElementNode {
			return s.Data == "button"
		}
	}
	return false
}

func TestEveryPageShowsThePrivacyNotice(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		pages := allPages(h)
		set := func(text, url lost.Field[string]) {
			t.Helper()
			all := lost.LocationFilter{Page: lost.FirstPage()}
			for _, l := range must(h.desk.Locations.List(t.Context(), h.actor, all)).Data {
				must(h.desk.Locations.Update(t.Context(), h.actor, l.ID,
					lost.LocationPatch{PrivacyText: text, PrivacyURL: url}))
			}
		}
		check := func(what string, want func(form bool) noticeAt) {
			t.Helper()
			for name, path := range pages {
				if name == "wrong" { // no location is known
					continue
				}
				a := h.get(path)
				form := slices.Contains(pagesWithForms, name)
				if got := notices(t, name, a); got != want(form) {
					t.Errorf("%s, page %s: got %+v, want %+v", what, name, got, want(form))
				}
				if strings.Contains(a.body, "<b>Adler") {
					t.Errorf("%s, page %s: the text is not escaped", what, name)
				}
			}
		}
		check("text and link", func(form bool) noticeAt {
			return noticeAt{formText: form, formLink: form, footerLink: true}
		})
		set(lost.Set(privacyText), lost.Clear[string]())
		check("text", func(form bool) noticeAt { return noticeAt{formText: form, footerText: !form} })
		set(lost.Clear[string](), lost.Set(privacyURL))
		check("link", func(form bool) noticeAt { return noticeAt{formLink: form, footerLink: true} })
		set(lost.Clear[string](), lost.Clear[string]())
		check("nothing", func(bool) noticeAt { return noticeAt{} })
		owner := lost.Actor{Account: h.actor.Account, Kind: lost.ByUser, ID: "usr_1", Role: lost.OwnerRole}
		must(0, h.desk.Accounts.SetPrivacyNotice(t.Context(), owner, lost.Set(privacyText), lost.Set(privacyURL)))
		check("the account's", func(form bool) noticeAt {
			return noticeAt{formText: form, formLink: form, footerLink: true}
		})
		set(lost.Clear[string](), lost.Set(privacyURL))
		check("a link that replaces the account's text and link", func(form bool) noticeAt {
			return noticeAt{formLink: form, footerLink: true}
		})
	})
}

func TestErrorsAndRepeatedFormsShowThePrivacyNotice(t *testing.T) {
	h := newServer(t)
	l, _, link := h.guest()
	again := h.post(link+"/ship", form("recipient.country", "DE"))
	again.want(t, http.StatusUnprocessableEntity)
	if got := notices(t, "address again", again); !got.formText || !got.footerLink {
		t.Errorf("address form with errors: got %+v", got)
	}
	repeated := h.send("/l/"+l.Permalink, map[string]string{"description": ""}, nil)
	repeated.want(t, http.StatusUnprocessableEntity)
	if got := notices(t, "report again", repeated); !got.formText || !got.footerLink {
		t.Errorf("report form with errors: got %+v", got)
	}
	h.clock.Advance(lost.LinkLife + day)
	expired := h.get(link)
	expired.want(t, http.StatusGone)
	if got := notices(t, "expired", expired); !got.footerLink || got.formText {
		t.Errorf("expired link: got %+v", got)
	}
}

func TestThePrivacyLinkNamesTheLocationInEveryLanguage(t *testing.T) {
	h := newServer(t)
	l := h.location(adler())
	seen := map[string]bool{}
	for _, tag := range i18n.Tags() {
		a := h.get("/l/"+l.Permalink, "Cookie", "lang="+tag)
		links := a.all("a", "href", privacyURL)
		if len(links) != 2 || !strings.Contains(text(links[0]), "Hotel Adler") || seen[text(links[0])] {
			t.Errorf("%s: got %d links, text %q", tag, len(links), text(links[0]))
		}
		seen[text(links[0])] = true
	}
}

// A notice without a link is a disclosure at the end of a page, and plain text in a form.
func TestThePrivacyTextIsReadableInABrowser(t *testing.T) {
	h := newServer(t)
	p := adler()
	p.PrivacyText = lost.Set(strings.Repeat(privacyText+"\n\n", 15) + strings.Repeat("unbreakable", 20))
	p.PrivacyURL = lost.Clear[string]()
	l := h.location(p)
	link := h.link(h.item(l, umbrella()))
	server := httptest.NewServer(h.handler)
	t.Cleanup(server.Close)
	for _, o := range []browsertest.Options{
		{Phone: true}, {Phone: true, Dark: true, NoScript: true}, {}, {Dark: true},
	} {
		t.Run(o.String(), func(t *testing.T) {
			v := browsertest.New(t, o)
			v.Visit(server.URL + "/l/" + l.Permalink)
			v.See("Adler & Sons")
			v.CheckAccessibility()
			v.CheckLayoutShift()
			v.Screenshot("report")
			v.Visit(server.URL + link)
			v.SeeNot("Adler & Sons")
			v.CheckAccessibility()
			v.CheckLayoutShift()
			v.Click("Privacy at Hotel Adler")
			v.See("Adler & Sons")
			v.CheckAccessibility()
			v.Screenshot("item")
		})
	}
}
