package pms

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"homeward/internal/lost/stay"
)

// ohip asks the Reservation API of Oracle's Hospitality Integration Platform.
type ohip struct{ caller }

// ohipScope is the scope that the client credentials of OCIM need.
const ohipScope = "urn:opc:hgbu:ws:__myscopes__"

// login returns the request for a token: with the name and password of an integration user if they are set, otherwise
// with client credentials.
func (o ohip) login() request {
	basic := http.Request{Header: http.Header{}}
	basic.SetBasicAuth(o.to.Value(stay.ClientIDSetting), o.to.Value(stay.ClientSecretSetting))
	basic.Header.Set("x-app-key", o.to.Value(stay.AppKeySetting))
	form := url.Values{"grant_type": {"client_credentials"}, "scope": {ohipScope}}
	if enterprise := o.to.Value(stay.EnterpriseSetting); enterprise != "" {
		basic.Header.Set("enterpriseId", enterprise)
	}
	if user := o.to.Value(stay.UserSetting); user != "" {
		form = url.Values{
			"grant_type": {"password"}, "username": {user}, "password": {o.to.Value(stay.PasswordSetting)},
		}
	}
	return request{method: http.MethodPost, url: o.at("/oauth/v1/tokens", nil), header: basic.Header, form: form}
}

func (o ohip) reservations(ctx context.Context, query url.Values, answer any) error {
	return o.get(ctx, "/reservations", query, answer)
}

// get reads something of the hotel from the Reservation API.
func (o ohip) get(ctx context.Context, path string, query url.Values, answer any) error {
	hotel := o.to.Value(stay.PropertySetting)
	return o.withToken(ctx, o.login(), func(token string) request {
		return request{
			method: http.MethodGet, url: o.at("/rsv/v1/hotels/"+url.PathEscape(hotel)+path, query),
			header: http.Header{
				"Authorization": {"Bearer " + token},
				"x-app-key":     {o.to.Value(stay.AppKeySetting)}, "x-hotelid": {hotel},
			},
		}
	}, answer)
}

func (o ohip) check(ctx context.Context) error {
	today := o.client.now().UTC().Format("2006-01-02")
	err := o.reservations(ctx, url.Values{
		"departureStartDate": {today}, "departureEndDate": {today}, "limit": {"1"},
	}, &struct{}{})
	if err != nil {
		return err
	}
	_, err = o.calendar(ctx, "0", today, today) // a room that probably does not exist
	answered, ok := errors.AsType[*answerError](err)
	switch {
	case ok && answered.status == http.StatusForbidden:
		return &stay.SystemError{Problem: stay.ForbiddenCalendar, Cause: err}
	case ok && (answered.status == http.StatusBadRequest || answered.status == http.StatusNotFound): // of the room
		return nil
	default:
		return err
	}
}

// ohipIDs are the ids of a reservation.
type ohipIDs []struct {
	ID   string `json:"id"`
	Type string `json:"type"`
}

// reservation returns the id of the reservation, or another one if there is none.
func (o ohipIDs) reservation() (id string) {
	for _, i := range o {
		if i.Type == "Reservation" || id == "" {
			id = cmp.Or(i.ID, id)
		}
	}
	return id
}

type ohipReservation struct {
	IDs      ohipIDs `json:"reservationIdList"`
	RoomStay struct {
		ArrivalDate   string `json:"arrivalDate"`
		DepartureDate string `json:"departureDate"`
		RoomID        string `json:"roomId"`
	} `json:"roomStay"`
	Guest struct {
		GivenName       string `json:"givenName"`
		Surname         string `json:"surname"`
		Email           string `json:"email"`
		PhoneNumber     string `json:"phoneNumber"`
		Language        string `json:"language"`
		AccompanyGuests []struct {
			FirstName string `json:"firstName"`
			LastName  string `json:"lastName"`
		} `json:"accompanyGuests"`
	} `json:"reservationGuest"`
}

// ohipStatuses are the statuses of the reservations whose guests are or were in the hotel.
func ohipStatuses() []string { return []string{"CheckedOut", "InHouse", "DueOut"} }

// calendarTimeout is the time for the room calendar. It leaves time for the reservations that only the calendar names.
const calendarTimeout = 1500 * time.Millisecond

// stays reads the reservations and the room calendar at the same time. A reservation names only its last room; the
// calendar also has the guests who have moved to another one. It needs another permission than the reservations. If it
// cannot be read, guests are listed with their last room only.
func (o ohip) stays(ctx context.Context, q stay.Query) (all []stay.Stay, lastRoomOnly bool, err error) {
	if _, err := o.token(ctx, o.login()); err != nil { // otherwise both would get a token
		return nil, false, err
	}
	limited, cancel := context.WithTimeout(ctx, calendarTimeout)
	defer cancel()
	var segments map[string][]ohipSegment
	calendar := make(chan error, 1)
	go func() {
		var err error
		segments, err = o.segments(limited, q)
		calendar <- err
	}()
	found, err := o.list(ctx, url.Values{
		"roomId": {q.Room}, "departureStartDate": {q.From()}, "departureEndDate": {q.To()},
	})
	if err != nil {
		cancel()
		<-calendar
		return nil, false, err
	}
	lastRoomOnly = <-calendar != nil
	moved, err := o.moved(ctx, segments, found)
	lastRoomOnly = lastRoomOnly || err != nil
	for _, r := range append(found, moved...) {
		if all = append(all, r.staysIn(segments[r.IDs.reservation()])...); len(all) >= maxStays {
			return all[:maxStays], lastRoomOnly, nil
		}
	}
	return all, lastRoomOnly, nil
}

