package requests_test

import (
	"bytes"
	"image/color"
	"net/http"
	"net/http/httptest"
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

// addPhoto adds a photo to an item or a request.
func addPhoto(t *testing.T, h *testkit.Server, i lost.Item, c color.Color) lost.Item {
	t.Helper()
	return testkit.Must(h.Services.Items.UploadImage(t.Context(), h.Actor, i.LocationID, i.ID,
		bytes.NewReader(stafftest.Picture(t, c)), lost.IdempotencyKey{}))
}

func TestThePhotosOfARequestAreChanged(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		r := addPhoto(t, h, stafftest.FileRequest(h, l, "My felt hat"), color.Black)
		r = addPhoto(t, h, r, color.White)
		v, at := h.LogIn(), "/at/"+l.ID+"/requests/"+r.ID
		photo := stafftest.ItemPath(l, r) + "/photo"
		second := r.Images[1].ID()
		if a := v.Post(photo, url.Values{"do": {"first"}, "image": {second}}); a.Header.Get("Location") != at {
			t.Errorf("got status %d and redirect %q, want the request", a.Code, a.Header.Get("Location"))
		}
		now := testkit.Must(h.Services.Requests.Get(t.Context(), h.Actor, l.ID, r.ID))
		if p := now.Picture(); p.ID() != second {
			t.Error("the chosen photo is not the main photo")
		}
		v.Post(photo, url.Values{"do": {"remove"}, "image": {second}})
		if now = testkit.Must(h.Services.Requests.Get(t.Context(), h.Actor, l.ID, r.ID)); len(now.Images) != 1 {
			t.Errorf("got %d photos, want 1", len(now.Images))
		}
		body, kind := stafftest.FileForm("image", []byte("not a picture"))
		upload := httptest.NewRequestWithContext(t.Context(), http.MethodPost, testkit.Base+photo+"s",
			strings.NewReader(body))
		upload.Header.Set("Content-Type", kind)
		if a := v.Do(upload); a.Code != http.StatusUnsupportedMediaType ||
			!stafftest.Shows(a, "Photo 1 was not added", "Go back to the request") {
			t.Errorf("got status %d for an invalid photo, want 415 and the reason", a.Code)
		}
	})
}

func TestTheLostAndTheFoundPhotoAreSideBySideInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := h.NewLocation("Hotel Adler")
	file := filepath.Join(t.TempDir(), "hat.png")
	testkit.Must(0, os.WriteFile(file, stafftest.Picture(t, color.RGBA{30, 140, 60, 255}), 0o600))
	for _, o := range []browsertest.Options{{Phone: true}, {Dark: true}} {
		t.Run(o.String(), func(t *testing.T) {
			r := stafftest.FileRequest(h, l, "My felt hat, and it is green")
			found := addPhoto(t, h, h.NewItem(l, "Green felt hat with a feather"), color.RGBA{40, 120, 50, 255})
			h.Match(found, r)
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/requests/"+r.ID)
			v.See("No photo") // of the lost hat
			v.Click("Add photos")
			v.Upload("Choose photos", file)
			v.See("1 photo was added.")
			v.Reload()
			v.CheckLayoutShift()
			v.CheckAccessibility()
			stafftest.ExpectNoOverflow(t, v)
			v.Screenshot("suggested")
			expectSideBySide(t, v)
			v.Click("css:.compared figure:first-child a")
			v.See("Photo 1 of 2")
			v.Press("ArrowRight")
			v.See("Photo 2 of 2")
			v.Press("Escape")
			v.Follow("Match")
			expectSideBySide(t, v)
			v.Screenshot("accept")
			v.Follow("Confirm")
			v.See("Matched item")
			expectSideBySide(t, v)
			v.CheckAccessibility()
			v.Screenshot("matched")
		})
	}
}

// expectSideBySide fails the test unless two photos are shown at the same height.
func expectSideBySide(t *testing.T, v *browsertest.Visitor) {
	t.Helper()
	var tops []float64
	v.Run(`[...document.querySelectorAll(".compared")].slice(0, 1).flatMap((pair) =>
		[...pair.querySelectorAll("img")].map((img) => img.getBoundingClientRect().top))`, &tops)
	if len(tops) != 2 || tops[0] != tops[1] {
		t.Errorf("%s: got photos at %v, want two side by side", v.Location(), tops)
	}
}
