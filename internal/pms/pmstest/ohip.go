package pmstest

import (
	"net/http"
	"slices"
)

// serveOHIP serves the token endpoint and the reservations of a hotel.
func (s *Server) serveOHIP(mux *http.ServeMux) {
	mux.HandleFunc("POST /oauth/v1/tokens", func(w http.ResponseWriter, r *http.Request) {
		id, secret, _ := r.BasicAuth()
		grant := r.FormValue("grant_type")
		if id != clientID || secret != clientSecret || r.Header.Get("x-app-key") != appKey ||
			grant != "password" && grant != "client_credentials" ||
			grant == "password" && (r.FormValue("username") == "" || r.FormValue("password") != "user-password") {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		s.issue(w)
	})
	get := func(path string, serve http.HandlerFunc) {
		mux.HandleFunc("GET /rsv/v1/hotels/{id}/"+path, func(w http.ResponseWriter, r *http.Request) {
			s.serveOHIPHotel(w, r, serve)
		})
	}
	get("reservations", s.ohipReservations)
	get("roomCalendar", s.ohipCalendar)
}

// serveOHIPHotel serves a request about the hotel, if its credentials and its address are right.
func (s *Server) serveOHIPHotel(w http.ResponseWriter, r *http.Request, serve http.HandlerFunc) {
	switch {
	case !s.accepts(w, r):
	case r.Header.Get("x-app-key") != appKey || r.Header.Get("x-hotelid") != r.PathValue("id"):
		w.WriteHeader(http.StatusBadRequest)
	case r.PathValue("id") != s.Hotel.Property:
		w.WriteHeader(http.StatusNotFound)
	default:
		serve(w, r)
	}
}

// ohipCalendar serves the room calendar: who had a room on which days, whether or not the guest has moved since.
func (s *Server) ohipCalendar(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	schedule := []map[string]any{{"start": q.Get("startDate"), "end": q.Get("endDate"), "roomScheduleCategory": "Free"}}
	for _, b := range s.Hotel.Bookings {
		for n, at := range b.Segments {
			exact := q.Get("showRoomMoveSegments") == "true" || n == len(b.Segments)-1
			if at.Room != q.Get("roomId") || !exact || at.To < q.Get("startDate") || at.From > q.Get("endDate") {
				continue
			}
			var reservations []map[string]any
			for g := range b.Guests {
				id := b.ID
				if g > 0 {
					id += "-shared"
				}
				reservations = append(reservations, map[string]any{
					"reservationIdList": []map[string]any{{"id": id, "type": "Reservation"}},
					"reservationStatus": s.ohipStatus(b),
				})
			}
			schedule = append(schedule, map[string]any{
				"start": at.From + "T00:00:00", "end": at.To + "T00:00:00", "roomCalendarResList": reservations,
			})
		}
	}
	answer(w, map[string]any{"roomCalendar": map[string]any{
		"hotelId": s.Hotel.Property,
		"room":    []map[string]any{{"roomId": q.Get("roomId"), "roomSchedule": schedule}},
	}})
}

// ohipStatus returns the status of a reservation as OPERA names it.
func (s *Server) ohipStatus(b Booking) string {
	return map[status]string{planned: "DueIn", inHouse: "InHouse", left: "CheckedOut"}[s.Hotel.status(b)]
}

func (s *Server) ohipReservations(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	var found []map[string]any
	for _, b := range s.Hotel.Bookings {
		state, wanted := s.ohipStatus(b), q["reservationStatuses"]
		// OPERA changes the day of departure of a reservation when the guest leaves earlier.
		last := b.Last()
		if q.Has("roomId") && q.Get("roomId") != last.Room || last.To < q.Get("departureStartDate") ||
			q.Has("departureEndDate") && last.To > q.Get("departureEndDate") ||
			len(wanted) > 0 && !slices.Contains(wanted, state) {
			continue
		}
		for _, g := range s.ohipGuests(b, state) {
			if ids := q["reservationIdList"]; len(ids) == 0 || slices.Contains(ids, ohipID(g)) {
				found = append(found, g)
			}
		}
	}
	offset, limit := number(q.Get("offset"), 0), number(q.Get("limit"), 20)
	part, more := page(found, offset, limit)
	if s.fault() == Endless && len(found) > 0 {
		part, more = found[:1], true
	}
	answer(w, map[string]any{"reservations": map[string]any{
		"reservationInfo": part, "hasMore": more, "totalResults": len(found), "offset": offset, "limit": limit,
	}})
}

// ohipGuests returns a reservation for each guest: OPERA splits the reservation of those who share a room.
func (s *Server) ohipGuests(b Booking, state string) (all []map[string]any) {
	for n, g := range b.Guests {
		id := b.ID
		if n > 0 {
			id += "-shared"
		}
		all = append(all, map[string]any{
			"reservationIdList": []map[string]any{
				{"id": id, "type": "Reservation"}, {"id": "1" + id, "type": "Confirmation"},
			},
			"roomStay": map[string]any{
				"arrivalDate": b.Segments[0].From, "departureDate": b.Last().To, "roomId": b.Last().Room,
			},
			"reservationGuest": map[string]any{
				"givenName": g.FirstName, "surname": g.LastName, "email": g.Email, "phoneNumber": g.Phone,
				"language": "E",
			},
			"reservationStatus": state, "hotelId": s.Hotel.Property,
		})
	}
	return all
}

// ohipID returns the id of a reservation that ohipGuests has returned.
func ohipID(reservation map[string]any) string {
	return reservation["reservationIdList"].([]map[string]any)[0]["id"].(string)
}
