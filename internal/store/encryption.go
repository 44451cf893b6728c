package store

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"homeward/internal/lost"
)

// encrypter encrypts data that must not be stored in plain text: webhook secrets and headers, TOTP
// seeds, and the responses stored for idempotency keys, which contain guests' data and may contain
// new API keys.
type encrypter struct {
	keys     []encryptionKey   // the first one encrypts; any of them can decrypt
	linkKeys map[string][]byte // keys for deriving link tokens, by the fingerprint of the secret
	// firstLinkKey is the link key of the first secret that the database was used with; nil if that
	// secret is the current one.
	firstLinkKey []byte
}

// encryptionKey holds the keys derived from one of the service's secrets.
type encryptionKey struct {
	aead        cipher.AEAD
	fingerprint string // identifies the secret without revealing it
	linkKey     []byte
	exampleKey  []byte
}

// UseSecret sets the service's secret, and the former secrets that existing data may be encrypted
// with. Without a secret, encrypted columns can be neither read nor written; everything else works.
func (db *DB) UseSecret(secret []byte, former ...[]byte) error {
	s := encrypter{linkKeys: map[string][]byte{}}
	for _, value := range append([][]byte{secret}, former...) {
		k, err := newEncryptionKey(value)
		if err != nil {
			return err
		}
		if _, ok := s.linkKeys[k.fingerprint]; ok {
			continue
		}
		s.keys = append(s.keys, k)
		s.linkKeys[k.fingerprint] = k.linkKey
	}
	*db.encrypter = s
	return nil
}

func newEncryptionKey(secret []byte) (k encryptionKey, err error) {
	const minLength = 16
	if len(secret) < minLength {
		return k, errors.New("the service's secret is too short: it must have at least 16 bytes")
	}
	derive := func(purpose string, size int) (key []byte) {
		if err == nil {
			key, err = hkdf.Key(sha256.New, secret, nil, purpose, size)
		}
		return key
	}
	key, fingerprint := derive("homeward sealed columns", 32), derive("homeward fingerprint", 16)
	k.linkKey = derive("homeward links", 32)
	k.exampleKey = derive("homeward match examples", 32)
	if err != nil {
		return k, fmt.Errorf("derive a key: %w", err)
	}
	k.fingerprint = hex.EncodeToString(fingerprint)
	block, err := aes.NewCipher(key)
	if err != nil {
		return k, fmt.Errorf("create a cipher: %w", err)
	}
	k.aead, err = cipher.NewGCMWithRandomNonce(block)
	return k, err
}

// SecretFingerprint returns a fingerprint that identifies a secret without revealing it.
func SecretFingerprint(secret []byte) (string, error) {
	k, err := newEncryptionKey(secret)
	return k.fingerprint, err
}

var errNoSecret = errors.New("the database was opened without the service's secret")

// prefixEnd ends the prefix of an encrypted text. The prefix identifies the secret that the text
// was encrypted with. Texts that were encrypted before the first rotation have no prefix.
const prefixEnd = "."

// prefixLength is the number of characters of the fingerprint in the prefix.
const prefixLength = 12

func (k encryptionKey) prefix() string { return k.fingerprint[:prefixLength] + prefixEnd }

// encrypt encrypts a string. It returns an empty string unchanged.
func (s *encrypter) encrypt(plain string) (string, error) {
	if len(s.keys) == 0 {
		return "", errNoSecret
	}
	if plain == "" {
		return "", nil
	}
	k := s.keys[0]
	sealed := k.aead.Seal(nil, nil, []byte(plain), nil) //nolint:gosec // G407: this AEAD generates its own nonce
	return k.prefix() + base64.StdEncoding.EncodeToString(sealed), nil
}

