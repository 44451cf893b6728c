package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
	"homeward/internal/web/respond"
)

// problem explains an error code to the author of a client program. Package respond defines its status and title.
type problem struct {
	Code            lost.Code
	meaning, Remedy string
	detail          string // the detail of the example
}

// problems explains every error code. The page /docs/problems and the OpenAPI document are generated from it.
var problems = []problem{
	{
		lost.Unreadable,
		"The body is not a JSON object, the form is incomplete, or the query string is malformed or has a parameter " +
			"twice. Text is not UTF-8, or contains the character NUL.",
		"Fix the request. Sending the same bytes again gives the same error.",
		"The body is not valid JSON: it ends too early.",
	},
	{
		lost.InvalidCursor,
		"The cursor is not from this list, or the filters are not the same as when the list was first read.",
		"Send the cursor with the same address and filters, or start without it.",
		"This cursor is from another list or has other filters. Start again without it.",
	},
	{
		lost.Unauthorized,
		"The request has no API key, or the key does not exist, has expired or was revoked.",
		"Send a key in the header svc-api-key, or as Authorization: Bearer.",
		"Send an API key in the header svc-api-key, or as Authorization: Bearer.",
	},
	{
		lost.Forbidden,
		"The key is valid but is not allowed to do this: it is read-only, or it is limited to some locations and the " +
			"operation concerns the whole account. Or a callback from a payment provider or carrier " +
			"has an invalid signature.",
		"Use a key that has the permission. GET /v1/account shows what a key is allowed to do.",
		"This key is read-only. Use one that may write.",
	},
	{
		lost.NotFound,
		"The record or the address does not exist, or the key has no access to it. The response does not say which.",
		"Check the identifier, and that the key belongs to the right account and has access to the location.",
		"There is no such item.",
	},
	{
		lost.Gone,
		"The link to a guest page has expired. Only guest pages respond with this, never the API.",
		"Request a new link on that page, or notify the owner again.",
		"This link has expired.",
	},
	{
		lost.NoMethod,
		"The address exists, but does not support this method.",
		"Use one of the methods in the Allow header.",
		"This address supports GET, HEAD, POST, not PATCH.",
	},
	{
		lost.PreconditionFailed,
		"The record has changed: its ETag is not in If-Match. Nothing was changed.",
		"Fetch the record again, decide again, and send the request with its new ETag.",
		"The record has changed since you read it. Fetch it again, decide again and send its new ETag.",
	},
	{
		lost.Conflict,
		"The request conflicts with the current state.",
		"Read the detail, fetch the record and decide again.",
		"Somebody else changed this in the meantime.",
	},
	{
		lost.AlreadyDecided,
		"The request was already accepted or rejected, or the claimant has withdrawn it.",
		"Fetch the request: its state tells what was decided.",
		"This request was already accepted. It cannot be decided again.",
	},
	{
		lost.WrongState,
		"The current state of the record does not allow the change.",
		"Read the detail, fetch the record and decide again.",
		"This is a request and has no status to change. Accept or reject it.",
	},
	{
		lost.HasOwner,
		"The found item has another owner.",
		"Remove the owner of the found item first, or choose another item.",
		"The found item has another owner. Remove the owner first.",
	},
	{
		lost.NoContact,
		"The item has no owner, or the owner has no e-mail address and no phone number.",
		"Add the owner with an e-mail address or a phone number.",
		"This item has no owner. Add the owner first.",
	},
	{
		lost.ClaimantNotNotified,
		"A request was accepted for the item in the dashboard, and the claimant is notified later, within 15 minutes.",
		"Notify the owner at once (POST …/notify), or remove the owner from the item: this undoes the acceptance. Or " +
			"try again after 15 minutes.",
		lost.Note(lost.NoteClaimantNotNotified),
	},
	{
		lost.PaymentOpen,
		"The owner has paid for shipping. The parcel has not arrived, and the fee is not refunded.",
		"Refund the fee first, or wait until the parcel has arrived.",
		"The owner has paid for shipping. Refund the fee first, or wait until the parcel has arrived.",
	},
	{
		lost.AlreadyRefunded,
		"The fee was already refunded, or the refund is in progress.",
		"Nothing. The item's shipping.refund shows the progress.",
		"The fee was already refunded.",
	},
	{
		lost.LimitReached,
		"There are as many records of this kind as allowed.",
		"Delete one first.",
		fmt.Sprintf("This item already has the maximum of %d images. Remove one first.", lost.MaxImages),
	},
	{
		lost.IdempotencyMismatch,
		"The Idempotency-Key was used for another request within 24 hours.",
		"Use a new key for each new request. Repeat a request with exactly the same body.",
		"This Idempotency-Key was used for another request. Use a new key for each new request.",
	},
	{
		lost.Stale,
		"A whole record was sent back, and it has changed since it was read: its updatedAt is older than the stored " +
			"one. Nothing was changed.",
		"Read the record again and repeat the change. To change single fields whatever the others are, send only them.",
		"This record has changed since you read it. Read it again, and repeat your change.",
	},
	{
		lost.ResponseGone,
		"The request with this Idempotency-Key was already processed, but its response is no longer available.",
		"Fetch the record. To make another one, use a new key.",
		"This request was already processed. Its response was erased with the guest's data.",
	},
	{
		lost.Busy,
		"Too many requests change the same record at the same time. Nothing was changed.",
		"Send the request again.",
		"Someone else is changing the same record. Try again.",
	},
	{
		lost.TooSlow,
		"The body arrived more slowly than 8 KiB/s, averaged over 30 seconds. The connection is closed.",
		"Send the request again with a better connection. With an Idempotency-Key, nothing is done twice.",
		"The request body arrived too slowly. Try again with a better connection.",
	},
	{
		lost.TooLarge,
		"The request is too large. The limits are 1 MiB for JSON, 2 MiB for a logo and 10 MiB for an image.",
		"Send less, for example a smaller picture.",
		"A JSON body must not be larger than 1 MiB.",
	},
	{
		lost.Unsupported,
		"The address does not accept this Content-Type, or an uploaded file is damaged or not a JPEG, PNG, " +
			"WebP or GIF.",
		"Send JSON as application/json, files as multipart/form-data. Pictures are recognised by their content, not " +
			"by their name.",
		"Send the body as JSON with the header Content-Type: application/json.",
	},
	{
		lost.Invalid,
		"Some fields, query parameters or form parts are invalid. errors lists each of them, with a code and what to " +
			"do.",
		"Correct the fields and send the request again. Nothing was changed.",
		"One field is invalid.",
	},
	{
		lost.TooMany,
		"The key made more requests per second than allowed, or the client sent many wrong keys.",
		"Wait for the number of seconds in the Retry-After header. The RateLimit headers of every response show how " +
			"many requests remain.",
		"This API key is limited to 100 requests per second. Try again in 1 s.",
	},
	{
		lost.Internal,
		"Something went wrong in the service. The request is not the cause.",
		"Try again. If it happens again, tell the operator the requestId: the log contains the cause under this id.",
		"",
	},
	{
		lost.Unavailable,
		"The service is not available right now: it is busy, starting or stopping, or its database, the carrier or " +
			"the payment provider is not available.",
		"Wait for the number of seconds in the Retry-After header, then send the same request again.",
		"The service is busy. Try again in a moment.",
	},
}

