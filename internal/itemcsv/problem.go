package itemcsv

import (
	"strings"

	"homeward/internal/lost"
)

// wordings maps problem codes to explanations of a wrong format. Other problems keep their message.
var wordings = map[string]string{
	"invalid-date":   "is not a date; write 2026-11-15",
	"invalid-time":   "is not a time of day; write 09:30",
	"invalid-moment": "is neither a day nor a time; write 2026-11-15 or 2026-11-15T09:30:00Z",
	"invalid-email":  "is not an e-mail address; write one such as anna@example.com",
	"invalid-phone":  "is not a phone number with its country; write one such as +49 30 901820",
	"invalid-url":    "is not a web address; write one such as https://example.com",
	"wrong-type":     "is not a number; write one such as 1.5",
}

// maxQuoted is the maximum number of characters of a cell that a problem quotes, so that people can find it in the
// file.
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
	if len(lost.PersonalFields([]string{p.Field})) > 0 { // the message is stored longer than the row
		quoted = "the text"
	}
	if wording, is := wordings[p.Code]; is {
		return quoted + " " + wording
	}
	return quoted + ": " + message
}

// heading returns the heading of a field's column in the file, or the field itself if it has none.
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
