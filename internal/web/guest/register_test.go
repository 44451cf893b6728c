package guest_test

import (
	"maps"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/web/browsertest"
)

// register opens a location with a public register.
func (h *server) register() lost.Location {
	p := adler()
	p.PublicRegister, p.PublicAreas = lost.Set(true), lost.Set([]string{"Lobby", "Pool"})
	return h.location(p)
}

// find records a find with telling details.
func (h *server) find(l lost.Location, category string) lost.Item {
	return h.item(l, lost.ItemPatch{
		Description: lost.Set("Tartan zephyr"), Brand: lost.Set("Knirps"), Model: lost.Set("T.200"),
		Color: lost.Set("aubergine"), DiscoveryPlace: lost.Set("Under the sofa of suite 207, Lobby"),
		Notes: lost.Set("Dr. Kessler"), Category: lost.Set(category), SerialNumber: lost.Set("SN-4711"),
	})
}

// claims returns the links of the register to the form.
func (a response) claims() (links []string) {
	for _, n := range a.all("a") {
		if href := attr(n, "href"); strings.Contains(href, "find=") {
			links = append(links, href)
		}
	}
	return links
}

func TestThePublicRegisterTellsNothingButCategoryDayAndArea(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		l := h.register()
		i := h.find(l, "umbrella")
		h.find(l, "passport")
		at := "/l/" + l.Permalink + "/found"
		if a := h.get(at); a.StatusCode != 200 || len(a.claims()) != 0 {
			t.Errorf("a new find: got status %d and %d finds, want none", a.StatusCode, len(a.claims()))
		}
		h.clock.Advance(48 * time.Hour)
		a := h.get(at)
		a.want(t, 200, "Found at Hotel Adler", "Umbrella", "Lobby", "Is it yours? Report it")
		if len(a.claims()) != 1 || a.Header.Get("X-Robots-Tag") != "noindex, nofollow" ||
			a.Header.Get("ETag") != "" || a.Header.Get("Last-Modified") != "" ||
			a.Header.Get("Cache-Control") != "private, max-age=60" {
			t.Errorf("got %d finds and the header %v", len(a.claims()), a.Header)
		}
		for _, detail := range []string{
			i.ID, i.Reference, strings.ReplaceAll(i.Reference, "-", ""), "zephyr", "Knirps", "T.200", "aubergine",
			"sofa", "207", "Kessler", "SN-4711", "Passport", "<img",
		} {
			if strings.Contains(a.body, detail) {
				t.Errorf("the register shows %q", detail)
			}
		}
		if times := regexp.MustCompile(`\d{1,2}:\d{2}`).FindString(a.shownText()); times != "" &&
			!strings.Contains(h.get("/l/"+l.Permalink).shownText(), times) {
			t.Errorf("the register shows the time %s", times)
		}
		h.clock.Advance(40 * time.Second)
		if again := h.get(at); again.Header.Get("Cache-Control") != "private, max-age=20" {
			t.Errorf("after 40 seconds: got the header %v", again.Header)
		}
		h.clock.Advance(24 * time.Hour)
		if tomorrow := h.get(at).claims(); len(tomorrow) != 1 || tomorrow[0] == a.claims()[0] {
			t.Error("the token of a find is the same on the next day")
		}
		must(h.desk.Items.Update(t.Context(), h.actor, l.ID, i.ID, lost.ItemPatch{Hold: lost.Set("Police")}))
		h.clock.Advance(time.Minute)
		h.get(at).want(t, 200, "Nothing is listed at the moment.")
		must(h.desk.Locations.Update(t.Context(), h.actor, l.ID, lost.LocationPatch{PublicRegister: lost.Set(false)}))
		h.get(at).want(t, 404)
		if a := h.get("/l/" + l.Permalink); strings.Contains(a.body, "/found") {
			t.Error("the public page links to a register that is off")
		}
	})
}

