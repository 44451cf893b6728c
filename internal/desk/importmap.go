package desk

import (
	"context"
	"io"
	"slices"
	"strconv"

	"homeward/internal/itemcsv"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// ItemColumns lists the columns of an export by their names in the API. LocationColumn follows them in an export of
// all locations.
func ItemColumns() []string { return itemcsv.Columns() }

// ValueText returns a value of a column as an export writes it in a language.
func ValueText(tag, column, value string) string { return itemcsv.ValueText(tag, column, value) }

// ImportableColumns lists the columns that an import into a location can set. If location is empty, the first one is
// the location of the row.
func ImportableColumns(location string) []string {
	if location == "" {
		return append([]string{LocationColumn}, itemcsv.Importable()...)
	}
	return itemcsv.Importable()
}

// ItemFile is a file of items whose headings may be in any language.
type ItemFile struct {
	Name    string
	Content io.Reader
	Known   func(headings []string) map[string]string // returns the fields of headings that are not API names
	Ask     bool                                      // the user wants to choose the fields of the columns

	// Location is the id of the location of rows that name none, in an import into all locations.
	Location string
}

// Upload saves the rows of a file, but creates no items until somebody confirms the import with Start. If it is not
// clear what the columns of the file contain, or if the user wants to choose, the import waits for MapColumns. Columns
// are recognised by the last import into the location and by their headings. If location is empty, each row goes to the
// location that it names, or else to f.Location.
func (s *Imports) Upload(ctx context.Context, a lost.Actor, location string, f ItemFile) (m lost.Import, err error) {
	if err := mayImport(a, location, "location"); err != nil {
		return m, err
	}
	target, err := s.importTarget(ctx, a, location, f.Location)
	if err != nil {
		return m, err
	}
	saved, err := s.db.SavedImportMapping(ctx, a.Account, location)
	if err != nil {
		return m, err
	}
	done, err := s.waitForSlot(ctx)
	if err != nil {
		return m, err
	}
	defer done()
	m, content, err := newImport(a, location, f.Content)
	if err != nil {
		return m, err
	}
	headings, r, err := itemcsv.Headings(content)
	if err != nil {
		return m, err
	}
	var certain bool
	m.Mapping, certain = guessMapping(headings, saved, f.Known(headings), target.all)
	m.Mapping.Location = f.Location
	raw, dates, places := rowBatches{}, itemcsv.Dates{}, locationCells{target: target}
	if err := itemcsv.EachRow(r, func(row itemcsv.Row) error {
		m.Total++
		dates.Add(row, m.Mapping.Fields)
		places.add(row, m.Mapping.Fields)
		return raw.add(row, true)
	}); err != nil {
		return m, err
	}
	certain = certain && places.certain(m.Mapping)
	pieces, err := raw.all()
	if err != nil {
		return m, err
	}
	if order := dates.Order(); order != "" {
		m.Mapping.Dates = order
	}
	if f.Ask || !certain || dates.Ambiguous() && m.Mapping.Dates == "" {
		m.State = lost.ImportUnmapped
		return s.saveImport(ctx, m, f.Name, pieces)
	}
	if pieces, err = s.mapRows(&m, target, pieces); err != nil {
		return m, err
	}
	return s.saveImport(ctx, m, f.Name, pieces)
}

// guessMapping returns what the columns with these headings probably contain: what they contained in the last import,
// or else what their headings say. It is certain if that is known of every column and one of them is the description.
// The order of dates is only that of the last import if it had the same columns.
func guessMapping(headings []string, saved lost.ImportMapping, known map[string]string,
	locations bool) (m lost.ImportMapping, certain bool) {
	if slices.Equal(headings, saved.Headings) {
		return saved, slices.Contains(saved.Fields, "description")
	}
	m = lost.ImportMapping{Headings: headings, Fields: itemcsv.Guess(headings, known, locations)}
	certain = true
	for n, heading := range headings {
		field, was := saved.FieldOf(heading)
		was = was && slices.Index(headings, heading) == n && !slices.Contains(headings[n+1:], heading)
		if !was {
			certain = certain && (m.Fields[n] != "" || heading == "")
			continue
		}
		if other := slices.Index(m.Fields, field); field != "" && other >= 0 && other != n {
			m.Fields[other], certain = "", false
		}
		m.Fields[n] = field
	}
	return m, certain && slices.Contains(m.Fields, "description")
}

// mapRows returns the valid rows of a file as its mapping says, in batches. It sets the numbers of the import.
func (s *Imports) mapRows(m *lost.Import, target *importTarget, pieces []string) ([]string, error) {
	m.State, m.Problems, m.Unknown = lost.ImportReady, nil, nil
	m.Total, m.Bad, m.Owners = 0, 0, 0
	for n, heading := range m.Mapping.Headings {
		if m.Mapping.Fields[n] == "" && heading != "" {
			m.Unknown = append(m.Unknown, heading)
		}
	}
	problemsOf := func(row itemcsv.Row, err error) []lost.RowProblem {
		return itemcsv.MappedProblems(m.Mapping, row, err)
	}
	mapped, today := rowBatches{}, s.now().In(target.zone())
	for _, piece := range pieces {
		rows, err := rowsOf(store.ImportChunk{Content: piece})
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			row = itemcsv.Map(row, m.Mapping, today)
			if len(row.Cells) == 0 && !row.Extra {
				continue
			}
			_, ok, err := s.checkRow(&row, m, target, problemsOf)
			if err != nil {
				return nil, err
			}
			if err := mapped.add(row, ok); err != nil {
				return nil, err
			}
		}
	}
	target.close(m)
	return mapped.all()
}

