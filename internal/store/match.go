package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"homeward/internal/lost"
)

// maxRejected is the maximum number of rejected items that are read for one request.
const maxRejected = 1000

// RejectedMatches returns the ids of the found items that were rejected as a match for a request.
func (r reader) RejectedMatches(ctx context.Context, request lost.Item) ([]string, error) {
	rs, err := r.h.Query(ctx,
		"SELECT item_id FROM matches WHERE account_id = $1 AND request_id = $2 AND refused_at > 0"+
			limitClause(maxRejected),
		request.Account, request.ID)
	return collect(rs, err, scanText)
}

// RequestsWithSuggestion returns the ids of requests for which a found item is suggested, sorted,
// starting after the id after.
func (r reader) RequestsWithSuggestion(ctx context.Context, found lost.Item, after string,
	limit int) ([]string, error) {
	rs, err := r.h.Query(ctx,
		"SELECT request_id FROM matches WHERE account_id = $1 AND item_id = $2 AND refused_at = 0 AND request_id > "+
			"$3 ORDER BY request_id"+limitClause(limit), found.Account, found.ID, after)
	return collect(rs, err, scanText)
}

// WithdrawMatches removes a found item from the suggestions for at most limit requests, and
// schedules these requests to be matched again. It reports whether there may be more requests.
func (tx *Tx) WithdrawMatches(found lost.Item, limit int) (more bool, err error) {
	requests, err := tx.RequestsWithSuggestion(tx.ctx, found, "", limit)
	if err != nil || len(requests) == 0 {
		return false, err
	}
	q := &query{}
	q.where("account_id = " + q.arg(found.Account))
	q.where("item_id = " + q.arg(found.ID))
	whereIn(q, "request_id", requests)
	q.where("refused_at = 0")
	if err := tx.queue("DELETE FROM matches"+q.clause(), q.args...); err != nil {
		return len(requests) == limit, err
	}
	if err := tx.scheduleMatchChecks(found.Account, requests); err != nil {
		return len(requests) == limit, err
	}
	return len(requests) == limit, tx.AddMatchJobs(found.Account, requests, found.UpdatedAt)
}

// SaveSuggestions replaces the suggestions for a request. Each match has its found item. Rejected pairs stay rejected.
func (tx *Tx) SaveSuggestions(request lost.Item, matches []lost.Match) error {
	tx.notePageChange(request.Account, request.LocationID, request.ID, "")
	for _, m := range matches {
		tx.notePageChange(request.Account, m.Other.LocationID, m.ItemID, MatchesChanged)
	}
	if err := tx.renewMatchTask(request, matches); err != nil {
		return err
	}
	err := tx.queue("DELETE FROM matches WHERE account_id = $1 AND request_id = $2 AND refused_at = 0",
		request.Account, request.ID)
	if err != nil {
		return err
	}
	for _, m := range matches {
		features, err := json.Marshal(m.Features)
		if err != nil {
			return err
		}
		err = tx.queue(`INSERT INTO matches (account_id, request_id, item_id, score, likelihood, features,
				rivals) VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (account_id, request_id, item_id) DO NOTHING`,
			request.Account, request.ID, m.ItemID, m.Score, string(m.Likelihood), string(features), m.CompetingEvidence)
		if err != nil {
			return err
		}
	}
	return tx.scheduleMatchChecks(request.Account, []string{request.ID})
}

// renewMatchTask records when a likely match is found for a request that has a task to confirm another one. It must be
// called before the new suggestions replace the old ones.
func (tx *Tx) renewMatchTask(request lost.Item, matches []lost.Match) error {
	var likely []string
	for _, m := range matches {
		if m.Likelihood == lost.Likely {
			likely = append(likely, m.ItemID)
		}
	}
	if len(likely) == 0 {
		return nil
	}
	q := &query{args: []any{request.Account, request.ID, micros(tx.now), len(likely)}}
	q.where("account_id = $1 AND request_id = $2 AND likelihood = 'likely'")
	whereIn(q, "item_id", padList(likely, listMultiple))
	return tx.queue("UPDATE tasks SET renewed_at = $3 WHERE account_id = $1 AND item_id = $2 AND "+
		"kind = 'confirm-match' AND (SELECT count(*) FROM matches"+q.clause()+") < $4", q.args...)
}

