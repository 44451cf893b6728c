package store

import (
	"context"
	"crypto/hmac"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/notice"
)

const noticeSettingsColumns = "account_id, user_id, kinds, quiet_from, quiet_to, time_zone, digest_hour, locations, " +
	"report_at"

func scanNoticeSettings(rs rows) (s notice.Settings, err error) {
	var kinds, locations string
	var reportAt int64
	if err = rs.Scan(&s.Account, &s.UserID, &kinds, &s.QuietFrom, &s.QuietTo, &s.TimeZone, &s.DigestHour, &locations,
		&reportAt); err != nil {
		return s, err
	}
	s.ReportAt, s.Kinds = fromMicros(reportAt), map[notice.Kind]notice.Choice{}
	if s.Locations, err = readStrings(locations); err != nil {
		return s, err
	}
	return s, readJSON("the notices of a user", kinds, &s.Kinds)
}

// NoticeSettings returns what notices a user has asked for, and whether they have ever asked for any.
func (r reader) NoticeSettings(ctx context.Context, account, user string) (notice.Settings, bool, error) {
	rs, err := r.h.Query(ctx, "SELECT "+noticeSettingsColumns+" FROM notice_settings WHERE account_id = $1 AND "+
		"user_id = $2", account, user)
	return firstRow(rs, err, scanNoticeSettings)
}

// ActiveNoticeSettings lists the settings of an account's users who want notices, after a user, in the order of their
// ids.
func (r reader) ActiveNoticeSettings(ctx context.Context, account, after string,
	limit int) ([]notice.Settings, error) {
	rs, err := r.h.Query(ctx, "SELECT "+noticeSettingsColumns+" FROM notice_settings WHERE account_id = $1 AND "+
		"user_id > $2 AND active ORDER BY user_id"+limitClause(limit), account, after)
	return collect(rs, err, scanNoticeSettings)
}

// DueReports lists the settings of users of all accounts whose monthly report is due. Only background jobs use it.
func (r reader) DueReports(ctx context.Context, now time.Time, limit int) ([]notice.Settings, error) {
	rs, err := r.h.Query(withScope(ctx, BackgroundScope), "SELECT "+noticeSettingsColumns+" FROM notice_settings "+
		"WHERE report_at > 0 AND report_at <= $1 ORDER BY report_at"+limitClause(limit), micros(now))
	return collect(rs, err, scanNoticeSettings)
}

// SaveNoticeSettings saves what notices a user wants. The caller must have locked the user.
func (tx *Tx) SaveNoticeSettings(s notice.Settings) error {
	err := tx.queue("INSERT INTO notice_settings ("+noticeSettingsColumns+", active) VALUES "+
		"($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (account_id, user_id) DO UPDATE SET "+
		"kinds = excluded.kinds, quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to, "+
		"time_zone = excluded.time_zone, digest_hour = excluded.digest_hour, locations = excluded.locations, "+
		"report_at = excluded.report_at, active = excluded.active",
		s.Account, s.UserID, toJSON(s.Kinds), s.QuietFrom, s.QuietTo, s.TimeZone, s.DigestHour,
		writeStrings(s.Locations), micros(s.ReportAt), s.Active())
	if err != nil {
		return err
	}
	if s.Active() {
		return tx.queue("INSERT INTO notice_cursors (account_id, since, matches_at, storage_at) VALUES "+
			"($1, $2, $2, $2) ON CONFLICT (account_id) DO UPDATE SET since = notice_cursors.since", s.Account,
			micros(tx.now))
	}
	// Another transaction that makes somebody else's settings active has locked the cursor, if there is one.
	if err := tx.queue("UPDATE notice_cursors SET since = since WHERE account_id = $1", s.Account); err != nil {
		return err
	}
	return tx.queue("DELETE FROM notice_cursors WHERE account_id = $1 AND NOT EXISTS (SELECT 1 FROM notice_settings n "+
		"WHERE n.account_id = $1 AND n.active)", s.Account)
}

