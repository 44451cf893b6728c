package staff

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeward/internal/lost"
)

// input is one field of a form, as it is shown. Its name is the one that the rules know it by.
type input struct {
	Name, Label, Hint, Value, Error string
	Type                            string // of the input; "area" for several lines, "list" for one of Options, "check" for yes or no
	Autocomplete, Keyboard          string
	Min, Max, Step                  string
	List                            string // id of a list of suggestions
	Required                        bool
	Narrow                          bool // what goes in is short
	Focus                           bool // the first to be filled in
	Options                         []option
}

// option is one of several to choose from.
type option struct{ Value, Name string }

// Checked tells whether a box is ticked.
func (i input) Checked() bool { return i.Value != "" }

// Described names what explains the field.
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

// confirmed tells whether the name of what is to be deleted was typed, as people type it: in any case, with or without what stands between its parts.
func confirmed(values url.Values, field, want string) error {
	plain := strings.NewReplacer("-", "", " ", "")
	typed := values.Get(field)
	if folded := plain.Replace(typed); typed == want || folded != "" && strings.EqualFold(folded, plain.Replace(want)) {
		return nil
	}
	var p lost.Problems
	p.Add(field, "mismatch", "is not %s; nothing was deleted", want)
	return p.Err()
}

// problem is one line of the summary above a form.
type problem struct{ Field, Text string }

// seenAs is how a form carries which state of a record it was made from.
func seenAs(updated time.Time) string { return strconv.FormatInt(updated.UnixMicro(), 10) }

// seenIn is which state of a record a form was made from; zero where it does not say.
func seenIn(values url.Values) time.Time {
	micros, err := strconv.ParseInt(values.Get("seen"), 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMicro(micros)
}

// shownAs is how a form carries what it showed of a record that has no history: a digest of it.
func shownAs(values url.Values) string {
	sum := sha256.Sum256([]byte(values.Encode()))
	return hex.EncodeToString(sum[:16])
}

// judge puts what is wrong beside the fields that it is about, and gives the lines for the summary. An error that is about no
// field comes back.
func judge(inputs []*input, err error) ([]problem, error) {
	found := lost.ProblemsOf(err)
	if err == nil || lost.CodeOf(err) != lost.Invalid || len(found) == 0 {
		return nil, err
	}
	var summary []problem
	for _, i := range inputs { // in the order in which they are read
		for _, p := range found {
			if p.Field == i.Name {
				i.Error = sentence(p.Message)
				summary = append(summary, problem{Field: i.Name, Text: i.Label + ": " + i.Error})
			}
		}
	}
	for _, p := range found {
		if !slices.ContainsFunc(inputs, func(i *input) bool { return i.Name == p.Field }) {
			summary = append(summary, problem{Text: label(p.Field) + ": " + sentence(p.Message)})
		}
	}
	return summary, nil
}
