package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/tracing"
)

// Job is a unit of background work that is added in a transaction and performed after the commit.
type Job struct {
	Account  string
	ID       string
	Kind     string
	Payload  string
	Attempt  int // identifies a claim: incremented whenever the job is claimed
	Failures int // number of failures since the job last made progress
	Trace    tracing.Origin
}

// AttemptNumber returns the number of attempts since the job last made progress, including this one.
func (j Job) AttemptNumber() int { return j.Failures + 1 }

// The kinds of jobs, as stored. A registry in package outbox declares how each kind is performed; a
// test there reports constants that are missing from the registry or from JobKinds.
const (
	// JobDeleteFiles deletes files. Payload: JSON array of their names.
	JobDeleteFiles = "delete-files"
	// JobThumbnail creates the thumbnails of a picture. Payload: name of the original. Only earlier versions add it.
	JobThumbnail = "thumbnail"
	// JobVerifyImage verifies a photo that was added to an item, and creates its thumbnails. Payload: JSON array of the
	// fields of AddedImage, without Public.
	JobVerifyImage = "verify-image"
	// JobVerifyPublicImage is JobVerifyImage for a photo of a guest or a stranger.
	JobVerifyPublicImage = "verify-public-image"
	// JobPurgeLocation deletes the rows of a deleted location. Payload: its id.
	JobPurgeLocation = "purge-location"
	// JobSendMail sends a message by e-mail. Payload: its id.
	JobSendMail = "send-mail"
	// JobSendText sends a message by SMS. Payload: its id.
	JobSendText = "send-text"
	// JobTrackText requests the delivery state of an SMS. Payload: id of the message.
	JobTrackText = "trace-text"
	// JobCheckItems schedules a check of the items of a location whose rules changed.
	// Payload: JSON array of the location's id and the number of the last processed item.
	JobCheckItems = "look-again"
	// JobApplyTerms marks the items of a location as changed that look different because settings that they inherit
	// changed, and stores the end of their storage. The payload is the same as for JobCheckItems, and the earlier
	// storage place, storage duration (empty if it was not set), time zone and keeping rules (as they are stored).
	JobApplyTerms = "apply-terms"
	// JobTouchItems is JobApplyTerms without keeping rules. Only earlier versions add it.
	JobTouchItems = "touch-items"
	// JobDateItems stores the end of storage of a location's items. A migration adds it, because items that were saved
	// before have none. The payload is the same as for JobCheckItems.
	JobDateItems = "date-items"
	// JobDateAccount adds date-items jobs for all locations of an account, an hour and a day after an update, because
	// instances of an earlier version save items without the end of storage. Payload: JSON array of how often it has
	// done so, and the id of the last location.
	JobDateAccount = "date-account"
	// JobRequote updates the items of a location whose prices changed. The payload is the same as
	// for JobCheckItems.
	JobRequote = "price-again"
	// JobShip performs the next step of a shipment. Payload: its id.
	JobShip = "ship"
	// JobRefund refunds the payments and labels of a shipment. Payload: its id.
	JobRefund = "refund"
	// JobRefundPayment refunds the payment for a deleted item. Payload: JSON array of the payment
	// provider and the provider's id for the payment.
	JobRefundPayment = "give-back"
	// JobCheckPayment requests the state of a payment. Payload: JSON array of the ids of the
	// shipment and the checkout page.
	JobCheckPayment = "payment"
	// JobTrack requests the state of a parcel from the carrier. Payload: id of the shipment.
	JobTrack = "track"
	// JobCloseCheckout closes a checkout page, so that it can no longer be used to pay. Payload:
	// the provider's id of the page.
	JobCloseCheckout = "close-checkout"
	// JobSendTicket sends a single-use link, such as an invitation, by e-mail. Payload: its id.
	JobSendTicket = "ticket"
	// JobLoginNotice sends an e-mail about a change to a user's login. Payload: JSON array of the
	// change and the e-mail address.
	JobLoginNotice = "tell-person"
	// JobClearItems performs a clearance that can no longer be undone. Payload: its id.
	JobClearItems = "clear"
	// JobSuggestCategories continues a run that gives items their suggested categories, or undoes it. Payload: its id.
	JobSuggestCategories = "suggest-categories"
	// JobDescribePhoto asks the photo assistant what is in a photo. Payload: JSON array of the ids of the location and
	// the item, and the name of the file.
	JobDescribePhoto = "describe-photo"
	// JobEmbed computes embeddings of items of the account.
	JobEmbed = "embed"
	// JobImport processes an import. Payload: its id.
	JobImport = "import"
	// JobMatch matches a new or changed item. Payload: its id.
	JobMatch = "match"
	// JobRematch matches all items of a location. Payload: a Rematch.
	JobRematch = "match-again"
	// JobErase erases a person's data. Payload: JSON array of the id of the erasure, the e-mail
	// address and the phone number, one of which is empty, and the person's other phone numbers.
	JobErase = "erase"
	// JobNotifyUser tells a user by e-mail that a webhook was disabled. Payload: JSON array of the ids of the user
	// and the endpoint.
	JobNotifyUser = "tell-user"
	// JobLoginFailed records a failed login in the audit log. Payload: JSON array of the id of the user, the address
	// of the client and a note. For an unknown e-mail address, the account and the id are empty.
	JobLoginFailed = "login-failed"
	// JobEndAccess closes the open pages of a user or an account that a command has disabled, because the command
	// cannot reach the processes that serve them. Payload: id of the user; empty for all users of the account.
	JobEndAccess = "end-access"
)

