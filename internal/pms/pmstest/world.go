// Package pmstest contains test servers of the four property-management systems, written from their public contracts.
// They are stateful: they have one hotel with rooms and stays, issue tokens that expire, and can fail in several ways.
package pmstest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/stay"
)

// Segment is a room that a guest had for some days. From and To are days; a guest leaves the room on the day To.
type Segment struct{ Room, From, To string }

// Booking is a reservation of one room at a time.
type Booking struct {
	ID       string
	Guests   []stay.Guest // the guest of the reservation first
	Segments []Segment    // more than one if the guest moved
	Moved    bool
	Booked   string // the day of departure as booked, if the guest left earlier; otherwise empty
}

// Last returns the last room.
func (b Booking) Last() Segment { return b.Segments[len(b.Segments)-1] }

// booked returns the day of departure as booked.
func (b Booking) booked() string { return cmp.Or(b.Booked, b.Last().To) }

// Hotel is a hotel with its rooms and bookings on one day. Its zone is that of Berlin.
type Hotel struct {
	Property string
	Rooms    []string
	Bookings []Booking
	Today    string
	Zone     *time.Location
}

// Left reports whether a guest left a room on a day.
func (h Hotel) Left(room, day string) bool {
	return slices.ContainsFunc(h.Bookings, func(b Booking) bool {
		return slices.ContainsFunc(b.Segments, func(s Segment) bool { return s.Room == room && s.To == day })
	})
}

// status of a booking today.
type status int

const (
	planned status = iota
	inHouse
	left
)

func (h Hotel) status(b Booking) status {
	switch {
	case b.Segments[0].From > h.Today:
		return planned
	case b.Last().To > h.Today:
		return inHouse
	default:
		return left
	}
}

// at returns a time of day at the hotel.
func (h Hotel) at(day string, hour int) time.Time {
	date, err := time.ParseInLocation(lost.DateLayout, day, h.Zone)
	if err != nil {
		panic(err) // tests write the days
	}
	return date.Add(time.Duration(hour) * time.Hour)
}

// Hours at which guests arrive, leave and move.
const (
	arrivalHour   = 15
	departureHour = 11
	moveHour      = 12
)

// Fault is a way in which a server fails.
type Fault int

// The faults.
const (
	None            Fault = iota
	Hang                  // requests are not answered
	TooManyFault          // 429 with Retry-After: 30
	BrokenJSON            // the answer ends in the middle
	WrongJSON             // the answer has other types than the contract
	ServerError           // 500
	ForbiddenOnly         // the credentials do not allow reading reservations
	Endless               // every page says that there is another one
	Redirect              // to another address
	NotFound              // 404
	NoCalendar            // the credentials of OHIP do not allow reading the room calendar
	BusyCalendar          // 429 for the room calendar of OHIP
	HangingCalendar       // requests for the room calendar of OHIP are not answered
	NoCustomers           // the credentials of Mews do not allow reading customers
	NoCompanions          // the credentials of Mews do not allow reading companionships
)

// state is what all servers have in common.
type state struct {
	mu       sync.Mutex
	fault    Fault
	tokens   map[string]bool // the access tokens that are accepted
	issued   int
	requests int
	done     chan struct{}
}

// newHotel returns a hotel with 200 bookings in 40 rooms: shared rooms, early departures, moves between rooms, and
// guests with the same name.
func newHotel(moves bool) Hotel {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		panic(err) // Go has the time zones, or the machine has
	}
	h := Hotel{Property: "ADLER", Zone: zone, Today: "2026-11-14"}
	for floor := 1; floor <= 4; floor++ {
		for n := 1; n <= 10; n++ {
			h.Rooms = append(h.Rooms, fmt.Sprintf("%d%02d", floor, n))
		}
	}
	const perRoom = 5
	for r, room := range h.Rooms {
		end := lost.AddDays(h.Today, -r%4)
		for n := range perRoom {
			nights := 1 + (r+n)%3
			b := h.booking(len(h.Bookings), room, lost.AddDays(end, -nights), end)
			if moves && n%5 == 2 && nights > 1 {
				other := h.Rooms[(r+20)%len(h.Rooms)]
				b.move(other+"B", lost.AddDays(end, -1)) // an extra room that nobody else has
			}
			h.Bookings = append(h.Bookings, b)
			end = lost.AddDays(end, -nights)
		}
	}
	for _, b := range h.Bookings {
		for _, s := range b.Segments {
			if !slices.Contains(h.Rooms, s.Room) {
				h.Rooms = append(h.Rooms, s.Room)
			}
		}
	}
	return h
}

