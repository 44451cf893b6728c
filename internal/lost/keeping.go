package lost

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// KeepingRule says how long a location stores certain items, and what should happen to them then.
type KeepingRule struct {
	Category Category `json:"category,omitempty"` // empty for all items
	MinValue Value    `json:"minValue,omitzero"`  // of the items; zero for all items
	Days     int      `json:"days"`
	Then     Disposal `json:"then,omitempty"` // empty if the desk decides
}

// MaxKeepingRules is the maximum number of keeping rules of a location.
const MaxKeepingRules = 100

// Disposal is what should happen to an item when its storage time has ended.
type Disposal string

// The disposals.
const (
	ThenDonate    Disposal = "donate"
	ThenDiscard   Disposal = "discard"
	ThenPolice    Disposal = "police"
	ThenAuthority Disposal = "authority"
	ThenAuction   Disposal = "auction"
	ThenFinder    Disposal = "finder"
)

// Disposals lists all disposals.
func Disposals() []Disposal {
	return []Disposal{ThenDonate, ThenDiscard, ThenPolice, ThenAuthority, ThenAuction, ThenFinder}
}

// Destination returns the destination of an item that is disposed of like this, or an empty one for no disposal.
func (d Disposal) Destination() Destination {
	n := slices.Index(Disposals(), d)
	if n < 0 {
		return ""
	}
	return Destinations()[n]
}

// matches reports whether the rule is about an item. A value in another currency is not compared. A rule that gives
// items to their finders is only about items that their finders claim.
func (r KeepingRule) matches(i Item) bool {
	if r.Category != "" && r.Category != i.Category || r.Then == ThenFinder && !i.Finder.ClaimsItem {
		return false
	}
	return r.MinValue.Currency == "" ||
		r.MinValue.Currency == i.Value.Currency && i.Value.Amount >= r.MinValue.Amount
}

// Keeping returns the rule by which a found item is stored: the first of its location's rules that is about it, or
// else a rule with the location's storage duration. It returns false if there is neither.
func (i Item) Keeping() (KeepingRule, bool) {
	for _, r := range i.Terms.Keeping {
		if r.matches(i) {
			return r, true
		}
	}
	if days := i.Terms.StorageDuration; days != nil {
		return KeepingRule{Days: *days}, true
	}
	return KeepingRule{}, false
}

// ThenDue returns what should happen to an item when its storage time has ended. It is empty if the desk decides, or
// if the item is stored without a limit.
func (i Item) ThenDue() Disposal {
	_, then := stored(i)
	return then
}

// SameKeeping reports whether the storage of two states of an item ends on the same day, and the same should happen
// then.
func (i Item) SameKeeping(o Item) bool {
	until, then := stored(i)
	otherUntil, otherThen := stored(o)
	return until == otherUntil && then == otherThen
}

// ActsOnCategory reports whether somebody might be told at once, or something become due at once, if an item got a
// category: because of its keeping rules, its storage would end on another day or lead to something else, and has ended
// or ends so soon that the owner is reminded.
func (l ReminderSchedule) ActsOnCategory(i Item, c Category, now time.Time) bool {
	other := i
	other.Category = c
	if i.Source != Found || i.Status != Pending && i.Status != InfoCompleted || i.SameKeeping(other) {
		return false
	}
	soon := now
	if days := l.BeforeStoreUntil; len(days) > 0 {
		soon = now.AddDate(0, 0, slices.Max(days)+1)
	}
	return i.StorageEnded(soon) || other.StorageEnded(soon)
}

// AnnouncesAgain reports whether people who were told one last day of storage are told the present one, too: if it is
// much later, or if the desk has chosen it.
func (i Item) AnnouncesAgain(told string) bool {
	until := i.StoreUntil()
	return until == i.KeepUntil || until >= AddDays(told, renewedAfter)
}

// KeepingMove says what a change of a location's rules changes for an item: the end of its storage, or only what should
// happen then.
type KeepingMove string

// The moves, the most urgent first.
const (
	DueNow    KeepingMove = "due-now" // the storage has ended, which it had not before
	Earlier   KeepingMove = "earlier"
	Later     KeepingMove = "later"
	Disposed  KeepingMove = "disposed" // the storage ends on the same day, but something else should happen then
	Unchanged KeepingMove = "unchanged"
)

// KeepingMoves lists all moves.
func KeepingMoves() []KeepingMove {
	return []KeepingMove{DueNow, Earlier, Later, Disposed, Unchanged}
}

