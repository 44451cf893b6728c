package desk

import (
	"cmp"
	"context"
	"strings"

	"homeward/internal/access"
	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// Counts manages stock takes (counts), which compare the items on the shelves with the records.
type Counts struct {
	db      *store.DB
	change  *change.Items
	storage *Storage
	printer TagPrinter
}

// CountsOptions are the dependencies of Counts.
type CountsOptions struct {
	DB      *store.DB
	Change  *change.Items
	Storage *Storage
	Printer TagPrinter
}

// NewCounts creates Counts.
func NewCounts(o CountsOptions) *Counts {
	return &Counts{
		db: o.DB, change: o.Change, storage: o.Storage, printer: o.Printer,
	}
}

// Begin starts a count of a storage place or a whole location. If there is already an open count of the same place,
// Begin returns that count, so that several people can take part.
func (s *Counts) Begin(ctx context.Context, a lost.Actor, location, place string,
	whole bool) (c lost.StockTake, err error) {
	if err := access.May(a, lost.HandleItems, location, "location"); err != nil {
		return c, err
	}
	if place, err = lost.ParsePlace(place); err != nil {
		return c, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		l, err := tx.Location(ctx, a.Account, location)
		if err != nil {
			return err
		}
		c = lost.NewStockTake(a, l, place, whole, tx.Now())
		open, is, err := tx.OpenStockTake(ctx, a.Account, location, c.Place, whole)
		if err != nil || is {
			c = open
			return err
		}
		if err := tx.InsertStockTake(c); err != nil {
			return err
		}
		return expectItems(tx, c, l)
	})
	if err == nil {
		c.Totals, err = s.db.StockTakeTotals(ctx, a.Account, c.ID)
	}
	return c, err
}

// expectItems saves the list of items that a new count should find, and deletes old counts.
func expectItems(tx *store.Tx, c lost.StockTake, l lost.Location) error {
	const maxDeleted = 10
	n, err := tx.AddExpectedItems(c, namesOf(c.Place, l.StoragePlace), lost.MaxExpected)
	switch {
	case err != nil:
		return err
	case n > lost.MaxExpected && c.Whole:
		return lost.E(lost.Conflict, "This location holds more than %d items. Count it place by place.",
			lost.MaxExpected)
	case n > lost.MaxExpected:
		return lost.E(lost.Conflict,
			"There are more than %d items at this place. Move some of them to other places first.", lost.MaxExpected)
	}
	_, err = tx.DeleteOldStockTakes(c.Account, c.LocationID, lost.MaxCounts, maxDeleted)
	return err
}

// Get returns a count with its totals.
func (s *Counts) Get(ctx context.Context, a lost.Actor, location, id string) (lost.StockTake, error) {
	if err := access.MayView(a, location, "count"); err != nil {
		return lost.StockTake{}, err
	}
	c, err := s.db.StockTake(ctx, a.Account, location, id)
	if err == nil && c.Open() {
		c.Totals, err = s.db.StockTakeTotals(ctx, a.Account, id)
	}
	return c, err
}

// List lists a location's counts, newest first. Open counts are returned without totals.
func (s *Counts) List(ctx context.Context, a lost.Actor, location string,
	page lost.Page) (lost.List[lost.StockTake], error) {
	if err := access.MayView(a, location, "location"); err != nil {
		return lost.List[lost.StockTake]{}, err
	}
	return s.db.StockTakes(ctx, a.Account, location, page)
}

// ListOpen lists the newest open counts of a location, without totals.
func (s *Counts) ListOpen(ctx context.Context, a lost.Actor, location string) ([]lost.StockTake, error) {
	if err := access.MayView(a, location, "location"); err != nil {
		return nil, err
	}
	return s.db.OpenStockTakes(ctx, a.Account, location, lost.MaxLimit)
}

// Lines lists those lines of a count that have one of the given findings.
func (s *Counts) Lines(ctx context.Context, a lost.Actor, location, id string, of []lost.Finding,
	page lost.Page) (lost.List[lost.StockTakeLine], error) {
	if err := access.MayView(a, location, "count"); err != nil {
		return lost.List[lost.StockTakeLine]{}, err
	}
	if _, err := s.db.StockTake(ctx, a.Account, location, id); err != nil {
		return lost.List[lost.StockTakeLine]{}, err
	}
	return s.db.StockTakeLines(ctx, a.Account, id, of, page)
}

// RecordScan records that the item with the scanned tag is at the counted place. again is true if the item was
// already recorded in this count.
func (s *Counts) RecordScan(ctx context.Context, a lost.Actor,
	location, id, text string) (line lost.StockTakeLine, again bool, err error) {
	if err := access.May(a, lost.HandleItems, location, "count"); err != nil {
		return line, false, err
	}
	scanned, err := s.storage.Scan(ctx, a, text)
	switch {
	case err != nil:
		return line, false, err
	case scanned.Item.ID == "":
		return line, false, lost.E(lost.Conflict, "That is the tag of a place. Scan an item.")
	case scanned.Item.Source == lost.Request:
		return line, false,
			lost.E(lost.Conflict, "%s is a request, not an item in storage.", scanned.Item.Reference)
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		c, err := lockOpen(tx, a, location, id)
		if err != nil {
			return err
		}
		line, again, err = recordSeen(tx, c, a, scanned.Item)
		return err
	})
	return line, again, err
}

