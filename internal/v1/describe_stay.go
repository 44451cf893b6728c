package v1

// stayDescriptions describes the fields of the types in stay.go.
var stayDescriptions = map[string]Description{
	"Stays.room": {"The name of the room, as it was read from the parameter.", "207"},
	"Stays.date": {"The day of finding.", "2026-11-14"},
	"Stays.data": {"The guests, the most likely first. At most 20.", ""},

	"Stay.id": {
		"Identifies the guest for an hour, only for the same key and location.", "stay_06f5q2k8h40v3w9d7n1m8x2b4c",
	},
	"Stay.reason":    {"Why the guest comes into question.", "departed-that-day"},
	"Stay.firstName": {"First name of the guest.", "Anna"},
	"Stay.lastName":  {"Last name of the guest.", "Kowalska"},
	"Stay.language":  {"The guest's language, as a BCP 47 tag.", "pl"},
	"Stay.email":     {"E-mail address; only the first character and the domain are shown.", "a***@example.com"},
	"Stay.phone":     {"Phone number, of which only the calling code and the last digits are shown.", "+49 *** 123"},
	"Stay.room":      {"The room as the hotel system or the guest list names it.", "Room 207"},
	"Stay.arrival":   {"The first day of the guest in this room.", "2026-11-12"},
	"Stay.departure": {"The day on which the guest left this room or will leave it.", "2026-11-14"},
	"Stay.shared":    {"Whether the guest shared the room with the guest of the reservation.", "false"},
	"Stay.expiresAt": {"When the id stops working.", "2026-11-15T09:30:00.000Z"},

	"StayChoice.stayId": {"The id of a guest from list-stays.", "stay_06f5q2k8h40v3w9d7n1m8x2b4c"},

	"PersonExport.stays":   {"The rows of guest lists that name the person.", ""},
	"PersonStay.room":      {"The room.", "207"},
	"PersonStay.arrival":   {"The day of arrival.", "2026-11-12"},
	"PersonStay.departure": {"The day of departure.", "2026-11-14"},
	"PersonStay.firstName": {"First name.", "Anna"},
	"PersonStay.lastName":  {"Last name.", "Kowalska"},
	"PersonStay.email":     {"E-mail address.", "anna@example.com"},
	"PersonStay.phone":     {"Phone number.", "+491701234567"},
	"PersonStay.language":  {"Language, as a BCP 47 tag.", "pl"},
}
