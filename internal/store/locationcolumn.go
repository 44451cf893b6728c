package store

import (
	"strings"

	"homeward/internal/lost"
)

// locationRow is a location being read.
type locationRow struct {
	lost.Location
	kind, reminders, shipping string
	created, updated          int64
}

// locationColumnNames are the columns of location fields whose names do not follow from the field.
var locationColumnNames = map[string]string{
	"account": "account_id", "pickupTime.from": "pickup_from", "pickupTime.to": "pickup_to", "matching": "sisters",
}

func locationColumn(field string) string { return columnName(locationColumnNames, field) }

// locationValueColumns are the columns of locations that are not plain text.
var locationValueColumns = []column[locationRow, lost.Location]{
	{
		"type", func(r *locationRow) any { return &r.kind },
		func(l *lost.Location) any { return string(l.Type) },
	},
	{
		"storage_duration", func(r *locationRow) any { return &r.StorageDuration },
		func(l *lost.Location) any { return l.StorageDuration },
	},
	{
		"reminders", func(r *locationRow) any { return &r.reminders },
		func(l *lost.Location) any { return writePointee(l.Reminders) },
	},
	{
		"shipping", func(r *locationRow) any { return &r.shipping },
		func(l *lost.Location) any { return writePointee(l.Shipping) },
	},
	{
		"sisters", func(r *locationRow) any { return &r.Matching.Sisters },
		func(l *lost.Location) any { return l.Matching.Sisters },
	},
	{
		"created_at", func(r *locationRow) any { return &r.created },
		func(l *lost.Location) any { return micros(l.CreatedAt) },
	},
	{
		"updated_at", func(r *locationRow) any { return &r.updated },
		func(l *lost.Location) any { return micros(l.UpdatedAt) },
	},
}

// locationSQL is how locations are stored.
var locationSQL = newLocationTable() //nolint:gochecknoglobals // built once from fixed lists

type locationTable struct {
	table[locationRow, lost.Location]
	insert, update string
}

func newLocationTable() (t locationTable) {
	inside := func(r *locationRow) *lost.Location { return &r.Location }
	texts := textColumns(lost.LocationFields(), locationColumn, nil, inside)
	t.table = newTable([]string{"account_id", "id", "permalink", "created_at"}, append(texts, locationValueColumns...))
	last := len(t.columns)
	t.insert = "INSERT INTO locations (" + strings.Join(t.names(), ", ") + ", name_key, search) VALUES (" + t.marks() +
		", " +
		mark(last+1) + ", " + mark(last+2) + ")"
	sets, next := t.sets()
	t.update = "UPDATE locations SET " + sets + ", name_key = " + mark(next) + ", search = " + mark(next+1) +
		" WHERE account_id = $1 AND id = $2"
	return t
}
