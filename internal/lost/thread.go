package lost

import (
	"errors"
	"slices"
	"time"
)

// ThreadMessage is one message in the conversation between the desk and an item's owner or a request's claimant. Each
// item has one conversation.
type ThreadMessage struct {
	Account    string
	ID         string
	LocationID string
	ItemID     string
	From       ThreadSide
	Via        ThreadChannel
	Text       string // may be empty if there are images
	Images     []Image
	Omitted    []string // the names of attachments of a received message that were not kept
	Author     Actor    // who wrote it
	Address    string   // the guest's AddressKey at that time; another owner of the item must not see the message
	// Sender is the address that a reply came from, if it is not the guest's address.
	Sender string
	// ExternalID identifies a received message, such as its Message-ID. A second message with the same id is not added.
	ExternalID string
	At         time.Time
	SeenAt     time.Time // when the other side first saw it; zero if it did not
	AnsweredAt time.Time // when the other side answered or, for a guest's message, closed it without an answer
}

// ThreadSide is one of the two sides of a conversation.
type ThreadSide string

// The sides of a conversation.
const (
	FromDesk  ThreadSide = "desk"
	FromGuest ThreadSide = "guest"
)

// ThreadSides lists both sides.
func ThreadSides() []ThreadSide { return []ThreadSide{FromDesk, FromGuest} }

// ThreadChannel is how a message was written.
type ThreadChannel string

// The ways to write a message.
const (
	ViaPage  ThreadChannel = "page"
	ViaEmail ThreadChannel = "email"
	ViaSMS   ThreadChannel = "sms" // also WhatsApp
	ViaAPI   ThreadChannel = "api"
)

// ThreadChannels lists all ways to write a message.
func ThreadChannels() []ThreadChannel { return []ThreadChannel{ViaPage, ViaEmail, ViaSMS, ViaAPI} }

// Limits on a conversation.
const (
	MaxThreadText     = 4000 // characters in a message
	MaxThreadImages   = 5    // photos in a message
	MaxThreadMessages = 300  // messages in a conversation
	MaxGuestMessages  = 30   // messages from the guest within a day
	MaxThreadOmitted  = 20   // names of attachments that were not kept
	maxExternalID     = 500
)

// NoThreadMessage stands for the newest message of an empty conversation. It is lower than every id.
const NoThreadMessage = "0"

// ThreadPatch is a new message, as received from the client.
type ThreadPatch struct {
	Text       Field[string]
	ExternalID string
	Sender     string // see ThreadMessage
	DecodeResult
}

// NewThreadMessage returns a new message about an item, from the guest if the author is a guest. The caller adds the
// number of images that the message has; without images, a text is required.
func NewThreadMessage(i Item, a Actor, via ThreadChannel, p ThreadPatch, images int, now time.Time) (ThreadMessage,
	error) {
	m := ThreadMessage{
		Account: i.Account, ID: NewID(ThreadID, now), LocationID: i.LocationID, ItemID: i.ID, From: FromDesk, Via: via,
		Author: a, Address: AddressKey(i.Owner.Address()), At: now,
	}
	if a.Kind == ByGuest {
		m.From = FromGuest
		m.ExternalID = Truncate(p.ExternalID, maxExternalID)
		m.Sender = Truncate(p.Sender, MaxEmail)
	}
	c := &check{slices.Clone(p.Problems)}
	c.prose(p.Text, "text", MaxThreadText, &m.Text)
	if images == 0 {
		c.Require("text", m.Text)
	}
	if images > MaxThreadImages {
		c.Add("photo", "too-many", "must be at most %d photos in a message", MaxThreadImages)
	}
	return m, c.Err()
}

// ThreadState summarises an item's conversation.
type ThreadState struct {
	Messages    int
	GuestRecent int       // messages from the guest within the last day
	AwaitsDesk  time.Time // time of the oldest message from the guest without an answer; zero if there is none
	AwaitsGuest time.Time // the same for messages from the desk
	LastAsked   time.Time // time of the newest message from the desk without an answer; zero if there is none
}

// CheckThread returns an error if the actor cannot write in an item's conversation: there is nobody to write to, a
// limit is reached, or a guest writes about an item or request that is closed.
func CheckThread(i Item, a Actor, state ThreadState) error {
	guest := a.Kind == ByGuest
	switch {
	case i.Owner.Address() == "":
		return E(NoContact, "There is no e-mail address or phone number to write to. Add one first.")
	case guest && ThreadClosed(i):
		return E(WrongState, "This conversation is closed. Contact the location another way.")
	case state.Messages >= MaxThreadMessages:
		return E(LimitReached, "This conversation has %d messages, which is the maximum.", MaxThreadMessages)
	case guest && state.GuestRecent >= MaxGuestMessages:
		return E(LimitReached, "You can send at most %d messages a day. Write again tomorrow.",
			MaxGuestMessages).WithCause(errDailyLimit)
	default:
		return nil
	}
}

// errDailyLimit tells the two limits of a conversation apart.
var errDailyLimit = errors.New("the limit is per day")

// Rejection is the reason why a reply by e-mail, SMS or WhatsApp was not added to a conversation.
type Rejection string

// The reasons for rejecting a reply.
const (
	RejectedUnknown   Rejection = "unknown"     // there is no such conversation, or it is no longer the guest's
	RejectedOtherItem Rejection = "other-item"  // it answers a message about another item
	RejectedAmbiguous Rejection = "ambiguous"   // several accounts have an open conversation with the phone number
	RejectedClosed    Rejection = "closed"      // see ThreadClosed
	RejectedFull      Rejection = "full"        // the conversation has MaxThreadMessages
	RejectedTooMany   Rejection = "daily-limit" // the guest sent MaxGuestMessages within a day
	RejectedEmpty     Rejection = "empty"       // it has neither text nor usable photos
)

