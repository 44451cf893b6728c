package pdf

import (
	"fmt"
	"time"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// PrintStockTake returns the result of a stock take as a PDF: the totals, and a list of items that were not in their
// place, with boxes to tick. The same result always produces the same bytes. The PDF is for the desk, in the
// dashboard's language.
func (p *Printer) PrintStockTake(r lost.StockTakeReport) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := r.Count.ClosedAt
	if at.IsZero() {
		at = r.Count.CreatedAt
	}
	return printed(officeFormat(r.Location.Country), at, "Stock-take", func(s *page) {
		y := countHead(s, r)
		for _, part := range countParts() {
			y = part.print(s, y, r)
		}
	})
}

// countPart is a section of the list.
type countPart struct {
	title    string
	findings []lost.Finding
}

func countParts() []countPart {
	return []countPart{
		{"Missing", []lost.Finding{lost.Absent, lost.Awaited}},
		{"Found here, expected elsewhere", []lost.Finding{lost.Elsewhere, lost.Corrected}},
		{"Found here, recorded as gone", []lost.Finding{lost.NotInStock}},
	}
}

// countHead prints the place, the people and the totals of a stock take, and returns the y position below them.
func countHead(s *page, r lost.StockTakeReport) float64 {
	c, width := r.Count, s.width-2*edge
	what := c.Place
	switch {
	case c.Whole:
		what = "The whole location"
	case what == "":
		what = "Items without a place"
	}
	y := s.block(box{edge, edge, width, 30}, para{text: "Stock-take: " + what, in: bold, size: titleSize},
		para{text: r.Location.Name, in: sans, size: textSize})
	day := func(at time.Time) string {
		zone, err := time.LoadLocation(r.Location.TimeZone)
		if err != nil {
			zone = time.UTC
		}
		return i18n.Choose("en").Date(at.In(zone).Format(lost.DateLayout)) + ", " + at.In(zone).Format(lost.TimeLayout)
	}
	times := "Started " + i18n.Join(" by ", day(c.CreatedAt), c.StartedBy)
	if c.Open() {
		times += ". Not closed yet."
	} else {
		times += ". Closed " + i18n.Join(" by ", day(c.ClosedAt), c.ClosedBy) + "."
	}
	t := c.Totals
	numbers := fmt.Sprintf("Expected %d · found %d · missing %d · expected elsewhere %d · recorded as gone %d · "+
		"removed during the count %d", t.Expected, t.Found, t.Missing, t.Elsewhere, t.Gone, t.Left)
	y = s.block(box{edge, y + 2, width, 24}, para{text: times, in: sans, size: textSize},
		para{text: numbers, in: bold, size: textSize})
	s.rule(edge, y+2, width)
	return y + 6
}

// print prints the lines of a section, on more pages if necessary, and returns the y position below them.
func (p countPart) print(s *page, y float64, r lost.StockTakeReport) float64 {
	const high, side, name = 7.5, 4, 26
	width, titled := s.width-2*edge, false
	room := func(need float64) {
		if y+need > s.height-edge {
			s.next()
			y = edge
		}
	}
	for _, line := range r.Lines {
		if !p.has(line.Finding) {
			continue
		}
		if !titled {
			room(3 * high)
			y = s.block(box{edge, y, width, high}, para{text: p.title, in: bold, size: 12}) + 2
			titled = true
		}
		room(high)
		s.tick(edge, y, side, false)
		s.line(edge+2*side, y+side-0.6, name, para{text: line.Reference, in: mono, size: textSize})
		about := i18n.Join(" · ", line.Description, p.note(line, r))
		s.block(box{edge + 2*side + name + 2, y, width - 2*side - name - 2, high - 0.5},
			para{text: about, in: sans, size: textSize})
		y += high
	}
	if titled {
		y += 4
	}
	return y
}

func (p countPart) has(f lost.Finding) bool {
	for _, of := range p.findings {
		if of == f {
			return true
		}
	}
	return false
}

// note returns the text that says where an item should be.
func (p countPart) note(line lost.StockTakeLine, r lost.StockTakeReport) string {
	switch {
	case line.LocationID == "":
		return "deleted"
	case line.Finding == lost.Corrected:
		return "place corrected"
	case line.LocationID != r.Count.LocationID:
		return "belongs to another location"
	case line.Finding == lost.Elsewhere && line.KeptAt != "":
		return "expected at " + line.KeptAt
	case r.Count.Whole:
		return line.KeptAt
	default:
		return ""
	}
}
