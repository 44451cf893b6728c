package items_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/staff/stafftest"
)

func TestAnItemThatIsGoneHasNoStoragePlace(t *testing.T) {
	h := testkit.NewServer(t)
	l := testkit.Must(h.Services.Locations.Create(t.Context(), h.Actor,
		lost.LocationPatch{
			Name: lost.Set("Hotel Adler"), StoragePlace: lost.Set("Back office"), StorageDuration: lost.Set(90),
		}, lost.IdempotencyKey{}))
	v := h.LogIn()
	closed := lost.Set(true)
	for word, move := range map[string]lost.MovePatch{
		"Collected": {Status: lost.Set("PICKUP"), Closed: closed},
		"Donated":   {Status: lost.Set("DONATE"), Closed: closed},
		"Discarded": {Status: lost.Set("DISCARD"), Closed: closed},
		"Delivered": {Status: lost.Set("DELIVERED")}, "On its way": {Status: lost.Set("SHIPPED")},
	} {
		i := h.NewItem(l, "Umbrella", stafftest.WithOwner("anna@example.com", "Anna", ""))
		if a := v.Get(stafftest.ItemPath(l, i)); !stafftest.Shows(a, "Stored at", "Back office", "Keep until",
			"/link\">Owner’s page") {
			t.Error("the page does not show the storage place")
		}
		testkit.Must(h.Services.Items.SetStatus(t.Context(), h.Actor, l.ID, i.ID, move))
		page := v.Get(stafftest.ItemPath(l, i))
		if !stafftest.Shows(page, ">"+word+" <span", "15 November 2026") {
			t.Errorf("%s: the page does not contain %q", word,
				stafftest.MissingText(page, ">"+word+" <span", "15 November 2026"))
		}
		for _, text := range []string{"<dt>Stored at", "<dt>Keep until", "/notify", "?edit=storage"} {
			if stafftest.Shows(page, text) {
				t.Errorf("%s: the page of an item that left contains %q", word, text)
			}
		}
		if list := v.Get(stafftest.ItemsPath(l) + "?where=gone&q=" + i.Reference); !stafftest.Shows(list, word,
			"Today") || stafftest.Shows(list, "Back office") {
			t.Errorf("%s: the list does not show the state, or shows the storage place", word)
		}
		if a := v.Get(stafftest.ItemPath(l, i) + "/notify"); !stafftest.Shows(a, "no longer here") ||
			stafftest.Shows(a, "<form method=\"post\" action=\""+stafftest.ItemPath(l, i)) {
			t.Errorf("%s: the owner can be notified again", word)
		}
		if a := v.Post(stafftest.ItemPath(l, i)+"/notify", nil); a.Code != http.StatusConflict {
			t.Errorf("%s: got status %d for another notification, want 409", word, a.Code)
		}
	}
}

func TestAnItemWithoutAnAddressCannotBePaid(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	i := h.NewItem(l, "Umbrella")
	v := h.LogIn()
	if a := v.Get(stafftest.ItemPath(l, i)); stafftest.Shows(a, `value="FEE PAID"`) ||
		stafftest.Shows(a, `value="INFO COMPLETED"`) {
		t.Error("an item without an owner can be marked as paid")
	}
	if a := v.Get(stafftest.ItemPath(l, i) + "/status?to=FEE+PAID"); !stafftest.Shows(a,
		"This item has no owner. Add the owner",
		"?edit=owner#owner") || stafftest.Shows(a, "Change the status</button>") {
		t.Error("the page does not say that the owner is missing")
	}
	if a := v.Post(stafftest.ItemPath(l, i)+"/status", url.Values{"to": {"FEE PAID"}}); a.Code != http.StatusConflict ||
		!stafftest.Shows(a, "Back to the item") {
		t.Errorf("got status %d without an owner, want 409", a.Code)
	}
	testkit.Must(h.Services.Items.Update(t.Context(), h.Actor, l.ID, i.ID,
		lost.ItemPatch{Owner: lost.Set(lost.OwnerPatch{FirstName: lost.Set("Anna")})}))
	if a := v.Get(stafftest.ItemPath(l, i)); !stafftest.Shows(a, "Not notified: Anna has no", "Add contact details",
		"/address") {
		t.Error("the page does not say that the owner has no contact details")
	}
	if a := v.Get(stafftest.ItemPath(l, i) + "/status?to=FEE+PAID"); !stafftest.Shows(a, "Add the address first.",
		stafftest.ItemPath(l, i)+"/address") {
		t.Error("the page does not say that the address is missing")
	}
	address := url.Values{
		"recipient.name": {"Anna Berg"}, "recipient.address1": {"Storgata 1"}, "recipient.city": {"Oslo"},
		"recipient.country": {"NO"}, "recipient.zipCode": {"1"},
	}
	if a := v.Post(stafftest.ItemPath(l, i)+"/address", address); a.Code != http.StatusUnprocessableEntity ||
		!stafftest.Shows(a, "Postal code: Must be a valid postal code in this country, such as 1234.", "Storgata 1") {
		t.Errorf("got status %d for an invalid postal code, want 422", a.Code)
	}
	address.Set("recipient.zipCode", "0155")
	if a := v.Post(stafftest.ItemPath(l, i)+"/address", address); a.Code != http.StatusSeeOther {
		t.Errorf("got status %d for a valid address, want 303", a.Code)
	}
	if a := v.Get(stafftest.ItemPath(l, i)); !stafftest.Shows(a, "Storgata 1", "Address received",
		"Waiting for the owner → Address received", "Change the address", `value="FEE PAID"`) {
		t.Errorf("the page does not contain %q",
			stafftest.MissingText(a, "Storgata 1", "Address received", "Waiting for the owner → Address received",
				"Change the address", `value="FEE PAID"`))
	}
}

