package store

import (
	"cmp"
	"strings"

	"homeward/internal/lost"
)

// itemRow holds an item while it is scanned. It is a single struct to save allocations, because
// every scanned variable is allocated on the heap.
type itemRow struct {
	lost.Item
	source, status, images, unit, box string
	created, updated                  int64
	recipient, state, claim, movedBy  string
	moved, closed, disowned, answered int64
	parcel, destination, care         string
	metadata, ownerState, category    string
	keeping                           string
}

// itemColumnNames maps item fields to column names that cannot be derived from the field name. Some
// columns hold JSON with several fields.
var itemColumnNames = map[string]string{
	"account": "account_id", "owner.firstName": "owner_first", "owner.lastName": "owner_last",
	"shipping.weight": "weight", "shipping.weightUnit": "weight_unit", "shipping.boxType": "box_type",
	"shipping.isDocument": "is_document", "shipping.trackingNumber": "tracking_number",
	"shipping.notShippedBecause": "not_shipped", "shipping.recipient": "recipient",
	"shipping.shipmentId": "parcel", "shipping.byGuest": "parcel", "shipping.payment": "parcel",
	"shipping.offered":  "parcel",
	"shipping.unpriced": "parcel", "shipping.paid": "parcel", "shipping.awaited": "parcel", "shipping.refund": "parcel",
	"shipping.service": "parcel", "shipping.price": "parcel", "shipping.fromDays": "parcel",
	"shipping.toDays": "parcel", "shipping.shippingDate": "parcel", "shipping.trackingUrl": "parcel",
	"shipping.documents": "parcel", "shipping.troubles": "parcel",
	"request.state": "claim_state", "request.answeredAt": "answered_at",
	"request.lostPlace": "claim", "request.lostDate": "claim", "request.proof": "claim",
	"request.reason": "claim", "request.matchedItemId": "claim", "request.question": "claim",
	"request.registerItemId": "claim", "request.trackerLink": "claim", "request.trackerLinkUntil": "claim",
	"keepUntil": "care", "handover.name": "care", "handover.idChecked": "care", "handover.at": "care",
	"handover.signatureFile": "care", "handover.receiptUrl": "care", "handover.before.status": "care",
	"handover.before.pickup": "care", "handover.before.hold": "care",
	"finderTold.reward": "care", "finderTold.item": "care",
}

// itemColumn returns the column name of an item field, such as discovery_place for discoveryPlace.
func itemColumn(field string) string { return columnName(itemColumnNames, field) }

// itemValueColumns are the item columns that are not plain text.
var itemValueColumns = []column[itemRow, lost.Item]{
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
		"answered_at", func(r *itemRow) any { return &r.answered },
		func(i *lost.Item) any { return micros(i.Claim.AnsweredAt) },
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
		func(i *lost.Item) any { return writeCustody(*i) },
	},
	{
		"metadata", func(r *itemRow) any { return &r.metadata },
		func(i *lost.Item) any { return writeMetadata(i.Metadata) },
	},
	{
		"owner_state", func(r *itemRow) any { return &r.ownerState },
		func(i *lost.Item) any { return string(i.OwnerState) },
	},
	{
		"category", func(r *itemRow) any { return &r.category },
		func(i *lost.Item) any { return string(i.Category) },
	},
	{
		"value_amount", func(r *itemRow) any { return &r.Value.Amount },
		func(i *lost.Item) any { return i.Value.Amount },
	},
	{
		"value_currency", func(r *itemRow) any { return &r.Value.Currency },
		func(i *lost.Item) any { return i.Value.Currency },
	},
	{
		"finder_wants_reward", func(r *itemRow) any { return &r.Finder.WantsReward },
		func(i *lost.Item) any { return i.Finder.WantsReward },
	},
	{
		"finder_claims_item", func(r *itemRow) any { return &r.Finder.ClaimsItem },
		func(i *lost.Item) any { return i.Finder.ClaimsItem },
	},
	{ // the last column, because it is not part of the joined row: SQLite's text of a number has only 15 digits
		"weight", func(r *itemRow) any { return &r.Shipping.Weight },
		func(i *lost.Item) any { return i.Shipping.Weight },
	},
}

// itemSQL describes the items table.
var itemSQL = newItemTable() //nolint:gochecknoglobals // built once from fixed lists

type itemTable struct {
	table[itemRow, lost.Item]
	selects string // see selection

	counted, byTransaction itemStatements // by how changes are numbered
}

// itemStatements are the statements that write an item.
type itemStatements struct{ insert, update string }

// statements returns the statements for a database that numbers changes in the given way.
func (t *itemTable) statements(n changeNumbers) itemStatements {
	if n.counted {
		return t.counted
	}
	return t.byTransaction
}

