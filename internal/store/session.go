package store

import (
	"context"
	"time"

	"homeward/internal/lost"
)

const sessionColumns = "s.account_id, s.id, s.user_id, s.lasting, s.address, s.agent, s.created_at, s.seen_at, " +
	"s.expires_at, s.proven, s.waits"

func scanSession(rs rows) (s lost.Session, err error) {
	var created, seen, expires int64
	var proven string
	err = rs.Scan(&s.Account, &s.ID, &s.UserID, &s.Lasting, &s.Address, &s.Agent, &created, &seen, &expires, &proven,
		&s.NeedsSecondStep)
	s.CreatedAt, s.SeenAt, s.ExpiresAt = fromMicros(created), fromMicros(seen), fromMicros(expires)
	if err != nil {
		return s, err
	}
	return s, readJSON("the authentication of a session", proven, &s.Proofs)
}

// SessionByHash returns the session whose token has the given hash. It returns a NotFound error if
// there is none or its account is disabled. Like Lookup, it works before the account is known.
func (r reader) SessionByHash(ctx context.Context, hash string) (lost.Session, error) {
	return lookupRecord(ctx, r, SessionEntry, hash, "session", scanSession, sessionColumns,
		"sessions s JOIN accounts a ON a.account_id = s.account_id WHERE s.account_id = $1 AND s.id = $2 AND "+
			"a.disabled_at = 0")
}

// InsertSession adds a session and the directory entry for its token.
func (tx *Tx) InsertSession(s lost.Session, hash string) error {
	err := tx.queue("INSERT INTO sessions (account_id, id, user_id, lasting, address, agent, created_at, seen_at, "+
		"expires_at, proven, waits) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
		s.Account, s.ID, s.UserID, s.Lasting, s.Address, s.Agent, micros(s.CreatedAt), micros(s.SeenAt),
		micros(s.ExpiresAt), toJSON(s.Proofs), s.NeedsSecondStep)
	if err != nil {
		return err
	}
	return tx.AddEntry(SessionEntry, hash, DirectoryEntry{Account: s.Account, Subject: s.ID})
}

// TouchSession records the time when a session and its user were last active.
func (tx *Tx) TouchSession(s lost.Session) error {
	if err := tx.TouchUser(s.Account, s.UserID); err != nil {
		return err
	}
	return tx.queue("UPDATE sessions SET seen_at = $3, expires_at = $4 WHERE account_id = $1 AND id = $2", s.Account,
		s.ID, micros(s.SeenAt), micros(s.ExpiresAt))
}

// Sessions lists a user's active sessions, newest first.
func (r reader) Sessions(ctx context.Context, account, user string, now time.Time, limit int) ([]lost.Session, error) {
	rs, err := r.h.Query(ctx,
		"SELECT "+sessionColumns+
			" FROM sessions s WHERE s.account_id = $1 AND s.user_id = $2 AND s.expires_at > $3 AND NOT s.waits ORDER "+
			"BY s.id DESC LIMIT $4",
		account, user, micros(now), limit)
	return collect(rs, err, scanSession)
}

// Session returns an account's session by id, or a NotFound error.
func (r reader) Session(ctx context.Context, account, id string) (lost.Session, error) {
	rs, err := r.h.Query(ctx, "SELECT "+sessionColumns+" FROM sessions s WHERE s.account_id = $1 AND s.id = $2",
		account, id)
	return requireRow("session", rs, err, scanSession)
}

// DeleteSession deletes a session, whose token then stops working.
func (tx *Tx) DeleteSession(account, id string) error {
	tx.notePageChange(account, "", id, AccessChanged)
	if err := tx.RemoveEntry(SessionEntry, DirectoryEntry{Account: account, Subject: id}); err != nil {
		return err
	}
	return tx.queue("DELETE FROM sessions WHERE account_id = $1 AND id = $2", account, id)
}

// DeleteSessions deletes all of a user's sessions. If except is not empty, it is the id of a session
// that is not deleted.
func (tx *Tx) DeleteSessions(account, user, except string) error {
	tx.notePageChange(account, "", user, AccessChanged)
	_, err := tx.deleteWithEntries(tx.ctx, SessionEntry,
		"DELETE FROM sessions WHERE account_id = $1 AND user_id = $2 AND id <> $3",
		account, user, except)
	return err
}

// TrimSessions deletes the oldest sessions of a user, so that at most limit remain.
func (tx *Tx) TrimSessions(u lost.User, limit int) error {
	tx.notePageChange(u.Account, "", u.ID, AccessChanged)
	_, err := tx.deleteWithEntries(tx.ctx, SessionEntry, `DELETE FROM sessions WHERE account_id = $1 AND id IN
		(SELECT id FROM sessions WHERE account_id = $1 AND user_id = $2 ORDER BY id DESC LIMIT 1000 OFFSET $3)`,
		u.Account, u.ID, limit)
	return err
}

// PruneSessions deletes at most limit expired sessions and returns the number deleted. It works
// across all accounts; only cleanup uses it.
func (tx *Tx) PruneSessions(limit int) (int64, error) {
	return tx.deleteWithEntries(withScope(tx.ctx, CleanupScope), SessionEntry,
		`DELETE FROM sessions WHERE (account_id, id) IN
		(SELECT account_id, id FROM sessions WHERE expires_at < $1 LIMIT $2)`, micros(tx.now), limit)
}
