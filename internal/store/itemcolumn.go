package store

import (
	"strconv"
	"strings"
	"unicode"

	"homeward/internal/lost"
)

// column is one column of a table whose rows are read as T, which has the record R inside it.
type column[T, R any] struct {
	name  string
	scan  func(row *T) any    // where a value that is read goes
	value func(record *R) any // what is written
}

// itemRow is an item being read. It is one piece of memory because drivers keep every variable they fill on the heap.
type itemRow struct {
	lost.Item
	source, status, images, unit, box string
	created, updated                  int64
	recipient, state, claim, movedBy  string
	moved, closed, disowned           int64
	parcel, destination, care         string
}

// itemColumnNames are the columns of item fields whose names do not follow from the field. Several fields share a column
// that holds JSON.
var itemColumnNames = map[string]string{
	"account": "account_id", "owner.firstName": "owner_first", "owner.lastName": "owner_last",
	"shipping.weight": "weight", "shipping.weightUnit": "weight_unit", "shipping.boxType": "box_type",
	"shipping.isDocument": "is_document", "shipping.trackingNumber": "tracking_number",
	"shipping.notShippedBecause": "not_shipped", "shipping.recipient": "recipient",
	"shipping.shipmentId": "parcel", "shipping.payment": "parcel", "shipping.offered": "parcel",
	"shipping.unpriced": "parcel", "shipping.paid": "parcel", "shipping.awaited": "parcel", "shipping.refund": "parcel",
	"shipping.service": "parcel", "shipping.price": "parcel", "shipping.fromDays": "parcel",
	"shipping.toDays": "parcel", "shipping.shippingDate": "parcel", "shipping.trackingUrl": "parcel",
	"shipping.documents": "parcel", "shipping.troubles": "parcel",
	"request.state": "claim_state", "request.lostPlace": "claim", "request.lostDate": "claim", "request.proof": "claim",
	"request.reason": "claim", "request.matchedItemId": "claim", "request.question": "claim",
	"keepUntil": "care", "handover.name": "care", "handover.idChecked": "care", "handover.at": "care",
	"handover.signatureFile": "care", "handover.receiptUrl": "care", "handover.before.status": "care",
	"handover.before.pickup": "care", "handover.before.hold": "care",
}

// itemColumn gives the column in which an item's field is stored: discoveryPlace is in discovery_place.
func itemColumn(field string) string {
	if name, is := itemColumnNames[field]; is {
		return name
	}
	return snakeCase(field)
}

