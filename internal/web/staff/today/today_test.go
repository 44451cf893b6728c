package today_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

// addPast adds a year of found items and their outcomes to a location.
func addPast(h *testkit.Server, l lost.Location, many int) {
	h.T.Helper()
	r := rand.New(rand.NewPCG(1, uint64(many)))
	testkit.Must(0, h.DB.Write(h.T.Context(), func(tx *store.Tx) error {
		for range many {
			at := tx.Now().Add(-time.Duration(r.IntN(350*24)) * time.Hour)
			i, err := lost.NewItem(l.Account, l.ID, lost.ItemPatch{Description: lost.Set("Scarf")}, at)
			if err != nil {
				return err
			}
			i.Status = lost.Statuses()[r.IntN(8)]
			if r.IntN(2) == 0 {
				i.Status = lost.PickUp
			}
			i.MovedAt = at.Add(time.Duration(r.IntN(30*24)) * time.Hour)
			if i.Status == lost.PickUp {
				i.ClosedAt = i.MovedAt
			}
			if err := tx.InsertItem(i); err != nil {
				return err
			}
		}
		return nil
	}))
}

// newBusyDay creates an account with tasks and items of the past.
func newBusyDay(h *testkit.Server) (hotel, zoo lost.Location) {
	hotel, zoo = h.NewLocation("Hotel Adler"), h.NewLocation("Zoo")
	anna := func(p *lost.ItemPatch) {
		p.Owner = lost.Set(lost.OwnerPatch{
			FirstName: lost.Set("Anna"), LastName: lost.Set("Müller"), Email: lost.Set("anna@example.com"),
		})
	}
	collected := h.NewItem(hotel, "Black umbrella with a wooden handle", anna)
	collected = testkit.Must(h.Services.Items.SetStatus(h.T.Context(), h.Actor, hotel.ID, collected.ID,
		lost.MovePatch{Status: lost.Set("PICKUP"), PickupDate: lost.Set("2026-11-15"), PickupTime: lost.Set("17:30")}))
	stafftest.AddTasks(h, collected, lost.PickupTask)
	stafftest.AddTasks(h, testkit.Must(h.Services.Requests.File(h.T.Context(), h.Actor, zoo.ID, lost.RequestPatch{
		Description: lost.Set("My daughter's teddy bear, brown, with a red scarf"),
		LostPlace:   lost.Set("At the penguins"), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("tom@example.com")}),
	}, lost.IdempotencyKey{})), lost.AnswerTask)
	paid := h.NewItem(hotel, "Silver laptop in a grey sleeve", anna)
	stafftest.AddTasks(h,
		testkit.Must(h.Services.Items.SetStatus(h.T.Context(), h.Actor, hotel.ID, paid.ID,
			lost.MovePatch{Status: lost.Set("FEE PAID")})), lost.ShipTask)
	for n := range 7 {
		stafftest.AddTasks(h, h.NewItem(zoo, fmt.Sprintf("Child's jacket, size %d", 98+6*n), func(p *lost.ItemPatch) {
			p.DiscoveryDate = lost.Set("2026-09-20")
		}), lost.OverdueTask)
	}
	addPast(h, hotel, 240)
	addPast(h, zoo, 90)
	return hotel, zoo
}

