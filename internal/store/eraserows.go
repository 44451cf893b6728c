package store

import (
	"context"
	"encoding/json"
	"strings"

	"homeward/internal/lost"
)

// ImportRowPosition identifies a batch of stored import rows.
type ImportRowPosition struct {
	Import string
	Chunk  int64
}

// ImportRowsWithPerson reads some of the stored import rows, starting after the given position. It
// returns the positions of the batches that name the person, the last position read, and whether
// there are more rows.
func (r reader) ImportRowsWithPerson(ctx context.Context, account string, p lost.Person,
	after ImportRowPosition) (found []ImportRowPosition, last ImportRowPosition, more bool, err error) {
	const batches = 20 // maximum number of batches to read, each of a hundred rows
	rs, err := r.h.Query(ctx,
		"SELECT import_id, n, content FROM import_pieces WHERE account_id = $1 AND (import_id, n) > ($2, CAST($3 AS "+
			"BIGINT)) ORDER BY import_id, n"+limitClause(batches),
		account, after.Import, after.Chunk)
	seen, last := 0, after
	_, err = collect(rs, err, func(rs rows) (none struct{}, err error) {
		var content string
		if err = rs.Scan(&last.Import, &last.Chunk, &content); err != nil {
			return none, err
		}
		seen++
		_, n, err := redactRows(content, p)
		if n > 0 {
			found = append(found, last)
		}
		return none, err
	})
	return found, last, seen == batches, err
}

// EraseImportChunk removes a person's data from a batch of import rows. In each row that names the
// person, it removes all of the owner's data.
func (tx *Tx) EraseImportChunk(account string, p lost.Person, at ImportRowPosition) (e lost.Erased, err error) {
	m := lost.Import{Account: account, ID: at.Import}
	piece, err := tx.LockImportChunk(m, int(at.Chunk))
	if err != nil {
		if lost.CodeOf(err) == lost.NotFound { // the import has expired
			err = nil
		}
		return e, err
	}
	text, n, err := redactRows(piece.Content, p)
	if err == nil && n > 0 {
		e.ImportRows = n
		err = tx.queue("UPDATE import_pieces SET content = $4 WHERE account_id = $1 AND import_id = $2 AND n = $3",
			account, at.Import, at.Chunk, text)
	}
	return e, err
}

// redactRows removes the owner's data from rows that name a person. It returns the new content and
// the number of changed rows.
func redactRows(content string, p lost.Person) (text string, n int, err error) {
	var rows []map[string]json.RawMessage
	if err := readJSON("rows of a file", content, &rows); err != nil {
		return "", 0, err
	}
	for _, row := range rows {
		cells := map[string]string{}
		if err := readJSON("cells of a row", string(row["cells"]), &cells); err != nil {
			return "", 0, err
		}
		if !namesPerson(cells, p) {
			continue
		}
		names := append([]string{p.Address()},
			lost.Owner{FirstName: cells["owner.firstName"], LastName: cells["owner.lastName"]}.Names()...)
		for column, cell := range cells {
			f := erasedField(column)
			if f == nil {
				continue
			}
			if f.Personal { // other cells may repeat the value
				names = append(names, cell)
			}
			delete(cells, column)
		}
		for column, cell := range cells {
			cells[column] = lost.RemoveNames(cell, names...)
		}
		row["cells"] = json.RawMessage(toJSON(cells))
		n++
	}
	return toJSON(rows), n, nil
}

func namesPerson(cells map[string]string, p lost.Person) bool {
	for _, cell := range cells {
		if lost.RemoveNames(cell, p.Address()) != cell {
			return true
		}
	}
	return false
}

// erasedField returns the field of a column if erasing a guest clears it according to
// lost.ItemFields, and nil otherwise. Import files omit the prefix of shipment fields:
// trackingNumber means shipping.trackingNumber.
func erasedField(column string) *lost.ItemField {
	fields := lost.ItemFields()
	for n := range fields {
		f := &fields[n]
		inside := strings.HasPrefix(column, f.Name+".")
		if f.Erase == lost.EraseValue && (column == f.Name || inside || "shipping."+column == f.Name) {
			return f
		}
	}
	return nil
}
