package v1

// tariffDescriptions describes the fields of the types in tariff.go.
var tariffDescriptions = map[string]Description{
	"ShippingRules.offered": {"Whether the location ships items to their owners. null: it does.", "true"},
	"ShippingRules.service": {"Name of the carrier's service, as shown to guests.", "DHL Paket"},
	"ShippingRules.currency": {
		"The currency of all amounts, as a 3-letter code (ISO 4217). null: the currency of the location's " +
			"country. If it changes, amounts that are not sent are reset to the defaults.",
		"EUR",
	},
	"ShippingRules.handlingFee": {"The handling fee that is added to the postage, in minor units.", "300"},
	"ShippingRules.taxRate": {
		"The tax that every price includes, in per cent with at most two decimal places. The invoice shows " +
			"it.",
		"19",
	},
	"ShippingRules.taxId": {"The tax number that invoices show.", "DE136695976"},
	"ShippingRules.trackingUrl": {
		"URL of the carrier's tracking page, http or https, with {number} in place of the tracking " +
			"number. It is used for tracking numbers that staff enter.",
		"https://carrier.example/track/{number}",
	},
	"ShippingRules.domestic": {
		"Shipping within the location's own country. null restores the default prices.",
		`{"prices":[{"upToGrams":2000,"price":690},{"upToGrams":10000,"price":1290}],` +
			`"documentPrice":350,"fromDays":1,"toDays":3}`,
	},
	"ShippingRules.neighbour": {
		"Shipping to other countries in the same part of the world. null restores the default prices.",
		`{"prices":[{"upToGrams":2000,"price":1690},{"upToGrams":10000,"price":2690}],` +
			`"documentPrice":690,"fromDays":3,"toDays":6}`,
	},
	"ShippingRules.world": {
		"Shipping to all other countries. null restores the default prices.",
		`{"prices":[{"upToGrams":2000,"price":3490}],"fromDays":6,"toDays":14}`,
	},

	"Zone.prices": {
		"Prices by ascending weight. Parcels above the last weight cannot be shipped. An empty list disables the " +
			"zone. The list is replaced as a whole; null restores the default.",
		`[{"upToGrams":2000,"price":690},{"upToGrams":10000,"price":1290}]`,
	},
	"Zone.documentPrice": {
		"Price in minor units for documents of at most 2 kg whose boxType is letter, flat or not set. " +
			"null: documents cost the same as other items.",
		"350",
	},
	"Zone.fromDays": {"Minimum delivery time in working days. 0 or null: unknown.", "1"},
	"Zone.toDays":   {"Maximum delivery time in working days. It must be at least fromDays.", "3"},

	"Band.upToGrams": {"Maximum weight for this price, in grams.", "2000"},
	"Band.price":     {"The postage, in minor units.", "690"},
}
