package itemcsv_test

import (
	"slices"
	"testing"

	"homeward/internal/itemcsv"
	"homeward/internal/lost"
	"homeward/internal/lost/fieldtest"
)

// renamedColumns are the fields whose columns have other names.
var renamedColumns = map[string]string{
	"pickup.date": "pickupDate", "pickup.time": "pickupTime", "closedAt": "closed",
	"shipping.trackingNumber": "trackingNumber", "imageFile": "imageUrl",
}

// leftOut are the fields that a file of items does not have: the hand-over and the shipment are the account's records,
// a request is its claimant's, and an export goes to other programs.
var leftOut = []string{
	"account", "locationId", "images", "terms", "movedBy", "movedAt", "disownedAt", "pickup.planned",
	"shipping.recipient", "shipping.shipmentId", "shipping.payment", "shipping.offered", "shipping.unpriced",
	"shipping.paid", "shipping.awaited", "shipping.refund", "shipping.service", "shipping.price", "shipping.fromDays",
	"shipping.toDays", "shipping.shippingDate", "shipping.trackingUrl", "shipping.documents", "shipping.troubles",
	"request.state", "request.lostPlace", "request.lostDate", "request.proof", "request.reason",
	"request.matchedItemId", "request.question",
	"handover.name", "handover.signatureFile", "handover.receiptUrl", "handover.before.status",
	"handover.before.pickup", "handover.before.hold",
}

func TestEveryFieldOfAnItemHasAColumnOrIsLeftOut(t *testing.T) {
	columns := itemcsv.Columns()
	for _, leaf := range fieldtest.ItemLeaves(new(lost.Item)) {
		if leaf.Field == nil {
			t.Errorf("CSV does not know lost.Item.%s: it is not in lost.ItemFields", leaf.Path)
			continue
		}
		name := leaf.Field.Name
		column := name
		if renamed, is := renamedColumns[name]; is {
			column = renamed
		}
		if slices.Contains(columns, column) == slices.Contains(leftOut, name) {
			t.Errorf("CSV has no column for lost.Item.%s (%s) and does not leave it out: add a column or a line in "+
				"leftOut",
				leaf.Path, name)
		}
	}
}

func TestEveryEditableFieldCanBeImported(t *testing.T) {
	columns := itemcsv.Columns()
	for _, name := range lost.EditableItemFields() {
		if !slices.Contains(columns, name) {
			t.Errorf("staff can edit %s, and a file cannot set it: add a column", name)
		}
	}
}
