package v1

// personDescriptions describes the fields of the types in person.go.
var personDescriptions = map[string]Description{
	"Person.email": {
		"E-mail address. The case of the letters A to Z is ignored. Send either email or phone.",
		"anna@example.com",
	},
	"Person.phone": {
		"Phone number in any usual spelling, with + or 00 and the country code. A national number is accepted if all " +
			"of the account's locations are in countries with the same calling code. Send either phone or email.",
		"+48221234567",
	},

	"PersonExport.person":     {"The person.", ""},
	"PersonExport.exportedAt": {"When the data was read.", "2026-11-15T08:30:00.000Z"},
	"PersonExport.records":    {"The person's items and requests with all related records, oldest first.", ""},
	"PersonExport.messages": {
		"Messages to the person about items that are not, or are no longer, theirs, oldest first, at most 1000.",
		"",
	},
	"PersonExport.thread": {"Messages of conversations about items that now have another owner.", ""},
	"PersonExport.shipments": {
		"Shipments to the person of items that now have another owner, oldest first, at most 1000.", "",
	},
	"PersonExport.events": {
		"Events with the person's data about items that were deleted or now have another owner, oldest first, at " +
			"most 1000.", "",
	},
	"PersonExport.complete": {
		"False if there are more than 10000 records, or 1000 messages, shipments or events. In that case, only the " +
			"oldest are included.",
		"true",
	},

	"PersonItem.item":      {"The item or request, as get-item returns it.", ""},
	"PersonItem.history":   {"Its history, newest first, at most 1000 entries.", ""},
	"PersonItem.messages":  {"Messages about it, newest first, at most 200.", ""},
	"PersonItem.thread":    {"Messages of the conversation with the person, oldest first.", ""},
	"PersonItem.shipments": {"Its shipments with recipient and payment, newest first.", ""},

	"PersonShipment.id":        {"Identifier.", "shp_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"PersonShipment.recipient": {"Name and address of the recipient.", ""},
	"PersonShipment.price":     {"The price.", ""},
	"PersonShipment.paidAt":    {"When it was paid.", "2026-11-15T08:30:00.000Z"},
	"PersonShipment.invoice":   {"Invoice number.", "1"},
	"PersonShipment.createdAt": {"When it was started.", "2026-11-15T08:30:00.000Z"},

	"Erasure.id":        {"Identifier.", "ers_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"Erasure.state":     {"The state is running until all data is removed, and then done.", "done"},
	"Erasure.erased":    {"Numbers of records removed or redacted so far.", ""},
	"Erasure.createdAt": {"When it was requested.", "2026-11-15T08:30:00.000Z"},
	"Erasure.doneAt":    {"When it was completed.", "2026-11-15T08:30:01.000Z"},

	"Erased.items":      {"Found items whose owner is the person. The items are kept without an owner.", "2"},
	"Erased.requests":   {"Requests by the person. Their text is removed.", "1"},
	"Erased.mentions":   {"Other texts that contained the person's address.", "0"},
	"Erased.messages":   {"Messages.", "5"},
	"Erased.links":      {"Private links, which no longer work.", "2"},
	"Erased.history":    {"History entries whose notes were removed.", "5"},
	"Erased.events":     {"Events whose bodies no longer contain the person's data.", "1"},
	"Erased.deliveries": {"Webhook deliveries of these events. Pending deliveries are sent without the data.", "1"},
	"Erased.shipments":  {"Shipments. The law requires that invoice numbers, dates and amounts are kept.", "1"},
	"Erased.files":      {"Photos, labels, invoices, signatures and other documents.", "3"},
	"Erased.answers":    {"Responses that were stored for idempotency keys.", "0"},
	"Erased.importRows": {"Rows of imported files.", "0"},
	"Erased.views":      {"Saved views that searched for the address.", "0"},
	"Erased.underWay": {
		"Items left unchanged because their parcel is paid for but has not arrived. Their data is erased " +
			"automatically within a day after arrival or refund. Until then, the state is running.",
		"0",
	},
	"Erased.sharedPhones": {
		"Phone numbers on the person's records that records with another e-mail address have too. They may belong to " +
			"another person, so they are removed only from the person's own records. To erase them everywhere, send " +
			"another request with the phone number.",
		"0",
	},
}
