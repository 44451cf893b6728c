package storage_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

func TestADecisionAboutStoredItemsIsMadeAndUndone(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		s := stafftest.NewFullStorage(h, "Umbrella", "Hat <b>", "Scarf")
		v := h.LogIn()
		umbrella, hat := s.Item("Umbrella"), s.Item("Hat")
		if a := v.Get(s.Path); a.Code != http.StatusOK || !strings.Contains(a.Body, "3 items past") ||
			!strings.Contains(a.Body, "Hat &lt;b&gt;") {
			t.Fatalf("got status %d for the storage page: %s", a.Code, a.Body)
		}
		if a := v.Get(s.Path + "?all=1"); strings.Count(a.Body, " checked>") != 3 {
			t.Error("not all items are selected")
		}
		for name, c := range map[string]struct {
			form url.Values
			want string
		}{
			"nothing selected": {url.Values{"do": {"donated"}}, "Select at least one."},
			"no reason": {url.Values{"do": {"hold"}, "item": {hat.ID}},
				"Enter a reason, so that colleagues know why it is kept."},
			"a day in the past": {url.Values{
				"do": {"keep"}, "item": {hat.ID}, "days": {"date"}, "until": {"2020-01-01"},
			}, "Has passed; choose today or a later day."},
			"an unknown destination": {url.Values{"do": {"sell"}, "item": {hat.ID}}, "Destination: Must be one of"},
		} {
			if a := v.Post(s.Path, c.form); a.Code != http.StatusUnprocessableEntity ||
				!strings.Contains(a.Body, c.want) {
				t.Errorf("%s: got status %d: %s", name, a.Code, a.Body)
			}
		}
		if a := v.Post(s.Path,
			url.Values{"do": {"donated"}, "item": {umbrella.ID, hat.ID}}); a.Code != http.StatusSeeOther ||
			a.Header.Get("Location") != s.Path {
			t.Fatalf("got status %d for a decision, want 303: %s", a.Code, a.Body)
		}
		if message := stafftest.FlashText(v, s.Path); message != "Decision saved. You can undo it until 13:15." {
			t.Errorf("got message %q", message)
		}
		decision := regexp.MustCompile(`/decisions/(clr_\w+)/undo`).FindStringSubmatch(v.Get(s.Path).Body)[1]
		if a := v.Post(s.Path, url.Values{"do": {"discarded"}, "item": {umbrella.ID}}); a.Code != http.StatusConflict ||
			!strings.Contains(a.Body, "These items no longer need a decision") {
			t.Errorf("got status %d for a form from another window, want 409", a.Code)
		}
		for _, path := range []string{"/decisions/" + decision, "/decisions/" + decision + "/list"} {
			if a := v.Get(s.Path + path); a.Code != http.StatusOK {
				t.Errorf("%s: got status %d, want 200", path, a.Code)
			}
		}
		if a := v.Post(s.Path+"/decisions/"+decision+"/undo",
			url.Values{"back": {"//elsewhere.example"}}); a.Header.Get("Location") != "/" {
			t.Errorf("got status %d for undo, want a redirect to the start page", a.Code)
		}
		if message := stafftest.FlashText(v, s.Path); message != "Undone. 2 items are waiting for a decision again." {
			t.Errorf("got message %q", message)
		}
		v.Post(s.Path, url.Values{"do": {"keep"}, "days": {"30"}, "item": {hat.ID}})
		v.Post(s.Path, url.Values{"do": {"hold"}, "reason": {"Evidence"}, "item": {umbrella.ID}})
		s.RunJobs()
		if a := v.Get(s.Path); !strings.Contains(a.Body, "1 item past the storage time") {
			t.Errorf("the page does not contain the remaining item: %s", a.Body)
		}
		if a := v.Get(s.Path + "/held"); !strings.Contains(a.Body, "On hold: Evidence") {
			t.Errorf("the page does not list the item on hold: %s", a.Body)
		}
		v.Post(s.Path+"/held", url.Values{"item": {umbrella.ID}})
		if message := stafftest.FlashText(v, s.Path); message != "1 item is no longer on hold." {
			t.Errorf("got message %q", message)
		}
		list := v.Post(s.Path, url.Values{"do": {"list"}, "item": {umbrella.ID}})
		if list.Header.Get("Content-Type") != "application/pdf" || !strings.HasPrefix(list.Body, "%PDF") {
			t.Errorf("got status %d for a pick list, want a PDF", list.Code)
		}
	})
}

