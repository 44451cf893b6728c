package outbox

import (
	"context"
	"sync"

	"homeward/internal/store"
)

// turns divides the claims of a fair pool. Every other job is claimed from the next account in turn, so that an account
// with few jobs does not wait for one with many. The others are claimed in the order in which they became due, so that
// every job is performed at some time, however many accounts there are.
type turns struct {
	mu    sync.Mutex
	after string // the account that had the last turn
	odd   bool   // the next single job is claimed in the order of due times
}

// next returns how many of a number of jobs to claim from accounts in turn, and the account that had the last turn.
func (t *turns) next(jobs int) (inTurn int, after string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	inTurn = jobs / 2
	if jobs%2 == 1 {
		if !t.odd {
			inTurn++
		}
		t.odd = !t.odd
	}
	return inTurn, t.after
}

// end records the account that had the last turn.
func (t *turns) end(last string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.after = last
}

// claimUpTo claims at most limit due jobs.
func (q *queue) claimUpTo(ctx context.Context, limit int) (jobs []store.Job, err error) {
	inTurn, after := 0, ""
	if q.pool.fair {
		inTurn, after = q.turns.next(limit)
	}
	last := after
	err = q.db.Write(ctx, func(tx *store.Tx) (err error) {
		jobs, last = nil, after
		if inTurn > 0 {
			if jobs, last, err = tx.ClaimMatchJobs(after, inTurn, q.pool.lease); err != nil {
				return err
			}
		}
		if len(jobs) == limit {
			return nil
		}
		rest, err := tx.ClaimJobs(q.kinds, limit-len(jobs), q.pool.lease)
		jobs = append(jobs, rest...)
		return err
	})
	if err == nil && q.pool.fair {
		q.turns.end(last)
	}
	return jobs, err
}
