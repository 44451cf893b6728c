package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"homeward/internal/store"
)

// runningDeletion is the state of a running deletion.
type runningDeletion struct {
	AccountDeletion
	progress deletionProgress
	tables   []deletedTable // without accounts; each table comes before the tables that it refers to
}

// deletedTable is a table and how a batch of its rows is selected.
type deletedTable struct {
	Table
	rowID string // the hidden column that selects rows: rowid, ctid, or empty if there is none
	// order are the columns that the rows are sorted by, for SQL. Rows without a hidden column are sorted by the
	// primary key. Rows with files are sorted by id, so that the same rows are selected twice. It is empty if the order
	// is irrelevant.
	order string
}

// prepare reads the progress of an earlier run and the tables.
func (d *runningDeletion) prepare(ctx context.Context) error {
	p, _, err := readEntry[deletionProgress](ctx, d.DB, store.ErasingAccountEntry, d.Account)
	if err != nil {
		return err
	}
	d.progress = p
	return d.DB.Write(ctx, func(tx *store.Tx) error {
		tables, err := dataTables(ctx, tx.Raw().Raw)
		if err != nil {
			return err
		}
		d.tables = nil
		for _, t := range slices.Backward(tables) {
			if !t.hasColumn("account_id") || t.Name == "accounts" {
				continue
			}
			deleted, err := d.describe(ctx, tx.Raw(), t)
			if err != nil {
				return err
			}
			d.tables = append(d.tables, deleted)
		}
		return nil
	})
}

// describe finds out how a batch of rows of a table is selected.
func (d *runningDeletion) describe(ctx context.Context, raw store.RawTx, t Table) (deletedTable, error) {
	hasRowIDs, err := raw.HasRowIDs(t.Name)
	if err != nil {
		return deletedTable{}, err
	}
	if !hasRowIDs || d.byKey {
		key, err := t.primaryKey(ctx, raw.Raw)
		return deletedTable{Table: t, order: key}, err
	}
	deleted := deletedTable{Table: t, rowID: "rowid"}
	if raw.Postgres() {
		deleted.rowID = "ctid"
	}
	if t.hasFiles() {
		deleted.order = store.QuoteName("id")
	}
	return deleted, nil
}

// primaryKey returns the quoted columns of the table's primary key, except account_id, separated by commas.
func (t Table) primaryKey(ctx context.Context, raw store.Raw) (string, error) {
	query, name := "SELECT name FROM pragma_table_info($1) WHERE pk > 0 ORDER BY pk", t.Name
	if raw.Postgres() {
		query, name = `SELECT c.attname::text FROM pg_index i
			JOIN pg_attribute c ON c.attrelid = i.indrelid AND c.attnum = ANY (i.indkey)
			WHERE i.indisprimary AND i.indrelid = to_regclass($1)
			ORDER BY array_position(i.indkey::int2[], c.attnum)`, store.QuoteName(t.Name)
	}
	columns, err := texts(raw.Query(ctx, query, name))
	if err != nil {
		return "", fmt.Errorf("read the primary key of table %s: %w", t.Name, err)
	}
	columns = slices.DeleteFunc(columns, func(c string) bool { return c == "account_id" })
	for i, c := range columns {
		columns[i] = store.QuoteName(c)
	}
	return strings.Join(columns, ", "), nil
}

// limit returns the clauses that sort rows and select the first rows of a batch.
func (d *runningDeletion) limit(t deletedTable) string {
	clauses := " LIMIT " + strconv.Itoa(d.batchSize())
	if t.order != "" {
		clauses = " ORDER BY " + t.order + clauses
	}
	return clauses
}

func (d *runningDeletion) batchSize() int { return cmp.Or(d.batch, defaultBatch) }

