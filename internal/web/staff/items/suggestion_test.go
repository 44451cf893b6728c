package items_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/lost/photo"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

// newDescriber returns a model that sees a maroon thing in every photo.
func newDescriber() *stafftest.FakeDescriber {
	return &stafftest.FakeDescriber{At: "eyes.example", Report: photo.Report{Facts: photo.Facts{
		Category: lost.ElectronicsCategory, Colors: []photo.Color{"purple"}, Brand: "Jabra", Model: "Evolve 20",
		Text: "Room service", Description: "A headset with a boom.",
	}}}
}

// newSeenItem returns an item of unknown category with a red photo that the photo assistant has seen.
func newSeenItem(t testing.TB, h *testkit.Server, describer *stafftest.FakeDescriber) (lost.Location, lost.Item) {
	t.Helper()
	l := h.NewLocation("Hotel Adler")
	i := stafftest.AddPhoto(h, h.NewItem(l, "Cable"), stafftest.LabelledPicture(t, red, "SN-8841-C"))
	i = stafftest.VerifyPhotos(h, i)
	stafftest.Describe(h, describer, i)
	return l, testkit.Must(h.Services.Items.Update(context.Background(), h.Actor, l.ID, i.ID,
		lost.ItemPatch{Description: lost.Set("Thing")}))
}

func TestThePhotoAssistantSuggestsValuesForAnItem(t *testing.T) {
	describer := newDescriber()
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l, i := newSeenItem(t, h, describer)
		v, page := h.LogIn(), stafftest.ItemPath(l, i)
		stafftest.ExpectPage(t, v.Get(page), http.StatusOK, "Suggested by the photo assistant",
			"eyes-1 has seen the photo.", "Jabra", "Evolve 20", "purple", "Room service", "A headset with a boom.")
		if now := testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID, i.ID)); now.Brand != "" ||
			now.Color != "" || now.Category != "" || now.Description != "Thing" || now.Notes != "" {
			t.Fatalf("a suggestion was written unasked: %+v", now)
		}
		use := func(field, value string) lost.Item {
			t.Helper()
			a := v.Post(page+"/suggestion", url.Values{"do": {"use"}, "field": {field}, "value": {value}})
			if a.Code != http.StatusSeeOther {
				t.Errorf("%s: status %d", field, a.Code)
			}
			return testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID, i.ID))
		}
		if now := use("brand", "Jabra"); now.Brand != "Jabra" || now.Model != "" {
			t.Errorf("after one was used, the item is %+v", now)
		}
		if now := use("description", "A headset with a boom."); now.Description != "Thing\nA headset with a boom." {
			t.Errorf("the description is %q", now.Description)
		}
		if now := use("text", "Room service"); now.Notes != "Room service" {
			t.Errorf("the notes are %q", now.Notes)
		}
		use("model", "Evolve 99") // from a page that is outdated
		stafftest.ExpectPage(t, v.Get(page), http.StatusOK, "This is no longer suggested.")
		if a := v.Get(page); strings.Contains(a.Body, "Room service</span>") || !strings.Contains(a.Body, "Evolve 20") {
			t.Error("the page still suggests what was used, or no longer what was not")
		}
	}, describer.Use)
}

