package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/tracing"
)

// Job is a piece of background work that a transaction adds and that is done after the commit.
type Job struct {
	Account  string
	ID       string
	Kind     string
	Payload  string
	Attempt  int // grows with every claim and identifies it; its first value has no meaning
	Failures int // since the job last made progress
	Trace    tracing.Origin
}

// AttemptNumber returns the number of attempts since the job last made progress, including this one.
func (j Job) AttemptNumber() int { return j.Failures + 1 }

// The kinds of job, as stored. Package outbox has a registry that declares how each is performed; a test
// there names each constant that is missing in the registry or in JobKinds.
const (
	// JobDeleteFiles deletes files. Payload: JSON array of their names.
	JobDeleteFiles = "delete-files"
	// JobThumbnail makes the small version of a picture. Payload: name of the original.
	JobThumbnail = "thumbnail"
	// JobPurgeLocation removes the rows of a deleted location. Payload: its id.
	JobPurgeLocation = "purge-location"
	// JobSendMail sends a message by e-mail. Payload: its id.
	JobSendMail = "send-mail"
	// JobSendText sends a message by SMS. Payload: its id.
	JobSendText = "send-text"
	// JobTrackText asks for the state of an SMS that was sent. Payload: id of the message.
	JobTrackText = "trace-text"
	// JobCheckItems schedules a check of the items of a location whose rules changed.
	// Payload: JSON array of the location's id and the number of the last item that was done.
	JobCheckItems = "look-again"
	// JobRequote updates the items of a location whose prices changed. Payload: the same.
	JobRequote = "price-again"
	// JobShip takes a shipment one step further. Payload: its id.
	JobShip = "ship"
	// JobRefund refunds the payments and labels of a shipment. Payload: its id.
	JobRefund = "refund"
	// JobRefundPayment refunds a payment whose item was deleted. Payload: JSON array of the payment provider
	// and the provider's id of the payment.
	JobRefundPayment = "give-back"
	// JobCheckPayment asks for the state of a payment. Payload: JSON array of the ids of the shipment and
	// the checkout page.
	JobCheckPayment = "payment"
	// JobTrack asks the carrier where a parcel is. Payload: id of the shipment.
	JobTrack = "track"
	// JobCloseCheckout closes a checkout page, so that it can no longer be paid. Payload: the provider's id of the
	// page.
	JobCloseCheckout = "close-checkout"
	// JobSendTicket mails a ticket. Payload: its id.
	JobSendTicket = "ticket"
	// JobLoginNotice mails an address that a user's log-in changed. Payload: JSON array of the change and the address.
	JobLoginNotice = "tell-person"
	// JobClearItems carries out a clearance that can no longer be undone. Payload: its id.
	JobClearItems = "clear"
	// JobImport processes an import. Payload: its id.
	JobImport = "import"
	// JobMatch compares an item that is new or changed. Payload: its id.
	JobMatch = "match"
	// JobRematch compares all items of a location. Payload: a Rematch.
	JobRematch = "match-again"
	// JobErase removes a person's data. Payload: JSON array of the id of the erasure, the e-mail address
	// and the phone number; one of the last two is empty.
	JobErase = "erase"
	// JobNotifyUser mails a user that a webhook was disabled. Payload: JSON array of the ids of user and endpoint.
	JobNotifyUser = "tell-user"
)

// JobKinds lists the kinds of job.
func JobKinds() []string {
	return []string{
		JobDeleteFiles, JobThumbnail, JobPurgeLocation, JobSendMail, JobSendText, JobTrackText,
		JobCheckItems, JobRequote, JobShip, JobRefund, JobRefundPayment, JobCheckPayment, JobTrack, JobCloseCheckout,
		JobSendTicket, JobLoginNotice, JobClearItems, JobImport, JobMatch, JobRematch, JobNotifyUser, JobErase,
	}
}

// filesPerJob is the most files that one job deletes, so that it ends well within its timeout.
const filesPerJob = 100

// AddDeleteFilesJobs adds jobs that delete files after the commit; empty names are ignored.
func (tx *Tx) AddDeleteFilesJobs(account string, names ...string) error {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" })
	for some := range slices.Chunk(names, filesPerJob) {
		if _, err := tx.addJob(account, JobDeleteFiles, writeStrings(some), tx.now); err != nil {
			return err
		}
	}
	return nil
}

