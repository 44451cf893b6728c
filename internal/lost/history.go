package lost

import "time"

// Entry is one line of an item's history: who did what, when.
type Entry struct {
	ID     string
	At     time.Time
	Actor  Actor
	Action Action
	From   Status   // with Moved
	To     Status   // with Moved
	Fields []string // what changed, as the API spells it; never the values
	Note   string
}

// Action says what was done to an item.
type Action string

// The actions.
const (
	Created    Action = "created"
	Updated    Action = "updated"
	Moved      Action = "status-changed"
	ImageAdded Action = "image-added"
)

// Actions lists them.
func Actions() []Action { return []Action{Created, Updated, Moved, ImageAdded} }

// NewEntry makes a line of history.
func NewEntry(a Actor, action Action, now time.Time) Entry {
	return Entry{ID: NewID(HistoryID, now), At: now, Actor: a, Action: action}
}
