package store

import (
	"context"
	"slices"
	"strconv"

	"golang.org/x/text/unicode/norm"

	"homeward/internal/lost"
)

// TouchUser records that a user is active.
func (tx *Tx) TouchUser(account, id string) error {
	return tx.queue("UPDATE users SET seen_at = $3 WHERE account_id = $1 AND id = $2", account, id, micros(tx.now))
}

// SetEmail changes the e-mail address that a user logs in with. If another transaction has claimed
// the address in the meantime, the transaction is retried.
func (tx *Tx) SetEmail(u lost.User) error {
	if err := tx.queue("UPDATE users SET email = $3, verified_at = $4 WHERE account_id = $1 AND id = $2", u.Account,
		u.ID, u.Email, micros(u.VerifiedAt)); err != nil {
		return err
	}
	return tx.ClaimEmail(u)
}

// CountOtherOwners returns how many of the account's owners can log in, not counting the given
// user.
func (r reader) CountOtherOwners(ctx context.Context, u lost.User) (int, error) {
	rs, err := r.h.Query(ctx,
		"SELECT count(*) FROM users WHERE account_id = $1 AND id <> $2 AND role = $3 AND disabled_at = 0", u.Account,
		u.ID, string(lost.OwnerRole))
	n, _, err := firstValue[int](rs, err)
	return n, err
}

// TOTP returns a user's TOTP settings, which are empty if TOTP is not set up.
func (r reader) TOTP(ctx context.Context, u lost.User) (lost.TOTPSettings, error) {
	rs, err := r.h.Query(ctx,
		"SELECT two_step_seed, two_step_at, two_step_used, recovery FROM users WHERE account_id = $1 AND id = $2",
		u.Account, u.ID)
	return requireRow("user", rs, err, func(rs rows) (t lost.TOTPSettings, err error) {
		var since int64
		var seed, recovery string
		if err = rs.Scan(&seed, &since, &t.Step, &recovery); err != nil {
			return t, err
		}
		t.Since = fromMicros(since)
		if t.Recovery, err = readStrings(recovery); err != nil {
			return t, err
		}
		t.Seed, err = r.encrypter.decrypt(seed)
		return t, err
	})
}

// SaveTOTP saves a user's TOTP settings. The caller must have locked the user.
func (tx *Tx) SaveTOTP(u lost.User, t lost.TOTPSettings) error {
	seed, err := tx.encrypter.encrypt(t.Seed)
	if err != nil {
		return err
	}
	return tx.queue("UPDATE users SET two_step_seed = $3, two_step_at = $4, two_step_used = $5, recovery = $6 WHERE "+
		"account_id = $1 AND id = $2",
		u.Account, u.ID, seed, micros(t.Since), t.Step, writeStrings(t.Recovery))
}

// DeleteTOTP deletes a user's TOTP settings. It works without the service's secret.
func (tx *Tx) DeleteTOTP(u lost.User) error {
	return tx.queue("UPDATE users SET two_step_seed = '', two_step_at = 0, two_step_used = 0, recovery = '' WHERE "+
		"account_id = $1 AND id = $2", u.Account, u.ID)
}

// The login changes that users are notified of by e-mail.
const (
	PasswordChanged  = "password-changed"
	AddressRequested = "address-requested" // sent to the old address, while the new one is not confirmed
	AddressChanged   = "address-changed"   // sent to the old address
	TOTPEnabled      = "two-step-on"
	TOTPDisabled     = "two-step-off"
	RecoveryRenewed  = "recovery-renewed"
	PasskeyAdded     = "passkey-added"
	PasskeyRemoved   = "passkey-removed"
	PasskeysRemoved  = "passkeys-removed" // another user removed the passkeys
	TOTPReset        = "two-step-reset"   // the service's secret was lost, see identity.ResetSecret
	PasskeysReset    = "passkeys-reset"   // like TOTPReset
	IdentityLinked   = "identity-linked"
	IdentityUnlinked = "identity-unlinked"
)

// AddLoginNoticeJob adds a job that notifies an address of a change to a user's login.
func (tx *Tx) AddLoginNoticeJob(account, change, address string) error {
	return tx.AddJob(account, JobLoginNotice, writeStrings([]string{change, address}), tx.now)
}

