package items_test

import (
	"bytes"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

// newItems creates a hotel with typical found items, and returns both.
func newItems(t *testing.T, h *testkit.Server) (lost.Location, []lost.Item) {
	t.Helper()
	l := h.NewLocation("Hotel Adler")
	today := l.Day(h.Clock.Now())
	items := []lost.Item{
		h.NewItem(l, "House keys on a red ribbon", stafftest.FoundAt("Lobby", today)),
		h.NewItem(l, "Paperback novel, Italian", stafftest.FoundAt("Pool", today)),
		h.NewItem(l, "Blue scarf, wool", stafftest.FoundAt("Room 12", today),
			stafftest.WithOwner("ida@example.com", "Ida", "Berg")),
		h.NewItem(l, "Silver ring with a small stone", stafftest.FoundAt("Spa", today)),
		h.NewItem(l, "Reading glasses in a brown case", stafftest.FoundAt("Restaurant", today),
			stafftest.WithOwner("max@example.com", "Max", "Brandt")),
		h.NewItem(l, "Children’s teddy bear", stafftest.FoundAt("Breakfast room", today)),
		h.NewItem(l, "Black umbrella with a wooden handle", stafftest.FoundAt("Room 214", today),
			stafftest.WithOwner("anna@example.com", "Anna", "Lindqvist")),
		h.NewItem(l, "iPhone 15, cracked glass", stafftest.FoundAt("Bar, second table from the door", today)),
	}
	put := func(i lost.Item, c color.Color) {
		testkit.Must(h.Services.Items.UploadImage(t.Context(), h.Actor, l.ID, i.ID,
			bytes.NewReader(stafftest.Picture(t, c)),
			lost.IdempotencyKey{}))
	}
	put(items[2], color.RGBA{60, 90, 160, 255})
	put(items[6], color.RGBA{40, 40, 44, 255})
	put(items[6], color.RGBA{120, 90, 50, 255})
	move := func(i lost.Item, p lost.MovePatch) {
		testkit.Must(h.Services.Items.SetStatus(t.Context(), h.Actor, l.ID, i.ID, p))
	}
	h.Clock.Advance(time.Minute)
	move(items[4],
		lost.MovePatch{
			Status: lost.Set("PICKUP"), PickupDate: lost.Set(l.Day(h.Clock.Now().Add(48 * time.Hour))),
			PickupTime: lost.Set("11:00"),
		})
	move(items[2], lost.MovePatch{Status: lost.Set("SHIPPED"), TrackingNumber: lost.Set("JJD0123")})
	move(items[1], lost.MovePatch{Status: lost.Set("DONATE")})
	return l, items
}

func TestFindingAndShippingAnItemInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l, items := newItems(t, h)
	for _, o := range []browsertest.Options{{Phone: true}, {Dark: true}} {
		t.Run(o.String(), func(t *testing.T) {
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/items")
			v.See("8 items", "Black umbrella")
			stafftest.ExpectNoOverflow(t, v)
			v.Screenshot("list")
			v.Fill("Search items", "umbr")
			v.See("1 item")
			v.SeeNot("teddy")
			if !strings.HasSuffix(v.Location(), "/items?q=umbr") {
				t.Errorf("got address %s, want the search term in it", v.Location())
			}
			v.Follow("Black umbrella with a wooden handle")
			v.See(items[6].Reference, "Owner told", "Owner’s page and link", "anna@example.com", "Room 21")
			stafftest.ExpectNoOverflow(t, v)
			v.Screenshot("item")
			v.Follow("Edit Where and when")
			v.Screenshot("edit")
			v.Fill("Where it was found", "Room 215 "+o.String())
			v.Follow("Save")
			v.See("Saved.", "Room 215 "+o.String(), "Changed where it was found")
			v.Choose("New status", "Owner collects")
			v.Follow("Continue")
			v.See("Owner collects?", "The owner will not be notified.")
			v.Screenshot("status")
			v.Follow("Change the status")
			v.See("Owner collects", "Waiting for the owner → Owner collects", "Hand over")
			v.Follow("‹ Items")
			if !strings.Contains(v.Location(), "/items?q=umbr#item_") {
				t.Errorf("got address %s after going back", v.Location())
			}
			testkit.Must(h.Services.Items.SetStatus(t.Context(), h.Actor, l.ID, items[6].ID,
				lost.MovePatch{Status: lost.Set("PENDING")}))
		})
	}
}

