package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/tracing"
)

// Job is a piece of background work that was decided in a transaction and is done after it.
type Job struct {
	Account  string
	ID       string
	Kind     string
	Payload  string
	Attempt  int // grows each time it is taken, from wherever it began: it tells whose the job is, and counts nothing
	Failures int // since it last got anywhere
	Trail    tracing.Trail
}

// Try counts from 1 how often it was tried since it last got anywhere, this time included.
func (j Job) Try() int { return j.Failures + 1 }

// The kinds of job.
const (
	JobDeleteFiles   = "delete-files"   // payload: JSON array of names
	JobThumbnail     = "thumbnail"      // payload: name of the original
	JobPurgeLocation = "purge-location" // payload: id of a hidden location
	JobSendMail      = "send-mail"      // payload: id of a message
	JobSendText      = "send-text"      // likewise
	JobTraceText     = "trace-text"     // payload: id of a message whose fate is asked for
	JobLookAgain     = "look-again"     // payload: JSON array of the id of a location whose rules for its items changed, and the last item that was seen to
	JobPriceAgain    = "price-again"    // likewise of a location whose prices changed
	JobShip          = "ship"           // payload: id of a shipment that is to get further
	JobRefund        = "refund"         // payload: id of a shipment of which money is to be given back
	JobGiveBack      = "give-back"      // payload: JSON array of how a payment was made, and its name
	JobPayment       = "payment"        // payload: JSON array of the id of a shipment and the page on which it may have been paid
	JobTrack         = "track"          // payload: id of a shipment whose parcel is asked for
	JobCloseCheckout = "close-checkout" // payload: the provider's name of a page that is not to be paid on any more
	JobTicket        = "ticket"         // payload: id of a ticket that is to be sent
	JobTellPerson    = "tell-person"    // payload: JSON array of what happened to a user, and the address that hears of it
	JobClear         = "clear"          // payload: id of a clearance that can no longer be undone
	JobImport        = "import"         // payload: id of an import that is to get further
	JobMatch         = "match"          // payload: id of an item that is new among what is sought, or changed
	JobMatchAgain    = "match-again"    // see Rematch
	JobErase         = "erase"          // payload: JSON array of the id of an erasure, and the e-mail address and phone number whose person is removed; one is empty
	JobTellUser      = "tell-user"      // payload: JSON array of a user's id and that of an endpoint which was switched off
)

// JobKinds lists the kinds of job.
func JobKinds() []string {
	return []string{
		JobDeleteFiles, JobThumbnail, JobPurgeLocation, JobSendMail, JobSendText, JobTraceText, JobLookAgain, JobPriceAgain, JobShip, JobRefund, JobGiveBack,
		JobPayment, JobTrack, JobCloseCheckout, JobTicket, JobTellPerson, JobClear, JobImport, JobMatch, JobMatchAgain, JobTellUser, JobErase,
	}
}

// filesPerJob bounds what one job deletes, so that it ends well within its time.
const filesPerJob = 100

// DeleteFilesLater has files removed once the transaction commits; empty names are none.
func (tx *Tx) DeleteFilesLater(account string, names ...string) error {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" })
	for some := range slices.Chunk(names, filesPerJob) {
		if _, err := tx.addJob(account, JobDeleteFiles, writeStrings(some), tx.now); err != nil {
			return err
		}
	}
	return nil
}

// SweepFileLater has a file removed at a time, unless the job it names is dropped before.
func (tx *Tx) SweepFileLater(account, name string, due time.Time) (job string, err error) {
	return tx.addJob(account, JobDeleteFiles, writeStrings([]string{name}), due)
}

// TellUsersLater has those users of an account told that an endpoint was switched off who can do something about it.
func (tx *Tx) TellUsersLater(account, endpoint string) error {
	users, err := tx.Users(tx.ctx, account, maxAsked)
	users = slices.DeleteFunc(users, func(u lost.User) bool { return !u.Role.Has(lost.Integrate) || !u.Active() })
	for _, u := range users[:min(len(users), maxTold)] {
		if _, err := tx.addJob(account, JobTellUser, writeStrings([]string{u.ID, endpoint}), tx.now); err != nil {
			return err
		}
	}
	return err
}

