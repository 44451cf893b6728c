package pms

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"

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
	hotel := o.to.Value(stay.PropertySetting)
	return o.withToken(ctx, o.login(), func(token string) request {
		return request{
			method: http.MethodGet, url: o.at("/rsv/v1/hotels/"+url.PathEscape(hotel)+"/reservations", query),
			header: http.Header{
				"Authorization": {"Bearer " + token},
				"x-app-key":     {o.to.Value(stay.AppKeySetting)}, "x-hotelid": {hotel},
			},
		}
	}, answer)
}

func (o ohip) check(ctx context.Context) error {
	today := o.client.now().UTC().Format("2006-01-02")
	return o.reservations(ctx, url.Values{
		"departureStartDate": {today}, "departureEndDate": {today}, "limit": {"1"},
	}, &struct{}{})
}

type ohipReservation struct {
	IDs []struct {
		ID   string `json:"id"`
		Type string `json:"type"`
	} `json:"reservationIdList"`
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

func (o ohip) stays(ctx context.Context, q stay.Query) (all []stay.Stay, err error) {
	query := url.Values{
		"roomId": {q.Room}, "departureStartDate": {q.From()}, "departureEndDate": {q.To()},
		"reservationStatuses": {"CheckedOut", "InHouse", "DueOut"}, "limit": {strconv.Itoa(pageSize)},
	}
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
		for _, r := range answer.Reservations.Info {
			if all = append(all, r.stays()...); len(all) >= maxStays {
				return all[:maxStays], nil
			}
		}
		if !answer.Reservations.HasMore || len(answer.Reservations.Info) == 0 {
			break
		}
	}
	return all, nil
}

// stays returns a stay for the guest of the reservation and for each who accompanies the guest. Guests who share a room
// usually have reservations of their own.
func (r ohipReservation) stays() []stay.Stay {
	s := stay.Stay{
		Room: r.RoomStay.RoomID, Arrival: dayOf(r.RoomStay.ArrivalDate), Departure: dayOf(r.RoomStay.DepartureDate),
		Guest: stay.Guest{
			FirstName: r.Guest.GivenName, LastName: r.Guest.Surname, Email: r.Guest.Email, Phone: r.Guest.PhoneNumber,
			Language: r.Guest.Language,
		},
	}
	for _, id := range r.IDs {
		if id.Type == "Reservation" || s.ID == "" {
			s.ID = cmp.Or(id.ID, s.ID)
		}
	}
	all := []stay.Stay{s}
	for _, other := range firstGuests(r.Guest.AccompanyGuests) {
		s.Others, s.Guest = true, stay.Guest{FirstName: other.FirstName, LastName: other.LastName}
		all = append(all, s)
	}
	return all
}
