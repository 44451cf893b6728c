package api

// fieldCodes explains the codes of invalid fields.
var fieldCodes = []struct{ Code, Meaning string }{
	{"required", "The field, query parameter or form part must be present and must not be empty or null."},
	{"unknown-field", "There is no field with this name. Names are case-sensitive."},
	{"unknown-parameter", "There is no query parameter with this name. It is rejected because a mistyped filter " +
		"would otherwise return everything."},
	{"duplicate", "The field or form part occurs twice."},
	{"wrong-type", "The value has the wrong JSON type."},
	{"read-only", "The service sets this field. Omit it, or, when you change a record, send it unchanged."},
	{"invalid-text", "The text is not valid Unicode."},
	{"too-long", "The text has too many characters."},
	{"control-character", "The text contains control characters, or line breaks in a single-line field."},
	{"not-allowed", "The value is not one of the allowed values."},
	{"out-of-range", "The number, the time or the length of the list is out of range."},
	{"not-a-tracker", "The value is not a share link of a tracker: see [Links of " +
		"trackers](requests.md#links-of-trackers)."},
	{"no-words", "A name has neither letters nor digits."},
	{"invalid-url", "The value is not an HTTP or HTTPS URL."},
	{"invalid-email", "The value is not an e-mail address."},
	{"invalid-phone", "The value is not a phone number with + and the country code."},
	{"not-an-amount", "The text is not an amount of money. Only in the dashboard and in imported files."},
	{"invalid-country", "The value is not a two-letter country code (ISO 3166-1)."},
	{"invalid-currency", "The value is not the three-letter code (ISO 4217) of a current currency."},
	{"invalid-time-zone", "The value is not an IANA time zone."},
	{"invalid-date", "The value is not a real date in the format YYYY-MM-DD."},
	{"invalid-time", "The value is not a time of day in the format HH:mm."},
	{"invalid-moment", "The value is neither a date nor a date with a time."},
	{"invalid-language", "The value is not a language tag such as de or pt-BR."},
	{"invalid-zip", "The value is not a valid postal code in the country. Only in a guest's address."},
	{"future", "The date is in the future."},
	{"past", "The date or time has passed. Only in a guest's choice."},
	{"after-store-until", "The date is after the end of the item's storage time. Only in a guest's choice."},
	{"too-far", "The date is too far in the future, or the period is too long."},
	{"too-early", "The last day of a period is before its first day. Only in the dashboard."},
	{"too-many-finds", "The period has more finds than one PDF can list. Only in the dashboard."},
	{"not-destructible", "The item is not a data carrier, an identity paper or a payment card. Only in the dashboard."},
	{"outside-window", "The time is outside the location's openingHours or pickupTime. Only in a guest's choice."},
	{"closed", "The location is closed on this day. Only in a guest's choice."},
	{"not-a-slot", "The time is not the start of a slot. Only in a guest's choice."},
	{"slot-full", "The slot is fully booked. The message names free ones. Only in a guest's choice."},
	{"invalid-hours", "The text is not a list of hours. Only in the dashboard."},
	{"invalid-closure", "The text is not a list of closures, one on each line. Only in the dashboard."},
	{"overlaps", "The hours overlap with others on the same day."},
	{"invalid-key", "The Idempotency-Key is too long or contains characters other than visible ASCII, or a key of " +
		"metadata is too long, empty or contains control characters."},
	{"not-before-to", "The hours end when they begin, or before."},
	{"before-from", "The end is before the start: toDays is less than fromDays, or to is an earlier day than from."},
	{"not-shipped", "The item cannot be shipped, or its location does not ship items. Only in a guest's choice."},
	{"not-with-status", "The field cannot be set together with this status."},
	{"not-held", "Only a found item that is still in storage can be put on hold."},
	{"only-found", "Only a found item can have this field, not a request."},
	{"not-alone", "The field requires another field, which the message names. Only in imported files."},
	{"paid-for", "The fee was paid for the current value, so it cannot change. Only in the dashboard."},
	{"not-with-type", "The field cannot be set together with this type of decision."},
	{"not-with-role", "The field cannot be set together with this role of a key."},
	{"invalid-origin", "The value is not the address of a website without a path."},
	{"not-found", "The record with this identifier does not exist."},
	{"not-each-once", "The list must contain the identifier of each record exactly once."},
	{"not-with-cursor", "Send page or cursor, not both."},
	{"no-description", "No column of the file has the description: choose one."},
	{"not-with-q", "The value cannot be combined with q: leave out one of the two."},
	{"not-with-since", "The value cannot be combined with since or updatedSince, which the message names."},
	{"https-required", "The address must begin with https://."},
	{"invalid-port", "The port is invalid, or is the well-known port of a service other than a web server."},
	{"private-address", "The address points to this host or to a private network."},
	{"not-verified", "The address did not return 200 to the verification request. The message contains its response."},
	{"reserved", "The service or the connection sets this header."},
	{"too-many", "There are too many headers, entries of metadata or records, or a parameter is repeated too often."},
	{"invalid-name", "A header name contains characters other than letters, digits and hyphens."},
	{"invalid-value", "A header value is not a single line of printable ASCII characters."},
	{"taken", "The value is already in use. Only in the dashboard."},
	{"too-easy", "The password is too easy to guess. Only in the dashboard."},
	{"not-right", "The password or code is wrong. Only in the dashboard."},
	{"no-tag", "The value is neither a reference nor a tag code. Only in the dashboard."},
	{"no-code", "The picture contains no readable QR code. Only in the dashboard."},
	{"invalid-encoding", "The text is not base64."},
	{"invalid-signature", "The signature is not a PNG image, or is too large."},
	{"too-many-pixels", "The picture has more than 50 megapixels."},
	{"too-heavy", "The picture must be rotated, and decoding it needs too much memory. " +
		"Save it smaller or as a baseline JPEG."},
}

// fieldCodeNames returns the codes of invalid fields.
func fieldCodeNames() []any {
	out := make([]any, len(fieldCodes))
	for i, f := range fieldCodes {
		out[i] = f.Code
	}
	return out
}
