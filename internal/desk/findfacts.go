package desk

import (
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/report"
	"homeward/internal/store"
)

// accountFinds are the found items of an account.
type accountFinds struct {
	// protected by Finds.mu
	lastUse int // see Finds.uses
	size    int // in bytes

	mu       sync.RWMutex
	tooLarge bool                 // more than Finds.max
	readAt   time.Time            // when all items were read
	position store.ChangePosition // of the last change that was read
	items    []find
	at       map[uint64]int32 // positions in items, by the hash of the item's id
	texts    []string
	numbers  map[string]uint32 // positions in texts
	textSize int
}

// find is a found item. Its texts are positions in accountFinds.texts.
type find struct {
	key                             uint64
	created, ended                  uint32 // in seconds since 1970, until the year 2106
	foundOn                         int32  // the day, counted from 1970-01-01, or unknownDay
	location, color, place, storage uint32
	category, finder, currency      uint32
	value                           uint32 // in minor units, at most lost.MaxAmount
	outcome                         uint8  // the position in outcomes
	held                            bool
}

const unknownDay = math.MinInt32

// outcomes are all outcomes, in a fixed order.
//
//nolint:gochecknoglobals // a constant list
var outcomes = lost.FindOutcomes()

func newAccountFinds() *accountFinds {
	a := &accountFinds{}
	a.forget()
	return a
}

// forget makes the next report read all items again.
func (a *accountFinds) forget() {
	a.position, a.tooLarge = store.ChangePosition{Number: store.FirstPosition}, false
	a.clear()
}

// complete reports whether all items have been read, and no later attempt to read all of them again has failed.
func (a *accountFinds) complete() bool { return a.position.Number != store.FirstPosition }

// isOld reports whether all items have been read, longer ago than maxAge.
func (a *accountFinds) isOld(now time.Time, maxAge time.Duration) bool {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.complete() && a.readBefore(now, maxAge)
}

// readBefore reports whether all items were read longer ago than maxAge.
func (a *accountFinds) readBefore(now time.Time, maxAge time.Duration) bool {
	age := now.Sub(a.readAt)
	return age > maxAge || age < 0
}

// showTo shows all items, unless they are not complete.
func (a *accountFinds) showTo(shown *shownFinds) bool {
	a.mu.RLock()
	defer a.mu.RUnlock()
	if !a.complete() {
		return false
	}
	for _, item := range a.items {
		shown.add(a, item)
	}
	return true
}

// eachText calls show with all texts, unless the items are not complete.
func (a *accountFinds) eachText(show func(string)) bool {
	a.mu.RLock()
	defer a.mu.RUnlock()
	if !a.complete() {
		return false
	}
	for _, text := range a.texts {
		show(text)
	}
	return true
}

func (a *accountFinds) clear() {
	a.items, a.at = nil, map[uint64]int32{}
	a.texts, a.numbers, a.textSize = nil, map[string]uint32{}, 0
}

func (a *accountFinds) bytes() int {
	const perText = 60
	return len(a.items)*findSize + len(a.texts)*perText + a.textSize
}

func (a *accountFinds) put(key uint64, facts lost.FindFacts) {
	n, ok := a.at[key]
	if !ok {
		n = int32(len(a.items))
		a.at[key], a.items = n, append(a.items, find{})
	}
	a.items[n] = a.read(key, facts)
}

func (a *accountFinds) remove(key uint64) {
	n, ok := a.at[key]
	if !ok {
		return
	}
	last := a.items[len(a.items)-1]
	a.items[n], a.at[last.key] = last, n
	a.items = a.items[:len(a.items)-1]
	delete(a.at, key)
}

func (a *accountFinds) read(key uint64, facts lost.FindFacts) find {
	f := find{
		key: key, created: seconds(facts.CreatedAt), held: facts.Held(), location: a.number(facts.LocationID),
		color: a.number(facts.Color), place: a.number(facts.Place), storage: a.number(facts.StoragePlace),
		category: a.number(string(facts.Category)), finder: a.number(facts.FinderName),
		currency: a.number(facts.Value.Currency), value: uint32(facts.Value.Amount),
		outcome: uint8(slices.Index(outcomes, facts.Outcome())), foundOn: unknownDay,
	}
	if ended := facts.EndedAt(); !ended.IsZero() {
		f.ended = seconds(ended)
	}
	if facts.DiscoveryDate != "" {
		f.foundOn = int32(report.DayNumber(facts.DiscoveryDate))
	}
	return f
}

// seconds returns the seconds from 1970 to a time.
func seconds(t time.Time) uint32 { return uint32(min(max(t.Unix(), 0), math.MaxUint32)) }

// number returns the position of a text. Few texts differ.
func (a *accountFinds) number(text string) uint32 {
	n, ok := a.numbers[text]
	if !ok {
		n = uint32(len(a.texts))
		text = strings.Clone(text) // the text is a part of a row
		a.texts, a.numbers[text] = append(a.texts, text), n
		a.textSize += len(text)
	}
	return n
}

// shownFinds calls a function with the found items at some locations.
type shownFinds struct {
	at   map[string]int // the positions of the locations, by their ids
	days []localDays
	show func(report.Find)
}

func newShownFinds(locations []lost.LocationName, show func(report.Find)) *shownFinds {
	s := &shownFinds{at: map[string]int{}, days: make([]localDays, len(locations)), show: show}
	for n, l := range locations {
		s.at[l.ID], s.days[n].zone = n, l.Zone()
	}
	return s
}

func (s *shownFinds) add(a *accountFinds, f find) {
	n, ok := s.at[a.texts[f.location]]
	if !ok {
		return
	}
	found := report.Find{
		Location: n, FoundOn: int(f.foundOn), Outcome: outcomes[f.outcome], Held: f.held, Color: a.texts[f.color],
		Place: a.texts[f.place], StoragePlace: a.texts[f.storage], Category: a.texts[f.category],
		FinderName: a.texts[f.finder],
		Value:      lost.Value{Amount: int64(f.value), Currency: a.texts[f.currency]},
	}
	if f.foundOn == unknownDay {
		found.FoundOn = s.days[n].dayOf(int64(f.created))
	}
	if f.ended != 0 {
		found.EndedOn = s.days[n].dayOf(int64(f.ended))
	}
	s.show(found)
}

// localDays returns the days of times in a time zone. The offset of the zone changes rarely.
type localDays struct {
	zone       *time.Location
	begin, end int64 // when the offset is used, in seconds since 1970; end is 0 before the first use
	offset     int64
}

// dayOf returns the local day of a time in seconds since 1970, counted from 1970-01-01.
func (d *localDays) dayOf(at int64) int {
	const day = 24 * 60 * 60
	if at < d.begin || at >= d.end {
		t := time.Unix(at, 0).In(d.zone)
		_, offset := t.Zone()
		begin, end := t.ZoneBounds()
		d.begin, d.end, d.offset = begin.Unix(), end.Unix(), int64(offset)
		if begin.IsZero() {
			d.begin = 0
		}
		if end.IsZero() {
			d.end = 1 << 62
		}
	}
	return int((at + d.offset) / day)
}