func TestWithoutEmailNoPageClaimsThatSomebodyIsNotified(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	i := h.NewItem(l, "Umbrella", stafftest.WithOwner("anna@example.com", "Anna", ""))
	r := stafftest.FileRequest(h, l, "My felt hat")
	v := h.LogIn()
	const notSent, messages = "E-mail is not set up", `href="/settings/messages"`
	for _, page := range []string{stafftest.ItemPath(l, i), stafftest.ItemPath(l, i) + "/notify",
		"/at/" + l.ID + "/requests/" + r.ID} {
		if a := v.Get(page); !stafftest.Shows(a, notSent, messages) {
			t.Errorf("%s does not say that messages are not sent", page)
		}
	}
	if a := v.Get("/at/" + l.ID + "/find"); !stafftest.Shows(a, notSent) || stafftest.Shows(a, "notified immediately") {
		t.Error("the form to record an item says that the owner is notified")
	}
	v.Post(stafftest.ItemPath(l, i)+"/notify", nil)
	if a := v.Get(stafftest.ItemPath(l, i)); stafftest.Shows(a, "on its way") ||
		!stafftest.Shows(a, notSent, "Saved, not sent") {
		t.Errorf("the page does not contain %q, or says that a message is on its way",
			stafftest.MissingText(a, notSent, "Saved, not sent"))
	}
	v.Post("/at/"+l.ID+"/requests/"+r.ID+"/reject", nil)
	if a := v.Get("/at/" + l.ID + "/requests/" + r.ID); stafftest.Shows(a, "The guest is notified") ||
		!stafftest.Shows(a, "The request was closed. E-mail is not set up.") {
		t.Error("the page says that the claimant is notified")
	}
	h.SendsMail = true
	if a := v.Get(stafftest.ItemPath(l, i)); stafftest.Shows(a, notSent) {
		t.Error("the page says that messages are not sent although they are")
	}
}

func TestARejectedFormStillShowsHoldAndClearance(t *testing.T) {
	s := stafftest.NewFullStorage(testkit.NewServer(t), "Umbrella")
	i, v := s.Item("Umbrella"), s.LogIn()
	v.Post(s.Path, url.Values{"do": {"donated"}, "item": {i.ID}})
	const note = "It will be donated to Caritas at "
	if a := v.Get(stafftest.ItemPath(s.Hotel, i)); !stafftest.Shows(a, note) {
		t.Fatal("the page does not show the decision")
	}
	edit := url.Values{
		"group": {"shipping"}, "seen": {strconv.FormatInt(i.UpdatedAt.UnixMicro(), 10)}, "shipping.weight": {"heavy"},
		"shipping.weightUnit": {"kg"},
	}
	if a := v.Post(stafftest.ItemPath(s.Hotel, i), edit); a.Code != http.StatusUnprocessableEntity ||
		!stafftest.Shows(a, note, `value="heavy"`) {
		t.Errorf("got status %d for a rejected edit, and the page lacks %q", a.Code,
			stafftest.MissingText(a, note, `value="heavy"`))
	}
	body, kind := stafftest.FileForm("image", []byte("not a picture"))
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost,
		testkit.Base+stafftest.ItemPath(s.Hotel, i)+"/photos", strings.NewReader(body))
	r.Header.Set("Content-Type", kind)
	if a := v.Do(r); a.Code != http.StatusUnsupportedMediaType || !stafftest.Shows(a, note, "Photo 1 was not added") {
		t.Errorf("got status %d for a rejected photo, and the page lacks %q", a.Code,
			stafftest.MissingText(a, note, "Photo 1 was not added"))
	}
}