func TestAnItemIsHandedOverOnce(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		s := stafftest.NewFullStorage(h, "Umbrella")
		v, umbrella := h.LogIn(), s.Item("Umbrella")
		at := "/at/" + s.Hotel.ID + "/items/" + umbrella.ID + "/hand-over"
		if a := v.Get(at); a.Code != http.StatusOK || !strings.Contains(a.Body, "I checked their ID") {
			t.Fatalf("got status %d for the form, want 200: %s", a.Code, a.Body)
		}
		if a := v.Get(at + "/form"); a.Code != http.StatusOK || !strings.HasPrefix(a.Body, "%PDF") {
			t.Errorf("got status %d for the paper form, want a PDF", a.Code)
		}
		testkit.Must(h.Services.Storage.Hold(t.Context(), h.Actor, s.Hotel.ID, []string{umbrella.ID}, "She called"))
		if a := v.Get(at); !strings.Contains(a.Body, "<strong>On hold:</strong> She called") {
			t.Error("the hand-over form does not say that the item is on hold")
		}
		for name, c := range map[string]struct {
			who, want, picture string
		}{
			"nobody":    {"", "This field is required.", ""},
			"signed":    {"", `value="data:image/png;base64,iVBORw0KGgo="`, "data:image/png;base64,iVBORw0KGgo="},
			"no PNG":    {"Anna", "clear it and sign again", "data:image/svg+xml,<svg/>"},
			"too large": {"Anna", "clear it and sign again", "data:image/png;base64," + strings.Repeat("AAAA", 70_000)},
		} {
			if a := v.Do(stafftest.SignedForm(s, at, c.who, c.picture)); a.Code != http.StatusUnprocessableEntity ||
				!strings.Contains(a.Body, c.want) {
				t.Errorf("%s: got status %d: %s", name, a.Code, a.Body)
			}
		}
		// a form from a browser without scripts has no signature
		if a := v.Do(stafftest.SignedForm(s, at, "Anna <Arden>", "")); a.Code != http.StatusSeeOther {
			t.Fatalf("got status %d for the hand-over, want 303: %s", a.Code, a.Body)
		}
		a := v.Get(at)
		receipt := regexp.MustCompile(`/files/[a-z2-7]+\.pdf`).FindString(a.Body)
		if !strings.Contains(a.Body, "Anna &lt;Arden&gt;") || receipt == "" ||
			h.NewVisitor().Get(receipt).Code != http.StatusOK {
			t.Errorf("the page does not show the name and the receipt: %s", a.Body)
		}
		if a := v.Do(stafftest.SignedForm(s, at, "Ben", "")); a.Code != http.StatusConflict {
			t.Errorf("got status %d for a form from another window, want 409", a.Code)
		}
		page := strings.TrimSuffix(at, "/hand-over")
		if a := v.Post(page+"/release", nil); a.Code != http.StatusSeeOther || a.Header.Get("Location") != page {
			t.Errorf("got status %d for ending the hold, want 303", a.Code)
		}
		if a := v.Get(page); !strings.Contains(a.Body, "Handed over") || !strings.Contains(a.Body, receipt) {
			t.Error("the page of the item does not show the hand-over")
		}
		if err := h.Services.Items.Delete(t.Context(), h.Actor, s.Hotel.ID, umbrella.ID); err != nil {
			t.Fatal(err)
		}
	})
}

func TestClearingStorageInABrowser(t *testing.T) {
	h, base := testkit.NewBrowserServer(t)
	s := stafftest.NewFullStorage(h, "Black umbrella with a wooden handle", "Red scarf",
		"Book: The Old Man and the Sea")
	v := browsertest.New(t, browsertest.Options{Phone: true})
	stafftest.OpenAsOwner(v, h, base+s.Path)
	v.See("3 items past", "Red scarf")
	v.Screenshot("storage")
	v.CheckAccessibility()
	v.CheckLayoutShift()
	v.Click("Red scarf")
	v.See("1 selected")
	v.SetOptions(browsertest.Options{Dark: true})
	v.Press("k", "x")
	v.See("2 selected")
	v.Screenshot("selected")
	v.CheckAccessibility()
	v.Press("x")
	v.See("1 selected")
	v.SetOptions(browsertest.Options{Phone: true})
	v.Follow("Donate to Caritas")
	v.See("1 item will be donated to Caritas at 13:15.", "2 items past")
	v.Screenshot("decided")
	v.CheckAccessibility()
	v.Follow("Undo")
	v.See("Undone. 1 item is waiting for a decision again.", "3 items past")
	v.SetOptions(browsertest.Options{Dark: true}) // now on a desktop
	v.Follow("Select all on this page")
	v.Follow("Discard")
	v.See("3 items will be discarded", "No items past their storage time")
	testkit.Must(h.Services.Storage.Hold(t.Context(), h.Actor, s.Hotel.ID, []string{s.Item("Book").ID},
		"Its owner has called"))
	h.Clock.Advance(lost.UndoTime)
	s.RunJobs()
	v.Reload()
	v.See("2 items were discarded", "1 left out.")
	v.Follow("See which")
	v.See("The item is on hold.", "On hold: Its owner has called")
	v.Screenshot("left out")
	v.CheckAccessibility()
	if i := s.Item("Red scarf"); i.Destination != lost.Discarded || i.ClosedAt.IsZero() {
		t.Errorf("got status %s and destination %q for the scarf", i.Status, i.Destination)
	}
}

