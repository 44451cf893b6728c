package lost

import (
	"cmp"
	"strings"
	"time"
)

// MessageKind is a kind of message.
type MessageKind string

// The kinds of message.
const (
	NoticeMessage     MessageKind = "notice"           // an item was found; the owner is asked to choose
	MatchMessage      MessageKind = "match"            // a claimant's item was found; they are asked to choose
	ReminderMessage   MessageKind = "reminder"         // the owner has not chosen yet
	LastCallMessage   MessageKind = "last-call"        // the owner has not chosen yet, and the storage time ends soon
	PickupSoonMessage MessageKind = "pickup-soon"      // the pick-up is soon
	MissedMessage     MessageKind = "pickup-missed"    // the owner missed the pick-up
	ChoiceMessage     MessageKind = "choice"           // confirms the owner's choice
	ReceivedMessage   MessageKind = "request-received" // a request was filed
	RejectedMessage   MessageKind = "request-rejected" // nothing was found
	QuestionMessage   MessageKind = "request-question" // the desk needs more information
	DigestMessage     MessageKind = "digest"           // the open tasks of a location's desk
	// PriceMessage tells the owner the shipping price and asks for payment or another choice.
	PriceMessage     MessageKind = "price"
	ReceiptMessage   MessageKind = "receipt"   // the fee was paid; the invoice is attached
	ShippedMessage   MessageKind = "shipped"   // the parcel is on its way
	DeliveredMessage MessageKind = "delivered" // the parcel has arrived
	RefundMessage    MessageKind = "refund"    // the fee was refunded
	LabelMessage     MessageKind = "label"     // sends the parcel's documents to the location's desk
	// ThreadNotice sends a message of the desk to the guest.
	ThreadNotice   MessageKind = "thread-message"
	ThreadReminder MessageKind = "thread-reminder" // the guest has not answered the desk
	ThreadAlert    MessageKind = "thread-answer"   // tells the location's desk that a guest wrote
	// ThreadRejection tells the guest that their reply was not accepted.
	ThreadRejection MessageKind = "thread-rejected"
	// FinderReward tells the finder, who wants a reward, that the item is back with its owner.
	FinderReward MessageKind = "finder-reward"
	FinderItem   MessageKind = "finder-item" // tells the finder that the item is theirs
)

// MessageKinds lists all kinds.
func MessageKinds() []MessageKind {
	return []MessageKind{NoticeMessage, MatchMessage, ReminderMessage, LastCallMessage, PickupSoonMessage,
		MissedMessage,
		ChoiceMessage, ReceivedMessage, RejectedMessage, QuestionMessage, DigestMessage, PriceMessage, ReceiptMessage,
		ShippedMessage, DeliveredMessage, RefundMessage, LabelMessage, ThreadNotice, ThreadReminder, ThreadAlert,
		ThreadRejection, FinderReward, FinderItem,
	}
}

// MaxSubmissions returns how often a message may be submitted while it is unknown whether it was sent, because of a
// crash or a missing response. A reminder is submitted once, because a duplicate is worse than none. For other
// messages, a duplicate is better than none.
func (k MessageKind) MaxSubmissions() int {
	const others = 3
	switch k {
	case ReminderMessage, LastCallMessage, PickupSoonMessage, MissedMessage, DigestMessage, ThreadReminder,
		ThreadRejection:
		return 1
	default:
		return others
	}
}

// Channel is how a message is sent.
type Channel string

// The channels.
const (
	ByEmail Channel = "email"
	BySMS   Channel = "sms"
)

// Channels lists all channels.
func Channels() []Channel { return []Channel{ByEmail, BySMS} }

// MessageState is the state of a message.
type MessageState string

// The states of a message.
const (
	MessageWaiting  MessageState = "waiting"  // not sent yet
	MessageSent     MessageState = "sent"     // the mail server or SMS provider accepted it
	MessageSaved    MessageState = "kept"     // saved, because sending is not set up; its text can be shown
	MessageFailed   MessageState = "failed"   // it was rejected or bounced
	MessageCanceled MessageState = "canceled" // its content is no longer true
)

// MessageStates lists all states.
func MessageStates() []MessageState {
	return []MessageState{MessageWaiting, MessageSent, MessageSaved, MessageFailed, MessageCanceled}
}

// Message is an e-mail or SMS to one person. Its text is generated when it is sent or shown, and is not stored.
type Message struct {
	Account    string
	ID         string
	LocationID string
	ItemID     string // empty for a digest
	LinkID     string // the link in the message; empty if there is none
	Kind       MessageKind
	// Once is a name that is unique among the item's messages, such as the name of a reminder step. A second message
	// with the same name is not created.
	Once       string
	Channel    Channel
	To         string
	State      MessageState
	Handovers  int    // number of submissions without a known result
	ProviderID string // id at the SMS provider
	Error      string // why it failed
	About      About
	CreatedAt  time.Time
	SettledAt  time.Time // when it was sent, saved or failed
	// NotBefore is the earliest time to send a new message. It is not stored with the message.
	NotBefore time.Time
}