// lockOpen locks and returns a count. It returns an error if the count is closed.
func lockOpen(tx *store.Tx, a lost.Actor, location, id string) (lost.StockTake, error) {
	c, err := tx.LockStockTake(a.Account, location, id)
	if err == nil && !c.Open() {
		err = lost.E(lost.Conflict, "%s has closed this count. Start a new one.", cmp.Or(c.ClosedBy, "Somebody"))
	}
	return c, err
}

func recordSeen(tx *store.Tx, c lost.StockTake, a lost.Actor, i lost.Item) (lost.StockTakeLine, bool, error) {
	line, listed, err := tx.StockTakeLine(tx.Context(), c.Account, c.ID, i.ID)
	if err != nil || listed && !line.SeenAt.IsZero() {
		return line, true, err
	}
	if !listed {
		tally, err := tx.StockTakeTotals(tx.Context(), c.Account, c.ID)
		if err != nil {
			return line, false, err
		}
		if tally.Unexpected() >= lost.MaxUnexpected {
			return line, false,
				lost.E(lost.Conflict,
					"This count has %d unexpected items, which is the maximum. Close it and start a new one.",
					lost.MaxUnexpected)
		}
	}
	line.ItemID, line.Reference, line.LocationID = i.ID, i.Reference, i.LocationID
	line.Description, line.KeptAt, line.Held = i.Description, i.StoredAt(), i.Held()
	line.Finding, line.SeenAt, line.SeenBy = c.FindingFor(i), tx.Now(), a.Name
	return line, false, tx.SaveStockTakeLine(c.Account, c.ID, line)
}

// CorrectPlace sets the storage place of an item to the place where a count found it.
func (s *Counts) CorrectPlace(ctx context.Context, a lost.Actor, location, id, item string) (lost.Item, error) {
	if err := access.May(a, lost.HandleItems, location, "count"); err != nil {
		return lost.Item{}, err
	}
	return s.change.Item(ctx, a, location, item, func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
		c, err := lockOpen(tx, a, location, id)
		if err != nil {
			return entry, err
		}
		line, listed, err := tx.StockTakeLine(ctx, a.Account, id, item)
		switch {
		case err != nil:
			return entry, err
		case !listed || line.Finding != lost.Elsewhere || c.Whole:
			return entry,
				lost.E(lost.Conflict, "This count did not find %s at the wrong place, so there is nothing to correct.",
					i.Reference)
		}
		entry = lost.NewEntry(a, lost.Updated, tx.Now())
		if entry.Fields, err = i.Update(lost.ItemPatch{StoragePlace: lost.Set(c.Place)}, tx.Now()); err != nil {
			return entry, err
		}
		line.Finding = lost.Corrected
		return entry, tx.SaveStockTakeLine(a.Account, id, line)
	})
}

// Close ends a count. Expected items that were not scanned are recorded as missing, unless they were moved or handed
// over in the meantime.
func (s *Counts) Close(ctx context.Context, a lost.Actor, location, id string) (c lost.StockTake, err error) {
	if err := access.May(a, lost.HandleItems, location, "count"); err != nil {
		return c, err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		if c, err = lockOpen(tx, a, location, id); err != nil {
			return err
		}
		awaited, err := tx.StockTakeLines(ctx, a.Account, id, []lost.Finding{lost.Awaited},
			lost.Page{Number: 1, Limit: lost.MaxExpected})
		if err != nil {
			return err
		}
		var left []string
		for _, line := range awaited.Data {
			if c.FindingIfUnseen(line) == lost.Left {
				left = append(left, line.ItemID)
			}
		}
		if err := tx.CloseStockTakeLines(a.Account, id, left); err != nil {
			return err
		}
		c.ClosedBy, c.ClosedAt = a.Name, tx.Now()
		if c.Totals, err = tx.StockTakeTotals(ctx, a.Account, id); err != nil {
			return err
		}
		return tx.CloseStockTake(c)
	})
	return c, err
}

// Delete deletes an open count that was started by mistake. Closed counts cannot be deleted.
func (s *Counts) Delete(ctx context.Context, a lost.Actor, location, id string) error {
	if err := access.May(a, lost.HandleItems, location, "count"); err != nil {
		return err
	}
	return s.db.Write(ctx, func(tx *store.Tx) error {
		if _, err := lockOpen(tx, a, location, id); err != nil {
			return err
		}
		return tx.DeleteStockTake(a.Account, id)
	})
}

// Report returns a PDF with the result of a count.
func (s *Counts) Report(ctx context.Context, a lost.Actor, location, id string) ([]byte, error) {
	c, err := s.Get(ctx, a, location, id)
	if err != nil {
		return nil, err
	}
	l, err := s.db.Location(ctx, a.Account, location)
	if err != nil {
		return nil, err
	}
	findings := []lost.Finding{lost.Absent, lost.Awaited, lost.Elsewhere, lost.Corrected, lost.NotInStock}
	lines, err := s.db.StockTakeLines(ctx, a.Account, id, findings,
		lost.Page{Number: 1, Limit: lost.MaxExpected + lost.MaxUnexpected})
	if err != nil {
		return nil, err
	}
	for n := range lines.Data {
		lines.Data[n].Description = strings.TrimSpace(lost.Shorten(lines.Data[n].Description, 80))
	}
	return s.printer.PrintStockTake(lost.StockTakeReport{Count: c, Location: l, Lines: lines.Data})
}
