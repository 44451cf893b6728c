// Package outbox does the work that transactions leave behind: it claims due jobs, performs
// them outside any transaction, and records what came of it. A job that fails comes back later; a
// job whose worker died comes back when its lease is over. Nothing that was committed is forgotten.
package outbox

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// Files is what jobs do with files.
type Files interface {
	// Delete removes files; deleting what is gone is no error.
	Delete(ctx context.Context, names ...string) error
	// Thumbnail makes the small version of a picture, unless it is there.
	Thumbnail(ctx context.Context, name string) error
	// Read gives a file of at most so many bytes.
	Read(ctx context.Context, name string, most int64) ([]byte, error)
}

// Shipments takes parcels further. Each step may be done again.
type Shipments interface {
	// Ship takes a shipment one step further, and tells whether there is another.
	Ship(ctx context.Context, account, id string) (more bool, err error)
	// GiveBack gives money and labels back, one thing at a time, and tells whether there is more.
	GiveBack(ctx context.Context, account, id string) (more bool, err error)
	// GiveBackAlone gives back a payment whose item was deleted.
	GiveBackAlone(ctx context.Context, owed []string) error
	// LookPayment asks what became of a payment, and tells when to ask again; zero for no more.
	LookPayment(ctx context.Context, account string, about []string) (again time.Duration, err error)
	// Track asks where a parcel is, and tells when to ask again; zero for no more.
	Track(ctx context.Context, account, id string) (again time.Duration, err error)
	// CloseCheckout closes a page that is not to be paid on any more.
	CloseCheckout(ctx context.Context, checkout string) error
}

// Clearances clears items away when the desk's decision on them can no longer be undone.
type Clearances interface {
	// EndClearance carries out some of a decision, and tells whether there is more. It may be done again.
	EndClearance(ctx context.Context, account, id string) (more bool, err error)
}

// Imports takes files of items further.
type Imports interface {
	// RunImport takes an import one piece further, and tells whether there is more.
	RunImport(ctx context.Context, account, id string) (more bool, err error)
}

// Matching looks for what was found among what is missed.
type Matching interface {
	// Match looks for what an item may be matched with, and tells whether to do it again.
	Match(ctx context.Context, account, item string) (again bool, err error)
	// MatchAgain takes one piece further that all of a location's items are matched.
	MatchAgain(ctx context.Context, r store.Rematch) error
	// MatchByNewRules has some locations matched anew whose items were read by older rules, and tells how many there were.
	MatchByNewRules(ctx context.Context, some int) (int, error)
}

// Erasures removes people who ask for it.
type Erasures interface {
	// RunErasure removes a person. It may be done again, and says when it has to.
	RunErasure(ctx context.Context, account, id string, p lost.Person) (again time.Duration, err error)
}

// Outbox performs jobs and deliveries. Any number of copies may run on one database.
type Outbox struct {
	db             *store.DB
	files          Files
	post           Post
	base           string
	log            *slog.Logger
	chores         *queue
	mails, texts   *queue
	parcels        *queue
	trackers       *queue
	shipments      Shipments
	clearances     Clearances
	erasing        *queue
	erasures       Erasures
	importing      *queue
	imports        Imports
	comparing      *queue
	matching       Matching
	look           chan struct{}
	observe        func(lost.MessageKind, lost.MessageState)
	lanes          *lanes
	keepDeliveries time.Duration
}

// Options is what an Outbox works with.
type Options struct {
	DB    *store.DB
	Files Files
	Hooks Hooks
	Post  Post
	// Shipments takes parcels further; nil where there are none.
	Shipments Shipments
	// Clearances clears items away; nil where nobody decides on any.
	Clearances Clearances
	// Erasures removes people; nil where nobody asks for it.
	Erasures Erasures
	// Imports takes files of items further; nil where there are none.
	Imports Imports
	// Matching matches what was found with what is missed; nil where nobody does.
	Matching Matching
	Base     string // public address, in links
	Log      *slog.Logger
	Observe  func(became lost.DeliveryState, took time.Duration) // told of every attempt
	// ObserveDelivered is told how long it took from an event until an endpoint had it; nil for nobody.
	ObserveDelivered func(after time.Duration)
	// ObserveJob is told of every turn of a job: done, continues, retry, failed; nil for nobody.
	ObserveJob func(kind, outcome string, took time.Duration)
	// Tracer collects spans; nil for nobody.
	Tracer trace.Tracer
	// ObserveMessage is told what became of a message; nil for nobody.
	ObserveMessage func(kind lost.MessageKind, became lost.MessageState)
	KeepDeliveries time.Duration // how long settled deliveries and their events are kept
}

