package staff_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
)

func TestWhatIsGoneIsKeptNowhere(t *testing.T) {
	h := testkit.NewServer(t)
	l := testkit.Must(h.Desk.CreateLocation(t.Context(), h.Actor, lost.LocationPatch{Name: lost.Set("Hotel Adler"), StoragePlace: lost.Set("Back office"), StorageDuration: lost.Set(90)}, lost.IdempotencyKey{}))
	v := h.LogIn()
	closed := lost.Set(true)
	for word, move := range map[string]lost.MovePatch{
		"Collected": {Status: lost.Set("PICKUP"), Closed: closed}, "Donated": {Status: lost.Set("DONATE"), Closed: closed}, "Discarded": {Status: lost.Set("DISCARD"), Closed: closed},
		"Delivered": {Status: lost.Set("DELIVERED")}, "On its way": {Status: lost.Set("SHIPPED")},
	} {
		i := h.NewItem(l, "Umbrella", from("anna@example.com", "Anna", ""))
		if a := v.Get(itemAt(l, i)); !shows(a, "Kept at", "Back office", "Kept until", "/link\">The owner’s page") {
			t.Error("what is here does not say where")
		}
		testkit.Must(h.Desk.SetStatus(t.Context(), h.Actor, l.ID, i.ID, move))
		page := v.Get(itemAt(l, i))
		if !shows(page, ">"+word+" <span", "15 November 2026") {
			t.Errorf("%s: the page does not say %q", word, missing(page, ">"+word+" <span", "15 November 2026"))
		}
		for _, text := range []string{"<dt>Kept at", "<dt>Kept until", "/notify", "?edit=storage"} {
			if shows(page, text) {
				t.Errorf("%s: the page speaks of it as if it were here: %s", word, text)
			}
		}
		if list := v.Get(itemsAt(l) + "?where=gone&term=" + i.Reference); !shows(list, word, "Today") || shows(list, "Back office") {
			t.Errorf("%s: the list speaks of it as if it were here", word)
		}
		if a := v.Get(itemAt(l, i) + "/notify"); !shows(a, "not here any more") || shows(a, "<form method=\"post\" action=\""+itemAt(l, i)) {
			t.Errorf("%s: its owner can be asked again", word)
		}
		if a := v.Post(itemAt(l, i)+"/notify", nil); a.Code != http.StatusConflict {
			t.Errorf("%s: asking its owner again answered %d", word, a.Code)
		}
	}
}

func TestNothingIsPaidForThatHasNowhereToGo(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	i := h.NewItem(l, "Umbrella")
	v := h.LogIn()
	if a := v.Get(itemAt(l, i)); shows(a, `value="FEE PAID"`) || shows(a, `value="INFO COMPLETED"`) {
		t.Error("it can be paid for, and nobody knows whose it is")
	}
	if a := v.Get(itemAt(l, i) + "/status?to=FEE+PAID"); !shows(a, "Nobody knows whose it is.", "?edit=owner#owner") || shows(a, "Change the status</button>") {
		t.Error("the question does not say what is missing")
	}
	if a := v.Post(itemAt(l, i)+"/status", url.Values{"to": {"FEE PAID"}}); a.Code != http.StatusConflict || !shows(a, "Back to the item") {
		t.Errorf("without an owner it answered %d", a.Code)
	}
	testkit.Must(h.Desk.UpdateItem(t.Context(), h.Actor, l.ID, i.ID, lost.ItemPatch{Owner: lost.Set(lost.OwnerPatch{FirstName: lost.Set("Anna")})}))
	if a := v.Get(itemAt(l, i)); !shows(a, "Nobody has told Anna", "Add how to reach them", "/address") {
		t.Error("an owner who cannot be reached is taken for one who was told")
	}
	if a := v.Get(itemAt(l, i) + "/status?to=FEE+PAID"); !shows(a, "Add the address first.", itemAt(l, i)+"/address") {
		t.Error("the question does not say that the address is missing")
	}
	address := url.Values{"recipient.name": {"Anna Berg"}, "recipient.address1": {"Storgata 1"}, "recipient.city": {"Oslo"}, "recipient.country": {"NO"}, "recipient.zipCode": {"1"}}
	if a := v.Post(itemAt(l, i)+"/address", address); a.Code != http.StatusUnprocessableEntity || !shows(a, "Postal code: Must be a postal code of the country, such as 1234.", "Storgata 1") {
		t.Errorf("a postal code that is none answered %d", a.Code)
	}
	address.Set("recipient.zipCode", "0155")
	if a := v.Post(itemAt(l, i)+"/address", address); a.Code != http.StatusSeeOther {
		t.Errorf("the address answered %d", a.Code)
	}
	if a := v.Get(itemAt(l, i)); !shows(a, "Storgata 1", "Address received", "Waiting for the owner → Address received", "Change the address", `value="FEE PAID"`) {
		t.Errorf("the page does not show %q", missing(a, "Storgata 1", "Address received", "Waiting for the owner → Address received", "Change the address", `value="FEE PAID"`))
	}
}