// deleteRows deletes the account's rows from all tables except accounts.
func (d *runningDeletion) deleteRows(ctx context.Context) error {
	const maxFailures = 100
	for _, t := range d.tables {
		before := d.progress.Rows[t.Name]
		for more, failures := true, 0; more; {
			var err error
			more, err = d.deleteBatch(ctx, t)
			if errors.Is(err, errOtherFile) && failures < maxFailures {
				more, err = true, nil // no row was deleted; the rows are read again
				failures++
			}
			if err != nil {
				return fmt.Errorf("delete from table %s: %w", t.Name, err)
			}
		}
		if n := d.progress.Rows[t.Name] - before; n > 0 && d.Deleted != nil {
			d.Deleted(t.Name, n)
		}
	}
	return nil
}

// errOtherFile says that a row refers to a file that is not deleted yet, because the row is new or was changed.
var errOtherFile = errors.New("a row refers to a file that is not deleted yet")

// deleteBatch deletes the files of some of the account's rows in a table. Then it deletes the rows, and stores the
// progress in the same transaction. It reports whether there may be more rows. If it returns errOtherFile, it has
// deleted no row.
func (d *runningDeletion) deleteBatch(ctx context.Context, t deletedTable) (more bool, err error) {
	gone, err := d.deleteFiles(ctx, t)
	if err != nil {
		return false, err
	}
	var after deletionProgress
	err = d.DB.Write(ctx, func(tx *store.Tx) error {
		n, err := d.deleteSome(tx, t, gone)
		if more = n > 0; !more || err != nil {
			return err
		}
		after, err = changeProgress(tx, d.Account, func(p *deletionProgress) { p.addRows(t.Name, n) })
		return err
	})
	if err != nil || !more {
		return false, err
	}
	d.progress = after
	return true, d.committed()
}

