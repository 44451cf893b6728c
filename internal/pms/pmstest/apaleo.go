package pmstest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// serveApaleo serves the token endpoint of Apaleo Identity, units of the Inventory API, and reservations of the Booking
// API.
func (s *Server) serveApaleo(mux *http.ServeMux) {
	mux.HandleFunc("POST /connect/token", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("grant_type") != "client_credentials" || r.FormValue("client_id") != clientID ||
			r.FormValue("client_secret") != clientSecret {
			w.WriteHeader(http.StatusBadRequest)
			answer(w, map[string]any{"error": "invalid_client"})
			return
		}
		s.issue(w)
	})
	mux.HandleFunc("GET /inventory/v1/units", func(w http.ResponseWriter, r *http.Request) {
		if !s.accepts(w, r) {
			return
		}
		q := r.URL.Query()
		var units []map[string]any
		for _, room := range s.Hotel.Rooms {
			name := "Room " + room
			if q.Get("propertyId") == s.Hotel.Property && strings.Contains(name, q.Get("textSearch")) {
				units = append(units, map[string]any{"id": "ADLER-" + room, "name": name})
			}
		}
		n, size := number(q.Get("pageNumber"), 1), number(q.Get("pageSize"), 100)
		part, _ := page(units, (n-1)*size, size)
		if len(part) == 0 {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		answer(w, map[string]any{"units": part, "count": len(units)})
	})
	mux.HandleFunc("GET /booking/v1/reservations", s.apaleoReservations)
}

func number(text string, otherwise int) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return otherwise
}

func (s *Server) apaleoReservations(w http.ResponseWriter, r *http.Request) {
	if !s.accepts(w, r) {
		return
	}
	q := r.URL.Query()
	if f := q.Get("dateFilter"); f != "" && f != "Departure" {
		w.WriteHeader(http.StatusUnprocessableEntity)
		return
	}
	var found []map[string]any
	for _, b := range s.Hotel.Bookings {
		if q.Get("propertyIds") == s.Hotel.Property && s.apaleoMatches(b, q.Get("unitIds"), q.Get("status"),
			q.Get("from"), q.Get("to")) {
			found = append(found, s.apaleoReservation(b, q.Get("expand")))
		}
	}
	n, size := number(q.Get("pageNumber"), 1), number(q.Get("pageSize"), 100)
	part, _ := page(found, (n-1)*size, size)
	if s.fault() == Endless && len(found) > 0 {
		part = slices.Repeat(found[:1], size)
	}
	if len(part) == 0 {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	answer(w, map[string]any{"reservations": part, "count": len(found)})
}

func (s *Server) apaleoMatches(b Booking, units, states, from, to string) bool {
	state := map[status]string{planned: "Confirmed", inHouse: "InHouse", left: "CheckedOut"}[s.Hotel.status(b)]
	if states != "" && !slices.Contains(strings.Split(states, ","), state) {
		return false
	}
	wanted := func(seg Segment) bool { return slices.Contains(strings.Split(units, ","), "ADLER-"+seg.Room) }
	if units != "" && !slices.ContainsFunc(b.Segments, wanted) {
		return false
	}
	if from == "" {
		return true
	}
	first, err := time.Parse(time.RFC3339, from)
	last, err2 := time.Parse(time.RFC3339, to)
	departure := s.Hotel.at(b.booked(), departureHour)
	return err == nil && err2 == nil && !departure.Before(first) && departure.Before(last)
}

func (s *Server) apaleoReservation(b Booking, expand string) map[string]any {
	local := func(at time.Time) string { return at.Format(time.RFC3339) }
	person := func(n int) map[string]any {
		g := b.Guests[n]
		return map[string]any{
			"firstName": g.FirstName, "lastName": g.LastName, "email": g.Email, "phone": g.Phone,
			"preferredLanguage": g.Language,
		}
	}
	r := map[string]any{
		"id": b.ID, "bookingId": b.ID, "status": "InHouse", "primaryGuest": person(0),
		"unit":        map[string]any{"id": "ADLER-" + b.Last().Room, "name": "Room " + b.Last().Room},
		"arrival":     local(s.Hotel.at(b.Segments[0].From, arrivalHour)),
		"departure":   local(s.Hotel.at(b.booked(), departureHour)),
		"checkInTime": local(s.Hotel.at(b.Segments[0].From, arrivalHour)),
	}
	if s.Hotel.status(b) == left {
		r["status"], r["checkOutTime"] = "CheckedOut", local(s.Hotel.at(b.Last().To, departureHour))
	}
	var others []map[string]any
	for n := 1; n < len(b.Guests); n++ {
		others = append(others, person(n))
	}
	if others != nil {
		r["additionalGuests"] = others
	}
	if strings.Contains(expand, "booker") {
		r["booker"] = map[string]any{"lastName": b.Guests[0].LastName, "email": "agency@example.com"}
	}
	if strings.Contains(expand, "assignedUnits") {
		var units []map[string]any
		for n, seg := range b.Segments {
			from, to := s.Hotel.at(seg.From, arrivalHour), s.Hotel.at(b.booked(), departureHour)
			if n < len(b.Segments)-1 {
				to = s.Hotel.at(seg.To, moveHour)
			}
			units = append(units, map[string]any{
				"unit":       map[string]any{"id": "ADLER-" + seg.Room, "name": "Room " + seg.Room},
				"timeRanges": []map[string]any{{"from": local(from), "to": local(to)}},
			})
		}
		r["assignedUnits"] = units
	}
	return r
}
