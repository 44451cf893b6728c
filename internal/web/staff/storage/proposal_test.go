package storage_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/staff/stafftest"
)

// proposal is an item whose rule says what should happen to it, and how the pages describe that.
type proposal struct {
	category            lost.Category
	then                lost.Disposal
	to                  lost.Destination
	button, done, state string        // on the button, in the decision, and on the page of the item
	note                lost.NoteKind // in the history of the item
}

func proposals() []proposal {
	return []proposal{
		{"umbrella", "donate", "donated", "Donate: 1 item", "donated to Caritas", "Donated", lost.NoteDonated},
		{"food", "discard", "discarded", "Discard: 1 item", "discarded", "Discarded", lost.NoteDiscarded},
		{"wallet", "police", "police", "Hand to the police: 1 item", "handed to the police", "Given to the police",
			lost.NotePolice},
		{"passport", "authority", "authority", "Hand to an authority: 1 item", "handed to an authority",
			"Given to an authority", lost.NoteAuthority},
		{"bicycle", "auction", "auctioned", "Auction: 1 item", "auctioned", "Auctioned", lost.NoteAuctioned},
		{"jewellery", "finder", "finder", "Give to the finder: 1 item", "handed to the finder", "Given to the finder",
			lost.NoteFinder},
	}
}

// overdueByRule creates an item for each proposal, and one without a rule, all past their storage time.
func overdueByRule(t *testing.T, h *testkit.Server) (s *stafftest.FullStorage, items []lost.Item, free lost.Item) {
	t.Helper()
	s = stafftest.NewFullStorage(h)
	var rules []lost.KeepingRule
	for _, p := range proposals() {
		rules = append(rules, lost.KeepingRule{Category: p.category, Days: 10, Then: p.then})
	}
	testkit.Must(h.Services.Locations.Update(t.Context(), h.Actor, s.Hotel.ID,
		lost.LocationPatch{KeepingRules: lost.Set(rules)}))
	long := lost.Set(h.Clock.Now().AddDate(0, 0, -31).Format(lost.DateLayout))
	for _, r := range proposals() {
		items = append(items, h.NewItem(s.Hotel, "Item for "+string(r.then), func(p *lost.ItemPatch) {
			p.DiscoveryDate, p.Category = long, lost.Set(string(r.category))
			p.Finder = lost.Set(lost.FinderPatch{Name: lost.Set("Marta Nowak"), ClaimsItem: lost.Set(true)})
		}))
	}
	free = h.NewItem(s.Hotel, "Item without a rule", func(p *lost.ItemPatch) { p.DiscoveryDate = long })
	s.RunJobs()
	return s, items, free
}

// hiddenValues returns the values of the hidden fields with a name on a page.
func hiddenValues(body, name string) (values []string) {
	field := regexp.MustCompile(`<input type="hidden" name="` + regexp.QuoteMeta(name) + `" value="([^"]*)">`)
	for _, found := range field.FindAllStringSubmatch(body, -1) {
		values = append(values, html.UnescapeString(found[1]))
	}
	return values
}

// expectProposed fails unless an item is closed as its rule proposes.
func expectProposed(s *stafftest.FullStorage, v *testkit.Visitor, i lost.Item, p proposal) {
	s.T.Helper()
	now := testkit.Must(s.Services.Items.Get(s.T.Context(), s.Actor, s.Hotel.ID, i.ID))
	if now.Destination != p.to || now.Status != p.to.Status() || now.ClosedAt.IsZero() {
		s.T.Errorf("then %s: got destination %q, status %s, closed %v", p.then, now.Destination, now.Status,
			now.ClosedAt)
	}
	if page := v.Get(stafftest.ItemPath(s.Hotel, i)); !stafftest.Shows(page, p.state) {
		s.T.Errorf("then %s: the page of the item does not say %q", p.then, p.state)
	}
	history := testkit.Must(s.Services.Items.History(s.T.Context(), s.Actor, s.Hotel.ID, i.ID, lost.FirstPage()))
	if !slices.ContainsFunc(history.Data, func(e lost.Entry) bool {
		return e.Action == lost.Moved && e.Note == lost.Note(p.note) && e.Actor.ID == s.Actor.ID
	}) {
		s.T.Errorf("then %s: the history does not say so: %+v", p.then, history.Data)
	}
}

