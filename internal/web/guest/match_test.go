package guest_test

import (
	"strings"
	"testing"

	"homeward/internal/lost"
)

// A claimant has not yet proved that the item is theirs, so the pages must show neither found items nor which details
// match.
func TestAClaimantNeverSeesFoundItemsOrMatches(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		l := h.location(adler())
		found := h.item(l, lost.ItemPatch{
			Description:    lost.Set("Blue scarf of wool, label Zwirnmeister, initials A.B."),
			DiscoveryPlace: lost.Set("Room 12, wardrobe"), DiscoveryDate: lost.Set("2026-11-14"),
			Notes: lost.Set("Smells of lavender"),
		})
		a := h.send("/l/"+l.Permalink, h.withFormToken(l, report()), nil)
		request := h.requests(l)[0]
		for range 2 {
			for _, i := range []lost.Item{found, request} {
				must(h.desk.Matcher.Match(t.Context(), i.Account, i.ID))
			}
		}
		matches := must(h.desk.Suggestions.Matches(t.Context(), h.actor, l.ID, request.ID, lost.FirstPage())).Data
		if len(matches) != 1 {
			t.Fatalf("got %d matches, want 1", len(matches))
		}
		secrets := []string{found.ID, found.Reference, "Zwirnmeister", "wardrobe", "lavender"}
		for _, r := range matches[0].Reasons {
			secrets = append(secrets, r.Text)
		}
		shown := map[string]string{
			"thanks":   h.get(a.Header.Get("Location")).body,
			"the page": h.get(h.link(request)).body,
			"location": h.get("/l/" + l.Permalink).body,
		}
		for _, m := range must(h.desk.Messages.ListOfItem(t.Context(), h.actor, l.ID, request.ID,
			lost.FirstPage())).Data {
			shown["message "+string(m.Kind)] = m.Subject + m.Text
		}
		for _, e := range must(h.desk.Webhooks.Events(t.Context(), h.actor,
			lost.EventFilter{Page: lost.FirstPage()})).Data {
			shown["event "+string(e.Type)] = string(e.Body)
		}
		if len(shown) < 5 {
			t.Errorf("only %d responses were checked", len(shown))
		}
		for where, text := range shown {
			for _, secret := range secrets {
				if text == "" || strings.Contains(strings.ToLower(text), strings.ToLower(secret)) {
					t.Errorf("%s (%d bytes) is empty or contains %q", where, len(text), secret)
				}
			}
		}
	})
}

// The page of a request tells that the item may have been found, and nothing else, if the location allows it.
func TestAClaimantReadsThatTheItemMayHaveBeenFound(t *testing.T) {
	const text = "may have found it"
	eachDatabase(t, func(t *testing.T, h *server) {
		l := h.location(adler())
		found := h.item(l, lost.ItemPatch{
			Description:    lost.Set("Blue scarf of wool, label Zwirnmeister, initials A.B."),
			DiscoveryPlace: lost.Set("Room 12"), DiscoveryDate: lost.Set("2026-11-14"),
		})
		wanted := report()
		wanted["description"] = "blue wool scarf by Zwirnmeister with initials A.B."
		h.send("/l/"+l.Permalink, h.withFormToken(l, wanted), nil)
		request := h.requests(l)[0]
		rank := func() {
			for _, i := range []lost.Item{found, request} {
				must(h.desk.Matcher.Match(t.Context(), i.Account, i.ID))
			}
		}
		rank()
		matches := must(h.desk.Suggestions.Matches(t.Context(), h.actor, l.ID, request.ID, lost.FirstPage())).Data
		if len(matches) != 1 || matches[0].Likelihood != lost.Likely {
			t.Fatalf("got matches %v, want a likely one", matches)
		}
		set := func(hint string) {
			must(h.desk.Locations.Update(t.Context(), h.actor, l.ID, lost.LocationPatch{
				Matching: lost.Set(lost.MatchingPatch{Hint: lost.Set(hint)}),
			}))
		}
		if body := h.get(h.link(request)).body; strings.Contains(body, text) {
			t.Error("the page tells it although the location does not allow it")
		}
		set(lost.HintLikely)
		if body := h.get(h.link(request)).body; !strings.Contains(body, text) || strings.Contains(body, found.ID) ||
			strings.Contains(body, found.Reference) {
			t.Error("the page does not tell it, or too much")
		}
		if err := h.desk.Suggestions.RejectMatch(t.Context(), h.actor, l.ID, request.ID, found.ID); err != nil {
			t.Fatal(err)
		}
		rank()
		if body := h.get(h.link(request)).body; strings.Contains(body, text) {
			t.Error("the page still tells it after the match was rejected")
		}
		set(lost.HintOff)
	})
}

// The location chooses whether the page of a request tells of a find that is only possibly the right one.
func TestAClaimantReadsOfAPossibleFindIfTheLocationAllowsIt(t *testing.T) {
	const text = "may have found it"
	eachDatabase(t, func(t *testing.T, h *server) {
		l := h.location(adler())
		found := h.item(l, lost.ItemPatch{
			Description: lost.Set("Grey woollen scarf with fringes"), DiscoveryDate: lost.Set("2026-11-14"),
		})
		wanted := report()
		wanted["description"] = "scarf, grey"
		h.send("/l/"+l.Permalink, h.withFormToken(l, wanted), nil)
		request := h.requests(l)[0]
		for _, i := range []lost.Item{found, request} {
			must(h.desk.Matcher.Match(t.Context(), i.Account, i.ID))
		}
		matches := must(h.desk.Suggestions.Matches(t.Context(), h.actor, l.ID, request.ID, lost.FirstPage())).Data
		if len(matches) != 1 || matches[0].Likelihood != lost.Possible {
			t.Fatalf("got matches %+v, want a possible one", matches)
		}
		for _, hint := range lost.Hints() {
			must(h.desk.Locations.Update(t.Context(), h.actor, l.ID, lost.LocationPatch{
				Matching: lost.Set(lost.MatchingPatch{Hint: lost.Set(hint)}),
			}))
			if body := h.get(h.link(request)).body; strings.Contains(body, text) != (hint == lost.HintPossible) {
				t.Errorf("with the setting %s, the page tells too much or too little", hint)
			}
		}
	})
}