// NoticeToken returns the token of the link that stops a user's e-mails. It names the user, and is signed with the
// service's secret.
func (r reader) NoticeToken(account, user string) (string, error) {
	signature, err := r.encrypter.deriveToken(r.encrypter.currentLinkKey(), "notices "+account+" "+user)
	return account + "." + user + "." + signature, err
}

// NoticeTokenUser returns the user whom a token names, or a NotFound error if its signature is wrong.
func (r reader) NoticeTokenUser(token string) (account, user string, err error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return "", "", lost.Missing("link")
	}
	for _, key := range append(slices.Collect(maps.Keys(r.encrypter.linkKeys)), "") {
		signature, err := r.encrypter.deriveToken(key, "notices "+parts[0]+" "+parts[1])
		if err == nil && hmac.Equal([]byte(signature), []byte(parts[2])) {
			return parts[0], parts[1], nil
		}
	}
	return "", "", lost.Missing("link")
}

// NoticeCursor is how far the notices of an account have been written.
type NoticeCursor struct {
	Account              string
	Events               string // the cursor in the list of events; empty at the beginning
	Since                time.Time
	MatchesAt, StorageAt time.Time
}

// NoticeCursors lists the cursors of all accounts in which anybody wants notices, after an account. Only background
// jobs use it.
func (r reader) NoticeCursors(ctx context.Context, after string, limit int) ([]NoticeCursor, error) {
	rs, err := r.h.Query(withScope(ctx, BackgroundScope), "SELECT account_id, cursor, since, matches_at, storage_at "+
		"FROM notice_cursors WHERE account_id > $1 ORDER BY account_id"+limitClause(limit), after)
	return collect(rs, err, func(rs rows) (c NoticeCursor, err error) {
		var since, matches, storage int64
		err = rs.Scan(&c.Account, &c.Events, &since, &matches, &storage)
		c.Since, c.MatchesAt, c.StorageAt = fromMicros(since), fromMicros(matches), fromMicros(storage)
		return c, err
	})
}

// AdvanceNotices replaces a cursor. It reports false if another worker has moved it, and if nobody wants notices.
func (tx *Tx) AdvanceNotices(before, after NoticeCursor) (bool, error) {
	n, err := tx.exec("UPDATE notice_cursors SET cursor = $5, since = $6, matches_at = $7, storage_at = $8 WHERE "+
		"account_id = $1 AND cursor = $2 AND matches_at = $3 AND storage_at = $4",
		before.Account, before.Events, micros(before.MatchesAt), micros(before.StorageAt),
		after.Events, micros(after.Since), micros(after.MatchesAt), micros(after.StorageAt))
	return n > 0, err
}

// NewMatch is a found item that is a likely match for a request.
type NewMatch struct {
	LocationID, RequestID string
	ItemID                string
	At                    time.Time // when the last likely match for the request was found
}

// NewMatches lists the likely matches for those requests of an account for which one was found after a position.
func (r reader) NewMatches(ctx context.Context, account string, after NewMatch, limit int) ([]NewMatch, error) {
	const at = "(CASE WHEN t.renewed_at > t.since THEN t.renewed_at ELSE t.since END)" // as in the index
	rs, err := r.h.Query(ctx, "SELECT t.location_id, t.item_id, m.item_id, "+at+" FROM tasks t JOIN matches m ON "+
		"m.account_id = t.account_id AND m.request_id = t.item_id AND m.refused_at = 0 AND m.likelihood = 'likely' "+
		"WHERE t.account_id = $1 AND t.kind = 'confirm-match' AND "+at+" >= $2 AND ("+at+", t.item_id, m.item_id) > "+
		"($2, $3, $4) ORDER BY "+at+", t.item_id, m.item_id"+limitClause(limit),
		account, micros(after.At), after.RequestID, after.ItemID)
	return collect(rs, err, func(rs rows) (m NewMatch, err error) {
		var at int64
		err = rs.Scan(&m.LocationID, &m.RequestID, &m.ItemID, &at)
		m.At = fromMicros(at)
		return m, err
	})
}

// StoragePeriod is a location with a range of last days of storage that people there are told about.
type StoragePeriod struct {
	Location lost.LocationName
	From, To string // the days
}