// maxTold bounds how many people one event is told to, and maxAsked among how many they are looked for.
const (
	maxTold  = 100
	maxAsked = 10000
)

// Names reads the payload of a job that is a list of names.
func (j Job) Names() ([]string, error) { return readStrings(j.Payload) }

// DropJob takes a job back.
func (tx *Tx) DropJob(account, id string) error {
	return tx.later("DELETE FROM jobs WHERE account_id = $1 AND id = $2", account, id)
}

// AddJob leaves work to be done once the transaction commits, at the earliest at due.
func (tx *Tx) AddJob(account, kind, payload string, due time.Time) error {
	_, err := tx.addJob(account, kind, payload, due)
	return err
}

func (tx *Tx) addJob(account, kind, payload string, due time.Time) (id string, err error) {
	id = lost.NewID(lost.JobID, tx.now)
	return id, tx.later("INSERT INTO jobs (account_id, id, kind, payload, state, due_at, created_at, trail) VALUES ($1, $2, $3, $4, 'due', $5, $6, $7)",
		account, id, kind, payload, micros(due), micros(tx.now), tx.trail())
}

// ClaimJobs takes due jobs of some kinds for as long as the lease, those of the first kind first. Who claims and then dies loses
// them to the next one after it. It crosses accounts: for background work alone.
func (tx *Tx) ClaimJobs(kinds []string, limit int, lease time.Duration) (jobs []Job, err error) {
	for _, kind := range kinds {
		if len(jobs) == limit {
			break
		}
		picked, err := tx.pick("SELECT account_id, id FROM jobs WHERE state = 'due' AND kind = $1 AND due_at <= $2 ORDER BY due_at"+atMost(limit-len(jobs))+tx.d.pickLocked, kind, micros(tx.now))
		if err != nil {
			return nil, err
		}
		for _, p := range picked {
			some, err := tx.claimJobs(p, lease)
			if err != nil {
				return nil, err
			}
			jobs = append(jobs, some...)
		}
	}
	return jobs, nil
}

// claimJobs takes those of some picked jobs of an account that nobody else has taken meanwhile.
func (tx *Tx) claimJobs(p picked, lease time.Duration) ([]Job, error) {
	q := &query{args: []any{p.account, micros(tx.now), micros(tx.now.Add(lease))}}
	q.where("account_id = $1 AND state = 'due' AND due_at <= $2")
	in(q, "id", filled(p.ids, evenly))
	// Chosen once and for all: as a condition the choice could be made again for every row, and pass over those it locked.
	rs, err := tx.h.Query(tx.ctx, "WITH free (free_id) AS MATERIALIZED (SELECT id FROM jobs"+q.clause()+tx.d.skipLocked+`)
		UPDATE jobs SET attempt = attempt + 1, due_at = $3 FROM free WHERE account_id = $1 AND id = free_id
		RETURNING account_id, id, kind, payload, attempt, failures, trail`, q.args...)
	return collect(rs, err, func(rs rows) (j Job, err error) {
		var kept string
		err = rs.Scan(&j.Account, &j.ID, &j.Kind, &j.Payload, &j.Attempt, &j.Failures, &kept)
		j.Trail = tracing.Read(kept)
		return j, err
	})
}

// picked are rows of one account that background work is to take.
type picked struct {
	account string
	ids     []string
}

