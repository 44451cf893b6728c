package store

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
)

const (
	// secretEntry is the kind of directory entry that holds the fingerprint of a secret. The entry
	// of the current secret has an empty hash. The entry of a former secret that data may still be
	// encrypted with has the fingerprint as its hash.
	secretEntry DirectoryKind = "secret"
	// linkKeyEntry is the kind of directory entry that holds the encrypted link key of a former
	// secret. With this key, links keep working after the former secret is no longer configured.
	linkKeyEntry DirectoryKind = "link-key"
	// firstLinkKey is the name under which the first secret's link key is stored. Passkey handles
	// are always derived from this key.
	firstLinkKey = "first"
)

// CheckSecret returns an error unless the configured secrets are those that the database is used
// with. With other secrets, encrypted data could not be read, and nobody would notice until it was
// needed. A new secret is accepted only together with the secret that it replaces.
func (db *DB) CheckSecret(ctx context.Context) error {
	var linkKeys map[string][]byte
	err := db.Write(ctx, func(tx *Tx) error {
		var err error
		if err = tx.adoptSecret(); err == nil {
			linkKeys, err = tx.linkKeys()
		}
		return err
	})
	if err != nil {
		return err
	}
	for name, key := range linkKeys {
		if name == firstLinkKey {
			db.encrypter.firstLinkKey = key
		} else {
			db.encrypter.linkKeys[name] = key
		}
	}
	return nil
}

// SecretFingerprints returns the fingerprints of the secrets that the database is used with: first
// the current one, then the former secrets that data may still be encrypted with. The list is empty
// if the database was never used with a secret.
func (db *DB) SecretFingerprints(ctx context.Context) ([]string, error) {
	used, err := db.directoryRows(ctx, secretEntry)
	return fingerprintsOf(used), err
}

func fingerprintsOf(used []directoryRow) []string {
	fingerprints := make([]string, len(used))
	for n, e := range used {
		fingerprints[n] = e.Subject
	}
	return fingerprints
}

// adoptSecret compares the configured secrets with those in use, and makes the first configured
// secret the current one if possible.
func (tx *Tx) adoptSecret() error {
	if len(tx.encrypter.keys) == 0 {
		return errNoSecret
	}
	used, err := tx.directoryRows(tx.ctx, secretEntry)
	if err != nil {
		return err
	}
	current := tx.encrypter.keys[0].fingerprint
	if len(used) == 0 {
		return tx.AddEntry(secretEntry, "", DirectoryEntry{Subject: current})
	}
	fingerprints := fingerprintsOf(used)
	var missing []string
	for _, fingerprint := range fingerprints {
		if !tx.encrypter.has(fingerprint) {
			missing = append(missing, fingerprint[:prefixLength])
		}
	}
	switch {
	case len(missing) > 0 && !slices.Contains(fingerprints, current):
		return errors.New("this is not the secret that the database is used with; every instance of the service " +
			"needs the same secret. To change the secret, set HOMEWARD_SECRET_OLD to the old secret")
	case len(missing) > 0:
		return fmt.Errorf("some data is still encrypted with another secret (%s): keep it in HOMEWARD_SECRET_OLD "+
			"until homeward secret rotate is done", strings.Join(missing, ", "))
	case slices.Contains(fingerprints, current):
		return nil
	default:
		return tx.replaceSecret(current, used)
	}
}

func (s *encrypter) has(fingerprint string) bool {
	return slices.ContainsFunc(s.keys, func(k encryptionKey) bool { return k.fingerprint == fingerprint })
}

