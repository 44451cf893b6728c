package requests_test

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

func TestARequestIsMatchedRejectedAndAsked(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		scarf, found := h.NewItem(l, "Yellow scarf"), h.NewItem(l, "Green felt hat with a feather")
		r := stafftest.FileRequest(h, l, "My felt hat, green, with a long feather")
		h.Match(scarf, found, r)
		h.SendsMail = true
		v := h.LogIn()
		at := "/at/" + l.ID + "/requests"

		if a := v.Get(at); !strings.Contains(a.Body, r.Reference) || !strings.Contains(a.Body, "1 request") {
			t.Errorf("the list (status %d) does not show the request", a.Code)
		}
		page := v.Get(at + "/" + r.ID)
		if !strings.Contains(page.Body, "initials A. B.") || !strings.Contains(page.Body, found.Reference) ||
			strings.Contains(page.Body, "Yellow scarf") {
			t.Error("the page does not suggest the hat, or suggests something else")
		}
		if a := v.Get(at + "/" + r.ID + "?q=scarf"); !strings.Contains(a.Body, "Yellow scarf") {
			t.Error("the search does not find the scarf")
		}
		if a := v.Get(at + "/" + r.ID + "?q=schal"); !stafftest.Shows(a, "Yellow scarf", "Similar") {
			t.Error("the search does not find the scarf by a word of another language, or as an exact match")
		}
		write := "/at/" + l.ID + "/items/" + r.ID + "/thread"
		if a := v.Post(write, url.Values{"text": {" "}}); a.Code != http.StatusUnprocessableEntity {
			t.Errorf("got status %d for an empty question, want 422", a.Code)
		}
		v.Post(write, url.Values{"text": {"Is the feather white?"}})
		if a := v.Get(at + "/" + r.ID); !strings.Contains(a.Body, "was sent") ||
			!strings.Contains(a.Body, "Is the feather white?") {
			t.Error("the page does not show the question")
		}
		messages := testkit.Must(h.Services.Messages.ListOfItem(t.Context(), h.Actor, l.ID, r.ID, lost.FirstPage()))
		if m := messages.Data[0]; m.Kind != lost.ThreadNotice || !strings.Contains(m.Text, "Is the feather white?") {
			t.Errorf("got message %+v, want the question", m)
		}
		if a := v.Get(at + "/" + r.ID + "/accept?item=" + found.ID); !strings.Contains(a.Body, "Is this the item?") {
			t.Errorf("got status %d, want a confirmation page", a.Code)
		}
		if a := v.Post(at+"/"+r.ID+"/accept",
			url.Values{"item": {"item_nothing"}}); a.Code != http.StatusUnprocessableEntity {
			t.Errorf("got status %d for an unknown item, want 422", a.Code)
		}
		v.Post(at+"/"+r.ID+"/accept", url.Values{"item": {found.ID}})
		if a := v.Get(at + "/" + r.ID); !strings.Contains(a.Body, "Matched item") ||
			!strings.Contains(a.Body, found.Reference) {
			t.Error("the page does not show the matched item")
		}
		undo := `action="` + at + "/" + r.ID + `/undo"`
		if a := v.Get(stafftest.ItemPath(l, found)); !strings.Contains(a.Body, undo) {
			t.Error("the page of the found item does not offer to undo the acceptance")
		}
		if a := v.Post(at+"/"+r.ID+"/reject", nil); a.Code != http.StatusConflict {
			t.Errorf("got status %d for a second decision, want 409", a.Code)
		}
		decision := func() url.Values { return stafftest.FormWith(t, v.Get(at+"/"+r.ID).Body, "decision") }
		accepted := decision()
		v.Post(at+"/"+r.ID+"/undo", accepted)
		if a := v.Get(stafftest.ItemPath(l, found)); strings.Contains(a.Body, undo) {
			t.Error("the page of the found item offers to undo what was undone")
		}
		v.Post(at+"/"+r.ID+"/reject", url.Values{"reason": {"Not here"}})
		if a := v.Post(at+"/"+r.ID+"/undo", accepted); a.Code != http.StatusConflict ||
			!stafftest.Shows(a, "can no longer be undone") {
			t.Errorf("got status %d for the undo of an earlier decision, want 409", a.Code)
		}
		v.Post(at+"/"+r.ID+"/tell", decision())
		if a := v.Get(at + "/" + r.ID); !stafftest.Shows(a, "The guest is being notified.") ||
			strings.Contains(a.Body, "/undo") {
			t.Error("the page does not say that the guest is notified, or offers to undo it")
		}
	})
}