// RandomHotel returns a hotel with 200 random bookings in 40 rooms: shared rooms, early departures, moves to rooms that
// others have had before or after, and guests with the same name. No two bookings have the same room on a day.
func RandomHotel(r *rand.Rand) Hotel {
	h := newHotel(false)
	h.Bookings = nil
	free := map[string]string{} // the day on which the next guest may come, by room
	for _, room := range h.Rooms {
		free[room] = lost.AddDays(h.Today, -40-r.IntN(5))
	}
	for len(h.Bookings) < bookings {
		room := h.Rooms[r.IntN(len(h.Rooms))]
		from := lost.AddDays(free[room], r.IntN(2))
		to := lost.AddDays(from, 1+r.IntN(5))
		if to > h.Today {
			continue
		}
		b := h.booking(len(h.Bookings), room, from, to)
		b.Booked = ""
		if r.IntN(5) == 0 {
			b.Booked = lost.AddDays(to, 1+r.IntN(4))
		}
		if len(b.Guests) > 1 && r.IntN(2) == 0 {
			b.Guests[1].FirstName, b.Guests[1].LastName = b.Guests[0].FirstName, b.Guests[0].LastName
		}
		free[room] = to
		former := h.Rooms[r.IntN(len(h.Rooms))]
		if on := lost.AddDays(to, -1); r.IntN(4) == 0 && on > from && former != room && free[former] <= from {
			b.move(former, on)
			free[former] = on
		}
		h.Bookings = append(h.Bookings, b)
	}
	return h
}

// bookings is the number of bookings of a hotel.
const bookings = 200

// move gives the guest another room for the first days, and the present one from the given day.
func (b *Booking) move(former, on string) {
	last := b.Segments[0]
	b.Moved = true
	b.Segments = []Segment{{former, last.From, on}, {last.Room, on, last.To}}
}

func (h Hotel) booking(n int, room, from, to string) Booking {
	names := []string{"Anna Meyer", "Jean Dupont", "María García", "Li Wei", "Tanaka Yuki", "Anna Meyer", "Ola Nowak"}
	languages := []string{"de", "fr", "es", "zh", "ja", "de", "pl"}
	guest := func(k int) stay.Guest {
		first, last := split(names[k%len(names)])
		return stay.Guest{
			FirstName: first, LastName: last, Email: fmt.Sprintf("guest%d@example.com", k),
			Phone: fmt.Sprintf("+4930%06d", 100000+k), Language: languages[k%len(languages)],
		}
	}
	b := Booking{
		ID: fmt.Sprintf("RES-%04d", n), Guests: []stay.Guest{guest(n)}, Segments: []Segment{{room, from, to}},
	}
	if n%4 == 1 { // a shared room; the other guest may have the same name
		other := guest(n + 1000)
		if n%8 == 1 {
			other.FirstName, other.LastName = b.Guests[0].FirstName, b.Guests[0].LastName
		}
		b.Guests = append(b.Guests, other)
	}
	if n%6 == 3 {
		b.Booked = lost.AddDays(to, 2)
	}
	return b
}

func split(name string) (first, last string) {
	for n, r := range name {
		if r == ' ' {
			return name[:n], name[n+1:]
		}
	}
	return name, ""
}
