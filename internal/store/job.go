package store

import (
	"context"
	"slices"
	"time"

	"homeward/internal/lost"
)

// Job is a piece of background work that was decided in a transaction and is done after it.
type Job struct {
	Account string
	ID      string
	Kind    string
	Payload string
	Attempt int // how often it was taken, this time included
	DueAt   time.Time
}

// The kinds of job.
const (
	JobDeleteFiles   = "delete-files"   // payload: JSON array of names
	JobThumbnail     = "thumbnail"      // payload: name of the original
	JobPurgeLocation = "purge-location" // payload: id of a hidden location
)

// DeleteFilesLater has files removed once the transaction commits; empty names are none.
func (tx *Tx) DeleteFilesLater(account string, names ...string) error {
	_, err := tx.SweepFilesLater(account, tx.now, names...)
	return err
}

// SweepFilesLater has files removed at a time, unless the job it names is dropped before.
func (tx *Tx) SweepFilesLater(account string, due time.Time, names ...string) (job string, err error) {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" })
	if len(names) == 0 {
		return "", nil
	}
	return tx.addJob(account, JobDeleteFiles, writeStrings(names), due)
}

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
	return id, tx.later("INSERT INTO jobs (account_id, id, kind, payload, state, due_at, created_at) VALUES ($1, $2, $3, $4, 'due', $5, $6)",
		account, id, kind, payload, micros(due), micros(tx.now))
}

// ClaimJobs takes due jobs for as long as the lease. Who claims and then dies loses
// them to the next one after it. It crosses accounts: for background work alone.
func (tx *Tx) ClaimJobs(limit int, lease time.Duration) ([]Job, error) {
	rs, err := tx.h.Query(tx.ctx, `UPDATE jobs SET attempt = attempt + 1, due_at = $2 WHERE (account_id, id) IN
		(SELECT account_id, id FROM jobs WHERE state = 'due' AND due_at <= $1 ORDER BY due_at LIMIT $3`+tx.d.skipLocked+`)
		RETURNING account_id, id, kind, payload, attempt, due_at`, micros(tx.now), micros(tx.now.Add(lease)), limit)
	return collect(rs, err, func(rs rows) (j Job, err error) {
		var due int64
		err = rs.Scan(&j.Account, &j.ID, &j.Kind, &j.Payload, &j.Attempt, &due)
		j.DueAt = fromMicros(due)
		return j, err
	})
}

// FinishJob removes a job that is done. One whose lease passed to another is left to that one.
func (tx *Tx) FinishJob(j Job) error {
	return tx.later("DELETE FROM jobs WHERE account_id = $1 AND id = $2 AND attempt = $3", j.Account, j.ID, j.Attempt)
}

// RetryJob makes a job due again, and keeps why.
func (tx *Tx) RetryJob(j Job, due time.Time, why string) error {
	return tx.later("UPDATE jobs SET due_at = $4, error = $5 WHERE account_id = $1 AND id = $2 AND attempt = $3", j.Account, j.ID, j.Attempt, micros(due), why)
}

// ContinueJob makes a job due at once, as if it were new: it did a piece and has more.
func (tx *Tx) ContinueJob(j Job) error {
	return tx.later("UPDATE jobs SET due_at = $4, attempt = 0, error = '' WHERE account_id = $1 AND id = $2 AND attempt = $3", j.Account, j.ID, j.Attempt, micros(tx.now))
}

// FailJob gives a job up. It stays, to be seen.
func (tx *Tx) FailJob(j Job, why string) error {
	return tx.later("UPDATE jobs SET state = 'failed', error = $4 WHERE account_id = $1 AND id = $2 AND attempt = $3", j.Account, j.ID, j.Attempt, why)
}

// NextJob tells when the next job is due, if there is one. It crosses accounts: for background work alone.
func (r reader) NextJob(ctx context.Context) (time.Time, bool, error) {
	rs, err := r.h.Query(ctx, "SELECT due_at FROM jobs WHERE state = 'due' ORDER BY due_at LIMIT 1")
	due, ok, err := value[int64](rs, err)
	return fromMicros(due), ok, err
}

// Jobs counts the jobs that wait and those that were given up. It crosses accounts: for upkeep alone.
func (r reader) Jobs(ctx context.Context) (due, failed int, err error) {
	rs, err := r.h.Query(ctx, "SELECT COUNT(*) FILTER (WHERE state = 'due'), COUNT(*) FILTER (WHERE state = 'failed') FROM jobs")
	_, _, err = one(rs, err, func(rs rows) (struct{}, error) { return struct{}{}, rs.Scan(&due, &failed) })
	return due, failed, err
}
