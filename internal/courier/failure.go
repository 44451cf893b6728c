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

// maxSaid is how much of the service's answer is shown, in characters.
const maxSaid = 300

// temporary lists refusals that are temporary: a later request may succeed, or the first one
// already has.
var temporary = []string{
	"SHIPMENT.PURCHASE.IN_PROGRESS", "SHIPMENT.POSTAGE.NO_RESPONSE", "SHIPMENT.POSTAGE.TIMED_OUT",
	"SHIPMENT.RATES.UNAVAILABLE",
	"RATE_LIMITED", "SERVICE_UNAVAILABLE", "INTERNAL_SERVER_ERROR", "TIMEOUT", "GATEWAY_TIMEOUT",
}

// unclear lists statuses that say nothing about the parcel: they are caused by the key, the rate
// limit or the connection.
var unclear = []int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusRequestTimeout,
	http.StatusConflict,
	http.StatusTooManyRequests,
}

// codeOf returns the service's error code; empty if there is none.
func codeOf(err error) string {
	if api, ok := errors.AsType[*easypost.APIError](err); ok && api.Code != easypost.ApiErrorDetailsParsingError {
		return api.Code
	}
	return ""
}

// failure converts an error: Invalid if the service refuses the parcel as it is, Unavailable if it
// may accept it later. The text is safe for the desk and for logs.
func (e *EasyPost) failure(err error, c lost.ParcelOrder) error {
	api, answered := errors.AsType[*easypost.APIError](err)
	if !answered {
		return lost.E(lost.Unavailable, "EasyPost does not answer at the moment.").WithCause(err)
	}
	said := e.clean(errorText(api), c)
	code := codeOf(err)
	final := api.StatusCode >= 400 && api.StatusCode < 500 && code != "" && !slices.Contains(unclear, api.StatusCode) &&
		!slices.Contains(temporary, code)
	if final {
		return lost.E(lost.Invalid, "EasyPost refuses this parcel: %s", said)
	}
	return lost.E(lost.Unavailable, "EasyPost does not accept this at the moment: %d %s", api.StatusCode, said)
}

// errorText returns everything that the service said about a failure.
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
			if each != "<nil>" { // EasyPost's client converts null to this
				parts = append(parts, each)
			}
		}
	}
	return strings.Join(slices.Compact(parts), "; ")
}

// reason returns the first reason that a carrier gave for offering nothing.
func (e *EasyPost) reason(messages []*easypost.CarrierMessage, c lost.ParcelOrder) string {
	for _, m := range messages {
		if m != nil && m.Message != "" {
			return ": " + strings.TrimSuffix(e.clean(m.Carrier+" says "+m.Message, c), ".")
		}
	}
	return ""
}

// clean returns the service's answer as one short line, without the key and the recipient: services
// quote what they were sent.
func (e *EasyPost) clean(said string, c lost.ParcelOrder) string {
	hidden := []string{e.options.Key, c.To.Name, c.To.Company, c.To.Address1, c.To.Address2, c.To.Phone}
	for _, h := range hidden {
		if len(h) > 2 {
			said = regexp.MustCompile(`(?i)`+regexp.QuoteMeta(h)).ReplaceAllLiteralString(said, "…")
		}
	}
	return oneLine(said)
}

// oneLine shortens any text to one line.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	return lost.Shorten(strings.Join(strings.Fields(text), " "), maxSaid)
}
