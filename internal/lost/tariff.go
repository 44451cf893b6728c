package lost

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// ShippingRules are the shipping settings and prices of a location.
type ShippingRules struct {
	Offered  bool
	Service  string // name of the carrier's service
	Currency string
	Handling int64 // added to the postage, in minor units
	TaxRate  int   // included in prices, in hundredths of a per cent
	TaxID    string
	Tracking string // URL of the carrier's tracking page, with {number} in it; empty if there is none

	Domestic, Neighbour, World Zone
}

// Zone is the price list for a group of countries.
type Zone struct {
	Prices   []Band // by weight, ascending; heavier parcels cannot be shipped
	Document *int64 // price for documents; nil if they cost the same as other parcels
	// FromDays and ToDays are the delivery time in working days; 0 if not known.
	FromDays, ToDays int
}

// Band is the price for parcels up to a weight.
type Band struct {
	Grams int64
	Price int64
}

func (z Zone) equal(o Zone) bool {
	return slices.Equal(z.Prices, o.Prices) && samePointee(z.Document, o.Document) && z.FromDays == o.FromDays &&
		z.ToDays == o.ToDays
}

func (r ShippingRules) equal(o ShippingRules) bool {
	return r.Offered == o.Offered && r.Service == o.Service && r.Currency == o.Currency && r.Handling == o.Handling &&
		r.TaxRate == o.TaxRate && r.TaxID == o.TaxID && r.Tracking == o.Tracking &&
		r.Domestic.equal(o.Domestic) && r.Neighbour.equal(o.Neighbour) && r.World.equal(o.World)
}

// Limits of a tariff.
const (
	MaxBands    = 30
	MaxGrams    = 1_000_000
	MaxShipDays = 120
	// documentGrams is the largest weight of documents that are sent as a letter.
	documentGrams = 2000
)

// defaultZone returns a zone of the default tariff, from prices in euro cents. The zone has no prices if there is no
// exchange rate for the currency.
func defaultZone(currency string, document int64, from, to int, cents ...int64) Zone {
	if _, known := perEuro[currency]; !known {
		return Zone{FromDays: from, ToDays: to}
	}
	grams := []int64{1000, 2000, 5000, 10_000, 20_000, 31_500}
	letter := fromEuro(document, currency)
	z := Zone{Document: &letter, FromDays: from, ToDays: to}
	for n, price := range cents {
		z.Prices = append(z.Prices, Band{grams[n], fromEuro(price, currency)})
	}
	return z
}

// DefaultShippingRules returns the default shipping rules of a country.
func DefaultShippingRules(country string) ShippingRules {
	return defaultRules(defaultCurrency(country))
}

func defaultRules(currency string) ShippingRules {
	return ShippingRules{
		Offered: true, Currency: currency,
		Domestic:  defaultZone(currency, 350, 1, 3, 590, 690, 890, 1290, 1890, 2490),
		Neighbour: defaultZone(currency, 690, 3, 6, 1490, 1690, 1990, 2690, 3990, 4990),
		World:     defaultZone(currency, 1490, 6, 14, 2490, 3490, 4990, 7490, 11_990, 15_990),
	}
}

// Rules returns the shipping rules of the location, or the default rules if it has none.
func (l Location) Rules() ShippingRules {
	if l.Shipping == nil {
		return DefaultShippingRules(l.Country)
	}
	return *l.Shipping
}

// trackingNumber is the placeholder for a parcel's tracking number in a URL.
const trackingNumber = "{number}"

// TrackingURL returns the URL of the carrier's tracking page for a parcel, or an empty string if it is not known.
func (r ShippingRules) TrackingURL(number string) string {
	if r.Tracking == "" || number == "" {
		return ""
	}
	return strings.ReplaceAll(r.Tracking, trackingNumber, url.QueryEscape(number))
}

// Zone returns the price list for parcels from one country to another.
func (r ShippingRules) Zone(from, to string) Zone {
	switch {
	case from == to:
		return r.Domestic
	case region(from) != "" && region(from) == region(to):
		return r.Neighbour
	default:
		return r.World
	}
}

// Price returns the postage of a parcel in a zone, and whether it can be shipped there.
func (z Zone) Price(l ParcelSize) (int64, bool) {
	flat := l.Box == "" || l.Box == "letter" || l.Box == "flat"
	if l.Document && z.Document != nil && flat && l.Grams <= documentGrams {
		return *z.Document, true
	}
	charged := l.ChargedGrams()
	for _, b := range z.Prices {
		if charged > 0 && charged <= b.Grams {
			return b.Price, true
		}
	}
	return 0, false
}