// RejectMatch records permanently that a found item does not match a request, whether or not it was
// suggested. It returns false if this was already recorded.
func (tx *Tx) RejectMatch(request, found lost.Item, by string) (bool, error) {
	n, err := tx.exec(`INSERT INTO matches (account_id, request_id, item_id, score, likelihood, refused_at, refused_by)
			VALUES ($1, $2, $3, 0, '', $4, $5)
		ON CONFLICT (account_id, request_id, item_id) DO UPDATE
		SET refused_at = excluded.refused_at, refused_by = excluded.refused_by WHERE matches.refused_at = 0`,
		request.Account, request.ID, found.ID, micros(tx.now), by)
	if err != nil || n == 0 {
		return false, err
	}
	for _, i := range []lost.Item{request, found} {
		tx.notePageChange(i.Account, i.LocationID, i.ID, MatchesChanged)
	}
	if err := tx.scheduleMatchChecks(request.Account, []string{request.ID}); err != nil {
		return true, err
	}
	return true, tx.addMatchJob(request.Account, request.ID, tx.now)
}

const hasLikelyMatch = "EXISTS (SELECT 1 FROM matches m WHERE m.account_id = i.account_id AND m.request_id = i.id " +
	"AND m.refused_at = 0 AND m.likelihood = 'likely')"

// scheduleMatchChecks schedules a check of those requests that have a match task but no likely
// match, or a likely match but no match task.
func (tx *Tx) scheduleMatchChecks(account string, requests []string) error {
	const batchSize = 100
	slices.Sort(requests)
	for batch := range slices.Chunk(slices.Compact(requests), batchSize) {
		q := &query{}
		q.where("i.account_id = " + q.arg(account))
		whereIn(q, "i.id", batch)
		q.where("i.source = 'request'")
		q.where("(EXISTS (SELECT 1 FROM tasks t WHERE t.account_id = i.account_id AND t.item_id = i.id AND t.kind = " +
			q.arg(string(lost.MatchTask)) + ")) <> (" + hasLikelyMatch + ")")
		if err := tx.queue("UPDATE items AS i SET look_at = "+q.arg(micros(tx.now))+q.clause(), q.args...); err != nil {
			return err
		}
	}
	return nil
}

// HasMatch reports whether a request has a match of some likelihoods at a location other than those in except.
func (r reader) HasMatch(ctx context.Context, i lost.Item, of []lost.Likelihood, except ...string) (bool, error) {
	q := &query{}
	q.where("m.account_id = " + q.arg(i.Account))
	q.where("m.request_id = " + q.arg(i.ID))
	q.where("m.refused_at = 0 AND i.account_id = m.account_id AND i.id = m.item_id")
	whereIn(q, "m.likelihood", of)
	for _, location := range except {
		q.where("i.location_id <> " + q.arg(location))
	}
	rs, err := r.h.Query(ctx, "SELECT 1 FROM matches m CROSS JOIN items i"+q.clause()+" LIMIT 1", q.args...)
	_, found, err := firstValue[int](rs, err)
	return found, err
}

// LockIfUnchanged prevents items from being deleted or changed until the transaction ends. It
// reports whether all of them are unchanged since they were read. An item that another transaction
// is changing counts as changed.
func (tx *Tx) LockIfUnchanged(items []lost.Item) (bool, error) {
	const multiple = 8
	q := &query{}
	read, ids := map[string]time.Time{}, []string{}
	for _, i := range items {
		ids, read[i.ID] = append(ids, i.ID), i.UpdatedAt
	}
	slices.Sort(ids)
	q.where("i.account_id = " + q.arg(items[0].Account))
	whereIn(q, "i.id", padList(ids, multiple))
	rs, err := tx.h.Query(tx.ctx,
		"SELECT i.id, i.updated_at FROM items i"+q.clause()+" ORDER BY i.id"+tx.d.lockShared("i"), q.args...)
	same, err := collect(rs, err, func(rs rows) (bool, error) {
		var id string
		var updated int64
		err := rs.Scan(&id, &updated)
		return micros(read[id]) == updated, err
	})
	return len(same) == len(read) && !slices.Contains(same, false), err
}

// pairColumns returns the column of the matches table that holds items with this source, and the
// column that holds the other item of the pair.
func pairColumns(source lost.Source) (own, other string) {
	if source == lost.Request {
		return "request_id", "item_id"
	}
	return "item_id", "request_id"
}

