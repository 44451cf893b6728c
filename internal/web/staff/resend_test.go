package staff_test

import (
	"net/http"
	"net/url"
	"regexp"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/staff/stafftest"
)

// sendTwice sends the form on a page twice, as a double click does, and returns how many messages were created.
func sendTwice(t *testing.T, h *testkit.Server, v *testkit.Visitor, i lost.Item, page, action string,
	form url.Values) int {
	t.Helper()
	key := regexp.MustCompile(`(?s)action="` + regexp.QuoteMeta(action) +
		`".*?name="once" value="([^"]+)"`).FindStringSubmatch(v.Get(page).Body)
	if key == nil {
		t.Fatalf("the form of %s has no idempotency key", page)
	}
	form.Set("once", key[1])
	messages := func() int {
		return testkit.Must(h.Services.Messages.ListOfItem(t.Context(), h.Actor, i.LocationID, i.ID,
			lost.FirstPage())).Count
	}
	before := messages()
	first, second := v.Post(action, form), v.Post(action, form)
	if first.Code != http.StatusSeeOther || second.Code != http.StatusSeeOther ||
		first.Header.Get("Location") != second.Header.Get("Location") {
		t.Errorf("%s: got status %d and then %d, want 303 and the same redirect", action, first.Code, second.Code)
	}
	return messages() - before
}

func TestSendingAFormTwiceCreatesOneMessage(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		h.SendsMail = true
		l := h.NewLocation("Hotel Adler")
		i := h.NewItem(l, "Umbrella", stafftest.WithOwner("anna@example.com", "Anna", ""))
		v, at := h.LogIn(), stafftest.ItemPath(l, i)
		if n := sendTwice(t, h, v, i, at+"/notify", at+"/notify", url.Values{}); n != 1 {
			t.Errorf("got %d messages to the owner, want 1", n)
		}
		sendTwice(t, h, v, i, at+"/link", at+"/link", url.Values{})
		r := testkit.Must(h.Services.Requests.File(t.Context(), h.Actor, l.ID, lost.RequestPatch{
			Description: lost.Set("Hat"), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("ben@example.com")}),
		}, lost.IdempotencyKey{}))
		page := "/at/" + l.ID + "/requests/" + r.ID
		if n := sendTwice(t, h, v, r, page, "/at/"+l.ID+"/items/"+r.ID+"/thread",
			url.Values{"text": {"Which colour?"}, "once": {"one-form"}}); n != 1 {
			t.Errorf("got %d messages to the claimant, want 1", n)
		}
	})
}

// If the form is sent twice, the refund is made once, and both responses redirect to the same page.
func TestSendingARefundTwiceRefundsOnce(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	i := h.NewItem(l, "Umbrella", stafftest.WithOwner("anna@example.com", "Anna", "Berg"))
	v, at := h.LogIn(), stafftest.ItemPath(l, i)
	v.Post(at+"/address",
		url.Values{
			"recipient.name": {"Anna Berg"}, "recipient.address1": {"Storgata 1"}, "recipient.city": {"Oslo"},
			"recipient.country": {"NO"}, "recipient.zipCode": {"0155"},
		})
	testkit.Must(h.Services.Items.SetStatus(t.Context(), h.Actor, l.ID, i.ID,
		lost.MovePatch{Status: lost.Set("FEE PAID")}))
	sendTwice(t, h, v, i, at+"/refund", at+"/refund", url.Values{"reason": {"It broke"}})
}

func TestSendingAFindTwiceSavesItsPhotosOnce(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		v, at := h.LogIn(), "/at/"+l.ID+"/find"
		fields := url.Values{"description": {"Hat"}, "once": {"form-1"}}
		for range 2 {
			if a := stafftest.SendFind(v, at, fields, stafftest.JPEG(60, 40),
				stafftest.JPEG(40, 60)); a.Code != http.StatusSeeOther {
				t.Errorf("got status %d, want 303", a.Code)
			}
		}
		i := stafftest.NewestItem(h, l)
		if len(i.Images) != 2 || i.Images[0].Width != 60 {
			t.Errorf("got %d photos, want 2", len(i.Images))
		}
		stafftest.SendFind(v, at, fields, stafftest.JPEG(60, 40), stafftest.JPEG(40, 60), stafftest.JPEG(30, 30))
		if n := len(stafftest.NewestItem(h, l).Images); n != 3 {
			t.Errorf("got %d photos after sending one more, want 3", n)
		}
	})
}
