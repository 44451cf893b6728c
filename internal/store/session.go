package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
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

const ticketColumns = "t.account_id, t.id, t.kind, t.user_id, t.email, t.name, t.role, t.locations, t.expires_at, " +
	"t.created_at, t.link_key, t.shared"

func scanTicket(rs rows) (t lost.EmailLink, err error) {
	var kind, role, locations string
	var expires, created int64
	if err = rs.Scan(&t.Account, &t.ID, &kind, &t.UserID, &t.Email, &t.Name, &role, &locations, &expires, &created,
		&t.Key, &t.Shared); err != nil {
		return t, err
	}
	t.Kind = lost.EmailLinkKind(kind)
	t.Role = lost.Role(role)
	t.ExpiresAt = fromMicros(expires)
	t.CreatedAt = fromMicros(created)
	t.Locations, err = readStrings(locations)
	return t, err
}

// TicketToken returns the last part of a ticket's URL. It is derived from the service's secret and not stored.
func (r reader) TicketToken(t lost.EmailLink) (string, error) {
	return r.encrypter.deriveToken(t.Key, "ticket "+t.Account+" "+t.ID)
}

// BrowserToken returns a token that identifies a browser in which a user has logged in. It is derived from the
// service's secret and a nonce that the browser stores.
func (r reader) BrowserToken(u lost.User, nonce string) (string, error) {
	return r.encrypter.deriveToken(r.encrypter.currentLinkKey(), "browser "+u.Account+" "+u.ID+" "+nonce)
}

// Ticket returns an account's ticket by id, or a NotFound error.
func (r reader) Ticket(ctx context.Context, account, id string) (lost.EmailLink, error) {
	rs, err := r.h.Query(ctx, "SELECT "+ticketColumns+" FROM tickets t WHERE t.account_id = $1 AND t.id = $2", account,
		id)
	return requireRow("link", rs, err, scanTicket)
}

// TicketByHash returns the ticket whose token has the given hash. It returns a NotFound error if
// there is none or its account is disabled. Like Lookup, it works before the account is known.
func (r reader) TicketByHash(ctx context.Context, hash string) (lost.EmailLink, error) {
	return lookupRecord(ctx, r, TicketEntry, hash, "link", scanTicket, ticketColumns,
		"tickets t JOIN accounts a ON a.account_id = t.account_id WHERE t.account_id = $1 AND t.id = $2 AND "+
			"a.disabled_at = 0")
}

// Tickets lists an account's tickets of the given kind, newest first.
func (r reader) Tickets(ctx context.Context, account string, kind lost.EmailLinkKind,
	limit int) ([]lost.EmailLink, error) {
	rs, err := r.h.Query(ctx,
		"SELECT "+ticketColumns+" FROM tickets t WHERE t.account_id = $1 AND t.kind = $2 ORDER BY t.id DESC LIMIT $3",
		account, string(kind), limit)
	return collect(rs, err, scanTicket)
}

// InsertTicket adds a ticket and the directory entry for its token.
func (tx *Tx) InsertTicket(t lost.EmailLink, hash string) error {
	err := tx.queue("INSERT INTO tickets (account_id, id, kind, user_id, email, name, role, locations, expires_at, "+
		"created_at, link_key, shared) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
		t.Account, t.ID, string(t.Kind), t.UserID, t.Email, t.Name, string(t.Role), writeStrings(t.Locations),
		micros(t.ExpiresAt), micros(t.CreatedAt), t.Key, t.Shared)
	if err != nil {
		return err
	}
	return tx.AddEntry(TicketEntry, hash, DirectoryEntry{Account: t.Account, Subject: t.ID})
}

// SendTicket adds a ticket and a job that sends it.
func (tx *Tx) SendTicket(t lost.EmailLink) error {
	t.Key = tx.encrypter.currentLinkKey()
	token, err := tx.TicketToken(t)
	if err != nil {
		return err
	}
	if err := tx.InsertTicket(t, DirectoryHash(token)); err != nil {
		return err
	}
	return tx.AddJob(t.Account, JobSendTicket, t.ID, tx.now)
}

