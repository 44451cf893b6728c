package frame

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// Input is one field of a form. Its name is the field name that validation errors use.
type Input struct {
	Name, Label, Hint, Value, Error string
	// the HTML input type, such as "hidden", or "area" for a text area, "list" for a drop-down list or "check" for
	// a checkbox
	Type                   string
	Autocomplete, Keyboard string
	Min, Max, Step         string
	List                   string // the ID of a list of suggestions
	Accept                 string // the types of files that the user can choose
	Multiple               bool   // the user can choose several files
	Camera                 bool   // opens the camera of a phone, to take the photo to send
	Required               bool
	Narrow                 bool // the input is narrow, for short values
	Focus                  bool // receives the focus when the page opens
	Options                []Option
	Groups                 []OptionGroup // more options, below the others
}

// OptionGroup is a group of choices with a heading in a list.
type OptionGroup struct {
	Name    string
	Options []Option
}

// CheckBox is one of several checkboxes with the same name.
type CheckBox struct {
	Value, Name, Hint string
	Checked           bool
}

// Option is one choice in a list.
type Option struct{ Value, Name string }

// Checked reports whether a checkbox is checked.
func (i Input) Checked() bool { return i.Value != "" }

// Marked reports whether the field is marked as required. A list always has a value.
func (i Input) Marked() bool { return i.Required && i.Type != "list" && i.Type != "check" }

// Described returns the IDs of the elements that describe the field, separated by spaces.
func (i Input) Described() string {
	var by []string
	if i.Hint != "" {
		by = append(by, i.Name+"-hint")
	}
	if i.Error != "" {
		by = append(by, i.Name+"-error")
	}
	return strings.Join(by, " ")
}

// CheckConfirmation returns an error unless the user typed the name of the record to delete. It ignores case, spaces
// and hyphens.
func CheckConfirmation(values url.Values, field, want string) error {
	plain := strings.NewReplacer("-", "", " ", "")
	typed := values.Get(field)
	if folded := plain.Replace(typed); typed == want || folded != "" && strings.EqualFold(folded, plain.Replace(want)) {
		return nil
	}
	var p lost.Problems
	p.Add(field, "mismatch", "is not %s; nothing was deleted", want)
	return p.Err()
}

// Problem is one line of the error summary above a form.
type Problem struct{ Field, Text string }

// EncodeVersion encodes the version of a record, which is the time of its last change, for a form.
func EncodeVersion(updated time.Time) string { return strconv.FormatInt(updated.UnixMicro(), 10) }

// FormVersion returns the version of the record that a form was made from, or the zero time if the form does not
// contain it.
func FormVersion(values url.Values) time.Time {
	micros, err := strconv.ParseInt(values.Get("seen"), 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMicro(micros)
}

// FormDigest returns a digest of the values that a form showed, for records without a version.
func FormDigest(values url.Values) string {
	sum := sha256.Sum256([]byte(values.Encode()))
	return hex.EncodeToString(sum[:16])
}

// ReadAmount reads an amount of money from a form and returns it in minor units. It reports other text, and amounts
// that can be read in two ways, as a problem with the field.
func ReadAmount(l Locale, text, field, currency string, problems *lost.Problems) int64 {
	amount, err := l.ParseAmount(text, currency)
	switch {
	case errors.Is(err, i18n.ErrAmbiguous):
		problems.Add(field, "ambiguous-amount",
			"can be read in two ways; write the decimal places, or leave out the separator")
	case err != nil || amount > lost.MaxAmount:
		problems.Add(field, "not-an-amount", "must be an amount, for example %s",
			English().FormAmount(690, currency))
	}
	return amount
}

// MarkErrors puts validation errors next to their inputs and returns the lines of the error summary. It returns an
// error that is not about fields unchanged.
func (l Locale) MarkErrors(inputs []*Input, err error) ([]Problem, error) {
	found := lost.ProblemsOf(err)
	if err == nil || lost.CodeOf(err) != lost.Invalid || len(found) == 0 {
		return nil, err
	}
	textOf := l.FieldErrorText
	if _, local := errors.AsType[localError](err); local {
		textOf = func(p lost.FieldError) string { return p.Message }
	}
	var summary []Problem
	for _, i := range inputs { // in the order of the form
		for _, p := range found {
			if p.Field == i.Name {
				i.Error = textOf(p)
				summary = append(summary, Problem{Field: i.Name, Text: joinLabel(l, i.Label, i.Error)})
			}
		}
	}
	for _, p := range found {
		if !slices.ContainsFunc(inputs, func(i *Input) bool { return i.Name == p.Field }) {
			summary = append(summary, Problem{Text: joinLabel(l, l.FieldLabel(p.Field), textOf(p))})
		}
	}
	return summary, nil
}
