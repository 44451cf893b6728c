package v1

// The descriptions of the fields that client programs use for their own data.
const (
	externalIDText = "The record's id in your own system. It need not be unique; lists can be filtered by it."
	metadataText   = "Your own data: at most 20 texts by key. A key has at most 40 characters, a text at most 500. " +
		"An update merges by key, and null removes one. Guests do not see it."
)

// commonDescriptions describes the fields of the types in v1.go.
var commonDescriptions = map[string]Description{
	"List.data":  {"The records on this page.", ""},
	"List.page":  {"Page number, starting at 1.", "1"},
	"List.limit": {"Records per page.", "10"},
	"List.total": {
		"Total number of records. Counting stops at 10000, and at 1000 in a search for items.", "42",
	},
	"List.exact": {
		"With q: the number of records, at the beginning of the whole list, that contain every word as typed. The " +
			"others are similar.", "2",
	},
	"List.totalIsLowerBound": {"True if there are more records than total.", "true"},
	"List.pages":             {"Number of pages that the counted records fill.", "5"},
	"List.pending": {
		"Only in lists of matches: true while matches are still being computed; ask again. Otherwise absent.", "true",
	},
	"List.next": {
		"Cursor of the next page, in lists that accept the parameter cursor. Absent at the end of the list.",
		"cE3wPq0xTZQCVGl0ZW1fMDZmNXEyazhoNDB2M3c5ZDduMW04eDJiNGM",
	},

	"Problem.type":      {"URL that identifies the kind of problem.", "/docs/problems#invalid"},
	"Problem.title":     {"The kind of problem, for people to read.", "Some fields are invalid"},
	"Problem.status":    {"The HTTP status.", "422"},
	"Problem.detail":    {"What happened and how to fix it.", "One field is invalid."},
	"Problem.code":      {"The kind of problem, for programs. Treat an unknown code by its status.", "invalid"},
	"Problem.requestId": {"Identifies this request in the service's log.", "req_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"Problem.errors":    {"Every invalid field.", ""},

	"FieldError.field": {"The name of the field in the request.", "contact.email"},
	"FieldError.code":  {"The kind of error, for programs. A code never changes.", "invalid-email"},
	"FieldError.message": {
		"What is wrong and how to fix it.",
		"must be an e-mail address such as anna@example.com; send null to clear it",
	},

	"Account.id":        {"Identifier.", "acc_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"Account.name":      {"Name of the account.", "Harbour Hotels"},
	"Account.createdAt": {"When it was created.", "2026-11-15T08:30:00.000Z"},
	"Account.key":       {"The key that made the request.", ""},
	"Account.privacyText": {
		"Privacy notice for guests of locations that have none of their own. It is set in the dashboard.",
		"We use your details only to return your item and delete them 180 days later.",
	},
	"Account.privacyUrl": {
		"HTTPS URL of the full privacy notice, for guests of locations that have none of their own.",
		"https://harbour-hotels.example/privacy",
	},

	"AccountKey.id":       {"Identifier.", "key_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"AccountKey.name":     {"Name of the key.", "Front desk system"},
	"AccountKey.role":     {"Role of the key.", "admin"},
	"AccountKey.readOnly": {"True if the key may only read.", "false"},
	"AccountKey.locations": {
		"The only locations that the key can access; absent if it can access all.",
		"loc_06f5q2k8h40v3w9d7n1m8x2b4c",
	},

	"Key.id":   {"Identifier.", "key_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"Key.name": {"What the key is for.", "Front desk system"},
	"Key.hint": {"The first characters of the key, to tell keys apart.", "hw_3k9f"},
	"Key.key":  {"The secret key. It is returned only when the key is created.", "hw_3k9fq7x2m8v4w1d6n5b0c7r2t9"},
	"Key.role": {
		"Role of the key. admin: everything; desk: daily work; logger: only record found items; viewer: " +
			"only read; publishable: for websites, with origins. The default is admin.",
		"admin",
	},
	"Key.readOnly": {"True if the key may only read.", "false"},
	"Key.locations": {
		"The only locations that the key can access, 1 to 100; absent if it can access all.",
		"loc_06f5q2k8h40v3w9d7n1m8x2b4c",
	},
	"Key.origins": {
		"The websites that may use a publishable key, 1 to 20, such as https://hotel.example. A key with origins is " +
			"publishable: it only reads a location's public facts and files requests. Absent for a secret key.",
		"https://hotel-adler.example",
	},
	"Key.lastUsedAt": {
		"When the key was last used, to within ten minutes; absent if it was never used.", "2026-11-16T07:05:00.000Z",
	},
	"KeyName.name":  {"The new name of the key.", "Front desk system"},
	"Key.expiresAt": {"When the key expires; absent if it does not expire.", "2027-11-15T00:00:00.000Z"},
	"Key.revokedAt": {"When the key was revoked; absent if it was not.", "2026-12-01T09:00:00.000Z"},
	"Key.createdAt": {"When it was created.", "2026-11-15T08:30:00.000Z"},
}
