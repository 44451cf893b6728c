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

// permanent lists the statuses that a repeated request would get again. All others concern the key,
// or are temporary.
var permanent = []int{http.StatusBadRequest, http.StatusPaymentRequired, http.StatusNotFound}

// refusal converts an error: Invalid with Stripe's text for a permanent refusal, otherwise
// Unavailable.
func (s *Stripe) refusal(err error) error {
	e, said := errors.AsType[*stripe.Error](err)
	switch {
	case err == nil:
		return nil
	case !said:
		return lost.E(lost.Unavailable, "Stripe does not answer at the moment.").WithCause(unanswered(err))
	case slices.Contains(permanent, e.HTTPStatusCode):
		return lost.E(lost.Invalid, "Stripe refuses: %s", s.quote(e))
	default:
		cause := fmt.Errorf("status %d, request %q: %s", e.HTTPStatusCode, e.RequestID, s.quote(e))
		return lost.E(lost.Unavailable, "Stripe does not accept requests at the moment.").WithCause(cause)
	}
}

// unanswered says why there was no answer. It does not quote an unreadable answer, which may
// contain the request.
func unanswered(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return fmt.Errorf("connect to Stripe: %w", e.Err)
	}
	return errors.New("the answer is not one of Stripe's")
}

func hasCode(err error, code stripe.ErrorCode) bool {
	e, said := errors.AsType[*stripe.Error](err)
	return said && e.Code == code
}

func hasStatus(err error, status int) bool {
	e, said := errors.AsType[*stripe.Error](err)
	return said && e.HTTPStatusCode == status
}

const maxQuoted = 200

// private finds what Stripe may quote from a request and neither desk nor log should see: keys,
// e-mail addresses, links.
var private = regexp.MustCompile(`\b(sk|rk|pk|whsec)_[\w*]+|\S+@\S+|(?i:\bhttps?:\S*)`)

// quote returns Stripe's text, shortened and without secrets and personal data.
func (s *Stripe) quote(e *stripe.Error) string {
	words := strings.ReplaceAll(e.Msg, s.options.Key, "…")
	return line(cmp.Or(private.ReplaceAllString(words, "…"), string(e.Code), "no reason was given"), maxQuoted)
}
