package requests_test

import (
	"bytes"
	"context"
	"errors"
	"html"
	"image/color"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

// withDetails returns an option that sets an item's brand, model and colour, and where and when it was found.
func withDetails(brand, model, colour, place, date string) func(*lost.ItemPatch) {
	return func(p *lost.ItemPatch) {
		p.Brand, p.Model, p.Color = lost.Set(brand), lost.Set(model), lost.Set(colour)
		p.DiscoveryPlace, p.DiscoveryDate = lost.Set(place), lost.Set(date)
	}
}

// missesHeadphones creates a request for a pair of headphones and three found items: the guest's headphones, similar
// headphones, and a scarf.
func missesHeadphones(h *testkit.Server, l lost.Location) (request, theirs, others, scarf lost.Item) {
	request = testkit.Must(h.Services.Requests.File(context.Background(), h.Actor, l.ID, lost.RequestPatch{
		Description: lost.Set("I left my headphones behind, black, in a hard case with a sticker of a fox on it"),
		Brand:       lost.Set("Sony"), Model: lost.Set("WH-1000XM4"), Color: lost.Set("black"),
		LostPlace: lost.Set("Breakfast room"), LostDate: lost.Set("2026-11-10"),
		Proof: lost.Set("The fox wears glasses"),
		Owner: lost.Set(lost.OwnerPatch{
			FirstName: lost.Set("Anna"), LastName: lost.Set("Berg"), Email: lost.Set("anna@example.com"),
		}),
	}, lost.IdempotencyKey{}))
	theirs = h.NewItem(l, "Headphones in a hard case, fox sticker",
		withDetails("Sony", "WH-1000XM4", "bright yellow", "Breakfast room, by the window", "2026-11-11"),
		func(p *lost.ItemPatch) {
			p.Notes = lost.Set("The fox has glasses")
		})
	others = h.NewItem(l, "Headphones, black, in a case", withDetails("Bose", "", "black", "Lobby", "2026-11-12"))
	scarf = h.NewItem(l, "Yellow scarf", stafftest.FoundAt("Lobby", "2026-11-10"))
	h.Match(theirs, others, scarf, request)
	return request, theirs, others, scarf
}

func TestARequestShowsPossibleMatches(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		request, theirs, others, scarf := missesHeadphones(h, l)
		v, at := h.LogIn(), "/at/"+l.ID+"/requests/"+request.ID
		page := v.Get(at)
		wanted := []string{
			theirs.Reference, "Likely", others.Reference, "Possible", `class="other"`, "Different", "Same", "Fits",
			"The fox has glasses",
			at + "/accept?item=" + theirs.ID, "Not a match", "Tuesday 10 November 2026",
		}
		for _, m := range testkit.Must(h.Services.Suggestions.Matches(t.Context(), h.Actor, l.ID, request.ID,
			lost.FirstPage())).Data {
			for _, r := range m.Reasons {
				if len(r.Terms)+len(r.Words) == 0 { // the others are written differently
					wanted = append(wanted, html.EscapeString(r.Text[1:])) // the first one begins with a capital letter
				}
			}
		}
		for _, want := range wanted {
			if !strings.Contains(page.Body, want) {
				t.Errorf("the page of the request lacks %q", want)
			}
		}
		if strings.Contains(page.Body, scarf.Reference) ||
			strings.Index(page.Body, theirs.Reference) > strings.Index(page.Body, others.Reference) {
			t.Error("the scarf is suggested, or the best match is not first")
		}
		if a := v.Get(stafftest.ItemPath(l, theirs)); !stafftest.Shows(a, "Possible owners", "Likely",
			request.Reference, `href="`+at+`"`) {
			t.Errorf("the page of the found item lacks %q",
				stafftest.MissingText(a, "Possible owners", "Likely", request.Reference, `href="`+at+`"`))
		}
		if a := v.Get(stafftest.ItemPath(l, scarf)); stafftest.Shows(a, "Possible owners") {
			t.Error("the page of the scarf suggests an owner")
		}
		if a := v.Post(at+"/refuse", url.Values{"item": {theirs.ID}}); a.Code != http.StatusSeeOther ||
			a.Header.Get("Location") != at {
			t.Errorf("got status %d and redirect %q after dismissing a match", a.Code, a.Header.Get("Location"))
		}
		if a := v.Get(at); !stafftest.Shows(a, theirs.Reference+" will not be suggested", others.Reference) ||
			stafftest.Shows(a, "accept?item="+theirs.ID) {
			t.Error("the dismissed item is still suggested, or the page does not confirm the dismissal")
		}
		h.Match(theirs, others, request)
		if a := v.Get(at); stafftest.Shows(a, theirs.Reference) {
			t.Error("the dismissed item is suggested again")
		}
		if a := v.Get(stafftest.ItemPath(l, theirs)); stafftest.Shows(a, "Possible owners") ||
			!stafftest.Shows(a, "Dismissed a match", "Not a match for request "+request.Reference) {
			t.Error("the page of the dismissed item does not show the dismissal")
		}
		if a := v.Get(at + "?q=fox"); !stafftest.Shows(a, "accept?item="+theirs.ID) {
			t.Error("the search does not find the dismissed item")
		}
		for _, item := range []string{"", "item_none", request.ID} {
			if a := v.Post(at+"/refuse", url.Values{"item": {item}}); a.Code != http.StatusNotFound {
				t.Errorf("dismissing %q: got status %d, want 404", item, a.Code)
			}
		}
		v.Post(at+"/refuse", url.Values{"item": {others.ID}})
		if a := v.Get(at); !stafftest.Shows(a, "Still looking for matches…") ||
			stafftest.Shows(a, "No possible matches yet") {
			t.Error("the page does not say that matching is pending")
		}
		finishMatchJobs(h)
		if a := v.Get(at); !stafftest.Shows(a, "No possible matches yet. New matches") ||
			stafftest.Shows(a, "Still looking") {
			t.Error("the page does not say that there are no matches")
		}
	})
}

