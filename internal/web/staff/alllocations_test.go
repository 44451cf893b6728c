package staff_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

func TestAllLocationsShowsOnlyThoseThatTheUserCanSee(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		hotel, spa, bar := h.NewLocation("Hotel"), h.NewLocation("Spa"), h.NewLocation("Bar")
		umbrella, towel, glass := h.NewItem(hotel, "Umbrella"), h.NewItem(spa, "Towel"), h.NewItem(bar, "Vase")
		for _, i := range []lost.Item{umbrella, towel, glass} {
			stafftest.AddTasks(h, i, lost.OverdueTask)
		}
		stafftest.FileRequest(h, hotel, "Lost hat")
		stafftest.FileRequest(h, spa, "Lost ring")
		stafftest.FileRequest(h, bar, "Lost coin")
		clerk := h.As(h.NewMember("Clara", lost.DeskRole, hotel.ID, spa.ID))
		for page, want := range map[string][2]string{
			"/at/all/items": {"Umbrella", "Towel"}, "/at/all/items?q=tow": {"Towel", "Spa"},
			"/at/all/items?term=towel":                    {"Towel", "Spa"},
			"/at/all/items?status=PENDING&status=SHIPPED": {"Umbrella", "Towel"},
			"/at/all/requests":                            {"Lost hat", "Lost ring"},
			"/at/all/storage":                             {"Umbrella", "Towel"},
		} {
			a := clerk.Get(page)
			stafftest.ExpectPage(t, a, http.StatusOK, want[0], want[1], "All locations")
			for _, hidden := range []string{"Vase", "coin", "Bar<"} {
				if strings.Contains(a.Body, hidden) {
					t.Errorf("%s shows %s of a location that the clerk cannot see", page, hidden)
				}
			}
		}
		a := clerk.Post("/at/all/items/bulk/place",
			url.Values{"item": {umbrella.ID, towel.ID, glass.ID}, "storagePlace": {"Safe"}})
		stafftest.ExpectPage(t, a, http.StatusOK, umbrella.Reference, towel.Reference)
		for i, want := range map[string]string{umbrella.ID: "Safe", towel.ID: "Safe", glass.ID: ""} {
			if got := testkit.Must(h.Services.Items.GetAnywhere(t.Context(), h.Actor, i)); got.StoragePlace != want {
				t.Errorf("%s is stored at %q, want %q", got.Description, got.StoragePlace, want)
			}
		}
		if a := clerk.Post("/at/all/storage", url.Values{
			"item": {umbrella.ID, towel.ID, glass.ID}, "do": {"hold"}, "reason": {"Police"},
		}); a.Code != http.StatusSeeOther {
			t.Errorf("putting items on hold: status %d", a.Code)
		}
		stafftest.ExpectPage(t, clerk.Get("/at/all/storage/held"), http.StatusOK, "Umbrella", "Towel", "Hotel", "Spa")
		if got := testkit.Must(h.Services.Items.GetAnywhere(t.Context(), h.Actor, glass.ID)); got.Hold != "" {
			t.Error("a clerk put an item of another location on hold")
		}
		file := clerk.Post("/at/all/items/bulk",
			url.Values{"item": {towel.ID, umbrella.ID, glass.ID}, "do": {"export"}})
		if file.Code != http.StatusOK || strings.Count(file.Body, "\n") != 3 || strings.Contains(file.Body, "Vase") {
			t.Errorf("export: status %d: %s", file.Code, file.Body)
		}
		if lines := strings.Split(file.Body, "\n"); !strings.HasSuffix(lines[0], ",Location") ||
			!strings.HasSuffix(lines[1], ",Spa") || !strings.HasSuffix(lines[2], ",Hotel") {
			t.Errorf("the file does not have the locations: %s", file.Body)
		}
		if got := file.Header.Get("Content-Disposition"); !strings.Contains(got, "items-all-locations-20") {
			t.Errorf("got Content-Disposition %s", got)
		}
		audited := map[string]string{}
		for _, e := range testkit.Must(h.Services.AuditLog.List(t.Context(), h.Actor, lost.AuditFilter{
			Action: lost.Exported, PageCursor: lost.PageCursor{Limit: 10},
		})).Data {
			audited[e.Subject] = e.Note
		}
		if audited[hotel.ID] != "1 items" || audited[spa.ID] != "1 items" || len(audited) != 2 {
			t.Errorf("the audit log has the exports %v, want one of each location", audited)
		}
		single := h.As(h.NewMember("Sam", lost.DeskRole, spa.ID))
		if body := single.Get("/at/" + spa.ID + "/items").Body; strings.Contains(body, "All locations") {
			t.Error("a user with one location is offered all locations")
		}
		viewer := h.As(h.NewMember("Vera", lost.ViewerRole, hotel.ID, spa.ID))
		for _, path := range []string{"/at/all/storage", "/at/all/items/bulk/place"} {
			form := url.Values{"item": {towel.ID}, "do": {"hold"}, "reason": {"x"}}
			if a := viewer.Post(path, form); a.Code != http.StatusForbidden {
				t.Errorf("a viewer may post to %s: status %d", path, a.Code)
			}
		}
	})
}

