package finds_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

func TestAFindIsRecordedWithItsPhotosWithoutScripts(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		v, at := h.LogIn(), "/at/"+l.ID+"/find"
		fields := url.Values{
			"description": {"Black umbrella"}, "discoveryPlace": {"Room 12"}, "discoveryDate": {"2026-11-14"},
			"brand": {"Brolly"}, "once": {"form-1"},
			"owner.email": {"anna@example.com"}, "shipping.weight": {"0,5"}, "shipping.weightUnit": {"kg"},
			"then": {"show"},
		}
		first := stafftest.SendFind(v, at, fields, stafftest.JPEG(60, 40), []byte("not a picture"),
			stafftest.JPEG(40, 60))
		i := stafftest.NewestItem(h, l)
		if to := first.Header.Get("Location"); first.Code != http.StatusSeeOther || to != at+"/"+i.ID {
			t.Fatalf("got status %d and redirect %q", first.Code, to)
		}
		if len(i.Images) != 2 || i.Images[0].Width != 60 || i.Owner.Email != "anna@example.com" ||
			*i.Shipping.Weight != 0.5 || i.DiscoveryPlace != "Room 12" {
			t.Errorf("got item %+v", i)
		}
		page := v.Get(at + "/" + i.ID)
		if !strings.Contains(page.Body, i.Reference) || !strings.Contains(page.Body, "Photo 2: it is not a picture") {
			t.Error("the page does not show the reference, or not the error about the second photo")
		}
		if next := v.Get(at); !strings.Contains(next.Body, `value="Room 12"`) ||
			!strings.Contains(next.Body, `<option value="Brolly">`) {
			t.Error("the next form does not suggest the previous values")
		}
	})
}

func TestTooManyPhotosAreRejectedWithTheLimit(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		v, at := h.LogIn(), "/at/"+l.ID+"/find"
		photos := slices.Repeat([][]byte{stafftest.JPEG(20, 20)}, 7)
		stafftest.SendFind(v, at, url.Values{"description": {"Hat"}, "once": {"form-1"}, "then": {"show"}}, photos...)
		i := stafftest.NewestItem(h, l)
		if page := v.Get(at + "/" + i.ID); len(i.Images) != 6 || !strings.Contains(page.Body,
			"You can add up to 6 photos at a time. The others were not added.") {
			t.Errorf("got %d photos, want 6 and the limit on the page", len(i.Images))
		}
		large := slices.Repeat([][]byte{append(stafftest.JPEG(20, 20), make([]byte, 10<<20)...)}, 7)
		if a := stafftest.SendFind(v, at, url.Values{"description": {"Cap"}}, large...); a.Code !=
			http.StatusRequestEntityTooLarge ||
			!strings.Contains(a.Body, "Send at most 6 photos of up to 10 MB each.") {
			t.Errorf("got status %d for a form that is too large, want 413 and the limit", a.Code)
		}
	})
}

func TestPhotosOfAFindAreSortedAndRemovedInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := h.NewLocation("Hotel Adler")
	var files []string
	for n := range 7 {
		files = append(files, filepath.Join(t.TempDir(), "photo.jpg"))
		testkit.Must(0, os.WriteFile(files[n], stafftest.JPEG(40+10*n, 40), 0o600))
	}
	for _, o := range []browsertest.Options{{Phone: true}, {Dark: true}} {
		t.Run(o.String(), func(t *testing.T) {
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/find")
			v.CheckLayoutShift()
			if o.Phone {
				v.Upload("Take a photo", files[0])
			} else {
				v.Upload("Choose photos", files[0])
			}
			v.Upload("Choose photos", slices.Clone(files[1:])...)
			v.See("You can add up to 6 photos at a time. The others were not added.")
			v.Click("Remove photo 6")
			v.Click("Remove photo 5")
			v.Click("Remove photo 4")
			v.Click("Move photo 3 forward")
			v.See("Now photo 2 of 3.")
			v.Click("Move photo 2 forward")
			v.See("Now photo 1 of 3.")
			if f := v.Focused(); !strings.Contains(f, "Move photo 1 back") {
				t.Errorf("got focus on %s, want the other button of the moved photo", f)
			}
			v.CheckAccessibility()
			stafftest.ExpectNoOverflow(t, v)
			v.Screenshot("photos")
			v.Fill("What is it?", "Hat")
			v.Follow("Save")
			v.See("Write this on the tag")
			var widths []int
			for _, img := range stafftest.NewestItem(h, l).Images {
				widths = append(widths, img.Width)
			}
			if !slices.Equal(widths, []int{60, 40, 50}) {
				t.Errorf("got photos with the widths %v, want the third first", widths)
			}
			v.Click("Add photos (3 so far)")
			v.Upload("Choose photos", files[3])
			v.See("1 photo was added.")
			v.CheckAccessibility()
			v.Screenshot("recorded")
			if n := len(stafftest.NewestItem(h, l).Images); n != 4 {
				t.Errorf("got %d photos, want 4", n)
			}
		})
	}
}