func (s *encrypter) decrypt(encrypted string) (string, error) {
	if encrypted == "" {
		return "", nil
	}
	if len(s.keys) == 0 {
		return "", errNoSecret
	}
	prefix, text, hasPrefix := strings.Cut(encrypted, prefixEnd)
	if !hasPrefix {
		prefix, text = "", encrypted
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return "", fmt.Errorf("decrypt a column: %w", err)
	}
	err = errors.New("encrypted with a secret that is not configured")
	for _, k := range s.keys {
		if !strings.HasPrefix(k.fingerprint, prefix) {
			continue
		}
		plain, openErr := k.aead.Open(nil, nil, raw, nil)
		if openErr == nil {
			return string(plain), nil
		}
		err = openErr
	}
	return "",
		fmt.Errorf("decrypt a column (if HOMEWARD_SECRET was changed, set HOMEWARD_SECRET_OLD to the old one): %w",
			err)
}

// SecretLoss counts what is lost, or must be replaced, together with the service's secret.
type SecretLoss struct {
	Endpoints   int // webhooks whose signing secret is lost
	Headers     int // webhooks whose headers are lost
	SecondSteps int // users whose two-step login is lost
	Passkeys    int // passkeys that no longer work, because their user handle is derived from the secret
	Responses   int // stored responses of idempotent requests
	Connections int // connections to hotel systems, whose credentials are lost
	Challenges  int // log-ins in progress and TLS certificates, which are requested again
	Links       int // guests' links; those already sent keep working
}

// CountSecretLoss counts what ResetSecret would replace or remove. It works across all accounts; only the operator's
// commands use it.
func (db *DB) CountSecretLoss(ctx context.Context) (l SecretLoss, err error) {
	for _, part := range []struct {
		sum  *int
		from string
	}{
		{&l.Endpoints, "endpoints WHERE secret <> ''"},
		{&l.Headers, "endpoints WHERE headers <> ''"},
		{&l.SecondSteps, "users WHERE two_step_at > 0"},
		{&l.Passkeys, "passkeys"},
		{&l.Responses, "answers"},
		{&l.Connections, "pms_connections"},
		{&l.Challenges, "challenges"},
		{&l.Links, "links WHERE revoked_at = 0"},
	} {
		rs, err := db.h.QueryPlanned(withScope(ctx, OperatorScope), "SELECT count(*) FROM "+part.from)
		if *part.sum, _, err = firstValue[int](rs, err); err != nil {
			return l, err
		}
	}
	return l, nil
}