// snakeCase writes owner.firstName as owner_first_name.
func snakeCase(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r == '.':
			b.WriteByte('_')
		case unicode.IsUpper(r):
			b.WriteByte('_')
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// valueColumns are the columns of items that are not plain text.
var valueColumns = []column[itemRow, lost.Item]{
	{
		"source", func(r *itemRow) any { return &r.source },
		func(i *lost.Item) any { return string(i.Source) },
	},
	{
		"created_at", func(r *itemRow) any { return &r.created },
		func(i *lost.Item) any { return micros(i.CreatedAt) },
	},
	{
		"status", func(r *itemRow) any { return &r.status },
		func(i *lost.Item) any { return string(i.Status) },
	},
	{
		"images", func(r *itemRow) any { return &r.images },
		func(i *lost.Item) any { return writeImages(i.Images) },
	},
	{
		"weight", func(r *itemRow) any { return &r.Shipping.Weight },
		func(i *lost.Item) any { return i.Shipping.Weight },
	},
	{
		"weight_unit", func(r *itemRow) any { return &r.unit },
		func(i *lost.Item) any { return string(i.Shipping.WeightUnit) },
	},
	{
		"box_type", func(r *itemRow) any { return &r.box },
		func(i *lost.Item) any { return string(i.Shipping.BoxType) },
	},
	{
		"is_document", func(r *itemRow) any { return &r.Shipping.IsDocument },
		func(i *lost.Item) any { return i.Shipping.IsDocument },
	},
	{
		"pickup_planned", func(r *itemRow) any { return &r.Pickup.Planned },
		func(i *lost.Item) any { return i.Pickup.Planned },
	},
	{
		"updated_at", func(r *itemRow) any { return &r.updated },
		func(i *lost.Item) any { return micros(i.UpdatedAt) },
	},
	{
		"recipient", func(r *itemRow) any { return &r.recipient },
		func(i *lost.Item) any { return writeRecipient(i.Shipping.Recipient) },
	},
	{
		"claim_state", func(r *itemRow) any { return &r.state },
		func(i *lost.Item) any { return string(i.Claim.State) },
	},
	{
		"claim", func(r *itemRow) any { return &r.claim },
		func(i *lost.Item) any { return writeClaim(*i) },
	},
	{
		"moved_by", func(r *itemRow) any { return &r.movedBy },
		func(i *lost.Item) any { return string(i.MovedBy) },
	},
	{
		"moved_at", func(r *itemRow) any { return &r.moved },
		func(i *lost.Item) any { return micros(i.MovedAt) },
	},
	{
		"closed_at", func(r *itemRow) any { return &r.closed },
		func(i *lost.Item) any { return micros(i.ClosedAt) },
	},
	{
		"disowned_at", func(r *itemRow) any { return &r.disowned },
		func(i *lost.Item) any { return micros(i.DisownedAt) },
	},
	{
		"parcel", func(r *itemRow) any { return &r.parcel },
		func(i *lost.Item) any { return writeParcel(i.Parcel) },
	},
	{
		"destination", func(r *itemRow) any { return &r.destination },
		func(i *lost.Item) any { return string(i.Destination) },
	},
	{
		"care", func(r *itemRow) any { return &r.care },
		func(i *lost.Item) any { return writeCare(*i) },
	},
}

// fixedItemColumns are written once. The first three are parameters $1 to $3 of the statement that adds an item.
var fixedItemColumns = []string{"account_id", "id", "location_id", "reference", "source", "created_at"}

// itemTable is how items are stored. Its text columns follow from lost.ItemFields.
type itemTable struct {
	columns []column[itemRow, lost.Item] // the fixed ones first
	selects string                       // with the terms of the item's location
	insert  string
	update  string
}

var itemSQL = newItemTable() //nolint:gochecknoglobals // built once from fixed lists

func newItemTable() itemTable {
	all := append(textColumns(), valueColumns...)
	var t itemTable
	for _, name := range fixedItemColumns {
		t.columns = append(t.columns, find(all, name))
	}
	for _, c := range all {
		if !t.fixed(c.name) {
			t.columns = append(t.columns, c)
		}
	}
	var names, marks, sets []string
	for n, c := range t.columns {
		names, marks = append(names, c.name), append(marks, "$"+strconv.Itoa(n+1))
		if n >= len(fixedItemColumns) {
			sets = append(sets, c.name+" = $"+strconv.Itoa(3+n-len(fixedItemColumns)))
		}
	}
	t.selects = "i." + strings.Join(names, ", i.") + ", l.storage_place, l.storage_duration, l.time_zone"
	next := func(after int) string { return "$" + strconv.Itoa(len(t.columns)+after) }
	t.insert = "INSERT INTO items (" + strings.Join(names, ", ") + ", search, look_at) SELECT " + strings.Join(marks, ", ") + ", " +
		next(1) + ", CASE WHEN CAST(" + next(2) + " AS BIGINT) > 0 THEN CAST(" + next(2) + " AS BIGINT)" +
		" ELSE COALESCE(CAST(" + next(3) + " AS BIGINT) + storage_duration * 86400000000, 0) END" +
		" FROM locations WHERE account_id = $1 AND id = $3 AND deleted_at = 0"
	look := func(after int) string { return "$" + strconv.Itoa(2+len(sets)+after) }
	t.update = "UPDATE items SET " + strings.Join(sets, ", ") + ", search = " + look(1) +
		", look_at = CASE WHEN CAST(" + look(2) + " AS BOOLEAN) THEN CAST(" + look(3) + " AS BIGINT) ELSE look_at END" +
		" WHERE account_id = $1 AND id = $2"
	return t
}

// textColumns are the fields that are text and have a column of their own.
func textColumns() (columns []column[itemRow, lost.Item]) {
	fields := lost.ItemFields()
	shared := map[string]bool{"parcel": true, "claim": true, "care": true}
	for n := range fields {
		f, name := &fields[n], itemColumn(fields[n].Name)
		if f.Text(new(lost.Item)) == nil || shared[name] {
			continue
		}
		columns = append(columns, column[itemRow, lost.Item]{
			name,
			func(r *itemRow) any { return f.At(&r.Item) },
			func(i *lost.Item) any { return *f.Text(i) },
		})
	}
	return columns
}

func find[T, R any](columns []column[T, R], name string) column[T, R] {
	for _, c := range columns {
		if c.name == name {
			return c
		}
	}
	panic("no field is stored in column " + name)
}

func (t *itemTable) fixed(name string) bool {
	for _, c := range t.columns[:min(len(t.columns), len(fixedItemColumns))] {
		if c.name == name {
			return true
		}
	}
	return false
}

// values gives what is written of an item, without the fixed columns where skip is len(fixedItemColumns).
func (t *itemTable) values(i *lost.Item, skip int, first, last []any) []any {
	out := make([]any, 0, len(first)+len(t.columns)+len(last))
	out = append(out, first...)
	for n := skip; n < len(t.columns); n++ {
		out = append(out, t.columns[n].value(i))
	}
	return append(out, last...)
}
