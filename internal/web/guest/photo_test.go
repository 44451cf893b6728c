package guest_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// kindsOfJobs claims all jobs that verify photos, and returns their kinds.
func (h *server) kindsOfJobs() (kinds []string) {
	h.t.Helper()
	h.clock.Advance(time.Second)
	err := h.db.Write(h.t.Context(), func(tx *store.Tx) error {
		jobs, err := tx.ClaimJobs([]string{store.JobVerifyImage, store.JobVerifyPublicImage}, 10, time.Minute)
		kinds = nil
		for _, j := range jobs {
			kinds = append(kinds, j.Kind)
		}
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return kinds
}

func TestPhotosOfStrangersHaveAQueueOfTheirOwn(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		l := h.location(adler())
		h.send("/l/"+l.Permalink, h.withFormToken(l, report()), photo(40, 30)).want(t, http.StatusSeeOther)
		if got := h.kindsOfJobs(); !slices.Equal(got, []string{store.JobVerifyPublicImage}) {
			t.Errorf("a report with a photo added the jobs %v", got)
		}
		h.upload(h.item(l, lost.ItemPatch{Description: lost.Set("Umbrella")}), 40, 30)
		if got := h.kindsOfJobs(); !slices.Equal(got, []string{store.JobVerifyImage}) {
			t.Errorf("a photo of staff added the jobs %v", got)
		}
	})
}

func TestAGuestsPageOffersSeveralSizesOfAPhoto(t *testing.T) {
	h := newServer(t)
	l := h.location(adler())
	i := h.item(l, lost.ItemPatch{
		Description: lost.Set("Umbrella"), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")}),
	})
	h.upload(i, 1200, 900)
	images := h.get(h.link(i)).all("img")
	if len(images) == 0 {
		t.Fatal("the page has no picture")
	}
	for _, image := range images {
		set := strings.Split(attr(image, "srcset"), ", ")
		if len(set) != 3 || attr(image, "sizes") == "" || attr(image, "width") == "" || attr(image, "height") == "" {
			t.Fatalf("got srcset %q and sizes %q", set, attr(image, "sizes"))
		}
		for n, width := range []string{"160w", "320w", "640w"} {
			address, have, _ := strings.Cut(set[n], " ")
			if have != width {
				t.Errorf("size %d is %q, want %s", n, set[n], width)
			}
			h.get(address).want(t, http.StatusOK)
		}
	}
}