const (
	choresAtOnce  = 16
	choreLease    = 5 * time.Minute
	choreTime     = 2 * time.Minute
	lettersAtOnce = 8
	letterLease   = 20 * time.Second // renewed while its worker lives
	letterTime    = 7 * time.Minute  // servers may take minutes to read what they were handed
	parcelsAtOnce = 8
	parcelLease   = 10 * time.Second // somebody has paid and waits, and every step may be done again
	parcelTime    = 2 * time.Minute
	erasesAtOnce  = 2
	eraseLease    = 20 * time.Second // renewed while its worker lives
	eraseTime     = 6 * time.Hour    // it looks through all that an account has, and whoever is stopped begins again
	importsAtOnce = 2
	importLease   = 10 * time.Second // somebody watches, and every piece may be begun again
	importTime    = time.Minute
	matchesAtOnce = 4
	matchLease    = 10 * time.Second // somebody may wait for it, and it may be done again
	matchTime     = time.Minute

	stopTime       = 20 * time.Second // how long one may go on when the service stops; the lease brings it back
	recordTime     = 10 * time.Second
	poll           = 5 * time.Second // at the latest, jobs left by other copies are noticed
	upkeepEvery    = 10 * time.Minute
	keepFailed     = 30 * 24 * time.Hour
	keepDigests    = 30 * 24 * time.Hour
	keepClearances = 90 * 24 * time.Hour
	keepTickets    = 30 * 24 * time.Hour // after they have expired: an invitation can be sent again
	keepRows       = 3 * 24 * time.Hour  // of imports, to be looked at again
	keepImports    = 90 * 24 * time.Hour // so that the same file is known again
	firstRetry     = 5 * time.Second
	lastRetry      = time.Hour
)

// New makes an Outbox.
func New(o Options) *Outbox {
	b := &Outbox{
		db: o.DB, files: o.Files, post: o.Post, shipments: o.Shipments, clearances: o.Clearances, erasures: o.Erasures, imports: o.Imports, matching: o.Matching, base: o.Base, log: o.Log, observe: o.ObserveMessage, keepDeliveries: o.KeepDeliveries,
		look: make(chan struct{}, 1), lanes: newLanes(o),
	}
	b.chores = newQueue(o, choresAtOnce, choreLease, choreTime, b.perform,
		store.JobDeleteFiles, store.JobThumbnail, store.JobPurgeLocation, store.JobLookAgain, store.JobPriceAgain, store.JobClear)
	b.erasing = newQueue(o, erasesAtOnce, eraseLease, eraseTime, b.perform, store.JobErase)
	b.mails = newQueue(o, lettersAtOnce, letterLease, letterTime, b.perform, store.JobTicket, store.JobTellPerson, store.JobTellUser, store.JobSendMail)
	b.texts = newQueue(o, lettersAtOnce, letterLease, letterTime, b.perform, store.JobSendText, store.JobTraceText)
	b.parcels = newQueue(o, parcelsAtOnce, parcelLease, parcelTime, b.perform, store.JobShip, store.JobRefund, store.JobGiveBack, store.JobCloseCheckout)
	b.trackers = newQueue(o, parcelsAtOnce, parcelLease, parcelTime, b.perform, store.JobTrack, store.JobPayment)
	b.importing = newQueue(o, importsAtOnce, importLease, importTime, b.perform, store.JobImport)
	b.comparing = newQueue(o, matchesAtOnce, matchLease, matchTime, b.perform, store.JobMatch, store.JobMatchAgain)
	return b
}

// NudgeLanes says that some endpoints have something due: look now.
func (o *Outbox) NudgeLanes(of ...store.Lane) { o.lanes.nudge(of...) }

// DeliverOnce makes an attempt of every delivery that is due.
func (o *Outbox) DeliverOnce(ctx context.Context) { o.lanes.runOnce(ctx) }

