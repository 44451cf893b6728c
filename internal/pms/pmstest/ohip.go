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
	mux.HandleFunc("GET /rsv/v1/hotels/{id}/reservations", func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !s.accepts(w, r):
		case r.Header.Get("x-app-key") != appKey || r.Header.Get("x-hotelid") != r.PathValue("id"):
			w.WriteHeader(http.StatusBadRequest)
		case r.PathValue("id") != s.Hotel.Property:
			w.WriteHeader(http.StatusNotFound)
		default:
			s.ohipReservations(w, r)
		}
	})
}

func (s *Server) ohipReservations(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	var found []map[string]any
	for _, b := range s.Hotel.Bookings {
		state := map[status]string{planned: "DueIn", inHouse: "InHouse", left: "CheckedOut"}[s.Hotel.status(b)]
		wanted := q["reservationStatuses"]
		// OPERA changes the day of departure of a reservation when the guest leaves earlier.
		last := b.Last()
		if q.Has("roomId") && q.Get("roomId") != last.Room || last.To < q.Get("departureStartDate") ||
			last.To > q.Get("departureEndDate") || len(wanted) > 0 && !slices.Contains(wanted, state) {
			continue
		}
		found = append(found, s.ohipGuests(b, state)...)
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
