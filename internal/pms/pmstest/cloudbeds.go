package pmstest

import (
	"net/http"
	"slices"
)

// serveCloudbeds serves getReservations of the API v1.3.
func (s *Server) serveCloudbeds(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/v1.3/getReservations", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		switch {
		case r.Header.Get("x-api-key") != apiKey:
			w.WriteHeader(http.StatusUnauthorized)
			answer(w, map[string]any{"success": false, "message": "Invalid API key."})
		case q.Get("propertyID") != s.Hotel.Property:
			answer(w, map[string]any{"success": false, "message": "Unknown propertyID."})
		case q.Has("roomName") && !q.Has("checkOutFrom"):
			answer(w, map[string]any{"success": false, "message": "Dates or status are required."})
		default:
			s.cloudbedsReservations(w, r)
		}
	})
}

func (s *Server) cloudbedsReservations(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	found := []map[string]any{}
	for n, b := range s.Hotel.Bookings {
		matches := slices.ContainsFunc(b.Segments, func(seg Segment) bool {
			return (!q.Has("roomName") || seg.Room == q.Get("roomName")) && seg.To >= q.Get("checkOutFrom") &&
				seg.To <= q.Get("checkOutTo")
		})
		if matches && (q.Get("datesQueryMode") == "rooms" || len(b.Segments) == 1) {
			found = append(found, s.cloudbedsReservation(n, b, q.Get("includeGuestsDetails") == "true"))
		}
	}
	number, size := number(q.Get("pageNumber"), 1), number(q.Get("pageSize"), 100)
	part, _ := page(found, (number-1)*size, size)
	if s.fault() == Endless && len(found) > 0 {
		part = slices.Repeat(found[:1], size)
	}
	if part == nil {
		part = []map[string]any{}
	}
	answer(w, map[string]any{"success": true, "data": part, "count": len(part), "total": len(found)})
}

func (s *Server) cloudbedsReservation(n int, b Booking, details bool) map[string]any {
	state := map[status]string{planned: "confirmed", inHouse: "checked_in", left: "checked_out"}[s.Hotel.status(b)]
	roomState := map[status]string{planned: "not_checked_in", inHouse: "in_house", left: "checked_out"}
	var rooms []map[string]any
	var assigned []map[string]any
	for _, seg := range b.Segments {
		rooms = append(rooms, map[string]any{
			"roomID": seg.Room, "roomName": seg.Room, "roomCheckIn": seg.From, "roomCheckOut": seg.To,
			"roomStatus": roomState[s.Hotel.status(b)], "guestID": customer(n, 0),
		})
		assigned = append(assigned, map[string]any{"roomID": seg.Room, "roomName": seg.Room})
	}
	guests := map[string]any{}
	for k, g := range b.Guests {
		if details {
			guests[customer(n, k)] = map[string]any{
				"guestID": customer(n, k), "guestFirstName": g.FirstName, "guestLastName": g.LastName,
				"guestEmail": g.Email, "guestPhone": g.Phone, "guestCellPhone": "", "isMainGuest": k == 0,
				"isAnonymized": false, "rooms": assigned,
			}
		}
	}
	return map[string]any{
		"propertyID": s.Hotel.Property, "reservationID": b.ID, "status": state, "rooms": rooms, "guestList": guests,
		"startDate": b.Segments[0].From, "endDate": b.Last().To,
	}
}