// Nudge says that a job may have been left, or an item to look at: look now.
func (o *Outbox) Nudge() {
	o.chores.nudge()
	o.erasing.nudge()
	o.parcels.nudge()
	o.importing.nudge()
	o.NudgeMatching()
	o.NudgeLetters()
	wakeUp(o.look)
}

// NudgeMatching says that an item was left to be matched, and nothing else.
func (o *Outbox) NudgeMatching() { o.comparing.nudge() }

// NudgeLetters says that a message was left, and nothing else.
func (o *Outbox) NudgeLetters() {
	o.mails.nudge()
	o.texts.nudge()
}

// Run works until the context ends, and then finishes what is under way.
func (o *Outbox) Run(ctx context.Context) {
	var running sync.WaitGroup
	for _, work := range []func(context.Context){o.keepUp, o.lanes.run, o.watch, o.mails.run, o.texts.run, o.parcels.run, o.trackers.run, o.importing.run, o.match, o.erasing.run, o.chores.run} {
		running.Go(func() { work(ctx) })
	}
	running.Wait()
}

// RunOnce performs the jobs that are due, as many as may be under way at once, and tells how many that was.
func (o *Outbox) RunOnce(ctx context.Context) (int, error) {
	total := 0
	for _, q := range []*queue{o.erasing, o.chores, o.parcels, o.trackers, o.importing, o.comparing, o.mails, o.texts} {
		if q == o.comparing && o.matching == nil {
			continue
		}
		n, err := q.runOnce(ctx)
		if total += n; err != nil {
			return total, err
		}
	}
	return total, nil
}

func (o *Outbox) perform(ctx context.Context, job store.Job) error {
	switch job.Kind {
	case store.JobDeleteFiles:
		names, err := job.Names()
		if err != nil {
			return err
		}
		return o.files.Delete(ctx, names...)
	case store.JobThumbnail:
		err := o.files.Thumbnail(ctx, job.Payload)
		if lost.CodeOf(err) == lost.NotFound { // deleted meanwhile, and so done
			return nil
		}
		return err
	case store.JobPurgeLocation:
		return o.purgeLocation(ctx, job)
	case store.JobLookAgain:
		return o.goThrough(ctx, job, (*store.Tx).LookAgain, (*store.Tx).LookAgainLater)
	case store.JobPriceAgain:
		return o.goThrough(ctx, job, (*store.Tx).PriceAgain, (*store.Tx).PriceAgainLater)
	case store.JobClear:
		return another(o.clearances.EndClearance(ctx, job.Account, job.Payload))
	case store.JobErase:
		return o.erase(ctx, job)
	case store.JobSendMail, store.JobSendText:
		return o.sendMessage(ctx, job)
	case store.JobTraceText:
		return o.traceText(ctx, job)
	case store.JobTellUser:
		return o.tellUser(ctx, job)
	case store.JobTicket:
		return o.sendTicket(ctx, job)
	case store.JobTellPerson:
		return o.tellPerson(ctx, job)
	case store.JobShip, store.JobRefund, store.JobGiveBack, store.JobCloseCheckout, store.JobPayment, store.JobTrack:
		return o.performShipping(ctx, job)
	case store.JobImport:
		return o.runImport(ctx, job)
	case store.JobMatch:
		return another(o.matching.Match(ctx, job.Account, job.Payload))
	case store.JobMatchAgain:
		return o.matchAgain(ctx, job)
	default:
		return fmt.Errorf("unknown kind of job %q", job.Kind)
	}
}

// performShipping does what has to do with a parcel and its payment.
func (o *Outbox) performShipping(ctx context.Context, job store.Job) error {
	switch job.Kind {
	case store.JobShip:
		return another(o.shipments.Ship(ctx, job.Account, job.Payload))
	case store.JobRefund:
		return another(o.shipments.GiveBack(ctx, job.Account, job.Payload))
	case store.JobGiveBack:
		owed, err := job.Names()
		if err != nil {
			return err
		}
		return o.shipments.GiveBackAlone(ctx, owed)
	case store.JobCloseCheckout:
		return o.shipments.CloseCheckout(ctx, job.Payload)
	case store.JobPayment:
		about, err := job.Names()
		if err != nil {
			return err
		}
		return after(o.shipments.LookPayment(ctx, job.Account, about))
	case store.JobTrack:
		return after(o.shipments.Track(ctx, job.Account, job.Payload))
	default:
		return fmt.Errorf("unknown kind of job %q", job.Kind)
	}
}

