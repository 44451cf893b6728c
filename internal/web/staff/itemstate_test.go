package staff_test

import (
	"net/http"
	"net/url"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/web/housetest"
)

func TestWhatIsGoneIsKeptNowhere(t *testing.T) {
	h := housetest.One(t)
	l := housetest.Must(h.Desk.CreateLocation(t.Context(), h.Actor, lost.LocationPatch{Name: lost.Set("Hotel Adler"), StoragePlace: lost.Set("Back office"), StorageDuration: lost.Set(90)}, lost.Once{}))
	v := h.LogIn()
	closed := lost.Set(true)
	for word, move := range map[string]lost.MovePatch{
		"Collected": {Status: lost.Set("PICKUP"), Closed: closed}, "Donated": {Status: lost.Set("DONATE"), Closed: closed}, "Discarded": {Status: lost.Set("DISCARD"), Closed: closed},
		"Delivered": {Status: lost.Set("DELIVERED")}, "On its way": {Status: lost.Set("SHIPPED")},
	} {
		i := h.Item(l, "Umbrella", from("anna@example.com", "Anna", ""))
		if a := v.Get(itemAt(l, i)); !shows(a, "Kept at", "Back office", "Kept until", "Send again") {
			t.Error("what is here does not say where")
		}
		housetest.Must(h.Desk.SetStatus(t.Context(), h.Actor, l.ID, i.ID, move))
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
	h := housetest.One(t)
	l := h.Location("Hotel Adler")
	i := h.Item(l, "Umbrella")
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
	housetest.Must(h.Desk.UpdateItem(t.Context(), h.Actor, l.ID, i.ID, lost.ItemPatch{Owner: lost.Set(lost.OwnerPatch{FirstName: lost.Set("Anna")})}))
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
	h := housetest.One(t)
	l := h.Location("Hotel Adler")
	i := h.Item(l, "Umbrella", from("anna@example.com", "Anna", ""))
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
