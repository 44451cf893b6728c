package v1

// shippingDescriptions describes the fields of the types in shipping.go.
var shippingDescriptions = map[string]Description{
	"Shipping.weight":     {"Weight of the item.", "0.4"},
	"Shipping.weightUnit": {"Unit of the weight; default kg.", "kg"},
	"Shipping.boxType": {
		"Packaging box, in cm: letter 33 x 23 x 3, flat 33 x 23 x 6, shoe 40 x 20 x 20, moving 60 x 40 x " +
			"40, long 100 x 20 x 20. Its size affects the price.",
		"long",
	},
	"Shipping.isDocument": {"True if the item consists only of documents.", "false"},
	"Shipping.notShippedBecause": {
		"Why the item cannot be sent. The guest sees this reason instead of an offer to ship. null: it " +
			"may be sent.",
		"Lithium batteries cannot be sent by post.",
	},
	"Shipping.trackingNumber": {
		"The carrier's tracking number, from the label; update-status sets it too.",
		"00340434161094042557",
	},
	"Shipping.recipient": {"Name and address of the recipient, once the owner has entered them.", ""},
	"Shipping.service":   {"The service it is sent with, once chosen.", "Standard parcel"},
	"Shipping.price":     {"What the owner pays for shipping, once known.", ""},
	"Shipping.payment": {
		"How the fee was paid, if it was. none: the location collected it; test: a test without money.",
		"stripe",
	},
	"Shipping.refund":       {"State of the refund, if one was requested.", "done"},
	"Shipping.shippingDate": {"The day the parcel leaves, YYYY-MM-DD, once there is a label.", "2026-11-20"},
	"Shipping.trackingUrl": {
		"The carrier's tracking page for the parcel.",
		"https://carrier.example/track/00340434161094042557",
	},
	"Shipping.documents": {"Documents of the parcel, once they exist.", ""},

	"Price.total":    {"What the owner pays, in minor units of the currency, including tax.", "1990"},
	"Price.postage":  {"The carrier's part of the total.", "1690"},
	"Price.handling": {"The location's handling fee, part of the total.", "300"},
	"Price.currency": {"3-letter currency code (ISO 4217).", "EUR"},

	"Document.type": {"Type of the document. customs only if the parcel crosses a customs border.", "label"},
	"Document.url": {
		"URL of the file. Anyone with the URL can read it while the item exists.",
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
	"Recipient.phone":    {"Phone number in E.164.", "+48221234567"},

	"Quotes.data":   {"The ways to send it, cheapest first; at most 4. Empty if there is no price.", ""},
	"Quotes.reason": {"Why there is no price.", "The item has no weight and no box: set one of them."},

	"Quote.service":  {"The service it would be sent with.", "Standard parcel"},
	"Quote.price":    {"What the owner would pay.", ""},
	"Quote.fromDays": {"Minimum number of working days; absent if unknown.", "3"},
	"Quote.toDays":   {"Maximum number of working days; absent if unknown.", "6"},

	"Refund.reason": {"Reason, for the item's history.", "The parcel was never sent."},
}
