package lost

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// Entry is one entry in an item's history.
type Entry struct {
	ID     string
	At     time.Time
	Actor  Actor
	Action Action
	From   Status   // old status, if it changed
	To     Status   // new status, if it changed
	Fields []string // API names of the changed fields; never their values
	Note   string
}

// Action is a kind of history entry.
type Action string

// The actions.
const (
	Created          Action = "created"
	Updated          Action = "updated"
	Moved            Action = "status-changed"
	ImageAdded       Action = "image-added"
	ImageRemoved     Action = "image-removed"
	Disowned         Action = "not-theirs"         // the notified person says that the item is not theirs
	Accepted         Action = "request-accepted"   // only for requests
	Rejected         Action = "request-rejected"   // only for requests
	Withdrawn        Action = "request-withdrawn"  // only for requests, by the claimant
	Unmatched        Action = "match-refused"      // only for requests; the note names the dismissed item
	Asked            Action = "question-asked"     // only for requests; the note is the question
	Wrote            Action = "message-written"    // in the item's conversation; the text is only there
	ReplyRejected    Action = "message-rejected"   // a reply of the guest was not accepted; see the note
	Sent             Action = "message-sent"       // the note contains the kind, channel and recipient
	Kept             Action = "message-kept"       // the message was saved, because sending is not set up
	Failed           Action = "message-failed"     // the message was rejected or bounced; the note has the reason
	Revoked          Action = "link-revoked"       // the owner's link no longer works
	Paid             Action = "payment"            // a payment that the desk should know about; see the note
	Refunded         Action = "refund"             // a refund that the desk should know about; see the note
	Labelled         Action = "label"              // the label is ready, or the carrier rejected it; see the note
	HandedOver       Action = "handed-over"        // the collector's name is stored in the item
	GuestDataRemoved Action = "guest-data-removed" // by the account's retention rule or an erasure
)

// Actions lists all actions.
func Actions() []Action {
	return []Action{
		Created, Updated, Moved, ImageAdded, ImageRemoved, Disowned, Accepted, Rejected, Withdrawn, Unmatched, Asked,
		Wrote, ReplyRejected, Sent, Kept, Failed, Revoked, Paid, Refunded, Labelled, HandedOver, GuestDataRemoved,
	}
}

// NewEntry returns a new history entry.
func NewEntry(a Actor, action Action, now time.Time) Entry {
	return Entry{ID: NewID(HistoryID, now), At: now, Actor: a, Action: action}
}

// InvalidatesMove reports whether a status change that somebody decided on before this entry must be rejected,
// because the entry changed the status, the payment, the hold or the owner.
func (e Entry) InvalidatesMove() bool {
	if e.Action == Paid || e.Action == Refunded {
		return true
	}
	return e.ChangesOwner() || slices.ContainsFunc(e.Fields, func(name string) bool {
		return slices.Contains([]string{"status", "pickup", "closedAt", "handover", "hold", "disownedAt"}, name)
	})
}

// ChangesOwner reports whether the entry changed the owner or one of the owner's details.
func (e Entry) ChangesOwner() bool {
	return slices.ContainsFunc(e.Fields, func(name string) bool { return strings.HasPrefix(name, "owner") })
}

// ConflictsWith reports whether this entry conflicts with a change to some fields by somebody who has not seen the
// entry. An erasure conflicts with every change, so that erased data cannot be written back.
func (e Entry) ConflictsWith(fields []string) bool {
	return e.Action == GuestDataRemoved || slices.ContainsFunc(e.Fields, func(name string) bool {
		return slices.Contains(fields, name)
	})
}

// IsPickup reports whether the entry sets the status to PickUp or changes only the pick-up.
func (e Entry) IsPickup() bool {
	return e.To == PickUp || e.To == "" && slices.Equal(e.Fields, []string{"pickup"})
}

// InvalidatesDecision reports whether the entry invalidates an earlier decision about the item. Every change by a
// person does, except a new storage place. Message deliveries and the account's retention rule do not.
func (e Entry) InvalidatesDecision() bool {
	switch e.Action {
	case Sent, Kept, Failed, GuestDataRemoved, ReplyRejected:
		return false
	case Updated:
		return !slices.Equal(e.Fields, []string{"storagePlace"})
	default:
		return true
	}
}

// NoteKind is a kind of sentence that the service writes about an item, for example into its history.
type NoteKind string

