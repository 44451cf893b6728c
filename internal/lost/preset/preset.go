// Package preset contains keeping rules by country and kind of place, each with its law and where it was read. They are
// offered to locations, and are no legal advice.
package preset

import (
	"cmp"
	_ "embed" // for the file with the presets
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"homeward/internal/lost"
)

// Preset is the keeping rules for some kinds of place in a country or in one of its states.
type Preset struct {
	Country  string   `json:"country"`  // ISO 3166-1
	State    string   `json:"state"`    // such as NY; empty for the whole country
	Currency string   `json:"currency"` // of the values
	Places   []string `json:"places"`   // types of locations, or only "*" for all
	Rules    []Rule   `json:"rules"`
}

// Rule is a keeping rule with its law.
type Rule struct {
	Category lost.Category `json:"category"`
	MinValue int64         `json:"minValue"` // in minor units; 0 for all items
	Days     *int          `json:"days"`     // nil if it is not known
	Then     lost.Disposal `json:"then"`
	Law      string        `json:"law"`    // in its own language
	Source   string        `json:"source"` // where the law was read, or NotChecked
	Read     string        `json:"read"`   // the day on which it was read, or NotChecked
	Note     Text          `json:"note"`
	Reason   Text          `json:"reason"` // why the days are not known
}

// Text is a text by language.
type Text map[string]string

// In returns the text in a language, or in English if there is no translation.
func (t Text) In(language string) string { return cmp.Or(t[language], t["en"]) }

// AllPlaces is the place of a preset for all types of locations.
const AllPlaces = "*"

// NotChecked is the source and the day of a law that was not read.
const NotChecked = "not checked"

//go:embed presets.json
var file []byte

// all reads the file once. The file is part of the program, and a test reads it.
var all = sync.OnceValue(func() (presets []Preset) { //nolint:gochecknoglobals // computed once from a fixed file
	if err := json.Unmarshal(file, &presets); err != nil {
		panic("the presets are not valid: " + err.Error())
	}
	return presets
})

// All returns all presets. The caller must not change them.
func All() []Preset { return all() }

// Key identifies the preset. It stays the same while the country, the state and the first kind of place do.
func (p Preset) Key() string { return p.Country + "." + p.State + "." + p.Places[0] }

// For returns the presets for a location: those for its kind of place first, then those for all kinds. Of a country
// with states, it returns those of the location's state, or of all states if the location has none.
func For(l lost.Location) (found []Preset) {
	general, state := []Preset{}, abbreviateState(l.State)
	for _, p := range all() {
		if p.Country != l.Country || p.State != "" && state != "" && p.State != state {
			continue
		}
		switch {
		case slices.Contains(p.Places, string(l.Type)):
			found = append(found, p)
		case slices.Contains(p.Places, AllPlaces):
			general = append(general, p)
		}
	}
	return append(found, general...)
}

// stateNames are the names of the states that have presets of their own, by abbreviation. They are all in the United
// States; presets of other countries are for the whole country.
var stateNames = map[string]string{
	"NY": "NEW YORK", "CA": "CALIFORNIA", "TX": "TEXAS", "FL": "FLORIDA", "IN": "INDIANA",
}

// abbreviateState returns the abbreviation of a state that may be written in other ways: new york and N.Y. are NY.
// Other texts are returned in upper case, without points and extra spaces.
func abbreviateState(state string) string {
	text := strings.Join(strings.Fields(strings.ReplaceAll(strings.ToUpper(state), ".", " ")), " ")
	for short, name := range stateNames {
		if text == name || strings.ReplaceAll(text, " ", "") == short {
			return short
		}
	}
	return text
}

// Keeping returns the rules of the preset as rules of a location. It leaves out those whose days are not known.
func (p Preset) Keeping() (rules []lost.KeepingRule) {
	for _, r := range p.Rules {
		if r.Days == nil {
			continue
		}
		rule := lost.KeepingRule{Category: r.Category, Days: *r.Days, Then: r.Then}
		if r.MinValue > 0 {
			rule.MinValue = lost.Value{Amount: r.MinValue, Currency: p.Currency}
		}
		rules = append(rules, rule)
	}
	return rules
}
