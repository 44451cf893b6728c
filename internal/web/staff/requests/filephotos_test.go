package requests_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

// newestRequest returns the newest request of a location. The test fails if there is none.
func newestRequest(h *testkit.Server, l lost.Location) lost.Item {
	h.T.Helper()
	list := testkit.Must(h.Services.Requests.List(h.T.Context(), h.Actor, l.ID,
		lost.ItemFilter{Page: lost.FirstPage()}))
	if len(list.Data) == 0 {
		h.T.Fatal("no request was filed")
	}
	return list.Data[0]
}

func TestARequestIsFiledWithItsPhotosWithoutScripts(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		v, at := h.LogIn(), "/at/"+l.ID+"/requests"
		fields := url.Values{"description": {"Black umbrella"}, "owner.email": {"anna@example.com"}, "once": {"form-1"}}
		send := func() testkit.Response {
			return stafftest.SendFind(v, at+"/new", fields, stafftest.JPEG(60, 40), []byte("not a picture"),
				stafftest.JPEG(40, 60))
		}
		a, again := send(), send()
		i := newestRequest(h, l)
		to := at + "/" + i.ID
		if a.Code != http.StatusSeeOther || a.Header.Get("Location") != to || again.Header.Get("Location") != to {
			t.Fatalf("got status %d and redirects %q and %q, want one request", a.Code, a.Header.Get("Location"),
				again.Header.Get("Location"))
		}
		if len(i.Images) != 2 || lost.MainImageFirst(i)[0].Width != 60 {
			t.Errorf("got images %+v, want two, the first of them first", i.Images)
		}
		if page := v.Get(to); !strings.Contains(page.Body, "Photo 2: it is not a picture") ||
			!strings.Contains(page.Body, "was created") {
			t.Error("the page does not say that the request was created without the second photo")
		}
	})
}

func TestARejectedRequestAsksForThePhotosAgain(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	a := stafftest.SendFind(h.LogIn(), "/at/"+l.ID+"/requests/new",
		url.Values{"description": {""}, "owner.email": {"anna@example.com"}}, stafftest.JPEG(20, 20))
	if a.Code != http.StatusUnprocessableEntity {
		t.Errorf("got status %d, want 422", a.Code)
	}
	for _, want := range []string{"This field is required.", "Choose the photos again.", `value="anna@example.com"`} {
		if !strings.Contains(a.Body, want) {
			t.Errorf("the form does not show %q", want)
		}
	}
}

func TestARequestIsFiledWithPhotosInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := h.NewLocation("Hotel Adler")
	folder := t.TempDir()
	for name, width := range map[string]int{"a.jpg": 50, "b.jpg": 60} {
		testkit.Must(0, os.WriteFile(filepath.Join(folder, name), stafftest.JPEG(width, 40), 0o600))
	}
	for _, o := range []browsertest.Options{{Phone: true}, {Dark: true}, {NoScript: true}} {
		t.Run(o.String(), func(t *testing.T) {
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/requests/new")
			v.CheckLayoutShift()
			v.Upload("Choose photos", filepath.Join(folder, "a.jpg"), filepath.Join(folder, "b.jpg"))
			want := []int{50, 60}
			if !o.NoScript {
				v.Click("Move photo 2 forward")
				v.See("Now photo 1 of 2.")
				want = []int{60, 50}
				v.IgnoreError("422")
				v.Click("Create request")
				v.See("This field is required.", "×") // the photos are still there
			}
			v.CheckAccessibility()
			stafftest.ExpectNoOverflow(t, v)
			v.Screenshot("form")
			v.Fill("What was lost", "Black umbrella")
			v.Fill("Their e-mail address", "anna@example.com")
			v.Follow("Create request")
			v.See("was created", "Black umbrella")
			var widths []int
			for _, img := range lost.MainImageFirst(newestRequest(h, l)) {
				widths = append(widths, img.Width)
			}
			if !slices.Equal(widths, want) {
				t.Errorf("got photos with the widths %v, want %v", widths, want)
			}
			v.Screenshot("filed")
		})
	}
}

func TestPhotosAreDroppedAndPastedOnTheFormOfARequest(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := h.NewLocation("Hotel Adler")
	v := browsertest.New(t, browsertest.Options{})
	stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/requests/new")
	stafftest.GivePhoto(t, v, "drop")
	v.See("×")
	stafftest.GivePhoto(t, v, "paste")
	v.Click("Move photo 2 forward")
	v.Fill("What was lost", "Red umbrella")
	v.Fill("Their e-mail address", "anna@example.com")
	v.Follow("Create request")
	v.See("was created")
	if n := len(newestRequest(h, l).Images); n != 2 {
		t.Errorf("got %d photos, want the dropped and the pasted one", n)
	}
}
