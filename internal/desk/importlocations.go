package desk

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"homeward/internal/access"
	"homeward/internal/itemcsv"
	"homeward/internal/lost"
)

// LocationColumn is the column with the name of an item's location.
const LocationColumn = itemcsv.LocationColumn

// mayImport returns an error if the actor may not import items into a location or, if it is empty, into any. what is
// the word for the record that would not be found.
func mayImport(a lost.Actor, location, what string) error {
	if location == "" {
		return mayHandle(a, "")
	}
	return access.May(a, lost.HandleItems, location, what)
}

// mayOpenImport returns a not-found error if the actor may not see an import. One into all locations can be seen by
// who uploaded it and by those who can access all locations of the account. Nobody sees rows of a location that they
// cannot access.
func mayOpenImport(a lost.Actor, m lost.Import) error {
	if m.LocationID != "" || a.Locations == nil {
		return access.CheckAccess(a, m.LocationID, "import")
	}
	foreign := func(id string) bool { return !a.CanAccess(id) }
	if m.By.Kind != a.Kind || m.By.ID != a.ID || slices.ContainsFunc(m.Locations, foreign) {
		return lost.Missing("import")
	}
	return nil
}

// importTarget finds the location of each row of a file.
type importTarget struct {
	all    bool
	usual  string                   // id of the location of rows that name none; may be empty
	names  map[string][]string      // ids of the locations that the actor can access, by id, name and folded name
	loaded map[string]lost.Location // the locations of rows so far
	used   map[string]bool          // ids of the locations of valid rows
	load   func(id string) (lost.Location, error)
}

// importTarget returns the target of an import into a location. If it is empty, the rows name their locations, and
// those that name none belong to the location with the id usual.
func (s *Imports) importTarget(ctx context.Context, a lost.Actor, location, usual string) (*importTarget, error) {
	t := &importTarget{
		all: location == "", usual: usual, names: map[string][]string{}, loaded: map[string]lost.Location{},
		used: map[string]bool{},
		load: func(id string) (lost.Location, error) { return s.db.Location(ctx, a.Account, id) },
	}
	if !t.all {
		t.usual = location
		_, err := t.location(location)
		return t, err
	}
	known, err := s.db.LocationNames(ctx, a.Account, a.Locations, maxNamedLocations)
	for _, l := range known {
		for _, name := range []string{l.ID, l.Name, foldedName(l.Name)} {
			if !slices.Contains(t.names[name], l.ID) {
				t.names[name] = append(t.names[name], l.ID)
			}
		}
	}
	if err == nil && usual != "" && !slices.Contains(t.names[usual], usual) {
		var p lost.Problems
		p.Add("location", "not-allowed", "is not one of your locations; choose another")
		err = p.Err()
	}
	return t, err
}

// foldedName returns a name for comparison without case and double spaces. The line break keeps it apart from names.
func foldedName(name string) string {
	return "\n" + strings.ToLower(strings.Join(strings.Fields(name), " "))
}

// ids returns the ids of the locations that a text can mean.
func (t *importTarget) ids(text string) []string {
	if exact := t.names[text]; len(exact) > 0 {
		return exact
	}
	return t.names[foldedName(text)]
}

// maxSuggestedIDs is the maximum number of ids that a message offers instead of a name that several locations have.
const maxSuggestedIDs = 5

// find returns the location of a row, or an error that says what is wrong with its cell.
func (t *importTarget) find(row itemcsv.Row) (lost.Location, error) {
	text := row.Cells[LocationColumn]
	if !t.all || text == "" && t.usual != "" {
		return t.location(t.usual)
	}
	var p lost.Problems
	found := t.ids(text)
	switch {
	case text == "":
		p.Add(LocationColumn, "no-location",
			"is missing: write a location into the row, or choose one for the rows without a location")
	case len(found) == 0:
		p.Add(LocationColumn, "unknown-location",
			"is not a location where you can record items; write the name or ID of one of your locations")
	case len(found) > 1:
		offered := found[:min(len(found), maxSuggestedIDs)]
		p.Add(LocationColumn, "ambiguous-location", "is the name of several locations; write the ID of one of them: %s",
			`"`+strings.Join(offered, `", "`)+`"`)
	default:
		return t.location(found[0])
	}
	return lost.Location{}, p.Err()
}

func (t *importTarget) location(id string) (l lost.Location, err error) {
	l, known := t.loaded[id]
	if known {
		return l, nil
	}
	if l, err = t.load(id); err == nil {
		t.loaded[id] = l
	}
	return l, err
}

// zone returns the time zone in which the rows were written.
func (t *importTarget) zone() *time.Location {
	if t.all {
		return time.UTC
	}
	return t.loaded[t.usual].Zone()
}

// close sets the locations of the valid rows of an import.
func (t *importTarget) close(m *lost.Import) {
	m.Locations = nil
	if t.all {
		m.Locations = slices.Sorted(maps.Keys(t.used))
	}
}

// locationsOf returns the locations of an import's rows by id.
func locationsOf(m lost.Import, rows []itemcsv.Row, load func(id string) (lost.Location, error)) (
	found map[string]lost.Location, err error) {
	found = map[string]lost.Location{}
	for _, row := range rows {
		id := locationOf(m, row)
		if _, known := found[id]; known {
			continue
		}
		if found[id], err = load(id); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// locationOf returns the id of the location of an import's row.
func locationOf(m lost.Import, row itemcsv.Row) string { return cmp.Or(m.LocationID, row.Location) }

// locationCells finds out whether the column of a file that seems to have locations really does.
type locationCells struct {
	target        *importTarget
	filled, known bool
}

// add considers the location in a row that is not mapped.
func (c *locationCells) add(row itemcsv.Row, fields []string) {
	if !c.target.all || c.known {
		return
	}
	text := itemcsv.CellOf(row, fields, LocationColumn)
	c.filled = c.filled || text != ""
	c.known = len(c.target.ids(text)) > 0
}

// certain reports whether it is clear to which locations the rows belong.
func (c *locationCells) certain(m lost.ImportMapping) bool {
	switch {
	case !c.target.all:
		return true
	case c.filled:
		return c.known
	default:
		return m.Location != ""
	}
}