func TestUsersWithoutPermissionSeeNoMatchButtons(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	request, theirs, _, _ := missesHeadphones(h, l)
	v, at := h.As(h.NewMember("Vera", lost.ViewerRole)), "/at/"+l.ID+"/requests/"+request.ID
	if a := v.Get(at); !stafftest.Shows(a, theirs.Reference, "Likely", "Different") || stafftest.Shows(a, "Match") ||
		stafftest.Shows(a, "Not a match") {
		t.Error("a viewer does not see the suggestions, or sees buttons to match them")
	}
	if a := v.Get(stafftest.ItemPath(l, theirs)); !stafftest.Shows(a, "Possible owners", request.Reference) {
		t.Error("a viewer does not see the possible owners")
	}
	if a := v.Post(at+"/refuse", url.Values{"item": {theirs.ID}}); a.Code != http.StatusForbidden {
		t.Errorf("got status %d when a viewer dismisses a match, want 403", a.Code)
	}
}

func TestAMatchAtAnotherLocationNamesTheLocation(t *testing.T) {
	h := testkit.NewServer(t)
	l, sister := h.NewLocation("Hotel Adler"), h.NewLocation("Hotel <Bär>")
	v := h.LogIn()
	for _, at := range []lost.Location{l, sister} {
		if a := v.Post("/locations/"+at.ID+"/about",
			url.Values{
				"name": {at.Name}, "type": {string(at.Type)}, "language": {at.Language}, "matching.sisters": {"yes"},
			}); a.Code != http.StatusSeeOther {
			t.Fatalf("got status %d when turning on matching with other locations, want 303", a.Code)
		}
	}
	stranger := h.NewItem(h.NewLocation("Hotel Cäcilia"), "Green felt hat")
	found := h.NewItem(sister, "Green felt hat with a feather <b>bold</b>", stafftest.FoundAt("Lobby", "2026-11-11"))
	request := stafftest.FileRequest(h, l, "My felt hat, green, with a feather <b>bold</b>")
	h.Match(found, request)
	at := "/at/" + l.ID + "/requests/" + request.ID
	a := v.Get(at)
	if !stafftest.Shows(a, "Hotel &lt;Bär&gt;", found.Reference, "/at/"+sister.ID+"/items/"+found.ID,
		"feather &lt;b&gt;bold") || stafftest.Shows(a, "<b>bold") {
		t.Errorf("the page lacks %q, or does not escape text",
			stafftest.MissingText(a, "Hotel &lt;Bär&gt;", found.Reference, "/at/"+sister.ID+"/items/"+found.ID,
				"feather &lt;b&gt;bold"))
	}
	if a := v.Get(stafftest.ItemPath(sister, found)); !stafftest.Shows(a, "Possible owners",
		request.Reference+"</span> · Hotel Adler", `href="`+at+`"`) {
		t.Error("the page of the found item does not name the location of the request")
	}
	limited := h.As(h.NewMember("Lena", lost.DeskRole, l.ID))
	if a := limited.Get(at); stafftest.Shows(a, found.Reference) || stafftest.Shows(a, "No possible matches yet") ||
		!stafftest.Shows(a, "There is a likely match at another location.") {
		t.Error("a user sees an item at a location that they cannot access, or no notice about it")
	}
	if a := limited.Post(at+"/refuse", url.Values{"item": {found.ID}}); a.Code != http.StatusNotFound {
		t.Errorf("got status %d when dismissing an item without access to its location, want 404", a.Code)
	}
	if a := v.Get(at + "/accept?item=" + stranger.ID); !stafftest.Shows(a, "This item cannot be matched",
		"not a sister of this one") {
		t.Error("an item at a location without shared matching can be matched")
	}
	if a := v.Get(at); stafftest.Shows(a, "There is a likely match at another location") {
		t.Error("a user with access sees the notice about another location")
	}
	if a := v.Get(at + "/accept?item=" + found.ID); !stafftest.Shows(a, "Is this the item?",
		"Stored at Hotel &lt;Bär&gt;.") {
		t.Error("the confirmation does not name the location of the item")
	}
	v.Post(at+"/accept", url.Values{"item": {found.ID}})
	if a := v.Get(at); !stafftest.Shows(a, "Matched item", found.Reference, "Stored at Hotel &lt;Bär&gt;.") {
		t.Error("the item at the other location was not matched")
	}
}

