package pdf

import (
	"strconv"
	"strings"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/lost/paper"
)

// Paper prints a paper about items as a PDF in the location's language. The same paper always
// produces the same bytes.
func (p *Printer) Paper(of paper.Paper) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := i18n.Choose(of.Location.Language)
	if of.Kind == paper.Safe {
		return printed(a6Landscape, of.At, "safe", safeLabels{of, l}.fill)
	}
	signed, err := onWhite(of.Handover.Signature)
	if err != nil {
		return nil, err
	}
	size := officeFormat(of.Location.Country)
	if of.Kind == paper.Register || of.Kind == paper.List {
		size = format{size.name, size.height, size.width}
	}
	d := itemsPaper{Paper: of, l: l, signature: signed}
	list := d.table()
	return printed(size, of.At, string(of.Kind), func(s *page) {
		list.columns = fitColumns(list.columns, s.width-2*list.margin)
		list.fill(s)
	})
}

// fitColumns changes the widths of columns, so that together they have the given width.
func fitColumns(columns []column, width float64) []column {
	sum := 0.0
	for _, c := range columns {
		sum += c.width
	}
	out := make([]column, len(columns))
	for n, c := range columns {
		c.width *= width / sum
		out[n] = c
	}
	return out
}

// itemsPaper is a paper that lists items in a table.
type itemsPaper struct {
	paper.Paper
	l         *i18n.Language
	signature []byte // a PNG on a white background
}

// table returns the list to draw.
func (d itemsPaper) table() sheet {
	t := sheet{
		l: d.l, title: d.l.Say("paper.items." + string(d.Kind)), about: d.subtitle(), margin: 14, foot: d.pageTotal,
	}
	if d.Kind == paper.Protocol {
		t.title = d.protocolTitle()
	}
	fields := d.fields()
	for _, f := range fields {
		t.columns = append(t.columns, column{title: f.title, width: f.width, right: f.right})
	}
	for n, i := range d.Items {
		cells := make([]cell, len(fields))
		for m, f := range fields {
			cells[m] = f.cell(n, i)
		}
		t.rows = append(t.rows, cells)
	}
	switch d.Kind {
	case paper.List:
		t.closing, t.high = d.drawListSignatures, signHigh
	case paper.Protocol:
		t.closing, t.high = d.drawProtocolSignatures, protocolHigh
	case paper.Destruction:
		t.closing, t.high = d.drawDestructionSignatures, destructionHigh
	}
	return t
}

// subtitle returns the texts below the title: the location, and what the list is about.
func (d itemsPaper) subtitle() []para {
	address := strings.Join(addressOf(d.l, d.Location), ", ")
	paras := []para{
		{text: d.Location.Name, in: bold, size: textSize},
		{text: address, in: sans, size: noteSize},
	}
	if d.Kind == paper.Register {
		paras = append(paras, para{
			text: d.l.Say("paper.items.period", "from", d.l.Date(d.Period.From), "to", d.l.Date(d.Period.To)),
			in:   sans, size: textSize,
		})
	}
	made := i18n.Join(" · ", moment(d.l, d.Location, d.At), d.By, d.countText(d.Items))
	return append(paras, para{text: made, in: sans, size: noteSize})
}

// countText returns the number of items and the sum of their values.
func (d itemsPaper) countText(items []lost.Item) string {
	texts := []string{d.l.Say("paper.pick.count", "count", d.l.Number(len(items)))}
	if d.Kind == paper.Register || d.Kind == paper.Auction || d.Kind == paper.List {
		for _, sum := range paper.Total(items) {
			texts = append(texts, d.l.Money(sum.Amount, sum.Currency))
		}
	}
	return strings.Join(texts, " · ")
}

// pageTotal returns the totals of a page.
func (d itemsPaper) pageTotal(from, to int) string {
	return d.l.Say("paper.items.page-total", "total", d.countText(d.Items[from:to]))
}

// field is a column of a list, and how it gets the cells.
type field struct {
	column
	cell func(n int, i lost.Item) cell
}

// fields returns the columns of the list. Widths are relative to each other.
func (d itemsPaper) fields() []field {
	switch d.Kind {
	case paper.Register:
		return []field{
			d.numberField(), d.referenceField(21), d.foundField(42), d.itemField(74), d.serialField(30),
			d.valueField(24), d.finderField(38), d.storedField(30), d.outcomeField(34),
		}
	case paper.List:
		fields := []field{
			d.numberField(), d.referenceField(21), d.foundField(45), d.itemField(86), d.serialField(38),
			d.valueField(24),
		}
		if d.Finders {
			fields = append(fields, d.finderField(44))
		}
		return fields
	case paper.Auction:
		return []field{
			d.lotField(12), d.referenceField(27), d.itemField(84), d.valueField(26),
			d.emptyField("paper.items.price", 26), d.emptyField("paper.items.buyer", 30),
		}
	case paper.Protocol:
		return []field{
			d.numberField(), d.referenceField(27), d.itemField(72), d.serialField(32), d.foundField(42),
		}
	default:
		return []field{
			d.numberField(), d.referenceField(27), d.categoryField(32), d.itemField(72), d.serialField(42),
		}
	}
}

