package pms

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"homeward/internal/lost/stay"
)

// apaleo asks Apaleo: the Booking API for reservations, and the Inventory API for the id of a room.
type apaleo struct{ caller }

// apaleoPerson is a guest or the person who booked.
type apaleoPerson struct {
	FirstName string `json:"firstName"`
	LastName  string `json:"lastName"`
	Email     string `json:"email"`
	Phone     string `json:"phone"`
	Language  string `json:"preferredLanguage"`
}

func (p apaleoPerson) guest() stay.Guest {
	return stay.Guest{
		FirstName: p.FirstName, LastName: p.LastName, Email: p.Email, Phone: p.Phone, Language: p.Language,
	}
}

type apaleoUnit struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type apaleoReservation struct {
	ID               string         `json:"id"`
	Status           string         `json:"status"`
	Unit             apaleoUnit     `json:"unit"`
	Arrival          string         `json:"arrival"`
	Departure        string         `json:"departure"`
	CheckInTime      string         `json:"checkInTime"`
	CheckOutTime     string         `json:"checkOutTime"`
	PrimaryGuest     apaleoPerson   `json:"primaryGuest"`
	AdditionalGuests []apaleoPerson `json:"additionalGuests"`
	Booker           apaleoPerson   `json:"booker"`
	AssignedUnits    []struct {
		Unit       apaleoUnit `json:"unit"`
		TimeRanges []struct {
			From string `json:"from"`
			To   string `json:"to"`
		} `json:"timeRanges"`
	} `json:"assignedUnits"`
}

func (a apaleo) get(ctx context.Context, path string, query url.Values, answer any) error {
	login := request{method: http.MethodPost, url: a.to.Value(stay.TokenURLSetting), form: url.Values{
		"grant_type": {"client_credentials"}, "client_id": {a.to.Value(stay.ClientIDSetting)},
		"client_secret": {a.to.Value(stay.ClientSecretSetting)},
	}}
	return a.withToken(ctx, login, func(token string) request {
		return request{
			method: http.MethodGet, url: a.at(path, query), header: http.Header{"Authorization": {"Bearer " + token}},
		}
	}, answer)
}

func (a apaleo) check(ctx context.Context) error {
	if _, err := a.units(ctx, url.Values{"pageSize": {"1"}}); err != nil {
		return err
	}
	return a.get(ctx, "/booking/v1/reservations",
		url.Values{
			"propertyIds": {a.to.Value(stay.PropertySetting)}, "pageNumber": {"1"}, "pageSize": {"1"},
		}, &struct{}{})
}

func (a apaleo) units(ctx context.Context, query url.Values) ([]apaleoUnit, error) {
	var answer struct {
		Units []apaleoUnit `json:"units"`
	}
	query.Set("propertyId", a.to.Value(stay.PropertySetting))
	if err := a.get(ctx, "/inventory/v1/units", query, &answer); err != nil {
		return nil, err
	}
	return answer.Units, nil
}

// unit returns the id of a room.
func (a apaleo) unit(ctx context.Context, name string) (string, error) {
	return a.room(ctx, name, func(ctx context.Context) (string, error) {
		for page := 1; page <= maxPages; page++ {
			units, err := a.units(ctx, url.Values{
				"textSearch": {name}, "pageNumber": {strconv.Itoa(page)}, "pageSize": {strconv.Itoa(pageSize)},
			})
			if err != nil {
				return "", err
			}
			for _, u := range units {
				if stay.RoomKey(u.Name) == stay.RoomKey(name) {
					return u.ID, nil
				}
			}
			if len(units) < pageSize {
				break
			}
		}
		return "", nil
	})
}

func (a apaleo) stays(ctx context.Context, q stay.Query) (all []stay.Stay, _ bool, err error) {
	unit, err := a.unit(ctx, q.Room)
	if err != nil || unit == "" {
		return nil, false, err
	}
	query := url.Values{
		"propertyIds": {a.to.Value(stay.PropertySetting)}, "unitIds": {unit}, "status": {"InHouse,CheckedOut"},
		"dateFilter": {"Departure"}, "from": {q.From() + "T00:00:00Z"}, "to": {q.To() + "T23:59:59Z"},
		"expand": {"booker,assignedUnits"}, "pageSize": {strconv.Itoa(pageSize)},
	}
	for page := 1; page <= maxPages; page++ {
		var answer struct {
			Reservations []apaleoReservation `json:"reservations"`
		}
		query.Set("pageNumber", strconv.Itoa(page))
		if err := a.get(ctx, "/booking/v1/reservations", query, &answer); err != nil {
			return nil, false, err
		}
		for _, r := range answer.Reservations {
			if all = append(all, r.stays()...); len(all) >= maxStays {
				return all[:maxStays], false, nil
			}
		}
		if len(answer.Reservations) < pageSize {
			break
		}
	}
	return all, false, nil
}

// stays returns the stays of a reservation: one for each room that it had, and for each guest.
func (r apaleoReservation) stays() (all []stay.Stay) {
	first := dayOf(cmp.Or(r.CheckInTime, r.Arrival))
	last := dayOf(cmp.Or(r.CheckOutTime, r.Departure))
	add := func(room, from, to string) {
		s := stay.Stay{ID: r.ID, Room: room, Arrival: max(from, first), Departure: min(to, last)}
		if room != "" && from != "" && to != "" && len(all) < maxStays {
			all = append(all, r.guests(s)...)
		}
	}
	for _, u := range r.AssignedUnits {
		for _, at := range u.TimeRanges {
			add(u.Unit.Name, dayOf(at.From), dayOf(at.To))
		}
	}
	if len(all) == 0 {
		add(r.Unit.Name, first, last)
	}
	return all
}

// guests returns a stay for each guest who is named. If the reservation names no way to reach its guest, but the person
// who booked has the same name, that person's address counts.
func (r apaleoReservation) guests(s stay.Stay) []stay.Stay {
	main := r.PrimaryGuest.guest()
	booker := r.Booker.guest()
	if !main.Reachable() && main.LastName != "" && strings.EqualFold(main.LastName, booker.LastName) &&
		strings.EqualFold(main.FirstName, booker.FirstName) {
		booker.Language = cmp.Or(booker.Language, main.Language)
		main = booker
	}
	s.Guest = main
	all := []stay.Stay{s}
	for _, other := range firstGuests(r.AdditionalGuests) {
		s.Guest, s.Others = other.guest(), true
		all = append(all, s)
	}
	return all
}
