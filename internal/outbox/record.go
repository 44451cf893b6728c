package outbox

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"homeward/internal/store"
)

// perRecord is the maximum number of outcomes in a transaction, and of outcomes that can wait for the next one.
const perRecord = 64

// recordAll records outcomes as they arrive. Outcomes that arrive while a transaction commits share the next one.
func (d *deliverer) recordAll(ctx context.Context) {
	for first := range d.outcomes {
		recorded := d.collect(first)
		d.record(ctx, recorded)
		d.pending.Add(-int64(len(recorded)))
		for _, o := range recorded {
			if o.worker.pending.Add(-1) == 0 {
				o.worker.signal()
			}
		}
	}
}

// collect returns first and the other outcomes that are ready, at most perRecord in total.
func (d *deliverer) collect(first outcome) []outcome {
	ready := []outcome{first}
	for len(ready) < perRecord {
		select {
		case o, ok := <-d.outcomes:
			if !ok {
				return ready
			}
			ready = append(ready, o)
		default:
			return ready
		}
	}
	return ready
}

// record saves outcomes in one transaction. While the database is unavailable, it retries until the leases expire. A
// delivery whose outcome is not saved by then is attempted again.
func (d *deliverer) record(ctx context.Context, outcomes []outcome) {
	ctx, cancel := context.WithTimeout(ctx, d.hooks.Timeout())
	defer cancel()
	// All instances lock rows in the same order, to prevent deadlocks.
	slices.SortFunc(outcomes, func(a, b outcome) int { return cmp.Compare(a.ID, b.ID) })
	var err error
	for tries := 0; ctx.Err() == nil; tries++ {
		err = d.db.Write(ctx, func(tx *store.Tx) error { return save(tx, outcomes) })
		if err == nil {
			return
		}
		if tries == 0 {
			d.log.Error("webhooks: recording attempts failed; retrying", "deliveries", len(outcomes), "error", err)
		}
		pause(ctx, retryPause)
	}
	d.log.Error("webhooks: attempts could not be recorded; they will be repeated",
		"deliveries", len(outcomes), "error", err)
}

func save(tx *store.Tx, outcomes []outcome) error {
	reached := map[string]bool{} // whether each endpoint accepted a delivery, which ends its series of failures
	accounts := map[string]string{}
	for _, o := range outcomes {
		saveDelivery := tx.ReleaseDelivery
		if !o.released {
			saveDelivery = tx.SaveClaimedDelivery
			reached[o.EndpointID] = reached[o.EndpointID] || o.reached
			accounts[o.EndpointID] = o.Account
		}
		if err := saveDelivery(o.ClaimedDelivery); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(reached)) { // in a fixed order, to prevent deadlocks
		recordEndpoint := tx.RecordEndpointFailure
		if reached[id] {
			recordEndpoint = tx.RecordEndpointSuccess
		}
		if err := recordEndpoint(accounts[id], id); err != nil {
			return err
		}
	}
	return nil
}
