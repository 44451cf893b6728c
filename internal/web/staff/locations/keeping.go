package locations

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// keepingPart is the path of the page for the keeping rules.
const keepingPart = "keeping"

// The fields of a keeping rule in the form. ruleGroup is the name of the rows.
const (
	ruleGroup    = "keepingRules"
	ruleCategory = ruleGroup + ".category"
	ruleValue    = ruleGroup + ".minValue"
	ruleCurrency = ruleGroup + ".currency"
	ruleDays     = ruleGroup + ".days"
	ruleThen     = ruleGroup + ".then"
)

func ruleFields() []string {
	return []string{ruleCategory, ruleValue, ruleCurrency, ruleDays, ruleThen}
}

// The buttons of the form for keeping rules and of its preview.
const (
	presetButton  = "preset"  // puts the rules of a preset into the form; its value is the key of the preset
	confirmButton = "confirm" // saves the rules that were shown with what they change
	editButton    = "edit"    // returns from the preview to the form
)

// ruleTable is the part of the form with the keeping rules.
type ruleTable struct {
	*frame.Input // its error concerns all rules
	Rows         []ruleRow
	Blank        ruleRow // the row that a script adds
	Max          int
	Presets      []offeredPreset
	Country      string // whose presets are offered; empty if the location has none
	Filled       bool   // the rules in the form are those of a preset
}

// ruleRow is one keeping rule in the form.
type ruleRow struct {
	Number                                int
	Category, Value, Currency, Days, Then cell
}

// Full reports whether no further rule is allowed.
func (t *ruleTable) Full() bool { return len(t.Rows) >= t.Max }

// Cells returns the inputs of the row.
func (r ruleRow) Cells() []cell { return []cell{r.Category, r.Value, r.Currency, r.Days, r.Then} }

func newRuleTable(lang frame.Locale, values url.Values, l lost.Location) *ruleTable {
	t := &ruleTable{
		Input: &frame.Input{Name: ruleGroup, Label: lang.Say("locations.keeping.rules"), Type: cellType},
		Max:   lost.MaxKeepingRules, Filled: values.Has(presetButton),
	}
	count := rowCount(values, ruleFields())
	for n := range count {
		t.Rows = append(t.Rows, newRuleRow(lang, values, n+1, l.Currency()))
	}
	if count > 0 {
		t.Rows[count-1].Category.Focus = values.Get(rowButton) == "add "+ruleGroup
	}
	t.Blank = newRuleRow(lang, values, count+1, l.Currency())
	t.Presets = offeredPresets(lang, l)
	if l.Country != "" {
		t.Country = lang.Country(l.Country)
	}
	return t
}

func newRuleRow(lang frame.Locale, values url.Values, n int, currency string) ruleRow {
	field := func(name, label string) cell { return newCell(name, lang.Say(label), n, values) }
	r := ruleRow{
		Number: n, Category: field(ruleCategory, "locations.keeping.category"),
		Value:    field(ruleValue, "locations.keeping.value"),
		Currency: field(ruleCurrency, "locations.keeping.currency"),
		Days:     field(ruleDays, "locations.keeping.days"), Then: field(ruleThen, "locations.keeping.then"),
	}
	r.Value.Keyboard, r.Days.Keyboard = "decimal", "numeric"
	r.Currency.Value, r.Currency.Narrow, r.Days.Narrow = cmp.Or(r.Currency.Value, currency), true, true
	r.Category.Options = append([]frame.Option{{Name: lang.Say("locations.keeping.all")}}, lang.CategoryOptions()...)
	r.Then.Options = []frame.Option{{Name: lang.Say("locations.keeping.decide")}}
	for _, d := range lost.Disposals() {
		r.Then.Options = append(r.Then.Options, frame.Option{Value: string(d), Name: lang.DisposalText(d)})
	}
	return r
}

func (t *ruleTable) inputs() []*frame.Input {
	inputs := []*frame.Input{t.Input}
	for _, r := range t.Rows {
		for _, c := range r.Cells() {
			inputs = append(inputs, c.Input)
		}
	}
	return inputs
}

func showKeeping(l lost.Location) url.Values {
	values := url.Values{}
	if l.StorageDuration != nil {
		values.Set("storageDuration", strconv.Itoa(*l.StorageDuration))
	}
	setRules(values, l.KeepingRules)
	return values
}

// setRules writes keeping rules into the values of a form, instead of those that are there.
func setRules(values url.Values, rules []lost.KeepingRule) {
	for _, field := range ruleFields() {
		values.Del(field)
	}
	for _, r := range rules {
		amount := ""
		if r.MinValue.Known() {
			amount = formatAmount(r.MinValue.Amount, r.MinValue.Currency)
		}
		values.Add(ruleCategory, string(r.Category))
		values.Add(ruleValue, amount)
		values.Add(ruleCurrency, r.MinValue.Currency)
		values.Add(ruleDays, strconv.Itoa(r.Days))
		values.Add(ruleThen, string(r.Then))
	}
}

func keepingInputs(lang frame.Locale, values url.Values) []*frame.Input {
	in := durationInput(lang, values)
	in.Label = lang.Say("locations.keeping.others")
	return []*frame.Input{in}
}

// ruleRows returns the numbers of the rows with a rule. The currency of a row is not a rule, because it is always set.
func ruleRows(values url.Values) (rows []int) {
	for n := 1; n <= rowCount(values, ruleFields()); n++ {
		if slices.ContainsFunc([]string{ruleCategory, ruleValue, ruleDays, ruleThen},
			func(field string) bool { return cellText(values, field, n) != "" }) {
			rows = append(rows, n)
		}
	}
	return rows
}