func TestAnItemToBeDonatedIsNotShownAsDonated(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	i := h.NewItem(l, "Umbrella", func(p *lost.ItemPatch) { p.StoragePlace = lost.Set("Cellar") })
	v := h.LogIn()
	v.Post(stafftest.ItemPath(l, i)+"/status", url.Values{"to": {"DONATE"}})
	for page, want := range map[string]string{
		stafftest.ItemPath(l, i):             "Waiting for the owner → To be donated",
		"/at/" + l.ID + "/place?name=Cellar": ">To be donated<", stafftest.ItemsPath(l): ">To be donated<",
	} {
		if a := v.Get(page); !stafftest.Shows(a, want) || stafftest.Shows(a, `">Donated<`) ||
			stafftest.Shows(a, "→ Donated") {
			t.Errorf("%s does not contain %q, or says that it is donated", page, want)
		}
	}
	preview := stafftest.UploadFile(v, "/at/"+l.ID+"/import", "f.csv",
		"description,status\nHat,DONATE\n").Header.Get("Location")
	if a := v.Get(preview); !stafftest.Shows(a, ">To be donated<") {
		t.Errorf("the preview does not show the status “To be donated”: %s", a.Body)
	}
	seen := testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID, i.ID)).UpdatedAt
	v.Post(stafftest.ItemPath(l, i)+"/status?done=1", url.Values{"seen": {strconv.FormatInt(seen.UnixMicro(), 10)}})
	v.Post(stafftest.ItemPath(l, i)+"/status", url.Values{"to": {"PENDING"}})
	v.Post(stafftest.ItemPath(l, i)+"/status", url.Values{"to": {"DONATE"}, "closed": {"yes"}})
	if a := v.Get(stafftest.ItemPath(l, i)); !stafftest.Shows(a, "Donated → Waiting for the owner",
		"Waiting for the owner → Donated") {
		t.Errorf("the history does not contain %q",
			stafftest.MissingText(a, "Donated → Waiting for the owner", "Waiting for the owner → Donated"))
	}
}

func TestItemActionsAreRefusedForRequests(t *testing.T) {
	h := testkit.NewServer(t)
	h.SendsMail = true
	l := h.NewLocation("Hotel Adler")
	r := stafftest.FileRequest(h, l, "My felt hat")
	v := h.LogIn()
	for _, page := range []string{
		"/status", "/status?to=SHIPPED", "/notify", "/link", "/address", "/refund", "/delete",
	} {
		if a := v.Get(stafftest.ItemPath(l, r) + page); a.Code != http.StatusConflict ||
			!stafftest.Shows(a, "This is a request.", "Back to the request", `href="/at/`+l.ID+"/requests/"+r.ID+`"`) {
			t.Errorf("%s: got status %d, want 409", page, a.Code)
		}
	}
	if a := v.Post(stafftest.ItemPath(l, r)+"/delete",
		url.Values{"reference": {r.Reference}}); a.Code != http.StatusConflict {
		t.Errorf("got status %d when deleting a request as an item, want 409", a.Code)
	}
}

