package outbox

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"homeward/internal/store"
)

// perRecord is how many outcomes share a transaction; as many wait for the next.
const perRecord = 64

// recordAll keeps outcomes as they come. Those that come while a transaction commits share the next one.
func (l *lanes) recordAll(ctx context.Context) {
	for o := range l.outcomes {
		batch := []outcome{o}
		for more := true; more && len(batch) < perRecord; {
			select {
			case o, more = <-l.outcomes:
				if more {
					batch = append(batch, o)
				}
			default:
				more = false
			}
		}
		l.record(ctx, batch)
		l.pending.Add(-int64(len(batch)))
		for _, o := range batch {
			if o.lane.pending.Add(-1) == 0 {
				o.lane.signal()
			}
		}
	}
}

// record keeps outcomes in one transaction. While the database is away it tries again, as long as the leases last; what
// cannot be kept by then will be attempted again.
func (l *lanes) record(ctx context.Context, batch []outcome) {
	ctx, cancel := context.WithTimeout(ctx, l.hooks.Timeout())
	defer cancel()
	slices.SortFunc(batch, func(a, b outcome) int { return cmp.Compare(a.ID, b.ID) }) // two copies lock in one order
	var err error
	for tries := 0; ctx.Err() == nil; tries++ {
		if err = l.db.Write(ctx, func(tx *store.Tx) error { return save(tx, batch) }); err == nil {
			return
		}
		if tries == 0 {
			l.log.Error("webhooks: recording attempts failed; trying again", "deliveries", len(batch), "error", err)
		}
		pause(ctx, soon)
	}
	l.log.Error("webhooks: attempts are not recorded and will be made again", "deliveries", len(batch), "error", err)
}

func save(tx *store.Tx, batch []outcome) error {
	reached := map[string]bool{} // by endpoint: one success ends a row of failures
	accounts := map[string]string{}
	for _, o := range batch {
		keep := tx.ReleaseClaimed
		if !o.released {
			keep = tx.SaveClaimed
			reached[o.EndpointID] = reached[o.EndpointID] || o.reached
			accounts[o.EndpointID] = o.Account
		}
		if err := keep(o.Claimed); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(reached)) { // in one order, as above
		note := tx.NoteFailure
		if reached[id] {
			note = tx.NoteSuccess
		}
		if err := note(accounts[id], id); err != nil {
			return err
		}
	}
	return nil
}
