package matching

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"homeward/internal/lost"
	"homeward/internal/lost/match"
	"homeward/internal/store"
)

const (
	storagePlace     = "storagePlace"
	usualPlaceWeight = 0.85 // less than an item's own place
	maxUsualPlaces   = 1000 // locations whose usual places are searched
	maxPlaceSearches = 2
)

// usualPlaces are the usual storage places of locations, folded, by the id of the location. They are the places of
// items that have none of their own. The search texts of items do not contain them, so that they can change.
type usualPlaces map[string]string

// usualPlaces returns the places of the locations that a search covers, and adds their words to the vocabulary.
func (s *Searcher) usualPlaces(ctx context.Context, v *vocabulary, account string, only []string,
	f lost.ItemFilter) (usualPlaces, error) {
	if f.Source == lost.Request {
		return nil, nil
	}
	places, err := s.db.UsualPlaces(ctx, account, only, maxUsualPlaces)
	if err == nil {
		v.addPlaces(places)
	}
	return places, err
}

// placeLine is the line of a search text with the item's own place.
//
//nolint:gochecknoglobals // computed once from a fixed list
var placeLine = sync.OnceValue(func() int { return slices.Index(store.SearchFields(), storagePlace) })

// find returns the usual place of the item in a row, or an empty text if the item has a place of its own.
func (p usualPlaces) find(row store.SearchRow) string {
	if row.Source != lost.Found || p[row.Location] == "" {
		return ""
	}
	line, n := placeLine(), 0
	for text := range strings.SplitSeq(row.Text, "\n") {
		if n == line && strings.TrimPrefix(text, store.MoreFields) != "" {
			return ""
		}
		n++
	}
	return p[row.Location]
}

// placeSearch is what to look for among the items without a place of their own at locations whose usual places have
// some of the words.
type placeSearch struct {
	locations []string
	covered   int // number of groups that are in the usual places
	rest      []match.Group
}

// search returns what to look for, the places with the most words first.
func (p usualPlaces) search(groups []match.Group) (all []placeSearch) {
	covered := map[string][]bool{} // which groups are in a place
	found := map[string]*placeSearch{}
	for location, place := range p {
		if _, known := covered[place]; !known {
			for _, g := range groups {
				covered[place] = append(covered[place], g.IsIn(place))
			}
		}
		var key strings.Builder
		s := placeSearch{}
		for n, in := range covered[place] {
			if in {
				s.covered++
				key.WriteByte('1')
			} else {
				s.rest = append(s.rest, groups[n])
				key.WriteByte('0')
			}
		}
		if s.covered == 0 {
			continue
		}
		if found[key.String()] == nil {
			found[key.String()] = &s
		}
		same := found[key.String()]
		same.locations = append(same.locations, location)
	}
	for _, s := range found {
		slices.Sort(s.locations)
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b placeSearch) int {
		return cmp.Or(cmp.Compare(b.covered, a.covered), slices.Compare(a.locations, b.locations))
	})
	return all[:min(len(all), maxPlaceSearches)]
}

// findAtUsualPlaces adds the newest rows without a place of their own at locations whose usual places have some of the
// words, if they match the other words, or all of these rows.
func (c *candidates) findAtUsualPlaces(ctx context.Context, groups []match.Group, all bool) error {
	for _, p := range c.places.search(groups) {
		s := store.TextSearch{Inherits: true, Newest: true, Tested: store.MaxTested, Limit: maxFound + 1}
		switch {
		case len(p.rest) == 0 && all: // they were added before
			continue
		case len(p.rest) > 0 && !all:
			s.Groups, s.Lookup = phrasesOf(p.rest), lookups(p.rest, c.items)
			s.Newest, s.Tested = needNewest(p.rest, c.items, maxFound), tested(p.rest, maxFound)
		}
		if _, err := c.add(ctx, p.locations, s); err != nil {
			return err
		}
	}
	return nil
}