// StoragePeriods lists the locations of an account, after one of them, in the order of their ids.
func (r reader) StoragePeriods(ctx context.Context, account, after string, limit int) ([]StoragePeriod, error) {
	rs, err := r.h.Query(ctx, "SELECT id, name, time_zone FROM locations WHERE account_id = $1 AND "+
		"id > $2 AND deleted_at = 0 ORDER BY id"+limitClause(limit), account, after)
	return collect(rs, err, func(rs rows) (p StoragePeriod, err error) {
		err = rs.Scan(&p.Location.ID, &p.Location.Name, &p.Location.TimeZone)
		return p, err
	})
}

// ExpiringItems lists items in storage whose last day, as it is stored, is in the period, after one of them, in the
// order of their ids. The caller checks the day.
func (r reader) ExpiringItems(ctx context.Context, account string, p StoragePeriod, after string,
	limit int) ([]lost.Item, error) {
	rs, err := r.h.Query(ctx, "SELECT "+itemColumns+" FROM items i"+joinLocation+" WHERE i.account_id = $1 AND "+
		"i.location_id = $2"+heldCondition+" AND i.store_until BETWEEN $3 AND $4 AND i.id > $5 ORDER BY i.id"+
		limitClause(limit), account, p.Location.ID, p.From, p.To, after)
	return collect(rs, err, r.scanItem)
}

// StorageNotices returns the latest last day of storage of which anybody was told, for those of the items about which
// there is a notice.
func (r reader) StorageNotices(ctx context.Context, account string, items []string) (map[string]string, error) {
	told := map[string]string{}
	if len(items) == 0 {
		return told, nil
	}
	q := &query{}
	q.where("account_id = " + q.arg(account))
	q.where("kind = 'storage'")
	whereIn(q, "item_id", padList(items, listMultiple))
	rs, err := r.h.QueryPlanned(ctx, "SELECT subject FROM notices"+q.clause(), q.args...)
	subjects, err := collect(rs, err, scanText)
	for _, subject := range subjects {
		item, day, _ := strings.Cut(subject, " ")
		told[item] = max(told[item], day)
	}
	return told, err
}

const noticeColumns = "account_id, id, user_id, target, kind, subject, location_id, item_id, attempts, due_at, " +
	"created_at"

// AddNotices adds notices, except for those that were added before.
func (tx *Tx) AddNotices(all []notice.Notice) error {
	for _, n := range all {
		err := tx.queue("INSERT INTO notices ("+noticeColumns+") VALUES "+
			"($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (account_id, user_id, target, kind, subject) "+
			"DO NOTHING",
			n.Account, n.ID, n.UserID, n.Target, string(n.Kind), n.Subject, n.LocationID, n.ItemID, n.Attempts,
			micros(n.DueAt), micros(n.CreatedAt))
		if err != nil {
			return err
		}
	}
	return nil
}

// NoticeGroup are the notices to one person that are sent together.
type NoticeGroup struct{ Account, UserID, Target string }

// DueNoticeGroups lists people of all accounts to whom notices are due. Only background jobs use it.
func (r reader) DueNoticeGroups(ctx context.Context, now time.Time, limit int) ([]NoticeGroup, error) {
	rs, err := r.h.Query(withScope(ctx, BackgroundScope), "SELECT account_id, user_id, target FROM notices WHERE "+
		"ended_at = 0 AND due_at <= $1 GROUP BY account_id, user_id, target ORDER BY MIN(due_at)"+limitClause(limit),
		micros(now))
	return collect(rs, err, func(rs rows) (g NoticeGroup, err error) {
		err = rs.Scan(&g.Account, &g.UserID, &g.Target)
		return g, err
	})
}

// NoticeClaim are notices of a group that one worker sends. Nobody else claims them until the given time.
type NoticeClaim struct {
	NoticeGroup
	Until   time.Time
	Notices []notice.Notice // oldest first
}