// AddDeleteFileJob adds a job that deletes a file at due, unless the job is canceled first, and returns the job's id.
func (tx *Tx) AddDeleteFileJob(account, name string, due time.Time) (job string, err error) {
	return tx.addJob(account, JobDeleteFiles, writeStrings([]string{name}), due)
}

// AddNotifyUsersJob adds a mail to each user of an account who may manage webhooks: an endpoint was disabled.
func (tx *Tx) AddNotifyUsersJob(account, endpoint string) error {
	users, err := tx.Users(tx.ctx, account, maxUsersRead)
	if err != nil {
		return err
	}
	users = slices.DeleteFunc(users, func(u lost.User) bool {
		return !u.Role.Has(lost.ManageIntegrations) || !u.Active()
	})
	for _, u := range users[:min(len(users), maxUsersTold)] {
		if _, err := tx.addJob(account, JobNotifyUser, writeStrings([]string{u.ID, endpoint}), tx.now); err != nil {
			return err
		}
	}
	return nil
}

const (
	maxUsersTold = 100   // users that get a mail about one event
	maxUsersRead = 10000 // users among which they are searched
)

// Arguments decodes a payload that is a JSON array of strings.
func (j Job) Arguments() ([]string, error) { return readStrings(j.Payload) }

// DeleteJob cancels a job.
func (tx *Tx) DeleteJob(account, id string) error {
	return tx.queue("DELETE FROM jobs WHERE account_id = $1 AND id = $2", account, id)
}

// AddJob adds a job that is performed after the commit, at due at the earliest.
func (tx *Tx) AddJob(account, kind, payload string, due time.Time) error {
	_, err := tx.addJob(account, kind, payload, due)
	return err
}

func (tx *Tx) addJob(account, kind, payload string, due time.Time) (id string, err error) {
	id = lost.NewID(lost.JobID, tx.now)
	const insert = `INSERT INTO jobs (account_id, id, kind, payload, state, due_at, created_at, trail)
		VALUES ($1, $2, $3, $4, 'due', $5, $6, $7)`
	return id, tx.queue(insert, account, id, kind, payload, micros(due), micros(tx.now), tx.traceParent())
}

