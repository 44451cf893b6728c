package stafftest

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
)

// Picture returns a picture in one colour with a spot in another colour.
func Picture(t testing.TB, c color.Color) []byte {
	t.Helper()
	picture := image.NewRGBA(image.Rect(0, 0, 320, 240))
	for y := range 240 {
		for x := range 320 {
			if (x-160)*(x-160)+(y-120)*(y-120) < 80*80 {
				picture.Set(x, y, c)
			} else {
				picture.Set(x, y, color.RGBA{230, 225, 215, 255})
			}
		}
	}
	var b bytes.Buffer
	testkit.Must(0, png.Encode(&b, picture))
	return b.Bytes()
}

// WithOwner returns an option that adds an owner to a new item.
func WithOwner(email, first, last string) func(*lost.ItemPatch) {
	return func(p *lost.ItemPatch) {
		p.Owner = lost.Set(lost.OwnerPatch{
			Email: lost.Set(email), FirstName: lost.Set(first), LastName: lost.Set(last),
		})
	}
}

// FoundAt returns an option that sets where and when a new item was found.
func FoundAt(place, date string) func(*lost.ItemPatch) {
	return func(p *lost.ItemPatch) {
		p.DiscoveryPlace, p.DiscoveryDate = lost.Set(place), lost.Set(date)
	}
}

// ExpectNoOverflow fails the test if the page is wider than the window.
func ExpectNoOverflow(t *testing.T, v *browsertest.Visitor) {
	t.Helper()
	if fault := v.Overflow(); fault != "" {
		path, _, _ := strings.Cut(v.Location(), "?")
		t.Errorf("%s is %s", path, fault)
	}
}

// PayFee marks the shipping fee of an item as paid at the desk.
func PayFee(h *testkit.Server, i lost.Item) {
	h.T.Helper()
	testkit.Must(h.Services.Payments.SetAddress(h.T.Context(), h.Actor, i.LocationID, i.ID, lost.RecipientPatch{
		Name: lost.Set("Anna Berg"), Address1: lost.Set("Storgata 1"), City: lost.Set("Oslo"),
		ZipCode: lost.Set("0155"), Country: lost.Set("NO"),
	}))
	testkit.Must(h.Services.Items.SetStatus(h.T.Context(), h.Actor, i.LocationID, i.ID,
		lost.MovePatch{Status: lost.Set("FEE PAID")}))
}

// AwaitScripts waits until the scripts of a page have been run.
func AwaitScripts(v *browsertest.Visitor) {
	var done bool
	v.Run("new Promise(done => document.readyState === 'complete' ? done(true) : "+
		"addEventListener('load', () => done(true)))", &done)
}

// FileRequest creates a lost report at a location.
func FileRequest(h *testkit.Server, l lost.Location, description string) lost.Item {
	return testkit.Must(h.Services.Requests.File(context.Background(), h.Actor, l.ID, lost.RequestPatch{
		Description: lost.Set(description), LostPlace: lost.Set("Breakfast room"), LostDate: lost.Set("2026-11-10"),
		Proof: lost.Set("The initials A. B. are inside"),
		Owner: lost.Set(lost.OwnerPatch{
			FirstName: lost.Set("Anna"), LastName: lost.Set("Berg"), Email: lost.Set("anna@example.com"),
		}),
	}, lost.IdempotencyKey{}))
}

// AddTasks adds tasks to an item.
func AddTasks(h *testkit.Server, i lost.Item, kinds ...lost.TaskKind) {
	h.T.Helper()
	h.Clock.Advance(time.Second)
	testkit.Must(0, h.DB.Write(h.T.Context(), func(tx *store.Tx) error { return tx.SetTasks(i, kinds) }))
}
