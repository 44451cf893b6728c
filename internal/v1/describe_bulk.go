package v1

// bulkDescriptions describes the fields of the types in bulk.go.
var bulkDescriptions = map[string]Description{
	"NewItems.items": {"The items to create, 1 to 100, each as in the operation that creates one.", ""},

	"BulkMove.ids":    {"The ids of the items, 1 to 100.", "item_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"BulkMove.status": {"The new status of the items.", "DONATE"},

	"BulkResults.results": {"One result for each element of the request, in its order.", ""},

	"BulkResult.index":   {"Position of the element in the request, starting at 0.", "0"},
	"BulkResult.status":  {"The HTTP status that a request about this item alone would have.", "200"},
	"BulkResult.item":    {"The item as it is now. Absent if there is a problem.", ""},
	"BulkResult.problem": {"Why this item was not created or changed. Absent if it was.", ""},

	"HandOver.recipient": {"Who collects the item.", "Anna Kowalska"},
	"HandOver.idChecked": {"Whether you have checked an ID with this name. The default is false.", "true"},
	"HandOver.note":      {"A note for the item's history.", "Collected at the night desk"},
	"HandOver.signature": {
		"The recipient's signature: a PNG of at most 200 KiB in base64, alone or as a data: URL. It is " +
			"printed on the receipt.",
		"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
	},
}
