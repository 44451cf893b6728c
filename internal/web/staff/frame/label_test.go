package frame_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/testkit"
)

// visibleText returns the visible text of a page.
func visibleText(a testkit.Response) string {
	return strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(a.Body, " ")), " ")
}

// apiTerm matches text that is meant for API clients: field names and JSON terms.
var apiTerm = regexp.MustCompile(
	`\b[a-z]+\.[a-z]+[A-Z]?[a-z]*: |[a-z][A-Z][a-z]|\bsend null\b|\bowner\.|\bshipping\.|Idempotency`)

func TestValidationErrorsUseLabelsInsteadOfFieldNames(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	i := h.NewItem(l, "Hat")
	v := h.LogIn()
	seen := strconv.FormatInt(i.UpdatedAt.UnixMicro(), 10)
	for name, a := range map[string]testkit.Response{
		"a find": v.Post("/at/"+l.ID+"/find", url.Values{
			"description": {""}, "discoveryDate": {"2026-02-30"}, "owner.email": {"nobody"}, "owner.phone": {"030"},
			"shipping.weight": {"0"}, "shipping.boxType": {"huge"},
		}),
		"where and when": v.Post("/at/"+l.ID+"/items/"+i.ID,
			url.Values{"group": {"where"}, "seen": {seen}, "discoveryDate": {"2026-02-30"}}),
		"the owner": v.Post("/at/"+l.ID+"/items/"+i.ID,
			url.Values{"group": {"owner"}, "seen": {seen}, "owner.email": {"nobody"}, "language": {"-"}}),
		"a request": v.Post("/at/"+l.ID+"/requests/new",
			url.Values{"description": {"Hat"}, "lostDate": {"2027-01-01"}}),
	} {
		text := visibleText(a)
		if term := apiTerm.FindString(text); a.Code != http.StatusUnprocessableEntity || term != "" ||
			!strings.Contains(text, "Please check the form") {
			t.Errorf("%s: got status %d and the API term %q: %s", name, a.Code, term, text)
		}
	}
}

func TestADiscoveryDateInTheFutureIsRejected(t *testing.T) {
	h := testkit.NewServer(t)
	l := h.NewLocation("Hotel Adler")
	v := h.LogIn()
	find := func(day string) testkit.Response {
		return v.Post("/at/"+l.ID+"/find", url.Values{"description": {"Hat"}, "discoveryDate": {day}})
	}
	if a := find("2026-11-17"); a.Code != http.StatusUnprocessableEntity ||
		!strings.Contains(a.Body, "When?: Is in the future; choose the day on which it was found.") {
		t.Errorf("got status %d for an item found on the day after tomorrow, want 422", a.Code)
	}
	if a := find("2026-11-16"); a.Code != http.StatusSeeOther {
		t.Errorf("got status %d for a day that has begun in another time zone, want 303", a.Code)
	}
	early := h.NewItem(l, "Hat of a program", func(p *lost.ItemPatch) { p.DiscoveryDate = lost.Set("2027-01-01") })
	edit := func(i lost.Item, seen time.Time, day, place string) testkit.Response {
		return v.Post("/at/"+l.ID+"/items/"+i.ID, url.Values{
			"group": {"where"}, "seen": {strconv.FormatInt(seen.UnixMicro(), 10)}, "discoveryDate": {day},
			"discoveryPlace": {place},
		})
	}
	if a := edit(early, early.UpdatedAt, "2027-01-02", ""); a.Code != http.StatusUnprocessableEntity {
		t.Errorf("got status %d for another day in the future, want 422", a.Code)
	}
	if a := edit(early, early.UpdatedAt.Add(time.Hour), "2027-01-01", "Lobby"); a.Code != http.StatusConflict {
		t.Errorf("got status %d for a form with a version from the future, want 409", a.Code)
	}
	if a := edit(early, early.UpdatedAt, "2027-01-01", "Lobby"); a.Code != http.StatusSeeOther {
		t.Errorf("got status %d for an unchanged day in the future, want 303", a.Code)
	}
}