// JobKinds lists the kinds of jobs.
func JobKinds() []string {
	return []string{
		JobDeleteFiles, JobThumbnail, JobPurgeLocation, JobSendMail, JobSendText, JobTrackText, JobCheckItems,
		JobApplyTerms, JobTouchItems, JobDateItems, JobDateAccount, JobRequote, JobShip, JobRefund, JobRefundPayment,
		JobCheckPayment, JobTrack, JobCloseCheckout, JobSendTicket, JobLoginNotice, JobClearItems, JobImport, JobMatch,
		JobRematch, JobNotifyUser, JobErase, JobLoginFailed, JobVerifyImage, JobVerifyPublicImage,
		JobEndAccess, JobSuggestCategories, JobDescribePhoto, JobEmbed,
	}
}

// filesPerJob is the maximum number of files that one job deletes, so that the job ends well within its timeout.
const filesPerJob = 100

// AddDeleteFilesJobs adds jobs that delete files after the commit. It ignores empty names.
func (tx *Tx) AddDeleteFilesJobs(account string, names ...string) error {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" })
	for batch := range slices.Chunk(names, filesPerJob) {
		if _, err := tx.addJob(account, JobDeleteFiles, writeStrings(batch), tx.now); err != nil {
			return err
		}
	}
	return nil
}

// AddDeleteFileJob adds a job that deletes a file at the time due, unless the job is canceled
// before then. It returns the job's id.
func (tx *Tx) AddDeleteFileJob(account, name string, due time.Time) (job string, err error) {
	return tx.addJob(account, JobDeleteFiles, writeStrings([]string{name}), due)
}

// AddedImage is a photo that was added to an item and became its main image.
type AddedImage struct {
	Location, Item, File string
	MainFile, MainURL    string // the main image before
	Public               bool   // sent by a guest or a stranger
}

// AddVerifyImageJob adds a job that verifies a photo of an item. Photos of guests and strangers have a queue of their
// own.
func (tx *Tx) AddVerifyImageJob(account string, a AddedImage) error {
	kind := JobVerifyImage
	if a.Public {
		kind = JobVerifyPublicImage
	}
	return tx.AddJob(account, kind, writeStrings([]string{a.Location, a.Item, a.File, a.MainFile, a.MainURL}), tx.now)
}

// AddedImage returns the photo that a job verifies.
func (j Job) AddedImage() (a AddedImage, err error) {
	about, err := j.Arguments()
	if err == nil && len(about) != 5 {
		err = fmt.Errorf("the payload has %d parts, want 5", len(about))
	}
	if err != nil {
		return a, err
	}
	return AddedImage{
		Location: about[0], Item: about[1], File: about[2], MainFile: about[3], MainURL: about[4],
		Public: j.Kind == JobVerifyPublicImage,
	}, nil
}

// DescribedPhoto is a photo of an item that the photo assistant may see.
type DescribedPhoto struct{ Location, Item, File string }

// AddDescribePhotoJob adds a job that asks the photo assistant what is in a photo.
func (tx *Tx) AddDescribePhotoJob(account string, p DescribedPhoto) error {
	return tx.AddJob(account, JobDescribePhoto, writeStrings([]string{p.Location, p.Item, p.File}), tx.now)
}