// Matches returns the suggestions for an item, best first, without the reasons. It returns only
// items that can be matched now, at the item's own location or, if the location shares its found
// items, at its sister locations. If only is not nil, it contains the ids of the locations to
// consider.
func (r reader) Matches(ctx context.Context, i lost.Item, with lost.Matching, only []string,
	limit int) ([]lost.Match, error) {
	if only != nil && len(only) == 0 {
		return nil, nil
	}
	own, other := pairColumns(i.Source)
	q := &query{}
	q.where("m.account_id = " + q.arg(i.Account))
	q.where("m." + own + " = " + q.arg(i.ID))
	q.where("m.refused_at = 0 AND i.account_id = m.account_id AND i.id = m." + other +
		" AND l.account_id = i.account_id AND l.id = i.location_id AND l.deleted_at = 0")
	if i.Source == lost.Request {
		q.where("i.source = 'found' AND i.status = 'PENDING' AND i.owner_email = '' AND i.owner_phone = ''")
	} else {
		q.where("i.source = 'request' AND i.claim_state = 'PENDING'")
	}
	atLocation := "i.location_id = " + q.arg(i.LocationID)
	if with.Sisters {
		atLocation = "(" + atLocation + " OR l.sisters)"
	}
	q.where(atLocation)
	if only != nil {
		whereIn(q, "i.location_id", only)
	}
	rs, err := r.h.QueryPlanned(ctx,
		"SELECT "+itemColumns+
			", m.request_id, m.item_id, m.score, m.likelihood, m.rivals FROM matches m CROSS JOIN items i "+
			"CROSS JOIN locations l"+q.clause()+" ORDER BY m.score DESC, i.id"+limitClause(limit), q.args...)
	return collect(rs, err, func(rs rows) (m lost.Match, err error) {
		var likelihood string
		m.Other, err = r.scanItemWith(rs, &m.RequestID, &m.ItemID, &m.Score, &likelihood, &m.CompetingEvidence)
		m.Likelihood = lost.Likelihood(likelihood)
		return m, err
	})
}

// matchJobID returns the id of the job that matches an item.
func matchJobID(item string) string { return "job_" + item }

// HasMatchJob reports whether an item has yet to be matched: its job is waiting, running, or repeated after a failure.
func (r reader) HasMatchJob(ctx context.Context, i lost.Item) (bool, error) {
	rs, err := r.h.Query(ctx, "SELECT 1 FROM jobs WHERE account_id = $1 AND id = $2 AND state = 'due'",
		i.Account, matchJobID(i.ID))
	_, has, err := firstValue[int](rs, err)
	return has, err
}

// addMatchJob adds a job that matches an item, if the item exists. An item has at most one such
// job: a waiting job is reused, and a running job is taken from its worker and restarted. since is
// the time of the change that requires the job. A caller that lists matches waits for the jobs of
// earlier changes.
func (tx *Tx) addMatchJob(account, item string, since time.Time) error {
	// All match jobs for an item have the same id, so the attempt number starts above that of any
	// earlier job. Otherwise a worker with an earlier job could finish this one.
	return tx.queueForItem(item, `INSERT INTO jobs (account_id, id, kind, payload, state, attempt, due_at, created_at,
			trail, place)
		SELECT $1, $2, $3, $4, 'due', $5, $5, $6, $7, location_id FROM items WHERE account_id = $1 AND id = $4
		ON CONFLICT (account_id, id) DO UPDATE SET attempt = jobs.attempt + 1, failures = 0, state = 'due',
		trail = excluded.trail,
			due_at = CASE WHEN jobs.due_at < excluded.due_at THEN jobs.due_at ELSE excluded.due_at END,
			created_at = CASE WHEN jobs.created_at < excluded.created_at THEN jobs.created_at
			ELSE excluded.created_at END`,
		account, matchJobID(item), JobMatch, item, micros(tx.now), micros(since), tx.traceParent())
}

// AddMatchJobs adds jobs that match items again because of a change at the time since.
func (tx *Tx) AddMatchJobs(account string, items []string, since time.Time) error {
	// Adding the jobs in a fixed order prevents deadlocks between two transactions.
	for _, id := range slices.Compact(slices.Sorted(slices.Values(items))) {
		if err := tx.addMatchJob(account, id, since); err != nil {
			return err
		}
	}
	return nil
}

// Rematch describes one step of matching all items of a location again: the step, the item to
// continue after, and the time of the request.
type Rematch struct {
	Account, Location, Step, After string
	Since                          time.Time
}

// ParseRematch parses the payload of a JobRematch job.
func ParseRematch(j Job) (r Rematch, err error) {
	names, err := j.Arguments()
	if err == nil && len(names) != 4 {
		err = fmt.Errorf("the job has %d arguments, want 4", len(names))
	}
	if err != nil {
		return r, err
	}
	since, err := strconv.ParseInt(names[3], 10, 64)
	return Rematch{j.Account, names[0], names[1], names[2], fromMicros(since)}, err
}

