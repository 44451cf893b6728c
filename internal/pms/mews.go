package pms

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/stay"
)

// mews asks the Connector API of Mews. Its requests carry two tokens that do not expire.
type mews struct{ caller }

// clientName is the name and version that Mews asks for.
const clientName = "Homeward 1.0.0"

func (m mews) post(ctx context.Context, operation string, body map[string]any, answer any) error {
	full := map[string]any{
		"ClientToken": m.to.Value(stay.ClientTokenSetting), "AccessToken": m.to.Value(stay.AccessTokenSetting),
		"Client": clientName, "Limitation": map[string]any{"Count": pageSize},
	}
	maps.Copy(full, body)
	return m.send(ctx, request{
		method: http.MethodPost, url: m.at("/api/connector/v1/"+operation, nil), body: full,
	}, answer)
}

type mewsResources struct {
	Resources []struct {
		ID               string `json:"Id"`
		Name             string `json:"Name"`
		ParentResourceID string `json:"ParentResourceId"`
	} `json:"Resources"`
	Cursor string `json:"Cursor"`
}

func (m mews) check(ctx context.Context) error {
	one := map[string]any{"Count": 1}
	var rooms mewsResources
	if err := m.post(ctx, "resources/getAll", map[string]any{
		"Extent": map[string]bool{"Resources": true, "Inactive": false}, "Limitation": one,
	}, &rooms); err != nil {
		return err
	}
	now := m.client.now().UTC()
	var answer mewsReservations
	if err := m.post(ctx, "reservations/getAll/2023-06-06", map[string]any{
		"ScheduledEndUtc": interval(now.AddDate(0, 0, -checkedDays), now), "Limitation": one,
	}, &answer); err != nil || len(answer.Reservations) == 0 {
		return err
	}
	found := answer.Reservations[:1] // the other operations need an id
	if _, err := m.companions(ctx, found); err != nil {
		return err
	}
	_, err := m.customers(ctx, []string{found[0].AccountID})
	return err
}

// checkedDays is how many days before a check the reservation may have ended whose guest the check reads.
const checkedDays = 30

// guestsError returns the error for a request for guests that failed. It says so if only the guests may not be read.
func guestsError(err error) error {
	if isProblem(err, stay.Forbidden) {
		return &stay.SystemError{Problem: stay.ForbiddenGuests, Cause: err}
	}
	return err
}

func interval(from, to time.Time) map[string]string {
	return map[string]string{
		"StartUtc": from.UTC().Format(time.RFC3339), "EndUtc": to.UTC().Format(time.RFC3339),
	}
}

// resources returns the ids of the resources with the name of a room: usually one, and its beds. They are joined by
// commas.
func (m mews) resources(ctx context.Context, name string) (string, error) {
	return m.room(ctx, name, func(ctx context.Context) (string, error) {
		var ids []string
		rooms := map[string]bool{}
		cursor := ""
		var beds []mewsResources
		for range maxPages {
			var answer mewsResources
			limitation := map[string]any{"Count": 1000}
			if cursor != "" {
				limitation["Cursor"] = cursor
			}
			if err := m.post(ctx, "resources/getAll", map[string]any{
				"Extent": map[string]bool{"Resources": true, "Inactive": false}, "Limitation": limitation,
			}, &answer); err != nil {
				return "", err
			}
			for _, r := range answer.Resources {
				if stay.RoomKey(r.Name) == stay.RoomKey(name) {
					ids, rooms[r.ID] = append(ids, r.ID), true
				}
			}
			beds = append(beds, answer)
			if cursor = answer.Cursor; cursor == "" || len(answer.Resources) == 0 {
				break
			}
		}
		for _, page := range beds {
			for _, r := range page.Resources {
				if rooms[r.ParentResourceID] && !rooms[r.ID] {
					ids = append(ids, r.ID)
				}
			}
		}
		return strings.Join(ids[:min(len(ids), maxBeds)], ","), nil
	})
}

type mewsReservation struct {
	ID                 string `json:"Id"`
	AccountID          string `json:"AccountId"`
	AccountType        string `json:"AccountType"`
	AssignedResourceID string `json:"AssignedResourceId"`
	ScheduledStartUTC  string `json:"ScheduledStartUtc"`
	ScheduledEndUTC    string `json:"ScheduledEndUtc"`
	ActualStartUTC     string `json:"ActualStartUtc"`
	ActualEndUTC       string `json:"ActualEndUtc"`
}

type mewsReservations struct {
	Reservations []mewsReservation `json:"Reservations"`
	Cursor       string            `json:"Cursor"`
}

// stays always reports lastRoomOnly: a reservation has only one resource, and nothing names the ones before.
func (m mews) stays(ctx context.Context, q stay.Query) (all []stay.Stay, lastRoomOnly bool, err error) {
	found, err := m.reservations(ctx, q)
	if err != nil || len(found) == 0 {
		return nil, true, err
	}
	all, err = m.withGuests(ctx, q, found)
	return all, true, err
}

