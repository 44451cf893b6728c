// Package outbox runs the background jobs of the service: it performs the jobs that transactions add, delivers
// webhooks, adds reminders when they are due, and removes expired data. Jobs run outside transactions. A failed job is
// retried unless the error is permanent. The job of a crashed worker is due again when its lease expires.
package outbox

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/tracing"
)

// Outbox performs background jobs and webhook deliveries. Any number of instances may share one database.
type Outbox struct {
	db             *store.DB
	files          Files
	messenger      Messenger
	base           string
	readsReplies   bool
	log            *slog.Logger
	shipments      Shipments
	clearances     Clearances
	categories     Categories
	erasures       Erasures
	imports        Imports
	images         Images
	matching       Matching
	assistant      PhotoAssistant
	observeMessage func(lost.MessageKind, lost.MessageState)
	keepDeliveries time.Duration

	queues    []*queue // one for each pool, in the order returned by pools
	wakeItems chan struct{}
	deliverer *deliverer

	wakePlanned atomic.Bool // a timer will wake the item checks
}

// Options holds the dependencies and settings of an Outbox.
type Options struct {
	DB        *store.DB
	Files     Files
	Hooks     Hooks
	Messenger Messenger
	// Images verifies uploaded photos; if it is nil, these jobs are not claimed.
	Images Images
	// Shipments performs shipping jobs; nil if there are no such jobs.
	Shipments Shipments
	// Clearances performs clearance jobs; nil if there are no such jobs.
	Clearances Clearances
	// Categories performs runs that suggest categories; nil if there are no such jobs.
	Categories Categories
	// Erasures performs erasure jobs; nil if there are no such jobs.
	Erasures Erasures
	// Imports performs import jobs; nil if there are no such jobs.
	Imports Imports
	// Matching performs matching jobs; if it is nil, these jobs are not claimed.
	Matching Matching
	// Assistant describes photos; if it is nil, no photo is described.
	Assistant PhotoAssistant
	Base      string // the public base URL for links
	// ReadsReplies says that replies to e-mails, and reports that they did not arrive, are read from a mailbox.
	ReadsReplies bool
	Log          *slog.Logger
	Observe      func(became lost.DeliveryState, took time.Duration) // called after every delivery attempt
	// ObserveDelivered is called after every successful delivery with the time since the event; may be nil.
	ObserveDelivered func(after time.Duration)
	// ObserveJob is called after every run of a job; outcome is done, continues, retry or failed. May be nil.
	ObserveJob func(kind, outcome string, took time.Duration)
	// Tracer collects spans; may be nil.
	Tracer *tracing.Tracer
	// ObserveMessage is called when the final state of a message is known; may be nil.
	ObserveMessage func(kind lost.MessageKind, became lost.MessageState)
	KeepDeliveries time.Duration // how long finished deliveries and their events are kept
}

const (
	stopTime   = 20 * time.Second // how long a job may continue after the service is told to stop
	recordTime = 10 * time.Second
	poll       = 5 * time.Second // the longest delay until jobs added by other instances are noticed
	firstRetry = 5 * time.Second
	lastRetry  = time.Hour
)

// New returns an Outbox. Call Run to start it.
func New(o Options) *Outbox {
	b := &Outbox{
		db: o.DB, files: o.Files, messenger: o.Messenger, base: o.Base,
		readsReplies: o.ReadsReplies, log: o.Log,
		shipments: o.Shipments, clearances: o.Clearances, categories: o.Categories, erasures: o.Erasures,
		imports: o.Imports, images: o.Images, matching: o.Matching, assistant: o.Assistant,
		observeMessage: o.ObserveMessage, keepDeliveries: o.KeepDeliveries,
		wakeItems: make(chan struct{}, 1), deliverer: newDeliverer(o),
	}
	kinds := b.jobKinds()
	for _, p := range pools() {
		unused := (p.name == matchPool || p.name == embedPool) && o.Matching == nil ||
			p.name == visionPool && o.Assistant == nil ||
			(p.name == imagePool || p.name == publicPool) && o.Images == nil
		if unused {
			continue
		}
		b.queues = append(b.queues, newQueue(o, p, kinds))
	}
	return b
}

// WakeDeliveries wakes the workers of endpoints that may have due deliveries.
func (o *Outbox) WakeDeliveries(queues ...store.EndpointQueue) { o.deliverer.notify(queues...) }

// DeliverOnce attempts every delivery that is due.
func (o *Outbox) DeliverOnce(ctx context.Context) { o.deliverer.runOnce(ctx) }

// Wake wakes the queues and the item checks, because a transaction may have added work for them.
func (o *Outbox) Wake() {
	for _, q := range o.queues {
		if !q.pool.polled {
			q.notify()
		}
	}
	wakeUp(o.wakeItems)
}

// WakeItemsAt wakes only the item checks, at a time that is soon, or has passed. While a wake-up is planned, it does
// nothing: the checks then find the time themselves.
func (o *Outbox) WakeItemsAt(at time.Time) {
	wait := at.Sub(o.db.Now())
	if wait <= 0 {
		wakeUp(o.wakeItems)
		return
	}
	if o.wakePlanned.CompareAndSwap(false, true) {
		time.AfterFunc(wait, func() {
			o.wakePlanned.Store(false)
			wakeUp(o.wakeItems)
		})
	}
}

// WakeMatching wakes only the queue that matches items.
func (o *Outbox) WakeMatching() { o.notifyPools(matchPool) }

// WakeImages wakes only the queue that verifies photos of staff and API clients.
func (o *Outbox) WakeImages() { o.notifyPools(imagePool) }

// WakeMessages wakes only the queues that send messages.
func (o *Outbox) WakeMessages() { o.notifyPools(mailPool, textPool) }

func (o *Outbox) notifyPools(names ...poolName) {
	for _, q := range o.queues {
		for _, name := range names {
			if q.pool.name == name {
				q.notify()
			}
		}
	}
}

// Run performs jobs and deliveries until the context ends, and then finishes those in progress.
func (o *Outbox) Run(ctx context.Context) {
	ctx = store.BatchContext(ctx, func(waited time.Duration) {
		o.log.Warn("database is busy; background work is waiting for its turn", "waited", waited.String())
	})
	var running sync.WaitGroup
	running.Go(func() { o.runUpkeep(ctx) })
	running.Go(func() { o.deliverer.run(ctx) })
	running.Go(func() { o.checkItems(ctx) })
	for _, q := range o.queues {
		running.Go(func() { q.run(ctx) })
	}
	running.Wait()
}

// RunOnce performs due jobs, at most one for each worker, and returns how many it performed.
func (o *Outbox) RunOnce(ctx context.Context) (int, error) {
	total := 0
	for _, q := range o.queues {
		n, err := q.runOnce(ctx)
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, nil
}
