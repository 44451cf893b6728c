// Package stay contains the rules for finding out who stayed in a room: what a room is called, which guests come into
// question for a find, in which order, and what of their address is shown before somebody confirms one of them.
package stay

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"homeward/internal/lost"
)

// Guest is a person who stayed.
type Guest struct {
	FirstName, LastName, Email, Phone string
	Language                          string // a language tag; may be empty
}

// Owner returns the guest as the owner of an item.
func (g Guest) Owner() lost.Owner {
	return lost.Owner{FirstName: g.FirstName, LastName: g.LastName, Email: g.Email, Phone: g.Phone}
}

// Reachable reports whether the guest has an e-mail address or phone number.
func (g Guest) Reachable() bool { return g.Email != "" || g.Phone != "" }

// Stay is one guest in one room.
type Stay struct {
	ID        string // the reservation; several guests may have the same one
	Room      string
	Arrival   string // the first day in this room
	Departure string // the day on which the guest left this room, or will leave it
	Others    bool   // the guest shared the room with the guest of the reservation
	Listed    bool   // a row of a guest list, which has an id of its own in each list
	Guest     Guest
}

// The days around a find that are searched.
const (
	LookBack  = 14 // before the day of finding: departures
	LookAhead = 31 // after it: planned departures of those who are staying
)

// Limits of a look-up.
const (
	MaxRoom       = 50
	MaxCandidates = 20
	// Valid is how long a candidate can be confirmed after the look-up.
	Valid = time.Hour
	// Timeout is the time that a look-up may take in total.
	Timeout = 2500 * time.Millisecond
)

// Query asks who stayed in a room.
type Query struct {
	Room string // as somebody wrote it
	Day  string // the day of finding
	Zone *time.Location
}

// NewQuery checks a room and the day on which something was found there. The room may be a text in which the room is
// named, such as "Room 207, under the bed".
func NewQuery(room, day string, zone *time.Location) (Query, error) {
	var p lost.Problems
	q := Query{Room: strings.TrimSpace(room), Day: day, Zone: zone}
	if name, found := Room(q.Room); found {
		q.Room = name
	}
	switch {
	case RoomKey(q.Room) == "": // also “-”, which would match all stays without a room
		p.Add("room", "required", "must be set to the number or name of the room")
	case len([]rune(q.Room)) > MaxRoom:
		p.Add("room", "too-long", "must have at most %d characters", MaxRoom)
	}
	switch at, err := time.Parse(lost.DateLayout, day); {
	case day == "":
		p.Add("date", "required", "must be set to the day of finding")
	case err != nil || at.Year() < 2000 || at.Year() > 2200:
		p.Add("date", "invalid-date", "must be a date such as 2026-11-14")
	}
	return q, p.Err()
}

// From returns the first day of departure that the query asks for.
func (q Query) From() string { return lost.AddDays(q.Day, -LookBack) }

// To returns the last day of departure that the query asks for.
func (q Query) To() string { return lost.AddDays(q.Day, LookAhead) }

// DayOf returns the day of a time at the location.
func (q Query) DayOf(at time.Time) string { return at.In(q.Zone).Format(lost.DateLayout) }

// Reason says why a guest comes into question.
type Reason string

// The reasons, in the order of their candidates.
const (
	DepartedThatDay   Reason = "departed-that-day"
	DepartedDayBefore Reason = "departed-day-before"
	Staying           Reason = "staying"
	ArrivedThatDay    Reason = "arrived-that-day"
	DepartedEarlier   Reason = "departed-earlier"
)

// Reasons lists all reasons in the order of their candidates.
func Reasons() []Reason {
	return []Reason{DepartedThatDay, DepartedDayBefore, Staying, ArrivedThatDay, DepartedEarlier}
}

// reason returns why a stay comes into question for a find on a day. It returns "" if it does not.
func (s Stay) reason(day string) Reason {
	switch {
	case s.Arrival > day || s.Departure < s.Arrival || s.Departure < lost.AddDays(day, -LookBack):
		return ""
	case s.Departure == day:
		return DepartedThatDay
	case s.Departure == lost.AddDays(day, -1):
		return DepartedDayBefore
	case s.Departure < day:
		return DepartedEarlier
	case s.Arrival == day:
		return ArrivedThatDay
	default:
		return Staying
	}
}