// ClaimNotices claims notices of a group that are due, and counts an attempt to send each of them.
func (tx *Tx) ClaimNotices(g NoticeGroup, limit int, lease time.Duration) (NoticeClaim, error) {
	c := NoticeClaim{NoticeGroup: g, Until: tx.now.Add(lease)}
	// MATERIALIZED is required; see claimJobs.
	rs, err := tx.h.Query(tx.ctx, "WITH free (free_id) AS MATERIALIZED (SELECT id FROM notices WHERE account_id = $1 "+
		"AND user_id = $2 AND target = $3 AND ended_at = 0 AND due_at <= $4 ORDER BY id"+limitClause(limit)+
		tx.d.skipLocked+") UPDATE notices SET attempts = attempts + 1, due_at = $5 FROM free WHERE account_id = $1 "+
		"AND id = free_id RETURNING "+noticeColumns,
		g.Account, g.UserID, g.Target, micros(tx.now), micros(c.Until))
	c.Notices, err = collect(rs, err, func(rs rows) (n notice.Notice, err error) {
		var kind string
		var due, created int64
		err = rs.Scan(&n.Account, &n.ID, &n.UserID, &n.Target, &kind, &n.Subject, &n.LocationID, &n.ItemID, &n.Attempts,
			&due, &created)
		n.Kind, n.DueAt, n.CreatedAt = notice.Kind(kind), fromMicros(due), fromMicros(created)
		return n, err
	})
	slices.SortFunc(c.Notices, func(a, b notice.Notice) int { return strings.Compare(a.ID, b.ID) })
	return c, err
}

// EndNotices records what became of claimed notices, unless another worker has claimed them since.
func (tx *Tx) EndNotices(c NoticeClaim, outcome string, ids []string) error {
	return tx.updateNotices(c, ids, func(q *query) string {
		return "ended_at = " + q.arg(micros(tx.now)) + ", outcome = " + q.arg(outcome)
	})
}

// RetryNotices makes claimed notices due again, unless another worker has claimed them since.
func (tx *Tx) RetryNotices(c NoticeClaim, ids []string, due time.Time) error {
	return tx.updateNotices(c, ids, func(q *query) string { return "due_at = " + q.arg(micros(due)) })
}

// ReleaseNotices is like RetryNotices, but for notices that nobody has tried to send. The attempt does not count.
func (tx *Tx) ReleaseNotices(c NoticeClaim, ids []string, due time.Time) error {
	return tx.updateNotices(c, ids, func(q *query) string {
		return "due_at = " + q.arg(micros(due)) + ", attempts = attempts - 1"
	})
}

func (tx *Tx) updateNotices(c NoticeClaim, ids []string, set func(*query) string) error {
	const batchSize = 100
	for batch := range slices.Chunk(ids, batchSize) {
		q := &query{}
		q.where("account_id = " + q.arg(c.Account))
		q.where("ended_at = 0")
		q.where("due_at = " + q.arg(micros(c.Until)))
		whereIn(q, "id", padList(batch, listMultiple))
		if err := tx.queue("UPDATE notices SET "+set(q)+q.clause(), q.args...); err != nil {
			return err
		}
	}
	return nil
}

// PruneNotices deletes at most limit notices that ended before the given time, and returns the number deleted. It works
// across all accounts; only cleanup uses it.
func (tx *Tx) PruneNotices(before time.Time, limit int) (int64, error) {
	return tx.deleteOld("DELETE FROM notices WHERE (account_id, id) IN (SELECT account_id, id FROM notices WHERE "+
		"ended_at > 0 AND ended_at <= $1 ORDER BY ended_at LIMIT $2)", micros(before), limit)
}

// receiver is what is stored of a browser that shows push messages, encrypted.
type receiver struct{ Endpoint, PublicKey, AuthSecret string }

const subscriptionColumns = "account_id, id, user_id, session_id, receiver, created_at"

func (r reader) scanSubscription(rs rows) (s notice.Subscription, err error) {
	var encrypted string
	var created int64
	if err = rs.Scan(&s.Account, &s.ID, &s.UserID, &s.SessionID, &encrypted, &created); err != nil {
		return s, err
	}
	s.CreatedAt = fromMicros(created)
	plain, err := r.encrypter.decrypt(encrypted)
	if err != nil {
		return s, err
	}
	var to receiver
	err = readJSON("a push subscription", plain, &to)
	s.Endpoint, s.PublicKey, s.AuthSecret = to.Endpoint, to.PublicKey, to.AuthSecret
	return s, err
}

