package store

import (
	"context"
	"slices"
	"time"

	"homeward/internal/lost"
)

const importColumns = `account_id, id, location_id, state, file, digest, total, done, bad, problems, unknown, mapping,
		owners, tell, told, taken_back, stayed, why,
	actor_kind, actor_id, actor_name, created_at, started_at, ended_at`

func scanImport(rs rows) (m lost.Import, err error) {
	var state, problems, unknown, mapping, kind string
	var created, started, ended int64
	err = rs.Scan(&m.Account, &m.ID, &m.LocationID, &state, &m.File, &m.Digest, &m.Total, &m.Done, &m.Bad, &problems,
		&unknown, &mapping, &m.Owners, &m.Notify, &m.Notified, &m.Removed, &m.Remaining, &m.Why,
		&kind, &m.By.ID, &m.By.Name, &created, &started, &ended)
	if err != nil {
		return m, err
	}
	m.State, m.By.Kind, m.By.Account = lost.ImportState(state), lost.ActorKind(kind), m.Account
	m.CreatedAt, m.StartedAt, m.EndedAt = fromMicros(created), fromMicros(started), fromMicros(ended)
	if m.Unknown, err = readStrings(unknown); err != nil {
		return m, err
	}
	if err = readJSON("columns of a file", mapping, &m.Mapping); err != nil {
		return m, err
	}
	return m, readJSON("problems of a file", problems, &m.Problems)
}

// Import returns a location's import by id, or a NotFound error.
func (r reader) Import(ctx context.Context, account, location, id string) (lost.Import, error) {
	rs, err := r.h.Query(ctx,
		"SELECT "+importColumns+" FROM imports WHERE account_id = $1 AND location_id = $2 AND id = $3 AND state <> '"+
			prunedImport+"'", account, location, id)
	return requireRow("import", rs, err, scanImport)
}

// LockImport returns an import and locks it until the transaction ends.
func (tx *Tx) LockImport(account, id string) (lost.Import, error) {
	rs, err := tx.h.Query(tx.ctx,
		"SELECT "+importColumns+" FROM imports WHERE account_id = $1 AND id = $2"+tx.d.lock("imports"), account, id)
	return requireRow("import", rs, err, scanImport)
}

// Imports lists a location's imports, newest first.
func (r reader) Imports(ctx context.Context, account, location string, limit int) ([]lost.Import, error) {
	rs, err := r.h.Query(ctx,
		"SELECT "+importColumns+" FROM imports WHERE account_id = $1 AND location_id = $2 AND state <> '"+prunedImport+
			"' ORDER BY id DESC LIMIT $3", account, location, limit)
	return collect(rs, err, scanImport)
}

// InsertImport adds an import.
func (tx *Tx) InsertImport(m lost.Import) error {
	problems, mapping := importTexts(m)
	return tx.queue("INSERT INTO imports ("+importColumns+
		`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
				$23, $24)`,
		m.Account, m.ID, m.LocationID, string(m.State), m.File, m.Digest, m.Total, m.Done, m.Bad, problems,
		writeStrings(m.Unknown), mapping, m.Owners, m.Notify, m.Notified, m.Removed, m.Remaining, m.Why,
		string(m.By.Kind), m.By.ID, m.By.Name, micros(m.CreatedAt), micros(m.StartedAt), micros(m.EndedAt))
}

// importTexts returns the problems and the mapping of an import as JSON, or empty texts if there are none.
func importTexts(m lost.Import) (problems, mapping string) {
	if len(m.Problems) > 0 {
		problems = toJSON(m.Problems)
	}
	if len(m.Mapping.Headings) > 0 {
		mapping = toJSON(m.Mapping)
	}
	return problems, mapping
}

// SaveMappedImport saves an import after the user has said what its columns contain, and replaces its rows.
func (tx *Tx) SaveMappedImport(m lost.Import, chunks []string) error {
	problems, mapping := importTexts(m)
	err := tx.queue(`UPDATE imports SET state = $3, total = $4, bad = $5, problems = $6, unknown = $7, mapping = $8,
			owners = $9 WHERE account_id = $1 AND id = $2`,
		m.Account, m.ID, string(m.State), m.Total, m.Bad, problems, writeStrings(m.Unknown), mapping, m.Owners)
	if err != nil {
		return err
	}
	if err := tx.queue("DELETE FROM import_pieces WHERE account_id = $1 AND import_id = $2", m.Account,
		m.ID); err != nil {
		return err
	}
	for n, chunk := range chunks {
		if err := tx.AddImportChunk(m, n, chunk); err != nil {
			return err
		}
	}
	return nil
}

