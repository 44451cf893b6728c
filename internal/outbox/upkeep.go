package outbox

import (
	"context"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/stay"
	"homeward/internal/store"
)

const (
	upkeepEvery        = 10 * time.Minute
	failedJobRetention = 30 * 24 * time.Hour
	digestRetention    = 30 * 24 * time.Hour
	clearanceRetention = 90 * 24 * time.Hour
	ticketRetention    = 30 * 24 * time.Hour // counted from expiry, because an expired invitation can be sent again
	importRowRetention = 3 * 24 * time.Hour  // rows are kept for a while so that users can check them
	requestRetention   = 30 * 24 * time.Hour // of the numbers of photos that were described each day
	importRetention    = 90 * 24 * time.Hour // imports are kept to recognise a file that is uploaded twice
)

// runUpkeep removes expired data, at the start and then at regular intervals.
func (o *Outbox) runUpkeep(ctx context.Context) {
	every := time.NewTicker(upkeepEvery)
	defer every.Stop()
	for {
		o.RunUpkeepOnce(ctx)
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

// RunUpkeepOnce removes expired data, including guests' data, and disables endpoints that have failed for too long.
func (o *Outbox) RunUpkeepOnce(ctx context.Context) {
	for _, p := range o.prunings() {
		if err := o.db.InBatches(ctx, p.piece); err != nil && ctx.Err() == nil {
			o.log.Error("outbox: pruning failed", "what", p.what, "error", err)
		}
	}
	if err := o.eraseExpiredGuests(ctx); err != nil && ctx.Err() == nil {
		o.log.Error("outbox: removing guests' data failed", "error", err)
	}
	if err := o.disableFailingEndpoints(ctx); err != nil && ctx.Err() == nil {
		o.log.Error("outbox: disabling failing webhooks failed", "error", err)
	}
	if err := o.rematchOutdated(ctx); err != nil && ctx.Err() == nil {
		o.log.Error("outbox: scheduling matching for outdated items failed", "error", err)
	}
}

// pruning removes one kind of row, up to limit rows per transaction.
type pruning struct {
	what  string // shown in the log
	piece func(tx *store.Tx, limit int) (int64, error)
}

// olderThan returns a pruning step that removes rows older than keep.
func olderThan(
	prune func(tx *store.Tx, before time.Time, limit int) (int64, error), keep time.Duration,
) func(*store.Tx, int) (int64, error) {
	return func(tx *store.Tx, limit int) (int64, error) { return prune(tx, tx.Now().Add(-keep), limit) }
}

func (o *Outbox) prunings() []pruning {
	return []pruning{
		{"stored responses", (*store.Tx).PruneResponses},
		{"jobs", olderThan((*store.Tx).PruneJobs, failedJobRetention)},
		{"deliveries", olderThan((*store.Tx).PruneDeliveries, o.keepDeliveries)},
		{"events", olderThan((*store.Tx).PruneEvents, o.keepDeliveries)},
		{"events about changes", olderThan((*store.Tx).PruneChangeEvents, lost.ChangeEventRetention)},
		{"deleted items", olderThan((*store.Tx).PruneTombstones, lost.TombstoneRetention)},
		{"decisions", olderThan((*store.Tx).PruneClearances, clearanceRetention)},
		{"digests", olderThan((*store.Tx).PruneDigests, digestRetention)},
		{"notices", olderThan((*store.Tx).PruneNotices, digestRetention)},
		{"sessions", (*store.Tx).PruneSessions},
		{"push subscriptions", (*store.Tx).PrunePushSubscriptions},
		{"guest lists", (*store.Tx).PruneGuestLists},
		{"guests found by look-ups", olderThan((*store.Tx).PruneCandidates, stay.Valid)},
		{"counts of described photos", olderThan((*store.Tx).PrunePhotoRequests, requestRetention)},
		{"tickets", olderThan((*store.Tx).PruneTickets, ticketRetention)},
		{"throttles", (*store.Tx).PruneThrottles},
		{"challenges", (*store.Tx).PruneChallenges},
		{"import rows", olderThan((*store.Tx).PruneImportChunks, importRowRetention)},
		{"imports", func(tx *store.Tx, limit int) (int64, error) {
			return tx.PruneImports(tx.Now().Add(-importRetention), tx.Now().Add(-importRowRetention), limit)
		}},
		{"audit log", olderThan((*store.Tx).PruneAudit, lost.AuditRetention)},
	}
}

// rematchOutdated schedules matching for all locations whose items were indexed with older rules, and embeddings for
// some of the accounts that have any to compute.
func (o *Outbox) rematchOutdated(ctx context.Context) error {
	if o.matching == nil {
		return nil
	}
	const limit = 100
	if _, err := o.matching.EmbedOutdated(ctx, limit); err != nil {
		return err
	}
	for {
		scheduled, err := o.matching.RematchOutdated(ctx, limit)
		if err != nil || scheduled < limit {
			return err
		}
	}
}

// disableFailingEndpoints disables endpoints that have failed for too long without a success, and schedules e-mails
// to the users of each endpoint's account.
func (o *Outbox) disableFailingEndpoints(ctx context.Context) error {
	const limit = 100
	failing, err := o.db.FailingEndpoints(ctx, lost.SwitchOffAfter, limit)
	if err != nil {
		return err
	}
	for _, e := range failing {
		if err := o.disableEndpoint(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

func (o *Outbox) disableEndpoint(ctx context.Context, e lost.Endpoint) error {
	disabled := false
	err := o.db.Write(ctx, func(tx *store.Tx) error {
		disabled = false
		e, err := tx.LockEndpoint(e.Account, e.ID)
		if lost.CodeOf(err) == lost.NotFound {
			return nil // the endpoint was deleted in the meantime
		}
		if err != nil {
			return err
		}
		if !e.SwitchOff(tx.Now()) {
			return nil // the endpoint works again
		}
		disabled = true
		if err := tx.SaveEndpoint(e); err != nil {
			return err
		}
		return tx.AddNotifyUsersJob(e.Account, e.ID)
	})
	if err != nil || !disabled {
		return err
	}
	o.log.Warn("webhook disabled after five days of failures; fix the receiver, then enable the webhook again",
		"account", e.Account, "webhook", e.ID)
	o.Wake()
	return o.db.CancelDeliveries(ctx, store.EndpointQueue{Account: e.Account, Endpoint: e.ID})
}
