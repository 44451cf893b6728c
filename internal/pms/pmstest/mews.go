package pmstest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// mewsRequest is the body of a request to the Connector API.
type mewsRequest struct {
	ClientToken, AccessToken, Client string
	AssignedResourceIDs              []string `json:"AssignedResourceIds"`
	ReservationIDs                   []string `json:"ReservationIds"`
	CustomerIDs                      []string `json:"CustomerIds"`
	States                           []string
	ScheduledEndUTC                  *struct{ StartUTC, EndUTC time.Time } `json:"ScheduledEndUtc"`
	Extent                           map[string]bool
	Limitation                       *struct {
		Count  int
		Cursor string
	}
}

// serveMews serves the operations of the Connector API.
func (s *Server) serveMews(mux *http.ServeMux) {
	operation := func(name string, do func(mewsRequest) (any, int)) {
		mux.HandleFunc("POST /api/connector/v1/"+name, func(w http.ResponseWriter, r *http.Request) {
			var q mewsRequest
			if err := json.NewDecoder(r.Body).Decode(&q); err != nil || q.Client == "" || q.Limitation == nil ||
				q.Limitation.Count < 1 || q.Limitation.Count > 1000 {
				w.WriteHeader(http.StatusBadRequest)
				return
			}
			if q.ClientToken != clientToken || q.AccessToken != accessToken {
				w.WriteHeader(http.StatusUnauthorized)
				answer(w, map[string]any{"Message": "Invalid AccessToken."})
				return
			}
			body, code := do(q)
			if code != 0 {
				w.WriteHeader(code)
			}
			answer(w, body)
		})
	}
	operation("resources/getAll", s.mewsResources)
	operation("reservations/getAll/2023-06-06", s.mewsReservations)
	operation("customers/getAll", s.mewsCustomers)
	operation("companionships/getAll", s.mewsCompanionships)
}

// part returns the part of a list after the cursor of a request, and the cursor of the next one.
func part(q mewsRequest, all []map[string]any) ([]map[string]any, any) {
	start := 0
	if q.Limitation.Cursor != "" {
		start = 1 + slices.IndexFunc(all, func(r map[string]any) bool { return r["Id"] == q.Limitation.Cursor })
	}
	found, _ := page(all, start, q.Limitation.Count)
	if len(found) == 0 {
		return []map[string]any{}, nil
	}
	return found, found[len(found)-1]["Id"]
}

func (s *Server) mewsResources(q mewsRequest) (any, int) {
	if !q.Extent["Resources"] {
		return nil, http.StatusBadRequest
	}
	var all []map[string]any
	for _, room := range s.Hotel.Rooms {
		all = append(all, map[string]any{
			"Id": "resource-" + room, "Name": room, "IsActive": true, "ParentResourceId": nil,
			"Data": map[string]any{"Discriminator": "Space"},
		})
	}
	found, cursor := part(q, all)
	return map[string]any{"Resources": found, "Cursor": cursor}, 0
}

func (s *Server) mewsReservations(q mewsRequest) (any, int) {
	if q.ScheduledEndUTC == nil || q.ScheduledEndUTC.EndUTC.Sub(q.ScheduledEndUTC.StartUTC) > 92*24*time.Hour {
		return map[string]any{"Message": "Invalid interval."}, http.StatusBadRequest
	}
	if len(q.AssignedResourceIDs) > 1000 {
		return map[string]any{"Message": "Too many resources."}, http.StatusBadRequest
	}
	var all []map[string]any
	for n, b := range s.Hotel.Bookings {
		state := map[status]string{planned: "Confirmed", inHouse: "Started", left: "Processed"}[s.Hotel.status(b)]
		end := s.Hotel.at(b.booked(), departureHour)
		resource := "resource-" + b.Last().Room
		if len(q.States) > 0 && !slices.Contains(q.States, state) ||
			len(q.AssignedResourceIDs) > 0 && !slices.Contains(q.AssignedResourceIDs, resource) ||
			end.Before(q.ScheduledEndUTC.StartUTC) || end.After(q.ScheduledEndUTC.EndUTC) {
			continue
		}
		start := utc(s.Hotel.at(b.Segments[0].From, arrivalHour))
		r := map[string]any{
			"Id": b.ID, "AccountId": customer(n, 0), "AccountType": "Customer", "State": state,
			"AssignedResourceId": resource, "ScheduledStartUtc": start, "ActualStartUtc": start,
			"ScheduledEndUtc": utc(end), "ActualEndUtc": nil,
		}
		if state == "Processed" {
			r["ActualEndUtc"] = utc(s.Hotel.at(b.Last().To, departureHour))
		}
		all = append(all, r)
	}
	if s.fault() == Endless && len(all) > 0 {
		return map[string]any{"Reservations": all[:1], "Cursor": "again"}, 0
	}
	found, cursor := part(q, all)
	return map[string]any{"Reservations": found, "Cursor": cursor}, 0
}

// customer returns the id of a guest of a booking.
func customer(booking, guest int) string { return fmt.Sprintf("customer-%d-%d", booking, guest) }

func (s *Server) mewsCompanionships(q mewsRequest) (any, int) {
	if len(q.ReservationIDs) == 0 || len(q.ReservationIDs) > 1000 {
		return nil, http.StatusBadRequest
	}
	all := []map[string]any{}
	for n, b := range s.Hotel.Bookings {
		for k := range b.Guests {
			if slices.Contains(q.ReservationIDs, b.ID) {
				all = append(all, map[string]any{
					"Id": "companion-" + customer(n, k), "CustomerId": customer(n, k), "ReservationId": b.ID,
				})
			}
		}
	}
	return map[string]any{"Companionships": all}, 0
}

func (s *Server) mewsCustomers(q mewsRequest) (any, int) {
	all := []map[string]any{}
	for n, b := range s.Hotel.Bookings {
		for k, g := range b.Guests {
			if slices.Contains(q.CustomerIDs, customer(n, k)) {
				all = append(all, map[string]any{
					"Id": customer(n, k), "FirstName": g.FirstName, "LastName": g.LastName, "Email": g.Email,
					"Phone": g.Phone, "LanguageCode": g.Language + "-XX",
				})
			}
		}
	}
	return map[string]any{"Customers": all, "Cursor": nil}, 0
}
