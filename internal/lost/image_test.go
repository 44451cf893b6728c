package lost_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
)

func TestSortingImagesKeepsTheClientsOwnImageURL(t *testing.T) {
	now := time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)
	i := lost.Item{
		ImageURL: "https://a.example/x.jpg", Images: []lost.Image{{File: "b.jpg"}, {File: "a.jpg"}, {File: "c.jpg"}},
	}
	before := i
	order := lost.ImageOrder{IDs: lost.Set([]string{
		lost.ImageIDOf("c.jpg"), lost.ImageIDOf("b.jpg"), lost.ImageIDOf("a.jpg"),
	})}
	changed, err := order.Sort(&i, now)
	if err != nil || !slices.Equal(changed, []string{"images"}) || i.ImageFile != "" || i.UpdatedAt != now {
		t.Errorf("got %v, %v, main image %q", changed, err, i.ImageFile)
	}
	if i.Images[0].File != "c.jpg" || before.Images[0].File != "b.jpg" {
		t.Errorf("got %v, and the copy %v", i.Images, before.Images)
	}
	i.ImageURL, i.ImageFile = "", "a.jpg"
	if changed, err = order.Sort(&i, now); err != nil || !slices.Equal(changed, []string{"imageUrl"}) ||
		i.ImageFile != "c.jpg" {
		t.Errorf("got %v, %v, main image %q", changed, err, i.ImageFile)
	}
}

func TestPhotoCodesAreOneLineWithoutPersonalData(t *testing.T) {
	for _, text := range []string{
		"SN-1234", "https://example.com/p/1", "4006381333931", strings.Repeat("é", lost.MaxPhotoCode), "製造番号 12",
		"M1234/A", "Telefunken 5", "Geography 7",
		"356938035643809", "490-1542-0323751", "https://example.com/p/4006381333931", "01/23456789", "C++ 11",
	} {
		if c, ok := lost.NewPhotoCode(lost.QRCode, " "+text+"\n"); !ok || c.Text != text {
			t.Errorf("%q is stored as %q, %t", text, c.Text, ok)
		}
	}
	for _, text := range []string{
		"", "  ", "a\nb", "a\x1db", "bad \xff text", "a\u202eb", strings.Repeat("x", lost.MaxPhotoCode+1),
		"WIFI:S:home;T:WPA;P:secret;;", "wifi:S:home;;", "BEGIN:VCARD", "MECARD:N:Ann;;", "mailto:ann@example.com",
		"tel:+4930123456", "SMSTO:123:hi", "otpauth://totp/x?secret=y", "M1DOE/JANE         EABC123 ZRHFRA",
		"BCD 002", "geo:47.1,8.2", "HOMEWARD:K7P2MX:1",
		"Anna Kowalska anna@example.com +48 600 123 456", "Anna Kowalska +48600123456", "+48 600 123 456",
		"Kowalska, 030/901820-1", "030 90 18 20 1", "anna@example.com", "https://wa.me/+48600123456",
		"anna (at) example.com", "Jan ٠٣٠ ١٢٣٤٥٦٧", "600123456 Anna",
	} {
		if c, ok := lost.NewPhotoCode(lost.QRCode, text); ok {
			t.Errorf("%q is stored as %q", text, c.Text)
		}
	}
	if _, ok := lost.NewPhotoCode(lost.Code39, "A12"); ok {
		t.Error("a short code without check digits is stored")
	}
}

func TestHashesOfCopiesShareABand(t *testing.T) {
	const hash lost.PhotoHash = 0x0123456789abcdef
	shares := func(a, b lost.PhotoHash) bool {
		x, y := a.Bands(), b.Bands()
		for n := range x {
			if x[n] == y[n] {
				return true
			}
		}
		return false
	}
	for i := range 64 {
		for j := range 64 {
			for _, k := range []int{0, 15, 16, 40, 63} {
				other := hash ^ 1<<i ^ 1<<j ^ 1<<k
				if !hash.IsCopy(other) || !shares(hash, other) {
					t.Fatalf("%x and %x: copy %t, band %t", hash, other, hash.IsCopy(other), shares(hash, other))
				}
			}
		}
	}
	for _, other := range []lost.PhotoHash{0, ^hash, hash ^ 0xff} {
		if hash.IsCopy(other) || other.IsCopy(hash) {
			t.Errorf("%x is a copy of %x", other, hash)
		}
	}
	if lost.PhotoHash(0).IsCopy(0) {
		t.Error("photos without a hash are copies")
	}
}

func TestOrientation(t *testing.T) {
	for _, c := range []struct {
		w, h int
		want lost.Orientation
	}{{3, 4, lost.Portrait}, {4, 3, lost.Landscape}, {5, 5, lost.Square}} {
		if got := (lost.Image{Width: c.w, Height: c.h}).Orientation(); got != c.want {
			t.Errorf("%d × %d is %s", c.w, c.h, got)
		}
	}
}
