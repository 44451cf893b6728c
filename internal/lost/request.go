package lost

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// RequestState is the state of a claimant's request.
type RequestState string

// The states of a request. Only a pending request can be decided.
const (
	RequestPending   RequestState = "PENDING"
	RequestMatched   RequestState = "MATCHED"
	RequestRejected  RequestState = "REJECTED"
	RequestWithdrawn RequestState = "WITHDRAWN" // the claimant has found the item
)

// RequestStates lists all states.
func RequestStates() []RequestState {
	return []RequestState{RequestPending, RequestMatched, RequestRejected, RequestWithdrawn}
}

// Claim contains the fields that only requests have.
type Claim struct {
	State         RequestState
	LostPlace     string
	LostDate      string
	Proof         string // details that only the owner can know
	Reason        string // only if rejected
	MatchedItemID string // only if matched
	Question      string // the desk's question in data of earlier versions; empty once the claimant has answered
	// AnsweredAt is when the desk first wrote to the claimant or decided. A decision that was undone before the
	// claimant was told is no answer.
	AnsweredAt time.Time `json:"-"`
	// TrackerLink is the share link of a tracker in the lost item, which may be read until TrackerUntil; see Tracker.
	TrackerLink  string    `json:",omitzero"`
	TrackerUntil time.Time `json:",omitzero"`
	// RegisterItemID is the find that the claimant chose in the location's public register. Only the desk may know it.
	RegisterItemID string `json:",omitzero"`
}

// RequestPatch is a new request, as received from the client.
type RequestPatch struct {
	Description, LostPlace, LostDate, Proof, Brand, Model, Color, Language Field[string]
	Owner                                                                  Field[OwnerPatch]
	ExternalID, Category, SerialNumber                                     Field[string]
	Metadata                                                               Field[MetadataPatch]
	TrackerLink                                                            Field[string]
	RegisterItemID                                                         string // set by the public page only
	// Country is the location's country. It must be set if Owner.NeedsCountry.
	Country string
	DecodeResult
}

// RequestStatus is the status of every request. What was decided about it is in its claim.
const RequestStatus = Pending

// NewRequest returns a new request from a patch. The error lists all problems.
func NewRequest(account, location string, p RequestPatch, now time.Time) (Item, error) {
	i := Item{
		Account: account, ID: NewID(ItemID, now), LocationID: location, Reference: NewReference(),
		Source: Request, Status: RequestStatus, Claim: Claim{State: RequestPending}, CreatedAt: now, UpdatedAt: now,
	}
	as := ItemPatch{
		Description: p.Description, Brand: p.Brand, Model: p.Model, Color: p.Color, Language: p.Language,
		Owner: p.Owner, Country: p.Country, ExternalID: p.ExternalID, Metadata: p.Metadata,
		Category: p.Category, SerialNumber: p.SerialNumber, DecodeResult: p.DecodeResult,
	}
	c := &check{as.apply(&i)}
	c.line(p.LostPlace, "lostPlace", MaxPlace, &i.Claim.LostPlace)
	c.date(p.LostDate, "lostDate", &i.Claim.LostDate)
	c.prose(p.Proof, "proof", MaxDescription, &i.Claim.Proof)
	c.trackerLink(p.TrackerLink, "trackerLink", &i.Claim.TrackerLink)
	if i.Claim.RegisterItemID = p.RegisterItemID; p.RegisterItemID != "" { // the register has not said what it is
		c.Require("proof", i.Claim.Proof)
	}
	if i.Claim.TrackerLink != "" {
		i.Claim.TrackerUntil = now.Add(TrackerLife)
	}
	if day := now.AddDate(0, 0, 1).Format(DateLayout); i.Claim.LostDate > day { // tomorrow, to allow for all time zones
		c.Add("lostDate", "future", "is in the future; send the day on which it was lost")
	}
	if i.Owner.Address() == "" && !c.Has("owner.email") && !c.Has("owner.phone") {
		c.Add("owner.email", "required",
			"is required unless owner.phone is sent, so that the claimant can be reached")
	}
	problems := append(c.Problems, p.refuseEcho()...)
	return i, problems.Err()
}

