// Package papers prints papers about items, such as the register of finds and lists for the authorities.
package papers

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"homeward/internal/access"
	"homeward/internal/i18n"
	"homeward/internal/itemcsv"
	"homeward/internal/lost"
	"homeward/internal/lost/paper"
	"homeward/internal/lost/report"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

// Papers prints papers and records in the audit log who has printed them.
type Papers struct {
	db      *store.DB
	wire    v1.Encoder
	now     func() time.Time
	printer Printer

	registers chan struct{} // has one element for each register that is printed now
}

// Options are the dependencies of Papers.
type Options struct {
	DB      *store.DB
	Wire    v1.Encoder
	Now     func() time.Time
	Printer Printer
}

// Printer renders papers as PDFs. It is called outside transactions.
type Printer interface {
	// Paper renders a paper. The same paper always produces the same bytes.
	Paper(p paper.Paper) ([]byte, error)
}

// New creates Papers.
func New(o Options) *Papers {
	const atOnce = 2 // a register of 5,000 finds takes seconds, and 100 MB while it is printed
	return &Papers{db: o.DB, wire: o.Wire, now: o.Now, printer: o.Printer, registers: make(chan struct{}, atOnce)}
}

// Register prints the register of a location's finds in a period, sorted by the day on which they were found. It
// returns an error if there are more finds than one PDF can list.
func (s *Papers) Register(ctx context.Context, a lost.Actor, location, from, to string) ([]byte, error) {
	l, period, err := s.begin(ctx, a, location, from, to)
	if err != nil {
		return nil, err
	}
	select {
	case s.registers <- struct{}{}:
		defer func() { <-s.registers }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p := s.paper(paper.Register, a, l)
	p.Period = period
	err = s.each(ctx, l, period, func(items []lost.Item) error {
		p.Items = append(p.Items, items...)
		if len(p.Items) <= paper.MaxRegister {
			return nil
		}
		var wrong lost.Problems
		wrong.Add("to", "too-many-finds", "must be earlier: a PDF lists at most %d finds; choose a shorter period, "+
			"or download the CSV file", paper.MaxRegister)
		return wrong.Err()
	})
	if err != nil {
		return nil, err
	}
	p.Sort()
	if err := s.audit(ctx, a, p); err != nil {
		return nil, err
	}
	return s.printer.Paper(p)
}

// RegisterCSV writes the register of a location's finds in a period as CSV, in the order in which they were recorded.
// Nothing is written if the actor lacks permission or the location does not exist.
func (s *Papers) RegisterCSV(ctx context.Context, a lost.Actor, location, from, to string, w io.Writer) error {
	l, period, err := s.begin(ctx, a, location, from, to)
	if err != nil {
		return err
	}
	p := s.paper(paper.Register, a, l)
	p.Period = period
	if err := s.audit(ctx, a, p); err != nil {
		return err
	}
	if _, err := io.WriteString(w, "\ufeff"); err != nil { // Excel needs it to recognise UTF-8
		return err
	}
	language := i18n.Choose(l.Language)
	out, err := itemcsv.NewTable(w, registerHeadings(language)...)
	if err != nil {
		return err
	}
	// The response has begun, so an error would cut off the file. From here on, the export waits while the database
	// is busy.
	return s.each(store.BatchContext(ctx, nil), l, period, func(items []lost.Item) error {
		for _, i := range items {
			if err := out.Row(registerCells(language, p, i)...); err != nil {
				return err
			}
		}
		return out.Flush()
	})
}

// begin checks the permission and the period of a register.
func (s *Papers) begin(ctx context.Context, a lost.Actor, location, from, to string) (l lost.Location,
	p paper.Period, err error) {
	if err := access.MayView(a, location, "location"); err != nil {
		return l, p, err
	}
	if l, err = s.db.Location(ctx, a.Account, location); err != nil {
		return l, p, err
	}
	p, err = paper.ReadPeriod(from, to)
	return l, p, err
}

// registerBatch is the number of items that a register reads at a time.
const registerBatch = 500

// each calls use with the finds of a period, in the order in which they were recorded, until use returns an error.
func (s *Papers) each(ctx context.Context, l lost.Location, period paper.Period,
	use func([]lost.Item) error) error {
	until, err := s.db.LastItemNumber(ctx, l.Account, l.ID)
	if err != nil {
		return err
	}
	// A find without a day counts on the day on which it was recorded.
	bounds := report.Bounds(period.From, period.To, l.Zone())
	bounds.Locations = []string{l.ID}
	f := lost.ItemFilter{Report: lost.ReportFilter{
		Figure: lost.FigureFound, From: period.From, To: period.To, Bounds: []lost.ReportBounds{bounds},
	}}
	for after := int64(0); ; {
		var items []lost.Item
		if items, after, err = s.db.ItemBatch(ctx, l.Account, l.ID, f, after, until, registerBatch); err != nil {
			return err
		}
		if err := use(items); err != nil || len(items) < registerBatch {
			return err
		}
	}
}

// Selection is what a paper about selected items needs in addition to the items.
type Selection struct {
	Items     []string
	Finders   bool            // a list names the finders
	Destroyed paper.Destroyed // of a certificate of destruction
}

// Print prints a paper about selected items of a location. It returns a conflict if some of them are missing.
func (s *Papers) Print(ctx context.Context, a lost.Actor, location string, kind paper.Kind,
	chosen Selection) ([]byte, error) {
	items, missing, err := s.Items(ctx, a, location, chosen.Items)
	if err != nil {
		return nil, err
	}
	l, err := s.db.Location(ctx, a.Account, location)
	if err != nil {
		return nil, err
	}
	p := s.paper(kind, a, l)
	p.Items, p.Finders = items, chosen.Finders
	if err := checkItems(p); err != nil {
		return nil, err
	}
	if missing > 0 {
		return nil, lost.E(lost.Conflict, "%d of the selected items are missing. Select the others again.", missing)
	}
	if p.Destroyed, err = chosen.Destroyed.Read(); err != nil {
		return nil, err
	}
	p.Sort()
	if err := s.audit(ctx, a, p); err != nil {
		return nil, err
	}
	return s.printer.Paper(p)
}

// checkItems returns an error if the items cannot be on the paper.
func checkItems(p paper.Paper) error {
	var wrong lost.Problems
	switch {
	case !slices.Contains(paper.SelectionKinds(), p.Kind):
		wrong.Add("kind", "not-allowed", "must be one of %s", lost.Quoted(paper.SelectionKinds()))
	case len(p.Items) == 0:
		wrong.Add("item", "required", "is required: select at least one item")
	case slices.ContainsFunc(p.Items, func(i lost.Item) bool { return i.Source == lost.Request }):
		wrong.Add("item", "not-found-item", "must be a found item, not a request")
	case p.Kind == paper.Destruction && slices.ContainsFunc(p.Items, notDestructible):
		wrong.Add("item", "not-destructible", "must be a data carrier, an identity paper or a payment card")
	}
	return wrong.Err()
}

func notDestructible(i lost.Item) bool { return !paper.Destructible(i.Category) }

// Items returns the selected items of a location, in the order of the ids, and the number of those that were deleted or
// are at another location. It returns an error if there are too many.
func (s *Papers) Items(ctx context.Context, a lost.Actor, location string, ids []string) (items []lost.Item,
	missing int, err error) {
	if err := access.MayView(a, location, "location"); err != nil {
		return nil, 0, err
	}
	if len(ids) > paper.MaxItems {
		var wrong lost.Problems
		wrong.Add("item", "too-many", "must be at most %d items", paper.MaxItems)
		return nil, 0, wrong.Err()
	}
	if _, err := s.db.Location(ctx, a.Account, location); err != nil {
		return nil, 0, err
	}
	items, err = s.db.ItemsByID(ctx, a.Account, location, ids)
	return items, len(slices.Compact(slices.Sorted(slices.Values(ids)))) - len(items), err
}

func (s *Papers) paper(kind paper.Kind, a lost.Actor, l lost.Location) paper.Paper {
	return paper.Paper{Kind: kind, Location: l, By: a.Name, At: s.now(), Base: s.wire.Base}
}

// audit records that somebody has printed a paper with personal data.
func (s *Papers) audit(ctx context.Context, a lost.Actor, p paper.Paper) error {
	if !p.Kind.Personal() {
		return nil
	}
	note := string(p.Kind)
	if p.Kind == paper.Register {
		note += " " + p.Period.From + " to " + p.Period.To
	} else {
		note += fmt.Sprintf(", items: %d", len(p.Items))
	}
	return s.db.Write(ctx, func(tx *store.Tx) error {
		return access.Audit(tx, a, lost.PaperPrinted, p.Location.ID, note)
	})
}
