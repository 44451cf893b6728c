package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
	"homeward/internal/web/respond"
)

// problem explains one kind of error to whoever writes a client program. Its status and
// title are not repeated here: reply has them.
type problem struct {
	Code            lost.Code
	Meaning, Remedy string
	detail          string // of the example
}

// problems explains every kind of error; the page and the document are made from it.
var problems = []problem{
	{lost.Unreadable, "The body is not JSON or not a JSON object, the form breaks off, or the query string is malformed.",
		"Correct the request; sending the same bytes again gives the same answer.",
		"The body is not valid JSON: it ends too early."},
	{lost.Unauthorized, "There is no API key in the request, or the key does not exist, has expired or was revoked.",
		"Send a key in the header svc-api-key, or as Authorization: Bearer.",
		"Send an API key in the header svc-api-key, or as Authorization: Bearer."},
	{lost.Forbidden, "The key is good but may not do this: it is read-only, or limited to some locations where the whole account is meant. Or a payment provider's or carrier's call has no good signature.",
		"Use a key that may. GET /v1/account tells what a key may do.",
		"This key is read-only. Use one that may write."},
	{lost.NotFound, "The record or the address does not exist, or is out of the key's reach; the two look the same.",
		"Check the identifier, and that the key belongs to the right account and reaches the location.",
		"There is no such item."},
	{lost.Gone, "The link to a page has expired. Only the pages of guests answer this; no operation of the API does.",
		"Ask for a new link on that page, or have the owner notified again.",
		"This link has expired."},
	{lost.NoMethod, "The address exists, but does not take this method.",
		"Use one of the methods in the header Allow.",
		"This address takes GET, HEAD, POST, not PATCH."},
	{lost.Conflict, "The request does not fit the state things are in: an Idempotency-Key was used for another request, or the record does not allow the change.",
		"Read the detail. Use a new Idempotency-Key for each new request; otherwise fetch the record and decide again.",
		"This Idempotency-Key was used for another request. Use a new key for each new request."},
	{lost.TooLarge, "There are more bytes than are taken: 1 MiB of JSON, 2 MiB for a logo, 10 MiB for an image.",
		"Send less, for example a smaller picture.",
		"A JSON body may have at most 1 MiB."},
	{lost.Unsupported, "The Content-Type is not the one the address takes, or an uploaded file is no JPEG, PNG, WebP or GIF, or a damaged one.",
		"Send JSON as application/json, files as multipart/form-data. Pictures are recognised by their content, not by their name.",
		"Send the body as JSON with the header Content-Type: application/json."},
	{lost.Invalid, "The request was read, but some fields, query parameters or form parts are not right. errors names every one of them, with a code and what to do.",
		"Correct the fields and send the request again. Nothing was changed.",
		"One field is not right."},
	{lost.TooMany, "The key made more requests than it may in a second.",
		"Wait for the seconds in the header Retry-After. The RateLimit headers of every answer tell what is left.",
		"This key may make 100 requests a second. Try again in 1 s."},
	{lost.Internal, "Something went wrong in the service. It is not the request's fault.",
		"Try again. If it stays, tell the operator the requestId: it is in the log beside the cause.",
		""},
	{lost.Unavailable, "The service cannot answer right now: it is busy, starting or stopping, or its database, the carrier or the payment provider is away.",
		"Wait for the seconds in the header Retry-After, then send the same request again.",
		"The service is busy. Try again in a moment."},
}

// sample is the problem as a client gets it, written by the code that writes the real ones.
func (p problem) sample() (v1.Problem, error) {
	var err error = lost.E(p.Code, "%s", p.detail)
	switch p.Code {
	case lost.Internal:
		err = fmt.Errorf("the cause, which nobody sees")
	case lost.Invalid:
		err = invalid("contact.email", "invalid-email", "must be an e-mail address such as anna@example.com; send null to clear it")
	default:
	}
	w := paper{header: http.Header{respond.RequestIDHeader: {"req_06f5q2k8h40v3w9d7n1m8x2b4c"}}}
	respond.Problem(&w, err)
	var out v1.Problem
	return out, json.Unmarshal(w.Bytes(), &out)
}

