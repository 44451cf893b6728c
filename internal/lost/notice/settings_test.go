package notice_test

import (
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/notice"
)

const minutes = "2006-01-02 15:04 MST"

// berlin returns a time in Berlin.
func berlin(t *testing.T, text string) time.Time {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at, err := time.ParseInLocation("2006-01-02 15:04", text, zone)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestNoticesWaitForTheEndOfQuietHours(t *testing.T) {
	for _, c := range []struct {
		from, to, now, want string
	}{
		{"", "", "2026-11-18 03:00", "2026-11-18 03:00 CET"},
		{"22:00", "07:00", "2026-11-18 21:59", "2026-11-18 21:59 CET"},
		{"22:00", "07:00", "2026-11-18 22:00", "2026-11-19 07:00 CET"},
		{"22:00", "07:00", "2026-11-19 06:59", "2026-11-19 07:00 CET"},
		{"22:00", "07:00", "2026-11-19 07:00", "2026-11-19 07:00 CET"},
		{"12:00", "13:30", "2026-11-18 12:45", "2026-11-18 13:30 CET"},
		{"12:00", "12:00", "2026-11-18 12:00", "2026-11-18 12:00 CET"},
		// In the night of 28 to 29 March 2026, there is no time from 02:00 to 03:00.
		{"22:00", "07:00", "2026-03-28 23:00", "2026-03-29 07:00 CEST"},
		{"22:00", "02:30", "2026-03-29 01:00", "2026-03-29 03:30 CEST"},
		// In the night of 24 to 25 October 2026, the time from 02:00 to 03:00 comes twice.
		{"22:00", "07:00", "2026-10-24 23:00", "2026-10-25 07:00 CET"},
	} {
		s := notice.Settings{QuietFrom: c.from, QuietTo: c.to, TimeZone: "Europe/Berlin"}
		if got := s.AfterQuiet(berlin(t, c.now)).Format(minutes); got != c.want {
			t.Errorf("quiet from %q to %q, at %s: got %s, want %s", c.from, c.to, c.now, got, c.want)
		}
	}
}

// However clocks are changed, quiet hours end, and nothing is sent during them.
func TestQuietHoursEndAfterEveryMinute(t *testing.T) {
	for _, day := range []string{"2026-03-28 20:00", "2026-10-24 20:00"} {
		s := notice.Settings{QuietFrom: "22:00", QuietTo: "02:30", TimeZone: "Europe/Berlin"}
		begin := berlin(t, day)
		for n := range 12 * 60 {
			at := begin.Add(time.Duration(n) * time.Minute)
			due := s.AfterQuiet(at)
			if due.Before(at) || due.Sub(at) > 7*time.Hour || !s.AfterQuiet(due).Equal(due) {
				t.Fatalf("at %s: due at %s", at.Format(minutes), due.Format(minutes))
			}
		}
	}
}

func TestTheDailyEmailComesAtItsHour(t *testing.T) {
	for _, c := range []struct {
		hour            int
		from, to        string
		now, want, what string
	}{
		{8, "", "", "2026-11-18 07:59", "2026-11-18 08:00 CET", "today"},
		{8, "", "", "2026-11-18 08:00", "2026-11-19 08:00 CET", "tomorrow"},
		{8, "", "", "2026-03-28 12:00", "2026-03-29 08:00 CEST", "over the change to summer time"},
		{6, "22:00", "07:00", "2026-11-18 12:00", "2026-11-19 07:00 CET", "in the quiet hours"},
	} {
		s := notice.Settings{
			DigestHour: c.hour, QuietFrom: c.from, QuietTo: c.to, TimeZone: "Europe/Berlin",
		}
		if got := s.Due(notice.Daily, berlin(t, c.now)).Format(minutes); got != c.want {
			t.Errorf("%s: got %s, want %s", c.what, got, c.want)
		}
		if got := s.Due(notice.AtOnce, berlin(t, c.now)).Format(minutes); got != berlin(t, c.now).Format(minutes) {
			t.Errorf("%s, at once: got %s", c.what, got)
		}
	}
}

func TestTheReportComesOnTheFirstDayOfTheMonth(t *testing.T) {
	s := notice.NewSettings(lost.User{Account: "acc_1", ID: "usr_1"})
	to := notice.Settings{
		Kinds: map[notice.Kind]notice.Choice{notice.Monthly: {Email: notice.AtOnce}}, TimeZone: "Europe/Berlin",
		DigestHour: 8,
	}
	if err := s.Change(to, berlin(t, "2026-11-18 12:00")); err != nil {
		t.Fatal(err)
	}
	if got := s.ReportAt.Format(minutes); got != "2026-12-01 08:00 CET" {
		t.Errorf("got the first report at %s", got)
	}
	n := s.NewReport(berlin(t, "2026-12-01 08:00"))
	if month, ok := n.Month(); !ok || month.FirstDay().Format("2006-01") != "2026-11" {
		t.Errorf("got a report about %s", n.Subject)
	}
	if got := s.ReportAt.Format(minutes); got != "2027-01-01 08:00 CET" {
		t.Errorf("got the next report at %s", got)
	}
	s.StopEmails(berlin(t, "2026-12-02 08:00"), notice.Monthly)
	if !s.ReportAt.IsZero() || s.Active() {
		t.Errorf("got %+v after the report was stopped", s)
	}
}

func TestWrongSettingsAreRejected(t *testing.T) {
	all := func(k notice.Kind, c notice.Choice) map[notice.Kind]notice.Choice {
		return map[notice.Kind]notice.Choice{k: c}
	}
	for field, to := range map[string]notice.Settings{
		"report":     {Kinds: all(notice.Report, notice.Choice{Email: "hourly"})},
		"monthly":    {Kinds: all(notice.Monthly, notice.Choice{Email: notice.Daily})},
		"quietTo":    {QuietFrom: "22:00"},
		"quietFrom":  {QuietFrom: "25:00", QuietTo: "07:00"},
		"timeZone":   {TimeZone: "Local"},
		"digestHour": {DigestHour: 24},
		"locations":  {Locations: []string{}},
	} {
		s := notice.NewSettings(lost.User{})
		if err := s.Change(to, time.Now()); !lost.ProblemsOf(err).Has(field) {
			t.Errorf("%s: got %v", field, err)
		}
	}
}

func TestAKindCountsFromWhenItWasChosen(t *testing.T) {
	now := berlin(t, "2026-11-18 12:00")
	s := notice.NewSettings(lost.User{})
	choose := func(email notice.Delivery) time.Time {
		to := notice.Settings{Kinds: map[notice.Kind]notice.Choice{notice.Report: {Email: email}}}
		if err := s.Change(to, now); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Hour)
		return s.Kinds[notice.Report].Since
	}
	if first, later := choose(notice.AtOnce), choose(notice.Daily); !later.Equal(first) {
		t.Errorf("got %s after another choice, want still %s", later, first)
	}
	choose(notice.Off)
	again := now
	if got := choose(notice.Daily); !got.Equal(again) {
		t.Errorf("got %s after the kind was off, want %s", got, again)
	}
}