// SavedImportMapping returns the mapping of the last file that was imported into a location. It is empty if there is
// none.
func (r reader) SavedImportMapping(ctx context.Context, account, location string) (m lost.ImportMapping, err error) {
	rs, err := r.h.Query(ctx, `SELECT mapping FROM imports WHERE account_id = $1 AND location_id = $2 AND mapping <> ''
		AND state IN ('running', 'telling', 'done', '`+prunedImport+`') ORDER BY id DESC LIMIT 1`, account, location)
	found, err := collect(rs, err, scanText)
	if err != nil || len(found) == 0 {
		return m, err
	}
	return m, readJSON("columns of a file", found[0], &m)
}

// SaveImport saves the progress of an import. When it has ended, its rows are deleted; the ids of its items are kept.
func (tx *Tx) SaveImport(m lost.Import) error {
	if m.State.Ended() {
		err := tx.queue("UPDATE import_pieces SET content = '"+emptyBatch+"' WHERE account_id = $1 AND "+
			"import_id = $2 AND content <> '"+emptyBatch+"'", m.Account, m.ID)
		if err != nil {
			return err
		}
	}
	return tx.queue(`UPDATE imports SET state = $3, done = $4, tell = $5, told = $6, why = $7, started_at = $8,
			ended_at = $9, taken_back = $10, stayed = $11
		WHERE account_id = $1 AND id = $2`,
		m.Account, m.ID, string(m.State), m.Done, m.Notify, m.Notified, m.Why, micros(m.StartedAt), micros(m.EndedAt),
		m.Removed, m.Remaining)
}

// DeleteImport deletes an import and its rows.
func (tx *Tx) DeleteImport(account, id string) error {
	if err := tx.queue("DELETE FROM import_pieces WHERE account_id = $1 AND import_id = $2", account, id); err != nil {
		return err
	}
	return tx.queue("DELETE FROM imports WHERE account_id = $1 AND id = $2", account, id)
}

// ImportChunk is a batch of import rows, and the ids of the items that were created from them.
type ImportChunk struct {
	Content string
	Items   []string
}

// emptyBatch is the content of a batch whose rows are no longer needed. They may contain numbers of identity papers,
// which the items do not have.
const emptyBatch = "[]"

// AddImportChunk stores a batch of an import's rows.
func (tx *Tx) AddImportChunk(m lost.Import, n int, content string) error {
	return tx.queue("INSERT INTO import_pieces (account_id, import_id, n, content, items) VALUES ($1, $2, $3, $4, '')",
		m.Account, m.ID, n, content)
}

// ImportChunk returns a batch of an import's rows, or a NotFound error.
func (r reader) ImportChunk(ctx context.Context, m lost.Import, n int) (ImportChunk, error) {
	return r.importChunk(ctx, m, n, "")
}

// LockImportChunk returns a batch of rows and locks it, so that the caller can create items from it
// or erase a person's data in it.
func (tx *Tx) LockImportChunk(m lost.Import, n int) (ImportChunk, error) {
	return tx.importChunk(tx.ctx, m, n, tx.d.lock("p"))
}

func (r reader) importChunk(ctx context.Context, m lost.Import, n int, lock string) (ImportChunk, error) {
	rs, err := r.h.Query(ctx,
		"SELECT content, items FROM import_pieces AS p WHERE account_id = $1 AND import_id = $2 AND n = $3"+lock,
		m.Account, m.ID, n)
	return requireRow("part of an import", rs, err, func(rs rows) (p ImportChunk, err error) {
		var items string
		if err = rs.Scan(&p.Content, &items); err == nil {
			p.Items, err = readStrings(items)
		}
		return p, err
	})
}

// SaveImportChunk records the items that were created from a batch of rows, and deletes the rows.
func (tx *Tx) SaveImportChunk(m lost.Import, n int, items []string) error {
	return tx.queue("UPDATE import_pieces SET items = $4, content = '"+emptyBatch+"' WHERE account_id = $1 AND "+
		"import_id = $2 AND n = $3", m.Account, m.ID, n, writeStrings(items))
}

// RemainingItems returns the ids of items that an import created and that were not removed when it
// was undone. It returns none if the import's rows are no longer stored.
func (r reader) RemainingItems(ctx context.Context, m lost.Import, limit int) (ids []string, err error) {
	rs, err := r.h.Query(ctx,
		"SELECT items FROM import_pieces WHERE account_id = $1 AND import_id = $2 AND items <> '' ORDER BY n LIMIT $3",
		m.Account, m.ID, limit)
	chunks, err := collect(rs, err, func(rs rows) (items []string, err error) {
		var text string
		if err = rs.Scan(&text); err == nil {
			items, err = readStrings(text)
		}
		return items, err
	})
	ids = slices.Concat(chunks...)
	return ids[:min(len(ids), limit)], err
}

