package reports

import "strconv"

// Charts are drawn as SVG shapes that the page stretches. Text is placed outside the SVG, so that it keeps its size.
// Each chart has a table with its data.

// chart is a chart with a summary and a table.
type chart struct {
	ID, Title, Summary string
	Columns            []column
	Labels             []string // the labels below the columns
	Top                string   // the number at the top of the scale
	Strips             []strip
	Key                []legendLine
	Table              table
}

// legendLine is a line of the legend, which explains a shade.
type legendLine struct{ Shade, Name string }

// column is the bar of one month. Its pieces lie on each other.
type column struct {
	Pieces []piece
	Title  string
}

// piece is a piece of a column.
type piece struct {
	Shade               string
	X, Y, Width, Height int
}

// strip is one bar of a horizontal bar chart.
type strip struct {
	Name, Value  string
	Width, Inner string // as a percentage of the chart's width
	Shade        string
}

// table contains the data of a chart.
type table struct {
	Head []string
	Rows [][]cell
	Foot []cell
}

// cell is a value in a table. It may lead to the list of what it counts.
type cell struct{ Text, Href string }

// The coordinates of a column chart. Each column is a hundred units wide.
const (
	columnWidth = 100
	chartHeight = 400
)

// drawColumn draws the column with the number n, from the bottom: items that were returned, left otherwise, or are
// open. top is the number at the top of the scale.
func drawColumn(n, top int, title string, returned, other, open int) column {
	const gap = 20
	c, below := column{Title: title}, 0
	for _, p := range []struct {
		shade string
		items int
	}{{"returned", returned}, {"found", other}, {"open", open}} {
		from, to := below*chartHeight/top, (below+p.items)*chartHeight/top
		below += p.items
		if p.items > 0 {
			c.Pieces = append(c.Pieces, piece{
				Shade: p.shade, X: n*columnWidth + gap/2, Width: columnWidth - gap,
				Y: chartHeight - to, Height: to - from,
			})
		}
	}
	return c
}

// roundUp rounds up to 1, 2 or 5 times a power of ten.
func roundUp(n int) int {
	for step := 1; ; step *= 10 {
		for _, by := range []int{1, 2, 5} {
			if by*step >= n {
				return by * step
			}
		}
	}
}

// ViewBox returns the SVG view box of the columns.
func (c chart) ViewBox() string {
	return "0 0 " + strconv.Itoa(len(c.Columns)*columnWidth) + " " + strconv.Itoa(chartHeight)
}

// share returns part as a percentage of whole, for the width of a bar. A part above zero is at least wide enough to
// be visible.
func share(part, whole int) string {
	if part == 0 || whole == 0 {
		return "0"
	}
	return strconv.FormatFloat(max(0.5, 100*float64(part)/float64(whole)), 'f', 1, 64) + "%"
}