func TestAListIsNavigatedWithTheKeyboard(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l, items := newItems(t, h)
	v := browsertest.New(t, browsertest.Options{})
	stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/items")
	stafftest.AwaitScripts(v)
	v.Press("j", "j", "x")
	v.See("1 selected")
	v.Press("j", "x")
	v.See("2 selected")
	v.Screenshot("selected")
	v.Press("x", "k")
	v.Press("k")
	if f := v.Focused(); !strings.Contains(f, items[7].ID) {
		t.Errorf("got focus on %s after two steps down and one up", f)
	}
	v.Press("?")
	v.See("Show keyboard shortcuts")
	v.CheckAccessibility()
	v.Screenshot("keys")
	v.Press("Escape")
	v.Fill("Search items", "keys")
	v.See("1 item")
	v.SetOptions(browsertest.Options{Phone: true}) // a phone may have a keyboard attached
	v.Press("ArrowDown", "Enter")
	v.See("House keys on a red ribbon", "Add the owner")
	v.Back()
	v.See("1 item")
	v.Back()
	v.See("8 items")
}

func TestAQueueIsWorkedOffInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l, items := newItems(t, h)
	for _, o := range []browsertest.Options{{Phone: true}, {Dark: true}} {
		t.Run(o.String(), func(t *testing.T) {
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/items")
			v.Follow("No owner yet")
			v.See("4 items", "House keys", "No owner yet")
			v.CheckAccessibility()
			stafftest.ExpectNoOverflow(t, v)
			v.Screenshot("chips")
			v.Follow("iPhone 15, cracked glass")
			v.See("1 of 4", "Next ›", "Add the owner")
			stafftest.ExpectNoOverflow(t, v)
			v.CheckAccessibility()
			v.Screenshot("queue")
			press := func(key, want, what string) {
				v.Press(key)
				v.See(want, what)
				stafftest.AwaitScripts(v)
			}
			press("j", "2 of 4", "Children’s teddy bear")
			press("j", "3 of 4", items[3].Reference)
			press("k", "2 of 4", items[5].Reference)
			v.Follow("‹ Items")
			v.Follow("Remove the filter No owner yet")
			v.See("8 items")
			v.Fill("Search items", "brolly")
			v.See("1 item", "Similar", "Black umbrella")
			v.CheckAccessibility()
			v.Screenshot("similar")
		})
	}
}

func TestAnItemIsFoundChangedAndDeletedWithoutScripts(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	h.SendsMail = true
	l, items := newItems(t, h)
	v := browsertest.New(t, browsertest.Options{Phone: true, NoScript: true})
	stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/items")
	v.Fill("Search items", "teddy")
	v.Follow("Search")
	v.See("1 item")
	v.Follow("Children’s teddy bear")
	v.Follow("Add the owner")
	v.Fill("E-mail address", "kim@nowhere")
	v.Follow("Save")
	v.See("Please check the form", "Must be an e-mail address such as anna@example.com.")
	v.Screenshot("wrong")
	v.Fill("E-mail address", "kim@example.com")
	v.Follow("Save")
	v.See("Saved.", "kim@example.com", "Sending: Item found", "Send again")
	file := filepath.Join(t.TempDir(), "bear.png")
	testkit.Must(0, os.WriteFile(file, stafftest.Picture(t, color.RGBA{150, 110, 70, 255}), 0o600))
	v.Click("Add photos")
	v.Upload("Choose photos", file)
	v.Follow("Add")
	v.See("1 photo was added.")
	v.Follow("Delete item")
	v.Fill(fmt.Sprintf("Type %s to confirm", items[5].Reference), "no")
	v.Follow("Delete permanently")
	v.See("nothing was deleted")
	v.Fill(fmt.Sprintf("Type %s to confirm", items[5].Reference), strings.ToLower(items[5].Reference))
	v.Follow("Delete permanently")
	v.See(items[5].Reference+" was deleted.", "No items found")
	v.Screenshot("deleted")
}