// ChangedItems returns the ids of those items that have changed since they were created, or that
// have a message or a clearance.
func (tx *Tx) ChangedItems(account string, ids []string) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	q := &query{}
	q.where("i.account_id = " + q.arg(account))
	whereIn(q, "i.id", ids)
	q.where("(i.updated_at > i.created_at OR EXISTS (SELECT 1 FROM item_history h WHERE h.account_id = i.account_id " +
		"AND h.item_id = i.id AND h.action <> '" + string(lost.Created) + "')" +
		" OR EXISTS (SELECT 1 FROM messages m WHERE m.account_id = i.account_id AND m.item_id = i.id)" +
		" OR EXISTS (SELECT 1 FROM clearance_items c WHERE c.account_id = i.account_id AND c.item_id = i.id))")
	rs, err := tx.h.QueryPlanned(tx.ctx, "SELECT i.id FROM items i"+q.clause(), q.args...)
	return collect(rs, err, scanText)
}

// PruneImportChunks deletes rows of imports that were created before the given time and have ended
// or were never confirmed. It also clears their lists of problems, which quote the rows. It deletes
// and clears at most limit of each, and returns the greater of the two numbers. It works across all
// accounts; only cleanup uses it.
func (tx *Tx) PruneImportChunks(before time.Time, limit int) (int64, error) {
	const ended = "i.created_at <= $1 AND i.state IN ('mapping', 'ready', 'done', 'cancelled', 'failed')"
	cleared, err := tx.deleteOld(`UPDATE imports SET problems = '' WHERE (account_id, id) IN
		(SELECT i.account_id, i.id FROM imports i WHERE `+ended+` AND i.problems <> '' LIMIT $2)`,
		micros(before), limit)
	if err != nil {
		return 0, err
	}
	n, err := tx.deleteOld(`DELETE FROM import_pieces WHERE (account_id, import_id, n) IN
		(SELECT p.account_id, p.import_id, p.n FROM imports i JOIN import_pieces p ON p.account_id = i.account_id
		AND p.import_id = i.id
		WHERE `+ended+` LIMIT $2)`, micros(before), limit)
	return max(cleared, n), err
}

// prunedImport is the state of an import of which only the mapping is left, for the next import into the location.
const prunedImport = "pruned"

// PruneImports deletes at most limit imports: imports that have ended and were created before the given time, and
// imports that were never confirmed and were created before the time idle. PruneImportChunks must have deleted their
// rows. Of the last finished import of a location whose columns somebody mapped, it keeps only the mapping. It returns
// the number of deleted or of shortened imports, whichever is greater. It works across all accounts; only cleanup uses
// it.
func (tx *Tx) PruneImports(before, idle time.Time, limit int) (int64, error) {
	n, err := tx.deleteOld(`DELETE FROM imports WHERE (account_id, id) IN (SELECT i.account_id, i.id FROM imports i
		WHERE i.created_at <= $1 AND (i.state IN ('mapping', 'ready') OR i.created_at <= $2 AND
		(i.state IN ('cancelled', 'failed') OR i.state IN ('done', '`+prunedImport+`') AND (i.mapping = '' OR EXISTS
			(SELECT 1 FROM imports n WHERE n.account_id = i.account_id AND n.location_id = i.location_id AND n.id > i.id
			AND n.mapping <> '' AND n.state = 'done') OR EXISTS (SELECT 1 FROM locations l
			WHERE l.account_id = i.account_id AND l.id = i.location_id AND l.deleted_at > 0))))
		LIMIT $3)`, micros(idle), micros(before), limit)
	if err != nil {
		return n, err
	}
	shortened, err := tx.deleteOld(`UPDATE imports SET state = '`+prunedImport+`', file = '', digest = '', unknown = '',
			why = '', actor_id = '', actor_name = '' WHERE (account_id, id) IN (SELECT i.account_id, i.id FROM imports i
		WHERE i.created_at <= $1 AND i.state = 'done' AND i.mapping <> '' LIMIT $2)`, micros(before), limit)
	return max(n, shortened), err
}

// ExistingReferences returns those of the given references that the account's items already use.
func (tx *Tx) ExistingReferences(account string, references []string) ([]string, error) {
	if len(references) == 0 {
		return nil, nil
	}
	q := &query{}
	q.where("account_id = " + q.arg(account))
	whereIn(q, "reference", references)
	rs, err := tx.h.QueryPlanned(tx.ctx, "SELECT reference FROM items"+q.clause(), q.args...)
	return collect(rs, err, scanText)
}
