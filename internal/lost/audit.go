package lost

import "time"

// AuditEntry is one entry in the account's audit log. It records who changed the account or read protected data.
// Guests appear only as ids and references.
type AuditEntry struct {
	ID      string
	At      time.Time
	Actor   Actor
	Action  AuditAction
	Subject string // id of the record that was changed or read
	Note    string // the subject's name or the changed fields; never data about a guest
}

// AuditAction is the action that an audit entry records.
type AuditAction string

// The audit actions.
const (
	LoggedIn         AuditAction = "logged-in"
	LoggedOut        AuditAction = "logged-out"
	LogInFailed      AuditAction = "log-in-failed" // the note says why
	PersonInvited    AuditAction = "person-invited"
	PersonJoined     AuditAction = "person-joined"
	PersonCreated    AuditAction = "person-created" // by the operator; the note contains the role
	PersonChanged    AuditAction = "person-changed"
	KeyCreated       AuditAction = "key-created"
	KeyRenamed       AuditAction = "key-renamed" // the note contains both names
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
	CalendarCreated  AuditAction = "calendar-address-created"
	CalendarRevoked  AuditAction = "calendar-address-revoked"
	ItemDeleted      AuditAction = "item-deleted"
	Exported         AuditAction = "exported"
	Imported         AuditAction = "imported"
	AccountChanged   AuditAction = "account-changed"
	RetentionChanged AuditAction = "retention-changed"
	ItemSeen         AuditAction = "item-seen"  // an item with guest data; recorded at most once an hour
	ItemsSeen        AuditAction = "items-seen" // a location's item list; recorded at most once an hour
	// ItemsSearched records that somebody searched for items, at most once an hour. The search terms are not stored,
	// because they may be a guest's name.
	ItemsSearched AuditAction = "items-searched"
	MessagesSeen  AuditAction = "messages-seen"      // messages to guests; recorded at most once an hour
	EventsSeen    AuditAction = "events-seen"        // webhook events; recorded at most once an hour
	PaperPrinted  AuditAction = "paper-printed"      // a document with a guest's name; recorded at most once an hour
	PhotosSeen    AuditAction = "photos-seen"        // photos of an identity paper or a payment card in clear
	GuestChanged  AuditAction = "guest-data-changed" // the note lists the fields, not their values
	// StaysLookedUp records a look-up of guests. The note names the room, the day and how many guests were found.
	StaysLookedUp     AuditAction = "stays-looked-up"
	GuestConfirmed    AuditAction = "guest-confirmed" // the note names the room and the days of the stay
	StaysConnected    AuditAction = "stays-connected" // the note names the hotel system
	StaysDisconnected AuditAction = "stays-disconnected"
	PhotoAssistantOn  AuditAction = "photo-assistant-on" // the note names the host that gets photos
	PhotoAssistantOff AuditAction = "photo-assistant-off"
	GuestListAdded    AuditAction = "guest-list-added"
	GuestListsRemoved AuditAction = "guest-lists-removed"
	TrackerOpened     AuditAction = "tracker-opened" // the tracker link of a request

	PersonExported AuditAction = "person-exported"
	PersonErased   AuditAction = "person-erased" // the note contains the number of removed records
)

// AuditActions lists all audit actions.
func AuditActions() []AuditAction {
	return []AuditAction{LoggedIn, LoggedOut, LogInFailed, PersonInvited, PersonJoined, PersonCreated, PersonChanged,
		KeyCreated, KeyRenamed, KeyRevoked, WebhookCreated, WebhookChanged, WebhookDeleted,
		WebhookTested, SecretRevealed, SecretRotated, Replayed, LocationCreated, LocationChanged, LocationDeleted,
		CalendarCreated, CalendarRevoked, ItemDeleted, Exported, Imported,
		AccountChanged, RetentionChanged, ItemSeen, ItemsSeen, ItemsSearched, MessagesSeen, EventsSeen, PaperPrinted,
		PhotosSeen, GuestChanged, StaysLookedUp, GuestConfirmed, StaysConnected, StaysDisconnected, PhotoAssistantOn,
		PhotoAssistantOff, GuestListAdded, GuestListsRemoved, TrackerOpened, PersonExported, PersonErased}
}

// AuditRetention is how long audit entries are kept.
const AuditRetention = 2 * 365 * 24 * time.Hour

// maxAuditNote is the maximum length of a note, in characters.
const maxAuditNote = 300

// NewAuditEntry returns a new entry for the audit log.
func NewAuditEntry(a Actor, action AuditAction, subject, note string, now time.Time) AuditEntry {
	return AuditEntry{
		ID: NewID(AuditID, now), At: now, Actor: a, Action: action, Subject: subject, Note: Shorten(note, maxAuditNote),
	}
}

// AuditFilter filters the audit log. Empty fields match everything.
type AuditFilter struct {
	Actor  string // id of a user or key
	Action AuditAction
	// Address is the address from which somebody acted, as Actor.Address.
	Address string
	// Subject is the id of the record that was changed or read.
	Subject string
	// From and Until limit the time range; a zero time means no limit.
	From, Until time.Time
	PageCursor
}

// ParsePeriod parses a date in the format YYYY-MM-DD, which is the whole day in UTC, or a time in RFC 3339. It returns
// the beginning and the end of the day, or the same time twice.
func ParsePeriod(text string) (from, until time.Time, ok bool) {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day, day.AddDate(0, 0, 1), true
	}
	at, err := time.Parse(time.RFC3339, text)
	return at, at, err == nil
}

// PageCursor selects a page of a long list: the newest records, or the records before an id.
type PageCursor struct {
	Before string // an id; only older records are listed
	Skip   int    // number of records to leave out, for pages that are selected by number
	Limit  int
}

// CursorPage is one page of a long list, the newest records first.
type CursorPage[T any] struct {
	Data []T
	More bool // whether there are older records
}

// NewCursorPage returns a page with the first records that were read. The caller must read one more record than the
// limit, so that More can be set.
func NewCursorPage[T any](read []T, limit int) CursorPage[T] {
	if len(read) > limit {
		return CursorPage[T]{Data: read[:limit], More: true}
	}
	return CursorPage[T]{Data: read}
}
