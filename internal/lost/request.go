package lost

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// RequestState is what became of a claimant's request.
type RequestState string

// The states of a request. Only a pending one can be decided.
const (
	RequestPending   RequestState = "PENDING"
	RequestMatched   RequestState = "MATCHED"
	RequestRejected  RequestState = "REJECTED"
	RequestWithdrawn RequestState = "WITHDRAWN" // the claimant has it again
)

// RequestStates lists them.
func RequestStates() []RequestState {
	return []RequestState{RequestPending, RequestMatched, RequestRejected, RequestWithdrawn}
}

// Claim is what a request has beside what every item has.
type Claim struct {
	State         RequestState
	LostPlace     string
	LostDate      string
	Proof         string // what only the owner can know
	Reason        string // with REJECTED
	MatchedItemID string // with MATCHED
	Question      string // what the desk asked last; empty once the claimant has said more
}

// RequestPatch is a request to be filed.
type RequestPatch struct {
	Description, LostPlace, LostDate, Proof, Brand, Model, Color, Language Field[string]
	Owner                                                                  Field[OwnerPatch]
	Received
}

// NewRequest makes a request from what was sent, or says everything that is wrong with it.
func NewRequest(account, location string, p RequestPatch, now time.Time) (Item, error) {
	i := Item{
		Account: account, ID: NewID(ItemID, now), LocationID: location, Reference: NewReference(),
		Source: Request, Status: Pending, Claim: Claim{State: RequestPending}, CreatedAt: now, UpdatedAt: now,
	}
	as := ItemPatch{
		Description: p.Description, Brand: p.Brand, Model: p.Model, Color: p.Color, Language: p.Language, Owner: p.Owner, Received: p.Received,
	}
	c := &check{as.apply(&i)}
	c.line(p.LostPlace, "lostPlace", MaxPlace, &i.Claim.LostPlace)
	c.date(p.LostDate, "lostDate", &i.Claim.LostDate)
	c.prose(p.Proof, "proof", MaxDescription, &i.Claim.Proof)
	if day := now.AddDate(0, 0, 1).Format(DateForm); i.Claim.LostDate > day { // anywhere on earth
		c.Add("lostDate", "future", "is in the future; send the day on which it was lost")
	}
	if i.Owner.Address() == "" && !c.Has("owner.email") && !c.Has("owner.phone") {
		c.Add("owner.email", "required", "is required, or owner.phone: a way to reach the claimant")
	}
	problems := append(c.Problems, p.refuseEcho()...)
	return i, problems.Err()
}

// DecisionPatch is the answer to a request, as it was sent.
type DecisionPatch struct {
	Type, ItemID, Reason Field[string]
	Received
}

// The ways to decide a request.
const (
	Accept = "accept"
	Reject = "reject"
)

// Decisions lists them.
func Decisions() []string { return []string{Accept, Reject} }

// Decision is an answer that was understood.
type Decision struct {
	Accept         bool
	ItemID, Reason string
}

// Decision checks what was sent, or says everything that is wrong with it.
func (p DecisionPatch) Decision() (d Decision, err error) {
	var kind, item string
	c := &check{slices.Clone(p.Problems)}
	oneOf(c, p.Type, "type", Decisions(), &kind)
	c.line(p.ItemID, "itemId", MaxShort, &item)
	c.prose(p.Reason, "reason", MaxDescription, &d.Reason)
	d.Accept, d.ItemID = kind == Accept, item
	switch {
	case kind == "" && !c.Has("type"):
		c.Add("type", "required", "is required and must be one of %s", Quoted(Decisions()))
	case kind == Accept && item == "" && !c.Has("itemId"):
		c.Add("itemId", "required", "is required: the found item that is the claimant's")
	case kind == Accept && d.Reason != "":
		c.Add("reason", "not-with-type", "goes only with type reject")
	case kind == Reject && item != "":
		c.Add("itemId", "not-with-type", "goes only with type accept")
	}
	return d, c.Err()
}

// ByStranger tells a request that somebody filed on a public page: nobody has read what it says, and nobody knows whether the address
// in it is theirs.
func (i Item) ByStranger() bool { return i.Source == Request && i.MovedBy == ByPublic }

// decide is nil once a request may be given a state.
func (i *Item) decide(to RequestState, now time.Time) error {
	if i.Source != Request {
		return Missing("request")
	}
	if err := i.Claim.undecided("A request is decided once."); err != nil {
		return err
	}
	i.Claim.State, i.UpdatedAt = to, now
	return nil
}