// pick finds rows to take, of whatever account, and gives them by account, that first which has the first of them. It crosses accounts: for background work alone.
func (tx *Tx) pick(sql string, args ...any) (all []picked, err error) {
	rs, err := tx.h.Query(across(tx.ctx, Background), sql, args...)
	place := map[string]int{}
	_, err = collect(rs, err, func(rs rows) (struct{}, error) {
		var account, id string
		err := rs.Scan(&account, &id)
		n, ok := place[account]
		if !ok {
			n = len(all)
			place[account], all = n, append(all, picked{account: account})
		}
		all[n].ids = append(all[n].ids, id)
		return struct{}{}, err
	})
	return all, err
}

// RenewJob lengthens the lease of a job that is still the worker's.
func (tx *Tx) RenewJob(j Job, lease time.Duration) error {
	return tx.later("UPDATE jobs SET due_at = $4 WHERE account_id = $1 AND id = $2 AND attempt = $3", j.Account, j.ID, j.Attempt, micros(tx.now.Add(lease)))
}

// FinishJob removes a job that is done. One whose lease passed to another is left to that one.
func (tx *Tx) FinishJob(j Job) error {
	return tx.later("DELETE FROM jobs WHERE account_id = $1 AND id = $2 AND attempt = $3", j.Account, j.ID, j.Attempt)
}

// RetryJob makes a job due again after a failure, and keeps why.
func (tx *Tx) RetryJob(j Job, due time.Time, why string) error {
	return tx.later("UPDATE jobs SET due_at = $4, failures = failures + 1, error = $5 WHERE account_id = $1 AND id = $2 AND attempt = $3",
		j.Account, j.ID, j.Attempt, micros(due), short(why))
}

// ContinueJob makes a job due again that did a piece and has more.
func (tx *Tx) ContinueJob(j Job, due time.Time) error {
	return tx.later("UPDATE jobs SET due_at = $4, failures = 0, error = '' WHERE account_id = $1 AND id = $2 AND attempt = $3", j.Account, j.ID, j.Attempt, micros(due))
}

// FailJob gives a job up. It stays for a while, to be seen; due_at is then when that was.
func (tx *Tx) FailJob(j Job, why string) error {
	return tx.later("UPDATE jobs SET state = 'failed', due_at = $4, error = $5 WHERE account_id = $1 AND id = $2 AND attempt = $3",
		j.Account, j.ID, j.Attempt, micros(tx.now), short(why))
}

// short bounds the reason that a row keeps.
func short(why string) string { return lost.Shorten(why, 500) }

// PruneJobs removes some jobs that were given up before a time, and tells how many. It crosses accounts: for upkeep alone.
func (tx *Tx) PruneJobs(before time.Time, limit int) (int64, error) {
	return tx.prune(`DELETE FROM jobs WHERE (account_id, id) IN
		(SELECT account_id, id FROM jobs WHERE state = 'failed' AND due_at <= $1 LIMIT $2)`, micros(before), limit)
}

// NextJob tells when the next job of some kinds is due, if there is one. It crosses accounts: for background work alone.
func (r reader) NextJob(ctx context.Context, kinds []string) (time.Time, bool, error) {
	q, each := &query{}, make([]string, len(kinds))
	for n, kind := range kinds {
		each[n] = "SELECT MIN(due_at) AS at FROM jobs WHERE state = 'due' AND kind = " + q.arg(kind)
	}
	rs, err := r.h.Query(across(ctx, Background), "SELECT COALESCE(MIN(at), 0) FROM ("+strings.Join(each, " UNION ALL ")+") AS next", q.args...)
	due, _, err := value[int64](rs, err)
	return fromMicros(due), due > 0, err
}

// Jobs counts the jobs that wait and those that were given up. It crosses accounts: for upkeep alone.
func (r reader) Jobs(ctx context.Context) (due, failed int, err error) {
	rs, err := r.h.Query(across(ctx, Operator), "SELECT COUNT(*) FILTER (WHERE state = 'due'), COUNT(*) FILTER (WHERE state = 'failed') FROM jobs")
	_, _, err = one(rs, err, func(rs rows) (struct{}, error) { return struct{}{}, rs.Scan(&due, &failed) })
	return due, failed, err
}