// reservations lists the reservations of a room, at most maxStays.
func (m mews) reservations(ctx context.Context, q stay.Query) (found []mewsReservation, err error) {
	resources, err := m.resources(ctx, q.Room)
	if err != nil || resources == "" {
		return nil, err
	}
	from, to := day(q.From(), q.Zone), day(lost.AddDays(q.To(), 1), q.Zone)
	cursor := ""
	for range maxPages {
		var answer mewsReservations
		limitation := map[string]any{"Count": pageSize}
		if cursor != "" {
			limitation["Cursor"] = cursor
		}
		if err := m.post(ctx, "reservations/getAll/2023-06-06", map[string]any{
			"AssignedResourceIds": strings.Split(resources, ","), "ScheduledEndUtc": interval(from, to),
			"States": []string{"Started", "Processed"}, "Limitation": limitation,
		}, &answer); err != nil {
			return nil, err
		}
		found = append(found, answer.Reservations...)
		if cursor = answer.Cursor; cursor == "" || len(answer.Reservations) == 0 {
			break
		}
	}
	seen := map[string]bool{} // a reservation that is listed twice would multiply its guests
	found = slices.DeleteFunc(found, func(r mewsReservation) bool {
		again := seen[r.ID]
		seen[r.ID] = true
		return again
	})
	return found[:min(len(found), maxStays)], nil
}

// day returns the beginning of a day at the location.
func day(text string, zone *time.Location) time.Time {
	at, _ := time.ParseInLocation(lost.DateLayout, text, zone) // the query has checked it
	return at
}

// withGuests returns a stay for each customer of the reservations and for those who accompany them.
func (m mews) withGuests(ctx context.Context, q stay.Query, found []mewsReservation) ([]stay.Stay, error) {
	companions, err := m.companions(ctx, found)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, r := range found {
		if r.AccountType != "Company" {
			ids = append(ids, r.AccountID)
		}
		ids = append(ids, firstGuests(companions[r.ID])...)
	}
	guests, err := m.customers(ctx, ids)
	if err != nil {
		return nil, err
	}
	var all []stay.Stay
	for _, r := range found {
		s := stay.Stay{
			ID: r.ID, Room: q.Room, Arrival: utcDay(q, r.ActualStartUTC, r.ScheduledStartUTC),
			Departure: utcDay(q, r.ActualEndUTC, r.ScheduledEndUTC),
		}
		if g, known := guests[r.AccountID]; known {
			s.Guest = g
			all = append(all, s)
		}
		s.Others = true
		for _, id := range firstGuests(companions[r.ID]) {
			if g, known := guests[id]; known && id != r.AccountID {
				s.Guest = g
				all = append(all, s)
			}
		}
	}
	return all, nil
}

// companions returns the ids of the customers of each reservation, its owner among them.
func (m mews) companions(ctx context.Context, found []mewsReservation) (map[string][]string, error) {
	ids := make([]string, len(found))
	for n, r := range found {
		ids[n] = r.ID
	}
	var answer struct {
		Companionships []struct {
			CustomerID    string `json:"CustomerId"`
			ReservationID string `json:"ReservationId"`
		} `json:"Companionships"`
	}
	err := m.post(ctx, "companionships/getAll", map[string]any{
		"ReservationIds": ids, "Extent": map[string]bool{"Companionships": true},
		"Limitation": map[string]any{"Count": 1000},
	}, &answer)
	if err != nil {
		return nil, guestsError(err)
	}
	all := map[string][]string{}
	for _, c := range answer.Companionships {
		all[c.ReservationID] = append(all[c.ReservationID], c.CustomerID)
	}
	return all, nil
}

// customers returns guests by their ids.
func (m mews) customers(ctx context.Context, ids []string) (map[string]stay.Guest, error) {
	const most = 1000
	var answer struct {
		Customers []struct {
			ID           string `json:"Id"`
			FirstName    string `json:"FirstName"`
			LastName     string `json:"LastName"`
			Email        string `json:"Email"`
			Phone        string `json:"Phone"`
			LanguageCode string `json:"LanguageCode"`
		} `json:"Customers"`
	}
	if len(ids) == 0 {
		return nil, nil
	}
	err := m.post(ctx, "customers/getAll", map[string]any{
		"CustomerIds": ids[:min(len(ids), most)], "Extent": map[string]bool{"Customers": true},
		"Limitation": map[string]any{"Count": most},
	}, &answer)
	if err != nil {
		return nil, guestsError(err)
	}
	guests := map[string]stay.Guest{}
	for _, c := range answer.Customers {
		guests[c.ID] = stay.Guest{
			FirstName: c.FirstName, LastName: c.LastName, Email: c.Email, Phone: c.Phone, Language: c.LanguageCode,
		}
	}
	return guests, nil
}

// utcDay returns the day at the location of the first text that is a time in UTC.
func utcDay(q stay.Query, texts ...string) string {
	for _, text := range texts {
		if at, err := time.Parse(time.RFC3339, text); err == nil {
			return q.DayOf(at)
		}
	}
	return ""
}