// MayRefuse is nil where it can still be said of a find that it is not what the request is about.
func (i Item) MayRefuse() error { return i.Claim.undecided("Nothing is suggested for it any more.") }

// undecided is nil for a claim that nobody has answered, or says how it was, and what follows from that.
func (c Claim) undecided(so string) error {
	was := map[RequestState]string{RequestMatched: "accepted", RequestRejected: "rejected", RequestWithdrawn: "taken back by the claimant"}[c.State]
	if was == "" {
		return nil
	}
	return E(Conflict, "This request was %s already. %s", was, so)
}

// Reject answers a request with no.
func (i *Item) Reject(reason string, now time.Time) error {
	if err := i.decide(RequestRejected, now); err != nil {
		return err
	}
	i.Claim.Reason = reason
	return nil
}

// Withdraw notes that the claimant has it again. It tells whether that is news.
func (i *Item) Withdraw(now time.Time) (bool, error) {
	if i.Source == Request && i.Claim.State == RequestWithdrawn {
		return false, nil
	}
	return true, i.decide(RequestWithdrawn, now)
}

// MayMatch is nil, or why a request cannot be answered with an item as both stand.
func (i Item) MayMatch(found Item) error {
	switch {
	case i.Source != Request:
		return Missing("request")
	case i.Claim.State != RequestPending:
		return i.Claim.undecided("A request is decided once.")
	case found.Source != Found:
		return E(Conflict, "The item is a request itself. Accept with an item that was found.")
	case found.Status != Pending:
		return E(Conflict, "The found item does not wait for its owner any more.")
	case found.Owner.Address() != "" && found.Owner.Address() != i.Owner.Address():
		return E(Conflict, "The found item has another owner. Remove that one first.")
	default:
		return nil
	}
}

// Match answers a request with the found item that is the claimant's, who becomes its owner.
func (i *Item) Match(found *Item, now time.Time) error {
	if err := i.MayMatch(*found); err != nil {
		return err
	}
	if err := i.decide(RequestMatched, now); err != nil {
		return err
	}
	i.Claim.MatchedItemID = found.ID
	found.Owner, found.UpdatedAt, found.DisownedAt = i.Owner.or(found.Owner), now, time.Time{}
	if i.Language != "" {
		found.Language = i.Language
	}
	return nil
}

// or fills in what is not known of an owner from what else is known of the same person.
func (o Owner) or(known Owner) Owner {
	return Owner{
		FirstName: cmp.Or(o.FirstName, known.FirstName), LastName: cmp.Or(o.LastName, known.LastName),
		Email: cmp.Or(o.Email, known.Email), Phone: cmp.Or(o.Phone, known.Phone),
	}
}

// MaxClaimImages bounds the photos that a claimant adds.
const MaxClaimImages = 10

// MaxAdded bounds what one addition to a request may say.
const MaxAdded = 2000

// AddDetails puts more words of the claimant's under those that are there.
// Words that were just added, by a hasty finger, are not added again; it tells whether there is anything new.
func (i *Item) AddDetails(p Field[string], now time.Time) (news bool, err error) {
	var text string
	var c check
	c.prose(p, "details", MaxAdded, &text)
	c.required("details", text)
	again := strings.HasSuffix(i.Description, "\n\n"+text)
	whole := i.Description + "\n\n" + text
	if len([]rune(whole)) > MaxDescription && !again {
		c.Add("details", "too-long", "is more than there is room for; call or write instead")
	}
	if err := c.Err(); err != nil {
		return false, err
	}
	if i.Source != Request || i.Claim.State != RequestPending {
		return false, E(Conflict, "This can no longer be changed here.")
	}
	if again {
		return false, nil
	}
	i.Description, i.Claim.Question, i.UpdatedAt = whole, "", now
	return true, nil
}

// Ask puts a question of the desk to the claimant of a request that is not decided yet.
func (i *Item) Ask(p Field[string], now time.Time) error {
	var c check
	var question string
	c.prose(p, "question", MaxAdded, &question)
	c.required("question", question)
	if err := c.Err(); err != nil {
		return err
	}
	if i.Source != Request {
		return Missing("request")
	}
	if err := i.Claim.undecided("Nobody needs to be asked."); err != nil {
		return err
	}
	i.Claim.Question, i.UpdatedAt = question, now
	return nil
}