// Rejections lists all reasons for rejecting a reply.
func Rejections() []Rejection {
	return []Rejection{RejectedUnknown, RejectedOtherItem, RejectedAmbiguous, RejectedClosed, RejectedFull,
		RejectedTooMany, RejectedEmpty}
}

// RejectionOf returns the reason for rejecting a reply whose addition to a conversation failed, or an empty string if
// the error may be temporary.
func RejectionOf(err error) Rejection {
	switch code := CodeOf(err); {
	case ReasonOf(err) == WrongState:
		return RejectedClosed
	case errors.Is(err, errDailyLimit):
		return RejectedTooMany
	case ReasonOf(err) == LimitReached:
		return RejectedFull
	case code == Invalid:
		return RejectedEmpty
	case code == NotFound || code == Gone || code == Conflict:
		return RejectedUnknown
	default:
		return ""
	}
}

// Entry returns the history entry about a rejected reply of a guest, or false if the reason says nothing about the
// conversation.
func (r Rejection) Entry(guest Actor, now time.Time) (e Entry, ok bool) {
	notes := map[Rejection]NoteKind{
		RejectedAmbiguous: NoteReplyAmbiguous, RejectedClosed: NoteReplyClosed, RejectedFull: NoteReplyFull,
		RejectedTooMany: NoteReplyTooMany, RejectedEmpty: NoteReplyEmpty,
	}
	kind, ok := notes[r]
	if !ok {
		return e, false
	}
	e = NewEntry(guest, ReplyRejected, now)
	e.Note = Note(kind)
	return e, true
}

// NewThreadRejection returns the automatic answer to a guest whose reply was rejected.
func NewThreadRejection(i Item, link Link, reason Rejection, now time.Time) Message {
	m := NewMessage(ThreadRejection, i, string(ThreadRejection)+" "+now.UTC().Format(time.RFC3339Nano), now)
	m.LinkID, m.About.Rejected = link.ID, reason
	return m
}

// ThreadClosed reports whether the guest can no longer write: the request was withdrawn, or the item was collected,
// donated or discarded for good. A claimant can object to a decision, and does not learn of one that can still be
// undone.
func ThreadClosed(i Item) bool {
	if i.Source == Request {
		return i.Claim.State == RequestWithdrawn
	}
	return !i.ClosedAt.IsZero() || (i.Status == Donate || i.Status == Discard) && !i.GuestMayChoose()
}

// isDecided reports whether the item is a request that is no longer pending.
func isDecided(i Item) bool { return i.Source == Request && i.Claim.State != RequestPending }

// NewThreadNotice returns the e-mail or SMS that sends a message from the desk to the guest.
func NewThreadNotice(i Item, m ThreadMessage, now time.Time) Message {
	notice := NewMessage(ThreadNotice, i, string(ThreadNotice)+" "+m.ID, now)
	notice.About.Text = m.Text
	return notice
}

// NewThreadAlert returns the e-mail that tells a location's desk that a guest wrote. It reports false if the desk has
// no e-mail address. The desk gets one such e-mail until it answers.
func NewThreadAlert(i Item, l Location, m ThreadMessage, now time.Time) (Message, bool) {
	alert := NewMessage(ThreadAlert, i, string(ThreadAlert)+" "+m.ID, now)
	alert.Channel, alert.To, alert.About.Text = ByEmail, l.Contact.Email, m.Text
	return alert, l.Contact.Email != ""
}

// ThreadSteps returns the reminder to a guest who has not answered the desk, which is sent once, or nothing if there is
// none.
func (l ReminderSchedule) ThreadSteps(i Item, state ThreadState) []ReminderStep {
	if state.AwaitsGuest.IsZero() || len(l.AfterNotice) == 0 || !mayAnswer(i) {
		return nil
	}
	day := state.AwaitsGuest.In(i.Terms.Zone()).AddDate(0, 0, l.AfterNotice[0])
	return []ReminderStep{{
		Kind: ThreadReminder, Once: stepName(ThreadReminder, AddressKey(i.Owner.Address())) +
			state.AwaitsGuest.UTC().Format(time.RFC3339Nano),
		At: time.Date(day.Year(), day.Month(), day.Day(), reminderHour, 0, 0, 0, day.Location()),
	}}
}

// mayAnswer reports whether an answer of the guest can be expected.
func mayAnswer(i Item) bool { return !ThreadClosed(i) && !isDecided(i) && i.Owner.Address() != "" }

// GuestSilentAt returns when a guest who has not answered the desk becomes a task: as long after the reminder as the
// reminder is after the message. It returns zero if no answer is awaited, for example because the guest has made a
// choice instead.
func (l ReminderSchedule) GuestSilentAt(i Item, state ThreadState) time.Time {
	chosen := i.MovedBy == ByGuest && i.MovedAt.After(state.LastAsked)
	if state.LastAsked.IsZero() || chosen || !mayAnswer(i) {
		return time.Time{}
	}
	days := answerDays
	if len(l.AfterNotice) > 0 {
		days = 2 * l.AfterNotice[0]
	}
	day := state.LastAsked.In(i.Terms.Zone()).AddDate(0, 0, days)
	return time.Date(day.Year(), day.Month(), day.Day(), reminderHour, 0, 0, 0, day.Location())
}

// ToDesk reports whether messages of this kind are sent to a location's desk, not to a guest.
func (k MessageKind) ToDesk() bool {
	return k == DigestMessage || k == LabelMessage || k == ThreadAlert
}
