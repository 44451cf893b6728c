package v1

// personDescriptions describes the fields of the types in person.go.
var personDescriptions = map[string]Description{
	"Person.email": {"E-mail address; case is ignored. Send either this or phone.", "anna@example.com"},
	"Person.phone": {"Phone number with + and country code. Send either this or email.", "+48221234567"},

	"PersonExport.person":     {"The person.", ""},
	"PersonExport.exportedAt": {"When the data was read.", "2026-11-15T08:30:00.000Z"},
	"PersonExport.records":    {"Their items and requests with everything that belongs to them, oldest first.", ""},
	"PersonExport.messages": {
		"Messages to the person about items that are not, or no longer, theirs; oldest first, at most 1000.",
		"",
	},
	"PersonExport.complete": {
		"False if there are more than 10000 records; then only the oldest are included.",
		"true",
	},

	"PersonItem.item":      {"The item or request, as retrieve-item returns it.", ""},
	"PersonItem.history":   {"Its history, newest first, at most 1000 entries.", ""},
	"PersonItem.messages":  {"Messages about it, newest first, at most 200.", ""},
	"PersonItem.shipments": {"Its shipments with recipient and payment, newest first.", ""},

	"PersonShipment.id":        {"Identifier.", "shp_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"PersonShipment.recipient": {"Name and address of the recipient.", ""},
	"PersonShipment.price":     {"The price.", ""},
	"PersonShipment.paidAt":    {"When it was paid.", "2026-11-15T08:30:00.000Z"},
	"PersonShipment.invoice":   {"Invoice number.", "1"},
	"PersonShipment.createdAt": {"When it was started.", "2026-11-15T08:30:00.000Z"},

	"Erasure.id":        {"Identifier.", "ers_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"Erasure.state":     {"running until all data is removed, then done.", "done"},
	"Erasure.erased":    {"Number of records removed so far.", ""},
	"Erasure.createdAt": {"When it was requested.", "2026-11-15T08:30:00.000Z"},
	"Erasure.doneAt":    {"When it was completed.", "2026-11-15T08:30:01.000Z"},

	"Erased.items":      {"Found items with the person as owner. The items remain, without an owner.", "2"},
	"Erased.requests":   {"Requests of the person; their text is removed.", "1"},
	"Erased.mentions":   {"Other texts that contained the address.", "0"},
	"Erased.messages":   {"Messages.", "5"},
	"Erased.links":      {"Private links, which no longer work.", "2"},
	"Erased.history":    {"History entries whose notes were removed.", "5"},
	"Erased.events":     {"Events whose bodies no longer contain their data.", "1"},
	"Erased.deliveries": {"Webhook deliveries of these events. Pending ones are sent without the data.", "1"},
	"Erased.shipments":  {"Shipments. Number, date and amount of their invoices remain, as required by law.", "1"},
	"Erased.files":      {"Photos, labels, invoices, signatures and other documents.", "3"},
	"Erased.answers":    {"Stored responses to repeated requests.", "0"},
	"Erased.importRows": {"Rows of imported files.", "0"},
	"Erased.views":      {"Saved views that searched for the address.", "0"},
	"Erased.underWay": {
		"Items left unchanged because their parcel is paid for and has not arrived. They are erased " +
			"automatically within a day of arrival or refund; until then the erasure is running.",
		"0",
	},
}
