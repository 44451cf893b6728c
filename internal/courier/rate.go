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
	id    string // EasyPost's id for the rate
	quote lost.Quote
}

// rule holds a location's accepted currency and handling fee.
type rule struct {
	currency string // empty if any currency is accepted
	handling int64
}

// ruleOf returns a location's rule. A location that has no shipping rules accepts rates in any currency.
func ruleOf(l lost.Location) rule {
	if l.Shipping == nil {
		return rule{}
	}
	return rule{currency: l.Shipping.Currency, handling: l.Shipping.Handling}
}

// offers converts rates to offers, cheapest first. Rates without a valid price, or in a currency that the location
// does not accept, are omitted.
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
		by.currency = r.Currency // use only one currency, because amounts in different currencies cannot be compared
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

// rateName returns a name for a carrier's service. Unlike the rate's id, it is the same for every shipment.
func rateName(r *easypost.Rate) string {
	return lost.Shorten(r.Carrier, lost.MaxShort) + "/" + lost.Shorten(r.Service, lost.MaxShort)
}

// quotes returns the quotes that a guest can choose from: at most lost.MaxOffers, and one for each service.
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

// agreedOffer returns the rate to buy for the quote that the guest agreed to. If there is no quote, it returns the
// cheapest rate that the location accepts. If the quote is from the built-in tariff, it returns the cheapest rate and
// ignores the location's currency.
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

// minor converts a price such as "5.49" to minor units, without rounding. It returns false if the text is not a plain
// decimal number, or if the price is zero, has more decimals than the currency, or is larger than any parcel can
// cost.
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

// carriers maps EasyPost's carrier names to the carriers' common names.
var carriers = map[string]string{
	"FedEx": "FedEx", "FedExDefault": "FedEx", "FedExSmartPost": "FedEx SmartPost", "UPSDAP": "UPS",
	"DHLExpress": "DHL Express", "DhlEcs": "DHL eCommerce",
}

var (
	afterLower = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	afterUpper = regexp.MustCompile(`([A-Z])([A-Z][a-z])`)
)

// inWords returns a readable name of a service, such as "USPS Ground Advantage" or "FedEx Priority Overnight".
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

// spaced inserts spaces between the words of a name such as GroundAdvantage or PRIORITY_OVERNIGHT.
func spaced(name string) string {
	const short = 5 // a word in capitals of at most this length is an abbreviation, such as USPS
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