// The reasons why a parcel has no price, for the desk. The dashboard translates them. TooHeavy is a format of the
// parcel's weight and the highest weight in the tariff.
const (
	NotOffered    = "The location does not ship items."
	NoDestination = "The parcel has no destination."
	NoCountry     = "The location has no country. Set its country to get prices."
	NoWeight      = "The item has no weight or box. Set one of them."
	NoTariff      = "The location's tariff has no price for this parcel to that country."
	TooHeavy      = "The chargeable weight of the parcel is %d g, but the location's tariff for that country ends " +
		"at %d g."
	PriceAwaited = "The price is being calculated."
)

// WhyNoPrice returns why a location's tariff has no price for a parcel. It is empty if there is a price.
func (c ParcelOrder) WhyNoPrice() string {
	rules := c.From.Rules()
	switch {
	case !rules.Offered:
		return NotOffered
	case c.To.Country == "":
		return NoDestination
	case c.From.Country == "":
		return NoCountry
	case c.Load == ParcelSize{}:
		return NoWeight
	}
	zone := rules.Zone(c.From.Country, c.To.Country)
	if _, sent := zone.Price(c.Load); sent {
		return ""
	}
	if len(zone.Prices) == 0 || c.Load.ChargedGrams() == 0 {
		return NoTariff
	}
	return fmt.Sprintf(TooHeavy, c.Load.ChargedGrams(), zone.Prices[len(zone.Prices)-1].Grams)
}

// regions lists groups of countries. Postage is lower within a group.
var regions = []string{
	"AD AL AT AX BA BE BG BY CH CY CZ DE DK EE ES FI FO FR GB GG GI GR HR HU IE IM IS IT JE LI LT LU LV MC MD ME MK " +
		"MT NL NO PL PT RO RS SE SI SK SM UA VA",
	"CA MX PM US",
	"AG AI AR AW BB BL BM BO BQ BR BS BZ CL CO CR CU CW DM DO EC FK GD GF GP GT GY HN HT JM KN KY LC MF MQ MS NI PA " +
		"PE PR PY SR SV SX TC TT UY VC VE VG VI",
	"AS AU CC CK CX FJ FM GU KI MH MP NC NF NR NU NZ PF PG PN PW SB TK TO TV VU WF WS",
	"CN HK JP KP KR MN MO TW",
	"BN ID KH LA MM MY PH SG TH TL VN",
	"AF BD BT IN LK MV NP PK",
	"AE AM AZ BH GE IL IQ IR JO KW LB OM PS QA SA SY TR YE",
	"KG KZ RU TJ TM UZ",
	"AO BF BI BJ BW CD CF CG CI CM CV DJ DZ EG EH ER ET GA GH GM GN GQ GW KE KM LR LS LY MA MG ML MR MU MW MZ NA NE " +
		"NG RE RW SC SD SH SL SN SO SS ST SZ TD TG TN TZ UG YT ZA ZM ZW",
}

// region returns the group of a country, or an empty string if it is not in a group.
func region(country string) string {
	for _, list := range regions {
		if country != "" && strings.Contains(list, country) { // the list has two-letter codes, separated by spaces
			return list[:2]
		}
	}
	return ""
}

// ShippingRulesPatch changes some fields of a location's rules.
type ShippingRulesPatch struct {
	Offered                    Field[bool]
	Service, Currency, TaxID   Field[string]
	Tracking                   Field[string]
	Handling                   Field[int64]
	TaxRate                    Field[float64] // per cent
	Domestic, Neighbour, World Field[ZonePatch]
}

// ZonePatch changes some fields of a Zone.
type ZonePatch struct {
	Prices           Field[[]Band]
	Document         Field[int64]
	FromDays, ToDays Field[int64]
}

func (p LocationPatch) applyShipping(c *check, l *Location) {
	if !p.Shipping.Sent {
		return
	}
	if p.Shipping.Null {
		l.Shipping = nil
		return
	}
	v := p.Shipping.Value
	var currency string
	if l.Shipping != nil {
		currency = l.Shipping.Currency
	}
	c.currency(v.Currency, "shipping.currency", &currency)
	if currency == "" {
		currency = defaultCurrency(l.Country)
	}
	rules, standard := defaultRules(currency), defaultRules(currency)
	if l.Shipping != nil {
		rules = *l.Shipping
		// Amounts that were not sent get the defaults of the new currency, because the old amounts are wrong in it.
		if rules.Currency != currency {
			rules.Domestic, rules.Neighbour, rules.World = standard.Domestic, standard.Neighbour, standard.World
			rules.Handling = 0
		}
		rules.Currency = currency
	}
	if v.Offered.Sent && !c.Has("shipping.offered") {
		rules.Offered = v.Offered.Null || v.Offered.Value
	}
	c.line(v.Service, "shipping.service", MaxShort, &rules.Service)
	c.line(v.TaxID, "shipping.taxId", MaxShort, &rules.TaxID)
	c.tracking(v.Tracking, "shipping.trackingUrl", &rules.Tracking)
	c.amount(v.Handling, "shipping.handlingFee", &rules.Handling)
	c.taxRate(v.TaxRate, "shipping.taxRate", &rules.TaxRate)
	c.zone(v.Domestic, "shipping.domestic", standard.Domestic, &rules.Domestic)
	c.zone(v.Neighbour, "shipping.neighbour", standard.Neighbour, &rules.Neighbour)
	c.zone(v.World, "shipping.world", standard.World, &rules.World)
	l.Shipping = &rules
}

