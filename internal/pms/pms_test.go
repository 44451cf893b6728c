package pms_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/stay"
	"homeward/internal/pms"
	"homeward/internal/pms/pmstest"
	"homeward/internal/webhook"
)

func newClient(t testing.TB, now func() time.Time) *pms.Client {
	t.Helper()
	sender := webhook.NewSender(webhook.Options{AllowPrivate: true})
	t.Cleanup(sender.Close)
	return pms.NewClient(pms.Options{
		Transport: sender.Transport(), IsPrivate: webhook.IsPrivate, Now: now,
		CheckURL: func(raw string) lost.Problems { return webhook.CheckURL(raw, true) },
	})
}

func each(t *testing.T, fn func(t *testing.T, s *pmstest.Server, c *pms.Client)) {
	t.Helper()
	for _, system := range stay.Systems() {
		t.Run(string(system), func(t *testing.T) {
			fn(t, pmstest.Start(t, system), newClient(t, time.Now))
		})
	}
}

func query(t testing.TB, s *pmstest.Server, room, day string) stay.Query {
	t.Helper()
	q, err := stay.NewQuery(room, day, s.Hotel.Zone)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// Each booking is looked up on the day on which its guest left a room, or on the day after if nobody else left the room
// then. The guest of the booking must come first, even if another guest has the same name or has the room now.
func TestTheRightGuestIsFirst(t *testing.T) {
	each(t, func(t *testing.T, s *pmstest.Server, c *pms.Client) {
		var right, shared, moved, early, later int
		for n, b := range s.Hotel.Bookings {
			at := b.Segments[n%len(b.Segments)]
			day := at.To
			if next := lost.AddDays(day, 1); n%2 == 1 && !s.Hotel.Left(at.Room, next) {
				day = next
				later++
			}
			q := query(t, s, "Room "+at.Room, day)
			all, _, err := c.Stays(t.Context(), s.Connection(), q)
			if err != nil {
				t.Fatal(err)
			}
			ranked := stay.Rank(all, q)
			if len(ranked) > 0 && ranked[0].Guest.Email == b.Guests[0].Email && ranked[0].Departure == at.To {
				right++
			} else {
				t.Logf("%s in %s on %s: %d candidates, the right guest is not first", b.ID, at.Room, day, len(ranked))
			}
			if len(b.Guests) > 1 {
				shared++
				if len(ranked) < 2 || ranked[1].Guest.Email != b.Guests[1].Email ||
					!ranked[1].Others && s.System != stay.OHIP {
					t.Errorf("%s: the other guest of the room is not second of %d", b.ID, len(ranked))
				}
			}
			if len(b.Segments) > 1 {
				moved++
			}
			if b.Booked != "" {
				early++
			}
		}
		t.Logf("the right guest was first for %d of %d bookings (%d shared rooms, %d moves, %d early departures, %d "+
			"finds on the day after)", right, len(s.Hotel.Bookings), shared, moved, early, later)
		if len(s.Hotel.Bookings) < 200 || right*100 < 98*len(s.Hotel.Bookings) || shared == 0 || early == 0 {
			t.Errorf("the right guest was first for %d of %d bookings", right, len(s.Hotel.Bookings))
		}
		if (s.System == stay.Mews) == (moved > 0) {
			t.Errorf("%d guests have moved", moved)
		}
	})
}

// A guest who has moved is found in each of the rooms, on the day on which the guest left it and during the stay there.
func TestAGuestWhoMovedIsFoundInBothRooms(t *testing.T) {
	each(t, func(t *testing.T, s *pmstest.Server, c *pms.Client) {
		expect := func(b pmstest.Booking, at pmstest.Segment, day string) {
			t.Helper()
			q := query(t, s, at.Room, day)
			all, _, err := c.Stays(t.Context(), s.Connection(), q)
			isGuest := func(f stay.Candidate) bool {
				return f.ID == b.ID && f.Guest.Email == b.Guests[0].Email && f.Departure == at.To
			}
			if err != nil || !slices.ContainsFunc(stay.Rank(all, q), isGuest) {
				t.Errorf("%s is not found in %s on %s (%v)", b.ID, at.Room, day, err)
			}
		}
		moved := 0
		for _, b := range s.Hotel.Bookings {
			if !b.Moved {
				continue
			}
			moved++
			if rooms := len(b.Segments); (rooms > 1) == (s.System == stay.Mews) {
				t.Fatalf("%s has %d rooms", b.ID, rooms)
			}
			for _, at := range b.Segments {
				expect(b, at, at.To)
				expect(b, at, at.From)
			}
		}
		if moved < 10 {
			t.Errorf("only %d guests have moved", moved)
		}
	})
}

// OHIP's room calendar needs a permission of its own. Without it, or without an answer in time, all guests are found in
// their last room, and the answer says so.
func TestWithoutTheRoomCalendarGuestsAreFoundInTheirLastRoom(t *testing.T) {
	s, c := pmstest.Start(t, stay.OHIP), newClient(t, time.Now)
	b := s.Hotel.Bookings[0]
	q := query(t, s, b.Last().Room, b.Last().To)
	for _, fault := range []pmstest.Fault{pmstest.None, pmstest.BusyCalendar, pmstest.HangingCalendar} {
		s.Fail(fault)
		ctx, cancel := context.WithTimeout(t.Context(), stay.Timeout)
		all, lastRoomOnly, err := c.Stays(ctx, s.Connection(), q)
		cancel()
		if len(all) == 0 || err != nil || lastRoomOnly != (fault != pmstest.None) {
			t.Errorf("fault %d: got %d stays, the last room only: %t, %v", fault, len(all), lastRoomOnly, err)
		}
	}
	s.Fail(pmstest.NoCalendar)
	moved := 0
	for _, b := range s.Hotel.Bookings {
		for n, at := range b.Segments {
			q := query(t, s, at.Room, at.To)
			all, lastRoomOnly, err := c.Stays(t.Context(), s.Connection(), q)
			found := slices.ContainsFunc(stay.Rank(all, q), func(f stay.Candidate) bool { return f.ID == b.ID })
			if last := n == len(b.Segments)-1; err != nil || found != last || !lastRoomOnly {
				t.Errorf("%s in %s, the last room: %t: found %t, %v", b.ID, at.Room, last, found, err)
			}
		}
		if len(b.Segments) > 1 {
			moved++
		}
	}
	if moved < 10 {
		t.Errorf("only %d guests have moved", moved)
	}
}

// A system may send very long lists. The main guest counts in any case.
func TestTheGuestsOfAReservationAreLimited(t *testing.T) {
	// In OHIP, those who share a room have reservations of their own: see TestTheGuestsThatOHIPNamesAreLimited.
	for _, system := range []stay.System{stay.Apaleo, stay.Mews, stay.Cloudbeds} {
		s, c := pmstest.Start(t, system), newClient(t, time.Now)
		b := &s.Hotel.Bookings[0]
		main := b.Guests[0].Email
		for n := range 500 {
			b.Guests = append(b.Guests, stay.Guest{LastName: "Guest", Email: fmt.Sprintf("other%d@example.com", n)})
		}
		all, _, err := c.Stays(t.Context(), s.Connection(), query(t, s, b.Last().Room, b.Last().To))
		all = slices.DeleteFunc(all, func(o stay.Stay) bool { return o.ID != b.ID })
		if err != nil || len(all) < 50 || len(all) > 51 ||
			!slices.ContainsFunc(all, func(o stay.Stay) bool { return o.Guest.Email == main && !o.Others }) {
			t.Errorf("%s: got %d guests of one reservation (%v), want 50 and the main one", system, len(all), err)
		}
	}
}

func TestTheResourcesOfARoomAreLimited(t *testing.T) {
	s, c := pmstest.Start(t, stay.Mews), newClient(t, time.Now)
	b := s.Hotel.Bookings[0]
	s.Hotel.Rooms = append(s.Hotel.Rooms, slices.Repeat([]string{b.Last().Room}, 1500)...)
	all, _, err := c.Stays(t.Context(), s.Connection(), query(t, s, b.Last().Room, b.Last().To))
	if err != nil || len(all) == 0 {
		t.Errorf("got %d stays, %v", len(all), err)
	}
}

func TestLongIDsAreRefused(t *testing.T) {
	each(t, func(t *testing.T, s *pmstest.Server, c *pms.Client) {
		b := &s.Hotel.Bookings[0]
		b.ID = strings.Repeat("R", 100_000)
		all, _, err := c.Stays(t.Context(), s.Connection(), query(t, s, b.Last().Room, b.Last().To))
		if err != nil || slices.ContainsFunc(all, func(o stay.Stay) bool { return len(o.ID) > 200 }) {
			t.Errorf("got %d stays, %v; want none with a very long id", len(all), err)
		}
	})
}

func TestAConnectionIsChecked(t *testing.T) {
	each(t, func(t *testing.T, s *pmstest.Server, c *pms.Client) {
		if err := c.Check(t.Context(), s.Connection()); err != nil {
			t.Errorf("got %v", err)
		}
		for _, setting := range []string{
			stay.ClientSecretSetting, stay.AppKeySetting, stay.AccessTokenSetting, stay.APIKeySetting,
		} {
			to := s.Connection()
			if !slices.ContainsFunc(to.System.Settings(), func(o stay.Setting) bool { return o.Name == setting }) {
				continue
			}
			to.Values[setting] = "wrong"
			if err := c.Check(t.Context(), to); problem(err) != stay.Unauthorized {
				t.Errorf("with a wrong %s: got %v", setting, err)
			}
		}
		to := s.Connection()
		to.Values[stay.PropertySetting] = "OTHER"
		switch err := c.Check(t.Context(), to); s.System {
		case stay.OHIP, stay.Cloudbeds:
			if problem(err) != stay.UnknownPlace {
				t.Errorf("with an unknown property: got %v", err)
			}
		}
	})
}

// A test names the right that is missing, although reservations can be read.
func TestACheckNamesAMissingRight(t *testing.T) {
	for fault, want := range map[pmstest.Fault]stay.Problem{
		pmstest.NoCustomers: stay.ForbiddenGuests, pmstest.NoCompanions: stay.ForbiddenGuests,
		pmstest.NoCalendar: stay.ForbiddenCalendar, pmstest.BusyCalendar: stay.TooMany,
	} {
		system := stay.OHIP
		if want == stay.ForbiddenGuests {
			system = stay.Mews
		}
		s := pmstest.Start(t, system)
		today, err := time.Parse(lost.DateLayout, s.Hotel.Today)
		if err != nil {
			t.Fatal(err)
		}
		c := newClient(t, func() time.Time { return today })
		s.Fail(fault)
		if err := c.Check(t.Context(), s.Connection()); problem(err) != want {
			t.Errorf("fault %d: got %v, want %s", fault, err, want)
		}
		b := s.Hotel.Bookings[0]
		_, _, err = c.Stays(t.Context(), s.Connection(), query(t, s, b.Last().Room, b.Last().To))
		if found := problem(err); system == stay.Mews && found != want || system == stay.OHIP && err != nil {
			t.Errorf("fault %d: the look-up got %v", fault, err)
		}
	}
}

func problem(err error) stay.Problem {
	if failed, ok := errors.AsType[*stay.SystemError](err); ok {
		return failed.Problem
	}
	return ""
}

func TestFailuresAreToldApart(t *testing.T) {
	each(t, func(t *testing.T, s *pmstest.Server, c *pms.Client) {
		b := s.Hotel.Bookings[0]
		q := query(t, s, b.Last().Room, b.Last().To)
		for fault, want := range map[pmstest.Fault]stay.Problem{
			pmstest.TooManyFault: stay.TooMany, pmstest.ServerError: stay.NotReached,
			pmstest.ForbiddenOnly: stay.Forbidden,
		} {
			s.Fail(fault)
			_, _, err := c.Stays(t.Context(), s.Connection(), q)
			failed, _ := errors.AsType[*stay.SystemError](err)
			if problem(err) != want || want == stay.TooMany && failed.Wait != 30*time.Second {
				t.Errorf("fault %d: got %v, want %s", fault, err, want)
			}
		}
		s.Fail(pmstest.None)
		if _, _, err := c.Stays(t.Context(), s.Connection(), q); err != nil { // there is a token now
			t.Fatal(err)
		}
		for _, fault := range []pmstest.Fault{pmstest.BrokenJSON, pmstest.WrongJSON, pmstest.Redirect} {
			s.Fail(fault)
			if _, _, err := c.Stays(t.Context(), s.Connection(), q); problem(err) != stay.Unreadable {
				t.Errorf("fault %d: got %v, want an unreadable answer", fault, err)
			}
		}
		s.Fail(pmstest.Hang)
		ctx, cancel := context.WithCancel(t.Context())
		before := s.Requests()
		go func() {
			for s.Requests() == before && ctx.Err() == nil { // until the request has arrived
				runtime.Gosched()
			}
			cancel()
		}()
		if _, _, err := c.Stays(ctx, s.Connection(), q); problem(err) != stay.TimedOut {
			t.Errorf("got %v from a server that does not answer", err)
		}
		cancel()
	})
}

// Only 400 and 401 from a token endpoint mean that the credentials are wrong.
func TestFailuresOfATokenEndpointAreTemporary(t *testing.T) {
	for _, system := range []stay.System{stay.Apaleo, stay.OHIP} {
		t.Run(string(system), func(t *testing.T) {
			s, c := pmstest.Start(t, system), newClient(t, time.Now)
			b := s.Hotel.Bookings[0]
			q := query(t, s, b.Last().Room, b.Last().To)
			for fault, want := range map[pmstest.Fault]stay.Problem{
				pmstest.BrokenJSON: stay.Unreadable, pmstest.WrongJSON: stay.Unreadable,
				pmstest.Redirect: stay.Unreadable, pmstest.NotFound: stay.Unreadable,
				pmstest.ServerError: stay.NotReached, pmstest.TooManyFault: stay.TooMany,
			} {
				s.Fail(fault)
				if _, _, err := c.Stays(t.Context(), s.Connection(), q); problem(err) != want || s.Tokens() != 0 {
					t.Errorf("fault %d: got %v, want %s", fault, err, want)
				}
			}
			s.Fail(pmstest.None)
			if _, _, err := c.Stays(t.Context(), s.Connection(), q); err != nil {
				t.Errorf("later: got %v", err)
			}
		})
	}
}

func TestExpiredTokensAreReplaced(t *testing.T) {
	for _, system := range []stay.System{stay.Apaleo, stay.OHIP} {
		t.Run(string(system), func(t *testing.T) {
			now := time.Now()
			s, c := pmstest.Start(t, system), newClient(t, func() time.Time { return now })
			b := s.Hotel.Bookings[0]
			q := query(t, s, b.Last().Room, b.Last().To)
			look := func() {
				t.Helper()
				if all, _, err := c.Stays(t.Context(), s.Connection(), q); err != nil || len(all) == 0 {
					t.Errorf("got %d stays, %v", len(all), err)
				}
			}
			look()
			look()
			if n := s.Tokens(); n != 1 {
				t.Errorf("got %d tokens for two look-ups, want 1", n)
			}
			s.ExpireTokens()
			look()
			n := s.Tokens()
			if n != 2 && (n != 3 || system != stay.OHIP) { // OHIP is asked for two things at the same time
				t.Errorf("got %d tokens after one was revoked, want 2", n)
			}
			now = now.Add(time.Hour)
			look()
			if got := s.Tokens(); got != n+1 {
				t.Errorf("got %d tokens after an hour, want %d", got, n+1)
			}
			other := s.Connection()
			other.Account = "acc_2"
			if _, _, err := c.Stays(t.Context(), other, q); err != nil || s.Tokens() != n+2 {
				t.Errorf("got %v and %d tokens; another account must not use the token of the first", err, s.Tokens())
			}
		})
	}
}

func TestEndlessPagesEnd(t *testing.T) {
	each(t, func(t *testing.T, s *pmstest.Server, c *pms.Client) {
		b := s.Hotel.Bookings[0]
		s.Fail(pmstest.Endless)
		if _, _, err := c.Stays(t.Context(), s.Connection(), query(t, s, b.Last().Room, b.Last().To)); err != nil {
			t.Error(err)
		}
		if n := s.Requests(); n > 20 {
			t.Errorf("got %d requests", n)
		}
	})
}

func TestPrivateAddressesAreRefused(t *testing.T) {
	each(t, func(t *testing.T, s *pmstest.Server, _ *pms.Client) {
		sender := webhook.NewSender(webhook.Options{})
		t.Cleanup(sender.Close)
		strict := func(raw string) lost.Problems { return webhook.CheckURL(raw, false) }
		c := pms.NewClient(pms.Options{
			Transport: sender.Transport(), CheckURL: strict, IsPrivate: webhook.IsPrivate, Now: time.Now,
		})
		if err := c.Check(t.Context(), s.Connection()); problem(err) != stay.NotAllowed || s.Requests() > 0 {
			t.Errorf("got %v and %d requests", err, s.Requests())
		}
		// A name that resolves to a private address passes the check of the URL, but not that of the connection.
		anyURL := func(string) lost.Problems { return nil }
		c = pms.NewClient(pms.Options{
			Transport: sender.Transport(), CheckURL: anyURL, IsPrivate: webhook.IsPrivate, Now: time.Now,
		})
		if err := c.Check(t.Context(), s.Connection()); problem(err) != stay.NotAllowed || s.Requests() > 0 {
			t.Errorf("got %v and %d requests", err, s.Requests())
		}
	})
}

func TestAnUnknownRoomHasNoStays(t *testing.T) {
	each(t, func(t *testing.T, s *pmstest.Server, c *pms.Client) {
		all, _, err := c.Stays(t.Context(), s.Connection(), query(t, s, "999", s.Hotel.Today))
		if len(all) > 0 || err != nil {
			t.Errorf("got %+v, %v", all, err)
		}
	})
}

func TestAUserOfOHIPCanLogIn(t *testing.T) {
	s, c := pmstest.Start(t, stay.OHIP), newClient(t, time.Now)
	to := s.Connection()
	to.Values[stay.UserSetting], to.Values[stay.PasswordSetting] = "integration", "user-password"
	if err := c.Check(t.Context(), to); err != nil {
		t.Error(err)
	}
	to.Values[stay.PasswordSetting] = "wrong"
	if err := c.Check(t.Context(), to); problem(err) != stay.Unauthorized {
		t.Errorf("got %v", err)
	}
}

// Errors are logged, so they must not contain what a system answered or which credentials were sent.
func TestErrorsContainNoSecrets(t *testing.T) {
	each(t, func(t *testing.T, s *pmstest.Server, c *pms.Client) {
		s.Fail(pmstest.BrokenJSON)
		err := c.Check(t.Context(), s.Connection())
		for name, value := range s.Values() {
			if name != stay.URLSetting && name != stay.PropertySetting && name != stay.ClientIDSetting &&
				name != stay.EnterpriseSetting && err != nil && strings.Contains(err.Error(), value) {
				t.Errorf("the error %q contains the setting %s", err, name)
			}
		}
	})
}
