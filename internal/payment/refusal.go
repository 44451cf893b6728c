package payment

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/stripe/stripe-go/v86"

	"homeward/internal/lost"
)

// permanent lists the statuses of permanent refusals. Other statuses are temporary or caused by the key.
var permanent = []int{http.StatusBadRequest, http.StatusPaymentRequired, http.StatusNotFound}

// refusal converts an error to Invalid with Stripe's message for a permanent refusal, otherwise to Unavailable.
func (s *Stripe) refusal(err error) error {
	e, ok := errors.AsType[*stripe.Error](err)
	switch {
	case err == nil:
		return nil
	case !ok:
		return lost.E(lost.Unavailable, "Stripe is not responding at the moment.").WithCause(noResponse(err))
	case slices.Contains(permanent, e.HTTPStatusCode):
		return lost.E(lost.Invalid, "Stripe refused the request: %s", s.quote(e))
	default:
		cause := fmt.Errorf("status %d, request %q: %s", e.HTTPStatusCode, e.RequestID, s.quote(e))
		return lost.E(lost.Unavailable, "Stripe does not accept requests at the moment.").WithCause(cause)
	}
}

// noResponse returns why there was no response. It does not quote an unreadable response, because that may contain
// the request.
func noResponse(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return fmt.Errorf("connect to Stripe: %w", e.Err)
	}
	return errors.New("the response is not from Stripe")
}

func hasCode(err error, code stripe.ErrorCode) bool {
	e, ok := errors.AsType[*stripe.Error](err)
	return ok && e.Code == code
}

func hasStatus(err error, status int) bool {
	e, ok := errors.AsType[*stripe.Error](err)
	return ok && e.HTTPStatusCode == status
}

const maxQuoted = 200

// private matches keys, e-mail addresses and links. Stripe may quote them from a request, but they must not be shown
// or logged.
var private = regexp.MustCompile(`\b(sk|rk|pk|whsec)_[\w*]+|\S+@\S+|(?i:\bhttps?:\S*)`)

// quote returns Stripe's message, shortened and without secrets and personal data.
func (s *Stripe) quote(e *stripe.Error) string {
	words := strings.ReplaceAll(e.Msg, s.options.Key, "…")
	return line(cmp.Or(private.ReplaceAllString(words, "…"), string(e.Code), "no reason was given"), maxQuoted)
}
