package pms

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"homeward/internal/lost/stay"
)

// cloudbeds asks the API of Cloudbeds with an API key of the property.
type cloudbeds struct{ caller }

type cloudbedsRoom struct {
	RoomID       string `json:"roomID"`
	RoomName     string `json:"roomName"`
	RoomCheckIn  string `json:"roomCheckIn"`
	RoomCheckOut string `json:"roomCheckOut"`
	RoomStatus   string `json:"roomStatus"`
	GuestID      string `json:"guestID"`
}

type cloudbedsGuest struct {
	GuestID        string `json:"guestID"`
	GuestFirstName string `json:"guestFirstName"`
	GuestLastName  string `json:"guestLastName"`
	GuestEmail     string `json:"guestEmail"`
	GuestPhone     string `json:"guestPhone"`
	GuestCellPhone string `json:"guestCellPhone"`
	IsAnonymized   bool   `json:"isAnonymized"`
	RoomName       string `json:"roomName"`
	Rooms          []struct {
		RoomName string `json:"roomName"`
	} `json:"rooms"`
}

type cloudbedsReservation struct {
	ReservationID string          `json:"reservationID"`
	Status        string          `json:"status"`
	StartDate     string          `json:"startDate"`
	EndDate       string          `json:"endDate"`
	Rooms         []cloudbedsRoom `json:"rooms"`
	GuestList     cloudbedsGuests `json:"guestList"`
}

// cloudbedsGuests are guests by their ids.
type cloudbedsGuests map[string]cloudbedsGuest

// UnmarshalJSON accepts an object, and also an empty list, which PHP writes for an empty object.
func (g *cloudbedsGuests) UnmarshalJSON(text []byte) error {
	if strings.HasPrefix(string(text), "[") {
		return nil
	}
	return json.Unmarshal(text, (*map[string]cloudbedsGuest)(g))
}

// cloudbedsAnswer is the answer of every method.
type cloudbedsAnswer struct {
	Success bool                   `json:"success"`
	Message string                 `json:"message"`
	Data    []cloudbedsReservation `json:"data"`
}

func (c cloudbeds) reservations(ctx context.Context, query url.Values) ([]cloudbedsReservation, error) {
	query.Set("propertyID", c.to.Value(stay.PropertySetting))
	var answer cloudbedsAnswer
	err := c.send(ctx, request{
		method: http.MethodGet, url: c.at("/api/v1.3/getReservations", query),
		header: http.Header{"x-api-key": {c.to.Value(stay.APIKeySetting)}},
	}, &answer)
	if err != nil {
		return nil, err
	}
	if !answer.Success {
		return nil, refusal(answer.Message)
	}
	return answer.Data, nil
}

// refusal returns the error for an answer that reports a failure although its status is 200.
func refusal(message string) error {
	failed := &stay.SystemError{Problem: stay.Unreadable, Cause: errors.New("cloudbeds reported a failure")}
	text := strings.ToLower(message)
	mentions := func(words ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
	}
	switch { // a message about the key or its permissions may also name the property
	case mentions("permission", "scope", "no access", "not have access", "access denied", "not allowed"):
		failed.Problem = stay.Forbidden
	case mentions("token", "key", "credential"):
		failed.Problem = stay.Unauthorized
	case mentions("property"):
		failed.Problem = stay.UnknownPlace
	case mentions("access"):
		failed.Problem = stay.Forbidden
	}
	return failed
}

func (c cloudbeds) check(ctx context.Context) error {
	today := c.client.now().UTC().Format("2006-01-02")
	_, err := c.reservations(ctx, url.Values{
		"checkOutFrom": {today}, "checkOutTo": {today}, "includeGuestsDetails": {"true"}, "pageSize": {"1"},
	})
	return err
}

func (c cloudbeds) stays(ctx context.Context, q stay.Query) (all []stay.Stay, _ bool, err error) {
	query := url.Values{
		"roomName": {q.Room}, "checkOutFrom": {q.From()}, "checkOutTo": {q.To()}, "datesQueryMode": {"rooms"},
		"includeGuestsDetails": {"true"}, "includeAllRooms": {"true"}, "pageSize": {strconv.Itoa(pageSize)},
	}
	for page := 1; page <= maxPages; page++ {
		query.Set("pageNumber", strconv.Itoa(page))
		found, err := c.reservations(ctx, query)
		if err != nil {
			return nil, false, err
		}
		for _, r := range found {
			if all = append(all, r.stays(q)...); len(all) >= maxStays {
				return all[:maxStays], false, nil
			}
		}
		if len(found) < pageSize {
			break
		}
	}
	return all, false, nil
}

// stays returns the stays of a reservation in the room of the query: one for each guest who was there.
func (r cloudbedsReservation) stays(q stay.Query) (all []stay.Stay) {
	if r.Status != "checked_in" && r.Status != "checked_out" {
		return nil
	}
	matched := 0
	for _, room := range r.Rooms {
		if stay.RoomKey(room.RoomName) != stay.RoomKey(q.Room) || room.RoomStatus == "not_checked_in" ||
			room.RoomStatus == "cancelled" {
			continue
		}
		if matched++; matched > maxRooms {
			break
		}
		s := stay.Stay{
			ID: r.ReservationID, Room: room.RoomName, Arrival: dayOf(cmp.Or(room.RoomCheckIn, r.StartDate)),
			Departure: dayOf(cmp.Or(room.RoomCheckOut, r.EndDate)),
		}
		if main, known := r.GuestList[room.GuestID]; known && !main.IsAnonymized {
			s.Guest = main.guest()
			all = append(all, s)
		}
		s.Others = true
		for _, other := range firstGuests(r.others(room)) {
			s.Guest = other.guest()
			all = append(all, s)
		}
	}
	return all
}

// others returns the guests who shared a room with its main guest.
func (r cloudbedsReservation) others(room cloudbedsRoom) (all []cloudbedsGuest) {
	for _, id := range slices.Sorted(maps.Keys(r.GuestList)) {
		if g := r.GuestList[id]; id != room.GuestID && g.stayedIn(room.RoomName) && !g.IsAnonymized {
			all = append(all, g)
		}
	}
	return all
}

// stayedIn reports whether a guest was in a room.
func (g cloudbedsGuest) stayedIn(room string) bool {
	key := stay.RoomKey(room)
	for _, r := range g.Rooms {
		if stay.RoomKey(r.RoomName) == key {
			return true
		}
	}
	return g.RoomName != "" && stay.RoomKey(g.RoomName) == key
}

func (g cloudbedsGuest) guest() stay.Guest {
	return stay.Guest{
		FirstName: g.GuestFirstName, LastName: g.GuestLastName, Email: g.GuestEmail,
		Phone: cmp.Or(g.GuestCellPhone, g.GuestPhone),
	}
}
