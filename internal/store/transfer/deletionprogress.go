package transfer

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"homeward/internal/store"
)

// deletionProgress is what an unfinished deletion has deleted. It is stored with each batch, so that the record is
// complete if the deletion is interrupted and continued.
type deletionProgress struct {
	AccountErasure
	// CountedFiles are the names of the files that were counted last. They may not be deleted yet.
	CountedFiles []string `json:"countedFiles,omitempty"`
}

// maxCountedFiles is the maximum number of CountedFiles. The progress is part of an index, and PostgreSQL allows only
// 2,704 bytes there.
const maxCountedFiles = 20

// addRows records that n rows of a table were deleted.
func (p *deletionProgress) addRows(table string, n int64) {
	if n == 0 {
		return
	}
	if p.Rows == nil {
		p.Rows = map[string]int64{}
	}
	p.Rows[table] += n
}

// addFiles counts files that are deleted next. Files that an interrupted run has counted are not counted again.
func (p *deletionProgress) addFiles(names []string) {
	for _, name := range names {
		if !slices.Contains(p.CountedFiles, name) {
			p.Files++
		}
	}
	p.CountedFiles = names
}

// directoryReader reads the directory. It is a database or a transaction.
type directoryReader interface {
	Lookup(ctx context.Context, kind store.DirectoryKind, hash string) (store.DirectoryEntry, bool, error)
}

// readEntry reads a record about a deleted account.
func readEntry[T any](ctx context.Context, from directoryReader, kind store.DirectoryKind,
	account string) (record T, found bool, err error) {
	entry, found, err := from.Lookup(ctx, kind, account)
	if err != nil || !found {
		return record, false, err
	}
	if err := json.Unmarshal([]byte(entry.Subject), &record); err != nil {
		return record, false, fmt.Errorf("read the record of a deleted account: %w", err)
	}
	return record, true, nil
}

// changeProgress changes the stored progress of a deletion and returns it. It does not rely on what was read before the
// transaction, because the database may still be committing the last transaction of a run that was killed.
func changeProgress(tx *store.Tx, account string, change func(*deletionProgress)) (deletionProgress, error) {
	p, err := takeProgress(tx, account)
	if err != nil {
		return p, err
	}
	change(&p)
	return p, addEntry(tx, store.ErasingAccountEntry, account, p)
}

// takeProgress reads and removes the progress of a deletion. It is empty at the beginning.
func takeProgress(tx *store.Tx, account string) (p deletionProgress, err error) {
	rs, err := tx.Raw().Query(tx.Context(), "DELETE FROM directory WHERE kind = $1 AND hash = $2 RETURNING subject",
		string(store.ErasingAccountEntry), account)
	text, found, err := value[string](rs, err)
	if err == nil && found {
		err = json.Unmarshal([]byte(text), &p)
	}
	p.Account = account
	return p, err
}

// addEntry stores a record about a deleted account. It belongs to no account, so that it stays.
func addEntry(tx *store.Tx, kind store.DirectoryKind, account string, record any) error {
	text, err := json.Marshal(record)
	if err != nil {
		return err
	}
	return tx.AddEntry(kind, account, store.DirectoryEntry{Subject: string(text)})
}

// removeEntry removes the record of an earlier deletion of an account that was restored since.
func removeEntry(tx *store.Tx, kind store.DirectoryKind, account string) error {
	_, err := tx.Raw().Exec("DELETE FROM directory WHERE kind = $1 AND hash = $2", string(kind), account)
	return err
}
