package v1

// shippingDescriptions describes the fields of the types in shipping.go.
var shippingDescriptions = map[string]Description{
	"Shipping.weight":     {"Weight of the item.", "0.4"},
	"Shipping.weightUnit": {"Unit of the weight. The default is kg.", "kg"},
	"Shipping.boxType": {
		"Packaging box, in cm: letter 33 x 23 x 3, flat 33 x 23 x 6, shoe 40 x 20 x 20, moving 60 x 40 x " +
			"40, long 100 x 20 x 20. Its size affects the price.",
		"long",
	},
	"Shipping.isDocument": {"True if the item consists only of documents.", "false"},
	"Shipping.notShippedBecause": {
		"Why the item cannot be shipped. The guest sees this reason instead of a shipping offer. null: it " +
			"can be shipped.",
		"Lithium batteries cannot be sent by post.",
	},
	"Shipping.trackingNumber": {
		"The tracking number from the carrier's label. It can also be set with update-status.",
		"00340434161094042557",
	},
	"Shipping.recipient": {"Name and address of the recipient, once the owner has entered them.", ""},
	"Shipping.service":   {"The carrier's service, once it is chosen.", "Standard parcel"},
	"Shipping.price":     {"What the owner pays for shipping, once known.", ""},
	"Shipping.payment": {
		"How the fee was paid, if it was. none: the location collected it; test: a test payment without money.",
		"stripe",
	},
	"Shipping.refund":       {"State of the refund, if one was requested.", "done"},
	"Shipping.shippingDate": {"The ship date, as YYYY-MM-DD, once there is a label.", "2026-11-20"},
	"Shipping.trackingUrl": {
		"The carrier's tracking page for the parcel.",
		"https://carrier.example/track/00340434161094042557",
	},
	"Shipping.documents": {"Shipping documents, once they exist.", ""},

	"Price.total":    {"What the owner pays including tax, in minor units of the currency.", "1990"},
	"Price.postage":  {"The carrier's part of the total.", "1690"},
	"Price.handling": {"The location's handling fee, which is part of the total.", "300"},
	"Price.currency": {"3-letter currency code (ISO 4217).", "EUR"},

	"Document.type": {"Type of document. customs exists only if the parcel crosses a customs border.", "label"},
	"Document.url": {
		"URL of the file. Anyone who has the URL can read the file while the item exists.",
		"https://homeward.example/files/mv4x7q2k9d3w.pdf",
	},
	"Document.paperSize": {"Paper size.", "A6"},
	"Document.fileType":  {"File type.", "pdf"},

	"Recipient.name":     {"Full name.", "Anna Kowalska"},
	"Recipient.company":  {"Company.", "Studio Fala"},
	"Recipient.address1": {"Address line 1.", "ul. Długa 7"},
	"Recipient.address2": {"Address line 2.", "m. 12"},
	"Recipient.city":     {"City.", "Warszawa"},
	"Recipient.state":    {"State, province or prefecture.", "Mazowieckie"},
	"Recipient.zipCode":  {"Zip or postal code.", "00-238"},
	"Recipient.country":  {"2-letter country code (ISO 3166-1).", "PL"},
	"Recipient.phone":    {"Phone number in E.164 format.", "+48221234567"},

	"Quotes.data":   {"Shipping offers, cheapest first, at most 4. The list is empty if there is no price.", ""},
	"Quotes.reason": {"Why there is no price.", "The item has no weight or box. Set one of them."},

	"Quote.service":  {"The carrier's service.", "Standard parcel"},
	"Quote.price":    {"What the owner would pay.", ""},
	"Quote.fromDays": {"Minimum delivery time in working days; absent if unknown.", "3"},
	"Quote.toDays":   {"Maximum delivery time in working days; absent if unknown.", "6"},

	"Refund.reason": {"The reason, which is recorded in the item's history.", "The parcel was never sent."},
}
