package guest_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// wantDecoded checks how many photos were decoded.
func (h *server) wantDecoded(t *testing.T, want int64) {
	t.Helper()
	if got := h.decoded.Load(); got != want {
		t.Errorf("%d photos were decoded, want %d", got, want)
	}
}

// fillPage files as many public reports as a location's page accepts in a day.
func (h *server) fillPage(t *testing.T, l lost.Location) {
	t.Helper()
	err := h.db.Write(t.Context(), func(tx *store.Tx) error {
		for range 500 {
			p := lost.RequestPatch{
				Description: lost.Set("Hat"), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("a@example.com")}),
			}
			r, err := lost.NewRequest(l.Account, l.ID, p, tx.Now())
			if err != nil {
				return err
			}
			r.MovedBy = lost.ByPublic
			if err := tx.InsertItem(r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Decoding a photo is expensive, so a form that files nothing must not cause it.
func TestAReportThatFilesNothingDecodesNoPhoto(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		l := h.location(adler())
		page := "/l/" + l.Permalink
		first := h.withFormToken(l, report())
		confirmation := h.send(page, first, photo(40, 30)).Header.Get("Location")
		h.wantDecoded(t, 1)
		for range 10 { // a repeated form, which does not count against the limit either
			h.send(page, first, photo(40, 30)).redirects(t, confirmation)
		}
		invalid := h.withFormToken(l, report())
		delete(invalid, "description")
		h.send(page, invalid, photo(40, 30)).want(t, http.StatusUnprocessableEntity)
		h.send(page, report(), photo(40, 30)).want(t, http.StatusUnprocessableEntity) // without a form token
		h.fillPage(t, l)
		h.send(page, h.withFormToken(l, report()), photo(40, 30)).want(t, http.StatusTooManyRequests)
		h.wantDecoded(t, 1)
	})
}

// A damaged photo is found later, so the report is filed and counts against the client's limit.
func TestDamagedPhotosAreThrottled(t *testing.T) {
	h := newServer(t)
	l := h.location(adler())
	damaged := photo(640, 480)
	copy(damaged[len(damaged)/2:], make([]byte, 200)) // the structure is valid, but not the pixels
	for n := range 20 {
		a := h.send("/l/"+l.Permalink, h.withFormToken(l, report()), damaged)
		if a.StatusCode == http.StatusTooManyRequests {
			h.wantDecoded(t, 5)
			return
		}
		a.want(t, http.StatusSeeOther)
		if n >= 5 {
			break
		}
	}
	t.Errorf("%d damaged photos were decoded, want at most 5", h.decoded.Load())
}

func TestAStaffUploadIsCheckedBeforeItIsDecoded(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		l := h.location(adler())
		i := h.item(l, lost.ItemPatch{Description: lost.Set("Umbrella")})
		upload := func(key string, body []byte) (lost.Item, error) {
			o := lost.IdempotencyKey{Key: key, Request: key}
			return h.desk.Items.UploadImage(t.Context(), h.actor, l.ID, i.ID, reader(body), o)
		}
		first := must(upload("key", photo(40, 30)))
		again := must(upload("key", photo(40, 30)))
		if again.ImageFile != first.ImageFile {
			t.Errorf("the repeated upload returned %q, want %q", again.ImageFile, first.ImageFile)
		}
		if _, err := upload("key", photo(30, 30)); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("the same key with another photo: %v, want a conflict", err)
		}
		err := h.db.Write(t.Context(), func(tx *store.Tx) error {
			before, err := tx.LockItem(l.Account, l.ID, i.ID)
			after := before
			for n := 1; n < lost.MaxImages && err == nil; n++ {
				err = after.AddImage(lost.Image{File: fmt.Sprintf("photo%d.jpg", n)}, tx.Now())
			}
			return errors.Join(err, tx.SaveItem(before, after))
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"", "another key"} {
			if _, err := upload(key, photo(40, 30)); lost.CodeOf(err) != lost.Conflict {
				t.Errorf("an upload to a full item with the key %q: %v, want a conflict", key, err)
			}
		}
		if again := must(upload("key", photo(40, 30))); again.ImageFile != first.ImageFile {
			t.Errorf("the repeated upload returned %q, want %q", again.ImageFile, first.ImageFile)
		}
		h.wantDecoded(t, 1)
	})
}

func TestAClaimantsPhotoIsCheckedBeforeItIsDecoded(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		l := h.location(adler())
		h.reported(l, report())
		link := h.link(h.requests(l)[0])
		h.send(link+"/details", map[string]string{"details": strings.Repeat("x", 20_000)}, photo(40, 30)).
			want(t, http.StatusUnprocessableEntity)
		h.wantDecoded(t, 0)
		for n := range lost.MaxClaimImages + 2 {
			h.send(link+"/details", nil, photo(40, 30+n))
		}
		h.send(link+"/details", nil, photo(40, 30)).redirects(t, link+"?added=1") // a repeated form
		h.wantDecoded(t, int64(lost.MaxClaimImages))
	})
}

// One network cannot use up the reports that a page accepts in a day.
func TestANetworkHasAShareOfAPagesReports(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		l, other := h.location(adler()), h.location(adler())
		send := func(l lost.Location, remote string) int {
			r := multipartRequest("/l/"+l.Permalink, h.withFormToken(l, report()), nil)
			r.RemoteAddr = remote
			a := h.do(r)
			if a.StatusCode == http.StatusTooManyRequests {
				a.want(t, http.StatusTooManyRequests, "Try again tomorrow, or call or write")
			}
			return a.StatusCode
		}
		for n := range 25 {
			for _, remote := range []string{"198.51.100.%d:1000", "[2001:db8:1:%d::1]:1000"} {
				if status := send(l, fmt.Sprintf(remote, n)); status != http.StatusSeeOther {
					t.Fatalf("report %d: status %d", n, status)
				}
			}
		}
		for remote, want := range map[string]int{
			"198.51.100.77:1000": 429, "[2001:db8:1:77::1]:1000": 429,
			"198.51.101.1:1000": 303, "[2001:db8:2::1]:1000": 303,
		} {
			if status := send(l, remote); status != want {
				t.Errorf("%s: got status %d, want %d", remote, status, want)
			}
		}
		if status := send(other, "198.51.100.78:1000"); status != http.StatusSeeOther {
			t.Errorf("another location's page: got status %d, want 303", status)
		}
		h.clock.Advance(24 * time.Hour)
		if status := send(l, "198.51.100.79:1000"); status != http.StatusSeeOther {
			t.Errorf("the next day: got status %d, want 303", status)
		}
	})
}

// A client that sends too many forms is refused before its forms are read.
func TestAClientsLimitComesBeforeTheBody(t *testing.T) {
	h := newServer(t)
	l := h.location(adler())
	for range 200 {
		r := multipartRequest("/l/"+l.Permalink, report(), nil)
		read := 0
		whole := r.Body
		r.Body = io.NopCloser(readFunc(func(p []byte) (int, error) {
			n, err := whole.Read(p)
			read += n
			return n, err
		}))
		w := httptest.NewRecorder()
		h.handler.ServeHTTP(w, r)
		if w.Code == http.StatusTooManyRequests {
			if read > 0 {
				t.Errorf("%d bytes of the form were read", read)
			}
			if w.Header().Get("Retry-After") == "" {
				t.Error("the response has no Retry-After header")
			}
			return
		}
	}
	t.Error("200 forms were read")
}

// readFunc is a function that reads.
type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }
