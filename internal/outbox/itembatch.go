package outbox

import (
	"context"
	"strconv"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// recheckItems schedules a check of a location's items, because the location's rules changed.
func (o *Outbox) recheckItems(ctx context.Context, job store.Job) error {
	return o.updateItems(ctx, job, (*store.Tx).ScheduleChecks, (*store.Tx).AddCheckJob)
}

// touchItems marks a location's items as changed that look different, because settings that they inherit changed.
func (o *Outbox) touchItems(ctx context.Context, job store.Job) error {
	earlier, err := o.db.EarlierTerms(ctx, job)
	if err != nil {
		return lost.IgnoreNotFound(err) // the location was deleted in the meantime
	}
	touch := func(tx *store.Tx, account, location string, after int64, limit int) (int64, error) {
		return tx.TouchItems(account, location, earlier, after, limit)
	}
	addRest := func(tx *store.Tx, account, location string, after int64) error {
		return tx.AddTouchJob(account, location, earlier, after)
	}
	return o.updateItems(ctx, job, touch, addRest)
}

// dateItems stores the end of storage of a location's items that were saved by a version without that column.
func (o *Outbox) dateItems(ctx context.Context, job store.Job) error {
	return o.updateItems(ctx, job, (*store.Tx).DateItems, (*store.Tx).AddDateJob)
}

// repriceItems updates the shipping prices of a location's items, because the location's prices changed.
func (o *Outbox) repriceItems(ctx context.Context, job store.Job) error {
	return o.updateItems(ctx, job, (*store.Tx).AddQuoteJobs, (*store.Tx).AddRequoteJob)
}

// dateWaits returns how long after an update, and then after each other, the items of an account are dated again.
func dateWaits() []time.Duration { return []time.Duration{time.Hour, 24 * time.Hour} }

// dateAccount dates the items of all locations of an account again after a rolling update. The job is due when the
// update begins, so its first run only sets the time of the next one.
func (o *Outbox) dateAccount(ctx context.Context, job store.Job) error {
	const limit = 500
	names, err := job.Arguments()
	if err != nil || len(names) != 2 {
		return lost.E(lost.Invalid, "The job does not specify a location.").WithCause(err)
	}
	times, err := strconv.Atoi(names[0])
	if err != nil || times < 0 {
		return lost.E(lost.Invalid, "The job does not specify how often it ran.").WithCause(err)
	}
	err = o.db.Write(ctx, func(tx *store.Tx) error {
		if times > 0 {
			last, err := tx.AddDateJobs(job.Account, names[1], limit)
			if err != nil {
				return err
			}
			if last != "" {
				return tx.AddDateAccountJob(job.Account, times, last, tx.Now())
			}
		}
		if times == len(dateWaits()) {
			return nil
		}
		return tx.AddDateAccountJob(job.Account, times+1, "", tx.Now().Add(dateWaits()[times]))
	})
	o.Wake()
	return err
}

// updateItems calls update for the next batch of a location's items, and addRest to add a job for the remaining
// items.
func (o *Outbox) updateItems(
	ctx context.Context, job store.Job,
	update func(tx *store.Tx, account, location string, after int64, limit int) (last int64, err error),
	addRest func(tx *store.Tx, account, location string, after int64) error,
) error {
	const limit = 500
	names, err := job.Arguments()
	if err != nil || len(names) < 2 {
		return lost.E(lost.Invalid, "The job does not specify a location.").WithCause(err)
	}
	last, err := strconv.ParseInt(names[1], 10, 64)
	if err != nil {
		return lost.E(lost.Invalid, "The job does not specify an item.").WithCause(err)
	}
	err = o.db.Write(ctx, func(tx *store.Tx) error {
		next, err := update(tx, job.Account, names[0], last, limit)
		if err != nil || next == 0 {
			return err
		}
		return addRest(tx, job.Account, names[0], next)
	})
	o.Wake()
	return err
}
