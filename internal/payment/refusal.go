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

	"homeward/internal/lost"
)

// permanent lists the HTTP statuses with which Stripe refuses a request permanently. Other statuses are temporary or
// caused by the API key.
var permanent = []int{http.StatusBadRequest, http.StatusPaymentRequired, http.StatusNotFound}

// refusal converts an error of the client. The result is Invalid with Stripe's message if Stripe refuses the
// request permanently, and Unavailable otherwise.
func (s *Stripe) refusal(err error) error {
	e, ok := errors.AsType[*apiError](err)
	switch {
	case err == nil:
		return nil
	case !ok:
		return lost.E(lost.Unavailable, "Stripe is not responding at the moment.").WithCause(noResponse(err))
	case slices.Contains(permanent, e.Status):
		return lost.E(lost.Invalid, "Stripe refused the request: %s", s.quote(e))
	default:
		cause := fmt.Errorf("status %d, request %q: %s", e.Status, e.RequestID, s.quote(e))
		return lost.E(lost.Unavailable, "Stripe does not accept requests at the moment.").WithCause(cause)
	}
}

// noResponse returns why there was no valid response. It does not quote a response that cannot be decoded, because
// the response may contain data from the request.
func noResponse(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return fmt.Errorf("connect to Stripe: %w", e.Err)
	}
	return errors.New("the response is not from Stripe")
}

func hasCode(err error, code string) bool {
	e, ok := errors.AsType[*apiError](err)
	return ok && e.Code == code
}

func hasStatus(err error, status int) bool {
	e, ok := errors.AsType[*apiError](err)
	return ok && e.Status == status
}

const maxQuoted = 200

// private matches keys, e-mail addresses and URLs. Stripe's messages may quote them from the request, but they must
// not be shown or logged.
var private = regexp.MustCompile(`\b(sk|rk|pk|whsec)_[\w*]+|\S+@\S+|(?i:\bhttps?:\S*)`)

// quote returns Stripe's message, shortened and without secrets or personal data.
func (s *Stripe) quote(e *apiError) string {
	words := strings.ReplaceAll(e.Message, s.options.Key, "…")
	return line(cmp.Or(private.ReplaceAllString(words, "…"), e.Code, "no reason was given"), maxQuoted)
}
