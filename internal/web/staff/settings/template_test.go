package settings_test

import (
	"image/color"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

func TestTheAccountHasMessageTemplates(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		h.NewLocation("Hotel Adler")
		v := h.LogIn()
		all := func() []lost.MessageTemplate { return testkit.Must(h.Services.Templates.List(t.Context(), h.Actor)) }
		form := url.Values{"name": {"Color"}, "language": {"de"}, "text": {"Guten Tag {name},\r\n<b>welche</b> Farbe?"}}
		if a := v.Post("/settings/templates", form); a.Code != http.StatusSeeOther {
			t.Fatalf("got status %d: %s", a.Code, a.Body)
		}
		first := all()[0]
		if len(all()) != 1 || first.Name != "Color" || first.Language != "de" ||
			first.Text != "Guten Tag {name},\n<b>welche</b> Farbe?" {
			t.Fatalf("got %+v", all())
		}
		page := v.Get("/settings/templates?edit=" + first.ID).Body
		if !strings.Contains(page, "Guten Tag {name},\n&lt;b&gt;welche&lt;/b&gt; Farbe?</textarea>") ||
			!strings.Contains(page, "German") {
			t.Errorf("the form does not show the template: %s", page)
		}
		for field, value := range map[string]string{"name": " ", "language": "?", "text": "Dear {nmae}"} {
			wrong := url.Values{"id": {first.ID}, "name": {"Color"}, "language": {"de"}, "text": {"My draft"}}
			wrong.Set(field, value)
			a := v.Post("/settings/templates", wrong)
			if a.Code != http.StatusUnprocessableEntity || !strings.Contains(a.Body, field+"-error") {
				t.Errorf("invalid %s: got status %d", field, a.Code)
			}
		}
		v.Post("/settings/templates",
			url.Values{"id": {first.ID}, "name": {"Farbe"}, "language": {"de"}, "text": {"Welche Farbe?"}})
		if got := all(); len(got) != 1 || got[0].Name != "Farbe" || got[0].Text != "Welche Farbe?" {
			t.Errorf("got %+v after a change", got)
		}
		if log := v.Get("/settings/audit").Body; !strings.Contains(log, "message template: Farbe") {
			t.Error("the audit log does not show the change")
		}
		v.Post("/settings/templates", url.Values{"id": {first.ID}, "delete": {"1"}})
		if got := all(); len(got) != 0 {
			t.Errorf("got %+v after deleting it", got)
		}
		a := v.Post("/settings/templates", url.Values{"id": {first.ID}, "delete": {"1"}})
		if a.Code != http.StatusNotFound {
			t.Errorf("deleting it again: got status %d", a.Code)
		}
	})
}

func TestATemplateIsInsertedInTheConversation(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		v := h.LogIn()
		save := func(name, language, text string) lost.MessageTemplate {
			return testkit.Must(h.Services.Templates.Save(t.Context(), h.Actor, "", lost.TemplatePatch{
				Name: lost.Set(name), Language: lost.Set(language), Text: lost.Set(text),
			}))
		}
		french := save("Couleur", "fr", "Bonjour")
		german := save("Color", "de", "{name}: {item}, {reference}, {location}")
		i := h.NewItem(l, "Umbrella", func(p *lost.ItemPatch) {
			p.Language = lost.Set("de")
			p.Owner = lost.Set(lost.OwnerPatch{
				FirstName: lost.Set("Anna"), LastName: lost.Set("{item}"), Email: lost.Set("anna@example.com"),
			})
		})
		page := v.Get(stafftest.ItemPath(l, i)).Body
		if strings.Index(page, german.ID) > strings.Index(page, french.ID) {
			t.Error("the template in the guest's language is not first")
		}
		for begun, before := range map[string]string{"": "", "Hello \r\n": "Hello\n\n"} {
			page = v.Post(stafftest.ItemPath(l, i)+"/thread", url.Values{
				"insert": {"1"}, "template": {german.ID}, "text": {begun},
			}).Body
			want := "\n" + before + "Anna {item}: Umbrella, " + i.Reference + ", Hotel Adler</textarea>"
			if !strings.Contains(page, want) {
				t.Errorf("after %q: the message box does not contain %s", begun, want)
			}
		}
		if a := v.Post(stafftest.ItemPath(l, i)+"/thread", url.Values{
			"insert": {"1"}, "template": {"tpl_unknown"}, "text": {"Hello"},
		}); a.Code != http.StatusNotFound {
			t.Errorf("an unknown template: got status %d", a.Code)
		}
		theirs := testkit.Must(h.Services.Accounts.Create(t.Context(), "Theirs"))
		other := h.Actor
		other.Account = theirs.ID
		if got := testkit.Must(h.Services.Templates.List(t.Context(), other)); len(got) != 0 {
			t.Errorf("another account sees %+v", got)
		}
		if _, err := h.Services.Templates.Save(t.Context(), other, german.ID,
			lost.TemplatePatch{}); lost.CodeOf(err) != lost.NotFound {
			t.Errorf("another account changes it: got %v, want not found", err)
		}
	})
}

func TestATemplateIsWrittenAndUsedInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := h.NewLocation("Hotel Adler")
	i := h.NewItem(l, "Umbrella", func(p *lost.ItemPatch) {
		p.Owner = lost.Set(lost.OwnerPatch{FirstName: lost.Set("Anna"), Email: lost.Set("anna@example.com")})
	})
	for _, o := range []browsertest.Options{{Phone: true}, {Dark: true, NoScript: true}} {
		t.Run(o.String(), func(t *testing.T) {
			v := browsertest.New(t, o)
			v.IgnoreError("422")
			stafftest.OpenAsOwner(v, h, at+"/settings/templates")
			v.Fill("Name", "Color "+o.String())
			v.Fill("Text", "Dear {nmae}")
			v.Follow("Save")
			v.See("unknown field {nmae}")
			v.CheckAccessibility()
			v.Fill("Text", "Dear {name}, is the {item} dark?")
			v.Follow("Save")
			v.See("The template was saved.")
			v.CheckAccessibility()
			v.Screenshot("templates")
			v.Visit(at + stafftest.ItemPath(l, i))
			v.Fill("Your message", "Good morning")
			var text string
			if o.NoScript {
				photo := filepath.Join(t.TempDir(), "photo.png")
				testkit.Must(0, os.WriteFile(photo, stafftest.Picture(t, color.White), 0o600))
				v.Upload("Photos (up to 5)", photo)
				v.Follow("Insert template")
				v.See("Choose the photos again.")
				v.Run("document.querySelector('#text').value", &text)
			} else {
				var ready bool
				v.Run("window.inserted = new Promise(done => document.querySelector('#text').addEventListener("+
					"'input', event => done(event.target.value), {once: true})), true", &ready)
				v.Click("Insert template")
				v.Run("window.inserted", &text)
			}
			if text != "Good morning\n\nDear Anna, is the Umbrella dark?" {
				t.Errorf("the message box contains %q", text)
			}
			v.CheckAccessibility()
			v.Screenshot("inserted")
			v.Follow("Save message")
			v.See("Dear Anna, is the Umbrella dark?", "Your message was saved.")
		})
	}
}