// About is the item data in a message, as it was when the message was created.
type About struct {
	Status Status
	Pickup Pickup
	Quote  Quote // the offer in the message; for a refund, the refunded price
	PayBy  PayBy // for a refund: how the fee was paid

	Question string // from the desk to a claimant, in data of earlier versions
	Text     string `json:",omitzero"` // of a message in the item's conversation

	Rejected Rejection `json:",omitzero"` // why the guest's reply was not accepted

	UndoSeconds int `json:",omitzero"` // how long the decision in the message can be undone; 0 if it cannot
}

// NewMessage returns a new message to an item's owner.
func NewMessage(kind MessageKind, i Item, once string, now time.Time) Message {
	return Message{
		Account: i.Account, ID: NewID(MessageID, now), LocationID: i.LocationID, ItemID: i.ID, Kind: kind, Once: once,
		Channel: i.Owner.Channel(), To: i.Owner.Address(), State: MessageWaiting,
		About: About{Status: i.Status, Pickup: i.Pickup}, CreatedAt: now,
	}
}

// NewLabelMessage returns a message that sends a parcel's documents to the desk, and reports whether the desk has an
// e-mail address.
func NewLabelMessage(i Item, l Location, once string, now time.Time) (Message, bool) {
	to := cmp.Or(l.Contact.Email2, l.Contact.Email)
	m := NewMessage(LabelMessage, i, once, now)
	m.Channel, m.To = ByEmail, to
	return m, to != ""
}

// Channel returns how messages to the owner's Address are sent.
func (o Owner) Channel() Channel {
	if o.Email == "" {
		return BySMS
	}
	return ByEmail
}

// Address returns the address for notifications: the e-mail address or, if there is none, the phone number. It is
// empty if there is neither.
func (o Owner) Address() string {
	if o.Email != "" {
		return o.Email
	}
	return o.Phone
}

// StillTrue reports whether a message about an item is still true. For example, it is not true if the owner has
// chosen since a reminder was created, if the pick-up was rescheduled, or if the item has another owner.
func (m Message) StillTrue(i Item, now time.Time) bool {
	switch m.Kind { // those that are not sent to the owner
	case LabelMessage:
		return i.Parcel.Paid
	case ThreadAlert:
		return true
	case FinderReward, FinderItem:
		return m.tellsFinder(i, now)
	}
	if !SameAddress(m.To, i.Owner.Address()) {
		return false
	}
	switch m.Kind {
	case PriceMessage:
		return i.Status == InfoCompleted && i.Parcel.Offered
	case ShippedMessage:
		return i.Status == Shipped
	case ReminderMessage, LastCallMessage:
		return waitsForOwner(i, now)
	case PickupSoonMessage:
		return m.pickupPlanned(i) && now.In(i.Terms.Zone()).Format(DateLayout) <= i.Pickup.Date
	case MissedMessage:
		return m.pickupPlanned(i)
	case ChoiceMessage:
		return !i.MovedAt.After(m.CreatedAt) // a later choice has a separate message
	case ThreadReminder:
		return !ThreadClosed(i) && !isDecided(i)
	case QuestionMessage:
		return i.Claim.State == RequestPending
	case NoticeMessage, MatchMessage:
		return m.IsResend() || m.isNews(i)
	default:
		return true
	}
}

// isNews reports whether a message that an item was found is news to its owner. It may be sent long after it was
// created: the message about a match waits until the decision is final, and a mail server may be down. An owner who has
// answered meanwhile, for example with a link that the desk has shown, has got the confirmation of their choice.
func (m Message) isNews(i Item) bool {
	answered := !i.DisownedAt.IsZero() || i.MovedBy == ByGuest && i.MovedAt.After(m.CreatedAt)
	return !answered && !isFinished(i) && i.ClosedAt.IsZero() && (m.Kind == NoticeMessage || i.Status != Shipped)
}

// MayChangeTasks reports whether the outcome of a message may add or remove a reminder or a task of its item: the
// message is the first one to the owner, or it failed.
func (m Message) MayChangeTasks() bool {
	switch m.Kind {
	case NoticeMessage, MatchMessage, ReceivedMessage:
		return true
	default:
		return m.ItemID != "" && m.State == MessageFailed
	}
}

// OutcomeEntry returns the history entry about the final state of a message. It returns false if there is none because
// the message was canceled.
func (m Message) OutcomeEntry(now time.Time) (e Entry, ok bool) {
	action := Sent
	switch m.State {
	case MessageCanceled:
		return e, false
	case MessageSaved:
		action = Kept
	case MessageFailed:
		action = Failed
	}
	e = NewEntry(Actor{Kind: ByService}, action, now)
	e.Note = string(m.Kind) + " by " + string(m.Channel) + " to " + m.To
	if m.Error != "" {
		e.Note += ": " + m.Error
	}
	return e, true
}

// resendPrefix is the prefix of the names of messages that somebody asked to send again.
const resendPrefix = "again "

