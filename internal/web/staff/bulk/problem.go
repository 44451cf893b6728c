package bulk

import (
	"slices"
	"strconv"
	"strings"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// Remedy says what is wrong with a cell of a file, and how to fix it.
func (p importDetailPage) Remedy(r lost.RowProblem) string {
	return cellProblem(p.Locale, r.FieldError)
}

// metadataExample is an example of the metadata of an item in a file.
const metadataExample = `{"booking": "HH-4711"}`

// cellProblem says what is wrong with a cell of a file, and how to fix it. The cell's text and the limits are taken
// from the message, which is in English. A message that does not quote the cell, because it is empty or contains
// personal data, has the same text as in a form.
func cellProblem(lang frame.Locale, e lost.FieldError) string {
	text, message, quoted := quotedCell(e.Message)
	if !quoted {
		return lang.FieldErrorText(e)
	}
	limits := frame.NumbersIn(message)
	args := []any{
		"text", text, "example", metadataExample, "values", allowedValues(lang, e.Field, message),
		"n", slices.Max(append(limits, 0)), "max", slices.Max(append(limits, 0)),
	}
	for _, key := range []string{"bulk.invalid." + e.Code + "." + e.Field, "bulk.invalid." + e.Code} {
		if lang.Has(key) {
			return lang.Say(key, args...)
		}
	}
	e.Message = strings.TrimPrefix(message, ": ")
	return lang.Say("bulk.invalid.other", "text", text, "remedy", lang.FieldErrorText(e))
}

// quotedCell splits a message into the text of the cell that it quotes first and the rest.
func quotedCell(message string) (text, rest string, quoted bool) {
	if text, quoted = strings.CutPrefix(message, "“"); !quoted {
		return "", message, false
	}
	return cutLast(text, "”")
}

// cutLast splits a text at the last separator.
func cutLast(text, separator string) (before, after string, found bool) {
	at := strings.LastIndex(text, separator)
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+len(separator):], true
}

// allowedValues lists the values that a message allows, as an export writes them in the user's language.
func allowedValues(lang frame.Locale, field, message string) string {
	first := strings.IndexByte(message, '"')
	if first < 0 {
		return lang.JoinClauses("yes", "no")
	}
	var values []string
	for value := range strings.SplitSeq(message[first:], ", ") {
		if code, err := strconv.Unquote(value); err == nil {
			values = append(values, desk.ValueText(lang.Tag(), field, code))
		}
	}
	return lang.JoinClauses(values...)
}