// problemCodes returns the codes of the problems with which the API responds.
func problemCodes() []any {
	var out []any
	for _, p := range problems {
		if p.Code != lost.Gone { // only guest pages respond with this code
			out = append(out, string(p.Code))
		}
	}
	return out
}

// Meaning says what happened. That of Conflict lists the more specific codes.
func (p problem) Meaning() string {
	if p.Code != lost.Conflict {
		return p.meaning
	}
	var codes []string
	for _, other := range problems {
		if other.Code != lost.Conflict && other.Code.Kind() == lost.Conflict {
			codes = append(codes, string(other.Code))
		}
	}
	return p.meaning + " Nearly every conflict has a more specific code: " + strings.Join(codes, ", ") + "."
}

// sample returns the problem as a client would receive it, produced by the code that writes real problems.
func (p problem) sample() (v1.Problem, error) {
	var err error = lost.E(p.Code, "%s", p.detail)
	switch p.Code {
	case lost.Internal:
		err = errors.New("the cause is never shown")
	case lost.Invalid:
		err = invalid("contact.email", "invalid-email",
			"must be an e-mail address such as anna@example.com; send null to clear it")
	default:
	}
	w := bufferedResponse{header: http.Header{respond.RequestIDHeader: {"req_06f5q2k8h40v3w9d7n1m8x2b4c"}}}
	respond.Problem(&w, err)
	var out v1.Problem
	return out, json.Unmarshal(w.Bytes(), &out)
}

// Status returns the HTTP status of the problem.
func (p problem) Status() int { return respond.Status(p.Code) }

// bufferedResponse is a response writer that stores the body in memory.
type bufferedResponse struct {
	header http.Header
	bytes.Buffer
}

func (b *bufferedResponse) Header() http.Header { return b.header }
func (b *bufferedResponse) WriteHeader(int)     {}
