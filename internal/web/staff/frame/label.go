package frame

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"homeward/internal/lost"
)

// fieldNames are the labels of fields in error messages and the history. Forms may use other labels.
//
//nolint:gochecknoglobals // a fixed table, completed once
var fieldNames = withDetailLabels(map[string]string{
	"description": "description", "notes": "notes", "language": "language",
	"discoveryPlace": "where it was found", "discoveryDate": "when it was found",
	"storagePlace": "storage place", "imageUrl": "picture", "images": "photos",
	"owner.firstName": "first name", "owner.lastName": "last name", "owner.email": "e-mail address",
	"owner.phone":     "phone number",
	"shipping.weight": "weight", "shipping.weightUnit": "unit of weight", "shipping.boxType": "box",
	"shipping.isDocument":        "whether it is a document",
	"shipping.notShippedBecause": "reason it cannot be shipped", "shipping.trackingNumber": "tracking number",
	"shipping.recipient": "address",
	"shipping.service":   "service", "shipping.price": "price", "shipping.documents": "documents",
	"closedAt": "whether it is closed", "closed": "whether it is closed", "keepUntil": "how long it is kept",
	"pickup": "pick-up", "link": "the owner’s link",
	"hold": "reason for the hold", "pickupDate": "pick-up date", "pickupTime": "pick-up time",
	"trackingNumber": "tracking number",
	"lostPlace":      "where it was lost", "lostDate": "when it was lost", "itemId": "the found item",
	"row": "the whole row", "url": "address", "events": "events", "expiresAt": "expiry date",
	"pickupTime.from": "pick-up from", "pickupTime.to": "pick-up until", "timeZone": "time zone",
	"storageDuration": "days that items are kept", "logoUrl": "logo",
	"contact.email": "e-mail address", "contact.phone": "phone number", "permalink": "address of the public page",
	"fromDays": "minimum days", "toDays": "maximum days",
	"name": "name", "website": "website", "type": "type of place", "charity": "charity for donations",
	"address1": "street and number", "address2": "address, line 2", "zipCode": "postal code", "city": "city",
	"state": "state or province", "country": "country",
	"contact.name": "lost and found contact", "contact.email2": "e-mail address for labels",
	"privacyText": "privacy text", "privacyUrl": "privacy link",
	"externalId": "external ID", "metadata": "data of other programs",
	"reminders": "reminders", "shipping": "shipping fees", "matching": "matching with other locations",
})

// fieldWord returns the label of a field for use within a sentence. For a field without a label it returns the last
// part of the field's name.
func fieldWord(field string) string {
	if name := fieldNames[field]; name != "" {
		return name
	}
	last := field[strings.LastIndexByte(field, '.')+1:]
	if at := strings.IndexByte(last, '['); at > 0 {
		last = last[:at]
	}
	var b strings.Builder
	for _, r := range cmp.Or(fieldNames[last], last) {
		if unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// FieldLabel returns the label of a field, capitalised for the beginning of a line.
func FieldLabel(field string) string { return Capitalize(fieldWord(field)) }

// Capitalize makes the first letter upper case.
func Capitalize(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// plainMessages turns validation messages for API clients into messages for users: it replaces field names with
// labels and removes advice about JSON.
var plainMessages = strings.NewReplacer(append([]string{
	"; send null to clear it", "",
	"cannot be cleared; send a value or leave the field out", "is required",
	"; send the day", "; choose the day",
}, fieldPairs()...)...)

// fieldPairs returns the field names that are not plain words, each followed by its label. The longest names come
// first because they contain shorter ones.
func fieldPairs() (pairs []string) {
	names := slices.SortedFunc(maps.Keys(fieldNames), func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
	for _, name := range names {
		if strings.ContainsFunc(name, func(r rune) bool { return r == '.' || unicode.IsUpper(r) }) {
			pairs = append(pairs, name, "“"+fieldNames[name]+"”")
		}
	}
	return pairs
}

// Sentence turns a validation message into a sentence.
func Sentence(message string) string {
	s := plainMessages.Replace(message)
	if rest, required := strings.CutPrefix(s, "is required"); required {
		s = "this field is required" + rest
	}
	s = Capitalize(s)
	if s != "" && !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}

// withFieldLabels returns err with the messages that a page would show, for responses to scripts.
func withFieldLabels(err error) error {
	e, ok := errors.AsType[*lost.Error](err)
	if !ok || len(e.Fields) == 0 {
		return err
	}
	labelled := *e
	labelled.Fields = slices.Clone(e.Fields)
	for n := range labelled.Fields {
		labelled.Fields[n].Message = Sentence(labelled.Fields[n].Message)
	}
	return &labelled
}
