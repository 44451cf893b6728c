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

// finally are the answers that stay the same however often one asks. All others are about the key, or pass.
var finally = []int{http.StatusBadRequest, http.StatusPaymentRequired, http.StatusNotFound}

// refusal makes an error of ours of what came of a request: Invalid in Stripe's words where it refuses for good, else Unavailable.
func (s *Stripe) refusal(err error) error {
	e, said := errors.AsType[*stripe.Error](err)
	switch {
	case err == nil:
		return nil
	case !said:
		return lost.E(lost.Unavailable, "Stripe does not answer at the moment.").Because(unanswered(err))
	case slices.Contains(finally, e.HTTPStatusCode):
		return lost.E(lost.Invalid, "Stripe refuses: %s", s.quote(e))
	default:
		cause := fmt.Errorf("status %d, request %q: %s", e.HTTPStatusCode, e.RequestID, s.quote(e))
		return lost.E(lost.Unavailable, "Stripe does not take it at the moment.").Because(cause)
	}
}

// unanswered says why there was no answer. Of one that cannot be read it says nothing: it may quote what it was sent.
func unanswered(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return fmt.Errorf("reach Stripe: %w", e.Err)
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

// private is what Stripe may quote of what it was sent, and no desk or log should read: keys, addresses of people, links.
var private = regexp.MustCompile(`\b(sk|rk|pk|whsec)_[\w*]+|\S+@\S+|(?i:\bhttps?:\S*)`)

// quote gives Stripe's words: short, and without what opens a door or is somebody's.
func (s *Stripe) quote(e *stripe.Error) string {
	words := strings.ReplaceAll(e.Msg, s.options.Key, "…")
	return line(cmp.Or(private.ReplaceAllString(words, "…"), string(e.Code), "no reason was given"), maxQuoted)
}
