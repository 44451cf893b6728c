package bulk

import (
	"net/url"
	"slices"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// columnsPage asks what the columns of a file contain.
type columnsPage struct {
	frame.Page
	At, Self string
	File     string
	Total    int
	All      int // number of columns in the file
	Columns  []fileColumn
	Dates    frame.Input
	Usual    *frame.Input // the location of rows that name none; nil if the import is into one location
}

// maxColumns is the maximum number of columns that the page shows, so that it stays small.
const maxColumns = 40

// Hidden returns the number of columns that are not shown and therefore not imported.
func (p columnsPage) Hidden() int { return p.All - len(p.Columns) }

// shownColumns returns the positions of the columns that the page shows: those whose field is known, and then the
// first others, columns with text before empty ones.
func shownColumns(columns []desk.FileColumn) []int {
	positions := make([]int, len(columns))
	for n := range positions {
		positions[n] = n
	}
	rank := func(n int) int {
		switch {
		case columns[n].Field != "":
			return 0
		case len(columns[n].Sample) > 0:
			return 1
		default:
			return 2
		}
	}
	slices.SortStableFunc(positions, func(a, b int) int { return rank(a) - rank(b) })
	positions = positions[:min(len(positions), maxColumns)]
	slices.Sort(positions)
	return positions
}

// fileColumn is a column of a file: its heading, some of its cells and the choice of its field.
type fileColumn struct {
	Heading string
	Sample  []string
	Field   *frame.Input
}

// askColumns shows the form that asks what the columns of a file contain. values are the choices that were rejected.
func (c *call) askColumns(status int, m lost.Import, values url.Values, wrong error) error {
	columns, err := c.Services.Imports.Columns(c.Context(), c.Actor(), m.LocationID, m.ID)
	if err != nil {
		return err
	}
	p := columnsPage{
		Page: c.NewPage(c.Say("bulk.file.title", "file", m.File)),
		At:   frame.LocationPath(c.Request.PathValue("location"), ""),
		File: m.File, Total: m.Total, All: len(columns), Dates: c.datesInput(m, values),
	}
	p.Self = p.At + "/import/" + m.ID
	options := c.fieldOptions(m.LocationID)
	inputs := []*frame.Input{}
	for _, n := range shownColumns(columns) {
		column := columns[n]
		in := &frame.Input{
			Name: desk.ColumnName(n), Label: column.Heading, Type: "list", Value: column.Field, Options: options,
		}
		if in.Label == "" {
			in.Label = c.Say("bulk.columns.unnamed", "n", n+1)
		}
		if values != nil {
			in.Value = values.Get(in.Name)
		}
		inputs = append(inputs, in)
		p.Columns = append(p.Columns, fileColumn{Heading: in.Label, Sample: column.Sample, Field: in})
	}
	inputs = append(inputs, &p.Dates)
	if m.LocationID == "" {
		usual := m.Mapping.Location
		if values != nil {
			usual = values.Get("location")
		}
		if p.Usual, err = c.usualInput(usual); err != nil {
			return err
		}
		inputs = append(inputs, p.Usual)
	}
	if p.Problems, err = c.MarkErrors(inputs, wrong); err != nil {
		return err
	}
	return c.Render(status, "columns", p)
}

// fieldOptions lists the fields that a column of a file can contain that is imported into a location.
func (c *call) fieldOptions(location string) []frame.Option {
	options := []frame.Option{{Value: "", Name: c.Say("bulk.columns.none")}}
	for _, field := range desk.ImportableColumns(location) {
		options = append(options, frame.Option{Value: field, Name: heading(c.Locale, field)})
	}
	return options
}

// datesInput returns the question in which order dates such as 3/4/2026 are written.
func (c *call) datesInput(m lost.Import, values url.Values) frame.Input {
	in := frame.Input{
		Name: "dates", Label: c.Say("bulk.columns.dates"), Type: "list", Value: string(m.Mapping.Dates),
		Hint: c.Say("bulk.columns.dates.hint"),
		Options: []frame.Option{
			{Value: "", Name: c.Say("bulk.columns.dates.none")},
			{Value: string(lost.DayFirst), Name: c.Say("bulk.columns.dates.day")},
			{Value: string(lost.MonthFirst), Name: c.Say("bulk.columns.dates.month")},
		},
	}
	if values != nil {
		in.Value = values.Get("dates")
	}
	return in
}

// mapColumns saves what the columns of a file contain, and shows the preview.
func (c *call) mapColumns() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	location, id := c.importLocation(), c.Request.PathValue("import")
	m, err := c.Services.Imports.Get(c.Context(), c.Actor(), location, id)
	if err != nil {
		return err
	}
	choice := desk.ColumnChoice{Fields: make([]string, len(m.Mapping.Headings)), Location: values.Get("location")}
	for n := range choice.Fields {
		choice.Fields[n] = values.Get(desk.ColumnName(n))
	}
	if order := lost.DateOrder(values.Get("dates")); order == lost.DayFirst || order == lost.MonthFirst {
		choice.Dates = order
	}
	_, err = c.Services.Imports.MapColumns(c.Context(), c.Actor(), location, id, choice)
	if lost.CodeOf(err) == lost.Invalid {
		return c.askColumns(respond.RecordError(c.Writer, err), m, values, err)
	}
	return c.changeImport(m, err)
}