// PushSubscriptions lists the browsers that show push messages to a user, oldest first.
func (r reader) PushSubscriptions(ctx context.Context, account, user string) ([]notice.Subscription, error) {
	rs, err := r.h.Query(ctx, "SELECT "+subscriptionColumns+" FROM push_subscriptions WHERE account_id = $1 AND "+
		"user_id = $2 ORDER BY id"+limitClause(notice.MaxSubscriptions), account, user)
	return collect(rs, err, r.scanSubscription)
}

// PushSubscription returns a subscription, or a NotFound error.
func (r reader) PushSubscription(ctx context.Context, account, id string) (notice.Subscription, error) {
	rs, err := r.h.Query(ctx, "SELECT "+subscriptionColumns+" FROM push_subscriptions WHERE account_id = $1 AND "+
		"id = $2", account, id)
	return requireRow("push subscription", rs, err, r.scanSubscription)
}

// PushTarget is a browser that shows push messages to a user.
type PushTarget struct{ UserID, ID string }

// PushTargets lists an account's push subscriptions after one of them, sorted by user and id.
func (r reader) PushTargets(ctx context.Context, account string, after PushTarget, limit int) ([]PushTarget, error) {
	rs, err := r.h.Query(ctx, "SELECT user_id, id FROM push_subscriptions WHERE account_id = $1 AND "+
		"(user_id, id) > ($2, $3) ORDER BY user_id, id"+limitClause(limit), account, after.UserID, after.ID)
	return collect(rs, err, func(rs rows) (t PushTarget, err error) {
		err = rs.Scan(&t.UserID, &t.ID)
		return t, err
	})
}

// SavePushSubscription adds a subscription, or replaces that of the same browser.
func (tx *Tx) SavePushSubscription(s notice.Subscription) error {
	encrypted, err := tx.encrypter.encrypt(toJSON(receiver{s.Endpoint, s.PublicKey, s.AuthSecret}))
	if err != nil {
		return err
	}
	return tx.queue("INSERT INTO push_subscriptions ("+subscriptionColumns+", endpoint) VALUES "+
		"($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (account_id, user_id, endpoint) DO UPDATE SET "+
		"session_id = excluded.session_id, receiver = excluded.receiver",
		s.Account, s.ID, s.UserID, s.SessionID, encrypted, micros(s.CreatedAt), DirectoryHash(s.Endpoint))
}

// DeletePushSubscription deletes a user's subscription, and ends the notices that wait for it.
func (tx *Tx) DeletePushSubscription(account, user, id string) error {
	err := tx.queue("DELETE FROM push_subscriptions WHERE account_id = $1 AND user_id = $2 AND id = $3", account, user,
		id)
	if err != nil {
		return err
	}
	return tx.queue("UPDATE notices SET ended_at = $4, outcome = 'dropped' WHERE account_id = $1 AND user_id = $2 AND "+
		"target = $3 AND ended_at = 0", account, user, id, micros(tx.now))
}

// PrunePushSubscriptions deletes at most limit subscriptions whose session has ended, and returns the number deleted.
// It works across all accounts; only cleanup uses it.
func (tx *Tx) PrunePushSubscriptions(limit int) (int64, error) {
	return tx.deleteOld("DELETE FROM push_subscriptions WHERE (account_id, id) IN (SELECT account_id, id FROM "+
		"push_subscriptions p WHERE NOT EXISTS (SELECT 1 FROM sessions s WHERE s.account_id = p.account_id AND "+
		"s.id = p.session_id) LIMIT $1)", limit)
}

// PushKey derives the secret with a number from the first secret of the service, so that it never changes.
func (r reader) PushKey(n int) ([]byte, error) {
	return r.encrypter.deriveKey("", "push key "+strconv.Itoa(n))
}