// FileColumn is a column of a file that waits for MapColumns.
type FileColumn struct {
	Heading, Field string
	Sample         []string // its first cells that are not empty
}

// Columns returns the columns of a file that waits for MapColumns.
func (s *Imports) Columns(ctx context.Context, a lost.Actor, location, id string) (columns []FileColumn, err error) {
	m, err := s.Get(ctx, a, location, id)
	if err != nil {
		return nil, err
	}
	var rows []itemcsv.Row
	if m.State == lost.ImportUnmapped && m.Total > 0 {
		piece, err := s.db.ImportChunk(ctx, m, 0)
		if err != nil {
			return nil, err
		}
		if rows, err = rowsOf(piece); err != nil {
			return nil, err
		}
	}
	const sampled = 3
	for n, heading := range m.Mapping.Headings {
		cells := itemcsv.Sample(rows, n)
		columns = append(columns, FileColumn{
			Heading: heading, Field: m.Mapping.Fields[n], Sample: cells[:min(len(cells), sampled)],
		})
	}
	return columns, nil
}

// ColumnChoice is what the columns of a file contain.
type ColumnChoice struct {
	Fields   []string       // the field of each column; empty for a column that is not imported
	Dates    lost.DateOrder // of dates such as 3/4/2026; required if the file has dates that could mean two days
	Location string         // id of the location of rows that name none, in an import into all locations
}

// MapColumns sets what the columns of an uploaded file contain. The import can be started afterwards.
func (s *Imports) MapColumns(ctx context.Context, a lost.Actor, location, id string,
	choice ColumnChoice) (m lost.Import, err error) {
	if m, err = s.Get(ctx, a, location, id); err != nil {
		return m, err
	}
	if m.State != lost.ImportUnmapped {
		return m, lost.E(lost.Conflict, "The columns of this file have already been chosen.")
	}
	if err := checkFields(m, choice); err != nil {
		return m, err
	}
	target, err := s.importTarget(ctx, a, location, choice.Location)
	if err != nil {
		return m, err
	}
	done, err := s.waitForSlot(ctx)
	if err != nil {
		return m, err
	}
	defer done()
	raw, dates, err := s.rawRows(ctx, m, choice.Fields)
	if err != nil {
		return m, err
	}
	m.Mapping.Fields, m.Mapping.Dates, m.Mapping.Location = choice.Fields, choice.Dates, choice.Location
	if known := dates.Order(); known != "" {
		m.Mapping.Dates = known
	}
	if dates.Ambiguous() && choice.Dates == "" {
		var p lost.Problems
		p.Add("dates", "required", "is required")
		return m, p.Err()
	}
	pieces, err := s.mapRows(&m, target, raw)
	if err != nil {
		return m, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error { return saveMapped(tx, m, raw, pieces) })
	return m, err
}

// saveMapped saves an import with its mapped rows, unless somebody was faster or the uploaded headings or rows have
// changed, for example because a person was erased from them.
func saveMapped(tx *store.Tx, m lost.Import, raw, pieces []string) error {
	now, err := tx.LockImport(m.Account, m.ID)
	if err != nil {
		return err
	}
	if now.State != lost.ImportUnmapped {
		return lost.E(lost.Conflict, "The columns of this file have already been chosen.")
	}
	same := slices.Equal(now.Mapping.Headings, m.Mapping.Headings)
	for n, content := range raw {
		piece, err := tx.LockImportChunk(m, n)
		if err != nil {
			return err
		}
		same = same && piece.Content == content
	}
	if !same {
		return lost.E(lost.Conflict, "The file has changed in the meantime. Try again.")
	}
	return tx.SaveMappedImport(m, pieces)
}

// checkFields checks that there is a known field or none for every column, none of them twice, a description and, if
// the rows have their own locations, a column with them or a location for all.
func checkFields(m lost.Import, choice ColumnChoice) error {
	fields := choice.Fields
	var p lost.Problems
	if len(fields) != len(m.Mapping.Headings) {
		p.Add("columns", "not-right", "must be one for each column of the file")
		return p.Err()
	}
	importable := ImportableColumns(m.LocationID)
	for n, field := range fields {
		switch {
		case field == "":
		case !slices.Contains(importable, field):
			p.Add(ColumnName(n), "not-allowed", "must be one of the fields of an item")
		case slices.ContainsFunc(fields[:n], func(other string) bool { return itemcsv.Overlap(field, other) }):
			p.Add(ColumnName(n), "duplicate", "is already another column")
		}
	}
	if !slices.Contains(fields, "description") {
		p.Add("columns", "no-description", "must have the description in one column")
	}
	if m.LocationID == "" && choice.Location == "" && !slices.Contains(fields, LocationColumn) {
		p.Add("location", "no-location-column", "choose a location, or the column of the file that has it")
	}
	return p.Err()
}

// rawRows returns the batches of an uploaded file, and what its dates show.
func (s *Imports) rawRows(ctx context.Context, m lost.Import, fields []string) (raw []string, dates itemcsv.Dates,
	err error) {
	for n := range (m.Total + lost.ImportBatchSize - 1) / lost.ImportBatchSize {
		piece, err := s.db.ImportChunk(ctx, m, n)
		if err != nil {
			return nil, dates, err
		}
		raw = append(raw, piece.Content)
		if !itemcsv.HasDates(fields) { // reading the rows of a wide file takes seconds
			continue
		}
		rows, err := rowsOf(piece)
		if err != nil {
			return nil, dates, err
		}
		for _, row := range rows {
			dates.Add(row, fields)
		}
	}
	return raw, dates, nil
}

// ColumnName returns the field of problems with a column of a file.
func ColumnName(n int) string { return "column." + strconv.Itoa(n) }
