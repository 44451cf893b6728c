package v1

// updatedAtText describes the updatedAt of a record.
const updatedAtText = "When it was last changed. In a PUT, an updatedAt that is older than the stored one returns " +
	"409 with the code stale: the record has changed since you read it."

// phoneText describes a phone number at a location.
const phoneText = "Phone number with the country code, after + or 00. A complete national number of the location's " +
	"country is understood too. It is returned in E.164 format."

// itemDescriptions describes the fields of the types in item.go.
var itemDescriptions = map[string]Description{
	"DeletedItem.id":         {"Identifier of the deleted item or request.", "item_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"DeletedItem.locationId": {"The location that it was at.", "loc_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"DeletedItem.deleted":    {"Always true.", "true"},
	"DeletedItem.updatedAt":  {"When it was deleted.", "2026-11-15T08:30:00.000Z"},

	"Item.id":             {"Identifier.", "item_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"Item.locationId":     {"The location where it was found or reported lost.", "loc_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"Item.reference":      {"Short code for tags and phone calls. It is unique in the account.", "K7F-3QD"},
	"Item.source":         {"Whether the location found the item or a claimant reported it lost.", "found"},
	"Item.status":         {"Current status. A new item is PENDING. Use update-status to change it.", "PENDING"},
	"Item.description":    {"Brief description of the item.", "Black umbrella with a wooden handle"},
	"Item.discoveryPlace": {"Where it was found.", "Room 312"},
	"Item.discoveryDate":  {"When it was found, as YYYY-MM-DD.", "2026-11-14"},
	"Item.brand":          {"Manufacturer.", "Knirps"},
	"Item.model":          {"Model.", "T.200"},
	"Item.color":          {"Colour.", "black"},
	"Item.storagePlace": {
		"Where it is stored. The default is the location's storagePlace, also if that changes later. A place that " +
			"you send becomes the item's own, even if it equals the location's. Only in a PUT with updatedAt, which " +
			"sends a whole record back, does a place that equals the location's stay inherited. null makes it " +
			"inherited again.",
		"Shelf B, box 4",
	},
	"Item.notes": {"Internal notes for the team.", "Handle is scratched"},
	"Item.imageUrl": {
		"URL of the main image. Uploading an image sets this to the new image. Guest pages show only uploaded " +
			"images: they load nothing from other sites.",
		"https://homeward.example/files/mv4x7q2k9d3w.jpg",
	},
	"Item.images":   {"All uploaded images, newest first unless they were sorted.", ""},
	"Item.shipping": {"Shipping data.", ""},
	"Item.owner": {
		"The guest that the item belongs to. Each new address is notified once: by e-mail, or by SMS if there is " +
			"only a phone number. Another owner does not see what the former owner chose: the status becomes " +
			"PENDING, and the address is removed. While a paid parcel has not arrived, this returns 409.",
		"",
	},
	"Item.language": {
		"The guest's language, as a BCP 47 tag. Messages and the guest's page use it if the service " +
			"supports it.",
		"pl",
	},
	"Item.externalId": {externalIDText, "PMS-20931"},
	"Item.metadata":   {metadataText + " Erasing the guest's data clears it.", `{"bookingNumber": "HH-4711"}`},
	"Item.category": {
		"What kind of thing it is. Lists, reports and matching use it. It is absent if nobody has chosen one.",
		"umbrella",
	},
	"Item.serialNumber": {"Serial number or another number on the item. term finds it.", "KN-2209-7741"},
	"Item.value": {
		"What the item is worth, as the desk estimates it. Guests do not see it. null removes it.", "",
	},
	"Item.finder": {
		"The person who handed the item in, if it was not a member of staff. Only for found items. The owner and " +
			"claimants never see it. It is erased when this person asks for it, and with the guest's data after " +
			"the account's retention time. null removes it.",
		"",
	},
	"Item.hold": {
		"Why the item is kept regardless of its storage time. While on hold, it has no storeUntil and is " +
			"not listed for clearance. Only a found item that is still at the desk can be on hold. The hold ends " +
			"when the item is given away or sent.",
		"The police have asked for it",
	},
	"Item.keepUntil": {
		"The item is stored at least until this day, YYYY-MM-DD. storeUntil is this day or the end that " +
			"follows from the location's rules, whichever is later.",
		"2027-03-31",
	},
	"Item.destination": {
		"What staff did with the item after its storage time expired: donated or discarded it, handed it to the " +
			"police or another authority, had it auctioned, left it to its finder, or forwarded it to its issuer.",
		"donated",
	},
	"Item.handover": {"Who collected the item at the desk, and when. This stays if the item is brought back.", ""},
	"Item.pickup":   {"When the owner will collect the item; absent until they have chosen a time.", ""},
	"Item.closedAt": {
		"When staff carried out the owner's choice: handed the item over or gave it away. Until then, the " +
			"owner can change their choice.",
		"2026-11-20T13:40:00.000Z",
	},
	"Item.disownedAt": {"When the notified person said that the item is not theirs.", "2026-11-16T07:05:00.000Z"},
	"Item.request":    {"What the claimant reported, and the outcome. Present only if source is request.", ""},
	"Item.storeUntil": {
		"Last day of storage, from the location's current keepingRules and storageDuration or from keepUntil, " +
			"whichever is later. Absent if none of them applies, or if the item is on hold. It is always calculated: " +
			"sending it back fixes nothing. Use keepUntil to extend the storage.",
		"2027-02-12",
	},
	"Item.thenDue": {
		"What should happen to the item after storeUntil, from the then of the location's current keepingRules. " +
			"finder is only given for an item whose finder claims it; for others, the next rule decides. Absent if " +
			"staff decide. Nothing happens by itself.",
		"donate",
	},
	"Item.createdAt": {"When it was recorded.", "2026-11-15T08:30:00.000Z"},
	"Item.updatedAt": {updatedAtText, "2026-11-15T08:30:00.000Z"},

	"Image.id":  {"Identifier.", "img_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"Image.url": {"URL of the image.", "https://homeward.example/files/mv4x7q2k9d3w.jpg"},
	"Image.thumbnailUrl": {
		"URL of a small version of at most 640 pixels on each side.",
		"https://homeward.example/files/mv4x7q2k9d3w-640.jpg",
	},
	"Image.contentType": {"Media type.", "image/jpeg"},
	"Image.width":       {"Width in pixels.", "3024"},
	"Image.height":      {"Height in pixels.", "4032"},
	"Image.size":        {"Size in bytes.", "2481152"},
	"Image.createdAt":   {"When it was uploaded.", "2026-11-15T08:31:00.000Z"},
	"Image.orientation": {"How the photo is to be held. Photos are returned upright.", "portrait"},
	"Image.colors": {
		"The main colours of the thing in the photo, the most frequent first; at most three. The service finds them " +
			"seconds after the upload, and light can mislead it. Nothing is written into `color`. They are absent " +
			"until they are known, and for photos in messages.",
		"black",
	},
	"Image.codes": {
		"Bar codes and QR codes in the photo; at most four. They are untrusted texts, and absent if there are none. " +
			"Photos of a passport, card or document have none, and codes with contacts, passwords or boarding passes " +
			"are left out.",
		"",
	},
	"ImageCode.format": {"Format of the code.", "code-128"},
	"ImageCode.text":   {"Text of the code, at most 200 characters.", "SN-8841-C"},

	"Owner.firstName": {"First name.", "Anna"},
	"Owner.lastName":  {"Last name.", "Kowalska"},
	"Owner.email":     {"E-mail address.", "anna@example.com"},
	"Owner.phone":     {phoneText, "+48221234567"},

	"Value.amount": {
		"The amount in minor units of the currency, such as cents: 4500 is 45.00 EUR. null removes the value.", "4500",
	},
	"Value.currency": {
		"The currency as a 3-letter code (ISO 4217). The default is the currency of the location.", "EUR",
	},

	"Finder.name":  {"Name.", "Marta Nowak"},
	"Finder.email": {"E-mail address.", "marta@example.com"},
	"Finder.phone": {phoneText, "+48221234568"},
	"Finder.wantsReward": {
		"Whether the finder asks for a reward. Staff can tell them when the item is back with its owner.", "true",
	},
	"Finder.claimsItem": {
		"Whether the finder wants the item if its owner does not collect it, where the law grants that.", "false",
	},

	"Pickup.date": {"Day, YYYY-MM-DD.", "2026-11-20"},
	"Pickup.time": {"Time of day, HH:mm, in the location's time zone.", "14:30"},

	"Handover.name":      {"Who collected it.", "Anna Kowalska"},
	"Handover.idChecked": {"Whether staff checked an identity document with this name.", "true"},
	"Handover.at":        {"When it was handed over.", "2026-11-20T13:40:00.000Z"},
	"Handover.receiptUrl": {
		"URL of the receipt, which is a PDF. Anyone who has the URL can read the receipt while the item exists.",
		"https://homeward.example/files/mv4x7q2k9d3w.pdf",
	},

	"ImageOrder.order": {
		"The ids of all images of the item, each exactly once, in the new order.",
		"img_06f5q2k8h40v3w9d7n1m8x2b4c",
	},

	"Move.status":     {"The new status.", "PICKUP"},
	"Move.pickupDate": {"With PICKUP: the day of the pickup, as YYYY-MM-DD.", "2026-11-20"},
	"Move.pickupTime": {"With PICKUP: the time of the pickup, as HH:mm.", "14:30"},
	"Move.trackingNumber": {
		"With FEE PAID, SHIPPED or DELIVERED: the tracking number. It is not needed if the carrier " +
			"reports it.",
		"00340434161094042557",
	},
	"Move.closed": {
		"With PICKUP, DISCARD or DONATE: true if staff have handed the item over or given it away. " +
			"The owner can then no longer change their choice and gets no reminders. false undoes this.",
		"true",
	},
	"Move.note": {"A note for the item's history.", "Owner called; will come on Friday"},

	"Entry.id":     {"Identifier.", "hist_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"Entry.at":     {"When it happened.", "2026-11-15T09:12:00.000Z"},
	"Entry.actor":  {"Who made the change.", ""},
	"Entry.action": {"What was done.", "status-changed"},
	"Entry.from":   {"The previous status.", "PENDING"},
	"Entry.to":     {"The new status.", "PICKUP"},
	"Entry.fields": {"The fields that changed.", "status,pickup"},
	"Entry.note":   {"A note.", "Owner called; will come on Friday"},

	"Actor.type": {"The kind of actor.", "key"},
	"Actor.id":   {"Identifier.", "key_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"Actor.name": {"Name.", "Front desk system"},
}
