package locations_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

func TestTheAssistantIsSwitchedOnForTheHostThatThePageNames(t *testing.T) {
	describer := &stafftest.FakeDescriber{}
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		describer.At = "eyes.example"
		l, v := h.NewLocation("Hotel Adler"), h.LogIn()
		page := "/locations/" + l.ID + "/assistant"
		on := func(host string) {
			t.Helper()
			if a := v.Post(page+"/on", url.Values{"host": {host}}); a.Code != http.StatusSeeOther {
				t.Errorf("status %d", a.Code)
			}
		}
		isOn := func() bool {
			return testkit.Must(h.Services.Assistant.Settings(t.Context(), h.Actor, l.ID)).On
		}
		stafftest.ExpectPage(t, v.Get(page), http.StatusOK, "Where photos go", "Never sent: photos of passports",
			"eyes-1", "Switch on and send photos to eyes.example")
		if isOn() {
			t.Fatal("it is on before anybody agreed")
		}
		on("eyes.example")
		stafftest.ExpectPage(t, v.Get(page), http.StatusOK, "The photo assistant is on.", "On since", "Switch off")

		describer.At = "other.example" // the operator has changed the host
		a := v.Get(page)
		stafftest.ExpectPage(t, a, http.StatusOK, "It was on for", "Switch on and send photos to other.example")
		if isOn() || strings.Contains(a.Body, "On since") {
			t.Error("it is on for a host that nobody agreed to")
		}
		on("eyes.example") // from a page that is outdated
		stafftest.ExpectPage(t, v.Get(page), http.StatusOK, "The host has changed in the meantime.")
		if isOn() {
			t.Error("it was switched on for another host than the page had named")
		}
		on("other.example")
		if !isOn() {
			t.Error("it is off after somebody agreed to the new host")
		}
		v.Post(page+"/off", url.Values{})
		stafftest.ExpectPage(t, v.Get(page), http.StatusOK, "The photo assistant is off. Its suggestions were deleted.")
		if isOn() {
			t.Error("it is on after it was switched off")
		}
	}, describer.Use)
}

func TestTheAssistantIsSwitchedOnByThoseWhoManageLocations(t *testing.T) {
	describer := &stafftest.FakeDescriber{At: "eyes.example"}
	h := testkit.NewServerWith(t, describer.Use)
	l := h.NewLocation("Hotel Adler")
	v, page := h.As(h.NewMember("Dora", lost.DeskRole)), "/locations/"+l.ID+"/assistant"
	for _, do := range []string{"/on", "/off"} {
		if a := v.Post(page+do, url.Values{"host": {"eyes.example"}}); a.Code != http.StatusForbidden {
			t.Errorf("%s: status %d, want 403", do, a.Code)
		}
	}
	if testkit.Must(h.Services.Assistant.Settings(t.Context(), h.Actor, l.ID)).On {
		t.Error("it is on")
	}
}

func TestWithoutAModelTheAssistantCannotBeSwitchedOn(t *testing.T) {
	h := testkit.NewServer(t)
	l, v := h.NewLocation("Hotel Adler"), h.LogIn()
	page := "/locations/" + l.ID + "/assistant"
	a := v.Get(page)
	stafftest.ExpectPage(t, a, http.StatusOK, "The operator of this service has not set up a photo assistant.")
	if strings.Contains(a.Body, page+"/on") {
		t.Error("the page offers to switch it on")
	}
	v.Post(page+"/on", url.Values{"host": {""}})
	if testkit.Must(h.Services.Assistant.Settings(t.Context(), h.Actor, l.ID)).On {
		t.Error("it is on without a model")
	}
}

func TestTheAssistantIsSwitchedOnInABrowser(t *testing.T) {
	describer := &stafftest.FakeDescriber{}
	h, at := testkit.NewBrowserServer(t, describer.Use)
	for _, o := range []browsertest.Options{{Phone: true, Dark: true}, {Phone: true, NoScript: true}} {
		t.Run(o.String(), func(t *testing.T) {
			describer.At = "eyes.example"
			l, v := h.NewLocation("Hotel Adler"), browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+"/locations/"+l.ID+"/assistant")
			v.See("Where photos go", "eyes.example")
			v.CheckAccessibility()
			stafftest.ExpectNoOverflow(t, v)
			v.Screenshot("off")
			v.Follow("Switch on and send photos to eyes.example")
			v.See("The photo assistant is on.")
			describer.At = "other.example"
			v.Visit(at + "/locations/" + l.ID + "/assistant")
			v.See("It was on for eyes.example.")
			v.CheckAccessibility()
			v.Screenshot("another host")
		})
	}
}
