package lost

import (
	"cmp"
	"strings"
	"time"
)

// MessageKind says what a message is about.
type MessageKind string

// The kinds of message.
const (
	NoticeMessage     MessageKind = "notice"           // an item was found; its owner chooses
	MatchMessage      MessageKind = "match"            // the same, to a claimant whose request was accepted
	ReminderMessage   MessageKind = "reminder"         // the owner has not chosen yet
	LastCallMessage   MessageKind = "last-call"        // and will soon be too late
	PickupSoonMessage MessageKind = "pickup-soon"      // the owner comes tomorrow
	MissedMessage     MessageKind = "pickup-missed"    // the owner did not come
	ChoiceMessage     MessageKind = "choice"           // confirms what the owner chose
	ReceivedMessage   MessageKind = "request-received" // a request was filed
	RejectedMessage   MessageKind = "request-rejected" // and nothing was found
	QuestionMessage   MessageKind = "request-question" // the desk wants to know more before it answers
	DigestMessage     MessageKind = "digest"           // what waits for a location's desk
	PriceMessage      MessageKind = "price"            // what sending it costs is known now; the owner pays or chooses otherwise
	ReceiptMessage    MessageKind = "receipt"          // the fee was paid; with the invoice
	ShippedMessage    MessageKind = "shipped"          // the parcel is on its way
	DeliveredMessage  MessageKind = "delivered"        // and has arrived
	RefundMessage     MessageKind = "refund"           // the fee was given back
	LabelMessage      MessageKind = "label"            // to the location's desk: the papers of a parcel
)

// MessageKinds lists them.
func MessageKinds() []MessageKind {
	return []MessageKind{NoticeMessage, MatchMessage, ReminderMessage, LastCallMessage, PickupSoonMessage, MissedMessage,
		ChoiceMessage, ReceivedMessage, RejectedMessage, QuestionMessage, DigestMessage, PriceMessage, ReceiptMessage, ShippedMessage, DeliveredMessage, RefundMessage, LabelMessage}
}

// MostHandovers is how often a message is handed over when a crash or a server's silence leaves it open whether it went
// out. A reminder is rather sent once too few than twice; all others are better sent twice than never, but not for ever.
func (k MessageKind) MostHandovers() int {
	const others = 3
	switch k {
	case ReminderMessage, LastCallMessage, PickupSoonMessage, MissedMessage, DigestMessage:
		return 1
	default:
		return others
	}
}

// Channel is how a message travels.
type Channel string

// The channels.
const (
	ByEmail Channel = "email"
	BySMS   Channel = "sms"
)

// Channels lists them.
func Channels() []Channel { return []Channel{ByEmail, BySMS} }

// MessageState is what became of a message.
type MessageState string

// The states of a message.
const (
	MessageWaiting  MessageState = "waiting"  // it is on its way
	MessageSent     MessageState = "sent"     // the mail server or SMS provider took it
	MessageKept     MessageState = "kept"     // there is nothing to send it with; it can be shown
	MessageFailed   MessageState = "failed"   // it was refused, or came back
	MessageCanceled MessageState = "canceled" // what it would say is no longer so
)

// MessageStates lists them.
func MessageStates() []MessageState {
	return []MessageState{MessageWaiting, MessageSent, MessageKept, MessageFailed, MessageCanceled}
}

// Message is an e-mail or SMS to one person. Its words are made when it is sent or shown, and lie nowhere.
type Message struct {
	Account    string
	ID         string
	LocationID string
	ItemID     string // empty for a digest
	LinkID     string // the link that it carries; empty where it carries none
	Kind       MessageKind
	// Once names what an item's message is for, such as one step of the reminders: there is no second with the same name.
	Once       string
	Channel    Channel
	To         string
	State      MessageState
	Handovers  int    // how often it was handed over to a server without anybody hearing what became of it
	ProviderID string // the SMS provider's name for it
	Error      string // why it failed
	About      About
	CreatedAt  time.Time
	SettledAt  time.Time // when it was sent, kept or given up
}

