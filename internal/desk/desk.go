// Package desk holds the use cases, one method each: what a person or program can do
// with locations, items, keys and accounts, and who may do it. Every door (the API, the
// dashboard, the guest's page, the command line) calls the same methods.
//
// A method that changes something is one transaction: the change, its history and the
// jobs that follow from it are kept together or not at all.
package desk

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/go-webauthn/webauthn/webauthn"

	"homeward/internal/lost"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

// Desk carries out use cases. Make one with New.
type Desk struct {
	db      *store.DB
	wire    v1.Wire
	uploads Uploads
	hooks   Hooks
	post    Messenger
	carrier Carrier
	till    PaymentProvider
	papers  Papers
	cabinet Files
	forms   Forms
	tags    Tags
	codes   Codes
	voucher Voucher
	party   *webauthn.WebAuthn // nil where passkeys cannot be used
	keys    *keyring
	tallies *statsCache
	// sightings is who saw guests' data.
	sightings *accessLog
	hasher    hasher
	turns     chan struct{} // of those who have a file of items read
	// recalled is what was typed before, for the next form.
	recalled *formMemory
	now      func() time.Time
	nudge    func()
	// nudgeLetters is called after a commit that left a message and nothing else.
	nudgeLetters func()
	// nudgeMatching is called after a commit that left items to be matched and nothing else.
	nudgeMatching func()
	// common is what matching knows of terms that very many have.
	common *commonTerms
	// patience is how long whoever asks for matches waits for those that are being looked for.
	patience time.Duration
	// nudgeLanes is called after a commit that left deliveries.
	nudgeLanes func(...store.Lane)
	// keepDeliveries is how long the operator keeps events and their deliveries, to tell people.
	keepDeliveries time.Duration
}

// Uploads receives pictures. It is met outside transactions: files are not the database's.
type Uploads interface {
	// Receive reads one picture of at most limit bytes and prepares it. field names it in errors.
	Receive(ctx context.Context, field string, r io.Reader, limit int64) (Upload, error)
	// Delete removes files.
	Delete(ctx context.Context, names ...string) error
}

// Upload is a picture that was received and is not yet kept.
type Upload interface {
	Image() lost.Image // with the names it will have
	Digest() string    // of the bytes that came in
	Keep(ctx context.Context) error
	Close()
}

// Options is what a Desk works with.
type Options struct {
	DB              *store.DB
	Wire            v1.Wire
	Uploads         Uploads
	Hooks           Hooks
	Messenger       Messenger
	Carrier         Carrier
	PaymentProvider PaymentProvider
	Papers          Papers
	Files           Files
	Forms           Forms
	Tags            Tags
	Codes           Codes
	Voucher         Voucher          // nil where people do not log in elsewhere
	Now             func() time.Time // for what happens outside transactions
	Nudge           func()           // called after a commit that may have left a job
	// NudgeLetters is called after a commit that left a message and nothing else.
	NudgeLetters func()
	// NudgeMatching is called after a commit that left items to be matched and nothing else; Nudge where it is nil.
	NudgeMatching func()
	// Patience is how long whoever asks for matches waits for those that are being looked for.
	Patience time.Duration
	// NudgeLanes is called after a commit that left something to do for some endpoints.
	NudgeLanes func(...store.Lane)
	// KeepDeliveries is how long events and their deliveries are kept, to tell people.
	KeepDeliveries time.Duration
	// NoteSightings is after how long it is written down who saw guests' data; 0 for never.
	NoteSightings time.Duration
	// Log is told what nobody who asks is told; the program's own where it is nil.
	Log *slog.Logger
	// Hashing is what passwords cost; FullHashing where it is empty.
	Hashing Hashing
}

// New makes a Desk.
func New(o Options) *Desk {
	d := &Desk{
		db: o.DB, wire: o.Wire, uploads: o.Uploads, hooks: o.Hooks, post: o.Messenger,
		carrier: o.Carrier, till: o.PaymentProvider, papers: o.Papers, cabinet: o.Files, forms: o.Forms, tags: o.Tags, codes: o.Codes,
		voucher: o.Voucher, party: relyingParty(o.Wire.Base),
		keys: newKeyring(), hasher: newHasher(o.Hashing), recalled: &formMemory{}, turns: make(chan struct{}, readAtOnce),
		now: o.Now, nudge: o.Nudge, nudgeLetters: o.NudgeLetters, nudgeLanes: o.NudgeLanes, nudgeMatching: o.NudgeMatching, common: &commonTerms{until: map[commonTerm]time.Time{}}, patience: o.Patience, keepDeliveries: o.KeepDeliveries,
	}
	if d.nudgeMatching == nil {
		d.nudgeMatching = d.nudge
	}
	d.sightings = &accessLog{db: o.DB, every: o.NoteSightings, log: cmp.Or(o.Log, slog.Default())}
	d.tallies = newStatsCache(d.now, d.tally)
	return d
}

// reach is nil, or the answer for a location that the actor cannot see, which is that of a missing one.
func reach(a lost.Actor, location, what string) error {
	if !a.Reaches(location) {
		return lost.Missing(what)
	}
	return nil
}

// mayLook is nil, or why the actor may not see what a location has.
func mayLook(a lost.Actor, location, what string) error {
	return cmp.Or(reach(a, location, what), a.May(lost.Look))
}

// may is nil, or why the actor may not do something that changes what a location has.
func may(a lost.Actor, right lost.Right, location, what string) error {
	return cmp.Or(a.MayWrite(), reach(a, location, what), a.May(right))
}

// mayManage is nil, or why the actor may not do something that changes the account as a whole.
func mayManage(a lost.Actor, right lost.Right) error {
	return cmp.Or(a.MayWrite(), mayOversee(a, right))
}

// mayOversee is nil, or why the actor may not see what belongs to the account as a whole.
func mayOversee(a lost.Actor, right lost.Right) error {
	return cmp.Or(a.MayManage(), a.May(right))
}
