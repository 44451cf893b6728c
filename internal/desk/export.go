package desk

import (
	"context"
	"fmt"
	"io"

	"homeward/internal/access"
	"homeward/internal/itemcsv"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// exportBatch is the number of items that an export reads at a time, so that its memory use stays constant.
const exportBatch = 500

// Layout is how an exported file begins.
type Layout struct {
	Mark     bool     // with the byte order mark that Excel needs to recognise UTF-8
	Headings []string // instead of the names of the columns, if there are any
	Language string   // the language of values such as the status; if empty, they have the API's names

	locations map[string]string // the names of the locations by id, in a file with items of several locations
}

// Export writes a location's items as CSV, oldest first. It applies the filter f but ignores its page. If the filter
// searches, it writes all that a list of it contains, in the same order. Nothing is written if the actor lacks
// permission or the location does not exist. Items that are created during the export are not included.
func (s *Imports) Export(ctx context.Context, a lost.Actor, location string, f lost.ItemFilter, layout Layout,
	w io.Writer) error {
	if err := access.MayView(a, location, "location"); err != nil {
		return err
	}
	l, err := s.db.Location(ctx, a.Account, location)
	if err != nil {
		return err
	}
	if err := access.AuditExport(ctx, s.db, a, l.ID, l.Name); err != nil {
		return err
	}
	if err := resolveReport(ctx, s.db, s.finds, a.Account, []string{l.ID}, &f); err != nil {
		return err
	}
	if f.Searches() {
		return s.exportFound(ctx, a, location, f, layout, w)
	}
	until, err := s.db.LastItemNumber(ctx, a.Account, location)
	if err != nil {
		return err
	}
	// The response has begun, so an error would cut off the file. From here on, the export waits
	// while the database is busy.
	ctx = store.BatchContext(ctx, nil)
	out, err := s.newSheet(w, layout)
	for after := int64(0); err == nil; {
		var items []lost.Item
		if items, after, err = s.db.ItemBatch(ctx, a.Account, location, f, after, until, exportBatch); err != nil {
			return err
		}
		err = writeItems(out, items)
		if len(items) < exportBatch {
			break
		}
	}
	return err
}

// exportFound writes the items that a search finds.
func (s *Imports) exportFound(ctx context.Context, a lost.Actor, location string, f lost.ItemFilter, layout Layout,
	w io.Writer) error {
	f.Page = lost.Page{Number: 1, Limit: lost.MaxSelected} // a search finds no more
	found, err := s.search.List(ctx, a.Account, []string{location}, f)
	if err != nil {
		return err
	}
	return s.writeChosen(found.Data, layout, w)
}

// ExportItems writes items of a location as CSV, in the order of the ids. If location is empty, they may be at any
// location that the actor can see, and the file has a column with the names of their locations. Ids of missing items
// are ignored.
func (s *Imports) ExportItems(ctx context.Context, a lost.Actor, location string, ids []string, layout Layout,
	w io.Writer) error {
	items, err := chosenItems(ctx, s.db, s.reader, a, location, ids)
	if err != nil {
		return err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		for at, here := range byLocation(items) {
			if err := access.Audit(tx, a, lost.Exported, at, fmt.Sprintf("%d items", len(here))); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if location == "" {
		if layout.locations, err = s.locationNames(ctx, a.Account, items); err != nil {
			return err
		}
	}
	return s.writeChosen(items, layout, w)
}

// locationNames returns the names of the items' locations by id.
func (s *Imports) locationNames(ctx context.Context, account string, items []lost.Item) (map[string]string, error) {
	names := map[string]string{}
	for at := range byLocation(items) {
		l, err := s.db.Location(ctx, account, at)
		if err != nil && lost.CodeOf(err) != lost.NotFound { // it may have been deleted meanwhile
			return nil, err
		}
		names[at] = l.Name
	}
	return names, nil
}

// writeChosen writes a file with some items.
func (s *Imports) writeChosen(items []lost.Item, layout Layout, w io.Writer) error {
	out, err := s.newSheet(w, layout)
	if err != nil {
		return err
	}
	return writeItems(out, items)
}

func (s *Imports) newSheet(w io.Writer, layout Layout) (*itemcsv.Writer, error) {
	return itemcsv.NewWriter(w,
		itemcsv.Options{ByteOrderMark: layout.Mark, Headings: layout.Headings, Language: layout.Language,
			Locations: layout.locations, FileURL: s.wire.FileURL})
}

func writeItems(out *itemcsv.Writer, items []lost.Item) error {
	if out == nil {
		return nil
	}
	for _, i := range items {
		if err := out.Write(i); err != nil {
			return err
		}
	}
	return out.Flush()
}