// ResetEndpoints gives a new secret to at most limit endpoints whose secret was not encrypted with the current secret
// of the service, removes their headers, and returns them. It works across all accounts.
func (tx *Tx) ResetEndpoints(limit int, newSecret func() string) ([]DirectoryEntry, error) {
	found, err := tx.lostValues("endpoints", "secret", limit)
	if err != nil {
		return nil, err
	}
	for _, e := range found {
		encrypted, err := tx.encrypter.encrypt(newSecret())
		if err != nil {
			return nil, err
		}
		if err := tx.queue("UPDATE endpoints SET secret = $3, headers = '', old_secrets = '', updated_at = $4 "+
			"WHERE account_id = $1 AND id = $2", e.Account, e.Subject, encrypted, micros(tx.now)); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// LostSecondSteps returns at most limit users whose TOTP seed was not encrypted with the current secret of the service.
// It works across all accounts.
func (tx *Tx) LostSecondSteps(limit int) ([]DirectoryEntry, error) {
	return tx.lostValues("users", "two_step_seed", limit)
}

// lostValues returns at most limit rows with a value that was not encrypted with the current secret of the service.
func (tx *Tx) lostValues(table, column string, limit int) ([]DirectoryEntry, error) {
	q := &query{}
	q.where(column + " <> ''")
	q.where(column + " NOT LIKE " + q.arg(tx.encrypter.keys[0].prefix()+"%"))
	return tx.operatorEntries("SELECT account_id, id FROM "+table+q.clause()+" ORDER BY account_id, id"+
		limitClause(limit), q.args...)
}

// PasskeyOwners returns at most limit users who have passkeys. It works across all accounts.
func (tx *Tx) PasskeyOwners(limit int) ([]DirectoryEntry, error) {
	return tx.operatorEntries(
		"SELECT DISTINCT account_id, user_id FROM passkeys ORDER BY account_id, user_id" + limitClause(limit))
}

func (tx *Tx) operatorEntries(sql string, args ...any) ([]DirectoryEntry, error) {
	rs, err := tx.h.Query(withScope(tx.ctx, OperatorScope), sql, args...)
	return collect(rs, err, func(rs rows) (e DirectoryEntry, err error) {
		err = rs.Scan(&e.Account, &e.Subject)
		return e, err
	})
}

// DeleteLostRows deletes at most limit stored responses, challenges, push subscriptions, connections to hotel systems
// and candidates of guest look-ups, which cannot be decrypted without the former secret, and returns the number
// deleted. It works across all accounts.
func (tx *Tx) DeleteLostRows(limit int) (int64, error) {
	n, err := tx.deleteOld("DELETE FROM answers WHERE (account_id, once_key) IN "+
		"(SELECT account_id, once_key FROM answers ORDER BY created_at LIMIT $1)", limit)
	if err != nil {
		return n, err
	}
	more, err := tx.deleteOld("DELETE FROM challenges WHERE hash IN (SELECT hash FROM challenges LIMIT $1)", limit)
	if err != nil {
		return n + more, err
	}
	pushed, err := tx.deleteOld("DELETE FROM push_subscriptions WHERE (account_id, id) IN "+
		"(SELECT account_id, id FROM push_subscriptions LIMIT $1)", limit)
	if err != nil {
		return n + more + pushed, err
	}
	connected, err := tx.deleteOld("DELETE FROM pms_connections WHERE (account_id, location_id) IN "+
		"(SELECT account_id, location_id FROM pms_connections LIMIT $1)", limit)
	if err != nil {
		return n + more + pushed + connected, err
	}
	candidates, err := tx.deleteOld("DELETE FROM stay_candidates WHERE (account_id, id) IN "+
		"(SELECT account_id, id FROM stay_candidates LIMIT $1)", limit)
	return n + more + pushed + connected + candidates, err
}

// AddTokens adds directory entries for the tokens that at most limit links and e-mail links have with the current
// secret of the service, and returns the last of them. The entries of their former tokens stay, because guests have
// received those. It starts after the given entry and works across all accounts.
func (tx *Tx) AddTokens(kind DirectoryKind, after DirectoryEntry, limit int) (last DirectoryEntry, n int, err error) {
	table, version := "links", "version"
	if kind == TicketEntry {
		table, version = "tickets", "0"
	}
	rs, err := tx.h.Query(withScope(tx.ctx, OperatorScope), "SELECT account_id, id, "+version+" FROM "+table+
		" WHERE (account_id, id) > ($1, $2) ORDER BY account_id, id"+limitClause(limit), after.Account, after.Subject)
	found, err := collect(rs, err, func(rs rows) (l lost.Link, err error) {
		err = rs.Scan(&l.Account, &l.ID, &l.Version)
		return l, err
	})
	for _, l := range found {
		token, err := tx.LinkToken(l)
		if kind == TicketEntry {
			token, err = tx.TicketToken(lost.EmailLink{Account: l.Account, ID: l.ID})
		}
		if err != nil {
			return last, 0, err
		}
		if err := tx.queue("UPDATE "+table+" SET link_key = '' WHERE account_id = $1 AND id = $2", l.Account,
			l.ID); err != nil {
			return last, 0, err
		}
		if err := tx.queue("INSERT INTO directory (kind, hash, account_id, subject) VALUES ($1, $2, $3, $4) "+
			"ON CONFLICT (kind, hash) DO NOTHING", string(kind), DirectoryHash(token), l.Account, l.ID); err != nil {
			return last, 0, err
		}
		last = DirectoryEntry{Account: l.Account, Subject: l.ID}
	}
	return last, len(found), err
}

// ForgetFormerSecrets records that the database is used with the current secret of the service only.
func (tx *Tx) ForgetFormerSecrets() error {
	for _, kind := range []DirectoryKind{secretEntry, linkKeyEntry} {
		if err := tx.h.Queue(withScope(tx.ctx, OperatorScope), "DELETE FROM directory WHERE kind = $1",
			string(kind)); err != nil {
			return err
		}
	}
	return tx.AddEntry(secretEntry, "", DirectoryEntry{Subject: tx.encrypter.keys[0].fingerprint})
}
