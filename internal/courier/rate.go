package courier

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/EasyPost/easypost-go/v5"

	"homeward/internal/lost"
)

// offer is a rate that can be offered to a guest.
type offer struct {
	id    string // id of the rate at EasyPost
	quote lost.Quote
}

// rule has the accepted currency and the handling fee of a location.
type rule struct {
	currency string // empty for any currency
	handling int64
}

// ruleOf returns a location's rule. A location without rules accepts every rate, in the carrier's
// currency.
func ruleOf(l lost.Location) rule {
	if l.Shipping == nil {
		return rule{}
	}
	return rule{currency: l.Shipping.Currency, handling: l.Shipping.Handling}
}

// offers converts rates, the cheapest first. Rates without a valid price are omitted.
func offers(rates []*easypost.Rate, by rule) []offer {
	var all []offer
	for _, r := range rates {
		if r == nil || r.ID == "" || by.currency != "" && r.Currency != by.currency {
			continue
		}
		price, ok := minor(r.Rate, r.Currency)
		if !ok {
			continue
		}
		by.currency = r.Currency // amounts in several currencies cannot be compared
		days := min(max(0, cmp.Or(r.DeliveryDays, r.EstDeliveryDays)), lost.MaxShipDays)
		all = append(all, offer{r.ID, lost.Quote{
			Service: inWords(r.Carrier, r.Service), Rate: rateName(r),
			Price:    lost.Price{Postage: price, Handling: by.handling, Currency: r.Currency},
			FromDays: days, ToDays: days,
		}})
	}
	slices.SortStableFunc(all, func(a, b offer) int {
		return cmp.Or(cmp.Compare(a.quote.Price.Postage, b.quote.Price.Postage),
			cmp.Compare(a.quote.Service, b.quote.Service))
	})
	return all
}

// rateName returns the name of a carrier's service, which is the same for every shipment.
func rateName(r *easypost.Rate) string {
	return lost.Shorten(r.Carrier, lost.MaxShort) + "/" + lost.Shorten(r.Service, lost.MaxShort)
}

// quotes selects the quotes for a guest: each service once, up to lost.MaxOffers.
func quotes(all []offer) []lost.Quote {
	var picked []lost.Quote
	for _, o := range all {
		same := func(q lost.Quote) bool { return q.Service == o.quote.Service }
		if len(picked) < lost.MaxOffers && !slices.ContainsFunc(picked, same) {
			picked = append(picked, o.quote)
		}
	}
	return picked
}

// agreedOffer returns the rate of the agreed quote. Without a quote, it is the cheapest rate that the location
// accepts. For a quote of the built-in tariff, it is the cheapest rate of all.
func agreedOffer(rates []*easypost.Rate, q lost.Quote, from lost.Location) (offer, bool) {
	by := rule{}
	switch {
	case q == lost.Quote{}:
		by = ruleOf(from)
	case q.Rate != "":
		by.currency = q.Price.Currency
	}
	all := offers(rates, by)
	n := slices.IndexFunc(all, func(o offer) bool { return q.Rate == "" || o.quote.Rate == q.Rate })
	if n < 0 {
		return offer{}, false
	}
	return all[n], true
}

var plainNumber = regexp.MustCompile(`^[0-9]{1,9}(\.[0-9]{1,9})?$`)

// minor parses a price such as 5.49 exactly, in minor units. It refuses anything that is not a
// plain number, is zero, has more decimals than its currency or exceeds the largest price of a
// parcel.
func minor(decimal, currency string) (int64, bool) {
	if len(currency) != 3 || strings.Trim(currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" ||
		!plainNumber.MatchString(decimal) {
		return 0, false
	}
	whole, part, _ := strings.Cut(decimal, ".")
	part = strings.TrimRight(part, "0")
	missing := lost.Places(currency) - len(part)
	if missing < 0 {
		return 0, false
	}
	amount, err := strconv.ParseInt(whole+part+strings.Repeat("0", missing), 10, 64)
	return amount, err == nil && amount > 0 && amount <= lost.MaxAmount
}

// carriers maps EasyPost's names of carriers to their common names.
var carriers = map[string]string{
	"FedEx": "FedEx", "FedExDefault": "FedEx", "FedExSmartPost": "FedEx SmartPost", "UPSDAP": "UPS",
	"DHLExpress": "DHL Express", "DhlEcs": "DHL eCommerce",
}

var (
	afterLower = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	afterUpper = regexp.MustCompile(`([A-Z])([A-Z][a-z])`)
)

// inWords returns the common name of a service: "USPS Ground Advantage", "FedEx Priority Overnight".
func inWords(carrier, service string) string {
	name, known := carriers[carrier]
	if !known {
		name = spaced(carrier)
	}
	what := spaced(service)
	if head, rest, found := strings.Cut(what, " "); found && strings.EqualFold(head, name) {
		what = rest
	}
	return lost.Shorten(strings.TrimSpace(name+" "+what), lost.MaxShort)
}

// spaced separates the words of a name such as GroundAdvantage or PRIORITY_OVERNIGHT.
func spaced(name string) string {
	const short = 5 // a short word in capitals is an abbreviation, such as USPS
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r <= ' ' })
	for n, p := range parts {
		switch {
		case p != strings.ToUpper(p):
			parts[n] = afterUpper.ReplaceAllString(afterLower.ReplaceAllString(p, "$1 $2"), "$1 $2")
		case len(parts) > 1 || len(p) > short:
			_, first := utf8.DecodeRuneInString(p)
			parts[n] = p[:first] + strings.ToLower(p[first:])
		}
	}
	return strings.Join(parts, " ")
}