// deleteFiles deletes the files that the next batch of rows refers to, counts them, and returns their names.
func (d *runningDeletion) deleteFiles(ctx context.Context, t deletedTable) (gone map[string]bool, err error) {
	if !t.hasFiles() {
		return nil, nil
	}
	gone = map[string]bool{}
	var names []string
	err = eachRow(ctx, d.DB.Raw(), t.Table, d.Account, d.limit(t), func(r Row) error {
		files, err := t.files(r)
		for _, name := range files {
			if !gone[name] {
				gone[name] = true
				names = append(names, name)
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for batch := range slices.Chunk(names, maxCountedFiles) {
		if err := d.deleteCounted(ctx, batch); err != nil {
			return nil, err
		}
	}
	return gone, nil
}

// deleteCounted deletes some files. It counts those that exist before it deletes the first one.
func (d *runningDeletion) deleteCounted(ctx context.Context, names []string) error {
	var existing []string
	for _, name := range names {
		exists, err := d.HasFile(ctx, name)
		if err != nil {
			return err
		}
		if exists {
			existing = append(existing, name)
		}
	}
	if len(existing) > 0 {
		if err := d.save(ctx, func(p *deletionProgress) { p.addFiles(existing) }); err != nil {
			return err
		}
	}
	for _, name := range names { // also those that do not exist: their thumbnails may
		if err := d.DeleteFile(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// deleteSome deletes a batch of the account's rows from a table and returns their number. It returns errOtherFile if
// one of them refers to a file that is not in gone. The hash of a permalink stays, without account and location.
func (d *runningDeletion) deleteSome(tx *store.Tx, t deletedTable, gone map[string]bool) (n int64, err error) {
	raw := tx.Raw()
	condition, args, err := d.selectBatch(tx, t)
	if err != nil {
		return 0, err
	}
	statement := "DELETE FROM " + store.QuoteName(t.Name) + " WHERE " + condition
	switch {
	case t.Name == "audit":
		if err := raw.AllowAuditDelete(); err != nil {
			return 0, err
		}
		if n, err = raw.Exec(statement, args...); err != nil {
			return 0, err
		}
		return n, raw.ForbidAuditDelete()
	case t.Name != "directory" && !t.hasFiles():
		return raw.Exec(statement, args...)
	}
	rs, err := raw.Query(tx.Context(), statement+" RETURNING "+t.quotedColumns(), args...)
	var permalinks []string
	err = t.visitRows(rs, err, func(r Row) error {
		n++
		if hash, ok := t.permalinkHash(r); ok {
			permalinks = append(permalinks, hash)
		}
		files, err := t.files(r)
		if slices.ContainsFunc(files, func(name string) bool { return !gone[name] }) {
			err = errOtherFile
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	for _, hash := range permalinks { // printed addresses of the account must not lead to another one
		if err := tx.AddEntry(store.PermalinkEntry, hash, store.DirectoryEntry{}); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// selectBatch returns the condition that selects the next batch of the account's rows in a table, and its arguments.
// Without row ids, these are the rows up to a primary key. That key is read first and not in the same statement,
// because Citus supports only some subqueries.
func (d *runningDeletion) selectBatch(tx *store.Tx, t deletedTable) (condition string, args []any, err error) {
	from := " FROM " + store.QuoteName(t.Name) + " WHERE account_id = $1"
	condition, args = "account_id = $1", []any{d.Account}
	switch {
	case t.rowID != "":
		return condition + " AND " + t.rowID + " IN (SELECT " + t.rowID + from + d.limit(t) + ")", args, nil
	case t.order == "": // the account has at most one row
		return condition, args, nil
	}
	rs, err := tx.Raw().Query(tx.Context(), "SELECT "+t.order+from+" ORDER BY "+t.order+" LIMIT 1 OFFSET "+
		strconv.Itoa(d.batchSize()-1), d.Account)
	keys, err := collect(rs, err, func(rs store.Rows) ([]any, error) {
		key := make([]any, strings.Count(t.order, ",")+1)
		targets := make([]any, len(key))
		for i := range key {
			targets[i] = &key[i]
		}
		return key, rs.Scan(targets...)
	})
	if err != nil || len(keys) == 0 { // if there is no such key, less than a batch is left
		return condition, args, err
	}
	var params []string
	for _, v := range keys[0] {
		args = append(args, v)
		params = append(params, "$"+strconv.Itoa(len(args)))
	}
	return condition + " AND (" + t.order + ") <= (" + strings.Join(params, ", ") + ")", args, nil
}

// permalinkHash returns the hash of a permalink if the row is its directory entry.
func (t Table) permalinkHash(r Row) (hash string, ok bool) {
	if t.Name != "directory" || t.text(r, "kind") != string(store.PermalinkEntry) {
		return "", false
	}
	return t.text(r, "hash"), true
}

// committed is called after each transaction that changed something.
func (d *runningDeletion) committed() error {
	if d.afterCommit == nil {
		return nil
	}
	return d.afterCommit()
}

// save changes the progress in a transaction of its own.
func (d *runningDeletion) save(ctx context.Context, change func(*deletionProgress)) error {
	var after deletionProgress
	err := d.DB.Write(ctx, func(tx *store.Tx) (err error) {
		after, err = changeProgress(tx, d.Account, change)
		return err
	})
	if err != nil {
		return err
	}
	d.progress = after
	return d.committed()
}

// finish deletes the account itself, and replaces the progress with the record of the erasure.
func (d *runningDeletion) finish(ctx context.Context) (e AccountErasure, err error) {
	err = d.DB.Write(ctx, func(tx *store.Tx) error {
		p, err := takeProgress(tx, d.Account)
		if err != nil {
			return err
		}
		n, err := tx.Raw().Exec("DELETE FROM accounts WHERE account_id = $1", d.Account)
		if err != nil {
			return err
		}
		if n == 0 { // another run has finished
			e, _, err = readEntry[AccountErasure](ctx, tx, store.ErasedAccountEntry, d.Account)
			return err
		}
		p.addRows("accounts", n)
		if _, err := tx.Raw().Exec("DELETE FROM "+store.ChangeCounterTable+" WHERE account_id = $1",
			d.Account); err != nil {
			return err
		}
		e = p.AccountErasure
		e.At = d.Now().UTC()
		if err := removeEntry(tx, store.ErasedAccountEntry, d.Account); err != nil {
			return err
		}
		return addEntry(tx, store.ErasedAccountEntry, d.Account, e)
	})
	if err != nil {
		return e, err
	}
	return e, d.committed()
}