// ConsumeEmailLink deletes a ticket, so that it can be used only once, and reports whether it existed.
func (tx *Tx) ConsumeEmailLink(account, id string) (bool, error) {
	n, err := tx.exec("DELETE FROM tickets WHERE account_id = $1 AND id = $2", account, id)
	if err != nil {
		return n == 1, err
	}
	return n == 1, tx.RemoveEntry(TicketEntry, DirectoryEntry{Account: account, Subject: id})
}

// DeleteTickets deletes a user's tickets of the given kind.
func (tx *Tx) DeleteTickets(account, user string, kind lost.EmailLinkKind) error {
	_, err := tx.deleteWithEntries(tx.ctx, TicketEntry,
		"DELETE FROM tickets WHERE account_id = $1 AND user_id = $2 AND kind = $3",
		account, user, string(kind))
	return err
}

// PruneTickets deletes at most limit tickets that expired before the given time and returns the
// number deleted. It works across all accounts; only cleanup uses it.
func (tx *Tx) PruneTickets(before time.Time, limit int) (int64, error) {
	return tx.deleteWithEntries(withScope(tx.ctx, CleanupScope), TicketEntry,
		`DELETE FROM tickets WHERE (account_id, id) IN
		(SELECT account_id, id FROM tickets WHERE expires_at < $1 LIMIT $2)`, micros(before), limit)
}

// slotCount is the number of slots for each kind of throttle. Two callers with the same slot share
// their failure count, which is rare and mostly harmless. The fixed number of slots limits the size
// of the table.
const slotCount = 1 << 20

// throttleSlot returns the slot of a caller, which is identified by a string such as an address. The slot depends on
// the service's secret, so that nobody can choose an address that has the same slot as somebody else's.
func (tx *Tx) throttleSlot(caller string) int64 {
	var key []byte
	if len(tx.encrypter.keys) > 0 {
		key = tx.encrypter.keys[0].linkKey
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("throttle " + caller))
	return int64(binary.BigEndian.Uint32(mac.Sum(nil)) % slotCount)
}

// LockThrottle returns the recent failures of a caller and locks them until the transaction ends.
func (tx *Tx) LockThrottle(kind, caller string) (lost.Throttle, error) {
	slot := tx.throttleSlot(caller)
	_, err := tx.exec("INSERT INTO throttles (kind, slot, failures, free_at, over_at) VALUES ($1, $2, 0, 0, 0) ON "+
		"CONFLICT (kind, slot) DO NOTHING", kind, slot)
	if err != nil {
		return lost.Throttle{}, err
	}
	rs, err := tx.h.Query(tx.ctx,
		"SELECT failures, free_at, over_at FROM throttles AS t WHERE kind = $1 AND slot = $2"+tx.d.lock("t"), kind,
		slot)
	return requireRow("throttle", rs, err, func(rs rows) (t lost.Throttle, err error) {
		var free, over int64
		err = rs.Scan(&t.Failures, &free, &over)
		t.AllowedAt, t.ExpiresAt = fromMicros(free), fromMicros(over)
		return t, err
	})
}

// SaveThrottle saves the failures of a caller, or deletes the row if there are none.
func (tx *Tx) SaveThrottle(kind, caller string, t lost.Throttle) error {
	slot := tx.throttleSlot(caller)
	if t.Failures == 0 {
		return tx.queue("DELETE FROM throttles WHERE kind = $1 AND slot = $2", kind, slot)
	}
	return tx.queue("UPDATE throttles SET failures = $3, free_at = $4, over_at = $5 WHERE kind = $1 AND slot = $2",
		kind, slot, t.Failures, micros(t.AllowedAt), micros(t.ExpiresAt))
}

// PruneThrottles deletes at most limit expired rows and returns the number deleted. It works across
// all accounts; only cleanup uses it.
func (tx *Tx) PruneThrottles(limit int) (int64, error) {
	return tx.deleteOld("DELETE FROM throttles WHERE (kind, slot) IN "+
		"(SELECT kind, slot FROM throttles WHERE over_at < $1 LIMIT $2)", micros(tx.now), limit)
}
