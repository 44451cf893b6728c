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
			t.Error("what is here does not say where")
		}
		testkit.Must(h.Services.Items.SetStatus(t.Context(), h.Actor, l.ID, i.ID, move))
		page := v.Get(stafftest.ItemPath(l, i))
		if !stafftest.Shows(page, ">"+word+" <span", "15 November 2026") {
			t.Errorf("%s: the page does not say %q", word,
				stafftest.MissingText(page, ">"+word+" <span", "15 November 2026"))
		}
		for _, text := range []string{"<dt>Kept at", "<dt>Kept until", "/notify", "?edit=storage"} {
			if stafftest.Shows(page, text) {
				t.Errorf("%s: the page speaks of it as if it were here: %s", word, text)
			}
		}
		if list := v.Get(stafftest.ItemsPath(l) + "?where=gone&term=" + i.Reference); !stafftest.Shows(list, word,
			"Today") || stafftest.Shows(list, "Back office") {
			t.Errorf("%s: the list speaks of it as if it were here", word)
		}
		if a := v.Get(stafftest.ItemPath(l, i) + "/notify"); !stafftest.Shows(a, "no longer here") ||
			stafftest.Shows(a, "<form method=\"post\" action=\""+stafftest.ItemPath(l, i)) {
			t.Errorf("%s: its owner can be asked again", word)
		}
		if a := v.Post(stafftest.ItemPath(l, i)+"/notify", nil); a.Code != http.StatusConflict {
			t.Errorf("%s: asking its owner again answered %d", word, a.Code)
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
		t.Error("it can be paid for, and nobody knows whose it is")
	}
	if a := v.Get(stafftest.ItemPath(l, i) + "/status?to=FEE+PAID"); !stafftest.Shows(a,
		"This item has no owner. Add the owner",
		"?edit=owner#owner") || stafftest.Shows(a, "Change the status</button>") {
		t.Error("the question does not say what is missing")
	}
	if a := v.Post(stafftest.ItemPath(l, i)+"/status", url.Values{"to": {"FEE PAID"}}); a.Code != http.StatusConflict ||
		!stafftest.Shows(a, "Back to the item") {
		t.Errorf("without an owner it answered %d", a.Code)
	}
	testkit.Must(h.Services.Items.Update(t.Context(), h.Actor, l.ID, i.ID,
		lost.ItemPatch{Owner: lost.Set(lost.OwnerPatch{FirstName: lost.Set("Anna")})}))
	if a := v.Get(stafftest.ItemPath(l, i)); !stafftest.Shows(a, "Not notified: Anna has no", "Add contact details",
		"/address") {
		t.Error("an owner who cannot be reached is taken for one who was told")
	}
	if a := v.Get(stafftest.ItemPath(l, i) + "/status?to=FEE+PAID"); !stafftest.Shows(a, "Add the address first.",
		stafftest.ItemPath(l, i)+"/address") {
		t.Error("the question does not say that the address is missing")
	}
	address := url.Values{
		"recipient.name": {"Anna Berg"}, "recipient.address1": {"Storgata 1"}, "recipient.city": {"Oslo"},
		"recipient.country": {"NO"}, "recipient.zipCode": {"1"},
	}
	if a := v.Post(stafftest.ItemPath(l, i)+"/address", address); a.Code != http.StatusUnprocessableEntity ||
		!stafftest.Shows(a, "Postal code: Must be a postal code of the country, such as 1234.", "Storgata 1") {
		t.Errorf("a postal code that is none answered %d", a.Code)
	}
	address.Set("recipient.zipCode", "0155")
	if a := v.Post(stafftest.ItemPath(l, i)+"/address", address); a.Code != http.StatusSeeOther {
		t.Errorf("the address answered %d", a.Code)
	}
	if a := v.Get(stafftest.ItemPath(l, i)); !stafftest.Shows(a, "Storgata 1", "Address received",
		"Waiting for the owner → Address received", "Change the address", `value="FEE PAID"`) {
		t.Errorf("the page does not show %q",
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
	const kept, messages = "E-mail is not set up", `href="/settings/messages"`
	for _, page := range []string{stafftest.ItemPath(l, i), stafftest.ItemPath(l, i) + "/notify",
		"/at/" + l.ID + "/requests/" + r.ID} {
		if a := v.Get(page); !stafftest.Shows(a, kept, messages) {
			t.Errorf("%s does not say that nothing is sent", page)
		}
	}
	if a := v.Get("/at/" + l.ID + "/find"); !stafftest.Shows(a, kept) || stafftest.Shows(a, "notified at once") {
		t.Error("the page of a logger says that the owner is notified")
	}
	v.Post(stafftest.ItemPath(l, i)+"/notify", nil)
	if a := v.Get(stafftest.ItemPath(l, i)); stafftest.Shows(a, "on its way") ||
		!stafftest.Shows(a, kept, "Saved, not sent") {
		t.Errorf("the page does not say %q, or that a message is on its way",
			stafftest.MissingText(a, kept, "Saved, not sent"))
	}
	v.Post("/at/"+l.ID+"/requests/"+r.ID+"/reject", nil)
	if a := v.Get("/at/" + l.ID + "/requests/" + r.ID); stafftest.Shows(a, "They are notified") ||
		!stafftest.Shows(a, "The request was closed. E-mail is not set up.") {
		t.Error("a claimant who gets no message is said to be told")
	}
	h.Mails = true
	if a := v.Get(stafftest.ItemPath(l, i)); stafftest.Shows(a, kept) {
		t.Error("it is said that nothing is sent, and it is")
	}
}

func TestARejectedFormStillShowsHoldAndClearance(t *testing.T) {
	s := stafftest.NewFullStorage(testkit.NewServer(t), "Umbrella")
	i, v := s.Item("Umbrella"), s.LogIn()
	v.Post(s.Path, url.Values{"do": {"donated"}, "item": {i.ID}})
	const note = "It will be donated to Caritas at "
	if a := v.Get(stafftest.ItemPath(s.Hotel, i)); !stafftest.Shows(a, note) {
		t.Fatal("the page does not say what is decided")
	}
	edit := url.Values{
		"group": {"shipping"}, "seen": {strconv.FormatInt(i.UpdatedAt.UnixMicro(), 10)}, "shipping.weight": {"heavy"},
		"shipping.weightUnit": {"kg"},
	}
	if a := v.Post(stafftest.ItemPath(s.Hotel, i), edit); a.Code != http.StatusUnprocessableEntity ||
		!stafftest.Shows(a, note, `value="heavy"`) {
		t.Errorf("an edit that is refused answers %d without %q", a.Code,
			stafftest.MissingText(a, note, `value="heavy"`))
	}
	body, kind := stafftest.FileForm("image", []byte("not a picture"))
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost,
		testkit.Base+stafftest.ItemPath(s.Hotel, i)+"/photos", strings.NewReader(body))
	r.Header.Set("Content-Type", kind)
	if a := v.Do(r); a.Code != http.StatusUnsupportedMediaType || !stafftest.Shows(a, note, "Photo 1 was not added") {
		t.Errorf("a photo that is refused answers %d without %q", a.Code,
			stafftest.MissingText(a, note, "Photo 1 was not added"))
	}
}

