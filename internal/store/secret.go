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
	// secretEntry is the kind of entries with fingerprints of secrets: under the empty hash that of the current one,
	// under their own those of former ones that data may still be encrypted with.
	secretEntry DirectoryKind = "secret"
	// linkKeyEntry is the kind of entries with the encrypted link keys of former secrets, so that links keep working
	// when a former secret is no longer configured.
	linkKeyEntry DirectoryKind = "link-key"
	// firstLinkKey is the name of the link key of the first secret. Passkey handles are derived from it permanently.
	firstLinkKey = "first"
)

// CheckSecret returns an error unless the configured secrets are those that the database is used with. With others,
// encrypted data could not be read, which nobody would notice until it is needed. A new secret is accepted together
// with the one that it replaces.
func (db *DB) CheckSecret(ctx context.Context) error {
	var kept map[string][]byte
	err := db.Write(ctx, func(tx *Tx) error {
		var err error
		if err = tx.adoptSecret(); err == nil {
			kept, err = tx.linkKeys()
		}
		return err
	})
	if err != nil {
		return err
	}
	for name, key := range kept {
		if name == firstLinkKey {
			db.encrypter.firstLinkKey = key
		} else {
			db.encrypter.linkKeys[name] = key
		}
	}
	return nil
}

// SecretFingerprints returns the fingerprints of the secrets that the database is used with: the current one first,
// then former ones that data may still be encrypted with. There are none if it was never used.
func (db *DB) SecretFingerprints(ctx context.Context) ([]string, error) {
	used, err := db.directoryRows(ctx, secretEntry)
	return fingerprintsOf(used), err
}

func fingerprintsOf(used []directoryRow) []string {
	prints := make([]string, len(used))
	for n, e := range used {
		prints[n] = e.Subject
	}
	return prints
}

// adoptSecret compares the configured secrets with those in use, and makes the first one the current one if that is
// possible.
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
		return errors.New("this is not the secret that the database was first used with; every copy of the service " +
			"needs the same. To change it, set HOMEWARD_SECRET_OLD to the former one")
	case len(missing) > 0:
		return fmt.Errorf("some data is still encrypted with another secret (%s): keep it in HOMEWARD_SECRET_OLD "+
			"until homeward secret rotate is done", strings.Join(missing, ", "))
	case slices.Contains(fingerprints, current):
		return nil
	default:
		return tx.replaceSecret(current, used)
	}
}

func (s *encrypter) has(mark string) bool {
	return slices.ContainsFunc(s.keys, func(k encryptionKey) bool { return k.fingerprint == mark })
}

// replaceSecret makes another secret the current one, and stores the link keys of the former ones.
func (tx *Tx) replaceSecret(current string, used []directoryRow) error {
	kept, err := tx.linkKeys()
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
		if _, known := kept[e.Subject]; !known {
			if err := tx.addLinkKey(e.Subject, tx.encrypter.linkKeys[e.Subject]); err != nil {
				return err
			}
		}
		if _, known := kept[firstLinkKey]; !known && e.hash == "" {
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

// linkKeys decrypts the stored link keys.
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

// directoryRow is an entry of the directory that refers to no account.
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

// SecretRecords are what a database stores about the secrets that it was used with.
type SecretRecords struct{ secrets, linkKeys []directoryRow }

// SecretRecords reads the records.
func (db *DB) SecretRecords(ctx context.Context) (r SecretRecords, err error) {
	if r.secrets, err = db.directoryRows(ctx, secretEntry); err != nil {
		return r, err
	}
	r.linkKeys, err = db.directoryRows(ctx, linkKeyEntry)
	return r, err
}

// Empty reports whether the database was never used with a secret.
func (r SecretRecords) Empty() bool { return len(r.secrets) == 0 }

// Same reports whether two databases were used with the same secrets: each can decrypt what the other has encrypted,
// and links and passkeys of one work with the other.
func (r SecretRecords) Same(other SecretRecords) bool {
	// Only names can be compared: the same key is encrypted differently each time.
	sameName := func(a, b directoryRow) bool { return a.hash == b.hash }
	return slices.Equal(r.secrets, other.secrets) && slices.EqualFunc(r.linkKeys, other.linkKeys, sameName)
}

// AddSecretRecords copies the records of another database into one that has none.
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

// encryptedColumn is a column whose texts are encrypted.
type encryptedColumn struct {
	table, column string
	key           []string // identifies a row
	only          string   // a condition, if only some rows are encrypted
}

// encryptedColumns lists all encrypted columns. A column that is missing here would not be encrypted again with a new
// secret; a test compares the list with the schema.
func encryptedColumns() []encryptedColumn {
	one := []string{"account_id", "id"}
	return []encryptedColumn{
		{table: "endpoints", column: "headers", key: one},
		{table: "endpoints", column: "secret", key: one},
		{table: "endpoints", column: "old_secrets", key: one},
		{table: "users", column: "two_step_seed", key: one},
		{table: "challenges", column: "data", key: []string{"hash"}},
		{table: "answers", column: "answer", key: []string{"account_id", "once_key"}},
		{
			table: "directory", column: "subject", key: []string{"kind", "hash"},
			only: "kind = '" + string(linkKeyEntry) + "'",
		},
	}
}

// RotationProgress is how far the rotation of a secret has come.
type RotationProgress struct {
	Column     string // table and column
	Encrypted  int    // texts that were encrypted again
	Unreadable int    // texts encrypted with a secret that is not configured
}

// RotateSecret encrypts all data again that was encrypted with former secrets, in batches and while the service runs.
// After an interruption it can be started again and continues. If it returns no error, the former secrets are no longer
// needed.
func (db *DB) RotateSecret(ctx context.Context, progress func(RotationProgress)) error {
	ctx = withScope(ctx, OperatorScope)
	if err := db.CheckSecret(ctx); err != nil {
		return err
	}
	// A copy that was started with the secrets in another order may have made another one the current one.
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
		return fmt.Errorf("%d texts are encrypted with a secret that is not configured: add it to "+
			"HOMEWARD_SECRET_OLD and rotate again; until then no secret is dropped", unreadable)
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
			r = before // a repeated transaction starts counting from the same number
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

// reencryptBatch encrypts texts again, in the order of their keys, after a given one.
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
		plain, openErr := tx.encrypter.decrypt(row[0])
		if openErr != nil {
			r.Unreadable++
			continue
		}
		encrypted, err := tx.encrypter.encrypt(plain)
		if err != nil {
			return 0, nil, err
		}
		if err := tx.put(column.table, column.column, encrypted, column.key, row[1:]); err != nil {
			return 0, nil, err
		}
		r.Encrypted++
	}
	return len(found), last, nil
}

// CountUndecryptable counts texts that were encrypted with a secret that is not configured, up to a maximum. A copy
// that still ran with the former secret at the end of a rotation may have written them. It crosses accounts: only the
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
