package itemcsv_test

import (
	"slices"
	"testing"

	"homeward/internal/itemcsv"
	"homeward/internal/lost"
	"homeward/internal/lost/fieldtest"
)

// renamedColumns maps fields to columns with another name.
var renamedColumns = map[string]string{
	"pickup.date": "pickupDate", "pickup.time": "pickupTime", "closedAt": "closed",
	"shipping.trackingNumber": "trackingNumber", "imageFile": "imageUrl",
	"request.answeredAt": "answeredAt",
}

// omittedFields lists the fields that are not in a CSV file. Exports are made for other programs, so they omit
// internal data about hand-overs and shipments, and what claimants wrote.
var omittedFields = []string{
	"account", "locationId", "images", "terms", "movedBy", "movedAt", "disownedAt", "ownerState", "pickup.planned",
	"shipping.recipient", "shipping.shipmentId", "shipping.byGuest", "shipping.payment", "shipping.offered",
	"shipping.unpriced", "shipping.paid", "shipping.awaited", "shipping.refund", "shipping.service",
	"shipping.price", "shipping.fromDays",
	"shipping.toDays", "shipping.shippingDate", "shipping.trackingUrl", "shipping.documents", "shipping.troubles",
	"request.lostPlace", "request.lostDate", "request.proof", "request.reason",
	"request.matchedItemId", "request.question", "request.trackerLink", "request.trackerLinkUntil",
	"request.registerItemId", "finderTold.reward", "finderTold.item", "handover.name", "handover.signatureFile",
	"handover.receiptUrl", "handover.before.status",
	"handover.before.pickup", "handover.before.hold",
}

func TestEveryFieldOfAnItemHasAColumnOrIsOmitted(t *testing.T) {
	columns := itemcsv.Columns()
	for _, leaf := range fieldtest.ItemLeaves(new(lost.Item)) {
		if leaf.Field == nil {
			t.Errorf("lost.Item.%s is not in lost.ItemFields", leaf.Path)
			continue
		}
		name := leaf.Field.Name
		column := name
		if renamed, is := renamedColumns[name]; is {
			column = renamed
		}
		if slices.Contains(columns, column) == slices.Contains(omittedFields, name) {
			t.Errorf("CSV has no column for lost.Item.%s (%s) and does not omit it: add a column or a line in "+
				"omittedFields",
				leaf.Path, name)
		}
	}
}

func TestEveryEditableFieldCanBeImported(t *testing.T) {
	columns := itemcsv.Columns()
	for _, name := range lost.EditableItemFields() {
		if !slices.Contains(columns, name) {
			t.Errorf("staff can edit %s, but an import cannot set it: add a column", name)
		}
	}
}