// The kinds of notes.
const (
	NoteImported          NoteKind = "imported"
	NoteHandedToChecked   NoteKind = "handed-to-checked"
	NoteHandedTo          NoteKind = "handed-to"
	NoteHandoverUndone    NoteKind = "handover-undone"
	NoteMatchUndone       NoteKind = "match-undone"
	NoteRequestAccepted   NoteKind = "request-accepted"
	NoteRejectionUndone   NoteKind = "rejection-undone"
	NoteNoMatch           NoteKind = "no-match"
	NoteNoMatchFor        NoteKind = "no-match-for"
	NoteDonated           NoteKind = "donated"
	NoteCategory          NoteKind = "category-suggested"
	NoteCategoryUndone    NoteKind = "category-undone"
	NotePolice            NoteKind = "police"
	NoteAuthority         NoteKind = "authority"
	NoteAuctioned         NoteKind = "auctioned"
	NoteFinder            NoteKind = "finder"
	NoteDiscarded         NoteKind = "discarded"
	NotePhotoDamaged      NoteKind = "photo-damaged"
	NoteRefused           NoteKind = "refused"
	NoteRetried           NoteKind = "retried"
	NoteLabelVoided       NoteKind = "label-voided"
	NoteVoidRefused       NoteKind = "void-refused"
	NotePaidTwice         NoteKind = "paid-twice"
	NotePaidOldPrice      NoteKind = "paid-old-price"
	NotePaidOtherAmount   NoteKind = "paid-other-amount"
	NotePaidNotShippable  NoteKind = "paid-not-shippable"
	NotePaidLate          NoteKind = "paid-late"
	NoteWillBeRefunded    NoteKind = "will-be-refunded"
	NotePaymentStarted    NoteKind = "payment-started"
	NotePaymentFailed     NoteKind = "payment-failed"
	NoteDeskPaidBack      NoteKind = "desk-paid-back"
	NoteRefunded          NoteKind = "refunded"
	NoteDeskRefunds       NoteKind = "desk-refunds"
	NoteDeskCollected     NoteKind = "desk-collected"
	NotePayBack           NoteKind = "pay-back"
	NoteNotPayable        NoteKind = "not-payable"
	NoteNoReason          NoteKind = "no-reason"
	NoteParcelReturned    NoteKind = "parcel-returned"
	NoteParcelUndelivered NoteKind = "parcel-undelivered"
	NoteLabelCanceled     NoteKind = "label-canceled"
	NoteParcelLost        NoteKind = "parcel-lost"
	NoteCarrierMessage    NoteKind = "carrier-message"
	NoteLocationDeleted   NoteKind = "location-deleted"
	NoteRowsInvalid       NoteKind = "rows-invalid"
	NoteNotWaiting        NoteKind = "not-waiting"
	NoteOnHold            NoteKind = "on-hold"
	NoteStillStored       NoteKind = "still-stored"
	NotePaymentInProgress NoteKind = "payment-in-progress"
	NoteItemChanged       NoteKind = "item-changed"
	// NoteClaimantNotNotified is the reason why an item cannot be given away.
	NoteClaimantNotNotified NoteKind = "claimant-not-notified"
	NoteReplyAmbiguous      NoteKind = "reply-ambiguous"
	NoteReplyClosed         NoteKind = "reply-closed"
	NoteReplyFull           NoteKind = "reply-full"
	NoteReplyTooMany        NoteKind = "reply-daily-limit"
	NoteReplyEmpty          NoteKind = "reply-empty"
	NoteForwarded           NoteKind = "forwarded"
	NoteInformedIssuer      NoteKind = "informed-issuer"
	NoteInformedBank        NoteKind = "informed-bank"
	NoteInformedAuthority   NoteKind = "informed-authority"
	NoteInformedOwner       NoteKind = "informed-owner"
)

