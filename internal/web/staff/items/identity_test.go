package items_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

func TestPhotosOfAPassportAreBlurredUntilSomebodyAsks(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel")
		i := h.NewItem(l, "Red passport", func(p *lost.ItemPatch) {
			p.Category, p.SerialNumber = lost.Set("passport"), lost.Set("AE1234567")
		})
		ids := addPhotos(t, h, i)
		i = testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID, i.ID))
		v, page := h.LogIn(), stafftest.ItemPath(l, i)
		for _, path := range []string{page, stafftest.ItemsPath(l), "/at/" + l.ID + "/storage"} {
			shown := v.Get(path)
			for _, img := range i.Images {
				if name, _, _ := strings.Cut(img.File, "."); strings.Contains(shown.Body, name) {
					t.Errorf("%s contains the address of a photo", path)
				}
			}
			if strings.Contains(shown.Body, "AE1234567") {
				t.Errorf("%s contains the whole number", path)
			}
		}
		shown := v.Get(page)
		stafftest.ExpectPage(t, shown, http.StatusOK, "The photos are blurred")
		if !strings.Contains(shown.Body, page+"/photos/"+ids[0]+"/blurred") {
			t.Error("the page does not show the blurred photo")
		}
		if i.SerialNumber != "••••4567" {
			t.Errorf("stored number: got %q", i.SerialNumber)
		}
		blurred := v.Get(page + "/photos/" + ids[0] + "/blurred")
		if blurred.Code != http.StatusOK || blurred.Header.Get("Content-Type") != "image/png" ||
			len(blurred.Body) > 1000 {
			t.Errorf("blurred: status %d with %d bytes", blurred.Code, len(blurred.Body))
		}
		for _, other := range []string{page + "/photos/img_x/blurred", "/at/loc_x/items/" + i.ID + "/photos/" + ids[0] +
			"/blurred"} {
			if a := v.Get(other); a.Code != http.StatusNotFound {
				t.Errorf("%s: status %d, want 404", other, a.Code)
			}
		}
		seen := lost.AuditFilter{Action: lost.PhotosSeen, PageCursor: lost.PageCursor{Limit: 10}}
		if n := len(testkit.Must(h.Services.AuditLog.List(t.Context(), h.Actor, seen)).Data); n != 0 {
			t.Errorf("before: %d entries in the audit log", n)
		}
		clear := v.Get(page + "?photos=show")
		if !strings.Contains(clear.Body, i.Images[0].File) {
			t.Error("the photos are not shown")
		}
		list := testkit.Must(h.Services.AuditLog.List(t.Context(), h.Actor, seen)).Data
		if len(list) != 1 || list[0].Subject != i.ID {
			t.Errorf("the audit log contains %+v", list)
		}
	})
}

// sharpPhotos lists the addresses of the photos on the page that are not blurred, or "none" if there are no photos.
const sharpPhotos = `(() => {
	const all = [...document.querySelectorAll('main img')].filter(i => /\/(photos|files)\//.test(i.src))
	return all.length ? all.map(i => i.src).filter(src => !src.endsWith('/blurred')).join(' ') : 'none'
})()`

func TestPhotosOfAPassportAreShownOnRequestInABrowser(t *testing.T) {
	testkit.EachBrowserServer(t, func(t *testing.T, h *testkit.Server, at string) {
		l := h.NewLocation("Hotel")
		i := h.NewItem(l, "Red passport", func(p *lost.ItemPatch) { p.Category = lost.Set("passport") })
		addPhotos(t, h, i)
		v := browsertest.New(t, browsertest.Options{Phone: true})
		blurred := func(want bool) {
			t.Helper()
			var sharp string
			if v.Run(sharpPhotos, &sharp); want != (sharp == "") || sharp == "none" {
				t.Errorf("%s: got the sharp photos %q, want blurred ones: %t", v.Location(), sharp, want)
			}
		}
		stafftest.OpenAsOwner(v, h, at+stafftest.ItemsPath(l))
		v.See("Red passport")
		blurred(true)
		v.Follow("Red passport")
		v.See("The photos are blurred")
		blurred(true)
		v.CheckAccessibility()
		v.Follow("Show photos")
		v.SeeNot("The photos are blurred")
		blurred(false)
	})
}

func TestACardIsReportedAndForwardedOnItsPage(t *testing.T) {
	testkit.Each(t, reportAndForward)
}

func reportAndForward(t *testing.T, h *testkit.Server) {
	l := h.NewLocation("Hotel")
	i := h.NewItem(l, "Bank card", func(p *lost.ItemPatch) { p.Category = lost.Set("card") })
	v, page := h.LogIn(), stafftest.ItemPath(l, i)
	stafftest.ExpectPage(t, v.Get(page), http.StatusOK, "Identity paper or payment card", "Who was informed")
	stafftest.ExpectPage(t, v.Post(page+"/informed", url.Values{"informed": {"bank"}}), http.StatusUnprocessableEntity,
		"Identity paper or payment card")
	if a := v.Post(page+"/informed", url.Values{"informed": {"bank"}, "date": {"2026-01-02"}}); a.Code !=
		http.StatusSeeOther {
		t.Errorf("informed: status %d", a.Code)
	}
	stafftest.ExpectPage(t, v.Get(page), http.StatusOK, "The bank was informed on 2026-01-02")
	stafftest.ExpectPage(t, v.Post(page+"/forwarded", nil), http.StatusUnprocessableEntity, "Forwarded to")
	if a := v.Post(page+"/forwarded", url.Values{"recipient": {"Bank, Main Street 1"}}); a.Code != http.StatusSeeOther {
		t.Errorf("forwarded: status %d", a.Code)
	}
	stafftest.ExpectPage(t, v.Get(page), http.StatusOK, "Forwarded to the issuer: Bank, Main Street 1.")
	if a := v.Post("/at/loc_x/items/"+i.ID+"/forwarded",
		url.Values{"recipient": {"B"}}); a.Code != http.StatusNotFound {
		t.Errorf("another location: status %d, want 404", a.Code)
	}
}

func TestThePhotoOfAPassportOnAnotherSiteIsHiddenUntilSomebodyAsks(t *testing.T) {
	h := testkit.NewServer(t)
	const photo = "https://photos.example.com/passport.jpg"
	i := h.NewItem(h.NewLocation("Hotel"), "Passport", func(p *lost.ItemPatch) {
		p.Category, p.ImageURL = lost.Set("passport"), lost.Set(photo)
	})
	v, page := h.LogIn(), stafftest.ItemPath(lost.Location{ID: i.LocationID}, i)
	shown := v.Get(page)
	stafftest.ExpectPage(t, shown, http.StatusOK, "Show photos")
	if strings.Contains(shown.Body, photo) {
		t.Error("the page contains the address of the photo")
	}
	if clear := v.Get(page + "?photos=show"); !strings.Contains(clear.Body, photo) ||
		strings.Contains(clear.Body, "Show photos") {
		t.Error("the photo is not linked when somebody asks")
	}
	seen := lost.AuditFilter{Action: lost.PhotosSeen, PageCursor: lost.PageCursor{Limit: 10}}
	if list := testkit.Must(h.Services.AuditLog.List(t.Context(), h.Actor, seen)).Data; len(list) != 1 {
		t.Errorf("the audit log contains %+v", list)
	}
}