func TestLookingAtAnItemDoesNotChangeWhereItemsAreRecorded(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		hotel, spa := h.NewLocation("Hotel"), h.NewLocation("Spa")
		towel := h.NewItem(spa, "Towel")
		v := h.LogIn()
		v.Post("/at", url.Values{"location": {hotel.ID}})
		recordLink := `href="/at/` + hotel.ID + `/find"`
		for _, page := range []string{
			stafftest.ItemPath(spa, towel), "/at/" + spa.ID + "/scan", "/at/" + spa.ID + "/items", "/at/all/items",
			stafftest.ItemPath(spa, towel), "/",
		} {
			expectLink(t, v.Get(page), recordLink)
		}
		a := v.Get(stafftest.ItemPath(spa, towel))
		stafftest.ExpectPage(t, a, http.StatusOK, "Location: Spa")
		expectLink(t, a, `class="tap" href="/at/all/items#`+towel.ID)
		form := stafftest.FormValues(t, v.Get("/at/"+hotel.ID+"/find").Body)
		form.Set("description", "Bathrobe")
		form.Set("location", spa.ID)
		saved := v.Post("/at/"+hotel.ID+"/find", form)
		if to := saved.Header.Get("Location"); !strings.HasPrefix(to, "/at/"+spa.ID+"/find/") {
			t.Errorf("recording: status %d, redirect to %q", saved.Code, to)
		}
		if got := stafftest.NewestItem(h, spa); got.Description != "Bathrobe" {
			t.Errorf("the newest item of the spa is %q", got.Description)
		}
		expectLink(t, v.Get("/"), `href="/at/`+spa.ID+`/find"`)
		if other := h.As(h.NewMember("Otto", lost.DeskRole, hotel.ID)); strings.Contains(other.Get("/").Body, spa.ID) {
			t.Error("another user is offered the location")
		}
	})
}

func TestLookingBeforeTheFirstChoiceDoesNotChangeWhereItemsAreRecorded(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		hotel, spa := h.NewLocation("Hotel"), h.NewLocation("Spa")
		towel := h.NewItem(spa, "Towel")
		v := h.LogIn()
		for _, page := range []string{
			"/", "/search?q=towel", stafftest.ItemPath(spa, towel), "/at/" + spa.ID + "/items",
			"/?location=" + spa.ID, stafftest.ItemPath(spa, towel), "/at/all/items", "/settings/profile",
		} {
			expectLink(t, v.Get(page), `href="/at/`+hotel.ID+`/find"`)
		}
	})
}

func TestEveryAreaShowsTheLocationOfTheMenu(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		hotel, spa := h.NewLocation("Hotel"), h.NewLocation("Spa")
		for _, i := range []lost.Item{h.NewItem(hotel, "Ukulele"), h.NewItem(spa, "Kazoo")} {
			stafftest.AddTasks(h, i, lost.OverdueTask)
		}
		shows := func(v *testkit.Visitor, page string, ukulele, kazoo bool) {
			t.Helper()
			a := v.Get(page)
			if a.Code != http.StatusOK || strings.Contains(a.Body, "Ukulele") != ukulele ||
				strings.Contains(a.Body, "Kazoo") != kazoo {
				t.Errorf("%s: status %d; want ukulele %t, kazoo %t", page, a.Code, ukulele, kazoo)
			}
		}
		v := h.LogIn()
		shows(v, "/", true, true) // a fresh session shows all locations
		expectLink(t, v.Get("/"), `href="/at/all/items"`)
		shows(v, "/at/"+spa.ID+"/items", false, true)
		expectLink(t, v.Get("/settings/profile"), `href="/?location=`+spa.ID+`"`)
		shows(v, "/", false, true)
		shows(v, "/tasks/store-until", false, true)
		shows(v, "/?location="+hotel.ID, true, false)
		expectLink(t, v.Get("/settings/profile"), `href="/at/`+hotel.ID+`/requests"`)
		shows(v, "/?location=all", true, true)
		expectLink(t, v.Get("/settings/profile"), `href="/at/all/requests"`)
		shows(v, "/", true, true)
	})
}