// DescribedPhoto returns the photo that a job describes.
func (j Job) DescribedPhoto() (p DescribedPhoto, err error) {
	about, err := j.Arguments()
	if err == nil && len(about) != 3 {
		err = fmt.Errorf("the payload has %d parts, want 3", len(about))
	}
	if err != nil {
		return p, err
	}
	return DescribedPhoto{Location: about[0], Item: about[1], File: about[2]}, nil
}

// AddNotifyUsersJob adds jobs that e-mail the users who may manage webhooks to tell them that an
// endpoint was disabled.
func (tx *Tx) AddNotifyUsersJob(account, endpoint string) error {
	users, err := tx.Users(tx.ctx, account, maxUsersRead)
	if err != nil {
		return err
	}
	users = slices.DeleteFunc(users, func(u lost.User) bool {
		return !u.Role.Has(lost.ManageIntegrations) || !u.Active()
	})
	for _, u := range users[:min(len(users), maxUsersNotified)] {
		if _, err := tx.addJob(account, JobNotifyUser, writeStrings([]string{u.ID, endpoint}), tx.now); err != nil {
			return err
		}
	}
	return nil
}

const (
	maxUsersNotified = 100   // maximum number of users notified about one event
	maxUsersRead     = 10000 // maximum number of users read to find those to notify
)

// Arguments decodes a payload that is a JSON array of strings.
func (j Job) Arguments() ([]string, error) { return readStrings(j.Payload) }

// DeleteJob cancels a job.
func (tx *Tx) DeleteJob(account, id string) error {
	return tx.queue("DELETE FROM jobs WHERE account_id = $1 AND id = $2", account, id)
}

// AddJob adds a job that is performed after the commit, but not before the time due.
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

// ClaimJobs claims due jobs of the given kinds for the duration of the lease, with jobs of the
// first kind first. If the worker dies, another worker can claim them after the lease ends. It
// works across all accounts; only background jobs use it.
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
			claimed, err := tx.claimJobs(p, lease)
			if err != nil {
				return nil, err
			}
			jobs = append(jobs, claimed...)
		}
	}
	return jobs, nil
}

// claimJobs claims those picked jobs of an account that no other worker has claimed in the
// meantime.
func (tx *Tx) claimJobs(p pickedIDs, lease time.Duration) ([]Job, error) {
	q := &query{args: []any{p.account, micros(tx.now), micros(tx.now.Add(lease))}}
	q.where("account_id = $1 AND state = 'due' AND due_at <= $2")
	whereIn(q, "id", padList(p.ids, listMultiple))
	// MATERIALIZED is required: otherwise the subquery could be evaluated again for every row and
	// skip the rows that it has locked.
	rs, err := tx.h.Query(tx.ctx,
		"WITH free (free_id) AS MATERIALIZED (SELECT id FROM jobs"+q.clause()+tx.d.skipLocked+`)
		UPDATE jobs SET attempt = attempt + 1, due_at = $3 FROM free WHERE account_id = $1 AND id = free_id
		RETURNING account_id, id, kind, payload, attempt, failures, trail`, q.args...)
	return collect(rs, err, func(rs rows) (j Job, err error) {
		var trace string
		err = rs.Scan(&j.Account, &j.ID, &j.Kind, &j.Payload, &j.Attempt, &j.Failures, &trace)
		j.Trace = tracing.Decode(trace)
		return j, err
	})
}

// pickedIDs are the ids of an account's rows that background jobs may claim.
type pickedIDs struct {
	account string
	ids     []string
}

// pickDue selects due rows of all accounts and groups them by account, in the order of each
// account's first row. It works across all accounts; only background jobs use it.
func (tx *Tx) pickDue(sql string, args ...any) (all []pickedIDs, err error) {
	rs, err := tx.h.Query(withScope(tx.ctx, BackgroundScope), sql, args...)
	position := map[string]int{}
	_, err = collect(rs, err, func(rs rows) (struct{}, error) {
		var account, id string
		err := rs.Scan(&account, &id)
		n, ok := position[account]
		if !ok {
			n = len(all)
			position[account] = n
			all = append(all, pickedIDs{account: account})
		}
		all[n].ids = append(all[n].ids, id)
		return struct{}{}, err
	})
	return all, err
}

// RenewJob extends the lease of a job, unless another worker has claimed the job since then.
func (tx *Tx) RenewJob(j Job, lease time.Duration) error {
	return tx.queue("UPDATE jobs SET due_at = $4 WHERE account_id = $1 AND id = $2 AND attempt = $3",
		j.Account, j.ID, j.Attempt, micros(tx.now.Add(lease)))
}

