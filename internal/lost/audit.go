package lost

import "time"

// AuditEntry is one line of the account's audit log: who did what to the account as a whole, or saw one of its secrets. It names
// guests by ids and references alone.
type AuditEntry struct {
	ID      string
	At      time.Time
	Actor   Actor
	Deed    Deed
	Subject string // id of what it was done to
	Note    string // what people call it, or what changed; never anything about a guest
}

// Deed says what was done.
type Deed string

// The deeds.
const (
	LoggedIn         Deed = "logged-in"
	LoggedOut        Deed = "logged-out"
	LogInFailed      Deed = "log-in-failed" // by somebody who knew the password
	PersonInvited    Deed = "person-invited"
	PersonJoined     Deed = "person-joined"
	PersonCreated    Deed = "person-created" // by the operator; the note says as what
	PersonChanged    Deed = "person-changed"
	KeyCreated       Deed = "key-created"
	KeyRevoked       Deed = "key-revoked"
	WebhookCreated   Deed = "webhook-created"
	WebhookChanged   Deed = "webhook-changed"
	WebhookDeleted   Deed = "webhook-deleted"
	WebhookTested    Deed = "webhook-tested"
	SecretRevealed   Deed = "webhook-secret-revealed"
	SecretRotated    Deed = "webhook-secret-rotated"
	Replayed         Deed = "deliveries-replayed"
	LocationCreated  Deed = "location-created"
	LocationChanged  Deed = "location-changed"
	LocationDeleted  Deed = "location-deleted"
	ItemDeleted      Deed = "item-deleted"
	Exported         Deed = "exported"
	Imported         Deed = "imported"
	AccountChanged   Deed = "account-changed"
	RetentionChanged Deed = "retention-changed"
	ItemSeen         Deed = "item-seen"          // with its guest's data; once an hour for each person or key
	ItemsSeen        Deed = "items-seen"         // likewise, a location's list of items
	ItemsSearched    Deed = "items-searched"     // likewise, by words, which may be a guest's name and are not kept
	MessagesSeen     Deed = "messages-seen"      // likewise, what guests were written
	EventsSeen       Deed = "events-seen"        // likewise, what webhooks are sent
	PaperPrinted     Deed = "paper-printed"      // likewise, one with a guest's name on it
	GuestChanged     Deed = "guest-data-changed" // the note says which fields, not what is in them
	PersonExported   Deed = "person-exported"
	PersonErased     Deed = "person-erased" // the note counts what was removed
)

// Deeds lists them.
func Deeds() []Deed {
	return []Deed{LoggedIn, LoggedOut, LogInFailed, PersonInvited, PersonJoined, PersonCreated, PersonChanged, KeyCreated, KeyRevoked, WebhookCreated, WebhookChanged, WebhookDeleted,
		WebhookTested, SecretRevealed, SecretRotated, Replayed, LocationCreated, LocationChanged, LocationDeleted, ItemDeleted, Exported, Imported,
		AccountChanged, RetentionChanged, ItemSeen, ItemsSeen, ItemsSearched, MessagesSeen, EventsSeen, PaperPrinted, GuestChanged, PersonExported, PersonErased}
}

// KeepAudit is how long the audit log goes back.
const KeepAudit = 2 * 365 * 24 * time.Hour

// maxAuditNote bounds what a line says.
const maxAuditNote = 300

// NewAuditEntry makes a line of the audit log.
func NewAuditEntry(a Actor, deed Deed, subject, note string, now time.Time) AuditEntry {
	return AuditEntry{ID: NewID(AuditID, now), At: now, Actor: a, Deed: deed, Subject: subject, Note: Shorten(note, maxAuditNote)}
}

// AuditFilter narrows the audit log. Empty fields do not narrow.
type AuditFilter struct {
	Actor string // id of a person or key
	Deed  Deed
	// Subject is the id of what it was done to.
	Subject string
	// From and Until bound when; zero where they do not.
	From, Until time.Time
	Seek
}

// Seek says which part of a list is wanted that may be long: so many records, from the newest or from the one that follows an id on.
type Seek struct {
	Before string // an id: only what is older
	Limit  int
}

// Stretch is a part of a long list, the newest first.
type Stretch[T any] struct {
	Data []T
	More bool // whether older ones follow
}

// StretchOf makes a stretch of what was read: one record more than is wanted, if there is one.
func StretchOf[T any](read []T, limit int) Stretch[T] {
	if len(read) > limit {
		return Stretch[T]{Data: read[:limit], More: true}
	}
	return Stretch[T]{Data: read}
}
