package itemcsv

import (
	"strings"

	"homeward/internal/lost"
)

// wordings maps problem codes to explanations of a wrong format. Other problems keep their message.
var wordings = map[string]string{
	"invalid-date":   "is not a valid date; use the format 2026-11-15",
	"invalid-time":   "is not a valid time; use the format 09:30",
	"invalid-moment": "is not a valid date or time; use the format 2026-11-15 or 2026-11-15T09:30:00Z",
	"invalid-email":  "is not a valid e-mail address; use the format anna@example.com",
	"invalid-phone":  "is not a phone number with a country code; use the format +49 30 901820",
	"invalid-url":    "is not a valid URL; use the format https://example.com",
	"wrong-type":     "is not a number; use the format 1.5",
}

// maxQuoted is the maximum number of characters of a cell that a message quotes. The quote helps people to find the
// cell in the file.
const maxQuoted = 60

// Problems returns the problems of a row, with the headings of the file and the text of the cells.
func (r *Reader) Problems(row Row, err error) []lost.RowProblem {
	var problems []lost.RowProblem
	for _, p := range lost.ProblemsOf(err) {
		text := row.Cells[p.Field]
		p.Message = reword(p, text)
		problems = append(problems, lost.RowProblem{Line: row.Line, Column: r.heading(p.Field), FieldError: p})
	}
	return problems
}

// reword returns the message of a problem with a cell.
func reword(p lost.FieldError, text string) string {
	message := strings.TrimSuffix(p.Message, "; send null to clear it")
	if text == "" {
		return message
	}
	quoted := "“" + lost.Shorten(strings.Join(strings.Fields(text), " "), maxQuoted) + "”"
	// Personal data is not quoted, because messages are stored longer than rows.
	if len(lost.PersonalFields([]string{p.Field})) > 0 {
		quoted = "the text"
	}
	if wording, is := wordings[p.Code]; is && p.Field != metadataColumn {
		return quoted + " " + wording
	}
	return quoted + ": " + message
}

// heading returns the heading of a field's column in the file, or the field's name if it has no column.
func (r *Reader) heading(field string) string {
	switch heading := r.headings[field]; {
	case heading != "":
		return lost.Shorten(heading, lost.MaxShort)
	case field == wholeRow:
		return ""
	default:
		return field
	}
}