func TestAPageHasOneSuggestionForEachField(t *testing.T) {
	describer := newDescriber()
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l, i := newSeenItem(t, h, describer)
		v, page := h.LogIn(), stafftest.ItemPath(l, i)
		const color, serial = "Colour: red?", "Serial number: SN-8841-C?"
		a := v.Get(page)
		stafftest.ExpectPage(t, a, http.StatusOK, "purple", serial)
		if strings.Contains(a.Body, color) {
			t.Error("the page suggests two colours")
		}
		a = v.Get(page + "?edit=what")
		stafftest.ExpectPage(t, a, http.StatusOK, "eyes-1 has seen the photo.")
		for _, chip := range []string{
			`data-fill="color" data-value="purple"`, `data-fill="category" data-value="electronics"`,
			`data-fill="brand" data-value="Jabra"`, `data-fill="serialNumber"`,
		} {
			if !strings.Contains(a.Body, chip) {
				t.Errorf("the open form does not have %s", chip)
			}
		}
		if strings.Contains(a.Body, `data-value="red"`) || strings.Contains(a.Body, page+"/suggestion") {
			t.Error("the open form has two colours, or buttons that discard what was typed")
		}
		form := stafftest.FormWith(t, a.Body, "serialNumber")
		form.Set("description", "")
		a = v.Post(page, form)
		if a.Code != http.StatusUnprocessableEntity || strings.Contains(a.Body, page+"/suggestion") ||
			!strings.Contains(a.Body, `data-value="purple"`) {
			t.Errorf("status %d, or a form with an error has buttons that discard what was typed", a.Code)
		}
		testkit.Must(h.Services.Items.Update(t.Context(), h.Actor, l.ID, i.ID, testkit.ItemDescribed("Umbrella")))
		a = v.Get(page)
		stafftest.ExpectPage(t, a, http.StatusOK, "Suggested category: Umbrella", "Jabra")
		if strings.Contains(a.Body, `name="field" value="category"`) {
			t.Error("the words and the photo suggest two categories")
		}
		v.Post(page+"/suggestion", url.Values{"do": {"dismiss"}})
		a = v.Get(page)
		stafftest.ExpectPage(t, a, http.StatusOK, "The suggestions were dismissed.", color)
		if strings.Contains(a.Body, "Jabra") {
			t.Error("the page shows suggestions that were dismissed")
		}
	}, describer.Use)
}

func TestTheAssistantSuggestsNothingToThoseWhoMayNotAccept(t *testing.T) {
	describer := newDescriber()
	h := testkit.NewServerWith(t, describer.Use)
	l, i := newSeenItem(t, h, describer)
	v, page := h.As(h.NewMember("Vera", lost.ViewerRole)), stafftest.ItemPath(l, i)
	if a := v.Get(page); a.Code != http.StatusOK || strings.Contains(a.Body, "Jabra") {
		t.Errorf("the page of somebody who may only read: status %d, or it has suggestions", a.Code)
	}
	for _, do := range []string{"use", "dismiss"} {
		form := url.Values{"do": {do}, "field": {"brand"}, "value": {"Jabra"}}
		if a := v.Post(page+"/suggestion", form); a.Code != http.StatusForbidden {
			t.Errorf("%s: status %d, want 403", do, a.Code)
		}
	}
	stafftest.ExpectPage(t, h.LogIn().Get(page), http.StatusOK, "Jabra")
}

func TestSuggestionsOfTheAssistantAreUsedInABrowser(t *testing.T) {
	describer := newDescriber()
	h, at := testkit.NewBrowserServer(t, describer.Use)
	for _, o := range []browsertest.Options{{Phone: true}, {Dark: true}, {Phone: true, NoScript: true}} {
		t.Run(o.String(), func(t *testing.T) {
			l, i := newSeenItem(t, h, describer)
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+stafftest.ItemPath(l, i))
			v.See("Suggested by the photo assistant", "purple", "Serial number: SN-8841-C?")
			v.SeeNot("Colour: red?")
			v.CheckLayoutShift()
			v.CheckAccessibility()
			stafftest.ExpectNoOverflow(t, v)
			v.Screenshot("suggested by the assistant")
			v.Follow("Brand Jabra Use")
			v.See("Saved", "Evolve 20")
			v.Follow("Dismiss all")
			v.See("The suggestions were dismissed.", "Colour: red?")
			v.SeeNot("Evolve 20")
			now := testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID, i.ID))
			if now.Brand != "Jabra" || now.Model != "" || now.Color != "" {
				t.Errorf("the item is %+v", now)
			}
		})
	}
}
