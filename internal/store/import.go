package store

import (
	"cmp"
	"context"
	"time"

	"homeward/internal/lost"
)

const importColumns = `account_id, id, location_id, state, file, digest, total, done, bad, problems, unknown, owners, tell, told, why,
	actor_kind, actor_id, actor_name, created_at, started_at, ended_at`

func scanImport(rs rows) (m lost.Import, err error) {
	var state, problems, unknown, kind string
	var created, started, ended int64
	err = rs.Scan(&m.Account, &m.ID, &m.LocationID, &state, &m.File, &m.Digest, &m.Total, &m.Done, &m.Bad, &problems, &unknown, &m.Owners, &m.Tell, &m.Told, &m.Why,
		&kind, &m.By.ID, &m.By.Name, &created, &started, &ended)
	if err != nil {
		return m, err
	}
	m.State, m.By.Kind, m.By.Account = lost.ImportState(state), lost.ActorKind(kind), m.Account
	m.CreatedAt, m.StartedAt, m.EndedAt = fromMicros(created), fromMicros(started), fromMicros(ended)
	if m.Unknown, err = readStrings(unknown); err != nil {
		return m, err
	}
	return m, readJSON("problems of a file", problems, &m.Problems)
}

// Import gives an import into a location.
func (r reader) Import(ctx context.Context, account, location, id string) (lost.Import, error) {
	rs, err := r.h.Query(ctx, "SELECT "+importColumns+" FROM imports WHERE account_id = $1 AND location_id = $2 AND id = $3", account, location, id)
	return record("import", rs, err, scanImport)
}

// LockImport gives an import that is about to be changed.
func (tx *Tx) LockImport(account, id string) (lost.Import, error) {
	rs, err := tx.h.Query(tx.ctx, "SELECT "+importColumns+" FROM imports WHERE account_id = $1 AND id = $2"+tx.d.lock("imports"), account, id)
	return record("import", rs, err, scanImport)
}

// Imports lists a location's imports, newest first.
func (r reader) Imports(ctx context.Context, account, location string, limit int) ([]lost.Import, error) {
	rs, err := r.h.Query(ctx, "SELECT "+importColumns+" FROM imports WHERE account_id = $1 AND location_id = $2 ORDER BY id DESC LIMIT $3", account, location, limit)
	return collect(rs, err, scanImport)
}

// InsertImport adds an import.
func (tx *Tx) InsertImport(m lost.Import) error {
	problems := ""
	if len(m.Problems) > 0 {
		problems = written(m.Problems)
	}
	return tx.later("INSERT INTO imports ("+importColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)`,
		m.Account, m.ID, m.LocationID, string(m.State), m.File, m.Digest, m.Total, m.Done, m.Bad, problems, writeStrings(m.Unknown), m.Owners, m.Tell, m.Told, m.Why,
		string(m.By.Kind), m.By.ID, m.By.Name, micros(m.CreatedAt), micros(m.StartedAt), micros(m.EndedAt))
}

// SaveImport keeps how far an import has come.
func (tx *Tx) SaveImport(m lost.Import) error {
	return tx.later("UPDATE imports SET state = $3, done = $4, tell = $5, told = $6, why = $7, started_at = $8, ended_at = $9 WHERE account_id = $1 AND id = $2",
		m.Account, m.ID, string(m.State), m.Done, m.Tell, m.Told, m.Why, micros(m.StartedAt), micros(m.EndedAt))
}

// DropImport removes an import and its rows.
func (tx *Tx) DropImport(account, id string) error {
	return cmp.Or(
		tx.later("DELETE FROM import_pieces WHERE account_id = $1 AND import_id = $2", account, id),
		tx.later("DELETE FROM imports WHERE account_id = $1 AND id = $2", account, id),
	)
}

// Piece is some rows of an import: as they came, and which items they have become.
type Piece struct {
	Content string
	Items   []string
}

// AddPiece keeps some rows of an import.
func (tx *Tx) AddPiece(m lost.Import, n int, content string) error {
	return tx.later("INSERT INTO import_pieces (account_id, import_id, n, content, items) VALUES ($1, $2, $3, $4, '')", m.Account, m.ID, n, content)
}

// Piece gives some rows of an import.
func (r reader) Piece(ctx context.Context, m lost.Import, n int) (Piece, error) {
	rs, err := r.h.Query(ctx, "SELECT content, items FROM import_pieces WHERE account_id = $1 AND import_id = $2 AND n = $3", m.Account, m.ID, n)
	return record("piece of an import", rs, err, func(rs rows) (p Piece, err error) {
		var items string
		if err = rs.Scan(&p.Content, &items); err == nil {
			p.Items, err = readStrings(items)
		}
		return p, err
	})
}

// SavePiece keeps which items some rows have become.
func (tx *Tx) SavePiece(m lost.Import, n int, items []string) error {
	return tx.later("UPDATE import_pieces SET items = $4 WHERE account_id = $1 AND import_id = $2 AND n = $3", m.Account, m.ID, n, writeStrings(items))
}

// PrunePieces removes some rows of imports that were made before a time and have ended or were never confirmed, and tells how many. It crosses
// accounts: for upkeep alone.
func (tx *Tx) PrunePieces(before time.Time, limit int) (int64, error) {
	return tx.exec(`DELETE FROM import_pieces WHERE (account_id, import_id, n) IN
		(SELECT p.account_id, p.import_id, p.n FROM imports i JOIN import_pieces p ON p.account_id = i.account_id AND p.import_id = i.id
		WHERE i.created_at <= $1 AND i.state IN ('ready', 'done', 'cancelled', 'failed') LIMIT $2)`, micros(before), limit)
}

// PruneImports removes some imports that were made before a time and have ended, or were never confirmed and are older than idle, and tells how many. Their
// rows are gone by then. It crosses accounts: for upkeep alone.
func (tx *Tx) PruneImports(before, idle time.Time, limit int) (int64, error) {
	return tx.exec(`DELETE FROM imports WHERE (account_id, id) IN (SELECT account_id, id FROM imports
		WHERE created_at <= $1 AND (state = 'ready' OR created_at <= $2 AND state IN ('done', 'cancelled', 'failed')) LIMIT $3)`, micros(idle), micros(before), limit)
}

// TakenReferences gives those of some references that items of the account have.
func (tx *Tx) TakenReferences(account string, references []string) ([]string, error) {
	if len(references) == 0 {
		return nil, nil
	}
	q := &query{}
	q.where("account_id = " + q.arg(account))
	in(q, "reference", references)
	rs, err := tx.h.QueryPlanned(tx.ctx, "SELECT reference FROM items"+q.clause(), q.args...)
	return collect(rs, err, func(rs rows) (s string, err error) { err = rs.Scan(&s); return s, err })
}