func TestWhereNothingIsSentNobodyIsSaidToBeTold(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	i := h.NewItem(l, "Umbrella", from("anna@example.com", "Anna", ""))
	r := filed(h, l, "My felt hat")
	v := h.LogIn()
	const kept, messages = "othing is sent until e-mail is set up", `href="/settings/messages"`
	for _, page := range []string{itemAt(l, i), itemAt(l, i) + "/notify", "/at/" + l.ID + "/requests/" + r.ID} {
		if a := v.Get(page); !shows(a, kept, messages) {
			t.Errorf("%s does not say that nothing is sent", page)
		}
	}
	if a := v.Get("/at/" + l.ID + "/find"); !shows(a, kept) || shows(a, "told at once") {
		t.Error("whoever records a find is promised that its owner is told")
	}
	v.Post(itemAt(l, i)+"/notify", nil)
	if a := v.Get(itemAt(l, i)); shows(a, "on its way") || !shows(a, "is kept: n"+kept[:5], "was kept, and not sent") {
		t.Errorf("the page does not say %q, or that a message is on its way", missing(a, "is kept: n"+kept[:5], "was kept, and not sent"))
	}
	v.Post("/at/"+l.ID+"/requests/"+r.ID+"/reject", nil)
	if a := v.Get("/at/" + l.ID + "/requests/" + r.ID); shows(a, "They are told") || !shows(a, "The request is closed. The message to them is kept") {
		t.Error("a claimant who gets no message is said to be told")
	}
	h.Mails = true
	if a := v.Get(itemAt(l, i)); shows(a, kept) {
		t.Error("it is said that nothing is sent, and it is")
	}
}

func TestAFormThatIsRefusedStillTellsWhatIsDoneForTheItem(t *testing.T) {
	s := stocked(testkit.NewServer(t), "Umbrella")
	i, v := s.item("Umbrella"), s.LogIn()
	v.Post(s.root, url.Values{"do": {"donated"}, "item": {i.ID}})
	const note = "It will be donated to Caritas at "
	if a := v.Get(itemAt(s.hotel, i)); !shows(a, note) {
		t.Fatal("the page does not say what is decided")
	}
	edit := url.Values{"group": {"shipping"}, "seen": {strconv.FormatInt(i.UpdatedAt.UnixMicro(), 10)}, "shipping.weight": {"heavy"}, "shipping.weightUnit": {"kg"}}
	if a := v.Post(itemAt(s.hotel, i), edit); a.Code != http.StatusUnprocessableEntity || !shows(a, note, `value="heavy"`) {
		t.Errorf("an edit that is refused answers %d without %q", a.Code, missing(a, note, `value="heavy"`))
	}
	body, kind := enclosed("image", []byte("no picture"))
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, testkit.Base+itemAt(s.hotel, i)+"/photos", strings.NewReader(body))
	r.Header.Set("Content-Type", kind)
	if a := v.Do(r); a.Code != http.StatusUnsupportedMediaType || !shows(a, note, "Photo 1 was not taken") {
		t.Errorf("a photo that is refused answers %d without %q", a.Code, missing(a, note, "Photo 1 was not taken"))
	}
}

