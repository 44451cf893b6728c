package locations

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// feeGroup is the name of the rows in the table of shipping fees. feeWeights is the field with their weights in
// kilograms.
const (
	feeGroup   = "shipping"
	feeWeights = "shipping.weights"
)

// feeFields returns the fields of a row: the weight, and the price for each zone.
func feeFields() []string {
	fields := []string{feeWeights}
	for _, zone := range zones {
		fields = append(fields, zone.prices())
	}
	return fields
}

// feeTable is the table of shipping fees, with a column for each zone, and an example of what a parcel costs.
type feeTable struct {
	Columns []*frame.Input // the headings: the weight, then the zones; their errors concern the whole column
	Rows    []feeRow       // by weight
	Blank   feeRow         // the row that a script adds
	Facts   []feeRow       // the price of documents and the delivery times
	Max     int
	Weight  *frame.Input // of the example
	Country *frame.Input // of the example
	Result  string       // what the example costs
}

// feeRow is one row of the table: the cell of the weight, which the last rows do not have, and one cell for each zone.
type feeRow struct {
	N     int
	Label string
	Cells []cell
}

// Full reports whether no further row is allowed.
func (t *feeTable) Full() bool { return len(t.Rows) >= t.Max }

func newFeeTable(lang frame.Locale, values url.Values) *feeTable {
	labels := []string{lang.Say("locations.shipping.weight")}
	for _, zone := range zones {
		labels = append(labels, lang.Say(zone.label))
	}
	t := &feeTable{Max: lost.MaxBands}
	for n, field := range feeFields() {
		t.Columns = append(t.Columns, &frame.Input{Name: field, Label: labels[n], Type: cellType})
	}
	row := func(n int) feeRow {
		r := feeRow{N: n}
		for c, field := range feeFields() {
			label := lang.Say("locations.shipping.cell", "column", labels[c], "n", n)
			r.Cells = append(r.Cells, newCell(field, label, n, values))
		}
		return r
	}
	count := max(rowCount(values, feeFields()), 1)
	for n := range count {
		t.Rows = append(t.Rows, row(n+1))
	}
	t.Rows[count-1].Cells[0].Focus = values.Get(rowButton) == "add "+feeGroup
	t.Blank = row(count + 1)
	t.addFacts(lang, values)
	t.Weight = &frame.Input{
		Name: exampleWeight, Label: lang.Say("locations.shipping.try.weight"), Type: cellType,
		Value: values.Get(exampleWeight),
	}
	t.Country = &frame.Input{
		Name: exampleCountry, Label: lang.Say("locations.shipping.try.country"), Type: "list", Required: true,
		Value: values.Get(exampleCountry), Options: lang.CountryOptions()[1:],
	}
	return t
}

// addFacts adds the rows with the price of documents and the delivery times.
func (t *feeTable) addFacts(lang frame.Locale, values url.Values) {
	for _, fact := range []struct{ field, label string }{
		{".documentPrice", "locations.shipping.documents"},
		{".fromDays", "locations.shipping.from"},
		{".toDays", "locations.shipping.to"},
	} {
		r := feeRow{Label: lang.Say(fact.label)}
		for _, zone := range zones {
			name := zone.name + fact.field
			label := lang.Say("locations.shipping.fact", "fact", r.Label, "column", lang.Say(zone.label))
			in := &frame.Input{Name: name, Label: label, Type: "text", Value: values.Get(name)}
			r.Cells = append(r.Cells, cell{in, name, zone.prices(), 0})
		}
		t.Facts = append(t.Facts, r)
	}
}

// inputs returns the inputs of the table in the order of the page, and the weight of the example.
func (t *feeTable) inputs() []*frame.Input {
	inputs := slices.Clone(t.Columns)
	for _, r := range slices.Concat(t.Rows, t.Facts) {
		for _, c := range r.Cells {
			inputs = append(inputs, c.Input)
		}
	}
	return append(inputs, t.Weight)
}

// feeValues returns the prices of all zones as rows of the table. A zone has an empty cell at weights that only other
// zones have.
func feeValues(r lost.ShippingRules, values url.Values) {
	var weights []int64
	for _, zone := range zones {
		for _, b := range zone.of(&r).Prices {
			weights = append(weights, b.Grams)
		}
	}
	slices.Sort(weights)
	for _, grams := range slices.Compact(weights) {
		values.Add(feeWeights, strconv.FormatFloat(float64(grams)/1000, 'f', -1, 64))
		for _, zone := range zones {
			price := ""
			for _, b := range zone.of(&r).Prices {
				if b.Grams == grams {
					price = formatAmount(b.Price, r.Currency)
				}
			}
			values.Add(zone.prices(), price)
		}
	}
}

// localNumbers writes the weights, amounts and tax rate of the form with the decimal mark of the user's language.
func localNumbers(lang frame.Locale, values url.Values) {
	fields := append(feeFields(), exampleWeight, "shipping.handlingFee", taxRate, ruleValue)
	for _, zone := range zones {
		fields = append(fields, zone.name+".documentPrice")
	}
	for _, field := range fields {
		for n, text := range values[field] {
			values[field][n] = strings.Replace(text, ".", lang.DecimalMark(), 1)
		}
	}
}