// Candidate is a guest who comes into question as the owner of a find. It can be confirmed by its id for a while.
type Candidate struct {
	Stay
	Reason Reason
	// LastRoomOnly reports whether the look-up listed guests who have moved with their last room only.
	LastRoomOnly bool
	// The rest is set when the candidate is stored.
	Account, CandidateID, LocationID, ActorID, LookupID string
	CreatedAt                                           time.Time
}

// Expired reports whether the candidate can no longer be confirmed.
func (c Candidate) Expired(now time.Time) bool { return !now.Before(c.CreatedAt.Add(Valid)) }

// Rank returns those who come into question for a find, the most likely first: those who departed on that day, then
// those who departed the day before, those who were staying, and those who departed earlier. The guest of a
// reservation comes before those who shared the room. Guests with the same name stay apart, unless a row of a guest
// list repeats the stay of another list or of the hotel system.
func Rank(stays []Stay, q Query) []Candidate {
	var all []Candidate
	room := RoomKey(q.Room)
	for _, s := range stays {
		if reason := s.reason(q.Day); reason != "" && RoomKey(s.Room) == room {
			all = append(all, Candidate{Stay: s, Reason: reason})
		}
	}
	slices.SortStableFunc(all, compare)
	var unique []Candidate
	for _, c := range all {
		n := slices.IndexFunc(unique, c.repeats)
		switch {
		case n >= 0 && unique[n].Listed:
			c.Guest.fill(unique[n].Guest)
			unique[n] = c
		case n >= 0:
			unique[n].Guest.fill(c.Guest)
		case len(unique) < MaxCandidates:
			unique = append(unique, c)
		}
	}
	return unique
}

// repeats reports whether two candidates are the same stay of the same guest.
func (c Candidate) repeats(o Candidate) bool {
	if !c.Listed && !o.Listed {
		return o.ID == c.ID && o.Guest == c.Guest
	}
	return c.Departure == o.Departure && agree(c.knownArrival(), o.knownArrival()) && c.Guest.isSame(o.Guest)
}

// knownArrival returns the day of arrival, unless a guest list does not name it: then it is that of departure.
func (s Stay) knownArrival() string {
	if s.Listed && s.Arrival == s.Departure {
		return ""
	}
	return s.Arrival
}

// isSame reports whether two sources describe the same guest: they share the name or an address, and nothing differs.
func (g Guest) isSame(o Guest) bool {
	name, other := g.name(), o.name()
	return agree(name, other) && agree(g.Email, o.Email) && agree(g.Phone, o.Phone) &&
		(name != "" && other != "" || g.Email != "" && o.Email != "" || g.Phone != "" && o.Phone != "")
}

// name returns the full name, whichever parts of it are in which field.
func (g Guest) name() string { return strings.Join(strings.Fields(g.FirstName+" "+g.LastName), " ") }

// agree reports whether two texts are the same, apart from upper case, or one of them is not known.
func agree(a, b string) bool { return a == "" || b == "" || strings.EqualFold(a, b) }

// fill sets what is not known about a guest to what another source says.
func (g *Guest) fill(o Guest) {
	if g.name() == "" {
		g.FirstName, g.LastName = o.FirstName, o.LastName
	}
	g.Email, g.Phone = cmp.Or(g.Email, o.Email), cmp.Or(g.Phone, o.Phone)
	g.Language = cmp.Or(g.Language, o.Language)
}

// compare sorts candidates, the most likely first.
func compare(a, b Candidate) int {
	order := Reasons()
	if n := cmp.Compare(slices.Index(order, a.Reason), slices.Index(order, b.Reason)); n != 0 {
		return n
	}
	if a.Reason == DepartedEarlier && a.Departure != b.Departure {
		return strings.Compare(b.Departure, a.Departure)
	}
	return cmp.Or(compareBool(a.Others, b.Others), strings.Compare(b.Arrival, a.Arrival), strings.Compare(a.ID, b.ID))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}
