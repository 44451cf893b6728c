package lost_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/lost"
)

// openLocation returns a location in Berlin with opening hours and slots of half an hour for two guests.
func openLocation(t *testing.T, hours ...lost.OpeningHours) lost.Location {
	t.Helper()
	l, err := lost.NewLocation("acc_1", lost.LocationPatch{
		Name: lost.Set("Hotel"), TimeZone: lost.Set("Europe/Berlin"), OpeningHours: lost.Set(hours),
		Slots: lost.Set(lost.SlotsPatch{Minutes: lost.Set(30), Capacity: lost.Set(2)}),
	}, noon)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func times(slots []lost.Slot) (out []string) {
	for _, s := range slots {
		out = append(out, s.Time)
	}
	return out
}

func TestOpeningHoursAreValidated(t *testing.T) {
	hours := func(days, from, to string) lost.OpeningHours {
		return lost.OpeningHours{Days: strings.Fields(days), From: from, To: to}
	}
	for name, c := range map[string]struct {
		patch lost.LocationPatch
		want  []string
	}{
		"unknown day": {
			lost.LocationPatch{OpeningHours: lost.Set([]lost.OpeningHours{hours("monday", "09:00", "12:00")})},
			[]string{"openingHours[0].days not-allowed"},
		},
		"the same day twice": {
			lost.LocationPatch{OpeningHours: lost.Set([]lost.OpeningHours{hours("mon mon", "09:00", "12:00")})},
			[]string{"openingHours[0].days not-allowed"},
		},
		"no day and no times": {
			lost.LocationPatch{OpeningHours: lost.Set([]lost.OpeningHours{hours("", "", "")})},
			[]string{
				"openingHours[0].days required", "openingHours[0].from required", "openingHours[0].to required",
			},
		},
		"slots longer than the hours": {
			lost.LocationPatch{
				OpeningHours: lost.Set([]lost.OpeningHours{
					hours("mon", "09:00", "12:00"), hours("tue", "09:00", "09:20"),
				}),
				Slots: lost.Set(lost.SlotsPatch{Minutes: lost.Set(30), Capacity: lost.Set(1)}),
			},
			[]string{"slots.minutes out-of-range"},
		},
		"past midnight": {
			lost.LocationPatch{OpeningHours: lost.Set([]lost.OpeningHours{hours("mon", "22:00", "02:00")})},
			[]string{"openingHours[0].from not-before-to"},
		},
		"no time": {
			lost.LocationPatch{OpeningHours: lost.Set([]lost.OpeningHours{hours("mon", "9", "24:30")})},
			[]string{"openingHours[0].from invalid-time", "openingHours[0].to invalid-time"},
		},
		"overlap": {
			lost.LocationPatch{OpeningHours: lost.Set([]lost.OpeningHours{
				hours("mon tue", "09:00", "12:00"), hours("tue wed", "11:00", "13:00"),
			})},
			[]string{"openingHours[1] overlaps"},
		},
		"too many hours": {
			lost.LocationPatch{OpeningHours: lost.Set(make([]lost.OpeningHours, lost.MaxOpeningHours+1))},
			[]string{"openingHours too-many"},
		},
		"closures": {
			lost.LocationPatch{Closures: lost.Set([]lost.Closure{
				{}, {From: "2026-02-30"}, {From: "2026-12-24", To: "2026-12-23"},
				{From: "2026-12-24", To: "2027-12-24", Yearly: true},
				{From: "2028-02-29", To: "2029-02-27", Yearly: true},
				{From: "2026-12-24", To: "2028-12-24"}, {From: "2028-02-29", To: "2029-02-28", Yearly: true},
			})},
			[]string{
				"closures[0].from required", "closures[1].from invalid-date", "closures[2].to before-from",
				"closures[3].to too-far", "closures[6].to too-far",
			},
		},
		"too many closures": {
			lost.LocationPatch{Closures: lost.Set(make([]lost.Closure, lost.MaxClosures+1))},
			[]string{"closures too-many"},
		},
		"slots out of range": {
			lost.LocationPatch{
				OpeningHours: lost.Set([]lost.OpeningHours{hours("mon", "09:00", "12:00")}),
				Slots:        lost.Set(lost.SlotsPatch{Minutes: lost.Set(1), Capacity: lost.Set(0)}),
			},
			[]string{"slots.minutes out-of-range", "slots.capacity out-of-range"},
		},
		"half of the slots": {
			lost.LocationPatch{
				OpeningHours: lost.Set([]lost.OpeningHours{hours("mon", "09:00", "12:00")}),
				Slots:        lost.Set(lost.SlotsPatch{Minutes: lost.Set(30)}),
			},
			[]string{"slots.capacity required"},
		},
		"slots without hours": {
			lost.LocationPatch{Slots: lost.Set(lost.SlotsPatch{Minutes: lost.Set(30), Capacity: lost.Set(1)})},
			[]string{"openingHours required"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.patch.Name = lost.Set("Hotel")
			_, err := lost.NewLocation("acc_1", c.patch, noon)
			if d := cmp.Diff(c.want, problems(t, err)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestOpeningHoursAreStoredInOrder(t *testing.T) {
	l := openLocation(t, lost.OpeningHours{Days: []string{"sat", "mon"}, From: "10:00", To: "00:00"})
	want := []lost.OpeningHours{{Days: []string{"mon", "sat"}, From: "10:00", To: "24:00"}}
	if d := cmp.Diff(want, l.OpeningHours); d != "" {
		t.Error(d)
	}
	if _, err := l.Update(lost.LocationPatch{OpeningHours: lost.Clear[[]lost.OpeningHours]()}, noon); err == nil {
		t.Error("hours were cleared although the slots need them")
	}
	changed, err := l.Update(lost.LocationPatch{
		OpeningHours: lost.Set([]lost.OpeningHours{}), Slots: lost.Clear[lost.SlotsPatch](),
		Closures: lost.Set([]lost.Closure{
			{From: "2027-01-01"}, {From: "2026-12-24", To: "2026-12-26", Reason: " Xmas "},
		}),
	}, noon)
	if err != nil || !changed || l.OpeningHours != nil || l.Slots != (lost.Slots{}) {
		t.Errorf("got %v %v %+v", changed, err, l)
	}
	if d := cmp.Diff([]lost.Closure{
		{From: "2026-12-24", To: "2026-12-26", Reason: "Xmas"}, {From: "2027-01-01", To: "2027-01-01"},
	}, l.Closures); d != "" {
		t.Error(d)
	}
}

func TestSlotsFollowHoursClosuresAndBookings(t *testing.T) {
	l := openLocation(t,
		lost.OpeningHours{Days: []string{"fri"}, From: "13:00", To: "14:15"},
		lost.OpeningHours{Days: []string{"fri"}, From: "23:30", To: "24:00"},
		lost.OpeningHours{Days: []string{"thu", "fri"}, From: "09:00", To: "10:00"})
	l.Closures = []lost.Closure{{From: "2026-11-27", To: "2026-11-28"}}
	const friday = "2026-11-20"
	want := []lost.Slot{
		{friday, "09:00", "09:30", 2, 2}, {friday, "09:30", "10:00", 2, 3},
		{friday, "13:00", "13:30", 2, 0}, {friday, "13:30", "14:00", 2, 0},
		{friday, "23:30", "24:00", 2, 1},
	}
	got := l.SlotsOn(friday, lost.Bookings{
		friday + " 09:00": 1, friday + " 09:10": 1, friday + " 09:30": 3, friday + " 23:59": 1, friday + " 14:10": 1,
		"2026-11-19 13:00": 1,
	})
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got[1].Free() != 0 || got[4].Free() != 1 {
		t.Errorf("got free places %d and %d, want 0 and 1", got[1].Free(), got[4].Free())
	}
	for _, day := range []string{"2026-11-21", "2026-11-27", "soon"} { // a Saturday, a closure, and no day
		if got := l.SlotsOn(day, nil); got != nil {
			t.Errorf("%s: got %v, want no slots", day, got)
		}
	}
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) // 13:00 in Berlin
	if d := cmp.Diff([]string{"13:30", "23:30", "09:00", "09:30"},
		times(l.SlotsBetween("2026-11-01", "2026-11-30", nil, at))); d != "" {
		t.Error(d)
	}
	if got := l.SlotsBetween("9999-12-30", "9999-12-31", nil, at); len(got) != 7 {
		t.Errorf("got %d slots at the end of time", len(got))
	}
}

// On the last Sunday of March the clock in Berlin goes from 02:00 to 03:00. On the last Sunday of October it shows the
// hour from 02:00 to 03:00 twice.
func TestSlotsFollowTheClockOfTheLocation(t *testing.T) {
	l := openLocation(t, lost.OpeningHours{Days: []string{"sun"}, From: "01:00", To: "04:00"})
	if d := cmp.Diff([]string{"01:00", "01:30", "03:00", "03:30"}, times(l.SlotsOn("2026-03-29", nil))); d != "" {
		t.Error(d)
	}
	october := times(l.SlotsOn("2026-10-25", nil))
	if d := cmp.Diff([]string{"01:00", "01:30", "02:00", "02:30", "03:00", "03:30"}, october); d != "" {
		t.Error(d)
	}
	first := time.Date(2026, 10, 25, 0, 15, 0, 0, time.UTC) // 02:15 for the first time
	for n, at := range []time.Time{first, first.Add(time.Hour)} {
		left := times(l.SlotsBetween("2026-10-25", "2026-10-25", nil, at))
		if d := cmp.Diff([]string{"02:30", "03:00", "03:30"}, left); d != "" {
			t.Errorf("the hour for time %d: %s", n+1, d)
		}
	}
}

func TestYearlyClosuresRecur(t *testing.T) {
	l := lost.Location{Closures: []lost.Closure{
		{From: "2026-12-30", To: "2027-01-02", Yearly: true}, {From: "2028-02-27", To: "2028-02-29", Yearly: true},
		{From: "2026-12-25", To: "2026-12-25"}, {From: "2028-06-01", To: "2028-06-01", Reason: "Feast", Yearly: true},
	}}
	for day, closed := range map[string]bool{
		"2025-12-31": false, "2026-01-01": false, "2026-12-29": false, "2026-12-30": true, "2027-01-02": true,
		"2027-01-03": false, "2027-12-31": true, "2040-01-01": true, "2040-01-03": false, "9999-12-31": true,
		"2026-12-25": true, "2027-12-25": false,
		"2027-02-28": false, "2028-02-29": true, "2028-03-01": false, "2029-02-26": false, "2029-02-28": true,
		"2029-03-01": false, "2032-02-29": true,
	} {
		if got := l.ClosureOn(day); (got != nil) != closed {
			t.Errorf("%s: got %v, want closed %v", day, got, closed)
		}
	}
	if got := l.ClosureOn("2030-06-01"); got == nil || got.From != "2030-06-01" || got.Reason != "Feast" {
		t.Errorf("got %+v, want the closure with the days of the year", got)
	}
	periods := func(all []lost.Closure) (days []string) {
		for _, c := range all {
			days = append(days, c.From+" "+c.To)
		}
		return days
	}
	if d := cmp.Diff([]string{
		"2026-12-25 2026-12-25", "2026-12-30 2027-01-02", "2027-12-30 2028-01-02", "2028-02-27 2028-02-29",
		"2028-06-01 2028-06-01", "2028-12-30 2029-01-02", "2029-02-27 2029-02-28",
	}, periods(l.ClosuresBetween("2026-12-25", "2029-02-27"))); d != "" {
		t.Error(d)
	}
	for day, want := range map[string][]string{
		"2026-12-26": {"2026-12-30 2027-01-02", "2028-02-27 2028-02-29", "2028-06-01 2028-06-01"},
		"2029-01-01": {"2028-12-30 2029-01-02", "2029-02-27 2029-02-28", "2029-06-01 2029-06-01"},
		"2029-01-03": {"2029-02-27 2029-02-28", "2029-06-01 2029-06-01", "2029-12-30 2030-01-02"},
		"2029-03-01": {"2029-06-01 2029-06-01", "2029-12-30 2030-01-02", "2030-02-27 2030-02-28"},
	} {
		if d := cmp.Diff(want, periods(l.NextClosures(day))); d != "" {
			t.Errorf("%s: %s", day, d)
		}
	}
	if facts := l.PublicFacts(); !facts.Closures[0].Yearly || facts.Closures[3].Reason != "" {
		t.Errorf("got the public facts %+v", facts.Closures)
	}
}

func TestAYearlyClosureHasNoSlots(t *testing.T) {
	l := openLocation(t, lost.OpeningHours{Days: lost.Weekdays(), From: "10:00", To: "10:30"})
	l.Closures = []lost.Closure{{From: "2026-12-24", To: "2026-12-26", Yearly: true}}
	at := time.Date(2031, 12, 22, 12, 0, 0, 0, time.UTC)
	var days []string
	for _, s := range l.SlotsBetween("2031-12-23", "2031-12-27", nil, at) {
		days = append(days, s.Date)
	}
	if d := cmp.Diff([]string{"2031-12-23", "2031-12-27"}, days); d != "" {
		t.Error(d)
	}
	if !l.ClosedAt(lost.Pickup{Date: "2031-12-25", Time: "10:00", Planned: true}) {
		t.Error("a pick-up on a day of a yearly closure is while closed")
	}
}

func TestGuestsChooseOnlyOpenTimes(t *testing.T) {
	l := openLocation(t, lost.OpeningHours{Days: []string{"mon", "tue"}, From: "09:00", To: "12:00"},
		lost.OpeningHours{Days: []string{"tue"}, From: "14:00", To: "16:00"})
	l.Closures = []lost.Closure{{From: "2026-11-16", To: "2026-11-16"}}
	choose := func(day, at string) error {
		i := lost.Item{Status: lost.Pending, Source: lost.Found}
		_, err := i.Choose(lost.ChoicePatch{
			Choice: lost.ChoosePickUp, PickupDate: lost.Set(day), PickupTime: lost.Set(at),
		}, l, noon)
		return err
	}
	for _, c := range []struct{ day, at, want string }{
		{"2026-11-16", "09:00", "pickupDate closed"}, {"2026-11-18", "09:00", "pickupDate closed"},
		{"2026-11-17", "09:10", "pickupTime not-a-slot"}, {"2026-11-17", "12:00", "pickupTime not-a-slot"},
	} {
		if d := cmp.Diff([]string{c.want}, problems(t, choose(c.day, c.at))); d != "" {
			t.Errorf("%s %s: %s", c.day, c.at, d)
		}
	}
	if err := choose("2026-11-17", "14:30"); err != nil {
		t.Error(err)
	}
	first, _ := lost.Item{}.PickupDays(l, noon)
	if first != "2026-11-17" {
		t.Errorf("got %s as the first day, want Tuesday", first)
	}
	l.Slots = lost.Slots{}
	if err := choose("2026-11-17", "09:10"); err != nil {
		t.Error(err)
	}
	err := choose("2026-11-17", "13:00")
	if e := lost.ProblemsOf(err); len(e) != 1 ||
		e[0].Message != "must be between 09:00 and 12:00 or between 14:00 and 16:00" {
		t.Errorf("got %v", err)
	}
	l.Closures = []lost.Closure{{From: "2000-01-01", To: "2099-12-31"}}
	if first, last := (lost.Item{}).PickupDays(l, noon); first <= last {
		t.Errorf("a closed location can be visited from %s to %s", first, last)
	}
}

func TestAFullSlotNamesTheNextFreeOnes(t *testing.T) {
	l := openLocation(t, lost.OpeningHours{Days: []string{"tue"}, From: "09:00", To: "11:00"})
	i := lost.Item{Status: lost.PickUp, Pickup: lost.Pickup{Date: "2026-11-17", Time: "09:30"}}
	if err := l.CheckSlot(i, lost.Bookings{"2026-11-17 09:30": 1}, noon); err != nil {
		t.Error(err)
	}
	full := lost.Bookings{"2026-11-17 09:30": 2, "2026-11-17 10:30": 2}
	err := l.CheckSlot(i, full, noon)
	if d := cmp.Diff([]string{"pickupTime slot-full"}, problems(t, err)); d != "" {
		t.Error(d)
	}
	want := "is fully booked; the next free times are 2026-11-17 10:00, 2026-11-24 09:00, 2026-11-24 09:30"
	if got := lost.ProblemsOf(err)[0].Message; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	l.Closures = []lost.Closure{{From: "2026-11-18", To: "2027-12-31"}}
	full["2026-11-17 10:00"] = 2
	err = l.CheckSlot(i, full, noon)
	if got := lost.ProblemsOf(err); len(got) != 1 || !strings.Contains(got[0].Message, "14 days") {
		t.Errorf("got %v", got)
	}
	if slices.Contains(times(l.SlotsOn("2026-11-24", nil)), "09:00") {
		t.Error("a closed day has slots")
	}
}

func TestAPickupIsWhileClosedOnlyIfHoursOrClosuresAreKnown(t *testing.T) {
	at := lost.Pickup{Date: "2026-11-24", Time: "20:00", Planned: true} // a Tuesday
	open := openLocation(t, lost.OpeningHours{Days: []string{"tue"}, From: "09:00", To: "12:00"})
	if !open.ClosedAt(at) || open.ClosedAt(lost.Pickup{Date: at.Date, Time: "10:00"}) {
		t.Error("pick-ups outside the opening hours are while closed, and others are not")
	}
	simple := lost.Location{Pickup: lost.PickupWindow{From: "09:00", To: "12:00"}}
	if simple.ClosedAt(at) {
		t.Error("without opening hours, the desk can agree on any time")
	}
	simple.Closures = []lost.Closure{{From: at.Date, To: at.Date, Reason: "Inventory"}}
	if !simple.ClosedAt(at) {
		t.Error("a pick-up on a day of a closure is while closed")
	}
	if facts := simple.PublicFacts(); len(facts.Closures) != 1 || facts.Closures[0].Reason != "" {
		t.Errorf("the public facts have the closures %+v, want them without reasons", facts.Closures)
	}
}