// signing draws a signature with a simulated finger.
const signing = `(() => {
	const pad = document.querySelector('canvas'), at = pad.getBoundingClientRect()
	pad.setPointerCapture = () => {} // a simulated finger
	const send = (kind, x, y) => pad.dispatchEvent(new PointerEvent(kind,
		{bubbles: true, pointerId: 7, clientX: at.left + x * at.width, clientY: at.top + y * at.height}))
	send('pointerdown', .1, .6)
	for (let n = 1; n < 40; n++) send('pointermove', .1 + n / 50, .6 + .25 * Math.sin(n / 2))
	send('pointerup', .9, .6)
})()`

// ink counts the pixels of the signature on the page.
const ink = `(() => {
	const pad = document.querySelector('canvas')
	const { data } = pad.getContext('2d').getImageData(0, 0, pad.width, pad.height)
	return data.filter((v, n) => n % 4 === 3 && v > 127).length
})()`

// waitForInk waits until the signature on the page has a number of pixels.
func waitForInk(v *browsertest.Visitor, pixels int) {
	v.Run(fmt.Sprintf(`new Promise((done, fail) => {
		const end = Date.now() + 20000
		const check = () => {
			if (%s === %d) done()
			else if (Date.now() > end) fail(new Error('the signature is not as expected'))
			else setTimeout(check, 20)
		}
		check()
	})`, ink, pixels), nil)
}

func TestSigningForAnItemOnAPhone(t *testing.T) {
	h, base := testkit.NewBrowserServer(t)
	s := stafftest.NewFullStorage(h)
	umbrella := h.NewItem(s.Hotel, "Black umbrella", func(p *lost.ItemPatch) {
		p.Owner = lost.Set(lost.OwnerPatch{FirstName: lost.Set("Anna"), LastName: lost.Set("Arden")})
	})
	v := browsertest.New(t, browsertest.Options{Phone: true, Dark: true})
	stafftest.OpenAsOwner(v, h, base+"/at/"+s.Hotel.ID+"/items/"+umbrella.ID+"/hand-over")
	v.See("Hand over", "Sign with a finger")
	v.CheckLayoutShift()
	v.Run(signing, nil)
	var before int
	if v.Run(ink, &before); before == 0 {
		t.Fatal("nothing was drawn")
	}
	v.Screenshot("signed")
	v.CheckAccessibility()
	v.SetOptions(browsertest.Options{Dark: true}) // now on a desktop; the signature is kept
	stafftest.ExpectNoOverflow(t, v)
	v.IgnoreError("422")
	v.Follow("Hand over")
	v.See("Hand over without checking the ID?", "The signature is saved.")
	waitForInk(v, before)
	v.Screenshot("asked once more")
	v.CheckAccessibility()
	v.Click("I checked their ID")
	v.Click("Clear signature")
	waitForInk(v, 0)
	v.Run(signing, nil)
	v.Follow("Hand over")
	v.See("Handed over to Anna Arden.", "Checked", "Open the receipt", "You can undo it until")
	v.Screenshot("handed over")
	v.CheckAccessibility()
	i := s.Item("umbrella")
	if i.Handover.Name != "Anna Arden" || !i.Handover.IDChecked || i.Handover.SignatureFile == "" ||
		i.Status != lost.PickUp || i.ClosedAt.IsZero() {
		t.Errorf("got status %s and hand-over %+v", i.Status, i.Handover)
	}
	v.Back() // returns to the address of the form
	v.See("Handed over", "Open the receipt")
}