// AddLoginFailedJob adds a job that records a failed login of a user, who is empty for an unknown e-mail address.
func (tx *Tx) AddLoginFailedJob(u lost.User, client, note string) error {
	return tx.AddJob(u.Account, JobLoginFailed, writeStrings([]string{u.ID, client, note}), tx.now)
}

const userColumns = "account_id, id, email, name, role, password_hash, created_at, disabled_at, locations, " +
	"two_step_at, seen_at, verified_at, language"

func scanUser(rs rows) (u lost.User, err error) {
	var created, disabled, twoStep, seen, verified int64
	var role, locations string
	if err = rs.Scan(&u.Account, &u.ID, &u.Email, &u.Name, &role, &u.PasswordHash, &created, &disabled, &locations,
		&twoStep, &seen, &verified, &u.Language); err != nil {
		return u, err
	}
	u.Role, u.CreatedAt, u.DisabledAt = lost.Role(role), fromMicros(created), fromMicros(disabled)
	u.TwoStepAt, u.SeenAt, u.VerifiedAt = fromMicros(twoStep), fromMicros(seen), fromMicros(verified)
	u.Locations, err = readStrings(locations)
	return u, err
}

// User returns an account's user by id, or a NotFound error.
func (r reader) User(ctx context.Context, account, id string) (lost.User, error) {
	rs, err := r.h.Query(ctx, "SELECT "+userColumns+" FROM users WHERE account_id = $1 AND id = $2", account, id)
	return requireRow("user", rs, err, scanUser)
}

// LockUser returns a user and locks it until the transaction ends.
func (tx *Tx) LockUser(account, id string) (lost.User, error) {
	rs, err := tx.h.Query(tx.ctx,
		"SELECT "+userColumns+" FROM users AS u WHERE account_id = $1 AND id = $2"+tx.d.lock("u"), account, id)
	return requireRow("user", rs, err, scanUser)
}

// Users lists an account's users, oldest first.
func (r reader) Users(ctx context.Context, account string, limit int) ([]lost.User, error) {
	rs, err := r.h.Query(ctx, "SELECT "+userColumns+" FROM users WHERE account_id = $1 ORDER BY id LIMIT $2", account,
		limit)
	return collect(rs, err, scanUser)
}

// InsertUser adds a user and the directory entry for the user's e-mail address.
func (tx *Tx) InsertUser(u lost.User) error {
	if err := tx.insertUser(u); err != nil {
		return err
	}
	return tx.addUserEntry(u)
}

func (tx *Tx) insertUser(u lost.User) error {
	return tx.queue("INSERT INTO users ("+userColumns+") VALUES "+
		"($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
		u.Account, u.ID, u.Email, u.Name, string(u.Role), u.PasswordHash, micros(u.CreatedAt), micros(u.DisabledAt),
		writeStrings(u.Locations), micros(u.TwoStepAt), micros(u.SeenAt), micros(u.VerifiedAt),
		u.Language)
}

// SaveUser saves the mutable fields of a user.
func (tx *Tx) SaveUser(u lost.User) error {
	tx.notePageChange(u.Account, "", u.ID, AccessChanged)
	return tx.queue("UPDATE users SET name = $3, role = $4, password_hash = $5, disabled_at = $6, locations = $7, "+
		"verified_at = $8, language = $9 WHERE account_id = $1 AND id = $2",
		u.Account, u.ID, u.Name, string(u.Role), u.PasswordHash, micros(u.DisabledAt), writeStrings(u.Locations),
		micros(u.VerifiedAt), u.Language)
}

// UserByEmail finds the user who logs in with an e-mail address.
func (r reader) UserByEmail(ctx context.Context, email string) (lost.User, bool, error) {
	for _, key := range userKeys(email) {
		u, found, err := r.userByEntry(ctx, key, email)
		if err != nil || found {
			return u, found, err
		}
	}
	return lost.User{}, false, nil
}

