package items_test

import (
	"image/color"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

var red = color.RGBA{190, 30, 40, 255}

func TestAPhotoSuggestsValuesForEmptyFields(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		i := stafftest.AddPhoto(h, h.NewItem(l, "Headset"), stafftest.LabelledPicture(t, red, "SN-8841-C"))
		v, page := h.LogIn(), stafftest.ItemPath(l, i)
		const color, serial = "Colour: red?", "Serial number: SN-8841-C?"
		if a := v.Get(page); strings.Contains(a.Body, color) {
			t.Error("the page suggests a colour before the photo was verified")
		}
		i = stafftest.VerifyPhotos(h, i)
		if a := v.Get(page); !strings.Contains(a.Body, color) || !strings.Contains(a.Body, serial) {
			t.Fatalf("the page does not suggest the values; the photo shows %+v", i.Images[0].Facts)
		}
		if i.Color != "" || i.SerialNumber != "" {
			t.Errorf("a suggestion was written unasked: %+v", i)
		}
		if a := v.Get(page + "?edit=what"); !strings.Contains(a.Body, `data-fill="color" data-value="red"`) ||
			strings.Contains(a.Body, page+"/photo-fact") {
			t.Error("the open form does not have the suggestions, or they would discard what was typed")
		}
		accept := func(field, value string) testkit.Response {
			return v.Post(page+"/photo-fact", url.Values{"field": {field}, "value": {value}})
		}
		accept("color", "red")
		accept("serialNumber", "SN-8841-C")
		i = testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID, i.ID))
		if i.Color != "red" || i.SerialNumber != "SN-8841-C" {
			t.Errorf("after accepting, the item is %+v", i)
		}
		if a := v.Get(page); strings.Contains(a.Body, color) || strings.Contains(a.Body, serial) {
			t.Error("the page still suggests the values")
		}
		accept("color", "blue") // from a page that is outdated
		stafftest.ExpectPage(t, v.Get(page), http.StatusOK, "Somebody has filled in this field in the meantime.")
		if i = testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID, i.ID)); i.Color != "red" {
			t.Errorf("the colour was replaced with %s", i.Color)
		}
		if a := accept("notes", "anything"); a.Code != http.StatusBadRequest {
			t.Errorf("another field: status %d, want 400", a.Code)
		}
	})
}

func TestSuggestionsAreForThoseWhoMayAcceptThem(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	i := stafftest.AddPhoto(h, h.NewItem(l, "Headset"), stafftest.LabelledPicture(t, red, "SN-8841-C"))
	stafftest.VerifyPhotos(h, i)
	v, page := h.As(h.NewMember("Vera", lost.ViewerRole)), stafftest.ItemPath(l, i)
	if a := v.Get(page); a.Code != http.StatusOK || strings.Contains(a.Body, "Colour: red?") {
		t.Errorf("the page of somebody who may only read: status %d, or it suggests values", a.Code)
	}
	a := v.Post(page+"/photo-fact", url.Values{"field": {"color"}, "value": {"red"}})
	if a.Code != http.StatusForbidden {
		t.Errorf("status %d, want 403", a.Code)
	}
}

func TestCodesOfProductsAndAddressesAreIdsInOtherSystems(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	const address = "https://example.com/things/7"
	i := h.NewItem(l, "Headset")
	i = stafftest.VerifyPhotos(h, stafftest.AddPhoto(h, i, stafftest.LabelledPicture(t, red, address)))
	v, page := h.LogIn(), stafftest.ItemPath(l, i)
	stafftest.ExpectPage(t, v.Get(page), http.StatusOK, "External ID: "+address+"?")
	v.Post(page+"/photo-fact", url.Values{"field": {"externalId"}, "value": {address}})
	if i = testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID, i.ID)); i.ExternalID != address {
		t.Errorf("got external id %q", i.ExternalID)
	}
}

func TestThePageOfAPassportSuggestsNoCodes(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	i := h.NewItem(l, "Passport")
	i = stafftest.VerifyPhotos(h, stafftest.AddPhoto(h, i, stafftest.LabelledPicture(t, red, "P1234567")))
	v, page := h.LogIn(), stafftest.ItemPath(l, i)
	stafftest.ExpectPage(t, v.Get(page), http.StatusOK, "P1234567")
	testkit.Must(h.Services.Items.Update(t.Context(), h.Actor, l.ID, i.ID, lost.ItemPatch{
		Category: lost.Set("passport"),
	}))
	if a := v.Get(page); strings.Contains(a.Body, "P1234567") || !strings.Contains(a.Body, "Colour: red?") {
		t.Error("the page of a passport shows its number, or not its colour")
	}
}

func TestTheSamePhotoOnAnotherItemIsNamed(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		photo := stafftest.LabelledPicture(t, red, "SN-8841-C")
		first := stafftest.VerifyPhotos(h, stafftest.AddPhoto(h, h.NewItem(l, "Headset"), photo))
		second := stafftest.VerifyPhotos(h, stafftest.AddPhoto(h, h.NewItem(l, "Red headset"), photo))
		shown := h.LogIn().Get(stafftest.ItemPath(l, second))
		stafftest.ExpectPage(t, shown, http.StatusOK, "This photo is already on "+first.Reference+".")
		if !strings.Contains(shown.Body, stafftest.ItemPath(l, first)) {
			t.Error("the page does not link to the other item")
		}
	})
}

func TestSuggestionsAppearWhileThePageIsOpenInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := h.NewLocation("Hotel Adler")
	for _, o := range []browsertest.Options{{Phone: true}, {Dark: true}} {
		t.Run(o.String(), func(t *testing.T) {
			i := stafftest.AddPhoto(h, h.NewItem(l, "Headset"), stafftest.LabelledPicture(t, red, "SN-"+o.String()))
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+stafftest.ItemPath(l, i))
			v.SeeNot("Found in the photo")
			stafftest.VerifyPhotos(h, i)
			v.See("Found in the photo", "Colour: red?", "Serial number: SN-"+o.String()+"?")
			v.CheckLayoutShift()
			v.CheckAccessibility()
			stafftest.ExpectNoOverflow(t, v)
			v.Screenshot("suggested")
			v.Follow("Colour: red?")
			v.SeeNot("Colour: red?")
			now := testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID, i.ID))
			if now.Color != "red" || now.SerialNumber != "" {
				t.Errorf("after one tap, the item is %+v", now)
			}
			v.Visit(at + stafftest.ItemPath(l, i) + "?edit=what")
			v.Click("Serial number: SN-" + o.String() + "?")
			var filled string
			v.Run(`document.querySelector('[name=serialNumber]').value`, &filled)
			if filled != "SN-"+o.String() {
				t.Errorf("the form has the serial number %q", filled)
			}
			v.CheckAccessibility()
			stafftest.ExpectNoOverflow(t, v)
			v.Screenshot("filled in")
			v.Follow("Save")
			if now = testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID, i.ID)); now.SerialNumber != filled {
				t.Errorf("the saved serial number is %q", now.SerialNumber)
			}
		})
	}
}