func (c *check) tracking(f Field[string], field string, dst *string) {
	c.formatted(f, field, "invalid-url",
		"an HTTP or HTTPS URL with {number} in place of the tracking number, such as "+
			"https://carrier.example/track/{number}", MaxURL,
		func(s string) (string, bool) {
			_, ok := parseURL(strings.ReplaceAll(s, trackingNumber, "0"))
			return s, ok && strings.Contains(s, trackingNumber)
		}, dst)
}

func (c *check) currency(f Field[string], field string, dst *string) {
	c.formatted(f, field, "invalid-currency", "a three-letter ISO 4217 currency code, such as EUR", 3,
		func(s string) (string, bool) {
			s = strings.ToUpper(s)
			return s, isCurrency(s)
		}, dst)
}

// isCurrency reports whether s is a currency for payments with known minor units. Codes of ISO 4217 that are not
// money (gold, bonds, testing) are not accepted.
func isCurrency(s string) bool { return s != "" && slices.Contains(strings.Fields(allCurrencies), s) }

const allCurrencies = "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD " +
	"CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD " +
	"EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES " +
	"KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD " +
	"MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG " +
	"QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS " +
	"SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XCG XOF " +
	"XPF YER ZAR ZMW ZWG"

func (c *check) amount(f Field[int64], field string, dst *int64) {
	switch {
	case !f.Sent || c.Has(field):
	case f.Value < 0 || f.Value > MaxAmount:
		c.Add(field, "out-of-range", "must be an amount in minor units (cents) from 0 to %d", MaxAmount)
	default:
		*dst = f.Value
	}
}

func (c *check) taxRate(f Field[float64], field string, dst *int) {
	rate := 0
	if f.Value >= 0 && f.Value <= 100 { // NaN fails both comparisons
		rate = int(f.Value*100 + 0.5)
	}
	switch {
	case !f.Sent || c.Has(field):
	case f.Value != float64(rate)/100:
		c.Add(field, "out-of-range",
			"must be a percentage from 0 to 100 with at most two decimal places, such as 19 or 8.1")
	default:
		*dst = rate
	}
}

func (c *check) zone(f Field[ZonePatch], field string, standard Zone, dst *Zone) {
	if !f.Sent || c.Has(field) {
		return
	}
	if f.Null {
		*dst = standard
		return
	}
	v := f.Value
	c.bands(v.Prices, field+".prices", standard.Prices, &dst.Prices)
	if d := v.Document; d.Sent && !c.Has(field+".documentPrice") {
		dst.Document = nil
		if !d.Null {
			var price int64
			c.amount(d, field+".documentPrice", &price)
			dst.Document = &price
		}
	}
	c.days(v.FromDays, field+".fromDays", &dst.FromDays)
	c.days(v.ToDays, field+".toDays", &dst.ToDays)
	if dst.ToDays < dst.FromDays && !c.Has(field+".fromDays") && !c.Has(field+".toDays") {
		c.Add(field+".toDays", "before-from", "must not be less than fromDays")
	}
}

func (c *check) days(f Field[int64], field string, dst *int) {
	switch {
	case !f.Sent || c.Has(field):
	case f.Value < 0 || f.Value > MaxShipDays:
		c.Add(field, "out-of-range", "must be a number of working days from 0 to %d", MaxShipDays)
	default:
		*dst = int(f.Value)
	}
}

func (c *check) bands(f Field[[]Band], field string, standard []Band, dst *[]Band) {
	ascending := func(bands []Band) bool {
		last := int64(0)
		for _, b := range bands {
			if b.Grams <= last || b.Grams > MaxGrams || b.Price < 0 || b.Price > MaxAmount {
				return false
			}
			last = b.Grams
		}
		return true
	}
	switch {
	case !f.Sent || c.Has(field):
	case f.Null:
		*dst = standard
	case len(f.Value) > MaxBands || !ascending(f.Value):
		c.Add(field, "out-of-range",
			"must be a list of at most %d {upToGrams, price} objects, sorted by weight, up to %d grams, with prices "+
				"in minor units from 0 to %d; an empty list disables shipping to this zone",
			MaxBands, MaxGrams, MaxAmount)
	default:
		*dst = slices.Clone(f.Value)
	}
}
