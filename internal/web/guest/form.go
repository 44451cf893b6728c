package guest

import (
	"cmp"
	"strings"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// input is one field of a form. Its name is the field name that validation errors use.
type input struct {
	Name, Label, Hint, Value, Error string
	Type                            string // the HTML type, "area" for a text area, "list" for a choice
	Autocomplete, Keyboard          string
	Min, Max                        string
	Optional                        bool
	Multiple                        bool // several files can be chosen
	Narrow                          bool // the value is short, so the field is shown narrow
	Either                          bool // another field may be filled in instead
	Options                         []i18n.Country

	maxLength int // in characters; 0 for no limit
}

// Required reports whether the field must be filled in.
func (i input) Required() bool { return !i.Optional && !i.Either }

// Described lists the ids of the elements that describe the field, for aria-describedby.
func (i input) Described() string {
	var by []string
	if i.Hint != "" {
		by = append(by, i.Name+"-hint")
	}
	if i.Error != "" {
		by = append(by, i.Name+"-error")
	}
	return strings.Join(by, " ")
}

// problem is one line of the summary above a form.
type problem struct{ Field, Text string }

// problemContext holds values for the placeholders in error messages.
type problemContext struct {
	location lost.Location
	item     lost.Item
	last     string // the last day for a pick-up
	country  string
	wait     int // how many minutes a throttled client has to wait; 0 if unknown
}

// assignProblems sets the error message of each input and returns the lines of the summary above the form.
func assignProblems(l *i18n.Language, inputs []*input, problems lost.Problems, about problemContext) []problem {
	var summary []problem
	known := map[string]bool{}
	for _, i := range inputs { // in the order in which they are shown
		known[i.Name] = true
		for _, p := range problems {
			if p.Field != i.Name {
				continue
			}
			i.Error = errorText(l, p, *i, about)
			line := l.Say("error.summary.line", "label", i.Label, "error", i.Error)
			summary = append(summary, problem{Field: i.Name, Text: line})
		}
	}
	for _, p := range problems {
		if !known[p.Field] {
			summary = append(summary, problem{Text: errorText(l, p, input{}, about)})
		}
	}
	return summary
}

// messageKeys maps the error codes whose messages have no placeholders to their catalog keys.
var messageKeys = map[string]string{
	"required":          "error.required",
	"control-character": "error.control-character",
	"invalid-email":     "error.invalid-email",
	"invalid-phone":     "error.invalid-phone",
	"invalid-country":   "error.invalid-country",
	"invalid-date":      "error.invalid-date",
	"invalid-time":      "error.invalid-time",
	"past":              "error.past",
	"closed":            "error.closed",
	"not-a-slot":        "error.not-a-slot",
	"slot-full":         "error.slot-full",
	"skipped-time":      "error.skipped-time",
	"future":            "error.future",
	"not-allowed":       "error.not-allowed",
	"too-large":         "error.photo.large",
	"not-an-image":      "error.photo.unsupported",
	"too-many-pixels":   "error.photo.pixels",
	"too-heavy":         "error.photo.heavy",
	"too-many":          "error.photo.many",
	"duplicate":         "error.photo.one",
	"incomplete":        "error.photo.incomplete",
	"not-a-tracker":     "error.not-a-tracker",
	"choose-again":      "error.photo.again",
	"send-again":        "error.again",
	"already-sent":      "error.already-sent",
}

// errorText returns a message that says what is wrong with a field or how to fix it.
func errorText(l *i18n.Language, p lost.FieldError, i input, about problemContext) string {
	switch p.Code {
	case "required":
		if p.Field == "owner.email" {
			return l.Say("error.required.contact")
		}
	case "past":
		if i.Type == "time" {
			return l.Say("error.past.time")
		}
	case "too-long":
		if i.maxLength > 0 {
			return l.Say("error.too-long", "n", i.maxLength)
		}
	case "after-store-until":
		return l.Say("error.after-store-until", "date", l.Date(about.item.StoreUntil()))
	case "too-far":
		return l.Say("error.too-far", "date", l.Date(about.last))
	case "outside-window":
		if len(about.location.OpeningHours) > 0 {
			return l.Say("error.outside-hours")
		}
		window := about.location.Pickup
		from, to := cmp.Or(window.From, "00:00"), cmp.Or(window.To, "23:59")
		return l.Say("error.outside-window", "from", l.Time(from), "to", l.Time(to))
	case "wait":
		if about.wait == 0 { // the location has reached its daily limit of reports
			return l.Say("error.page.full.text", "location", about.location.Name)
		}
		return l.Say("error.page.wait.text", "n", about.wait)
	case "invalid-zip":
		return l.Say("error.invalid-zip", "example", lost.PostalExample(about.country))
	}
	if key := messageKeys[p.Code]; key != "" {
		return l.Say(key)
	}
	return l.Say("error.other")
}
