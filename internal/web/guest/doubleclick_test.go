package guest_test

import (
	"net/url"
	"sync"
	"testing"

	"homeward/internal/lost"
)

// doubleClick submits a form several times at once, and once more afterwards. Each response must be the redirection
// that one click gets, or a page with the given text.
func (h *server) doubleClick(t *testing.T, path string, form url.Values, to, page string) {
	t.Helper()
	check := func() {
		a := h.post(path, form)
		if to != "" {
			a.redirects(t, to)
		} else {
			a.want(t, 200, page)
		}
	}
	var clicks sync.WaitGroup
	for range 4 {
		clicks.Go(check)
	}
	clicks.Wait()
	check()
}

func TestADoubleClickConfirmsOnce(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		for by, c := range map[lost.PayBy]struct{ to, page string }{
			lost.PayDesk: {}, lost.PayTest: {to: "/test-payment"},
			lost.PayStripe: {page: "You are being taken to the payment page"},
		} {
			_, link := h.toPay(by)
			to := link + c.to
			if c.page != "" {
				to = ""
			}
			h.doubleClick(t, link+"/pay", h.get(link+"/pay").fields(), to, c.page)
		}
		for _, step := range []string{"/leave", "/donate", "/not-mine", "/pickup"} {
			_, i, link := h.guest()
			h.doubleClick(t, link+step, h.get(link+step).fields(), link, "")
			history := must(h.desk.Items.History(t.Context(), h.actor, i.LocationID, i.ID, lost.FirstPage()))
			if len(history.Data) != 2 {
				t.Errorf("%s: got %d entries in the history, want the creation and one choice", step, len(history.Data))
			}
		}
		l := h.location(adler())
		h.reported(l, report())
		link := h.link(h.requests(l)[0])
		h.doubleClick(t, link+"/found", url.Values{}, link, "")
	})
}

func TestADoubleClickAddsDetailsOnce(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		l := h.location(adler())
		h.reported(l, report())
		claim := h.requests(l)[0]
		link := h.link(claim)
		add := func(details string, photo []byte) {
			check := func() {
				h.send(link+"/details", map[string]string{"details": details}, photo).redirects(t, link+"?added=1")
			}
			var clicks sync.WaitGroup
			for range 2 {
				clicks.Go(check)
			}
			clicks.Wait()
			check()
		}
		add("It has a tear", photo(20, 20))
		add("Two lines\r\nof text \r\n", nil)
		add("", photo(20, 20)) // the same photo, but not the same form
		now := h.reload(claim)
		if want := claim.Description + "\n\nIt has a tear\n\nTwo lines\nof text"; now.Description != want {
			t.Errorf("got %q, want %q", now.Description, want)
		}
		if len(now.Images) != 2 {
			t.Errorf("got %d photos, want 2", len(now.Images))
		}
		must(h.desk.Items.RemoveImage(t.Context(), h.actor, l.ID, claim.ID, now.Images[0].ID()))
		add("", photo(20, 20)) // again, because it was removed
		if now := h.reload(claim); len(now.Images) != 2 {
			t.Errorf("got %d photos after one was removed and sent again, want 2", len(now.Images))
		}
	})
}
