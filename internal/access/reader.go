package access

import (
	"context"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// Log records who has read guests' data. privacy.AccessLog implements it.
type Log interface {
	Note(a lost.Actor, action lost.AuditAction, location, subject string, now time.Time)
}

// NoLog is a Log that records nothing, for programs that show no guest data, such as operator commands.
type NoLog struct{}

// Note does nothing.
func (NoLog) Note(lost.Actor, lost.AuditAction, string, string, time.Time) {}

// Reader reads items for actors who may see them, and records in the log that the actor read them.
type Reader struct {
	db  *store.DB
	log Log
	now func() time.Time
}

// ReaderOptions are the dependencies of a Reader.
type ReaderOptions struct {
	DB  *store.DB
	Log Log
	Now func() time.Time
}

// NewReader creates a Reader.
func NewReader(o ReaderOptions) *Reader { return &Reader{db: o.DB, log: o.Log, now: o.Now} }

// Item returns an item of a location.
func (r *Reader) Item(ctx context.Context, a lost.Actor, location, id string) (lost.Item, error) {
	if err := MayView(a, location, "item"); err != nil {
		return lost.Item{}, err
	}
	i, err := r.db.Item(ctx, a.Account, location, id)
	if err == nil {
		r.Saw(a, i)
	}
	return i, err
}

// Request returns a request of a location.
func (r *Reader) Request(ctx context.Context, a lost.Actor, location, id string) (lost.Item, error) {
	i, err := r.Item(ctx, a, location, id)
	if lost.CodeOf(err) == lost.NotFound || err == nil && i.Source != lost.Request {
		return lost.Item{}, lost.Missing("request")
	}
	return i, err
}

// Saw records that the actor saw an item, if the item contains guest data.
func (r *Reader) Saw(a lost.Actor, i lost.Item) {
	if i.HasPersonalData() {
		r.log.Note(a, lost.ItemSeen, i.LocationID, i.ID, r.now())
	}
}

// SawList records that the actor saw a list of items, or searched for items by text.
func (r *Reader) SawList(a lost.Actor, location string, f lost.ItemFilter, items []lost.Item) {
	action := lost.ItemsSeen
	if f.Term != "" || f.Searches() {
		action = lost.ItemsSearched
	}
	for _, i := range items {
		if i.HasPersonalData() {
			r.log.Note(a, action, location, location, r.now())
			return
		}
	}
}
