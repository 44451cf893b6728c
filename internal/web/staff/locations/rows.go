package locations

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// cell is an input in a row that users can add and remove. The cells of a column have the same field.
type cell struct {
	*frame.Input // its name is the field with the number of the row
	Field        string
	Heading      string // the ID of the element that labels the cell
	Number       int    // of the row, from 1
}

// Count returns the number in the cell, for the plural form of the word after it. It is 0 if there is no number.
func (c cell) Count() int {
	n, err := strconv.Atoi(c.Value)
	if err != nil {
		return 0
	}
	return n
}

// MaxDays returns the largest number in a cell for the days of a reminder.
func (cell) MaxDays() int { return lost.MaxStepDays }

// cellType is the type of inputs that are not rendered as a row of a form.
const cellType = "cell"

// newCell returns the cell of a field in a row, counted from 1.
func newCell(field, label string, n int, values url.Values) cell {
	value := ""
	if list := values[field]; n <= len(list) {
		value = list[n-1]
	}
	return cell{&frame.Input{Name: cellName(field, n), Label: label, Type: cellType, Value: value}, field, field, n}
}

// cellName returns the name of the cell of a field in a row, counted from 1.
func cellName(field string, n int) string { return field + "." + strconv.Itoa(n) }

// rowButton is the name of the buttons that add, remove and move rows. Their values are "add GROUP",
// "remove GROUP ROW", "up GROUP ROW" and "down GROUP ROW".
const rowButton = "row"

// rowGroup is the fields that form the rows of a group, and how many rows it can have.
type rowGroup struct {
	fields []string
	limit  int
}

// rowGroupOf returns the group with this name. It has no fields if there is none.
func rowGroupOf(name string) rowGroup {
	switch name {
	case feeGroup:
		return rowGroup{feeFields(), lost.MaxBands}
	case ruleGroup:
		return rowGroup{ruleFields(), lost.MaxKeepingRules}
	}
	for _, step := range reminderSteps {
		if step.name == name {
			return rowGroup{[]string{name}, lost.MaxSteps}
		}
	}
	return rowGroup{}
}

// changeRows adds, removes or moves a row of the form if the user pressed a button for it, and reports whether they
// did. The form is then shown again without being saved. Scripts change the rows on the page instead.
func changeRows(values url.Values) bool {
	if !values.Has(rowButton) {
		return false
	}
	words := append(strings.Fields(values.Get(rowButton)), "", "")
	group := rowGroupOf(words[1])
	count := rowCount(values, group.fields)
	for _, field := range group.fields {
		list := append(slices.Clone(values[field]), make([]string, count-len(values[field]))...)
		switch n, _ := strconv.Atoi(words[2]); { // 0 if it is not a number
		case words[0] == "add" && count < group.limit:
			list = append(list, "")
		case words[0] == "remove" && n >= 1 && n <= count:
			list = slices.Delete(list, n-1, n)
		case words[0] == "up" && n >= 2 && n <= count:
			list[n-2], list[n-1] = list[n-1], list[n-2]
		case words[0] == "down" && n >= 1 && n < count:
			list[n-1], list[n] = list[n], list[n-1]
		}
		values[field] = list
	}
	return true
}

// rowCount returns the number of rows that the fields have together.
func rowCount(values url.Values, fields []string) (count int) {
	for _, field := range fields {
		count = max(count, len(values[field]))
	}
	return count
}

// dayRows is the part of a form for the days of one kind of reminder.
type dayRows struct {
	*frame.Input // its error concerns all rows
	Rows         []cell
	Blank        cell // the row that a script adds
	Max          int
}

// Full reports whether no further row is allowed.
func (d dayRows) Full() bool { return len(d.Rows) >= d.Max }

func newDayRows(lang frame.Locale, values url.Values, name, label, hint string) dayRows {
	d := dayRows{
		Input: &frame.Input{Name: name, Label: lang.Say(label), Type: cellType}, Max: lost.MaxSteps,
	}
	if hint != "" {
		d.Hint = lang.Say(hint)
	}
	add := values.Get(rowButton) == "add "+name
	for n := range values[name] {
		d.Rows = append(d.Rows, newCell(name, d.Label, n+1, values))
		d.Rows[n].Focus = add && n+1 == len(values[name])
	}
	d.Blank = newCell(name, d.Label, len(d.Rows)+1, values)
	return d
}

func (d dayRows) inputs() []*frame.Input {
	inputs := []*frame.Input{d.Input}
	for _, c := range d.Rows {
		inputs = append(inputs, c.Input)
	}
	return inputs
}

// readDays reads the days of one kind of reminder, one for each row. It ignores empty rows and reports any other text
// as a problem.
func readDays(values url.Values, name string, problems *lost.Problems) lost.Field[[]int] {
	days := []int{}
	for n, text := range values[name] {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		day, err := strconv.Atoi(text)
		switch {
		case err != nil:
			problems.Add(cellName(name, n+1), "not-a-number", "must be a whole number of days, for example 3")
		case day < 1 || day > lost.MaxStepDays:
			problems.Add(cellName(name, n+1), "out-of-range", "must be a number of days from 1 to %d", lost.MaxStepDays)
		}
		days = append(days, day)
	}
	return lost.Set(days)
}
