package reports

import (
	"strconv"
	"strings"
)

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

// column is the bar of one month, with a narrower bar inside it.
type column struct {
	X, Width, Y, Height            int // of the wide bar
	InnerX, InnerW, InnerY, InnerH int
	Title                          string
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
	Rows [][]string
	Foot []string
}

// The coordinates of a column chart. Each column is a hundred units wide.
const (
	columnWidth = 100
	chartHeight = 400
)

// drawColumns draws a column for each pair of numbers. The second number is included in the first. top is the number
// at the top of the scale.
func drawColumns(pairs [][2]int, titles []string) (columns []column, top int) {
	for _, p := range pairs {
		top = max(top, p[0])
	}
	top = roundUp(top)
	const gap, inset = 20, 30
	for n, p := range pairs {
		tall, inner := p[0]*chartHeight/top, p[1]*chartHeight/top
		columns = append(columns, column{
			X: n*columnWidth + gap/2, Width: columnWidth - gap, Y: chartHeight - tall, Height: tall,
			InnerX: n*columnWidth + inset, InnerW: columnWidth - 2*inset, InnerY: chartHeight - inner, InnerH: inner,
			Title: titles[n],
		})
	}
	return columns, top
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

// spark is a sparkline.
type spark struct{ Points, ViewBox string }

// drawSpark draws values as a line. It returns nil if there are fewer than two values.
func drawSpark(values []float64) *spark {
	const step, tall, edge = 10, 40, 3
	if len(values) < 2 {
		return nil
	}
	top := 0.0
	for _, v := range values {
		top = max(top, v)
	}
	points := make([]string, len(values))
	for n, v := range values {
		y := float64(tall - edge)
		if top > 0 {
			y -= v / top * (tall - 2*edge)
		}
		points[n] = strconv.Itoa(n*step) + "," + strconv.FormatFloat(y, 'f', 1, 64)
	}
	return &spark{
		Points:  strings.Join(points, " "),
		ViewBox: "0 0 " + strconv.Itoa((len(values)-1)*step) + " " + strconv.Itoa(tall),
	}
}