// userKeys returns the keys under which the user with an e-mail address may be stored. Earlier versions stored folded
// addresses, and later ones did not compose letters and accents. The address as it is written comes first, because
// these versions could have two users whose addresses differ only in that.
func userKeys(email string) []string {
	keys := []string{lost.EmailKey(email)}
	if written := lost.EarlierEmailKey(email); written != keys[0] {
		keys = slices.Insert(keys, 0, written)
	}
	if decomposed := lost.EarlierEmailKey(norm.NFD.String(email)); !slices.Contains(keys, decomposed) {
		keys = append(keys, decomposed)
	}
	return append(keys, Fold(email))
}

// userByEntry returns the user of a directory entry if their e-mail address identifies the same person.
func (r reader) userByEntry(ctx context.Context, key, email string) (u lost.User, found bool, err error) {
	e, found, err := r.Lookup(ctx, UserEntry, DirectoryHash(key))
	if err != nil || !found {
		return u, false, err
	}
	u, err = r.User(ctx, e.Account, e.Subject)
	if err != nil {
		return lost.User{}, false, lost.IgnoreNotFound(err)
	}
	return u, lost.EmailKey(u.Email) == lost.EmailKey(email) ||
		lost.EarlierEmailKey(u.Email) == lost.EarlierEmailKey(email), nil
}

// addUserEntry adds the directory entry for a user's e-mail address. Earlier versions stored folded addresses, so the
// key may belong to another user with a similar address. In that case, the other user's entry is moved to the right
// key. If another transaction has claimed the address in the meantime, the transaction is retried.
func (tx *Tx) addUserEntry(u lost.User) error {
	key := lost.EmailKey(u.Email)
	e, found, err := tx.Lookup(tx.ctx, UserEntry, DirectoryHash(key))
	if err != nil {
		return err
	}
	if found && e.Subject != u.ID {
		other, err := tx.User(tx.ctx, e.Account, e.Subject)
		if err != nil {
			return err
		}
		if otherKey := lost.EmailKey(other.Email); otherKey != key {
			if err := tx.RemoveEntry(UserEntry, e); err != nil {
				return err
			}
			if err := tx.AddEntry(UserEntry, DirectoryHash(otherKey), e); err != nil {
				return err
			}
		}
	}
	return tx.AddEntry(UserEntry, DirectoryHash(key), DirectoryEntry{Account: u.Account, Subject: u.ID})
}

// maxUnconfirmed is the maximum number of users who have not confirmed an e-mail address that is another user's login.
// Each of them belongs to another account.
const maxUnconfirmed = 10

func unconfirmedHash(email string, n int) string {
	return DirectoryHash(strconv.Itoa(n) + " " + lost.EmailKey(email))
}

// UnconfirmedUsers lists the users who have an e-mail address without having confirmed it, while another user logs in
// with it. They are found only here, not by UserByEmail.
func (r reader) UnconfirmedUsers(ctx context.Context, email string) (users []lost.User, err error) {
	q := &query{}
	q.where("kind = " + q.arg(string(UnconfirmedEntry)))
	hashes := make([]string, maxUnconfirmed)
	for n := range hashes {
		hashes[n] = unconfirmedHash(email, n)
	}
	whereIn(q, "hash", hashes)
	rs, err := r.h.Query(withScope(ctx, DirectoryScope), "SELECT account_id, subject FROM directory"+q.clause()+
		" ORDER BY subject", q.args...)
	entries, err := collect(rs, err, func(rs rows) (e DirectoryEntry, err error) {
		err = rs.Scan(&e.Account, &e.Subject)
		return e, err
	})
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		u, err := r.User(ctx, e.Account, e.Subject)
		if err != nil {
			return nil, err
		}
		users = append(users, u)
	}
	return users, nil
}

// InsertUnconfirmedUser adds a user whose e-mail address is another user's login.
func (tx *Tx) InsertUnconfirmedUser(u lost.User) error {
	if err := tx.insertUser(u); err != nil {
		return err
	}
	return tx.addUnconfirmedEntry(u)
}

// YieldEmail lets another user log in with the e-mail address of a user who has not confirmed it.
func (tx *Tx) YieldEmail(u lost.User) error {
	if err := tx.RemoveEntry(UserEntry, DirectoryEntry{Account: u.Account, Subject: u.ID}); err != nil {
		return err
	}
	return tx.addUnconfirmedEntry(u)
}