func TestSwitchingTheLocationStaysInTheArea(t *testing.T) {
	h := testkit.NewServer(t)
	t.Cleanup(h.Services.Close)
	hotel, spa := h.NewLocation("Hotel"), h.NewLocation("Spa")
	v := h.LogIn()
	for page, want := range map[string][2]string{ // the pages after switching to the spa and to all locations
		"/":                             {"/?location=" + spa.ID, "/?location=all"},
		"/tasks/ship":                   {"/?location=" + spa.ID, "/?location=all"},
		"/at/" + hotel.ID + "/items":    {"/at/" + spa.ID + "/items", "/at/all/items"},
		"/at/" + hotel.ID + "/requests": {"/at/" + spa.ID + "/requests", "/at/all/requests"},
		"/at/" + hotel.ID + "/storage":  {"/at/" + spa.ID + "/storage", "/at/all/storage"},
		"/at/" + hotel.ID + "/reports":  {"/at/" + spa.ID + "/reports", "/at/all/reports"},
		"/at/" + hotel.ID + "/pickups":  {"/at/" + spa.ID + "/pickups", "/at/" + spa.ID + "/pickups"},
		"/at/" + hotel.ID + "/find":     {"/at/" + spa.ID + "/items", "/at/all/items"},
		"/settings/profile":             {"/settings", "/settings"},
		"/search?q=towel":               {"/at/" + spa.ID + "/items", "/at/all/items"},
	} {
		areas := areaField.FindAllStringSubmatch(v.Get(page).Body, -1)
		if len(areas) > 1 {
			t.Fatalf("%s names %d areas", page, len(areas))
		}
		form := url.Values{}
		if len(areas) == 1 {
			form.Set("area", areas[0][1])
		}
		for n, location := range []string{spa.ID, "all"} {
			form.Set("location", location)
			if to := v.Post("/at", form).Header.Get("Location"); to != want[n] {
				t.Errorf("%s: switching to %s leads to %q, want %q", page, location, to, want[n])
			}
		}
	}
	for _, area := range []string{"", "https://example.org", "//example.org", "/settings"} {
		a := v.Post("/at", url.Values{"location": {spa.ID}, "area": {area}})
		if to := a.Header.Get("Location"); to != "/at/"+spa.ID+"/items" {
			t.Errorf("area %q leads to %q", area, to)
		}
	}
	logger := h.As(h.NewMember("Lou", lost.LoggerRole, hotel.ID, spa.ID))
	if to := logger.Post("/at", url.Values{"location": {spa.ID}, "area": {"items"}}).Header.Get("Location"); to != "/" {
		t.Errorf("switching without the permission to see items leads to %q", to)
	}
}

var areaField = regexp.MustCompile(`name="area" value="([^"]*)"`)

// expectLink checks that a page contains a part of a link.
func expectLink(t *testing.T, a testkit.Response, link string) {
	t.Helper()
	if a.Code != http.StatusOK || !strings.Contains(a.Body, link) {
		t.Errorf("status %d; the page does not contain %s", a.Code, link)
	}
}

func TestAllLocationsInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	hotel, spa := h.NewLocation("Hotel Adler"), h.NewLocation("Spa am See")
	h.NewItem(hotel, "Black umbrella", stafftest.FoundAt("Lobby", ""))
	h.NewItem(spa, "White bathrobe", stafftest.FoundAt("Sauna", ""))
	stafftest.FileRequest(h, spa, "Silver ring")
	for _, o := range []browsertest.Options{{Phone: true}, {Dark: true}, {NoScript: true}} {
		t.Run(o.String(), func(t *testing.T) {
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+"/at/"+hotel.ID+"/items")
			v.SeeNot("White bathrobe")
			v.Click("Hotel Adler")
			v.Follow("All locations")
			v.See("Black umbrella", "White bathrobe", "Spa am See")
			stafftest.ExpectNoOverflow(t, v)
			v.CheckAccessibility()
			v.Screenshot("all-items")
			v.Follow("White bathrobe")
			v.See("Location: Spa am See")
			v.CheckAccessibility()
			v.Screenshot("all-item")
			v.Follow("Requests")
			v.See("Silver ring", "Spa am See")
			v.Screenshot("all-requests")
			v.Follow("Record an item")
			v.Screenshot("record")
			v.Choose("Location", "Spa am See")
			v.Fill("What is it?", "Sandals")
			v.Follow("Save")
			v.See("Sandals")
			if !strings.Contains(v.Location(), spa.ID) {
				t.Errorf("the item was recorded at %s", v.Location())
			}
		})
	}
}
