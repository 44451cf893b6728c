package locations

import (
	"net/http"
	"net/url"
	"slices"

	"homeward/internal/lost"
	"homeward/internal/lost/preset"
	"homeward/internal/web/staff/frame"
)

// offeredPreset is a preset that the form for keeping rules shows. Users choose whether to fill the form with it.
type offeredPreset struct {
	Key, Name string
	Rules     []offeredRule
	Usable    bool // there is a rule with a known number of days
}

// offeredRule is a rule of a preset with its law.
type offeredRule struct {
	Scope, Outcome string // Outcome is empty if the number of days is not known
	Law            string
	Source         string // a URL; empty if nobody has read the law
	Read           string
	Note           string
}

// offeredPresets returns the presets for a location's country and kind of place.
func offeredPresets(lang frame.Locale, l lost.Location) (offers []offeredPreset) {
	for _, p := range preset.For(l) {
		o := offeredPreset{Key: p.Key(), Name: presetName(lang, p), Usable: len(p.Keeping()) > 0}
		for _, r := range p.Rules {
			o.Rules = append(o.Rules, newOfferedRule(lang, p, r))
		}
		offers = append(offers, o)
	}
	return offers
}

func newOfferedRule(lang frame.Locale, p preset.Preset, r preset.Rule) offeredRule {
	rule := lost.KeepingRule{Category: r.Category, Then: r.Then}
	if r.MinValue > 0 {
		rule.MinValue = lost.Value{Amount: r.MinValue, Currency: p.Currency}
	}
	o := offeredRule{Scope: ruleScope(lang, rule), Law: r.Law, Note: r.Note.In(lang.Tag())}
	if r.Days == nil {
		o.Note = r.Reason.In(lang.Tag())
	} else {
		rule.Days = *r.Days
		o.Outcome = ruleOutcome(lang, rule)
	}
	if r.Source != preset.NotChecked {
		o.Source, o.Read = r.Source, lang.ShortDateYear(r.Read)
	}
	return o
}

// presetName names the country or state and the kinds of place that a preset is for.
func presetName(lang frame.Locale, p preset.Preset) string {
	where := lang.Country(p.Country)
	if p.State != "" {
		where = lang.Enumerate(where, p.State)
	}
	places := []string{}
	for _, place := range p.Places {
		key := "locations.type." + place
		if place == preset.AllPlaces {
			key = "locations.keeping.presets.all"
		}
		places = append(places, lang.Say(key))
	}
	return where + " · " + lang.Enumerate(places...)
}

// fillPreset puts the rules of a preset into the form. Nothing is saved.
func (c *call) fillPreset(l lost.Location, values url.Values) error {
	all := preset.For(l)
	n := slices.IndexFunc(all, func(p preset.Preset) bool { return p.Key() == values.Get(presetButton) })
	if n < 0 { // the country was changed in the meantime
		values.Del(presetButton)
		return c.presentLocation(http.StatusOK, values, nil)
	}
	setRules(values, all[n].Keeping())
	filled := url.Values{ruleValue: values[ruleValue]}
	localNumbers(c.Locale, filled)
	values[ruleValue] = filled[ruleValue]
	return c.presentLocation(http.StatusOK, values, nil)
}

// offeredCountry returns the name of the country whose presets are offered to a location that was just added.
func (c *call) offeredCountry(p locationPage) string {
	if !p.New || p.Part == keepingPart || len(preset.For(p.Location)) == 0 {
		return ""
	}
	return c.Country(p.Location.Country)
}
