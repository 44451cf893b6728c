package reports

import (
	"strconv"
	"strings"
)

// Charts are drawn as SVG shapes that the page stretches. Texts are outside of the SVG, where they keep their size, and
// each chart has a table with its data.

// chart is a chart with a summary and a table.
type chart struct {
	ID, Title, Summary string
	Columns            []column
	Labels             []string // below the columns
	Top                string   // the top of the scale
	Strips             []strip
	Key                []legendLine
	Table              table
}

// legendLine explains a shade.
type legendLine struct{ Shade, Name string }

// column is one month: a wide bar with a narrow one in it.
type column struct {
	X, Width, Y, Height            int // height of the wide one
	InnerX, InnerW, InnerY, InnerH int
	Title                          string
}

// strip is one bar of a horizontal bar chart.
type strip struct {
	Name, Value  string
	Width, Inner string // in percent of the width
	Shade        string
}

// table has the data of a chart.
type table struct {
	Head []string
	Rows [][]string
	Foot []string
}

// The coordinate space of columns. Each column is a hundred units wide.
const (
	columnWidth = 100
	chartHeight = 400
)

// drawColumns draws pairs of numbers, of which the second is a part of the first.
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

// ViewBox is the coordinate space of the columns.
func (c chart) ViewBox() string {
	return "0 0 " + strconv.Itoa(len(c.Columns)*columnWidth) + " " + strconv.Itoa(chartHeight)
}

// share returns a part of a whole in percent, for the width of a bar. A part that is not zero stays visible.
func share(part, whole int) string {
	if part == 0 || whole == 0 {
		return "0"
	}
	return strconv.FormatFloat(max(0.5, 100*float64(part)/float64(whole)), 'f', 1, 64) + "%"
}

// spark is a sparkline.
type spark struct{ Points, ViewBox string }

// drawSpark draws values as a line; nil if there are fewer than two.
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