// noteTexts are the notes in English, as they are stored and as the API returns them. {text} stands for any text,
// {word} for a text without spaces such as a reference, and {price} for a Price. Do not change these texts, because
// ReadNote finds them in stored records. A note that begins like another one comes first.
//
//nolint:gochecknoglobals // a fixed list, completed once
var noteTexts = withPatterns([]noteText{
	{kind: NoteImported, text: "Imported from a file."},
	{kind: NotePolice, text: "Handed to the police after its storage time expired."},
	{kind: NoteAuthority, text: "Handed to an authority after its storage time expired."},
	{kind: NoteFinder, text: "Handed to its finder after its storage time expired."},
	{kind: NoteHandedToChecked, text: "Handed to {text}. Their ID was checked."},
	{kind: NoteHandedTo, text: "Handed to {text}."},
	{kind: NoteHandoverUndone, text: "The hand-over was undone."},
	{kind: NoteMatchUndone, text: "The match with {word} was undone"},
	{kind: NoteRequestAccepted, text: "Request {word} was accepted"},
	{kind: NoteRejectionUndone, text: "The rejection was undone"},
	{kind: NoteNoMatch, text: "Not a match for this request: {word}"},
	{kind: NoteNoMatchFor, text: "Not a match for request {word}"},
	{kind: NoteDonated, text: "Donated after its storage time expired."},
	{kind: NoteAuctioned, text: "Given to an auction after its storage time expired."},
	{kind: NoteCategory, text: "The category was suggested from the description."},
	{kind: NoteCategoryUndone, text: "The suggested category was undone."},
	{kind: NoteDiscarded, text: "Discarded after its storage time expired."},
	{kind: NotePhotoDamaged, text: "The photo is damaged and cannot be displayed, so it was removed. " +
		"Please add it again."},
	{kind: NoteRefused, text: "Refused: {text}"},
	{kind: NoteRetried, text: "Tried again."},
	{kind: NoteLabelVoided, text: "The label was voided."},
	{kind: NoteVoidRefused, text: "The carrier refused to void the label: {text}"},
	{kind: NotePaidTwice, text: "The fee was paid twice."},
	{kind: NotePaidOldPrice, text: "The payment came after the price had changed."},
	{kind: NotePaidOtherAmount, text: "{price} was paid instead of {price}."},
	{kind: NotePaidNotShippable, text: "The payment came after the desk had marked the item as not shippable."},
	{kind: NotePaidLate, text: "The payment came after the owner or the desk had chosen something else."},
	{kind: NoteWillBeRefunded, text: "It will be refunded."},
	{kind: NotePaymentStarted, text: "A payment was started. It can take some days."},
	{kind: NotePaymentFailed, text: "The pending payment failed."},
	{kind: NoteDeskPaidBack, text: "The desk paid back {price}."},
	{kind: NoteRefunded, text: "{price} was refunded."},
	{kind: NoteDeskRefunds, text: "The desk refunds {price}."},
	{kind: NoteDeskCollected, text: "The desk collected {price}."},
	{kind: NotePayBack, text: "Pay the fee back to the owner, then confirm it."},
	{kind: NoteNotPayable, text: "The fee cannot be paid online: {text}"},
	{kind: NoteNoReason, text: "No reason was given."},
	{kind: NoteParcelReturned, text: "The parcel is being returned."},
	{kind: NoteParcelUndelivered, text: "The parcel could not be delivered."},
	{kind: NoteLabelCanceled, text: "The label was canceled."},
	{kind: NoteParcelLost, text: "The carrier does not know where the parcel is."},
	{kind: NoteCarrierMessage, text: "Carrier message: {text}"},
	{kind: NoteLocationDeleted, text: "The location was deleted."},
	{kind: NoteRowsInvalid, text: "Some rows of the file are no longer valid. Upload it again."},
	{kind: NoteNotWaiting, text: "The item is no longer waiting for its owner."},
	{kind: NoteOnHold, text: "The item is on hold."},
	{kind: NoteStillStored, text: "The item's storage time has not ended yet."},
	{kind: NotePaymentInProgress, text: "A payment for shipping the item is in progress."},
	{kind: NoteItemChanged, text: "Somebody changed the item in the meantime."},
	{kind: NoteClaimantNotNotified, text: "This item was matched with a request, and the guest has not been notified " +
		"yet. Undo the match, or notify the guest first."},
	{kind: NoteReplyAmbiguous, text: "The text message may belong to another conversation."},
	{kind: NoteReplyClosed, text: "The conversation is closed."},
	{kind: NoteReplyFull, text: "The conversation has the maximum number of messages."},
	{kind: NoteReplyTooMany, text: "The guest has sent the maximum number of messages for a day."},
	{kind: NoteReplyEmpty, text: "The message had no text and no usable photo."},
	{kind: NoteForwarded, text: "Forwarded to the issuer: {text}."},
	{kind: NoteInformedIssuer, text: "The issuer was informed on {word}"},
	{kind: NoteInformedBank, text: "The bank was informed on {word}"},
	{kind: NoteInformedAuthority, text: "The authority was informed on {word}"},
	{kind: NoteInformedOwner, text: "The owner was informed on {word}"},
})

type noteText struct {
	kind    NoteKind
	text    string
	pattern *regexp.Regexp // matches the note at the beginning of a stored text
}

var placeholder = regexp.MustCompile(`\{(text|word|price)\}`)

func withPatterns(notes []noteText) []noteText {
	values := strings.NewReplacer(`\{text\}`, `(.+)`, `\{word\}`, `(\S+)`, `\{price\}`, `(\d+(?:\.\d+)? [A-Z]{3})`)
	for n := range notes {
		notes[n].pattern = regexp.MustCompile(`^` + values.Replace(regexp.QuoteMeta(notes[n].text)) + `(?:[ \n]+|$)`)
	}
	return notes
}

// NoteKinds lists all kinds of notes.
func NoteKinds() (kinds []NoteKind) {
	for _, n := range noteTexts {
		kinds = append(kinds, n.kind)
	}
	return kinds
}

// Note returns a note in English. The values replace its placeholders. Words of a person that follow the note must be
// on a new line.
func Note(kind NoteKind, values ...string) string {
	n := slices.IndexFunc(noteTexts, func(n noteText) bool { return n.kind == kind })
	return placeholder.ReplaceAllStringFunc(noteTexts[n].text, func(string) (value string) {
		value, values = values[0], values[1:]
		return value
	})
}

// FoundNote is a note that was found in a stored text.
type FoundNote struct {
	Kind   NoteKind
	Values []string
}

// ReadNotes finds the notes at the beginning of a stored text. It returns them and the rest of the text, which are
// words of a person, a carrier or a payment provider.
func ReadNotes(text string) (notes []FoundNote, rest string) {
	for rest = text; rest != ""; {
		n := slices.IndexFunc(noteTexts, func(n noteText) bool { return n.pattern.MatchString(rest) })
		if n < 0 {
			break
		}
		match := noteTexts[n].pattern.FindStringSubmatch(rest)
		notes = append(notes, FoundNote{Kind: noteTexts[n].kind, Values: match[1:]})
		rest = rest[len(match[0]):]
	}
	return notes, rest
}