func TestAnUnpaidItemCannotBeRefunded(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	i := h.NewItem(l, "Umbrella", stafftest.WithOwner("anna@example.com", "Anna", ""))
	v := h.LogIn()
	if a := v.Get(stafftest.ItemPath(l, i) + "/refund"); a.Code != http.StatusConflict ||
		!stafftest.Shows(a, "This item has no payment to refund.", "Back to the item") {
		t.Errorf("got status %d without a payment, want 409", a.Code)
	}
	stafftest.PayFee(h, i)
	if a := v.Get(stafftest.ItemPath(l, i) + "/refund"); a.Code != http.StatusOK ||
		!stafftest.Shows(a, "Refund the payment?") {
		t.Errorf("got status %d with a payment, want 200", a.Code)
	}
	expectNotDeleted(t, v, l, i, "The owner has paid for shipping. Refund the fee first", "Refund the payment")
	v.Post(stafftest.ItemPath(l, i)+"/refund", nil)
	expectNotDeleted(t, v, l, i, "Wait until the refund is done.", "Back to the item")
	if a := v.Get(stafftest.ItemPath(l, i) + "/refund"); a.Code != http.StatusConflict ||
		!stafftest.Shows(a, "The fee is already being refunded.") {
		t.Errorf("got status %d for a second refund, want 409", a.Code)
	}
	shipment := testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID, i.ID)).Parcel.ShipmentID
	testkit.Must(h.Services.Refunds.RefundShipment(t.Context(), i.Account, shipment))
	stafftest.ExpectPage(t, v.Get(stafftest.ItemPath(l, i)), http.StatusOK, "A refund is due.",
		"To be paid back at the desk")
	stafftest.ExpectPage(t, v.Get(stafftest.ItemPath(l, i)+"/refund"), http.StatusOK, "Was the fee paid back?",
		"Pay the fee back to the owner, then confirm it.")
	v.Post(stafftest.ItemPath(l, i)+"/refund", nil)
	stafftest.ExpectPage(t, v.Get(stafftest.ItemPath(l, i)), http.StatusOK, "The refund was recorded.", "Refunded")
	stafftest.ExpectPage(t, v.Get("/locations/"+l.ID+"/delete"), http.StatusOK, "Delete permanently")
	if a := v.Post(stafftest.ItemPath(l, i)+"/delete",
		url.Values{"reference": {i.Reference}}); a.Code != http.StatusSeeOther {
		t.Errorf("got status %d when deleting after the refund, want 303", a.Code)
	}
}

// expectNotDeleted checks that the pages that delete an item and its location show the reason instead of a form.
func expectNotDeleted(t *testing.T, v *testkit.Visitor, l lost.Location, i lost.Item, texts ...string) {
	t.Helper()
	item, location := stafftest.ItemPath(l, i)+"/delete", "/locations/"+l.ID+"/delete"
	stafftest.ExpectPage(t, v.Get(item), http.StatusOK, texts...)
	stafftest.ExpectPage(t, v.Post(item, url.Values{"reference": {i.Reference}}), http.StatusConflict, texts...)
	const count = "The owner of 1 item here has paid for shipping"
	stafftest.ExpectPage(t, v.Get(location), http.StatusOK, count)
	stafftest.ExpectPage(t, v.Post(location, url.Values{"confirm": {l.Name}}), http.StatusConflict, count)
	for _, page := range []string{item, location} {
		if stafftest.Shows(v.Get(page), "Delete permanently") {
			t.Errorf("%s has a form", page)
		}
	}
}

func TestAnItemWhoseClaimantIsNotNotifiedIsNotGivenAway(t *testing.T) {
	h := testkit.NewServer(t)
	l, ctx := h.NewLocation("Hotel Adler"), t.Context()
	i := h.NewItem(l, "Umbrella")
	request := testkit.Must(h.Services.Requests.File(ctx, h.Actor, l.ID, lost.RequestPatch{
		Description: lost.Set("Umbrella"), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")}),
	}, lost.IdempotencyKey{}))
	testkit.Must(h.Services.Requests.Decide(ctx, h.Actor, l.ID, request.ID, lost.DecisionPatch{
		Type: lost.Set(lost.Accept), ItemID: lost.Set(i.ID), Delayed: true,
	}))
	v := h.LogIn()
	const why = "Undo the match, or notify the guest first."
	refused := v.Get(stafftest.ItemPath(l, i) + "/status?to=DONATE")
	stafftest.ExpectPage(t, refused, http.StatusOK, why, "Open request "+request.Reference)
	if !strings.Contains(refused.Body, `href="/at/`+l.ID+"/requests/"+request.ID+`"`) {
		t.Error("the page does not link to the request")
	}
	stafftest.ExpectPage(t, v.Post(stafftest.ItemPath(l, i)+"/status", url.Values{"to": {"DISCARD"}}),
		http.StatusConflict, why)
	stafftest.ExpectPage(t, v.Post("/at/"+l.ID+"/items/bulk/status", url.Values{"item": {i.ID}, "status": {"DONATE"}}),
		http.StatusOK, "1 item is not changed: it was matched with a request")
	stafftest.ExpectPage(t, v.Post("/at/"+l.ID+"/items/bulk/status", url.Values{
		"item": {i.ID}, "status": {"DONATE"}, "sure": {"1"},
	}), http.StatusOK, why)
	if now := testkit.Must(h.Services.Items.Get(ctx, h.Actor, l.ID, i.ID)); now.Status != lost.Pending {
		t.Errorf("got status %s", now.Status)
	}
	stafftest.ExpectPage(t, v.Get(stafftest.ItemPath(l, i)+"/status?to=PICKUP"), http.StatusOK, "For the pick-up.")
}