// ClaimEmail makes an e-mail address the login of a user who has confirmed it. It must not be another user's login.
func (tx *Tx) ClaimEmail(u lost.User) error {
	for _, kind := range []DirectoryKind{UserEntry, UnconfirmedEntry} {
		if err := tx.RemoveEntry(kind, DirectoryEntry{Account: u.Account, Subject: u.ID}); err != nil {
			return err
		}
	}
	return tx.addUserEntry(u)
}

// addUnconfirmedEntry adds an entry by which UnconfirmedUsers finds a user.
func (tx *Tx) addUnconfirmedEntry(u lost.User) error {
	for n := range maxUnconfirmed {
		hash := unconfirmedHash(u.Email, n)
		if _, taken, err := tx.Lookup(tx.ctx, UnconfirmedEntry, hash); err != nil {
			return err
		} else if !taken {
			return tx.AddEntry(UnconfirmedEntry, hash, DirectoryEntry{Account: u.Account, Subject: u.ID})
		}
	}
	return lost.E(lost.Conflict, "Too many accounts have users with this e-mail address. Use another one.")
}

const identityColumns = "i.account_id, i.id, i.user_id, i.issuer, i.subject, i.used_at, i.created_at"

func scanIdentity(rs rows) (i lost.Identity, err error) {
	var used, created int64
	err = rs.Scan(&i.Account, &i.ID, &i.UserID, &i.Issuer, &i.Subject, &used, &created)
	i.UsedAt, i.CreatedAt = fromMicros(used), fromMicros(created)
	return i, err
}

// identityHash returns the directory hash of a subject at a provider. An issuer never contains a
// line break.
func identityHash(issuer, subject string) string { return DirectoryHash(issuer + "\n" + subject) }

// IdentityBySubject returns the identity of a subject at a provider, or a NotFound error. Like
// Lookup, it works before the account is known.
func (r reader) IdentityBySubject(ctx context.Context, issuer, subject string) (lost.Identity, error) {
	return lookupRecord(ctx, r, IdentityEntry, identityHash(issuer, subject), "identity", scanIdentity, identityColumns,
		"identities i WHERE i.account_id = $1 AND i.id = $2")
}

// Identity returns a user's identity at a provider, or a NotFound error.
func (r reader) Identity(ctx context.Context, u lost.User, issuer string) (lost.Identity, error) {
	rs, err := r.h.Query(ctx,
		"SELECT "+identityColumns+" FROM identities i WHERE i.account_id = $1 AND i.user_id = $2 AND i.issuer = $3",
		u.Account, u.ID, issuer)
	return requireRow("identity", rs, err, scanIdentity)
}

// InsertIdentity adds an identity and its directory entry. If the identity already exists, the
// transaction is retried.
func (tx *Tx) InsertIdentity(i lost.Identity) error {
	if err := tx.queue("INSERT INTO identities (account_id, id, user_id, issuer, subject, used_at, created_at) "+
		"VALUES ($1, $2, $3, $4, $5, $6, $7)",
		i.Account, i.ID, i.UserID, i.Issuer, i.Subject, micros(i.UsedAt), micros(i.CreatedAt)); err != nil {
		return err
	}
	return tx.AddEntry(IdentityEntry, identityHash(i.Issuer, i.Subject),
		DirectoryEntry{Account: i.Account, Subject: i.ID})
}

// TouchIdentity records that an identity was used to log in.
func (tx *Tx) TouchIdentity(i lost.Identity) error {
	return tx.queue("UPDATE identities SET used_at = $3 WHERE account_id = $1 AND id = $2", i.Account, i.ID,
		micros(tx.now))
}

// DeleteIdentity deletes an identity, which can then no longer be used to log in.
func (tx *Tx) DeleteIdentity(i lost.Identity) error {
	if err := tx.RemoveEntry(IdentityEntry, DirectoryEntry{Account: i.Account, Subject: i.ID}); err != nil {
		return err
	}
	return tx.queue("DELETE FROM identities WHERE account_id = $1 AND id = $2", i.Account, i.ID)
}
