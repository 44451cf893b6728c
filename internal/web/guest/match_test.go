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