// replaceSecret makes another secret the current one and stores the link keys of the former
// secrets.
func (tx *Tx) replaceSecret(current string, used []directoryRow) error {
	linkKeys, err := tx.linkKeys()
	if err != nil {
		return err
	}
	err = tx.h.Queue(withScope(tx.ctx, OperatorScope), "DELETE FROM directory WHERE kind = $1", string(secretEntry))
	if err != nil {
		return err
	}
	if err := tx.AddEntry(secretEntry, "", DirectoryEntry{Subject: current}); err != nil {
		return err
	}
	for _, e := range used {
		if e.Subject == current {
			continue
		}
		if err := tx.AddEntry(secretEntry, e.Subject, DirectoryEntry{Subject: e.Subject}); err != nil {
			return err
		}
		if _, ok := linkKeys[e.Subject]; !ok {
			if err := tx.addLinkKey(e.Subject, tx.encrypter.linkKeys[e.Subject]); err != nil {
				return err
			}
		}
		if _, ok := linkKeys[firstLinkKey]; !ok && e.hash == "" {
			if err := tx.addLinkKey(firstLinkKey, tx.encrypter.linkKeys[e.Subject]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (tx *Tx) addLinkKey(name string, key []byte) error {
	encrypted, err := tx.encrypter.encrypt(base64.StdEncoding.EncodeToString(key))
	if err != nil {
		return err
	}
	return tx.AddEntry(linkKeyEntry, name, DirectoryEntry{Subject: encrypted})
}

// linkKeys returns the decrypted link keys that are stored in the database, by name.
func (tx *Tx) linkKeys() (map[string][]byte, error) {
	stored, err := tx.directoryRows(tx.ctx, linkKeyEntry)
	if err != nil {
		return nil, err
	}
	keys := map[string][]byte{}
	for _, row := range stored {
		plain, err := tx.encrypter.decrypt(row.Subject)
		if err != nil {
			return nil, err
		}
		if keys[row.hash], err = base64.StdEncoding.DecodeString(plain); err != nil {
			return nil, fmt.Errorf("read a link key: %w", err)
		}
	}
	return keys, nil
}

// directoryRow is a directory entry that does not refer to an account.
type directoryRow struct{ hash, Subject string }

func (r reader) directoryRows(ctx context.Context, kind DirectoryKind) ([]directoryRow, error) {
	const limit = 100
	rs, err := r.h.Query(withScope(ctx, OperatorScope),
		"SELECT hash, subject FROM directory WHERE kind = $1 ORDER BY hash"+limitClause(limit), string(kind))
	return collect(rs, err, func(rs rows) (e directoryRow, err error) {
		err = rs.Scan(&e.hash, &e.Subject)
		return e, err
	})
}

// SecretRecords describes the secrets that a database was used with.
type SecretRecords struct{ secrets, linkKeys []directoryRow }

// SecretRecords describes the secrets that the database was used with.
func (db *DB) SecretRecords(ctx context.Context) (r SecretRecords, err error) {
	if r.secrets, err = db.directoryRows(ctx, secretEntry); err != nil {
		return r, err
	}
	r.linkKeys, err = db.directoryRows(ctx, linkKeyEntry)
	return r, err
}

// Empty reports whether the database was never used with a secret.
func (r SecretRecords) Empty() bool { return len(r.secrets) == 0 }

// Same reports whether two databases were used with the same secrets. If so, each can decrypt the
// other's data, and links and passkeys from one work with the other.
func (r SecretRecords) Same(other SecretRecords) bool {
	// Only the names can be compared, because the same key is encrypted differently each time.
	sameName := func(a, b directoryRow) bool { return a.hash == b.hash }
	return slices.Equal(r.secrets, other.secrets) && slices.EqualFunc(r.linkKeys, other.linkKeys, sameName)
}

// AddSecretRecords adds the secret records of another database to a database that has none.
func (tx *Tx) AddSecretRecords(r SecretRecords) error {
	for _, e := range r.secrets {
		if err := tx.AddEntry(secretEntry, e.hash, DirectoryEntry{Subject: e.Subject}); err != nil {
			return err
		}
	}
	for _, e := range r.linkKeys {
		if err := tx.AddEntry(linkKeyEntry, e.hash, DirectoryEntry{Subject: e.Subject}); err != nil {
			return err
		}
	}
	return nil
}

// encryptedColumn is a column that contains encrypted values.
type encryptedColumn struct {
	table, column string
	key           []string // columns that identify a row
	only          string   // condition for the encrypted rows; empty if all rows are encrypted
}

// encryptedColumns lists all encrypted columns. A column that is missing here would not be
// re-encrypted with a new secret. A test compares the list with the schema.
func encryptedColumns() []encryptedColumn {
	idKey := []string{"account_id", "id"}
	return []encryptedColumn{
		{table: "endpoints", column: "headers", key: idKey},
		{table: "endpoints", column: "secret", key: idKey},
		{table: "endpoints", column: "old_secrets", key: idKey},
		{table: "users", column: "two_step_seed", key: idKey},
		{table: "push_subscriptions", column: "receiver", key: idKey},
		{table: "pms_connections", column: "settings", key: []string{"account_id", "location_id"}},
		{table: "stay_candidates", column: "content", key: idKey},
		{table: "challenges", column: "data", key: []string{"hash"}},
		{table: "answers", column: "answer", key: []string{"account_id", "once_key"}},
		{
			table: "directory", column: "subject", key: []string{"kind", "hash"},
			only: "kind = '" + string(linkKeyEntry) + "'",
		},
	}
}

// RotationProgress is the progress of a secret rotation in one column.
type RotationProgress struct {
	Column     string // table and column
	Encrypted  int    // number of values that were encrypted again
	Unreadable int    // number of values encrypted with a secret that is not configured
}

// RotateSecret re-encrypts all data that was encrypted with former secrets. It works in batches and
// can run while the service is running. After an interruption, it can be called again and
// continues. If it returns no error, the former secrets are no longer needed.
func (db *DB) RotateSecret(ctx context.Context, progress func(RotationProgress)) error {
	ctx = BatchContext(withScope(ctx, OperatorScope), nil)
	if err := db.CheckSecret(ctx); err != nil {
		return err
	}
	// An instance that was started with the secrets in another order may have made another secret
	// the current one.
	err := db.Write(ctx, func(tx *Tx) error {
		used, err := tx.directoryRows(tx.ctx, secretEntry)
		if err != nil || used[0].Subject == tx.encrypter.keys[0].fingerprint {
			return err
		}
		return tx.replaceSecret(tx.encrypter.keys[0].fingerprint, used)
	})
	if err != nil {
		return err
	}
	unreadable := 0
	for _, column := range encryptedColumns() {
		r, err := db.reencryptColumn(ctx, column, progress)
		if err != nil {
			return err
		}
		unreadable += r.Unreadable
	}
	if unreadable > 0 {
		return fmt.Errorf("%d values are encrypted with a secret that is not configured: add it to "+
			"HOMEWARD_SECRET_OLD and rotate again; until then, all secrets are still needed", unreadable)
	}
	return db.Write(ctx, func(tx *Tx) error {
		return tx.h.Queue(withScope(tx.ctx, OperatorScope), "DELETE FROM directory WHERE kind = $1 AND hash <> ''",
			string(secretEntry))
	})
}

func (db *DB) reencryptColumn(ctx context.Context, column encryptedColumn,
	progress func(RotationProgress)) (r RotationProgress, err error) {
	const batchSize = 200
	r.Column = column.table + "." + column.column
	for after := []string(nil); ; {
		var seen int
		var last []string
		before := r
		err := db.Write(ctx, func(tx *Tx) (err error) {
			r = before // a retry starts with the same counts
			seen, last, err = tx.reencryptBatch(column, after, batchSize, &r)
			return err
		})
		if err != nil {
			return r, fmt.Errorf("encrypt %s again: %w", r.Column, err)
		}
		after = last
		progress(r)
		if seen < batchSize {
			return r, nil
		}
	}
}

// reencryptBatch re-encrypts at most limit values, in the order of their keys. It starts with the
// first key that is greater than after.
func (tx *Tx) reencryptBatch(column encryptedColumn, after []string, limit int,
	r *RotationProgress) (seen int, last []string, err error) {
	q := &query{}
	q.where(column.column + " <> ''")
	q.where(column.column + " NOT LIKE " + q.arg(tx.encrypter.keys[0].prefix()+"%"))
	if column.only != "" {
		q.where(column.only)
	}
	keys := strings.Join(column.key, ", ")
	q.compare(keys, ">", after)
	rs, err := tx.h.Query(tx.ctx,
		"SELECT "+column.column+", "+keys+" FROM "+column.table+" AS p"+q.clause()+" ORDER BY "+keys+limitClause(limit)+
			tx.d.lock("p"), q.args...)
	found, err := scanTexts(rs, err, 1+len(column.key))
	if err != nil {
		return 0, nil, err
	}
	last = after
	for _, row := range found {
		last = row[1:]
		plain, decryptErr := tx.encrypter.decrypt(row[0])
		if decryptErr != nil {
			r.Unreadable++
			continue
		}
		encrypted, err := tx.encrypter.encrypt(plain)
		if err != nil {
			return 0, nil, err
		}
		if err := tx.setText(column.table, column.column, encrypted, column.key, row[1:]); err != nil {
			return 0, nil, err
		}
		r.Encrypted++
	}
	return len(found), last, nil
}

// CountUndecryptable counts the values that were encrypted with a secret that is not configured, up
// to a limit. Such values may have been written by an instance that still ran with the former
// secret at the end of a rotation. CountUndecryptable works across all accounts; only the
// operator's commands use it.
func (db *DB) CountUndecryptable(ctx context.Context) (n int, err error) {
	ctx = withScope(ctx, OperatorScope)
	const limit = 1000
	for _, column := range encryptedColumns() {
		q := &query{}
		q.where(column.column + " LIKE " + q.arg(strings.Repeat("_", prefixLength)+prefixEnd+"%"))
		for _, k := range db.encrypter.keys {
			q.where(column.column + " NOT LIKE " + q.arg(k.prefix()+"%"))
		}
		if column.only != "" {
			q.where(column.only)
		}
		rs, err := db.h.QueryPlanned(ctx,
			"SELECT count(*) FROM (SELECT 1 FROM "+column.table+q.clause()+limitClause(limit)+") AS strange", q.args...)
		found, _, err := firstValue[int](rs, err)
		if err != nil {
			return n, err
		}
		n += found
	}
	return n, nil
}