func TestPhotosAreDroppedAndPastedOnTheFormOfAFind(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := h.NewLocation("Hotel Adler")
	for _, o := range []browsertest.Options{{Phone: true}, {}} {
		t.Run(o.String(), func(t *testing.T) {
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/find")
			stafftest.GivePhoto(t, v, "drop")
			v.See("×")
			stafftest.GivePhoto(t, v, "paste")
			v.Click("Move photo 2 forward")
			v.See("Now photo 1 of 2.")
			v.Fill("What is it?", "Hat")
			v.Follow("Save")
			v.See("Write this on the tag")
			if i := stafftest.NewestItem(h, l); len(i.Images) != 2 || i.Description != "Hat" {
				t.Errorf("got item %+v, want the dropped and the pasted photo", i)
			}
		})
	}
}

func TestAFormThatIsSentTwiceRecordsOnce(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	v, at := h.LogIn(), "/at/"+l.ID+"/find"
	fields := url.Values{"description": {"Hat"}, "once": {"form-1"}, "then": {"next"}}
	first, second := v.Post(at, fields), v.Post(at, fields)
	if to := first.Header.Get("Location"); !strings.HasPrefix(to, at+"?saved=item_") ||
		second.Header.Get("Location") != to {
		t.Errorf("the same form redirected to %q and %q", to, second.Header.Get("Location"))
	}
	if a := v.Get(first.Header.Get("Location")); !strings.Contains(a.Body, "Saved as") {
		t.Error("the next form does not name the saved item")
	}
}

// An earlier search may not find the new item.
func TestANewItemLeadsBackToTheItemsOfItsLocation(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	v, list := h.LogIn(), "/at/"+l.ID+"/items"
	before := h.NewItem(l, "Suitcase")
	back := func(i lost.Item) string { return `href="` + list + "?q=Suitcase#" + i.ID + `"` }
	v.Get(list + "?q=Suitcase")
	if a := v.Get(stafftest.ItemPath(l, before)); !strings.Contains(a.Body, back(before)) {
		t.Fatal("the page of an item does not lead back to the search")
	}
	v.Post("/at/"+l.ID+"/find", url.Values{"description": {"Hat"}, "once": {"form-1"}, "then": {"show"}})
	i := stafftest.NewestItem(h, l)
	if a := v.Get(stafftest.ItemPath(l, i)); !strings.Contains(a.Body, `href="`+list+"#"+i.ID+`"`) {
		t.Error("the page of a new item does not lead back to all items")
	}
}

func TestARejectedFindKeepsWhatWasTyped(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	a := stafftest.SendFind(h.LogIn(), "/at/"+l.ID+"/find",
		url.Values{"description": {""}, "notes": {`"><script>alert(1)</script>`}, "owner.email": {"nobody"}},
		stafftest.JPEG(20, 20))
	for _, want := range []string{
		"What is it?: This field is required.", "&lt;script&gt;alert(1)", "Choose the photos again.", `value="nobody"`,
	} {
		if !strings.Contains(a.Body, want) {
			t.Errorf("the form (%d) does not show %q", a.Code, want)
		}
	}
	if a.Code != http.StatusUnprocessableEntity ||
		len(testkit.Must(h.Services.Items.List(t.Context(), h.Actor, l.ID,
			lost.ItemFilter{Page: lost.FirstPage()})).Data) != 0 {
		t.Errorf("got status %d, want 422 and no recorded item", a.Code)
	}
}

func TestTheWebAppManifestAndItsIcons(t *testing.T) {
	v := testkit.NewServer(t).NewVisitor()
	for path, want := range map[string]string{
		"/manifest.webmanifest": "application/manifest+json", "/sw.js": "text/javascript; charset=utf-8",
		"/icon/192.png": "image/png", "/icon/full-180.png": "image/png", "/offline": "text/html; charset=utf-8",
	} {
		if a := v.Get(path); a.Code != http.StatusOK || a.Header.Get("Content-Type") != want {
			t.Errorf("%s: got status %d and content type %s", path, a.Code, a.Header.Get("Content-Type"))
		}
	}
	if a := v.Get("/icon/9999.png"); a.Code != http.StatusNotFound {
		t.Errorf("got status %d for an unknown icon size, want 404", a.Code)
	}
}

func TestAFindIsRecordedInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := h.NewLocation("Hotel Adler")
	photo := filepath.Join(t.TempDir(), "photo.jpg")
	testkit.Must(0, os.WriteFile(photo, stafftest.JPEG(3000, 2000), 0o600))

	t.Run("on a phone, with two photos, and the next", func(t *testing.T) {
		v := browsertest.New(t, browsertest.Options{Phone: true})
		began := time.Now()
		stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/find")
		v.Upload("Choose photos", photo, photo)
		v.See("×")
		var once string
		v.Run(`document.forms.find.once.value`, &once)
		v.Fill("What is it?", "Black umbrella with a wooden handle")
		v.Fill("Where was it?", "Breakfast room")
		v.Screenshot("find")
		v.Follow("Save and next")
		v.See("Saved as", "with 2 photos")
		t.Logf("recording an item with two photos took %s", time.Since(began).Round(time.Millisecond))
		if i := stafftest.NewestItem(h, l); len(i.Images) != 2 || max(i.Images[0].Width, i.Images[0].Height) != 2560 ||
			i.DiscoveryDate == "" {
			t.Errorf("got item %+v", i)
		}
		v.Screenshot("next")
		v.Fill("What is it?", "One glove")
		v.Run(`document.forms.find.once.value = "`+once+`"`, &once) // a browser that restores a form may do this
		v.IgnoreError("409")
		umbrella := stafftest.NewestItem(h, l).Reference
		v.Click("Save")
		v.See("already saved as "+umbrella, "Open "+umbrella)
		v.Screenshot("again")
		v.Follow("Save")
		v.See(stafftest.NewestItem(h, l).Reference, "Record another")
		v.SeeNot(umbrella)
		v.Screenshot("recorded")
	})
	t.Run("on a desktop in dark mode, without scripts", func(t *testing.T) {
		v := browsertest.New(t, browsertest.Options{Dark: true, NoScript: true})
		stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/find")
		v.Upload("Choose photos", photo)
		v.Fill("What is it?", "Blue scarf")
		v.Screenshot("find")
		v.Follow("Save")
		v.See("Write this on the tag")
		if i := stafftest.NewestItem(h, l); len(i.Images) != 1 || i.Description != "Blue scarf" {
			t.Errorf("got item %+v", i)
		}
	})
}

func TestAFindIsSavedOnTheDeviceWhileOffline(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	h.Clock.Advance(time.Since(h.Clock.Now())) // the offline page fills in the date of the browser
	l := h.NewLocation("Hotel Adler")
	v := browsertest.New(t, browsertest.Options{Phone: true})
	v.IgnoreError("ERR_EMPTY_RESPONSE")
	stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/find")
	var works bool
	v.Run(`navigator.serviceWorker.ready.then(() => true)`, &works)
	h.SetDown(true)
	photo := filepath.Join(t.TempDir(), "photo.jpg")
	testkit.Must(0, os.WriteFile(photo, stafftest.JPEG(60, 40), 0o600))
	v.Upload("Choose photos", photo, photo, photo)
	v.Fill("What is it?", "One glove")
	v.Click("Save")
	v.See("One item is saved on this device")
	v.Visit(at + "/at/" + l.ID + "/find")
	v.See("No connection", "Hotel Adler")
	v.CheckAccessibility()
	v.Screenshot("offline")
	v.SetOptions(browsertest.Options{Dark: true})
	v.Fill("What is it?", "The other glove")
	v.Click("Save")
	v.See("2 items are saved on this device")
	h.SetDown(false)
	v.Visit(at + "/at/" + l.ID + "/find")
	v.See("2 items saved on this device were sent.")
	list := testkit.Must(h.Services.Items.List(t.Context(), h.Actor, l.ID, lost.ItemFilter{Page: lost.FirstPage()}))
	if list.Count != 2 {
		t.Fatalf("got %d items, want the 2 that were saved on the device", list.Count)
	}
	if n := len(list.Data[0].Images) + len(list.Data[1].Images); n != 3 {
		t.Errorf("got %d photos, want the 3 that were saved on the device", n)
	}
}