// ResendName returns the name of a message that somebody asked to send again.
func ResendName(id string) string { return resendPrefix + id }

// IsResend reports whether somebody asked to send the message again.
func (m Message) IsResend() bool { return strings.HasPrefix(m.Once, resendPrefix) }

// isFinished reports whether there are no more actions or notifications for the owner.
func isFinished(i Item) bool {
	return i.Status == Delivered || i.Status == Discard || i.Status == Donate
}

// NotifiesOwner reports whether the owner of an item, or the claimant of a request, is notified.
func (i Item) NotifiesOwner() bool {
	return i.Owner.Address() != "" && i.WouldNotifyOwner()
}

// WouldNotifyOwner reports whether the owner of an item would be notified if their address were known.
func (i Item) WouldNotifyOwner() bool {
	return !isFinished(i) && (i.Source == Found || i.Claim.State == RequestPending)
}

// NotifiesOnMove reports whether the owner of an item is notified when the desk moves it to a status.
func NotifiesOnMove(i Item, to Status) bool {
	switch {
	case i.Owner.Address() == "" || i.Status == to:
		return false
	case to == FeePaid: // the receipt is sent when the label is ready
		return i.Shipping.NotShipped == "" && i.Shipping.Recipient.Known()
	default:
		return to == Shipped || to == Delivered
	}
}

// pickupPlanned reports whether the pick-up that a message is about is still planned.
func (m Message) pickupPlanned(i Item) bool {
	return i.Status == PickUp && i.ClosedAt.IsZero() &&
		strings.HasPrefix(m.Once, stepName(m.Kind, i.Pickup.Date+" "+i.Pickup.Time))
}

// MessageData is a message with the data that its text is generated from.
type MessageData struct {
	Message
	Item     Item
	Location Location
	Privacy  PrivacyNotice // what guests are told about the use of their data
	URL      string        // the link in the message; empty for a digest
	// ReplyToken is part of the address for replies to this message; empty if replies to it are not received.
	ReplyToken string
	// ThreadClosed says that the item's conversation accepts no replies any more.
	ThreadClosed bool
	Tasks        List[Task] // for a digest: open tasks, the oldest first
	Enclosed     []Attachment
	Photo        InlinePhoto // empty if the message shows none
}

// InlinePhoto is a photo that an e-mail shows.
type InlinePhoto struct {
	Image   Image
	Content []byte // of the largest thumbnail; nil until it is read
}

// ShowsItem reports whether a message of this kind tells the owner what was found.
func (k MessageKind) ShowsItem() bool {
	return k == NoticeMessage || k == MatchMessage || k == ReminderMessage || k == LastCallMessage
}

// Attachment is a PDF that is attached to a message.
type Attachment struct {
	Name    string // file name for the recipient
	File    string // name in the file store
	Content []byte // nil until it is read
}

// AttachmentKinds lists the documents that are attached to a message of this kind.
func (k MessageKind) AttachmentKinds() []DocumentKind {
	switch k {
	case ReceiptMessage:
		return []DocumentKind{InvoicePaper}
	case LabelMessage:
		return DocumentKinds()
	default:
		return nil
	}
}

// NewMessageData returns the data for a message about an item. Status, pick-up and price are those from the time when
// the message was created.
func NewMessageData(m Message, i Item, l Location, url string) MessageData {
	if m.About.Status != "" {
		i.Status, i.Pickup = m.About.Status, m.About.Pickup
	}
	switch q := m.About.Quote; {
	case !q.Price.Known():
	case m.Kind == RefundMessage:
		i.Parcel.Price, i.Parcel.PayBy = q.Price, m.About.PayBy
	default:
		i.Parcel.SetQuote(q)
	}
	letter := MessageData{Message: m, Item: i, Location: l, URL: url}
	if m.Kind.ShowsItem() && m.Channel == ByEmail && i.Source == Found && len(i.Images) > 0 &&
		!i.Category.IsIdentity() {
		letter.Photo.Image = i.Images[0]
	}
	for _, kind := range m.Kind.AttachmentKinds() {
		if d := i.Parcel.Document(kind); d.File != "" {
			letter.Enclosed = append(letter.Enclosed,
				Attachment{Name: string(kind) + "-" + i.Reference + ".pdf", File: d.File})
		}
	}
	return letter
}

// SendResult is the result of submitting a message.
type SendResult struct {
	State      MessageState // MessageSent or MessageSaved
	ProviderID string
}

// Languages lists the recipient's languages, the preferred one first. For messages to the desk and the finder, it is
// the location's language.
func (l MessageData) Languages() []string {
	if l.Kind.ToDesk() || l.Kind.ToFinder() { // nobody knows the language of the finder
		return []string{l.Location.Language}
	}
	return []string{l.Item.Language, l.Location.Language}
}

// MessageFilter filters the list of an account's messages. Empty fields match everything.
type MessageFilter struct {
	Location string
	State    MessageState
	PageCursor
}