// AddRematchJob adds a job for one step of a rematch.
func (tx *Tx) AddRematchJob(r Rematch) error {
	payload := writeStrings([]string{r.Location, r.Step, r.After, strconv.FormatInt(micros(r.Since), 10)})
	return tx.queue("INSERT INTO jobs (account_id, id, kind, payload, state, due_at, created_at, place, trail) "+
		"VALUES ($1, $2, $3, $4, 'due', $5, $6, $7, $8)",
		r.Account, lost.NewID(lost.JobID, tx.now), JobRematch, payload, micros(tx.now), micros(r.Since), r.Location,
		tx.traceParent())
}

// UpgradeMatchRules marks locations whose items were indexed with older rules as indexed with this
// version, and returns them. The caller must index them again. While instances of several versions
// run, only the newest version does this.
func (tx *Tx) UpgradeMatchRules(version, limit int) ([]lost.Location, error) {
	outdated, err := tx.pickDue("SELECT account_id, id FROM locations WHERE match_rules < $1 ORDER BY match_rules"+
		limitClause(limit)+tx.d.pickLocked, version)
	if err != nil {
		return nil, err
	}
	var upgraded []lost.Location
	for _, p := range outdated {
		q := &query{args: []any{p.account, version}}
		q.where("account_id = $1 AND match_rules < $2")
		whereIn(q, "id", padList(p.ids, listMultiple))
		// If two instances picked the same locations, the second waits here and finds them
		// upgraded.
		rs, err := tx.h.Query(tx.ctx, "UPDATE locations SET match_rules = $2"+q.clause()+" RETURNING account_id, id",
			q.args...)
		updated, err := collect(rs, err, func(rs rows) (l lost.Location, err error) {
			err = rs.Scan(&l.Account, &l.ID)
			return l, err
		})
		if err != nil {
			return nil, err
		}
		upgraded = append(upgraded, updated...)
	}
	return upgraded, nil
}

// AddRequestMatchJobs adds jobs that match at most limit requests of a pool, sorted by id, starting
// after the id after. It returns the last id, or an empty string if there are no more requests.
func (tx *Tx) AddRequestMatchJobs(account, pool, after string, limit int, since time.Time) (last string, err error) {
	rs, err := tx.h.Query(tx.ctx,
		"SELECT item_id FROM match_subjects WHERE account_id = $1 AND pool = $2 AND source = 'request' AND item_id > "+
			"$3 ORDER BY item_id"+limitClause(limit), account, pool, after)
	ids, err := collect(rs, err, scanText)
	if err != nil || len(ids) == 0 {
		return "", err
	}
	return ids[len(ids)-1], tx.AddMatchJobs(account, ids, since)
}

// IsMatchingDue reports whether a job added before the given time has yet to match items of a
// location or, if it has sister locations, of the account. It ignores failed jobs.
func (r reader) IsMatchingDue(ctx context.Context, l lost.Location, before time.Time) (bool, error) {
	q := &query{}
	q.where("account_id = " + q.arg(l.Account))
	if !l.Matching.Sisters {
		q.where("place = " + q.arg(l.ID))
	}
	q.where("created_at <= " + q.arg(micros(before)))
	q.where("kind IN ('match', 'match-again') AND state = 'due' AND failures = 0")
	rs, err := r.h.Query(ctx, "SELECT 1 FROM jobs"+q.clause()+" LIMIT 1", q.args...)
	_, due, err := firstValue[int](rs, err)
	return due, err
}

// nextMatchJob returns the query for a due match job of the first account after $1. It reads the
// index in its order, so its cost does not depend on the number of jobs.
func (d dialect) nextMatchJob() string {
	return "SELECT account_id, id FROM jobs" + d.useIndex("jobs_matching") +
		" WHERE kind IN ('match', 'match-again') AND state = 'due' AND account_id > $1 AND due_at <= $2 " +
		"ORDER BY account_id, place, created_at LIMIT 1"
}

// ClaimMatchJobs claims at most limit due match jobs, each of a different account: those that follow
// the account after, and then from the first account on. It returns the account to continue after.
// An account with few jobs thus does not wait for an account with many. It works across all
// accounts; only background jobs use it.
func (tx *Tx) ClaimMatchJobs(after string, limit int, lease time.Duration) (jobs []Job, last string, err error) {
	last = after
	for wrapped := false; len(jobs) < limit; {
		picked, err := tx.pickDue(tx.d.nextMatchJob()+tx.d.pickLocked, last, micros(tx.now))
		if err != nil {
			return nil, after, err
		}
		if len(picked) == 0 {
			if wrapped || last == "" {
				break
			}
			wrapped, last = true, ""
			continue
		}
		if wrapped && picked[0].account > after {
			break // all accounts have had their turn
		}
		last = picked[0].account
		claimed, err := tx.claimJobs(picked[0], lease)
		if err != nil {
			return nil, after, err
		}
		jobs = append(jobs, claimed...)
	}
	return jobs, last, nil
}