// another makes of more to do what a job says of it.
func another(more bool, err error) error {
	if err == nil && more {
		return errMore
	}
	return err
}

// after makes of when to do it again what a job says of it.
func after(wait time.Duration, err error) error {
	if err == nil && wait > 0 {
		return again{wait}
	}
	return err
}

// runImport takes an import further for a while, piece by piece, and leaves the rest to its next turn: others import too.
func (o *Outbox) runImport(ctx context.Context, job store.Job) error {
	const turn = 50 // pieces
	for range turn {
		more, err := o.imports.RunImport(ctx, job.Account, job.Payload)
		if err != nil || !more {
			return err
		}
	}
	return errMore
}

// match matches items as they come, where anybody does.
func (o *Outbox) match(ctx context.Context) {
	if o.matching != nil {
		o.comparing.run(ctx)
	}
}

// matchAgain has some items of a location matched, because it is to be compared with others than before.
func (o *Outbox) matchAgain(ctx context.Context, job store.Job) error {
	r, err := store.RematchOf(job)
	if err != nil {
		return lost.E(lost.Invalid, "The job names no location.").Because(err)
	}
	return o.matching.MatchAgain(ctx, r)
}

const purgePiece = 200

// purgeLocation removes some of a deleted location's items, and the location after the last one.
func (o *Outbox) purgeLocation(ctx context.Context, job store.Job) error {
	var left bool
	err := o.db.Write(ctx, func(tx *store.Tx) error {
		items, err := tx.PurgeItems(job.Account, job.Payload, purgePiece)
		if err != nil {
			return err
		}
		if left = len(items) > 0; !left {
			const some = 10
			counts, err := tx.DropOldCounts(job.Account, job.Payload, 0, some)
			if left = counts > 0; left || err != nil {
				return err
			}
			return tx.PurgeLocation(job.Account, job.Payload)
		}
		var ids, files []string
		for _, i := range items {
			ids, files = append(ids, i.ID), append(files, i.Files()...)
		}
		papers, err := tx.DropShipments(job.Account, ids)
		return cmp.Or(err, tx.DeleteFilesLater(job.Account, append(files, papers...)...))
	})
	if err == nil && left {
		return errMore
	}
	return err
}

