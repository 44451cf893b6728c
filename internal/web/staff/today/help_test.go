package today_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

func TestHelpDependsOnTheRole(t *testing.T) {
	h := testkit.NewServer(t)
	hotel := h.NewLocation("Hotel Adler")
	const first, record, daily, look, programs = "Getting started", "When an item is found", "Every day",
		"Look things up", "API"
	for role, want := range map[lost.Role][]string{
		lost.AdminRole: {first, record, daily, programs}, lost.DeskRole: {record, daily}, lost.LoggerRole: {record},
		lost.ViewerRole: {look},
	} {
		var places []string
		if role.Limited() {
			places = []string{hotel.ID}
		}
		v := h.As(h.NewMember(string(role), role, places...))
		page := v.Get("/help").Body
		for _, part := range []string{first, record, daily, look, programs} {
			if wanted := slices.Contains(want, part); strings.Contains(page, ">"+part+"<") != wanted {
				t.Errorf("%s: section %q: got shown %v, want %v", role, part, !wanted, wanted)
			}
		}
		main := page[strings.Index(page, "<main"):] // the links in the menu do not count
		links := regexp.MustCompile(`href="(/[^"#]*)"`).FindAllStringSubmatch(main, -1)
		for _, link := range links {
			if a := v.Get(link[1]); link[1] != "/docs" && a.Code != http.StatusOK && a.Code != http.StatusSeeOther {
				t.Errorf("%s: link to %s: got status %d", role, link[1], a.Code)
			}
		}
		for _, link := range []string{"/at/" + hotel.ID + "/pickups", "/settings/notices"} {
			if wanted := slices.Contains(want, daily); strings.Contains(main, `href="`+link+`"`) != wanted {
				t.Errorf("%s: link to %s: got shown %v, want %v", role, link, !wanted, wanted)
			}
		}
		if !strings.Contains(main, `"/at/`+hotel.ID+"/") {
			t.Errorf("%s: the help page has no links to the pages of the hotel", role)
		}
	}
}

func TestHelpIsInTheMenu(t *testing.T) {
	for _, o := range []browsertest.Options{{Phone: true}, {Dark: true}} {
		t.Run(o.String(), func(t *testing.T) {
			h, at := testkit.NewBrowserServer(t)
			h.NewLocation("Hotel Adler")
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at)
			v.Click("Menu of " + h.Owner.Name)
			v.Follow("Help")
			v.See("Getting started", "Every day", "marks paid parcels as shipped", "Waiting for the owner", "Ctrl k",
				"Search everything", "Next item, previous item", "Problems")
			v.CheckAccessibility()
			v.CheckWeight()
			v.Screenshot("help")
		})
	}
}
