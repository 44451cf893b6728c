package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"homeward/internal/lost"
)

// tokenBytes is the length of a token in bytes. Its 160 bits cannot be guessed.
const tokenBytes = 20

var tokenText = base32.StdEncoding.WithPadding(base32.NoPadding)

// LinkToken returns the last part of a link's URL. It is derived from the service's secret and not stored.
func (r reader) LinkToken(l lost.Link) (string, error) {
	return r.encrypter.deriveToken(l.Key, l.Account+" "+l.ID+" "+strconv.Itoa(l.Version))
}

// deriveToken derives a token from a name and the secret with the given fingerprint. With an empty
// fingerprint, it uses the first secret that the database was used with.
func (s *encrypter) deriveToken(fingerprint, name string) (string, error) {
	key, err := s.deriveKey(fingerprint, name)
	if err != nil {
		return "", err
	}
	return strings.ToLower(tokenText.EncodeToString(key[:tokenBytes])), nil
}

// deriveKey is like deriveToken, but returns 32 bytes.
func (s *encrypter) deriveKey(fingerprint, name string) ([]byte, error) {
	if len(s.keys) == 0 {
		return nil, errNoSecret
	}
	key := s.linkKeys[fingerprint]
	if fingerprint == "" {
		if key = s.firstLinkKey; key == nil {
			key = s.keys[0].linkKey
		}
	}
	if key == nil {
		return nil, errors.New("the secret of this link is not configured: add it to HOMEWARD_SECRET_OLD")
	}
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte(name))
	return mac.Sum(nil), nil
}

// currentLinkKey returns the fingerprint of the secret that new tokens are derived from. It is
// empty for the first secret.
func (s *encrypter) currentLinkKey() string {
	if len(s.keys) == 0 || s.firstLinkKey == nil {
		return ""
	}
	return s.keys[0].fingerprint
}

const linkColumns = "account_id, id, location_id, item_id, address, version, expires_at, revoked_at, created_at, " +
	"link_key"

func scanLink(rs rows) (l lost.Link, err error) {
	var expires, revoked, created int64
	err = rs.Scan(&l.Account, &l.ID, &l.LocationID, &l.ItemID, &l.Address, &l.Version, &expires, &revoked, &created,
		&l.Key)
	l.ExpiresAt, l.RevokedAt, l.CreatedAt = fromMicros(expires), fromMicros(revoked), fromMicros(created)
	return l, err
}

// Link returns an account's link by id, or a NotFound error.
func (r reader) Link(ctx context.Context, account, id string) (lost.Link, error) {
	rs, err := r.h.Query(ctx, "SELECT "+linkColumns+" FROM links WHERE account_id = $1 AND id = $2", account, id)
	return requireRow("link", rs, err, scanLink)
}

// LinksOfItem lists the links to an item, newest first.
func (r reader) LinksOfItem(ctx context.Context, account, item string) ([]lost.Link, error) {
	rs, err := r.h.Query(ctx,
		"SELECT "+linkColumns+" FROM links WHERE account_id = $1 AND item_id = $2 ORDER BY id DESC", account, item)
	return collect(rs, err, scanLink)
}

// LinksByID lists an account's links with the given ids, oldest first.
func (r reader) LinksByID(ctx context.Context, account string, ids []string) ([]lost.Link, error) {
	return rowsByID(ctx, r, linkColumns, "links", account, ids, scanLink)
}

// LinkForAddress returns the link to an item that was sent to an address in any spelling, and whether there is one.
func (r reader) LinkForAddress(ctx context.Context, account, item, address string) (lost.Link, bool, error) {
	links, err := r.LinksOfItem(ctx, account, item)
	// Earlier versions added a link for each spelling.
	n := slices.IndexFunc(links, func(l lost.Link) bool { return l.Address == address })
	if n < 0 {
		n = slices.IndexFunc(links, func(l lost.Link) bool { return lost.SameAddress(l.Address, address) })
	}
	if err != nil || n < 0 {
		return lost.Link{}, false, err
	}
	return links[n], true, nil
}

// InsertLink adds a link and its directory entry, if its item exists.
func (tx *Tx) InsertLink(l lost.Link) error {
	l.Key = tx.encrypter.currentLinkKey()
	err := tx.queueForItem(l.ItemID, "INSERT INTO links ("+linkColumns+
		`) SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 FROM items WHERE account_id = $1 AND id = $4`,
		l.Account, l.ID, l.LocationID, l.ItemID, l.Address, l.Version, micros(l.ExpiresAt), micros(l.RevokedAt),
		micros(l.CreatedAt), l.Key)
	if err != nil {
		return err
	}
	return tx.addToken(l)
}

// addToken adds the directory entry of a link, if its item exists. The condition is not that the link exists, because
// PostgreSQL would plan that with the statistics of a table that has just been empty, and read all links.
func (tx *Tx) addToken(l lost.Link) error {
	token, err := tx.LinkToken(l)
	if err != nil {
		return err
	}
	return tx.queueForItem(l.ItemID, "INSERT INTO directory (kind, hash, account_id, subject) "+
		"SELECT $1, $2, account_id, $4 FROM items WHERE account_id = $3 AND id = $5",
		string(LinkEntry), DirectoryHash(token), l.Account, l.ID, l.ItemID)
}

