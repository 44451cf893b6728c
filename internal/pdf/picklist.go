package pdf

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// PickList returns a list of items to fetch from their storage places, as a PDF in the location's
// language, sorted by place.
func (p *Printer) PickList(list lost.PickList) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	items := slices.Clone(list.Items)
	slices.SortStableFunc(items, func(a, b lost.Item) int {
		return cmp.Or(byPlace(a.StoredAt(), b.StoredAt()), cmp.Compare(a.Reference, b.Reference))
	})
	list.Items = items
	paper := pickList{list, i18n.Choose(list.Location.Language)}
	content, err := produce(officeFormat(list.Location.Country), list.At, "pick list", paper.fill)
	if err != nil {
		return nil, fmt.Errorf("printing a pick list: %w", err)
	}
	return content, nil
}

// byPlace compares storage places in natural order, ignoring case: shelf 2 comes before shelf 10. Items without a
// place come last.
func byPlace(a, b string) int {
	if (a == "") != (b == "") {
		return cmp.Compare(len(b), len(a))
	}
	x, y := placeParts(a), placeParts(b)
	for n := range min(len(x), len(y)) {
		if c := cmp.Or(cmp.Compare(number(x[n]), number(y[n])), cmp.Compare(x[n], y[n])); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(x), len(y))
}

// placeParts splits a name into runs of digits and runs of other characters.
func placeParts(name string) (out []string) {
	digit := func(r rune) bool { return r >= '0' && r <= '9' }
	last := false
	for n, r := range strings.ToLower(name) {
		if n == 0 || digit(r) != last {
			out = append(out, "")
		}
		out[len(out)-1] += string(r)
		last = digit(r)
	}
	return out
}

// number returns a sort key for a run of digits: a number with more digits is larger.
func number(part string) string {
	if part == "" || part[0] < '0' || part[0] > '9' {
		return ""
	}
	part = strings.TrimLeft(part, "0")
	return fmt.Sprintf("%04d", len(part)) + part
}

// pickList is a list to print.
type pickList struct {
	lost.PickList
	l *i18n.Language
}

// Positions of the columns of a pick list, measured from the margin, and heights. All are in millimetres.
const (
	pickPlace     = 9
	pickReference = 60
	pickWhat      = 92
	pickHead      = 40 // the height of the header on the first page
	pickNext      = 12 // the height of the header on other pages
	pickFoot      = 8
	pickLeast     = 9 // the smallest height of a line
	pickMost      = 24
)

// fill draws the list page by page.
func (p pickList) fill(s *page) {
	width, pages := s.width-2*edge, p.pages(s)
	for n, items := range pages {
		y := float64(edge + pickNext)
		if n == 0 {
			p.head(s, width)
			y = edge + pickHead
		} else {
			s.pdf.AddPage()
		}
		y = p.columns(s, y-7, width)
		for _, i := range items {
			y = p.item(s, i, y, width)
		}
		s.line(edge, s.height-edge+2, width,
			para{
				text: p.l.Say("paper.pick.page", "page", fmt.Sprint(n+1), "pages", fmt.Sprint(len(pages))), in: sans,
				size: noteSize, right: true,
			})
	}
}

// pages distributes the items over pages, with as many as fit on each. It returns at least one page.
func (p pickList) pages(s *page) [][]lost.Item {
	pages, room := [][]lost.Item{nil}, s.height-2*edge-pickHead-pickFoot
	for _, i := range p.Items {
		high := p.height(s, i, s.width-2*edge)
		if high > room {
			pages, room = append(pages, nil), s.height-2*edge-pickNext-pickFoot
		}
		pages[len(pages)-1] = append(pages[len(pages)-1], i)
		room -= high
	}
	return pages
}

// head prints the header with the purpose of the list.
func (p pickList) head(s *page, width float64) {
	paras := []para{{text: p.l.Say("paper.pick"), in: bold, size: titleSize}}
	if to := p.destination(); to != "" {
		paras = append(paras, para{text: to, in: bold, size: 12})
	}
	about := i18n.Join(" · ", p.Location.Name, moment(p.l, p.Location, p.At), p.By)
	paras = append(paras, para{text: about, in: sans, size: textSize},
		para{text: p.l.Say("paper.pick.count", "count", fmt.Sprint(len(p.Items))), in: sans, size: textSize})
	s.block(box{edge, edge, width, pickHead - 10}, paras...)
}

// destination returns the text that says where the items will go. It is empty if this is undecided.
func (p pickList) destination() string {
	switch p.Destination {
	case lost.Donated:
		if p.Location.Charity != "" {
			return p.l.Say("paper.pick.donated.to", "charity", p.Location.Charity)
		}
		return p.l.Say("paper.pick.donated")
	case lost.Discarded:
		return p.l.Say("paper.pick.discarded")
	case lost.Police:
		return p.l.Say("paper.pick.police")
	case lost.ToAuthority:
		return p.l.Say("paper.pick.authority")
	case lost.Auctioned:
		return p.l.Say("paper.pick.auctioned")
	case lost.ToFinder:
		return p.l.Say("paper.pick.finder")
	default:
		return ""
	}
}

// columns prints the column titles, and returns the y position below them.
func (p pickList) columns(s *page, y, width float64) float64 {
	const high = 5
	note := func(text string) para { return para{text: text, in: sans, size: noteSize} }
	s.block(box{edge + pickPlace, y, pickReference - pickPlace - 2, high}, note(p.l.Say("paper.pick.place")))
	s.block(box{edge + pickReference, y, pickWhat - pickReference - 2, high}, note(p.l.Say("paper.reference")))
	s.block(box{edge + pickWhat, y, width - pickWhat, high}, note(p.l.Say("paper.slip.item")))
	s.rule(edge, y+high+0.5, width)
	return y + high + 2
}

// maxPicked is the longest printed description, in characters. It only has to identify the item on the shelf.
const maxPicked = 120

func (p pickList) texts(i lost.Item) (place, what para) {
	text := i18n.Join(" · ", lost.Shorten(i.Description, maxPicked), i18n.Join(" ", i.Brand, i.Model), i.Color,
		i.SerialNumber)
	return para{text: cmp.Or(i.StoredAt(), "—"), in: bold, size: 11}, para{text: text, in: sans, size: textSize}
}

// height returns the height of an item's line.
func (p pickList) height(s *page, i lost.Item, width float64) float64 {
	place, what := p.texts(i)
	high := max(totalHeight(s.fit(box{0, 0, pickReference - pickPlace - 2, pickMost}, place)),
		totalHeight(s.fit(box{0, 0, width - pickWhat, pickMost}, what)))
	return max(pickLeast, high+3)
}

// item prints an item's line with a box to tick, and returns the y position below it.
func (p pickList) item(s *page, i lost.Item, y, width float64) float64 {
	const side = 4.5
	place, what := p.texts(i)
	s.tick(edge, y+0.3, side, false)
	s.block(box{edge + pickPlace, y, pickReference - pickPlace - 2, pickMost}, place)
	s.line(edge+pickReference, y+4, pickWhat-pickReference-2, para{text: clean(i.Reference), in: mono, size: 12})
	s.block(box{edge + pickWhat, y, width - pickWhat, pickMost}, what)
	end := y + p.height(s, i, width)
	s.rule(edge, end-1.5, width)
	return end
}