func (d itemsPaper) newColumn(key string, width float64) column {
	return column{title: d.l.Say(key), width: width}
}

func (d itemsPaper) numberField() field {
	const width = 9
	return field{d.newColumn("paper.items.number", width), func(n int, _ lost.Item) cell {
		return textCell(strconv.Itoa(n + 1))
	}}
}

func (d itemsPaper) lotField(width float64) field {
	return field{d.newColumn("paper.items.lot", width), func(n int, _ lost.Item) cell {
		return cell{{text: strconv.Itoa(n + 1), in: bold, size: 12}}
	}}
}

func (d itemsPaper) referenceField(width float64) field {
	return field{d.newColumn("paper.reference", width), func(_ int, i lost.Item) cell {
		return cell{{text: i.Reference, in: mono, size: tableSize}}
	}}
}

func (d itemsPaper) foundField(width float64) field {
	return field{d.newColumn("paper.receipt.found", width), func(_ int, i lost.Item) cell {
		return textCell(d.l.ShortDateYear(paper.Day(i)), lost.Shorten(i.DiscoveryPlace, maxCell))
	}}
}

// maxCell is the longest text in a cell, in characters, and maxItem is the longest description.
const (
	maxCell = 120
	maxItem = 400
)

func (d itemsPaper) itemField(width float64) field {
	return field{d.newColumn("paper.slip.item", width), func(_ int, i lost.Item) cell {
		category := ""
		if i.Category != "" && d.Kind != paper.Destruction {
			category = d.l.Say("common.category." + string(i.Category))
		}
		about := i18n.Join(" · ", category, i18n.Join(" ", i.Brand, i.Model), i.Color)
		return textCell(lost.Shorten(i.Description, maxItem), lost.Shorten(about, maxCell))
	}}
}

func (d itemsPaper) categoryField(width float64) field {
	return field{d.newColumn("paper.items.category", width), func(_ int, i lost.Item) cell {
		if i.Category == "" {
			return textCell("—")
		}
		return textCell(d.l.Say("common.category." + string(i.Category)))
	}}
}

func (d itemsPaper) serialField(width float64) field {
	return field{d.newColumn("paper.items.serial", width), func(_ int, i lost.Item) cell {
		return textCell(lost.Shorten(d.SerialNumber(i), maxCell))
	}}
}

func (d itemsPaper) valueField(width float64) field {
	column := d.newColumn("paper.items.value", width)
	column.right = true
	return field{column, func(_ int, i lost.Item) cell {
		if !i.Value.Known() {
			return nil
		}
		return textCell(d.l.Money(i.Value.Amount, i.Value.Currency))
	}}
}

func (d itemsPaper) finderField(width float64) field {
	return field{d.newColumn("paper.items.finder", width), func(_ int, i lost.Item) cell {
		claims := ""
		if i.Finder.ClaimsItem {
			claims = d.l.Say("paper.items.claims")
		}
		return textCell(lost.Shorten(i.Finder.Name, maxCell), i.Finder.Email, i.Finder.Phone, claims)
	}}
}

func (d itemsPaper) storedField(width float64) field {
	return field{d.newColumn("paper.pick.place", width), func(_ int, i lost.Item) cell {
		until := ""
		if day := i.StoreUntil(); day != "" {
			until = d.l.Say("paper.items.until", "date", d.l.ShortDateYear(day))
		}
		return textCell(lost.Shorten(i.StoredAt(), maxCell), until)
	}}
}

// outcomeField is the column that says what happened to an item, and when.
func (d itemsPaper) outcomeField(width float64) field {
	return field{d.newColumn("paper.items.outcome", width), func(_ int, i lost.Item) cell {
		day := ""
		if ended := paper.Ended(i); ended != "" {
			day = d.l.ShortDateYear(ended)
		}
		return textCell(d.l.Say(paper.OutcomeKey(i)), day, lost.Shorten(i.Handover.Name, maxCell))
	}}
}

func (d itemsPaper) emptyField(key string, width float64) field {
	return field{d.newColumn(key, width), func(int, lost.Item) cell {
		return cell{{text: " ", in: sans, size: 14}}
	}}
}

// protocolTitle returns the title of a hand-over protocol, with the destination if it is known.
func (d itemsPaper) protocolTitle() string {
	title := d.l.Say("paper.items.protocol")
	if d.Handover.To == "" {
		return title
	}
	return i18n.Join(" · ", title, d.l.Say("paper.items.outcome."+string(d.Handover.To)))
}