// DecisionPatch is the decision about a request, as received from the client.
type DecisionPatch struct {
	Type, ItemID, Reason Field[string]
	// Delayed delays the message to the claimant by UndoTime. Until it is sent, the decision can be undone.
	Delayed bool
	DecodeResult
}

// The ways to decide a request.
const (
	Accept = "accept"
	Reject = "reject"
)

// Decisions lists all ways to decide a request.
func Decisions() []string { return []string{Accept, Reject} }

// Decision is a valid decision about a request.
type Decision struct {
	Accept         bool
	ItemID, Reason string
}

// Decision validates the patch. The error lists all problems.
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
		c.Add("itemId", "required", "is required: the id of the found item that belongs to the claimant")
	case kind == Accept && d.Reason != "":
		c.Add("reason", "not-with-type", "is only allowed with type reject")
	case kind == Reject && item != "":
		c.Add("itemId", "not-with-type", "is only allowed with type accept")
	}
	return d, c.Err()
}

// IsFromPublicPage reports whether a request came from a public page. The text and address of such a request are not
// verified.
func IsFromPublicPage(i Item) bool { return i.Source == Request && i.MovedBy == ByPublic }

// decideRequest sets the state of a pending request.
func decideRequest(i *Item, to RequestState, now time.Time) error {
	if i.Source != Request {
		return Missing("request")
	}
	if err := i.Claim.checkPending("It cannot be decided again."); err != nil {
		return err
	}
	i.Claim.State, i.UpdatedAt = to, now
	if to != RequestWithdrawn && i.Claim.AnsweredAt.IsZero() {
		i.Claim.AnsweredAt = now
	}
	i.Claim.forgetTracker() // where the item is concerns nobody any more
	return nil
}

// MayDismissMatch returns an error if a suggested match of the request can no longer be dismissed.
func (c Claim) MayDismissMatch() error { return c.checkPending("It has no suggested matches.") }

// checkPending returns nil for a pending request. Otherwise it returns an error that states the decision and the
// consequence.
func (c Claim) checkPending(consequence string) error {
	state := map[RequestState]string{
		RequestMatched: "accepted", RequestRejected: "rejected", RequestWithdrawn: "withdrawn by the claimant",
	}[c.State]
	if state == "" {
		return nil
	}
	return E(AlreadyDecided, "This request was already %s. %s", state, consequence)
}

// Reject rejects the request. It returns an error if the request is not pending.
func (i *Item) Reject(reason string, now time.Time) error {
	if err := decideRequest(i, RequestRejected, now); err != nil {
		return err
	}
	i.Claim.Reason = reason
	return nil
}

// Withdraw records that the claimant has found the item. It reports whether anything changed.
func (i *Item) Withdraw(now time.Time) (bool, error) {
	if i.Source == Request && i.Claim.State == RequestWithdrawn {
		return false, nil
	}
	return true, decideRequest(i, RequestWithdrawn, now)
}

// Reopen makes an accepted or rejected request pending again, because the decision was undone. It reports whether
// anything changed.
func (c *Claim) Reopen() bool {
	if c.State != RequestMatched && c.State != RequestRejected {
		return false
	}
	c.State, c.MatchedItemID, c.Reason = RequestPending, "", ""
	return true
}

// MayMatch returns an error if the request cannot be matched with a found item.
func (i Item) MayMatch(found Item) error {
	switch {
	case i.Source != Request:
		return Missing("request")
	case i.Claim.State != RequestPending:
		return i.Claim.checkPending("It cannot be decided again.")
	case found.Source != Found:
		return E(WrongState, "The item is a request itself. Choose a found item.")
	case found.Status != Pending:
		return E(WrongState, "The found item is no longer waiting for its owner.")
	case found.Owner.Address() != "" && !SameAddress(found.Owner.Address(), i.Owner.Address()):
		return E(HasOwner, "The found item has another owner. Remove the owner first.")
	default:
		return nil
	}
}