func TestAnItemThatCannotBeMatchedIsNotOffered(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	owned := h.NewItem(l, "Green felt hat of somebody", stafftest.WithOwner("max@example.com", "Max", ""))
	donated := h.NewItem(l, "Green felt hat that was donated")
	testkit.Must(h.Services.Items.SetStatus(t.Context(), h.Actor, l.ID, donated.ID,
		lost.MovePatch{Status: lost.Set("DONATE")}))
	free := h.NewItem(l, "Green felt hat with a feather")
	r := stafftest.FileRequest(h, l, "My felt hat, green")
	v, at := h.LogIn(), "/at/"+l.ID+"/requests/"+r.ID
	if a := v.Get(at + "?q=felt"); !stafftest.Shows(a, owned.Reference, "accept?item="+free.ID) ||
		stafftest.Shows(a, "accept?item="+owned.ID) || stafftest.Shows(a, "accept?item="+donated.ID) {
		t.Error("the search results have the wrong match buttons")
	}
	for item, want := range map[string]string{
		owned.ID: "has another owner", donated.ID: "is no longer waiting for its owner", r.ID: "is a request itself",
	} {
		if a := v.Get(at + "/accept?item=" + item); a.Code != http.StatusOK ||
			!stafftest.Shows(a, want, "Choose another item") || stafftest.Shows(a, `name="item"`) {
			t.Errorf("the page does not say that the item %s", want)
		}
	}
	if a := v.Get(at + "/accept?item=" + owned.ID); !stafftest.Shows(a,
		stafftest.ItemPath(l, owned)+"?edit=owner#owner") {
		t.Error("the page does not link to the form to change the owner")
	}
	v.Post(at+"/accept", url.Values{"item": {free.ID}})
	if a := v.Get(at + "/accept?item=" + free.ID); !stafftest.Shows(a, "was already accepted", "Back to the request") ||
		stafftest.Shows(a, `name="item"`) {
		t.Error("an answered request can be matched again")
	}
}

func TestAConflictShowsTheCurrentStateOfARequest(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	r, i := stafftest.FileRequest(h, l, "My felt hat"), h.NewItem(l, "Umbrella")
	v := h.LogIn()
	request := "/at/" + l.ID + "/requests/" + r.ID
	v.Post(request+"/reject", url.Values{"reason": {"Nobody found it."}})
	if a := v.Post(request+"/reject", nil); a.Code != http.StatusConflict ||
		!stafftest.Shows(a, "was already rejected", "Not found", "Rejected the request",
			`href="`+request+`">Back to the request`) {
		t.Errorf("got status %d, want 409; the page lacks %q", a.Code,
			stafftest.MissingText(a, "was already rejected", "Not found", "Rejected the request",
				`href="`+request+`">Back to the request`))
	}
	testkit.Must(h.Services.Items.SetStatus(t.Context(), h.Actor, l.ID, i.ID,
		lost.MovePatch{Status: lost.Set("SHIPPED")}))
	if a := v.Get(stafftest.ItemPath(l, i) + "/hand-over"); a.Code != http.StatusConflict ||
		!stafftest.Shows(a, "This item was shipped.", "On its way", "Waiting for the owner → On its way",
			`href="`+stafftest.ItemPath(l, i)+`">Back to the item`) {
		t.Errorf("got status %d, want 409 and a link back to the item", a.Code)
	}
}

func TestSendingARequestFormTwiceCreatesOneRequest(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	v, at := h.LogIn(), "/at/"+l.ID+"/requests/new"
	if a := v.Post(at, url.Values{"description": {"<b>Hat</b>"}}); a.Code != http.StatusUnprocessableEntity ||
		!strings.Contains(a.Body, "&lt;b&gt;Hat") {
		t.Errorf("got status %d for a request without contact details, want 422 and the submitted values", a.Code)
	}
	form := url.Values{"description": {"Hat"}, "owner.phone": {"+49 331 1234567"}, "once": {"form-1"}}
	first, second := v.Post(at, form), v.Post(at, form)
	if first.Code != http.StatusSeeOther || first.Header.Get("Location") != second.Header.Get("Location") {
		t.Errorf("the same form redirected to %q and %q", first.Header.Get("Location"), second.Header.Get("Location"))
	}
}

func TestRequestsInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l := h.NewLocation("Hotel Adler")
	stafftest.FileRequest(h, l, "My felt hat, green, with a long feather")
	for _, o := range []browsertest.Options{{Phone: true}, {Dark: true, NoScript: true}} {
		t.Run(o.String(), func(t *testing.T) {
			r := stafftest.FileRequest(h, l, "My felt hat, and it is green")
			h.Match(h.NewItem(l, "Green felt hat with a feather"), r)
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+"/")
			v.Follow("Requests")
			v.Screenshot("inbox")
			v.Visit(at + "/at/" + l.ID + "/requests/" + r.ID)
			v.Screenshot("request")
			v.Follow("Match")
			v.Screenshot("accept")
			v.Follow("Confirm")
			v.See("Matched item", "You can undo the decision until")
			v.Screenshot("decided")
			v.CheckAccessibility()
			v.Follow("Undo")
			v.See("The decision was undone. The request is open again.")
			v.SeeNot("Matched item")
		})
	}
}