// About is what a message tells of an item, as it was when the message was decided on.
type About struct {
	Status Status
	Pickup Pickup
	Quote  Quote // an offer that the message names; with a refund, the price that was given back
	PayBy  PayBy // with a refund: who had it

	Question string // of the desk, to a claimant
}

// NewMessage makes a message about an item, to its owner's address.
func NewMessage(kind MessageKind, i Item, once string, now time.Time) Message {
	return Message{
		Account: i.Account, ID: NewID(MessageID, now), LocationID: i.LocationID, ItemID: i.ID, Kind: kind, Once: once,
		Channel: i.Owner.Channel(), To: i.Owner.Address(), State: MessageWaiting, About: About{Status: i.Status, Pickup: i.Pickup}, CreatedAt: now,
	}
}

// NewLabelMessage makes the message that brings the papers of a parcel to the desk, and tells whether anybody gets it.
func NewLabelMessage(i Item, l Location, once string, now time.Time) (Message, bool) {
	to := cmp.Or(l.Contact.Email2, l.Contact.Email)
	m := NewMessage(LabelMessage, i, once, now)
	m.Channel, m.To = ByEmail, to
	return m, to != ""
}

// Channel is how the owner is reached at Address.
func (o Owner) Channel() Channel {
	if o.Email == "" {
		return BySMS
	}
	return ByEmail
}

// Address is where the owner is reached: the e-mail address, else the phone number; empty where there is none.
func (o Owner) Address() string {
	if o.Email != "" {
		return o.Email
	}
	return o.Phone
}

// Wanted tells whether a message about an item still says what is so. Only what was overtaken is not: a reminder
// of a choice that was made, a pick-up that was moved, an owner who is another now.
func (m Message) Wanted(i Item, now time.Time) bool {
	if m.Kind == LabelMessage { // to the desk
		return i.Parcel.Paid
	}
	if m.To != i.Owner.Address() {
		return false
	}
	switch m.Kind {
	case PriceMessage:
		return i.Status == InfoCompleted && i.Parcel.Offered
	case ShippedMessage:
		return i.Status == Shipped
	case ReminderMessage, LastCallMessage:
		return i.waitsForOwner(now)
	case PickupSoonMessage:
		return i.expects(m) && now.In(zone(i.Terms.TimeZone)).Format(DateForm) <= i.Pickup.Date
	case MissedMessage:
		return i.expects(m)
	case ChoiceMessage:
		return !i.MovedAt.After(m.CreatedAt) // another choice has a message of its own
	case QuestionMessage:
		return i.Claim.State == RequestPending
	case NoticeMessage, MatchMessage:
		return m.Again() || !i.finished()
	default:
		return true
	}
}

// again is how the name of a message begins that the desk asked for.
const again = "again "

// AgainOnce names a message that is sent because somebody asked for it.
func AgainOnce(id string) string { return again + id }

// Again tells whether somebody asked for the message.
func (m Message) Again() bool { return strings.HasPrefix(m.Once, again) }

// finished tells whether there is nothing left for the owner to do or to hear.
func (i Item) finished() bool {
	return i.Status == Delivered || i.Status == Discard || i.Status == Donate
}

// Tells tells whether the owner of an item, or the claimant of a request, is to hear of it at all.
func (i Item) Tells() bool {
	return i.Owner.Address() != "" && i.WouldTell()
}

// WouldTell tells whether the owner of an item would be told of it, were their address known.
func (i Item) WouldTell() bool {
	return !i.finished() && (i.Source == Found || i.Claim.State == RequestPending)
}

// WritesWhen tells whether the owner of an item is written to when the desk moves it to a status.
func (i Item) WritesWhen(to Status) bool {
	switch {
	case i.Owner.Address() == "" || i.Status == to:
		return false
	case to == FeePaid: // with the receipt, once the label is there
		return i.Shipping.NotShipped == "" && i.Shipping.Recipient.Known()
	default:
		return to == Shipped || to == Delivered
	}
}

