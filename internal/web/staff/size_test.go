package staff_test

import (
	"fmt"
	"image/color"
	"net/http"
	"regexp"
	"slices"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/staff/frame"
	"homeward/internal/web/staff/stafftest"
)

// maxPageSize is the maximum size in bytes of a page with its stylesheet, scripts and icon, without photos.
const maxPageSize = 150 << 10

var assetLink = regexp.MustCompile(`(?:href|src)="(/assets/[^"]+)"`)

func TestFullPagesAreSmall(t *testing.T) {
	what := make([]string, frame.TableLimit)
	for n := range what {
		what[n] = fmt.Sprintf("Black umbrella with a wooden handle and a small tear, number %d.", 100+n)
	}
	s := stafftest.NewFullStorage(testkit.NewServer(t), what...)
	t.Cleanup(s.Services.Close)
	s.NewLocation("Spa am See")
	photo := stafftest.Picture(t, color.Black)
	for n, text := range what {
		i := testkit.Must(s.Services.Items.Update(t.Context(), s.Actor, s.Hotel.ID, s.Item(text).ID, lost.ItemPatch{
			StoragePlace:   lost.Set(fmt.Sprintf("Cellar, shelf %d", n)),
			DiscoveryPlace: lost.Set("Breakfast room, table at the window"),
		}))
		stafftest.AddPhoto(s.Server, i, photo)
		stafftest.FileRequest(s.Server, s.Hotel, text)
	}
	v := s.LogIn()
	for _, list := range []string{"/storage", "/items", "/requests"} {
		for _, page := range []string{"/at/" + s.Hotel.ID + list, "/at/all" + list} {
			a := v.Get(page)
			stafftest.ExpectPage(t, a, http.StatusOK, "number 149.")
			size, seen := len(a.Body), []string{}
			for _, link := range assetLink.FindAllStringSubmatch(a.Body, -1) {
				if slices.Contains(seen, link[1]) {
					continue
				}
				seen = append(seen, link[1])
				size += len(v.Get(link[1]).Body)
			}
			t.Logf("%s: %d bytes, of which %d are the page", page, size, len(a.Body))
			if len(seen) < 3 || size > maxPageSize {
				t.Errorf("%s has %d bytes with %d assets, want at most %d", page, size, len(seen), maxPageSize)
			}
		}
	}
}