func TestAVisitorClaimsAFindOfTheRegister(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		l := h.register()
		i := h.find(l, "umbrella")
		other := h.location(lost.LocationPatch{Name: lost.Set("Zoo"), PublicRegister: lost.Set(true)})
		h.clock.Advance(48 * time.Hour)
		h.get("/l/"+l.Permalink).want(t, 200, "See what has been found")
		claim := h.get("/l/" + l.Permalink + "/found").claims()[0]
		form := h.get(claim)
		form.want(t, 200, "You are reporting that this is yours: Umbrella,", "Lobby.")
		token := form.fields().Get("find")
		if category := form.fields().Get("category"); category != "umbrella" {
			t.Errorf("the form has the category %q, want that of the find", category)
		}
		if strings.Contains(form.body, i.ID) || strings.Contains(form.body, i.Reference) || len(token) < 40 {
			t.Errorf("the form shows what the item is, or has the token %q", token)
		}
		fields := report()
		fields["find"] = token
		delete(fields, "proof")
		none := h.send("/l/"+l.Permalink, h.withFormToken(l, fields), nil)
		if none.StatusCode != 422 || none.fieldError("proof") != "Fill this in." || none.fields().Get("find") != token {
			t.Errorf("without a proof: got status %d, error %q", none.StatusCode, none.fieldError("proof"))
		}
		fields["proof"] = "Initials A.B."
		thanks := h.get(h.reported(l, fields))
		r := h.requests(l)[0]
		if r.Claim.RegisterItemID != i.ID || r.Claim.State != lost.RequestPending {
			t.Errorf("got the request %+v, want a claim of %s", r.Claim, i.ID)
		}
		for _, a := range []response{thanks, h.get(h.link(r))} {
			if strings.Contains(a.body, i.Reference) || strings.Contains(a.body, i.ID) {
				t.Error("the claimant learns what the item is")
			}
		}
		if now := h.reload(i); now.Owner.Known() {
			t.Error("the claim was accepted without the desk")
		}

		// Tokens that are not valid file a report without a claim.
		changed := "A" + token[1:]
		if changed == token {
			changed = "B" + token[1:]
		}
		for name, bad := range map[string]string{
			"another location's": token, "changed": changed, "the id": i.ID,
			"the reference": i.Reference, "short": "AAAA",
		} {
			place := l
			if name == "another location's" {
				place = other
			}
			if a := h.get("/l/" + place.Permalink + "?find=" + url.QueryEscape(bad)); a.StatusCode != 200 ||
				strings.Contains(a.body, "You are reporting that") {
				t.Errorf("%s token: got status %d, or a claim", name, a.StatusCode)
			}
			fields := maps.Clone(report())
			fields["find"], fields["description"] = bad, "With a token: "+name
			h.reported(place, fields)
			if r := h.requests(place)[0]; r.Claim.RegisterItemID != "" {
				t.Errorf("%s token: got a claim of %q", name, r.Claim.RegisterItemID)
			}
			h.clock.Advance(time.Hour) // of the limit on reports
		}
		h.clock.Advance(72 * time.Hour)
		if a := h.get(claim); a.StatusCode != 200 || strings.Contains(a.body, "You are reporting that") {
			t.Errorf("an old token: got status %d, or a claim", a.StatusCode)
		}
	})
}