// Status is the HTTP status that comes with the problem.
func (p problem) Status() int { return respond.Status(p.Code) }

// paper is a response writer that nobody waits for.
type paper struct {
	header http.Header
	bytes.Buffer
}

func (p *paper) Header() http.Header { return p.header }
func (p *paper) WriteHeader(int)     {}

// faults explains the codes of single fields, in errors.
var faults = []struct{ Code, Meaning string }{
	{"required", "The field, query parameter or form part must be there and must not be empty or null."},
	{"unknown-field", "There is no field of this name. Names are exact, also in upper and lower case."},
	{"unknown-parameter", "There is no query parameter of this name. A filter that is mistyped must not show everything."},
	{"duplicate", "The field is given twice."},
	{"wrong-type", "The value has another JSON type than the field."},
	{"read-only", "The service sets this field. Leave it out, or, when you change a record, send it as it was read."},
	{"invalid-text", "The text is not valid Unicode."},
	{"too-long", "The text has too many characters."},
	{"control-character", "The text contains control characters, or line breaks where one line is meant."},
	{"not-allowed", "The value is not in the list of allowed ones."},
	{"out-of-range", "The number, the moment or the length of the list is outside the bounds."},
	{"invalid-url", "It is no http or https address."},
	{"invalid-email", "It is no e-mail address."},
	{"invalid-phone", "It is no phone number with + and the country code."},
	{"invalid-country", "It is no 2-letter country code of ISO 3166-1."},
	{"invalid-currency", "It is no currency of ISO 4217 that is paid with, by its three letters."},
	{"invalid-time-zone", "It is no IANA time zone."},
	{"invalid-date", "It is no date of the calendar, written YYYY-MM-DD."},
	{"invalid-time", "It is no time of day, written HH:mm."},
	{"invalid-moment", "It is neither a day nor a time of one. In a file that is imported only."},
	{"invalid-language", "It is no language tag such as de or pt-BR."},
	{"invalid-zip", "It is no postal code of the country. In a guest's address only."},
	{"future", "The day lies in the future."},
	{"past", "The day or time has passed. In a guest's choice only."},
	{"after-store-until", "The day is later than the item is kept. In a guest's choice only."},
	{"too-far", "The day is too far away. In a guest's choice only."},
	{"outside-window", "The time is outside the location's pickupTime. In a guest's choice only."},
	{"invalid-key", "The Idempotency-Key is too long or has other characters than visible ASCII."},
	{"not-before-to", "The window ends before it begins."},
	{"before-from", "The number of days at most is less than the number of days at least."},
	{"not-shipped", "The item or its location sends nothing. In a guest's choice only."},
	{"not-with-status", "The field does not go with the status that is set."},
	{"not-held", "Only an item that was found and is still here can be put on hold."},
	{"not-alone", "The field goes only with another, which the message names. In a file that is imported only."},
	{"paid-for", "It was paid for as it is. At the desk only."},
	{"not-with-type", "The field does not go with the type of decision."},
	{"not-found", "The record that it names is not there."},
	{"not-with-since", "Deliveries are replayed since a time or of one event, not both."},
	{"https-required", "The address must begin with https://."},
	{"invalid-port", "The port is none, or one where something else than a web server is known to listen."},
	{"private-address", "The address leads to this host or into a private network."},
	{"not-verified", "The address did not answer 200 to the check that was sent to it. The message says what came back."},
	{"reserved", "The header is the service's own, or the connection's."},
	{"too-many", "There are more headers than are sent along."},
	{"invalid-name", "The name of a header has other characters than letters, digits and hyphens."},
	{"invalid-value", "The value of a header is not one line of printable ASCII."},
	{"taken", "Somebody else has it already. In the dashboard only."},
	{"too-easy", "The password is one that is tried first. In the dashboard only."},
	{"not-right", "The password or code is not right. In the dashboard only."},
	{"no-tag", "It is neither a reference nor the code of a tag. In the dashboard only."},
	{"no-code", "There is no QR code in the picture, or it cannot be read. In the dashboard only."},
	{"too-many-pixels", "The picture has more than 50 megapixels."},
	{"too-heavy", "The picture must be turned upright, and decoding it for that takes more memory than there is. Save it smaller or as a baseline JPEG."},
}
