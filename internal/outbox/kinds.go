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
	imagePool    poolName = "image"
	publicPool   poolName = "public-image"
	parcelPool   poolName = "parcel"
	trackingPool poolName = "tracking"
	importPool   poolName = "import"
	matchPool    poolName = "match"
	embedPool    poolName = "embed"
	visionPool   poolName = "vision"
	mailPool     poolName = "mail"
	textPool     poolName = "text"
)

// pool is a group of workers that share a queue. A slow job delays only the jobs in its own pool.
type pool struct {
	name    poolName
	workers int           // maximum number of jobs in progress at the same time
	lease   time.Duration // how long until a dead worker's job is due again; a running worker renews its lease
	timeout time.Duration // how long one run of a job may take
	folded  bool          // its jobs are so many that they share log lines
	fair    bool          // its jobs are match jobs, of which every account gets a share; see turns
	polled  bool          // its jobs are due later, not immediately, so Wake skips it
}

// pools lists the pools, in the order in which RunOnce works through them.
func pools() []pool {
	return []pool{
		// An erasure reads all of an account's data, and starts again from the beginning if it is interrupted.
		{name: erasurePool, workers: 2, lease: 20 * time.Second, timeout: 6 * time.Hour},
		{name: chorePool, workers: 16, lease: 5 * time.Minute, timeout: 2 * time.Minute},
		// A few more images are fetched than can be decoded at once. Images of guests and strangers have workers of
		// their own, so that those of staff do not wait for them. The leases are short because somebody may be waiting
		// to see the image.
		{name: imagePool, workers: 8, lease: 20 * time.Second, timeout: 2 * time.Minute, folded: true},
		{name: publicPool, workers: 4, lease: 20 * time.Second, timeout: 2 * time.Minute, folded: true},
		// The lease is short because a guest who paid is waiting, and every step is idempotent.
		{name: parcelPool, workers: 8, lease: 10 * time.Second, timeout: 2 * time.Minute},
		{name: trackingPool, workers: 8, lease: 10 * time.Second, timeout: 2 * time.Minute, polled: true},
		// The lease is short because a user may be watching the progress, and every step is idempotent.
		{name: importPool, workers: 2, lease: 10 * time.Second, timeout: time.Minute},
		// The lease is short because a user may be waiting for the result, and matching is idempotent.
		{name: matchPool, workers: 4, lease: 10 * time.Second, timeout: time.Minute, folded: true, fair: true},
		// Jobs of these pools call a model, which may take most of a minute, and for which nobody waits.
		{name: embedPool, workers: 2, lease: 20 * time.Second, timeout: 2 * time.Minute, polled: true},
		{name: visionPool, workers: 2, lease: 20 * time.Second, timeout: 2 * time.Minute},
		// Mail servers may take minutes to accept a message.
		{name: mailPool, workers: 8, lease: 20 * time.Second, timeout: 7 * time.Minute},
		{name: textPool, workers: 8, lease: 20 * time.Second, timeout: 7 * time.Minute},
	}
}

// jobKind defines a kind of job.
type jobKind struct {
	name    string // the name stored in the database; the constants are in package store, which the use cases import
	pool    poolName
	perform func(ctx context.Context, job store.Job) error
}

// jobKinds is the registry of job kinds, from which queues, dispatch and metrics are derived. Within a pool, jobs of
// the kinds listed first are claimed first.
//
// All kinds are retried in the same way: an Unsupported or Invalid error fails the job permanently, a continuation
// (see continueIf) runs it again, and any other error or a panic is retried until the job succeeds. If a kind must stop
// earlier, for example because a message is too old, its perform function decides that.
func (o *Outbox) jobKinds() []jobKind {
	return []jobKind{
		{store.JobErase, erasurePool, o.erase},

		{store.JobEndAccess, chorePool, o.endAccess},
		{store.JobDeleteFiles, chorePool, o.deleteFiles},
		{store.JobThumbnail, chorePool, o.makeThumbnail},
		{store.JobPurgeLocation, chorePool, o.purgeLocation},
		{store.JobCheckItems, chorePool, o.recheckItems},
		{store.JobApplyTerms, chorePool, o.touchItems},
		{store.JobTouchItems, chorePool, o.touchItems},
		{store.JobDateItems, chorePool, o.dateItems},
		{store.JobDateAccount, chorePool, o.dateAccount},
		{store.JobRequote, chorePool, o.repriceItems},
		{store.JobClearItems, chorePool, o.endClearance},
		{store.JobSuggestCategories, chorePool, o.suggestCategories},
		{store.JobLoginFailed, chorePool, o.recordLoginFailure},

		{store.JobVerifyImage, imagePool, o.verifyImage},
		{store.JobVerifyPublicImage, publicPool, o.verifyImage},

		{store.JobShip, parcelPool, o.ship},
		{store.JobRefund, parcelPool, o.refund},
		{store.JobRefundPayment, parcelPool, o.refundPayment},
		{store.JobCloseCheckout, parcelPool, o.closeCheckout},

		{store.JobTrack, trackingPool, o.track},
		{store.JobCheckPayment, trackingPool, o.checkPayment},

		{store.JobImport, importPool, o.runImport},

		{store.JobMatch, matchPool, o.matchItem},
		{store.JobRematch, matchPool, o.rematchLocation},

		{store.JobEmbed, embedPool, func(ctx context.Context, job store.Job) error {
			return continueIf(o.matching.Embed(ctx, job.Account))
		}},

		{store.JobDescribePhoto, visionPool, o.describePhoto},

		{store.JobSendTicket, mailPool, o.sendTicket},
		{store.JobLoginNotice, mailPool, o.sendSecurityMail},
		{store.JobNotifyUser, mailPool, o.sendWebhookDisabledMail},
		{store.JobSendMail, mailPool, o.sendMessage},

		{store.JobSendText, textPool, o.sendMessage},
		{store.JobTrackText, textPool, o.trackText},
	}
}

// JobKinds returns the stored names of all job kinds.
func JobKinds() []string {
	var names []string
	for _, k := range (&Outbox{}).jobKinds() {
		names = append(names, k.name)
	}
	return names
}
