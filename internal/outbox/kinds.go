package outbox

import (
	"context"
	"time"

	"homeward/internal/store"
)

// poolName names a pool of workers.
type poolName string

const (
	erasurePool  poolName = "erasure"
	chorePool    poolName = "chore"
	parcelPool   poolName = "parcel"
	trackingPool poolName = "tracking"
	importPool   poolName = "import"
	matchPool    poolName = "match"
	mailPool     poolName = "mail"
	textPool     poolName = "text"
)

// pool is a group of workers that shares a queue. A slow job delays only the jobs of its own pool.
type pool struct {
	name    poolName
	workers int           // jobs in progress at the same time
	lease   time.Duration // after this time the job of a dead worker is due again; a running worker renews it
	timeout time.Duration // how long one run of a job may take
	polled  bool          // its jobs are due later, not immediately, so Wake does not wake it
}

// pools lists the pools, in the order in which RunOnce works through them.
func pools() []pool {
	return []pool{
		// An erasure reads all data of an account, and starts from the beginning if it is interrupted.
		{name: erasurePool, workers: 2, lease: 20 * time.Second, timeout: 6 * time.Hour},
		{name: chorePool, workers: 16, lease: 5 * time.Minute, timeout: 2 * time.Minute},
		// The lease is short because a guest who paid is waiting, and every step is idempotent.
		{name: parcelPool, workers: 8, lease: 10 * time.Second, timeout: 2 * time.Minute},
		{name: trackingPool, workers: 8, lease: 10 * time.Second, timeout: 2 * time.Minute, polled: true},
		// The lease is short because a user may be watching the progress, and every step is idempotent.
		{name: importPool, workers: 2, lease: 10 * time.Second, timeout: time.Minute},
		// The lease is short because a user may be waiting for the result, and matching is idempotent.
		{name: matchPool, workers: 4, lease: 10 * time.Second, timeout: time.Minute},
		// Mail servers may take minutes to accept a message.
		{name: mailPool, workers: 8, lease: 20 * time.Second, timeout: 7 * time.Minute},
		{name: textPool, workers: 8, lease: 20 * time.Second, timeout: 7 * time.Minute},
	}
}

// jobKind declares a kind of job: everything that differs from one kind to the next.
type jobKind struct {
	name    string // as stored in the database; the constants are in package store, which the use cases import
	pool    poolName
	perform func(ctx context.Context, job store.Job) error
}

// jobKinds is the registry of job kinds: queues, dispatch and metrics are derived from it. Within a pool, due
// jobs of the kinds that are listed first are claimed first.
//
// All kinds are retried in the same way: an Unsupported or Invalid error fails the job permanently, a
// continuation runs it again, and any other error, or a panic, is retried until the job succeeds. A kind that
// must give up earlier, such as an old message, decides that in its perform function.
func (o *Outbox) jobKinds() []jobKind {
	return []jobKind{
		{store.JobErase, erasurePool, o.erase},

		{store.JobDeleteFiles, chorePool, o.deleteFiles},
		{store.JobThumbnail, chorePool, o.makeThumbnail},
		{store.JobPurgeLocation, chorePool, o.purgeLocation},
		{store.JobCheckItems, chorePool, o.recheckItems},
		{store.JobRequote, chorePool, o.repriceItems},
		{store.JobClearItems, chorePool, o.endClearance},

		{store.JobShip, parcelPool, o.ship},
		{store.JobRefund, parcelPool, o.refund},
		{store.JobRefundPayment, parcelPool, o.refundPayment},
		{store.JobCloseCheckout, parcelPool, o.closeCheckout},

		{store.JobTrack, trackingPool, o.track},
		{store.JobCheckPayment, trackingPool, o.checkPayment},

		{store.JobImport, importPool, o.runImport},

		{store.JobMatch, matchPool, o.matchItem},
		{store.JobRematch, matchPool, o.rematchLocation},

		{store.JobSendTicket, mailPool, o.sendTicket},
		{store.JobLoginNotice, mailPool, o.sendSecurityMail},
		{store.JobNotifyUser, mailPool, o.sendWebhookDisabledMail},
		{store.JobSendMail, mailPool, o.sendMessage},

		{store.JobSendText, textPool, o.sendMessage},
		{store.JobTrackText, textPool, o.trackText},
	}
}

// JobKinds returns the stored names of all kinds of job.
func JobKinds() []string {
	var names []string
	for _, k := range (&Outbox{}).jobKinds() {
		names = append(names, k.name)
	}
	return names
}