// SaveLink saves the mutable fields of a link. A new version has a new token, and the old token
// stops working.
func (tx *Tx) SaveLink(before, l lost.Link) error {
	if before.Version != l.Version {
		l.Key = tx.encrypter.currentLinkKey()
	}
	err := tx.queue("UPDATE links SET version = $3, expires_at = $4, revoked_at = $5, link_key = $6 WHERE account_id "+
		"= $1 AND id = $2",
		l.Account, l.ID, l.Version, micros(l.ExpiresAt), micros(l.RevokedAt), l.Key)
	if err != nil || before.Version == l.Version {
		return err
	}
	if err := tx.RemoveEntry(LinkEntry, DirectoryEntry{Account: l.Account, Subject: l.ID}); err != nil {
		return err
	}
	return tx.addToken(l)
}

// ReplyToken returns the token in the address for replies to messages with a link. It is derived like the link's token,
// but does not open the guest's page, because mail servers log addresses. It stays the same if the link is renewed with
// the same secret.
func (r reader) ReplyToken(l lost.Link) (string, error) {
	return r.encrypter.deriveToken(l.Key, "reply "+l.Account+" "+l.ID)
}

// AddReplyToken adds the directory entries that find a link by the token for replies, and by the phone number of the
// guest if messages are sent there. The entry for the number gets the present time, because LookupPhone sorts by it.
func (tx *Tx) AddReplyToken(l lost.Link) error {
	if err := tx.addReplyEntry(l); err != nil || !strings.HasPrefix(l.Address, "+") {
		return err
	}
	e := DirectoryEntry{Account: l.Account, Subject: l.ID}
	if err := tx.RemoveEntry(PhoneEntry, e); err != nil {
		return err
	}
	return tx.AddEntry(PhoneEntry, phoneHash(l.Address)+fmt.Sprintf("%016x", micros(tx.now))+DirectoryHash(l.ID), e)
}

// addReplyEntry adds the directory entry that finds a link by the token for replies, unless there is one.
func (tx *Tx) addReplyEntry(l lost.Link) error {
	token, err := tx.ReplyToken(l)
	if err != nil {
		return err
	}
	return tx.queue("INSERT INTO directory (kind, hash, account_id, subject) VALUES ($1, $2, $3, $4) "+
		"ON CONFLICT (kind, hash) DO NOTHING", string(ReplyEntry), DirectoryHash(token), l.Account, l.ID)
}

// AddReplyEntry is like AddReplyToken, but for e-mails only. It does nothing if the link no longer exists.
func (tx *Tx) AddReplyEntry(l lost.Link) error {
	// The lock prevents an entry that outlives the link: a link is deleted before its entries.
	rs, err := tx.h.Query(tx.ctx, "SELECT 1 FROM links AS l WHERE account_id = $1 AND id = $2"+tx.d.lock("l"),
		l.Account, l.ID)
	if _, found, err := firstValue[int](rs, err); err != nil || !found {
		return err
	}
	return tx.addReplyEntry(l)
}

// phoneHash returns the beginning of the hashes of the directory entries for a phone number. A guest may have several
// links. The rest of a hash is the time of the last message with the link, and the hash of the link's id.
func phoneHash(number string) string { return DirectoryHash(lost.AddressKey(number)) }

// LookupPhone returns at most limit entries of links to which text messages were sent, and to which replies from a
// phone number may belong. The link with the last message is the first. Entries of the account except, which may be
// empty, are left out. Like Lookup, it works before the account is known.
func (r reader) LookupPhone(ctx context.Context, number, except string, limit int) ([]DirectoryEntry, error) {
	hash := phoneHash(number)
	rs, err := r.h.Query(withScope(ctx, DirectoryScope), "SELECT account_id, subject FROM directory "+
		"WHERE kind = $1 AND hash >= $2 AND hash < $3 AND account_id <> $4 ORDER BY hash DESC"+limitClause(limit),
		string(PhoneEntry), hash, hash+"g", except) // g follows all hexadecimal digits
	return collect(rs, err, func(rs rows) (e DirectoryEntry, err error) {
		err = rs.Scan(&e.Account, &e.Subject)
		return e, err
	})
}

// deleteGuestData deletes the links, messages, conversations, tasks, clearances and suggestions from photos of items.
func (tx *Tx) deleteGuestData(account string, items []string) error {
	q := &query{}
	q.where("account_id = " + q.arg(account))
	whereIn(q, "item_id", items)
	_, err := tx.deleteWithEntries(tx.ctx, LinkEntry, "DELETE FROM links"+q.clause(), q.args...)
	if err != nil {
		return err
	}
	if err := tx.deleteOf("messages", "item_id", account, items); err != nil {
		return err
	}
	if _, err := tx.deleteThreads(account, items); err != nil {
		return err
	}
	if err := tx.deleteOf("tasks", "item_id", account, items); err != nil {
		return err
	}
	if err := tx.deleteOf("photo_suggestions", "item_id", account, items); err != nil {
		return err
	}
	return tx.deleteOf("clearance_items", "item_id", account, items)
}