// Match accepts the request and matches it with a found item. The claimant becomes the item's owner.
func (i *Item) Match(found *Item, now time.Time) error {
	if err := i.MayMatch(*found); err != nil {
		return err
	}
	if err := decideRequest(i, RequestMatched, now); err != nil {
		return err
	}
	i.Claim.MatchedItemID = found.ID
	if !SameAddress(found.Owner.Address(), i.Owner.Address()) { // there may be data of a former owner
		if _, err := forgetGuest(found, now); err != nil {
			return err
		}
	}
	found.Owner, found.UpdatedAt, found.DisownedAt = i.Owner.withDefaults(found.Owner), now, time.Time{}
	found.OwnerState = ToldState(*found)
	if i.Language != "" {
		found.Language = i.Language
	}
	return nil
}

// withDefaults fills in missing details of an owner from another record of the same person.
func (o Owner) withDefaults(known Owner) Owner {
	return Owner{
		FirstName: cmp.Or(o.FirstName, known.FirstName), LastName: cmp.Or(o.LastName, known.LastName),
		Email: cmp.Or(o.Email, known.Email), Phone: cmp.Or(o.Phone, known.Phone),
	}
}

// MaxClaimImages is the maximum number of photos that a claimant can add.
const MaxClaimImages = 10

// MaxAdded is the maximum length of an addition to a request, in characters.
const MaxAdded = 2000

// AddDetails appends text from the claimant to the description. It reports whether anything changed. A text that was
// just added, because of a double click, is not added again.
func (i *Item) AddDetails(p Field[string], now time.Time) (changed bool, err error) {
	var text string
	var c check
	c.prose(p, "details", MaxAdded, &text)
	c.Require("details", text)
	repeated := strings.HasSuffix(i.Description, "\n\n"+text)
	whole := i.Description + "\n\n" + text
	if len([]rune(whole)) > MaxDescription && !repeated {
		c.Add("details", "too-long", "is too long; shorten it, or contact the desk")
	}
	if err := c.Err(); err != nil {
		return false, err
	}
	if i.Source != Request || i.Claim.State != RequestPending {
		return false, E(AlreadyDecided, "This request can no longer be changed.")
	}
	if repeated {
		return false, nil
	}
	i.Description, i.Claim.Question, i.UpdatedAt = whole, "", now
	return true, nil
}

// Provisional reports whether the message waits until the decision in it can no longer be undone.
func (m Message) Provisional() bool { return m.State == MessageWaiting && m.About.UndoSeconds > 0 }

// MayUndo reports whether the message was not sent, and the time to undo the decision in it has not ended.
func (m Message) MayUndo(now time.Time) bool {
	unsent := m.State == MessageWaiting && m.Handovers == 0 || m.State == MessageSaved
	return m.About.UndoSeconds > 0 && unsent && now.Before(m.UndoUntil())
}

// NewestDecision returns the newest message of a kind. It returns false if a later message has told the guest. The list
// is sorted, the newest first.
func NewestDecision(all []Message, kind MessageKind) (Message, bool) {
	var later []Message
	for _, m := range all {
		switch {
		case m.State == MessageCanceled:
		case m.Kind == kind:
			told := slices.ContainsFunc(later, func(l Message) bool { return SameAddress(l.To, m.To) })
			return m, !told
		default:
			later = append(later, m)
		}
	}
	return Message{}, false
}

// CheckGiveAway returns an error if a request was accepted for the item, and the claimant has not been notified yet:
// the decision can still be undone, or its message is still to be sent. The claimant would be told of an item that is
// gone, or never hear of it. The list contains the item's messages, newest first.
func CheckGiveAway(i Item, all []Message, now time.Time) error {
	m, found := NewestDecision(all, MatchMessage)
	if !found || !SameAddress(m.To, i.Owner.Address()) || !m.MayUndo(now) && (!m.Provisional() || m.Handovers > 0) {
		return nil
	}
	return E(ClaimantNotNotified, "%s", Note(NoteClaimantNotNotified))
}

// UndoUntil returns when the time to undo the decision in the message ends.
func (m Message) UndoUntil() time.Time {
	return m.CreatedAt.Add(time.Duration(m.About.UndoSeconds) * time.Second)
}
