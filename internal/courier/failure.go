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

// maxSaid is how much is told of what the service said, in characters.
const maxSaid = 300

// passing are refusals that are about the moment: asked again, the service may do it, or has done it already.
var passing = []string{
	"SHIPMENT.PURCHASE.IN_PROGRESS", "SHIPMENT.POSTAGE.NO_RESPONSE", "SHIPMENT.POSTAGE.TIMED_OUT", "SHIPMENT.RATES.UNAVAILABLE",
	"RATE_LIMITED", "SERVICE_UNAVAILABLE", "INTERNAL_SERVER_ERROR", "TIMEOUT", "GATEWAY_TIMEOUT",
}

// unclear are answers that say nothing about the parcel: the key, the pace or the connection is at fault.
var unclear = []int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusRequestTimeout, http.StatusConflict,
	http.StatusTooManyRequests,
}

// codeOf gives the service's own name for what went wrong; empty where it gave none.
func codeOf(err error) string {
	if api, ok := errors.AsType[*easypost.APIError](err); ok && api.Code != easypost.ApiErrorDetailsParsingError {
		return api.Code
	}
	return ""
}

// failure tells what went wrong: an Invalid error where the service refuses the parcel as it is, an Unavailable one where it may take it
// later. Neither says more than the desk may read, or a log may hold.
func (e *EasyPost) failure(err error, c lost.Consignment) error {
	api, answered := errors.AsType[*easypost.APIError](err)
	if !answered {
		return lost.E(lost.Unavailable, "EasyPost does not answer at the moment.").Because(err)
	}
	said := e.clean(told(api), c)
	code := codeOf(err)
	final := api.StatusCode >= 400 && api.StatusCode < 500 && code != "" && !slices.Contains(unclear, api.StatusCode) && !slices.Contains(passing, code)
	if final {
		return lost.E(lost.Invalid, "EasyPost refuses this parcel: %s", said)
	}
	return lost.E(lost.Unavailable, "EasyPost does not take this at the moment: %d %s", api.StatusCode, said)
}

// told gives everything that the service said of a failure.
func told(api *easypost.APIError) string {
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
			if each != "<nil>" { // what EasyPost's client makes of a null
				parts = append(parts, each)
			}
		}
	}
	return strings.Join(slices.Compact(parts), "; ")
}

// why gives the first reason that carriers have named for offering nothing.
func (e *EasyPost) why(messages []*easypost.CarrierMessage, c lost.Consignment) string {
	for _, m := range messages {
		if m != nil && m.Message != "" {
			return ": " + strings.TrimSuffix(e.clean(m.Carrier+" says "+m.Message, c), ".")
		}
	}
	return ""
}

// clean makes one short line of what the service said, without the key and without who the parcel is for: services quote what
// they were sent.
func (e *EasyPost) clean(said string, c lost.Consignment) string {
	hidden := []string{e.options.Key, c.To.Name, c.To.Company, c.To.Address1, c.To.Address2, c.To.Phone}
	for _, h := range hidden {
		if len(h) > 2 {
			said = regexp.MustCompile(`(?i)`+regexp.QuoteMeta(h)).ReplaceAllLiteralString(said, "…")
		}
	}
	return oneLine(said)
}

// oneLine makes a short line of any text.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	return lost.Shorten(strings.Join(strings.Fields(text), " "), maxSaid)
}