// ClaimJobs claims due jobs of some kinds for the length of the lease, those of the first kind first. If the
// worker dies, another can claim them after the lease. It crosses accounts: for background work only.
func (tx *Tx) ClaimJobs(kinds []string, limit int, lease time.Duration) (jobs []Job, err error) {
	for _, kind := range kinds {
		if len(jobs) == limit {
			break
		}
		picked, err := tx.pickDue("SELECT account_id, id FROM jobs WHERE state = 'due' AND kind = $1 AND due_at <= $2 "+
			"ORDER BY due_at"+limitClause(limit-len(jobs))+tx.d.pickLocked, kind, micros(tx.now))
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

// claimJobs claims those picked jobs of an account that nobody else has claimed meanwhile.
func (tx *Tx) claimJobs(p pickedIDs, lease time.Duration) ([]Job, error) {
	q := &query{args: []any{p.account, micros(tx.now), micros(tx.now.Add(lease))}}
	q.where("account_id = $1 AND state = 'due' AND due_at <= $2")
	whereIn(q, "id", padList(p.ids, listMultiple))
	// MATERIALIZED makes the choice once: as a condition, it could be made again for every row and skip
	// rows that it has locked itself.
	rs, err := tx.h.Query(tx.ctx,
		"WITH free (free_id) AS MATERIALIZED (SELECT id FROM jobs"+q.clause()+tx.d.skipLocked+`)
		UPDATE jobs SET attempt = attempt + 1, due_at = $3 FROM free WHERE account_id = $1 AND id = free_id
		RETURNING account_id, id, kind, payload, attempt, failures, trail`, q.args...)
	return collect(rs, err, func(rs rows) (j Job, err error) {
		var kept string
		err = rs.Scan(&j.Account, &j.ID, &j.Kind, &j.Payload, &j.Attempt, &j.Failures, &kept)
		j.Trace = tracing.Decode(kept)
		return j, err
	})
}

// pickedIDs holds rows of one account that background work may claim.
type pickedIDs struct {
	account string
	ids     []string
}

// pickDue finds rows of any account to claim and returns them by account, in the order of each account's first
// row. It crosses accounts: for background work only.
func (tx *Tx) pickDue(sql string, args ...any) (all []pickedIDs, err error) {
	rs, err := tx.h.Query(withScope(tx.ctx, BackgroundScope), sql, args...)
	place := map[string]int{}
	_, err = collect(rs, err, func(rs rows) (struct{}, error) {
		var account, id string
		err := rs.Scan(&account, &id)
		n, ok := place[account]
		if !ok {
			n = len(all)
			place[account] = n
			all = append(all, pickedIDs{account: account})
		}
		all[n].ids = append(all[n].ids, id)
		return struct{}{}, err
	})
	return all, err
}

// RenewJob extends the lease of a job, unless another worker has claimed it since.
func (tx *Tx) RenewJob(j Job, lease time.Duration) error {
	return tx.queue("UPDATE jobs SET due_at = $4 WHERE account_id = $1 AND id = $2 AND attempt = $3",
		j.Account, j.ID, j.Attempt, micros(tx.now.Add(lease)))
}

// FinishJob removes a job that is done, unless another worker has claimed it since.
func (tx *Tx) FinishJob(j Job) error {
	return tx.queue("DELETE FROM jobs WHERE account_id = $1 AND id = $2 AND attempt = $3", j.Account, j.ID, j.Attempt)
}

// RetryJob makes a job due again after a failure, and stores the reason.
func (tx *Tx) RetryJob(j Job, due time.Time, why string) error {
	return tx.queue(`UPDATE jobs SET due_at = $4, failures = failures + 1, error = $5
		WHERE account_id = $1 AND id = $2 AND attempt = $3`,
		j.Account, j.ID, j.Attempt, micros(due), shortenReason(why))
}

// ContinueJob makes a job due again that did part of its work.
func (tx *Tx) ContinueJob(j Job, due time.Time) error {
	return tx.queue("UPDATE jobs SET due_at = $4, failures = 0, error = '' WHERE account_id = $1 AND id = $2 AND "+
		"attempt = $3",
		j.Account, j.ID, j.Attempt, micros(due))
}

// FailJob marks a job as failed for good. It is kept for some time, for people to see; due_at becomes the
// time of the failure.
func (tx *Tx) FailJob(j Job, why string) error {
	return tx.queue(`UPDATE jobs SET state = 'failed', due_at = $4, error = $5
		WHERE account_id = $1 AND id = $2 AND attempt = $3`,
		j.Account, j.ID, j.Attempt, micros(tx.now), shortenReason(why))
}

// shortenReason limits the length of a reason that is stored.
func shortenReason(why string) string { return lost.Shorten(why, 500) }

// PruneJobs removes jobs that failed before a time, up to limit, and returns their number. It crosses
// accounts: for upkeep only.
func (tx *Tx) PruneJobs(before time.Time, limit int) (int64, error) {
	return tx.deleteOld(`DELETE FROM jobs WHERE (account_id, id) IN
		(SELECT account_id, id FROM jobs WHERE state = 'failed' AND due_at <= $1 LIMIT $2)`, micros(before), limit)
}

// NextJob returns when the next job of some kinds is due, and whether there is one. It crosses accounts: for
// background work only.
func (r reader) NextJob(ctx context.Context, kinds []string) (time.Time, bool, error) {
	q, each := &query{}, make([]string, len(kinds))
	for n, kind := range kinds {
		each[n] = "SELECT MIN(due_at) AS at FROM jobs WHERE state = 'due' AND kind = " + q.arg(kind)
	}
	next := "SELECT COALESCE(MIN(at), 0) FROM (" + strings.Join(each, " UNION ALL ") + ") AS next"
	rs, err := r.h.Query(withScope(ctx, BackgroundScope), next, q.args...)
	due, _, err := firstValue[int64](rs, err)
	return fromMicros(due), due > 0, err
}

// CountJobs counts the jobs that are due or scheduled and those that failed for good. It crosses accounts: for upkeep
// only.
func (r reader) CountJobs(ctx context.Context) (due, failed int, err error) {
	rs, err := r.h.Query(withScope(ctx, OperatorScope),
		"SELECT COUNT(*) FILTER (WHERE state = 'due'), COUNT(*) FILTER (WHERE state = 'failed') FROM jobs")
	_, _, err = firstRow(rs, err, func(rs rows) (struct{}, error) { return struct{}{}, rs.Scan(&due, &failed) })
	return due, failed, err
}
