package frame

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

// Input is one field of a form, as it is shown. Its name is the one that the rules know it by.
type Input struct {
	Name, Label, Hint, Value, Error string
	Type                            string // of the input; "area" for several lines, "list" for one of Options, "check" for yes or no
	Autocomplete, Keyboard          string
	Min, Max, Step                  string
	List                            string // id of a list of suggestions
	Required                        bool
	Narrow                          bool // what goes in is short
	Focus                           bool // the first to be filled in
	Options                         []Option
}

// Option is one of several to choose from.
type Option struct{ Value, Name string }

// Checked tells whether a box is ticked.
func (i Input) Checked() bool { return i.Value != "" }

// Described names what explains the field.
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

// CheckConfirmation tells whether the name of what is to be deleted was typed, as people type it: in any case, with or without what stands between its parts.
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

// Problem is one line of the summary above a form.
type Problem struct{ Field, Text string }

// EncodeVersion is how a form carries which state of a record it was made from.
func EncodeVersion(updated time.Time) string { return strconv.FormatInt(updated.UnixMicro(), 10) }

// FormVersion is which state of a record a form was made from; zero where it does not say.
func FormVersion(values url.Values) time.Time {
	micros, err := strconv.ParseInt(values.Get("seen"), 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMicro(micros)
}

// FormDigest is how a form carries what it showed of a record that has no history: a digest of it.
func FormDigest(values url.Values) string {
	sum := sha256.Sum256([]byte(values.Encode()))
	return hex.EncodeToString(sum[:16])
}

// MarkErrors puts what is wrong beside the fields that it is about, and gives the lines for the summary. An error that is about no
// field comes back.
func MarkErrors(inputs []*Input, err error) ([]Problem, error) {
	found := lost.ProblemsOf(err)
	if err == nil || lost.CodeOf(err) != lost.Invalid || len(found) == 0 {
		return nil, err
	}
	var summary []Problem
	for _, i := range inputs { // in the order in which they are read
		for _, p := range found {
			if p.Field == i.Name {
				i.Error = Sentence(p.Message)
				summary = append(summary, Problem{Field: i.Name, Text: i.Label + ": " + i.Error})
			}
		}
	}
	for _, p := range found {
		if !slices.ContainsFunc(inputs, func(i *Input) bool { return i.Name == p.Field }) {
			summary = append(summary, Problem{Text: FieldLabel(p.Field) + ": " + Sentence(p.Message)})
		}
	}
	return summary, nil
}