func keepingPatch(lang frame.Locale, values url.Values) (p lost.LocationPatch) {
	p.StorageDuration = wholeNumber[int](values, "storageDuration", &p.Problems)
	rules := []lost.KeepingRule{}
	for _, n := range ruleRows(values) {
		rules = append(rules, readRule(lang, values, n, &p.Problems))
	}
	p.KeepingRules = lost.Set(rules)
	return p
}

// readRule reads the keeping rule in a row. The domain checks its category, its currency and what happens then.
func readRule(lang frame.Locale, values url.Values, n int, problems *lost.Problems) (r lost.KeepingRule) {
	r.Category = lost.Category(cellText(values, ruleCategory, n))
	r.Then = lost.Disposal(cellText(values, ruleThen, n))
	if text := cellText(values, ruleValue, n); text != "" {
		r.MinValue.Currency = strings.ToUpper(cellText(values, ruleCurrency, n))
		if r.MinValue.Currency == "" {
			problems.Add(cellName(ruleCurrency, n), "required", "is required")
		}
		r.MinValue.Amount = frame.ReadAmount(lang, text, cellName(ruleValue, n), r.MinValue.Currency, problems)
	}
	text := cellText(values, ruleDays, n)
	days, err := strconv.Atoi(text)
	switch {
	case text == "":
		problems.Add(cellName(ruleDays, n), "required", "is required")
	case err != nil:
		problems.Add(cellName(ruleDays, n), "not-a-number", "must be a whole number of days, for example 90")
	}
	r.Days = days
	return r
}

// nameRuleProblems names the inputs of the form in the problems of an error about keeping rules.
func nameRuleProblems(values url.Values, err error) error {
	problems := slices.Clone(lost.ProblemsOf(err))
	if lost.CodeOf(err) != lost.Invalid || len(problems) == 0 {
		return err
	}
	rows := ruleRows(values)
	for n := range problems {
		index, field, found := strings.Cut(strings.TrimPrefix(problems[n].Field, ruleGroup+"["), "].")
		rule, wrong := strconv.Atoi(index)
		if !found || wrong != nil || rule < 0 || rule >= len(rows) {
			continue
		}
		name := map[string]string{"minValue.amount": ruleValue, "minValue.currency": ruleCurrency}[field]
		problems[n].Field = cellName(cmp.Or(name, ruleGroup+"."+field), rows[rule])
	}
	return problems.Err()
}

// saveKeeping saves the keeping rules. If they change how long items are stored, or what happens to them then, it first
// shows which, and asks the user to confirm.
func (c *call) saveKeeping(values url.Values) error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	if values.Has(editButton) {
		return c.presentLocation(http.StatusOK, values, nil)
	}
	if values.Has(presetButton) {
		return c.fillPreset(l, values)
	}
	patch := keepingPatch(c.Locale, values)
	if seen := values.Get("seen"); seen != "" {
		patch.Same = func(l lost.Location) bool { return frame.FormDigest(showKeeping(l)) == seen }
	}
	if !values.Has(confirmButton) {
		after, preview, err := c.Services.Locations.PreviewTerms(c.Context(), c.Actor(), l.ID, patch)
		if err == nil && preview.Total() > 0 {
			return c.presentPreview(after, preview, values)
		}
		if err != nil {
			return c.refuseKeeping(values, err)
		}
	}
	if _, err := c.Services.Locations.Update(c.Context(), c.Actor(), l.ID, patch); err != nil {
		return c.refuseKeeping(values, err)
	}
	c.Flash(c.Say("locations.saved"))
	return c.Redirect("/locations/" + l.ID + "/" + keepingPart)
}

// refuseKeeping shows the form again with what is wrong in it.
func (c *call) refuseKeeping(values url.Values, err error) error {
	if code := lost.CodeOf(err); code != lost.Invalid && code != lost.Conflict {
		return err
	}
	return c.presentLocation(respond.RecordError(c.Writer, err), values, nameRuleProblems(values, err))
}

// ruleFacts describes the current rules of a location: for each rule, what it is about and what happens to it.
func ruleFacts(lang frame.Locale, l lost.Location) (facts []frame.ItemFact) {
	for _, r := range l.KeepingRules {
		facts = append(facts, frame.ItemFact{Name: ruleScope(lang, r), Value: ruleOutcome(lang, r)})
	}
	others := lang.Say("locations.kept.forever")
	if l.StorageDuration != nil {
		others = lang.Say("locations.kept.days", "n", *l.StorageDuration)
	}
	return append(facts, frame.ItemFact{Name: lang.Say("locations.keeping.others"), Value: others})
}

// ruleScope says which items a rule is about.
func ruleScope(lang frame.Locale, r lost.KeepingRule) string {
	what := lang.Say("locations.keeping.all")
	if r.Category != "" {
		what = lang.CategoryName(r.Category)
	}
	if r.MinValue.Known() {
		what = lang.Say("locations.keeping.from", "what", what,
			"value", lang.Money(r.MinValue.Amount, r.MinValue.Currency))
	}
	return what
}

// ruleOutcome says how long a rule stores items, and what happens then.
func ruleOutcome(lang frame.Locale, r lost.KeepingRule) string {
	return lang.Say("locations.kept.days", "n", r.Days) + " · " + thenText(lang, r.Then)
}

func thenText(lang frame.Locale, d lost.Disposal) string {
	return cmp.Or(lang.DisposalText(d), lang.Say("locations.keeping.decide"))
}
