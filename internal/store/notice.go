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

// ActiveNoticeSettings lists the settings of an account's users who want notices, up to a limit.
func (r reader) ActiveNoticeSettings(ctx context.Context, account string, limit int) ([]notice.Settings, error) {
	rs, err := r.h.Query(ctx, "SELECT "+noticeSettingsColumns+" FROM notice_settings WHERE account_id = $1 AND active"+
		" ORDER BY user_id LIMIT $2", account, limit)
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

// NewMatches lists the requests of an account for which a likely match was found after a position, oldest first.
func (r reader) NewMatches(ctx context.Context, account string, since time.Time, item string,
	limit int) ([]lost.Task, error) {
	rs, err := r.h.Query(ctx, "SELECT location_id, item_id, since FROM tasks WHERE account_id = $1 AND "+
		"kind = 'confirm-match' AND (since, item_id) > ($2, $3) ORDER BY since, item_id"+limitClause(limit),
		account, micros(since), item)
	return collect(rs, err, func(rs rows) (t lost.Task, err error) {
		var since int64
		err = rs.Scan(&t.LocationID, &t.ItemID, &since)
		t.Account, t.Kind, t.Since = account, lost.MatchTask, fromMicros(since)
		return t, err
	})
}

// StoragePeriod is a location with the days that have begun there since the last check.
type StoragePeriod struct {
	Location lost.LocationName
	Duration *int   // the days that items are stored
	From, To string // the days
}

// StoragePeriods lists the locations of an account, after one of them, in the order of their ids.
func (r reader) StoragePeriods(ctx context.Context, account, after string, limit int) ([]StoragePeriod, error) {
	rs, err := r.h.Query(ctx, "SELECT id, name, time_zone, storage_duration FROM locations WHERE account_id = $1 AND "+
		"id > $2 AND deleted_at = 0 ORDER BY id"+limitClause(limit), account, after)
	return collect(rs, err, func(rs rows) (p StoragePeriod, err error) {
		err = rs.Scan(&p.Location.ID, &p.Location.Name, &p.Location.TimeZone, &p.Duration)
		return p, err
	})
}

// ExpiringItems lists items in storage whose last day may be in the period, up to a limit for each way of counting. The
// caller checks the day.
func (r reader) ExpiringItems(ctx context.Context, account string, p StoragePeriod, limit int) ([]lost.Item, error) {
	kept := func(day string) string { return `{"keepUntil":"` + day + `"` }
	all, err := r.expiringItems(ctx, account, p, limit, " AND substr(i.care, 1, 12) = '{\"keepUntil\"' AND "+
		"substr(i.care, 1, 25) BETWEEN $3 AND $4", kept(p.From), kept(p.To))
	if err != nil || p.Duration == nil {
		return all, err
	}
	first, last := lost.AddDays(p.From, -*p.Duration), lost.AddDays(p.To, -*p.Duration)
	dated, err := r.expiringItems(ctx, account, p, limit, " AND i.discovery_date BETWEEN $3 AND $4", first, last)
	if err != nil {
		return nil, err
	}
	undated, err := r.expiringItems(ctx, account, p, limit,
		" AND i.discovery_date = '' AND i.created_at BETWEEN $3 AND $4",
		startOfDay(lost.AddDays(first, -1)), startOfDay(lost.AddDays(last, 2))) // zones differ by less than a day
	return slices.Concat(all, dated, undated), err
}

func (r reader) expiringItems(ctx context.Context, account string, p StoragePeriod, limit int, condition string,
	from, to any) ([]lost.Item, error) {
	rs, err := r.h.Query(ctx, "SELECT "+itemColumns+" FROM items i"+joinLocation+" WHERE i.account_id = $1 AND "+
		"i.location_id = $2"+heldCondition+condition+limitClause(limit), account, p.Location.ID, from, to)
	return collect(rs, err, scanItem)
}

// startOfDay returns when a valid day begins in UTC, in microseconds.
func startOfDay(day string) int64 {
	at, _ := time.Parse(lost.DateLayout, day) // the caller has formatted it
	return micros(at)
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

// DueNotices lists the notices of a group that are due, oldest first.
func (r reader) DueNotices(ctx context.Context, g NoticeGroup, now time.Time, limit int) ([]notice.Notice, error) {
	rs, err := r.h.Query(ctx, "SELECT "+noticeColumns+" FROM notices WHERE account_id = $1 AND user_id = $2 AND "+
		"target = $3 AND ended_at = 0 AND due_at <= $4 ORDER BY id"+limitClause(limit),
		g.Account, g.UserID, g.Target, micros(now))
	return collect(rs, err, func(rs rows) (n notice.Notice, err error) {
		var kind string
		var due, created int64
		err = rs.Scan(&n.Account, &n.ID, &n.UserID, &n.Target, &kind, &n.Subject, &n.LocationID, &n.ItemID, &n.Attempts,
			&due, &created)
		n.Kind, n.DueAt, n.CreatedAt = notice.Kind(kind), fromMicros(due), fromMicros(created)
		return n, err
	})
}

// EndNotices records what became of an account's notices.
func (tx *Tx) EndNotices(account, outcome string, ids []string) error {
	return tx.updateNotices(account, ids, func(q *query) string {
		return "ended_at = " + q.arg(micros(tx.now)) + ", outcome = " + q.arg(outcome)
	})
}

// PostponeNotices makes an account's notices due at a later time. failures is the number of failed attempts to add.
func (tx *Tx) PostponeNotices(account string, ids []string, due time.Time, failures int) error {
	return tx.updateNotices(account, ids, func(q *query) string {
		return "due_at = " + q.arg(micros(due)) + ", attempts = attempts + " + q.arg(failures)
	})
}

func (tx *Tx) updateNotices(account string, ids []string, set func(*query) string) error {
	const batchSize = 100
	for batch := range slices.Chunk(ids, batchSize) {
		q := &query{}
		q.where("account_id = " + q.arg(account))
		q.where("ended_at = 0")
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

// PushTargets returns the ids of an account's push subscriptions by user, up to a limit.
func (r reader) PushTargets(ctx context.Context, account string, limit int) (map[string][]string, error) {
	rs, err := r.h.Query(ctx, "SELECT user_id, id FROM push_subscriptions WHERE account_id = $1 ORDER BY user_id, id"+
		limitClause(limit), account)
	found, err := scanTexts(rs, err, 2)
	targets := map[string][]string{}
	for _, row := range found {
		targets[row[0]] = append(targets[row[0]], row[1])
	}
	return targets, err
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