// expects tells whether the pick-up that a message is about is still planned.
func (i Item) expects(m Message) bool {
	return i.Status == PickUp && i.ClosedAt.IsZero() && strings.HasPrefix(m.Once, stepName(m.Kind, i.Pickup.Date+" "+i.Pickup.Time))
}

// Link leads one person to one item, without a log-in. Its token is derived from the service's secret, never kept.
type Link struct {
	Account    string
	ID         string
	LocationID string
	ItemID     string
	Address    string // whom it was sent to
	Version    int    // counts up when the token is replaced
	Key        string // which of the service's secrets the token is derived from; empty for the first
	ExpiresAt  time.Time
	RevokedAt  time.Time
	CreatedAt  time.Time
}

// LinkLife is how long a link works after the last message that carried it.
const LinkLife = 90 * 24 * time.Hour

// NewLink makes the link of an item's owner.
func NewLink(i Item, now time.Time) Link {
	return Link{
		Account: i.Account, ID: NewID(LinkID, now), LocationID: i.LocationID, ItemID: i.ID, Address: i.Owner.Address(),
		Version: 1, ExpiresAt: now.Add(LinkLife), CreatedAt: now,
	}
}

// Opens is nil, or why the link does not lead to the item: it was revoked, or the item has
// another owner now, or its time is over.
func (l Link) Opens(i Item, now time.Time) error {
	switch {
	case !l.RevokedAt.IsZero() || l.Address != i.Owner.Address():
		return Missing("link")
	case !now.Before(l.ExpiresAt):
		return E(Gone, "This link has expired.")
	default:
		return nil
	}
}

// Guest is who acts with a link.
func (l Link) Guest() Actor { return Actor{Account: l.Account, Kind: ByGuest, ID: l.ID} }

// Letter is a message with everything that its words are made from.
type Letter struct {
	Message
	Item     Item
	Location Location
	URL      string     // of the page that the message leads to; empty for a digest
	Tasks    List[Task] // with a digest: what waits, the oldest first
	Enclosed []Enclosure
}

// Enclosure is a paper that goes with a letter: a PDF.
type Enclosure struct {
	Name    string // as the reader keeps it
	File    string // name in the file store
	Content []byte // nil while nobody has fetched it
}

// Encloses names the papers that go with a message of this kind.
func (k MessageKind) Encloses() []DocumentKind {
	switch k {
	case ReceiptMessage:
		return []DocumentKind{InvoicePaper}
	case LabelMessage:
		return DocumentKinds()
	default:
		return nil
	}
}

// NewLetter makes a letter of a message about an item. It tells of the item as it was then.
func NewLetter(m Message, i Item, l Location, url string) Letter {
	if m.About.Status != "" {
		i.Status, i.Pickup = m.About.Status, m.About.Pickup
	}
	switch q := m.About.Quote; {
	case !q.Price.Known():
	case m.Kind == RefundMessage:
		i.Parcel.Price, i.Parcel.PayBy = q.Price, m.About.PayBy
	default:
		i.Parcel.Take(q)
	}
	letter := Letter{Message: m, Item: i, Location: l, URL: url}
	for _, kind := range m.Kind.Encloses() {
		if d := i.Parcel.Document(kind); d.File != "" {
			letter.Enclosed = append(letter.Enclosed, Enclosure{Name: string(kind) + "-" + i.Reference + ".pdf", File: d.File})
		}
	}
	return letter
}

// Receipt is what became of a message that was handed over.
type Receipt struct {
	State      MessageState // MessageSent or MessageKept
	ProviderID string
}

// Languages lists the languages to address a letter's reader in, the most wanted first. A desk is addressed in its own.
func (l Letter) Languages() []string {
	if l.Kind == DigestMessage || l.Kind == LabelMessage {
		return []string{l.Location.Language}
	}
	return []string{l.Item.Language, l.Location.Language}
}

// MessageFilter narrows the list of an account's messages. Empty fields do not narrow.
type MessageFilter struct {
	Location string
	State    MessageState
	Seek
}