func newItemTable() (t itemTable) {
	inside := func(r *itemRow) *lost.Item { return &r.Item }
	texts := textColumns(lost.ItemFields(), itemColumn, []string{"parcel", "claim", "care"}, inside)
	fixed := []string{"account_id", "id", "location_id", "reference", "source", "created_at"}
	t.table = newTable(fixed, append(texts, itemValueColumns...))
	t.selects = t.selection()
	last := len(t.columns)
	firstCheck, version := "CAST("+param(last+2)+" AS BIGINT)", param(last+3)
	// If the location has changed or does not exist, look_at is NULL, which is a conflict, and the transaction is
	// repeated.
	lookAt := "(SELECT " + firstCheck + " FROM locations WHERE account_id = $1 AND id = $3 AND deleted_at = 0 AND " +
		"updated_at = " + version + ")"
	sets, next := t.sets()
	write := func(numbers changeNumbers) (s itemStatements) {
		s.insert = "INSERT INTO items (" + strings.Join(t.names(), ", ") +
			", search, look_at, store_until, serial_key, change) SELECT " + t.params() + ", " + param(last+1) + ", " +
			lookAt + ", " + param(last+4) + ", " + param(last+5) + ", " + numbers.number
		s.update = "UPDATE items SET " + sets + ", search = " + param(next) +
			", look_at = CASE WHEN CAST(" + param(next+1) + " AS BOOLEAN) THEN CAST(" + param(next+2) +
			" AS BIGINT) ELSE look_at END, store_until = " + param(next+3) + ", serial_key = " + param(next+4) +
			", change = " + numbers.number + " WHERE account_id = $1 AND id = $2"
		return s
	}
	t.counted, t.byTransaction = write(countedNumbers), write(transactionNumbers)
	return t
}

// selection returns the expressions that scanItemWith reads: a joined row that includes the terms of the location, and
// the last column.
func (t *itemTable) selection() string {
	joined := []string{"l.storage_place", emptyIfNull("l.storage_duration"), "l.time_zone", "l.keeping_rules"}
	last := len(t.columns) - 1
	for _, c := range t.columns[:last] {
		name := "i." + c.name
		if _, ok := c.scan(new(itemRow)).(**bool); ok {
			name = emptyIfNull(name)
		}
		joined = append(joined, name)
	}
	return joinedColumns(joined) + ", i." + t.columns[last].name
}

// unlimited is the stored end of storage of an item without one. It sorts after all days.
const unlimited = "none"

// storedUntil returns the last day of an item's storage as it is stored.
func storedUntil(i *lost.Item) string { return cmp.Or(i.StoreUntil(), unlimited) }

// storedCustody is the JSON form of item fields that queries do not filter by: the earliest day of
// disposal, the handover, and when the finder was told something.
type storedCustody struct {
	KeepUntil string          `json:"keepUntil,omitempty"`
	Handover  *storedHandover `json:"handover,omitempty"`

	ToldReward int64 `json:"toldReward,omitempty"`
	ToldItem   int64 `json:"toldItem,omitempty"`
}

type storedHandover struct {
	Name      string `json:"name"`
	IDChecked bool   `json:"idChecked,omitempty"`
	At        int64  `json:"at"`
	Signature string `json:"signature,omitempty"`
	Receipt   string `json:"receipt,omitempty"`

	Before lost.Before `json:"before,omitzero"`
}

func writeCustody(i lost.Item) string {
	c := storedCustody{
		KeepUntil: i.KeepUntil, ToldReward: micros(i.FinderNotices.Reward), ToldItem: micros(i.FinderNotices.Item),
	}
	if h := i.Handover; h.Known() {
		c.Handover = &storedHandover{h.Name, h.IDChecked, micros(h.At), h.SignatureFile, h.ReceiptFile, h.Before}
	}
	if c == (storedCustody{}) {
		return ""
	}
	return toJSON(c)
}

func readCustody(destination, text string, i *lost.Item) error {
	i.Destination = lost.Destination(destination)
	var c storedCustody
	if err := readJSON("the custody of an item", text, &c); err != nil {
		return err
	}
	i.KeepUntil = c.KeepUntil
	i.FinderNotices = lost.FinderNotices{Reward: fromMicros(c.ToldReward), Item: fromMicros(c.ToldItem)}
	if h := c.Handover; h != nil {
		i.Handover = lost.Handover{
			Name: h.Name, IDChecked: h.IDChecked, At: fromMicros(h.At), SignatureFile: h.Signature,
			ReceiptFile: h.Receipt, Before: h.Before,
		}
	}
	return nil
}
