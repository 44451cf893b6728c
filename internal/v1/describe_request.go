package v1

import (
	"strings"

	"homeward/internal/lost"
)

// sampleTracker is the share link in examples.
const sampleTracker = "https://find.apple.com/item/0a1b2c3d4e5f"

// requestDescriptions describes the fields of the types in request.go.
var requestDescriptions = map[string]Description{
	"Claim.state": {
		"Outcome of the request. A PENDING request can be accepted or rejected once. WITHDRAWN: the claimant " +
			"has found the item.",
		"MATCHED",
	},
	"Claim.lostPlace": {"Where it was lost.", "Breakfast room"},
	"Claim.lostDate":  {"When it was lost, as YYYY-MM-DD.", "2026-11-13"},
	"Claim.proof":     {"Details that only the owner can know.", "My initials A. K. are inside the handle"},
	"Claim.reason": {
		"With REJECTED: the reason that the claimant was given.",
		"We have looked everywhere and have not found it.",
	},
	"Claim.matchedItemId": {
		"With MATCHED: the found item that belongs to the claimant.",
		"item_06f5q2k8h40v3w9d7n1m8x2b4d",
	},

	"Claim.registerItemId": {
		"The found item that the claimant chose in the location's public register. The claimant knows only its " +
			"category, day and area, and not its id.",
		"item_06f5q2k8h40v3w9d7n1m8x2b4d",
	},
	"Claim.trackerLink": {
		"A share link of a tracker in the lost item. It opens the tracker's own site and is for people only; the " +
			"service never requests it. It is absent from webhooks, after trackerLinkUntil, and as soon as the " +
			"request is decided.",
		sampleTracker,
	},
	"Claim.trackerLinkUntil": {"When the link is deleted: seven days after it was shared.", "2026-11-22T08:30:00.000Z"},

	"Request.description": {"What was lost.", "Black umbrella with a wooden handle"},
	"Request.lostPlace":   {"Where it was lost.", "Breakfast room"},
	"Request.lostDate":    {"When it was lost, as YYYY-MM-DD. It must not be in the future.", "2026-11-13"},
	"Request.proof":       {"Details that only the owner can know.", "My initials A. K. are inside the handle"},
	"Request.trackerLink": {
		"A share link of a tracker in the lost item, from Apple Find My, Google Find Hub, Samsung Find, Tile or " +
			"Chipolo. It must use HTTPS, without user name and port, and lead to one of the hosts " +
			strings.Join(lost.TrackerHosts(), ", ") + " (subdomains included for the last three). It is deleted " +
			"after seven days, or when the request is decided.",
		sampleTracker,
	},
	"Request.brand":        {"Manufacturer.", "Knirps"},
	"Request.model":        {"Model.", "T.200"},
	"Request.color":        {"Colour.", "black"},
	"Request.language":     {"The claimant's language, as a BCP 47 tag.", "pl"},
	"Request.externalId":   {externalIDText, "TICKET-883"},
	"Request.metadata":     {metadataText + " Erasing the guest's data clears it.", `{"channel": "chat"}`},
	"Request.category":     {"What kind of thing it is.", "umbrella"},
	"Request.serialNumber": {"Serial number or another number on the item.", "KN-2209-7741"},
	"Request.owner":        {"The claimant, with an e-mail address or a phone number.", ""},

	"Decision.type": {"The decision.", "accept"},
	"Decision.itemId": {
		"The found item that belongs to the claimant. It is required with accept.",
		"item_06f5q2k8h40v3w9d7n1m8x2b4d",
	},
	"Decision.reason": {
		"With reject: an explanation for the claimant.",
		"We have looked everywhere and have not found it.",
	},

	"ThreadMessage.id":   {"Identifier.", "thr_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"ThreadMessage.from": {"Which side wrote it.", "guest"},
	"ThreadMessage.text": {
		"The text; empty only if the message has photos. Erasing the guest's data deletes the message.",
		"Yes, it has a wooden handle.",
	},
	"ThreadMessage.images": {"Photos that were attached.", ""},
	"ThreadMessage.author": {"Who wrote it. Guests see the location's name instead of a person's.", ""},
	"ThreadMessage.sender": {
		"With a reply that came from another address than the guest's: that address.",
		"office@example.com",
	},
	"ThreadMessage.omitted": {
		"With an e-mail: the names of the attachments that were not kept, because they are no photos or too many.",
		`["invoice.pdf"]`,
	},
	"ThreadMessage.via":    {"How it was written.", "page"},
	"ThreadMessage.at":     {"When it was written.", "2026-11-15T08:30:00.000Z"},
	"ThreadMessage.seenAt": {"When the other side first saw it; absent until then.", "2026-11-15T09:12:00.000Z"},

	"Message.id":      {"Identifier.", "msg_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"Message.kind":    {"What the message is about.", "notice"},
	"Message.channel": {"How the message is sent: by e-mail, or by SMS if there is no e-mail address.", "email"},
	"Message.to":      {"The e-mail address or phone number of the recipient.", "anna@example.com"},
	"Message.state": {
		"State of the message. kept: the operator has not set up a way to send it, so you must pass on its text " +
			"yourself. canceled: its content is out of date.",
		"sent",
	},
	"Message.error":     {"Why sending failed, as text.", "550 There is no such mailbox"},
	"Message.createdAt": {"When it was created.", "2026-11-15T08:30:00.000Z"},
	"Message.settledAt": {
		"When the state became sent, kept, failed or canceled; absent until then.",
		"2026-11-15T08:30:02.000Z",
	},
	"Message.subject": {
		"Subject of an e-mail. It is only returned to keys that may write.",
		"We found something of yours at Hotel Adler",
	},
	"Message.text": {
		"Text of the message. It is only returned to keys that may write, because it has the guest's private link " +
			"while the link is valid.",
		"Choose what happens to it: https://homeward.example/g/k3v5…",
	},

	"Task.kind":  {"What to do.", "answer-request"},
	"Task.since": {"When the task was created.", "2026-11-15T08:30:00.000Z"},
	"Task.reason": {
		"The reason, as text: the error of the carrier or payment provider, why there is no price, or " +
			"the price that the owner accepted. Only with label-refused, parcel-trouble, refund-due and " +
			"shipping-wanted.",
		"The postal code does not exist in PL.",
	},
	"Task.itemId":      {"The item or request that the task is about.", "item_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"Task.reference":   {"Reference of the item or request.", "K7F-3QD"},
	"Task.description": {"Description of the item or request.", "Black umbrella with a wooden handle"},
	"Task.source":      {"Whether the task is about a found item or a request.", "request"},
}