func TestAnItemToBeDonatedIsNotShownAsDonated(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	i := h.NewItem(l, "Umbrella", func(p *lost.ItemPatch) { p.StoragePlace = lost.Set("Cellar") })
	v := h.LogIn()
	v.Post(stafftest.ItemPath(l, i)+"/status", url.Values{"to": {"DONATE"}})
	for page, says := range map[string]string{
		stafftest.ItemPath(l, i):             "Waiting for the owner → To be donated",
		"/at/" + l.ID + "/place?name=Cellar": ">To be donated<", stafftest.ItemsPath(l): ">To be donated<",
	} {
		if a := v.Get(page); !stafftest.Shows(a, says) || stafftest.Shows(a, `">Donated<`) ||
			stafftest.Shows(a, "→ Donated") {
			t.Errorf("%s does not say %q, or that it is donated", page, says)
		}
	}
	preview := stafftest.UploadFile(v, "/at/"+l.ID+"/import", "f.csv",
		"description,status\nHat,DONATE\n").Header.Get("Location")
	if a := v.Get(preview); !stafftest.Shows(a, ">To be donated<") {
		t.Errorf("what is imported is not said to be donated yet: %s", a.Body)
	}
	seen := testkit.Must(h.Services.Items.Get(t.Context(), h.Actor, l.ID, i.ID)).UpdatedAt
	v.Post(stafftest.ItemPath(l, i)+"/status?done=1", url.Values{"seen": {strconv.FormatInt(seen.UnixMicro(), 10)}})
	v.Post(stafftest.ItemPath(l, i)+"/status", url.Values{"to": {"PENDING"}})
	v.Post(stafftest.ItemPath(l, i)+"/status", url.Values{"to": {"DONATE"}, "closed": {"yes"}})
	if a := v.Get(stafftest.ItemPath(l, i)); !stafftest.Shows(a, "Donated → Waiting for the owner",
		"Waiting for the owner → Donated") {
		t.Errorf("the history does not say %q",
			stafftest.MissingText(a, "Donated → Waiting for the owner", "Waiting for the owner → Donated"))
	}
}

func TestItemActionsAreRefusedForRequests(t *testing.T) {
	h := testkit.NewServer(t)
	h.Mails = true
	l := h.NewLocation("Hotel Adler")
	r := stafftest.FileRequest(h, l, "My felt hat")
	v := h.LogIn()
	for _, page := range []string{
		"/status", "/status?to=SHIPPED", "/notify", "/link", "/address", "/refund", "/delete",
	} {
		if a := v.Get(stafftest.ItemPath(l, r) + page); a.Code != http.StatusConflict ||
			!stafftest.Shows(a, "This is a request.", "Back to the request", `href="/at/`+l.ID+"/requests/"+r.ID+`"`) {
			t.Errorf("%s answered %d", page, a.Code)
		}
	}
	if a := v.Post(stafftest.ItemPath(l, r)+"/delete",
		url.Values{"reference": {r.Reference}}); a.Code != http.StatusConflict {
		t.Errorf("deleting a request as an item answered %d", a.Code)
	}
}

func TestAnUnpaidItemCannotBeRefunded(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	i := h.NewItem(l, "Umbrella", stafftest.WithOwner("anna@example.com", "Anna", ""))
	v := h.LogIn()
	if a := v.Get(stafftest.ItemPath(l, i) + "/refund"); a.Code != http.StatusConflict ||
		!stafftest.Shows(a, "This item has no payment to refund.", "Back to the item") {
		t.Errorf("where nothing was paid it answered %d", a.Code)
	}
	stafftest.PayFee(h, i)
	if a := v.Get(stafftest.ItemPath(l, i) + "/refund"); a.Code != http.StatusOK ||
		!stafftest.Shows(a, "Refund the payment?") {
		t.Errorf("where something was paid it answered %d", a.Code)
	}
	v.Post(stafftest.ItemPath(l, i)+"/refund", nil)
	if a := v.Get(stafftest.ItemPath(l, i) + "/refund"); a.Code != http.StatusConflict ||
		!stafftest.Shows(a, "The fee is being refunded already.") {
		t.Errorf("a second time it answered %d", a.Code)
	}
}
