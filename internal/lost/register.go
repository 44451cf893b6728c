package lost

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Limits of the public register of a location.
const (
	// MaxRegister is the maximum number of finds in a location's public register. The newest are listed.
	MaxRegister = 500
	// RegisterDelay is how many whole days a find is at the desk before the register lists it, so that the desk can
	// first ask an owner whom it knows. New finds appear at midnight, so that the register does not show when they
	// were recorded.
	RegisterDelay = 1

	// MaxPublicAreas is the maximum number of areas that a location can name.
	MaxPublicAreas = 50
	// MaxPublicArea is the maximum length of the name of an area, in characters.
	MaxPublicArea = 60
)

// RegisterEntry is a find in the public register of a location, with all that anybody may know about it. ItemID is for
// the service itself: no page may show it.
type RegisterEntry struct {
	ItemID   string
	Category Category
	Day      string // on which it was found
	Area     string // one of the location's public areas, or empty
}

// PublicCategories lists the categories that public registers show. The others are left out: money, because nothing
// proves whose it is; cards, documents and passports, because they name their owner, whom the desk or the issuer can
// tell; and medical items, because with the place and the day they can reveal somebody's health.
func PublicCategories() []Category {
	hidden := []Category{MoneyCategory, CardCategory, DocumentCategory, PassportCategory, MedicalCategory}
	return slices.DeleteFunc(Categories(), func(c Category) bool { return slices.Contains(hidden, c) })
}

// RegisterBefore returns the time before which a find must have been recorded so that the public register lists it now.
func (l Location) RegisterBefore(now time.Time) time.Time {
	year, month, day := now.In(l.Zone()).Date()
	return time.Date(year, month, day-RegisterDelay, 0, 0, 0, 0, l.Zone())
}

// RegisterEntry returns the entry of a find in the public register of its location. It returns false if the register
// does not list the find: it is not at the desk any more, it is on hold, it has or had an owner, its category is
// unknown or not public, or it was recorded too recently.
func (l Location) RegisterEntry(i Item, now time.Time) (RegisterEntry, bool) {
	recorded, found := l.Day(i.CreatedAt), i.DiscoveryDate
	if found == "" || found > recorded { // a date that was mistyped must not list the find later than others
		found = recorded
	}
	listed := l.PublicRegister && i.LocationID == l.ID && i.Source == Found && i.Status == Pending && i.Hold == "" &&
		!i.Owner.Known() && i.DisownedAt.IsZero() && (i.OwnerState == NoOwner || i.OwnerState == "") &&
		slices.Contains(PublicCategories(), i.Category) &&
		i.CreatedAt.Before(l.RegisterBefore(now))
	if !listed {
		return RegisterEntry{}, false
	}
	return RegisterEntry{ItemID: i.ID, Category: i.Category, Day: found, Area: l.publicArea(i.DiscoveryPlace)}, true
}

// Register returns the public register of a location with some of its finds, the last day first. Within a day, the
// order does not depend on when the finds were recorded, except for finds that look the same; the caller must order
// those by something that tells nothing.
func (l Location) Register(finds []Item, now time.Time) (entries []RegisterEntry) {
	for _, i := range finds {
		if e, listed := l.RegisterEntry(i, now); listed {
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, RegisterEntry.Compare)
	return entries
}

// Compare orders entries by what everybody can see of them.
func (e RegisterEntry) Compare(o RegisterEntry) int {
	order := Categories()
	return cmp.Or(cmp.Compare(o.Day, e.Day),
		cmp.Compare(slices.Index(order, e.Category), slices.Index(order, o.Category)), cmp.Compare(e.Area, o.Area))
}

// publicArea returns the location's public area that a place names, or an empty string. If it names several, it
// returns the one with the longest name. Nothing else of the place can be in the result.
func (l Location) publicArea(place string) (area string) {
	words := areaWords(place)
	for _, name := range l.PublicAreas {
		if len([]rune(name)) > len([]rune(area)) && containsWords(words, areaWords(name)) {
			area = name
		}
	}
	return area
}

// areaWords returns the words of the name of a place, in lower case.
func areaWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	})
}

// containsWords reports whether words contain some other words next to each other.
func containsWords(words, other []string) bool {
	for n := 0; len(other) > 0 && n+len(other) <= len(words); n++ {
		if slices.Equal(words[n:n+len(other)], other) {
			return true
		}
	}
	return false
}

// applyPublicAreas sets the names of the areas that the public register may show.
func (p LocationPatch) applyPublicAreas(c *check, l *Location) {
	const field = "publicAreas"
	if !p.PublicAreas.Sent || c.Has(field) {
		return
	}
	var areas []string
	for _, name := range p.PublicAreas.Value {
		var area string
		c.line(Set(name), field, MaxPublicArea, &area)
		if c.Has(field) {
			return
		}
		if area != "" && len(areaWords(area)) == 0 {
			c.Add(field, "no-words", "must contain letters or digits in every name")
			return
		}
		if area != "" && !slices.Contains(areas, area) {
			areas = append(areas, area)
		}
	}
	if len(areas) > MaxPublicAreas {
		c.Add(field, "too-many", "must have at most %d elements", MaxPublicAreas)
		return
	}
	l.PublicAreas = areas
}
