package v1

// locationDescriptions describes the fields of the types in location.go.
var locationDescriptions = map[string]Description{
	"Location.id":        {"Identifier.", "loc_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"Location.permalink": {"Slug of the public page. It never changes.", "hotel-adler"},
	"Location.name":      {"Name of the location.", "Hotel Adler"},
	"Location.website":   {"Website URL.", "https://hotel-adler.example"},
	"Location.logoUrl": {
		"Logo URL. Uploading a logo sets this. Guest pages show only an uploaded logo: they load nothing from other " +
			"sites.",
		"https://hotel-adler.example/logo.png",
	},
	"Location.description":     {"Brief description.", "Family hotel at the harbour"},
	"Location.type":            {"Type of location. The default is hotel. It cannot be cleared.", "hotel"},
	"Location.storageDuration": {"How many days the location stores a found item.", "90"},
	"Location.storagePlace": {
		"Where found items are stored, unless an item has its own storagePlace.",
		"Back office, shelf B",
	},
	"Location.address1": {"Address line 1.", "Hafenstraße 12"},
	"Location.address2": {"Address line 2.", "Rear building"},
	"Location.city":     {"City.", "Hamburg"},
	"Location.state":    {"State.", "Hamburg"},
	"Location.zipCode":  {"Zip or postal code.", "20457"},
	"Location.country":  {"2-letter country code (ISO 3166-1). It is returned in upper case.", "DE"},
	"Location.contact":  {"The person in charge of lost and found.", ""},
	"Location.pickupTime": {
		"When guests can collect items, the same every day. It has no effect if openingHours is set.", "",
	},
	"Location.openingHours": {
		"When guests can collect items, for each day of the week. An empty list or null removes the hours; " +
			"pickupTime then applies. Without an element for a day, the location is closed on it.",
		"",
	},
	"Location.closures": {
		"Days on which guests cannot collect items, such as holidays. A PUT replaces the list. Pickups that are " +
			"planned for these days stay; the dashboard marks them.",
		"",
	},
	"Location.slots": {
		"Divides openingHours, so that only some guests come at the same time. Guests choose among the free slots; " +
			"see GET /v1/locations/{lid}/slots. null is the default: guests choose any time.",
		"",
	},
	"Location.timeZone": {"IANA time zone. The default is UTC.", "Europe/Berlin"},
	"Location.charity":  {"The charity that receives donated items.", "Seamen's Mission Hamburg"},
	"Location.privacyText": {
		"Privacy notice for guests, as plain text with line breaks. It is shown where guests enter data and in " +
			"e-mails. If privacyText and privacyUrl are both empty, guests see the privacy notice of the account.",
		"We use your details only to return your item and delete them 180 days later.",
	},
	"Location.privacyUrl": {
		"HTTPS URL of the full privacy notice, without user name and password. It is linked on all pages and in " +
			"e-mails for guests.",
		"https://hotel-adler.example/privacy",
	},
	"Location.language": {
		"Language for guests whose language is unknown, and for e-mails to the contact, as a BCP 47 tag. The " +
			"default is English.",
		"de",
	},
	"Location.externalId": {externalIDText, "HAM-01"},
	"Location.metadata":   {metadataText, `{"costCentre": "4200"}`},
	"Location.reminders": {
		"When guests are sent reminders. null is the default: 3 and 7 days after the notice, 3 days before " +
			"storeUntil, the day before a pickup, and the day after a missed pickup.",
		"",
	},
	"Location.shipping": {
		"How the location ships items and what it charges. null is the default: the standard tariff in the " +
			"currency of its country, without a handling fee and without tax.",
		"",
	},
	"Location.matching": {
		"What the location's found items and requests are matched with. null is the default: with each other. " +
			"Present only if it was set.",
		"",
	},
	"Location.publicRegister": {
		"Whether everybody may see a list of the location's finds at /l/PERMALINK/found, with their category, day " +
			"and area. The default is false. Present only if it is true.",
		"true",
	},
	"Location.publicAreas": {
		"The names of the areas that the public register may show. A find shows one only if its discoveryPlace " +
			"contains the name.",
		"Lobby,Pool",
	},
	"Location.createdAt": {"When it was created.", "2026-11-15T08:30:00.000Z"},
	"Location.updatedAt": {updatedAtText, "2026-11-15T08:30:00.000Z"},

	"Location.keepingRules": {
		"How long items are stored by category and value, and what should happen to them then. The first rule that " +
			"is about an item applies; without one, storageDuration does. storeUntil and thenDue of all items follow " +
			"at once. A list replaces the rules; null and an empty list remove them.",
		"",
	},
	"KeepingRule.category": {"The items that the rule is about. Absent for all categories.", "umbrella"},
	"KeepingRule.minValue": {
		"The rule is only about items of at least this value, in the same currency. It is not about items without a " +
			"value. Absent for all items.",
		"",
	},
	"MinValue.amount": {
		"The amount in minor units of the currency, such as cents: 4500 is 45.00 EUR.", "4500",
	},
	"MinValue.currency": {
		"The currency as a 3-letter code (ISO 4217). The default is the currency of the location.", "EUR",
	},
	"KeepingRule.days": {"How many days the items are stored, from the day of discovery.", "180"},
	"KeepingRule.then": {
		"What should happen to the items then. It is shown to staff, who decide. finder is only proposed for items " +
			"whose finder claims them. Absent if staff decide without a proposal.",
		"donate",
	},

	"Contact.name":   {"Full name.", "Jonas Petersen"},
	"Contact.email":  {"Primary e-mail address.", "lost@hotel-adler.example"},
	"Contact.email2": {"Secondary e-mail address. Shipping labels are sent to it.", "desk@hotel-adler.example"},
	"Contact.phone":  {phoneText, "+4940123456"},

	"PickupTime.from": {"Start, HH:mm.", "10:00"},
	"PickupTime.to":   {"End, as HH:mm. If it is earlier than the start, it is on the next day.", "18:00"},

	"OpeningHours.days": {"Days of the week.", "mon,tue,wed,thu,fri"},
	"OpeningHours.from": {"Start, as HH:mm on the clock at the location.", "09:00"},
	"OpeningHours.to": {
		"End, as HH:mm. 24:00 is the end of the day. Hours that pass midnight are two elements.", "18:00",
	},

	"Closure.from":   {"First day.", "2026-12-24"},
	"Closure.to":     {"Last day. The default is the first day.", "2026-12-26"},
	"Closure.reason": {"Why the location is closed. The desk sees it, guests do not.", "Christmas"},
	"Closure.yearly": {
		"Whether the location is closed on the same days of every later year too. Enter such a closure once, with " +
			"the days of the first year. 29 February is 28 February in other years. The period must be shorter than " +
			"a year.",
		"true",
	},

	"Slot.date":     {"Day, as YYYY-MM-DD at the location.", "2026-11-20"},
	"Slot.time":     {"Start, as HH:mm on the clock at the location.", "10:30"},
	"Slot.end":      {"End, as HH:mm. 24:00 is the end of the day.", "11:00"},
	"Slot.capacity": {"How many items can be collected in the slot.", "2"},
	"Slot.free":     {"How many more items can be collected in the slot.", "1"},

	"SlotList.data": {"The slots, by day and time.", ""},

	"Slots.minutes":  {"How long a slot is, in minutes.", "30"},
	"Slots.capacity": {"How many items can be collected in a slot.", "2"},

	"Reminders.afterNotice": {
		"Days after the notice, while the owner has not chosen. The default is 3 and 7. An empty list switches " +
			"these reminders off; null restores the default.",
		"3,7",
	},
	"Reminders.beforeStoreUntil":  {"Days before storeUntil, while the owner has not chosen. The default is 3.", "3"},
	"Reminders.beforePickup":      {"Days before a pickup. The default is 1.", "1"},
	"Reminders.afterMissedPickup": {"Days after a missed pickup. The default is 1.", "1"},
}
