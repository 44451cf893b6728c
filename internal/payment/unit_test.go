package payment_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"homeward/internal/lost"
)

// currencies lists the ISO 4217 currencies that are used for everyday payments.
var currencies = strings.Fields(`
	AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY
	COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR
	ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK
	MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF
	SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU
	UZS VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG`)

func TestAmountsArriveInStripesUnits(t *testing.T) {
	server, s := newStripe(t)
	for n, c := range []struct {
		currency       string
		minor, stripes int64
	}{
		{"EUR", 1234, 1234}, {"JPY", 500, 500}, {"KRW", 500, 500}, {"CLP", 500, 500}, {"HUF", 50_050, 50_050},
		{"TWD", 80_045, 80_045},
		{"ISK", 5, 500}, {"UGX", 5, 500}, {"MGA", 500, 5}, {"KWD", 5120, 5120}, {"TND", 10, 10},
	} {
		b := bill()
		b.Round, b.Shipment.Quote.Price = n, lost.Price{Postage: c.minor, Currency: c.currency}
		opened(t, s, b)
		if made := server.Sessions()[n]; made.Amount != c.stripes || made.Currency != strings.ToLower(c.currency) {
			t.Errorf("%d %s: Stripe receives %d %s, want %d", c.minor, c.currency, made.Amount, made.Currency,
				c.stripes)
		}
	}
}

func TestAmountsThatStripeCannotRepresentAreRefused(t *testing.T) {
	server, s := newStripe(t)
	for _, p := range []lost.Price{
		{Postage: 5124, Currency: "KWD"}, {Postage: 1000, Handling: 1, Currency: "BHD"},
		{Postage: 150, Currency: "MGA"}, {Postage: -100, Currency: "EUR"},
		{Postage: 1 << 62, Currency: "ISK"},
	} {
		b := bill()
		b.Shipment.Quote.Price = p
		if _, err := s.Open(t.Context(), b); lost.CodeOf(err) != lost.Invalid {
			t.Errorf("%v: %v", p, err)
		}
	}
	if got := server.Requests(); len(got) != 0 {
		t.Errorf("got requests to Stripe %v, want none", got)
	}
}

// In every currency, the amount that Stripe charges and reports is the offered amount. If this is not possible, the
// amount is rejected before anything is paid.
func TestAmountsSurviveTheRoundTripToStripe(t *testing.T) {
	server, s := newStripe(t)
	round := 0
	rapid.Check(t, func(r *rapid.T) {
		round++
		b := bill()
		b.Round = round
		b.Shipment.Quote.Price = lost.Price{
			Postage:  rapid.Int64Range(50, lost.MaxAmount).Draw(r, "postage"),
			Handling: rapid.Int64Range(0, lost.MaxAmount).Draw(r, "handling"),
			Currency: rapid.OneOf(rapid.SampledFrom(currencies),
				rapid.SampledFrom([]string{"ISK", "UGX", "MGA", "KWD", "JPY"})).Draw(r, "currency"),
		}
		price := b.Shipment.Quote.Price
		if rapid.Bool().Draw(r, "round") {
			price.Postage, price.Handling = price.Postage/100*100, price.Handling/100*100
			b.Shipment.Quote.Price = price
		}
		step := int64(1)
		switch {
		case price.Currency == "MGA":
			step = 100
		case slices.Contains([]string{"BHD", "JOD", "KWD", "OMR", "TND"}, price.Currency):
			step = 10
		}
		c, err := s.Open(t.Context(), b)
		if price.Postage%step != 0 || price.Handling%step != 0 {
			if lost.CodeOf(err) != lost.Invalid {
				r.Fatalf("%v: got %v", price, err)
			}
			return
		}
		if err != nil {
			if price.Total() >= 50 {
				r.Fatalf("%v: %v", price, err)
			}
			return
		}
		e := server.Pay(c.ID)
		update, ok, err := s.ParseEvent(e.Header, e.Body)
		if err != nil || !ok || update.Amount != price.Total() || update.Currency != price.Currency ||
			update.Checkout != c.ID {
			r.Fatalf("%v: reported %v, %v, %v", price, update, ok, err)
		}
	})
}