func TestTodayShowsTasks(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		t.Cleanup(h.Services.Close)
		hotel, zoo := newBusyDay(h)
		v := h.LogIn()
		all := v.Get("/")
		for _, want := range []string{
			"Pick-ups today", "Today at 17:30, Anna Müller", "/hand-over", "Requests to answer", "teddy bear",
			"/at/" + zoo.ID + "/requests/", "/status?to=SHIPPED",
			"Past storage time", `href="/at/all/storage"`, "See all 7", `href="/at/all/reports">Reports`,
			`<a href="#store-until"><strong>7</strong> Past storage time</a>`,
		} {
			if !strings.Contains(all.Body, want) {
				t.Errorf("the page does not contain %q", want)
			}
		}
		if len(all.Body) > 100_000 {
			t.Errorf("got a page of %d bytes, want at most 100,000", len(all.Body))
		}
		one := v.Get("/?location=" + hotel.ID)
		if strings.Contains(one.Body, "teddy bear") || !strings.Contains(one.Body, "umbrella") {
			t.Error("the page of one location shows tasks of another")
		}
		stafftest.ExpectPage(t, v.Get("/?location=all"), http.StatusOK, "teddy bear")
		if a := v.Get("/?location=" + zoo.ID); !strings.Contains(a.Body, `href="/at/`+zoo.ID+`/storage">See all`) {
			t.Error("the page does not link to the storage of the location")
		}
		if a := v.Get("/tasks/store-until"); a.Code != http.StatusOK ||
			strings.Count(a.Body, "Child&#39;s jacket") != 7 {
			t.Errorf("got status %d for the list of one kind, want 200 with 7 tasks", a.Code)
		}
		for _, none := range []string{"/?location=loc_none", "/tasks/dance", "/tasks/ship?location=" + hotel.ID + "x"} {
			if a := v.Get(none); a.Code != http.StatusNotFound {
				t.Errorf("%s: got status %d, want 404", none, a.Code)
			}
		}
	})
}

func TestTodayDependsOnTheRole(t *testing.T) {
	h := testkit.NewServer(t)
	t.Cleanup(h.Services.Close)
	hotel, _ := newBusyDay(h)
	as := func(role lost.Role) testkit.Response {
		testkit.Must(0, h.DB.Write(t.Context(), func(tx *store.Tx) error {
			u := testkit.Must(tx.LockUser(h.Owner.Account, h.Owner.ID))
			u.Role = role
			return tx.SaveUser(u)
		}))
		return h.LogIn().Get("/?location=" + hotel.ID)
	}
	for _, role := range []lost.Role{lost.OwnerRole, lost.AdminRole, lost.DeskRole} {
		if a := as(role); a.Code != http.StatusOK || !strings.Contains(a.Body, "Hand over") {
			t.Errorf("%s: got status %d", role, a.Code)
		}
	}
	if a := as(lost.ViewerRole); a.Code != http.StatusOK || strings.Contains(a.Body, "Hand over") ||
		!strings.Contains(a.Body, "umbrella") {
		t.Errorf("viewer: got status %d", a.Code)
	}
	if a := as(lost.LoggerRole); a.Code != http.StatusSeeOther || a.Header.Get("Location") != "/at/"+hotel.ID+"/find" {
		t.Errorf("logger: got status %d and redirect %q", a.Code, a.Header.Get("Location"))
	}
}

func TestTodayIsAccessible(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	t.Cleanup(h.Services.Close)
	v := browsertest.New(t, browsertest.Options{Phone: true})
	stafftest.OpenAsOwner(v, h, at+"/")
	v.See("There is no location yet", "Add a location")
	h.NewLocation("Hafen")
	v.Reload()
	v.See("No open tasks", "Record an item")
	v.Screenshot("today-empty")
	v.CheckAccessibility()
	newBusyDay(h)
	for _, o := range []browsertest.Options{{Phone: true, NoScript: true}, {Dark: true}} {
		t.Run(o.String(), func(t *testing.T) {
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+"/")
			v.See("Pick-ups today", "Hand over", "Reports")
			v.Screenshot("today")
			v.CheckAccessibility()
			v.CheckWeight()
			v.CheckLayoutShift()
			stafftest.ExpectNoOverflow(t, v)
			v.CheckAccessibility()
			if o.Phone {
				v.Follow("Zoo")
				v.SeeNot("umbrella")
				v.Follow("All locations")
				v.Follow("See all 7")
				v.See("Past storage time", "size 134")
				v.Screenshot("tasks")
			}
		})
	}
}