// readFees reads the prices of every zone, sorted by weight. Empty rows are ignored. It reports invalid rows as
// problems; then it returns nil.
func readFees(lang frame.Locale, values url.Values, currency string, problems *lost.Problems) map[string][]lost.Band {
	found, seen, before := map[string][]lost.Band{}, map[int64]bool{}, len(*problems)
	for _, zone := range zones {
		found[zone.prices()] = []lost.Band{}
	}
	for n := 1; n <= rowCount(values, feeFields()); n++ {
		if !slices.ContainsFunc(zones, func(z shippingZone) bool { return cellText(values, z.prices(), n) != "" }) {
			if cellText(values, feeWeights, n) != "" {
				problems.Add(cellName(zones[0].prices(), n), "required", "must be an amount, or remove the weight")
			}
			continue
		}
		grams, ok := readKilograms(lang, values, feeWeights, n, problems)
		if ok && seen[grams] {
			problems.Add(cellName(feeWeights, n), "duplicate", "is listed twice")
		}
		seen[grams] = true
		for _, zone := range zones {
			text := cellText(values, zone.prices(), n)
			if text == "" {
				continue
			}
			amount := frame.ReadAmount(lang, text, cellName(zone.prices(), n), currency, problems)
			found[zone.prices()] = append(found[zone.prices()], lost.Band{Grams: grams, Price: amount})
		}
	}
	if len(seen) > lost.MaxBands {
		problems.Add(feeWeights, "too-many", "must be at most %d weights", lost.MaxBands)
	}
	if len(*problems) > before {
		return nil
	}
	for _, bands := range found {
		slices.SortFunc(bands, func(a, b lost.Band) int { return cmp.Compare(a.Grams, b.Grams) })
	}
	return found
}

func cellText(values url.Values, field string, n int) string {
	list := values[field]
	if n > len(list) {
		return ""
	}
	return strings.TrimSpace(list[n-1])
}

// readKilograms reads a weight from a cell of the table and returns it in grams.
func readKilograms(lang frame.Locale, values url.Values, field string, n int, problems *lost.Problems) (int64, bool) {
	text := cellText(values, field, n)
	if text == "" {
		problems.Add(cellName(field, n), "required", "is required")
		return 0, false
	}
	grams, ok := parseKilograms(lang, text)
	if !ok {
		problems.Add(cellName(field, n), "out-of-range", "must be a weight in kilograms up to %d, for example 2.5",
			lost.MaxGrams/1000)
	}
	return grams, ok
}

// parseKilograms parses a weight and returns it in grams.
func parseKilograms(lang frame.Locale, text string) (int64, bool) {
	const places = 3
	grams, err := lang.ParseDecimal(text, places)
	return grams, err == nil && grams > 0 && grams <= lost.MaxGrams
}

// The button that calculates the example, which scripts send after every change, and the example's weight and country.
const (
	exampleButton  = "example"
	exampleWeight  = "example.weight"
	exampleCountry = "example.country"
)

// exampleText says what the example in the form costs according to the prices in it, or why it has no price.
func (c *call) exampleText(values url.Values) (string, error) {
	patch := shippingPatch(c.Locale, values)
	country := values.Get(exampleCountry)
	grams, ok := parseKilograms(c.Locale, values.Get(exampleWeight))
	if !ok {
		patch.Problems.Add(exampleWeight, "out-of-range", "must be a weight in kilograms up to %d, for example 2.5",
			lost.MaxGrams/1000)
	}
	o, err := c.Services.Quotes.Example(c.Context(), c.Actor(), c.Request.PathValue("location"), patch, grams, country)
	if err != nil {
		return "", err
	}
	if len(o.Quotes) == 0 {
		return c.PriceReason(o.Why), nil
	}
	q := o.Quotes[0]
	key := "locations.shipping.try.result"
	if q.Price.Handling > 0 {
		key = "locations.shipping.try.result.fee"
	}
	money := func(amount int64) string { return c.Money(amount, q.Price.Currency) }
	text := c.Say(key, "weight", c.Decimal(float64(grams)/1000, -1), "country", c.Country(country),
		"price", money(q.Price.Total()), "postage", money(q.Price.Postage), "fee", money(q.Price.Handling))
	if days := c.WorkingDays(q.FromDays, q.ToDays); days != "" {
		text = c.Sentences(text, c.Say("locations.shipping.try.days", "days", days))
	}
	return text, nil
}

// addFees adds the table of shipping fees and the example to the page. It returns the inputs of the table.
func (c *call) addFees(p *locationPage, values url.Values) (inputs []*frame.Input, err error) {
	p.Fees = newFeeTable(c.Locale, values)
	p.Fees.Result, err = c.exampleText(values)
	if lost.CodeOf(err) == lost.Invalid {
		p.Fees.Result, err = c.Say("locations.shipping.try.invalid"), nil
	}
	return p.Fees.inputs(), err
}
