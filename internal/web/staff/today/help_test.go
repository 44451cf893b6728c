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
				t.Errorf("%s: that there is %q is not %v", role, part, wanted)
			}
		}
		main := page[strings.Index(page, "<main"):] // without the menu
		ways := regexp.MustCompile(`href="(/[^"#]*)"`).FindAllStringSubmatch(main, -1)
		for _, way := range ways {
			if a := v.Get(way[1]); way[1] != "/docs" && a.Code != http.StatusOK && a.Code != http.StatusSeeOther {
				t.Errorf("%s: the help leads to %s, which answers %d", role, way[1], a.Code)
			}
		}
		if !strings.Contains(main, `"/at/`+hotel.ID+"/") {
			t.Errorf("%s: the help has no links to the pages of the hotel", role)
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
			v.See("Getting started", "Every day", "Waiting for the owner", "Problems")
			v.CheckAccessibility()
			v.CheckWeight()
			v.Screenshot("help")
		})
	}
}
