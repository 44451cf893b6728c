package finds_test

import (
	"encoding/json"
	"image/color"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

func TestAChosenPhotoSuggestsValues(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		photo := stafftest.LabelledPicture(t, color.RGBA{190, 30, 40, 255}, "SN-8841-C")
		other := stafftest.VerifyPhotos(h, stafftest.AddPhoto(h, h.NewItem(l, "Headset"), photo))
		v, at := h.LogIn(), "/at/"+l.ID+"/photo-facts"
		for category, want := range map[string][]string{
			"": {"Colour: red?", "Serial number: SN-8841-C?"}, "passport": {"Colour: red?"},
		} {
			a := stafftest.SendFind(v, at, url.Values{"category": {category}}, photo)
			var got struct {
				Chips  []struct{ Field, Value, Text string }
				Copies []struct{ Href, Text string }
			}
			if err := json.Unmarshal([]byte(a.Body), &got); err != nil || a.Code != http.StatusOK {
				t.Fatalf("status %d: %v", a.Code, err)
			}
			var texts []string
			for _, c := range got.Chips {
				texts = append(texts, c.Text)
			}
			if !slices.Equal(texts, want) {
				t.Errorf("category %q: got %q, want %q", category, texts, want)
			}
			if len(got.Copies) != 1 || got.Copies[0].Href != stafftest.ItemPath(l, other) ||
				!strings.Contains(got.Copies[0].Text, other.Reference) {
				t.Errorf("category %q: got the copies %+v", category, got.Copies)
			}
		}
		for name, photos := range map[string][][]byte{
			"no photo": nil, "two photos": {photo, photo}, "a text": {[]byte("not a picture")},
		} {
			if a := stafftest.SendFind(v, at, url.Values{"category": {""}}, photos...); a.Code < 400 || a.Code >= 500 {
				t.Errorf("%s: status %d, want that it is refused", name, a.Code)
			}
		}
		if a := stafftest.SendFind(v, "/at/loc_x/photo-facts", url.Values{}, photo); a.Code != http.StatusNotFound {
			t.Errorf("another location: status %d, want 404", a.Code)
		}
	})
}

func TestASuggestionIsTappedInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := h.NewLocation("Hotel Adler")
	file := filepath.Join(t.TempDir(), "photo.png")
	photo := stafftest.LabelledPicture(t, color.RGBA{30, 60, 170, 255}, "SN-8841-C")
	testkit.Must(0, os.WriteFile(file, photo, 0o600))
	for _, o := range []browsertest.Options{{Phone: true}, {Dark: true}} {
		t.Run(o.String(), func(t *testing.T) {
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/find")
			v.CheckLayoutShift()
			v.Upload("Choose photos", file)
			v.See("Colour: blue?", "Serial number: SN-8841-C?")
			v.Click("Colour: blue?")
			v.Click("Serial number: SN-8841-C?")
			v.CheckAccessibility()
			stafftest.ExpectNoOverflow(t, v)
			v.Screenshot("suggested")
			v.Fill("What is it?", "Headset")
			v.Follow("Save")
			v.See("Write this on the tag")
			if i := stafftest.NewestItem(h, l); i.Color != "blue" || i.SerialNumber != "SN-8841-C" {
				t.Errorf("got item %+v", i)
			}
		})
	}
}
