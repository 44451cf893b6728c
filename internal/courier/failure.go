package courier

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/EasyPost/easypost-go/v5"

	"homeward/internal/lost"
)

// maxMessage is the maximum length of EasyPost's message in an error, in characters.
const maxMessage = 300

// temporary lists EasyPost's codes for temporary errors. A later request may succeed, or the failed request may
// actually have had an effect.
var temporary = []string{
	"SHIPMENT.PURCHASE.IN_PROGRESS", "SHIPMENT.POSTAGE.NO_RESPONSE", "SHIPMENT.POSTAGE.TIMED_OUT",
	"SHIPMENT.RATES.UNAVAILABLE",
	"RATE_LIMITED", "SERVICE_UNAVAILABLE", "INTERNAL_SERVER_ERROR", "TIMEOUT", "GATEWAY_TIMEOUT",
}

// unrelated lists HTTP statuses that are not caused by the parcel, but by the API key, the rate limit or the
// connection.
var unrelated = []int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusRequestTimeout,
	http.StatusConflict,
	http.StatusTooManyRequests,
}

// codeOf returns EasyPost's error code for an error, or "" if there is none.
func codeOf(err error) string {
	if api, ok := errors.AsType[*easypost.APIError](err); ok && api.Code != easypost.ApiErrorDetailsParsingError {
		return api.Code
	}
	return ""
}

// failure converts an error from EasyPost. The result is Invalid if EasyPost refuses the parcel, and Unavailable if a
// later request may succeed. Its message contains no secrets or personal data, so it can be shown to staff and
// logged.
func (e *EasyPost) failure(err error, c lost.ParcelOrder) error {
	api, isAPIError := errors.AsType[*easypost.APIError](err)
	if !isAPIError {
		return lost.E(lost.Unavailable, "EasyPost is not responding at the moment.").WithCause(err)
	}
	message := e.clean(errorText(api), c)
	code := codeOf(err)
	permanent := api.StatusCode >= 400 && api.StatusCode < 500 && code != "" &&
		!slices.Contains(unrelated, api.StatusCode) && !slices.Contains(temporary, code)
	if permanent {
		return lost.E(lost.Invalid, "EasyPost refused this parcel: %s", message)
	}
	return lost.E(lost.Unavailable, "EasyPost could not process the request: %d %s", api.StatusCode, message)
}

// errorText returns all messages in an API error, joined.
func errorText(api *easypost.APIError) string {
	parts := []string{api.Code}
	if api.Message != nil {
		parts[0] = cmp.Or(strings.TrimPrefix(api.Error(), api.Code+" "), api.Code)
	}
	list, _ := api.Errors.([]any)
	for _, each := range list {
		switch each := each.(type) {
		case *easypost.FieldError:
			if each.Message != nil {
				parts = append(parts, strings.TrimSpace(fmt.Sprintf("%s %v", each.Field, each.Message)))
			}
		case string:
			if each != "<nil>" { // EasyPost's client converts null to "<nil>"
				parts = append(parts, each)
			}
		}
	}
	return strings.Join(slices.Compact(parts), "; ")
}

// reason returns the first message in which a carrier explains why it has no rates.
func (e *EasyPost) reason(messages []*easypost.CarrierMessage, c lost.ParcelOrder) string {
	for _, m := range messages {
		if m != nil && m.Message != "" {
			return ": " + strings.TrimSuffix(e.clean(m.Carrier+": "+m.Message, c), ".")
		}
	}
	return ""
}

// clean returns a message as one short line. It removes the API key and the recipient's data, because EasyPost's
// messages may quote the request.
func (e *EasyPost) clean(message string, c lost.ParcelOrder) string {
	hidden := []string{e.options.Key, c.To.Name, c.To.Company, c.To.Address1, c.To.Address2, c.To.Phone}
	for _, h := range hidden {
		if len(h) > 2 {
			message = regexp.MustCompile(`(?i)`+regexp.QuoteMeta(h)).ReplaceAllLiteralString(message, "…")
		}
	}
	return oneLine(message)
}

// oneLine converts a text to a single line of limited length.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	return lost.Shorten(strings.Join(strings.Fields(text), " "), maxMessage)
}