// keepUp removes what has had its time, from the start on and again every while.
func (o *Outbox) keepUp(ctx context.Context) {
	every := time.NewTicker(upkeepEvery)
	defer every.Stop()
	for {
		o.KeepUpOnce(ctx)
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

// KeepUpOnce removes what has had its time, guests' data among it, and switches off the endpoints that have failed for too long.
func (o *Outbox) KeepUpOnce(ctx context.Context) {
	o.prune(ctx, "answers", func(tx *store.Tx, some int) (int64, error) { return tx.PruneAnswers(some) })
	o.prune(ctx, "jobs", func(tx *store.Tx, some int) (int64, error) { return tx.PruneJobs(tx.Now().Add(-keepFailed), some) })
	o.prune(ctx, "deliveries", func(tx *store.Tx, some int) (int64, error) {
		return tx.PruneDeliveries(tx.Now().Add(-o.keepDeliveries), some)
	})
	o.prune(ctx, "events", func(tx *store.Tx, some int) (int64, error) {
		return tx.PruneEvents(tx.Now().Add(-o.keepDeliveries), some)
	})
	o.prune(ctx, "decisions", func(tx *store.Tx, some int) (int64, error) {
		return tx.PruneClearances(tx.Now().Add(-keepClearances), some)
	})
	o.prune(ctx, "digests", func(tx *store.Tx, some int) (int64, error) { return tx.PruneDigests(tx.Now().Add(-keepDigests), some) })
	o.prune(ctx, "sessions", func(tx *store.Tx, some int) (int64, error) { return tx.PruneSessions(some) })
	o.prune(ctx, "tickets", func(tx *store.Tx, some int) (int64, error) { return tx.PruneTickets(tx.Now().Add(-keepTickets), some) })
	o.prune(ctx, "throttles", func(tx *store.Tx, some int) (int64, error) { return tx.PruneThrottles(some) })
	o.prune(ctx, "challenges", func(tx *store.Tx, some int) (int64, error) { return tx.PruneChallenges(some) })
	o.prune(ctx, "rows of imports", func(tx *store.Tx, some int) (int64, error) { return tx.PrunePieces(tx.Now().Add(-keepRows), some) })
	o.prune(ctx, "imports", func(tx *store.Tx, some int) (int64, error) {
		return tx.PruneImports(tx.Now().Add(-keepImports), tx.Now().Add(-keepRows), some)
	})
	o.prune(ctx, "audit log", func(tx *store.Tx, some int) (int64, error) { return tx.PruneAudit(tx.Now().Add(-lost.KeepAudit), some) })
	if err := o.forget(ctx); err != nil && ctx.Err() == nil {
		o.log.Error("outbox: removing guests' data failed", "error", err)
	}
	if err := o.switchOff(ctx); err != nil && ctx.Err() == nil {
		o.log.Error("outbox: switching off failing webhooks failed", "error", err)
	}
	if err := o.matchByNewRules(ctx); err != nil && ctx.Err() == nil {
		o.log.Error("outbox: matching by new rules failed", "error", err)
	}
}

// matchByNewRules has everything matched anew that was read by older rules.
func (o *Outbox) matchByNewRules(ctx context.Context) error {
	const some = 100
	for o.matching != nil {
		if many, err := o.matching.MatchByNewRules(ctx, some); err != nil || many < some {
			return err
		}
	}
	return nil
}

// prune removes something in small pieces until there is none left.
func (o *Outbox) prune(ctx context.Context, what string, piece func(tx *store.Tx, some int) (int64, error)) {
	if err := o.db.InPieces(ctx, piece); err != nil && ctx.Err() == nil {
		o.log.Error("outbox: pruning failed", "what", what, "error", err)
	}
}

// switchOff switches off the endpoints that have failed for too long without one success, and has their accounts' users told.
func (o *Outbox) switchOff(ctx context.Context) error {
	const most = 100
	failing, err := o.db.FailingEndpoints(ctx, lost.SwitchOffAfter, most)
	for _, e := range failing {
		if err := o.switchOffOne(ctx, e); err != nil {
			return err
		}
	}
	return err
}

func (o *Outbox) switchOffOne(ctx context.Context, e lost.Endpoint) error {
	off := false
	err := o.db.Write(ctx, func(tx *store.Tx) error {
		e, err := tx.LockEndpoint(e.Account, e.ID)
		off = err == nil && e.SwitchOff(tx.Now())
		if lost.CodeOf(err) == lost.NotFound || err == nil && !off {
			return nil // it was deleted, or has recovered
		}
		if err != nil {
			return err
		}
		return cmp.Or(tx.SaveEndpoint(e), tx.TellUsersLater(e.Account, e.ID))
	})
	if err != nil || !off {
		return err
	}
	o.log.Warn("webhook switched off: it failed for five days without one success", "account", e.Account, "webhook", e.ID)
	o.Nudge()
	return o.db.CancelWaiting(ctx, store.Lane{Account: e.Account, Endpoint: e.ID})
}

// tellUser writes to one user that a webhook was switched off. Each has a job of their own, so that one whose address is
// refused keeps none of the others from hearing.
func (o *Outbox) tellUser(ctx context.Context, job store.Job) error {
	ids, err := job.Names()
	if err != nil || len(ids) != 2 {
		return lost.E(lost.Invalid, "The job names no user and webhook.").Because(err)
	}
	user, err := o.db.User(ctx, job.Account, ids[0])
	if lost.CodeOf(err) == lost.NotFound || err == nil && !user.DisabledAt.IsZero() {
		return nil
	}
	if err != nil {
		return err
	}
	e, err := o.db.Endpoint(ctx, job.Account, ids[1])
	if lost.CodeOf(err) == lost.NotFound || err == nil && e.Enabled {
		return nil // deleted, or on again
	}
	if err != nil || !o.post.Sends(lost.ByEmail) {
		return err
	}
	return o.tell(ctx, user.Email, "A webhook was switched off", switchedOff(e))
}

func switchedOff(e lost.Endpoint) string {
	name := e.URL
	if e.Description != "" {
		name = e.Description + " (" + e.URL + ")"
	}
	return "Hello,\n\nthe webhook " + name + " was switched off.\n\n" + e.Reason + "\n\nIts id is " + e.ID + ".\n"
}