func TestItemsAreClosedAsTheirRuleProposes(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		s, items, free := overdueByRule(t, h)
		v := h.LogIn()
		for n, p := range proposals() {
			page := v.Get(s.Path)
			button := "due:" + string(p.to)
			ids := hiddenValues(page.Body, button)
			if !stafftest.Shows(page, p.button) || !slices.Equal(ids, []string{items[n].ID}) {
				t.Fatalf("then %s: the page proposes this for the items %q, want %s", p.then, ids, items[n].ID)
			}
			a := v.Post(s.Path, url.Values{
				"do": {button}, button: ids, "seen": hiddenValues(page.Body, "seen"),
				"item": {free.ID}, "every": {"yes"}, // a selection is not what the button is about
			})
			if a.Code != http.StatusSeeOther {
				t.Fatalf("then %s: got status %d: %s", p.then, a.Code, a.Body)
			}
			until := h.Clock.Now().Add(lost.UndoTime).In(s.Hotel.Zone()).Format(lost.TimeLayout)
			if page := v.Get(s.Path); !stafftest.Shows(page, "1 item will be "+p.done+" at "+until+".") {
				t.Errorf("then %s: the page does not show the decision", p.then)
			}
			if i := s.Item("for " + string(p.then)); !i.ClosedAt.IsZero() {
				t.Errorf("then %s: the item is closed while the decision can be undone", p.then)
			}
			h.Clock.Advance(lost.UndoTime)
			s.RunJobs()
			if page := v.Get(s.Path); !stafftest.Shows(page, "1 item was "+p.done+" at ") {
				t.Errorf("then %s: the page does not show the outcome", p.then)
			}
			expectProposed(s, v, items[n], p)
		}
		if page := v.Get(s.Path); !stafftest.Shows(page, "1 item past the storage time", "Item without a rule") ||
			strings.Contains(page.Body, `value="due:`) {
			t.Error("the item without a rule no longer waits, or something is proposed for it")
		}
		if i := s.Item("without a rule"); !i.ClosedAt.IsZero() || i.Destination != "" {
			t.Errorf("the item without a rule has status %s and destination %q", i.Status, i.Destination)
		}
	})
}

// An item goes to its finder only if the finder wants it. Otherwise, the next rule about it decides.
func TestNothingIsProposedThatTheFinderDoesNotWant(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		s, items, _ := overdueByRule(t, h)
		ring := items[len(items)-1]
		testkit.Must(h.Services.Items.Update(t.Context(), h.Actor, s.Hotel.ID, ring.ID,
			lost.ItemPatch{Finder: lost.Set(lost.FinderPatch{ClaimsItem: lost.Set(false)})}))
		v := h.LogIn()
		page := v.Get(s.Path)
		if !stafftest.Shows(page, "No rule: you decide") || strings.Contains(page.Body, "due:finder") {
			t.Error("the item is proposed for a finder who does not want it")
		}
	})
}

// A button from another window decides only about items that still wait as they did when the page was made.
func TestAProposalIsNotAppliedToAnItemThatChanged(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		s, items, _ := overdueByRule(t, h)
		v := h.LogIn()
		page := v.Get(s.Path)
		form := url.Values{
			"do": {"due:donated"}, "due:donated": hiddenValues(page.Body, "due:donated"),
			"seen": hiddenValues(page.Body, "seen"),
		}
		s.RunJobs() // advances the clock
		testkit.Must(h.Services.Items.Update(t.Context(), h.Actor, s.Hotel.ID, items[0].ID,
			lost.ItemPatch{Hold: lost.Set("Its owner has called")}))
		if a := v.Post(s.Path, form); a.Code != http.StatusConflict ||
			!stafftest.Shows(a, "These items no longer need a decision") {
			t.Errorf("got status %d for an item on hold, want 409", a.Code)
		}
		for name, form := range map[string]url.Values{
			"an unknown destination": {"do": {"due:sold"}, "due:sold": {items[1].ID}},
			"no items":               {"do": {"due:donated"}},
		} {
			if a := v.Post(s.Path, form); a.Code != http.StatusUnprocessableEntity {
				t.Errorf("%s: got status %d, want 422", name, a.Code)
			}
		}
		if i := s.Item("for discard"); i.Destination != "" || !i.ClosedAt.IsZero() {
			t.Errorf("got destination %q for an item with no decision", i.Destination)
		}
	})
}