func TestTheRegisterIsPagedFilteredAndThrottled(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		l := h.register()
		for range 51 {
			h.find(l, "umbrella")
		}
		h.find(l, "keys")
		h.clock.Advance(48 * time.Hour)
		at := "/l/" + l.Permalink + "/found"
		first, second := h.get(at), h.get(at+"?page=2")
		first.want(t, 200, "Page 1 of 2", "Older")
		second.want(t, 200, "Page 2 of 2", "Newer")
		seen := map[string]bool{}
		for _, link := range append(first.claims(), second.claims()...) {
			seen[link] = true
		}
		if len(first.claims()) != 50 || len(second.claims()) != 2 || len(seen) != 52 {
			t.Errorf("got pages with %d and %d finds, %d different", len(first.claims()), len(second.claims()),
				len(seen))
		}
		if a := h.get(at + "?category=keys"); len(a.claims()) != 1 || strings.Contains(a.body, "Page 1") {
			t.Errorf("with a category: got %d finds, want 1", len(a.claims()))
		}
		for _, query := range []string{"?page=99", "?page=-1", "?page=x", "?category=passport"} {
			if a := h.get(at + query); a.StatusCode != 200 || len(a.claims()) == 0 {
				t.Errorf("%s: got status %d and %d finds", query, a.StatusCode, len(a.claims()))
			}
		}
		h.get(at+"?category=%00").want(t, 400)
		for n := range 100 {
			if a := h.get(at + "?page=" + strconv.Itoa(n)); a.StatusCode == 429 {
				if a.Header.Get("Retry-After") == "" {
					t.Error("a throttled visitor is not told how long to wait")
				}
				return
			}
		}
		t.Error("a client that reads many pages is not throttled")
	})
}

func TestTheRegisterInABrowser(t *testing.T) {
	for _, o := range []browsertest.Options{{Phone: true, Dark: true}, {Phone: true, NoScript: true}, {}} {
		t.Run(o.String(), func(t *testing.T) {
			h := newServer(t)
			l := h.register()
			i := h.find(l, "umbrella")
			h.find(l, "keys")
			h.clock.Advance(48 * time.Hour)
			v := browsertest.New(t, o)
			server := httptest.NewServer(h.handler)
			t.Cleanup(server.Close)
			v.Visit(server.URL + "/l/" + l.Permalink)
			v.Follow("See what has been found")
			v.See("Umbrella", "Keys", "Lobby")
			v.CheckAccessibility()
			v.Screenshot("register")
			v.Choose("Kind of item", "Umbrella")
			v.Follow("Show")
			if !strings.Contains(v.Location(), "category=umbrella") {
				t.Errorf("got the address %s", v.Location())
			}
			v.Follow("Is it yours? Report it")
			v.See("You are reporting that this is yours: Umbrella")
			v.CheckAccessibility()
			v.Screenshot("claim")
			v.Fill("What is it?", "My black umbrella")
			v.Fill("What would only the owner know?", "A burn mark on the handle")
			v.Fill("E-mail", "anna@example.com")
			v.Fill("Tracker link", tracker)
			h.clock.Advance(10 * time.Second)
			v.Follow("Send report")
			v.See("Thank you, we have your report")
			if r := h.requests(l)[0]; r.Claim.RegisterItemID != i.ID || r.Claim.TrackerLink != tracker {
				t.Errorf("got the request %+v", r.Claim)
			}
			v.Follow("Follow your report")
			v.See("You shared a link from Apple Find My")
			v.CheckAccessibility()
			v.Screenshot("tracker")
		})
	}
}

func TestARegisterSaysThatOnlyTheNewestFindsAreListed(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		l := h.register()
		at := "/l/" + l.Permalink + "/found"
		record := func(n int) {
			t.Helper()
			umbrella := lost.ItemPatch{Description: lost.Set("Umbrella"), Category: lost.Set("umbrella")}
			bulk := lost.BulkPatch{Items: lost.Set(slices.Repeat([]lost.ItemPatch{umbrella}, n))}
			for _, r := range must(h.desk.Items.CreateItems(t.Context(), h.actor, l.ID, bulk, lost.IdempotencyKey{})) {
				if r.Refused != nil {
					t.Fatal(r.Refused)
				}
			}
		}
		const most, atOnce = lost.MaxRegister, lost.MaxBulk
		for range (most - 1) / atOnce {
			record(atOnce)
		}
		record((most - 1) % atOnce)
		h.clock.Advance(48 * time.Hour)
		if strings.Contains(h.get(at).body, "Only the newest") {
			t.Error("a register with all finds says that only the newest are listed")
		}
		record(1)
		h.clock.Advance(48 * time.Hour)
		h.get(at+"?category=umbrella").want(t, 200, "Only the newest 500 items are listed.", "Page 1 of 10")
	})
}
