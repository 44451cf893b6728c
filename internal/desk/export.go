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

// Export writes a location's items as CSV, oldest first. If location is empty, it writes those of all locations that
// the actor can see, one location after the other, with a column for their locations. It applies the filter f but
// ignores its page. If the filter searches, it writes all that a list of it contains, in the same order. Nothing is
// written if the actor lacks permission or the location does not exist. Items that are created during the export are
// not included.
func (s *Imports) Export(ctx context.Context, a lost.Actor, location string, f lost.ItemFilter, layout Layout,
	w io.Writer) error {
	visible, err := viewableLocations(a, location)
	if err != nil {
		return err
	}
	exported, err := s.exportedLocations(ctx, a, location)
	if err != nil {
		return err
	}
	if err := s.auditExports(ctx, a, exported); err != nil {
		return err
	}
	if location == "" {
		if layout.locations, err = s.locationNames(ctx, a.Account); err != nil {
			return err
		}
	}
	if err := resolveFilter(ctx, s.db, s.finds, a.Account, visible, &f); err != nil {
		return err
	}
	if f.Searches() {
		return s.exportFound(ctx, a, visible, f, layout, w)
	}
	return s.exportAll(ctx, a.Account, exported, f, layout, w)
}

// exportAll writes the items of locations that match a filter.
func (s *Imports) exportAll(ctx context.Context, account string, locations []lost.LocationName, f lost.ItemFilter,
	layout Layout, w io.Writer) (err error) {
	ends := make([]int64, len(locations))
	for n, l := range locations {
		if ends[n], err = s.db.LastItemNumber(ctx, account, l.ID); err != nil {
			return err
		}
	}
	// The response has begun, so an error would cut off the file. From here on, the export waits
	// while the database is busy.
	ctx = store.BatchContext(ctx, nil)
	out, err := s.newSheet(w, layout)
	if err != nil {
		return err
	}
	for n, l := range locations {
		if err := s.exportLocation(ctx, account, l.ID, f, ends[n], out); err != nil {
			return err
		}
	}
	return out.Flush()
}

// exportLocation writes the items of a location that match a filter, up to a number.
func (s *Imports) exportLocation(ctx context.Context, account, location string, f lost.ItemFilter, until int64,
	out *itemcsv.Writer) error {
	for after := int64(0); ; {
		items, last, err := s.db.ItemBatch(ctx, account, location, f, after, until, exportBatch)
		if err != nil {
			return err
		}
		if err := writeItems(out, items); err != nil || len(items) < exportBatch {
			return err
		}
		after = last
	}
}

// exportedLocations returns the location that is exported or, if it is empty, all that the actor can see, by name.
func (s *Imports) exportedLocations(ctx context.Context, a lost.Actor, location string) ([]lost.LocationName, error) {
	if location == "" {
		return s.db.LocationNames(ctx, a.Account, a.Locations, maxNamedLocations)
	}
	l, err := s.db.Location(ctx, a.Account, location)
	return []lost.LocationName{{ID: l.ID, Name: l.Name}}, err
}

// auditExports records that the items of locations are exported.
func (s *Imports) auditExports(ctx context.Context, a lost.Actor, exported []lost.LocationName) error {
	return s.db.Write(ctx, func(tx *store.Tx) error {
		for _, l := range exported {
			if err := access.Audit(tx, a, lost.Exported, l.ID, l.Name); err != nil {
				return err
			}
		}
		return nil
	})
}

// exportFound writes the items that a search finds at some locations, or at all if they are nil.
func (s *Imports) exportFound(ctx context.Context, a lost.Actor, locations []string, f lost.ItemFilter, layout Layout,
	w io.Writer) error {
	f.Page = lost.Page{Number: 1, Limit: lost.MaxSelected} // a search finds no more
	found, err := s.search.List(ctx, a.Account, locations, f)
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
		if layout.locations, err = s.locationNames(ctx, a.Account); err != nil {
			return err
		}
	}
	return s.writeChosen(items, layout, w)
}

// maxNamedLocations is the maximum number of locations in an export or import of all locations.
const maxNamedLocations = 10_000

// locationNames returns what an export writes for each location of the account, by id: its name or, if several
// locations have the name, its id. An import finds the location by either.
func (s *Imports) locationNames(ctx context.Context, account string) (map[string]string, error) {
	all, err := s.db.LocationNames(ctx, account, nil, maxNamedLocations)
	uses, names := map[string]int{}, map[string]string{}
	for _, l := range all {
		uses[l.Name]++
	}
	for _, l := range all {
		names[l.ID] = l.Name
		if uses[l.Name] > 1 {
			names[l.ID] = l.ID
		}
	}
	return names, err
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
	for _, i := range items {
		if err := out.Write(i); err != nil {
			return err
		}
	}
	return out.Flush()
}