// list lists the reservations that a query selects.
func (o ohip) list(ctx context.Context, query url.Values) (all []ohipReservation, err error) {
	query["reservationStatuses"], query["limit"] = ohipStatuses(), []string{strconv.Itoa(pageSize)}
	for page := range maxPages {
		var answer struct {
			Reservations struct {
				Info    []ohipReservation `json:"reservationInfo"`
				HasMore bool              `json:"hasMore"`
			} `json:"reservations"`
		}
		query.Set("offset", strconv.Itoa(page*pageSize))
		if err := o.reservations(ctx, query, &answer); err != nil {
			return nil, err
		}
		all = append(all, answer.Reservations.Info...)
		if !answer.Reservations.HasMore || len(answer.Reservations.Info) == 0 || len(all) >= maxStays {
			break
		}
	}
	return all, nil
}

// ohipSegment is a part of a stay in one room.
type ohipSegment struct{ room, from, to string }

// ohipCalendar says who has had a room, and when.
type ohipCalendar struct {
	Calendar struct {
		Rooms []struct {
			RoomID   string `json:"roomId"`
			Schedule []struct {
				Start        string `json:"start"`
				End          string `json:"end"`
				Reservations []struct {
					IDs    ohipIDs `json:"reservationIdList"`
					Status string  `json:"reservationStatus"`
				} `json:"roomCalendarResList"`
			} `json:"roomSchedule"`
		} `json:"room"`
	} `json:"roomCalendar"`
}

func (o ohip) calendar(ctx context.Context, room, from, to string) (answer ohipCalendar, err error) {
	return answer, o.get(ctx, "/roomCalendar", url.Values{
		"roomId": {room}, "startDate": {from}, "endDate": {to}, "showRoomMoveSegments": {"true"},
	}, &answer)
}

// segments returns the parts of stays in the room of a query, by the ids of their reservations.
func (o ohip) segments(ctx context.Context, q stay.Query) (map[string][]ohipSegment, error) {
	answer, err := o.calendar(ctx, q.Room, q.From(), q.To())
	if err != nil {
		return nil, err
	}
	all := map[string][]ohipSegment{}
	for _, room := range answer.Calendar.Rooms {
		for _, at := range room.Schedule {
			s := ohipSegment{room.RoomID, dayOf(at.Start), dayOf(at.End)}
			if stay.RoomKey(s.room) != stay.RoomKey(q.Room) || s.from == "" || s.to < q.From() || s.to > q.To() {
				continue
			}
			for _, r := range at.Reservations {
				id := r.IDs.reservation()
				if id != "" && slices.Contains(ohipStatuses(), r.Status) && len(all[id]) < maxRooms {
					all[id] = append(all[id], s)
				}
			}
		}
	}
	return all, nil
}

// moved returns the reservations with a part of a stay that are not among those found, because their guests have moved
// to another room since.
func (o ohip) moved(ctx context.Context, segments map[string][]ohipSegment,
	found []ohipReservation) ([]ohipReservation, error) {
	var ids []string
	for _, id := range slices.Sorted(maps.Keys(segments)) {
		isKnown := slices.ContainsFunc(found, func(r ohipReservation) bool { return r.IDs.reservation() == id })
		if !isKnown && len(ids) < maxGuests {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	all, err := o.list(ctx, url.Values{"reservationIdList": ids})
	return slices.DeleteFunc(all, func(r ohipReservation) bool {
		return !slices.Contains(ids, r.IDs.reservation())
	}), err
}

// staysIn returns the stays of a reservation in some rooms. Without any, they are in the last room.
func (r ohipReservation) staysIn(segments []ohipSegment) (all []stay.Stay) {
	if len(segments) == 0 {
		return r.stays()
	}
	for _, at := range segments {
		for _, s := range r.stays() {
			s.Room, s.Arrival, s.Departure = at.room, at.from, at.to
			all = append(all, s)
		}
	}
	return all
}

// stays returns a stay for the guest of the reservation and for each who accompanies the guest. Guests who share a room
// usually have reservations of their own.
func (r ohipReservation) stays() []stay.Stay {
	s := stay.Stay{
		ID: r.IDs.reservation(), Room: r.RoomStay.RoomID,
		Arrival: dayOf(r.RoomStay.ArrivalDate), Departure: dayOf(r.RoomStay.DepartureDate),
		Guest: stay.Guest{
			FirstName: r.Guest.GivenName, LastName: r.Guest.Surname, Email: r.Guest.Email, Phone: r.Guest.PhoneNumber,
			Language: r.Guest.Language,
		},
	}
	all := []stay.Stay{s}
	for _, other := range firstGuests(r.Guest.AccompanyGuests) {
		s.Others, s.Guest = true, stay.Guest{FirstName: other.FirstName, LastName: other.LastName}
		all = append(all, s)
	}
	return all
}