// MoveUnder returns what other terms of its location would change for the item, and when its storage would end.
func (i Item) MoveUnder(t Terms, now time.Time) (move KeepingMove, until string) {
	other := i
	other.Terms = t
	before, thenBefore := stored(i)
	until, then := stored(other)
	switch {
	case before == until && thenBefore == then:
		return Unchanged, until
	case before == until:
		return Disposed, until
	case other.StorageEnded(now) && !i.StorageEnded(now):
		return DueNow, until
	case until != "" && (before == "" || until < before):
		return Earlier, until
	default:
		return Later, until
	}
}

// MovedItem is an item that other rules of its location would treat differently.
type MovedItem struct {
	ID                    string
	Move                  KeepingMove
	Before, After         string   // the last day of storage; empty if there is none
	ThenBefore, ThenAfter Disposal // what should happen then
}

// KeepingPreview says what other rules of a location would change for the items that it stores.
type KeepingPreview struct {
	Counts  map[KeepingMove]int
	Moved   []MovedItem // the most urgent first, at most MaxMovedItems
	Partial bool        // the location stores more items than the preview includes
}

// MaxMovedItems is the maximum number of items that a KeepingPreview lists. It counts all of them.
const MaxMovedItems = 500

// Total returns the number of items that the other rules treat differently.
func (p *KeepingPreview) Total() int {
	return p.Counts[DueNow] + p.Counts[Earlier] + p.Counts[Later] + p.Counts[Disposed]
}

// Add adds a stored item to the preview of other terms. Call Finish after the last item.
func (p *KeepingPreview) Add(i Item, t Terms, now time.Time) {
	move, until := i.MoveUnder(t, now)
	if p.Counts == nil {
		p.Counts = map[KeepingMove]int{}
	}
	moved := MovedItem{ID: i.ID, Before: i.StoreUntil(), After: until, ThenBefore: i.ThenDue()}
	i.Terms = t
	if move == DueNow && i.MayClear(now) != nil { // its owner collects it, for example
		move = Earlier
	}
	p.Counts[move]++
	if move == Unchanged {
		return
	}
	moved.Move, moved.ThenAfter = move, i.ThenDue()
	p.Moved = append(p.Moved, moved)
	if len(p.Moved) >= 2*MaxMovedItems {
		p.Finish()
	}
}

// Finish sorts the items by the urgency of their move and by day, and removes those that are too many.
func (p *KeepingPreview) Finish() {
	slices.SortStableFunc(p.Moved, func(a, b MovedItem) int {
		return cmp.Or(cmp.Compare(slices.Index(KeepingMoves(), a.Move), slices.Index(KeepingMoves(), b.Move)),
			cmp.Compare(cmp.Or(a.After, endless), cmp.Or(b.After, endless)))
	})
	p.Moved = p.Moved[:min(len(p.Moved), MaxMovedItems)]
}

// endless sorts after all dates.
const endless = "~"

func (p LocationPatch) applyKeepingRules(c *check, l *Location) {
	const field = "keepingRules"
	switch {
	case !p.KeepingRules.Sent || c.Has(field):
		return
	case len(p.KeepingRules.Value) > MaxKeepingRules:
		c.Add(field, "too-many", "must have at most %d elements", MaxKeepingRules)
		return
	}
	before := len(c.Problems)
	var rules []KeepingRule
	for n, sent := range p.KeepingRules.Value {
		rules = append(rules, c.keepingRule(sent, l.Currency(), fmt.Sprintf("%s[%d]", field, n)))
	}
	if len(c.Problems) == before {
		l.KeepingRules = rules
	}
}

// keepingRule returns a valid keeping rule, or adds problems. The currency is that of a value without one.
func (c *check) keepingRule(sent KeepingRule, currency, field string) (r KeepingRule) {
	oneOf(c, Set(string(sent.Category)), field+".category", Categories(), &r.Category)
	oneOf(c, Set(string(sent.Then)), field+".then", Disposals(), &r.Then)
	if sent.MinValue != (Value{}) {
		r.MinValue.Amount = sent.MinValue.Amount
		c.currency(Set(cmp.Or(sent.MinValue.Currency, currency)), field+".minValue.currency", &r.MinValue.Currency)
		if sent.MinValue.Amount < 1 || sent.MinValue.Amount > MaxAmount {
			c.Add(field+".minValue.amount", "out-of-range",
				"must be from 1 to %d, in the smallest unit of the currency", MaxAmount)
		}
	}
	c.between(Set(sent.Days), field+".days", 0, MaxStorageDays, &r.Days)
	return r
}