// AcquireLease makes the holder the only one who may do some work, or renews its lease. It reports false if another
// holder has a lease that has not expired.
func (tx *Tx) AcquireLease(name, holder string, life time.Duration) (bool, error) {
	n, err := tx.exec("INSERT INTO leases (name, holder, expires_at) VALUES ($1, $2, $3) "+
		"ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at "+
		"WHERE leases.holder = excluded.holder OR leases.expires_at <= $4",
		name, holder, micros(tx.now.Add(life)), micros(tx.now))
	return n > 0, err
}

// ReleaseLease ends a lease early, if the holder has it.
func (tx *Tx) ReleaseLease(name, holder string) error {
	return tx.queue("DELETE FROM leases WHERE name = $1 AND holder = $2", name, holder)
}

// FinishJob deletes a finished job, unless another worker has claimed the job since then.
func (tx *Tx) FinishJob(j Job) error {
	return tx.queue("DELETE FROM jobs WHERE account_id = $1 AND id = $2 AND attempt = $3", j.Account, j.ID, j.Attempt)
}

// RetryJob makes a job due again after a failure and stores the reason.
func (tx *Tx) RetryJob(j Job, due time.Time, reason string) error {
	return tx.queue(`UPDATE jobs SET due_at = $4, failures = failures + 1, error = $5
		WHERE account_id = $1 AND id = $2 AND attempt = $3`,
		j.Account, j.ID, j.Attempt, micros(due), shortenReason(reason))
}

// ContinueJob makes a job due again after it has done part of its work.
func (tx *Tx) ContinueJob(j Job, due time.Time) error {
	return tx.queue("UPDATE jobs SET due_at = $4, failures = 0, error = '' WHERE account_id = $1 AND id = $2 AND "+
		"attempt = $3",
		j.Account, j.ID, j.Attempt, micros(due))
}

// FailJob marks a job as permanently failed. The job stays in the table for some time for
// inspection, and due_at becomes the time of the failure.
func (tx *Tx) FailJob(j Job, reason string) error {
	return tx.queue(`UPDATE jobs SET state = 'failed', due_at = $4, error = $5
		WHERE account_id = $1 AND id = $2 AND attempt = $3`,
		j.Account, j.ID, j.Attempt, micros(tx.now), shortenReason(reason))
}

// shortenReason limits the length of a stored reason.
func shortenReason(reason string) string { return lost.Shorten(StorableText(reason), 500) }

// PruneJobs deletes at most limit jobs that failed before the given time and returns the number
// deleted. It works across all accounts; only cleanup uses it.
func (tx *Tx) PruneJobs(before time.Time, limit int) (int64, error) {
	return tx.deleteOld(`DELETE FROM jobs WHERE (account_id, id) IN
		(SELECT account_id, id FROM jobs WHERE state = 'failed' AND due_at <= $1 LIMIT $2)`, micros(before), limit)
}

// NextJob returns the time when the next job of the given kinds is due. It returns false if there
// is none. It works across all accounts; only background jobs use it.
func (r reader) NextJob(ctx context.Context, kinds []string) (time.Time, bool, error) {
	q, selects := &query{}, make([]string, len(kinds))
	for n, kind := range kinds {
		selects[n] = "SELECT MIN(due_at) AS at FROM jobs WHERE state = 'due' AND kind = " + q.arg(kind)
	}
	next := "SELECT COALESCE(MIN(at), 0) FROM (" + strings.Join(selects, " UNION ALL ") + ") AS next"
	rs, err := r.h.Query(withScope(ctx, BackgroundScope), next, q.args...)
	due, _, err := firstValue[int64](rs, err)
	return fromMicros(due), due > 0, err
}

// CountJobs counts the due or scheduled jobs and the permanently failed jobs. It works across all
// accounts; only the operator's commands use it.
func (r reader) CountJobs(ctx context.Context) (due, failed int, err error) {
	rs, err := r.h.Query(withScope(ctx, OperatorScope),
		"SELECT COUNT(*) FILTER (WHERE state = 'due'), COUNT(*) FILTER (WHERE state = 'failed') FROM jobs")
	_, _, err = firstRow(rs, err, func(rs rows) (struct{}, error) { return struct{}{}, rs.Scan(&due, &failed) })
	return due, failed, err
}
