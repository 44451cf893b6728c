package lost

import "time"

// AuditEntry is one line of the account's audit log: who changed the account or read protected data. It names guests by
// ids and references only.
type AuditEntry struct {
	ID      string
	At      time.Time
	Actor   Actor
	Deed    AuditAction
	Subject string // id of what it was done to
	Note    string // its name, or what changed; never data about a guest
}

// AuditAction says what was done.
type AuditAction string

// The audit actions.
const (
	LoggedIn         AuditAction = "logged-in"
	LoggedOut        AuditAction = "logged-out"
	LogInFailed      AuditAction = "log-in-failed" // by somebody who knew the password
	PersonInvited    AuditAction = "person-invited"
	PersonJoined     AuditAction = "person-joined"
	PersonCreated    AuditAction = "person-created" // by the operator; the note has the role
	PersonChanged    AuditAction = "person-changed"
	KeyCreated       AuditAction = "key-created"
	KeyRevoked       AuditAction = "key-revoked"
	WebhookCreated   AuditAction = "webhook-created"
	WebhookChanged   AuditAction = "webhook-changed"
	WebhookDeleted   AuditAction = "webhook-deleted"
	WebhookTested    AuditAction = "webhook-tested"
	SecretRevealed   AuditAction = "webhook-secret-revealed"
	SecretRotated    AuditAction = "webhook-secret-rotated"
	Replayed         AuditAction = "deliveries-replayed"
	LocationCreated  AuditAction = "location-created"
	LocationChanged  AuditAction = "location-changed"
	LocationDeleted  AuditAction = "location-deleted"
	ItemDeleted      AuditAction = "item-deleted"
	Exported         AuditAction = "exported"
	Imported         AuditAction = "imported"
	AccountChanged   AuditAction = "account-changed"
	RetentionChanged AuditAction = "retention-changed"
	ItemSeen         AuditAction = "item-seen"  // with its guest's data; once an hour for each person or key
	ItemsSeen        AuditAction = "items-seen" // likewise, a location's list of items
	// likewise, by words, which may be a guest's name and are not kept
	ItemsSearched  AuditAction = "items-searched"
	MessagesSeen   AuditAction = "messages-seen"      // likewise, messages to guests
	EventsSeen     AuditAction = "events-seen"        // likewise, what webhooks are sent
	PaperPrinted   AuditAction = "paper-printed"      // likewise, one with a guest's name on it
	GuestChanged   AuditAction = "guest-data-changed" // the note says which fields, not what is in them
	PersonExported AuditAction = "person-exported"
	PersonErased   AuditAction = "person-erased" // the note counts what was removed
)

// AuditActions lists them.
func AuditActions() []AuditAction {
	return []AuditAction{LoggedIn, LoggedOut, LogInFailed, PersonInvited, PersonJoined, PersonCreated, PersonChanged,
		KeyCreated, KeyRevoked, WebhookCreated, WebhookChanged, WebhookDeleted,
		WebhookTested, SecretRevealed, SecretRotated, Replayed, LocationCreated, LocationChanged, LocationDeleted,
		ItemDeleted, Exported, Imported,
		AccountChanged, RetentionChanged, ItemSeen, ItemsSeen, ItemsSearched, MessagesSeen, EventsSeen, PaperPrinted,
		GuestChanged, PersonExported, PersonErased}
}

// KeepAudit is how long audit entries are kept.
const KeepAudit = 2 * 365 * 24 * time.Hour

// maxAuditNote bounds what a line says.
const maxAuditNote = 300

// NewAuditEntry makes a line of the audit log.
func NewAuditEntry(a Actor, deed AuditAction, subject, note string, now time.Time) AuditEntry {
	return AuditEntry{
		ID: NewID(AuditID, now), At: now, Actor: a, Deed: deed, Subject: subject, Note: Shorten(note, maxAuditNote),
	}
}

// AuditFilter narrows the audit log. Empty fields do not narrow.
type AuditFilter struct {
	Actor string // id of a person or key
	Deed  AuditAction
	// Subject is the id of what it was done to.
	Subject string
	// From and Until bound the time; zero if they do not.
	From, Until time.Time
	PageCursor
}

// PageCursor selects a page of a long list: the newest records, or those that are older than an id.
type PageCursor struct {
	Before string // an id: only older records
	Limit  int
}

// CursorPage is one page of a long list, the newest records first.
type CursorPage[T any] struct {
	Data []T
	More bool // whether older ones follow
}

// NewCursorPage makes a page from the records that were read: one more than the limit, if there is one.
func NewCursorPage[T any](read []T, limit int) CursorPage[T] {
	if len(read) > limit {
		return CursorPage[T]{Data: read[:limit], More: true}
	}
	return CursorPage[T]{Data: read}
}