func TestWhatIsToBeDonatedIsNowhereSaidToBe(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	i := h.NewItem(l, "Umbrella", func(p *lost.ItemPatch) { p.StoragePlace = lost.Set("Cellar") })
	v := h.LogIn()
	v.Post(itemAt(l, i)+"/status", url.Values{"to": {"DONATE"}})
	for page, says := range map[string]string{itemAt(l, i): "Waiting for the owner → To be donated", "/at/" + l.ID + "/place?name=Cellar": ">To be donated<", itemsAt(l): ">To be donated<"} {
		if a := v.Get(page); !shows(a, says) || shows(a, `">Donated<`) || shows(a, "→ Donated") {
			t.Errorf("%s does not say %q, or that it is donated", page, says)
		}
	}
	preview := upload(v, "/at/"+l.ID+"/import", "f.csv", "description,status\nHat,DONATE\n").Header.Get("Location")
	if a := v.Get(preview); !shows(a, ">To be donated<") {
		t.Errorf("what is imported is not said to be donated yet: %s", a.Body)
	}
	seen := testkit.Must(h.Desk.Item(t.Context(), h.Actor, l.ID, i.ID)).UpdatedAt
	v.Post(itemAt(l, i)+"/status?done=1", url.Values{"seen": {strconv.FormatInt(seen.UnixMicro(), 10)}})
	v.Post(itemAt(l, i)+"/status", url.Values{"to": {"PENDING"}})
	v.Post(itemAt(l, i)+"/status", url.Values{"to": {"DONATE"}, "closed": {"yes"}})
	if a := v.Get(itemAt(l, i)); !shows(a, "Donated → Waiting for the owner", "Waiting for the owner → Donated") {
		t.Errorf("the history does not say %q", missing(a, "Donated → Waiting for the owner", "Waiting for the owner → Donated"))
	}
}

func TestWhatIsDoneWithItemsIsNotDoneWithRequests(t *testing.T) {
	h := testkit.NewServer(t)
	h.Mails = true
	l := h.NewLocation("Hotel Adler")
	r := filed(h, l, "My felt hat")
	v := h.LogIn()
	for _, page := range []string{"/status", "/status?to=SHIPPED", "/notify", "/link", "/address", "/refund", "/delete"} {
		if a := v.Get(itemAt(l, r) + page); a.Code != http.StatusConflict || !shows(a, "This is a request.", "Back to the request", `href="/at/`+l.ID+"/requests/"+r.ID+`"`) {
			t.Errorf("%s answered %d", page, a.Code)
		}
	}
	if a := v.Post(itemAt(l, r)+"/delete", url.Values{"reference": {r.Reference}}); a.Code != http.StatusConflict {
		t.Errorf("deleting a request as an item answered %d", a.Code)
	}
}

func TestWhereNothingWasPaidNothingIsGivenBack(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	i := h.NewItem(l, "Umbrella", from("anna@example.com", "Anna", ""))
	v := h.LogIn()
	if a := v.Get(itemAt(l, i) + "/refund"); a.Code != http.StatusConflict || !shows(a, "Nothing was paid for this item", "Back to the item") {
		t.Errorf("where nothing was paid it answered %d", a.Code)
	}
	paidFor(h, i)
	if a := v.Get(itemAt(l, i) + "/refund"); a.Code != http.StatusOK || !shows(a, "Give the money back?") {
		t.Errorf("where something was paid it answered %d", a.Code)
	}
	v.Post(itemAt(l, i)+"/refund", nil)
	if a := v.Get(itemAt(l, i) + "/refund"); a.Code != http.StatusConflict || !shows(a, "being given back already") {
		t.Errorf("a second time it answered %d", a.Code)
	}
}

// paidFor has the owner of an item pay at the desk for sending it.
func paidFor(h *testkit.Server, i lost.Item) {
	h.T.Helper()
	testkit.Must(h.Desk.SendTo(h.T.Context(), h.Actor, i.LocationID, i.ID, lost.RecipientPatch{
		Name: lost.Set("Anna Berg"), Address1: lost.Set("Storgata 1"), City: lost.Set("Oslo"), ZipCode: lost.Set("0155"), Country: lost.Set("NO"),
	}))
	testkit.Must(h.Desk.SetStatus(h.T.Context(), h.Actor, i.LocationID, i.ID, lost.MovePatch{Status: lost.Set("FEE PAID")}))
}