func TestALikelyMatchIsATaskWithALinkToTheRequest(t *testing.T) {
	h := testkit.NewServer(t)
	t.Cleanup(h.Services.Close)
	l := h.NewLocation("Hotel Adler")
	request, _, _, _ := missesHeadphones(h, l)
	stafftest.AddTasks(h, request, lost.MatchTask)
	if a := h.LogIn().Get("/"); !stafftest.Shows(a, "Likely found", "Compare the two", "Reported ",
		`href="/at/`+l.ID+"/requests/"+request.ID+`"`) {
		t.Error("the start page does not link to the request")
	}
}

// Pages wait for matching only in the first minute after a request was created or changed.
func TestPagesDoNotWaitForMatching(t *testing.T) {
	const patience = 20 * time.Second
	h := testkit.NewServerWith(t, func(o *services.Options) { o.MaxWait = patience })
	l := h.NewLocation("Hotel Adler")
	request, theirs, _, _ := missesHeadphones(h, l)
	h.Clock.Advance(2 * time.Minute)
	h.NewItem(l, "A find that nobody has looked at")
	v, start := h.LogIn(), time.Now()
	for _, page := range []string{stafftest.ItemPath(l, theirs), "/at/" + l.ID + "/requests/" + request.ID} {
		if a := v.Get(page); !stafftest.Shows(a, request.Reference, theirs.Reference) {
			t.Errorf("%s does not show the stored matches", page)
		}
	}
	if took := time.Since(start); took >= patience {
		t.Errorf("loading the pages took %s, which means that they waited for matching", took)
	}
}

func TestSuggestionsInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	for _, o := range []browsertest.Options{{Phone: true}, {Dark: true, NoScript: true}} {
		t.Run(o.String(), func(t *testing.T) {
			l := h.NewLocation("Hotel Adler")
			request, theirs, others, _ := missesHeadphones(h, l)
			testkit.Must(h.Services.Items.UploadImage(t.Context(), h.Actor, l.ID, theirs.ID,
				bytes.NewReader(stafftest.Picture(t, color.RGBA{60, 60, 66, 255})), lost.IdempotencyKey{}))
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/items/"+theirs.ID)
			v.See("Possible owners", "Likely")
			stafftest.ExpectNoOverflow(t, v)
			v.CheckAccessibility()
			v.Screenshot("find")
			v.Visit(at + "/at/" + l.ID + "/requests/" + request.ID)
			v.See("Likely", "Same", "Different", "bright yellow", others.Reference)
			stafftest.ExpectNoOverflow(t, v)
			v.CheckAccessibility()
			v.Screenshot("first")
			v.Click(others.Reference)
			v.See("Bose")
			v.Screenshot("both")
			v.CheckAccessibility()
			v.Click(theirs.Reference + " Likely")
			v.Follow("Not a match")
			v.See(others.Reference + " will not be suggested")
			v.SeeNot("Bose")
			h.Match(others, request)
			v.Reload()
			v.SeeNot(others.Reference)
			v.Follow("Match")
			v.Follow("Confirm")
			v.See("Matched item", theirs.Reference)
		})
	}
}

// finishMatchJobs removes the match jobs, as if they had run.
func finishMatchJobs(h *testkit.Server) {
	h.T.Helper()
	err := h.DB.Write(h.T.Context(), func(tx *store.Tx) error {
		jobs, err := tx.ClaimJobs([]string{store.JobMatch}, 100, time.Minute)
		for _, j := range jobs {
			err = errors.Join(err, tx.FinishJob(j))
		}
		return err
	})
	if err != nil {
		h.T.Fatal(err)
	}
}
