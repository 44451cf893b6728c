package pms

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"homeward/internal/lost/stay"
)

func TestACloudbedsRefusalNamesWhatMustBeCorrected(t *testing.T) {
	for message, want := range map[string]stay.Problem{
		"Property not found":                         stay.UnknownPlace,
		"API key has no access to this property":     stay.Forbidden,
		"Missing scope read:reservation":             stay.Forbidden,
		"Invalid API key for property 12":            stay.Unauthorized,
		"The access token is invalid or has expired": stay.Unauthorized,
		"Access denied":                              stay.Forbidden,
		"Internal error":                             stay.Unreadable,
	} {
		var got *stay.SystemError
		if err := refusal(message); !errors.As(err, &got) || got.Problem != want {
			t.Errorf("%q: got %v, want %s", message, err, want)
		}
	}
}

func TestWhoBookedIsNotTakenForTheGuest(t *testing.T) {
	agency := apaleoPerson{LastName: "Reisen AG", Email: "agency@example.com"}
	anna := apaleoPerson{FirstName: "Anna", LastName: "Berg"}
	for _, r := range []apaleoReservation{
		{Booker: agency}, {Booker: agency, PrimaryGuest: anna}, {Booker: apaleoPerson{Email: "x@example.com"}},
	} {
		if got := r.guests(stay.Stay{})[0].Guest; got.Email != "" {
			t.Errorf("%+v: got the guest %+v", r, got)
		}
	}
	annas := anna
	annas.Email = "anna@example.com"
	if got := (apaleoReservation{Booker: annas, PrimaryGuest: anna}).guests(stay.Stay{})[0].Guest; got.Email == "" {
		t.Errorf("the guest who booked has no address: %+v", got)
	}
}

func TestTheGuestsOfAReservationOfOPERAAreLimited(t *testing.T) {
	var r ohipReservation
	r.Guest.Surname = "Berg"
	r.Guest.AccompanyGuests = slices.Repeat([]struct {
		FirstName string `json:"firstName"`
		LastName  string `json:"lastName"`
	}{{"Ola", "Nowak"}}, 500)
	if all := r.stays(); len(all) != maxGuests+1 || all[0].Guest.LastName != "Berg" || all[0].Others {
		t.Errorf("got %d guests, the first %+v", len(all), all[0])
	}
}

func TestTheGuestsThatOHIPNamesAreLimited(t *testing.T) {
	var r ohipReservation
	text := `{"reservationGuest": {"surname": "Arden", "accompanyGuests": [` +
		strings.Repeat(`{"lastName": "Guest"}, `, 500) + `{"lastName": "Guest"}]}}`
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	if all := r.stays(); len(all) != maxGuests+1 || all[0].Guest.LastName != "Arden" {
		t.Errorf("got %d guests of one reservation, want %d, the main guest first", len(all), maxGuests+1)
	}
}
