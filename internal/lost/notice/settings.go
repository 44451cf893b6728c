// Package notice contains the notices that tell members of staff by e-mail or push message what they asked for: what a
// person can choose, and when a notice is due. Like package lost, it is pure.
package notice

import (
	"slices"
	"time"

	"homeward/internal/lost"
)

// Kind is what a notice is about.
type Kind string

// The kinds of notice.
const (
	Report  Kind = "report"  // a guest reported a lost item
	Match   Kind = "match"   // a found item is a likely match for a request
	Answer  Kind = "answer"  // a guest wrote to the desk
	Payment Kind = "payment" // a guest paid for shipping
	Storage Kind = "storage" // the storage of an item ends soon
	Monthly Kind = "monthly" // the report about the last month; only by e-mail, in an e-mail of its own
)

// Kinds lists all kinds.
func Kinds() []Kind { return []Kind{Report, Match, Answer, Payment, Storage, Monthly} }

// HasPush reports whether notices of the kind can be push messages.
func (k Kind) HasPush() bool { return k != Monthly }

// Delivery is when e-mails about a kind are sent. It is empty if none are.
type Delivery string

// When e-mails are sent. The monthly report has its own time, which AtOnce selects.
const (
	Off    Delivery = ""
	AtOnce Delivery = "at-once"
	Daily  Delivery = "daily"
)

// Choice is what a person chose for one kind.
type Choice struct {
	Email Delivery
	Push  bool
	Since time.Time // what happened before causes no notice
}

// Active reports whether the person wants any notice of the kind.
func (c Choice) Active() bool { return c.Email != Off || c.Push }

// Settings are the notices that a person has asked for.
type Settings struct {
	Account, UserID    string
	Kinds              map[Kind]Choice
	QuietFrom, QuietTo string // HH:mm; empty if there are no quiet hours
	TimeZone           string // IANA; empty for UTC
	DigestHour         int
	Locations          []string  // nil for all that the person can see
	ReportAt           time.Time // when the next monthly report is due; zero if the person wants none
}

// DefaultHour is the hour of the daily e-mail until the person chooses another one.
const DefaultHour = 8

// MaxLocations is the maximum number of locations that a person can choose.
const MaxLocations = lost.MaxMemberLocations

// NewSettings returns the settings of a person who has not asked for any notice.
func NewSettings(u lost.User) Settings {
	return Settings{Account: u.Account, UserID: u.ID, Kinds: map[Kind]Choice{}, DigestHour: DefaultHour}
}

// Active reports whether the person wants any notice.
func (s Settings) Active() bool {
	return slices.ContainsFunc(Kinds(), func(k Kind) bool { return s.Kinds[k].Active() })
}

// Change replaces the choices with those of another value. The error lists all problems.
func (s *Settings) Change(to Settings, now time.Time) error {
	if err := to.check(); err != nil {
		return err
	}
	kinds := map[Kind]Choice{}
	for _, k := range Kinds() {
		chosen, before := to.Kinds[k], s.Kinds[k]
		chosen.Since = before.Since
		if !before.Active() {
			chosen.Since = now
		}
		if chosen.Active() {
			kinds[k] = chosen
		}
	}
	s.Kinds, s.Locations, s.DigestHour = kinds, to.Locations, to.DigestHour
	s.QuietFrom, s.QuietTo, s.TimeZone = to.QuietFrom, to.QuietTo, to.TimeZone
	s.planReport(now)
	return nil
}

// check returns an Invalid error that lists all problems.
func (s Settings) check() error {
	var p lost.Problems
	for k, c := range s.Kinds {
		allowed := []Delivery{Off, AtOnce, Daily}
		if k == Monthly {
			allowed = []Delivery{Off, AtOnce}
		}
		if !slices.Contains(Kinds(), k) || !slices.Contains(allowed, c.Email) || c.Push && !k.HasPush() {
			p.Add(string(k), "not-allowed", "must be one of %s", lost.Quoted(allowed))
		}
	}
	for field, at := range map[string]string{"quietFrom": s.QuietFrom, "quietTo": s.QuietTo} {
		other := s.QuietFrom + s.QuietTo
		if _, err := time.Parse(lost.TimeLayout, at); err != nil && other != "" {
			p.Add(field, "invalid-time", "must be a time from 00:00 to 23:59 in the format HH:mm")
		}
	}
	if _, err := time.LoadLocation(s.TimeZone); err != nil || s.TimeZone == "Local" {
		p.Add("timeZone", "invalid-time-zone", "must be an IANA time zone, such as Europe/Berlin")
	}
	if s.DigestHour < 0 || s.DigestHour > 23 {
		p.Add("digestHour", "out-of-range", "must be from 0 to 23")
	}
	if s.Locations != nil && (len(s.Locations) == 0 || len(s.Locations) > MaxLocations) {
		p.Add("locations", "out-of-range", "must be 1 to %d locations, or all locations", MaxLocations)
	}
	return p.Err()
}

// StopEmails ends the e-mails about some kinds, or about all kinds if there are none. It reports false if there were no
// such e-mails.
func (s *Settings) StopEmails(now time.Time, kinds ...Kind) (changed bool) {
	for k, c := range s.Kinds {
		if c.Email == Off || len(kinds) > 0 && !slices.Contains(kinds, k) {
			continue
		}
		changed = true
		c.Email = Off
		s.Kinds[k] = c
		if !c.Active() {
			delete(s.Kinds, k)
		}
	}
	s.planReport(now)
	return changed
}

// Includes reports whether the person wants notices about a location.
func (s Settings) Includes(location string) bool {
	return s.Locations == nil || slices.Contains(s.Locations, location)
}

// Zone returns the person's time zone.
func (s Settings) Zone() *time.Location {
	zone, err := time.LoadLocation(s.TimeZone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// Due returns when a notice about something that happens now is sent: now or with the next daily e-mail, but never
// during quiet hours.
func (s Settings) Due(d Delivery, now time.Time) time.Time {
	if d == Daily {
		now = s.nextHour(now)
	}
	return s.AfterQuiet(now)
}

// nextHour returns the next time when the daily e-mail is sent.
func (s Settings) nextHour(now time.Time) time.Time {
	zone := s.Zone()
	local := now.In(zone)
	for days := 0; ; days++ {
		at := time.Date(local.Year(), local.Month(), local.Day()+days, s.DigestHour, 0, 0, 0, zone)
		if at.After(now) {
			return at
		}
	}
}

// AfterQuiet returns the time if it is not in the quiet hours, and otherwise the time when they end. When clocks are
// changed during the quiet hours, these end later rather than earlier.
func (s Settings) AfterQuiet(at time.Time) time.Time {
	if !s.isQuiet(at) {
		return at
	}
	zone := s.Zone()
	local := at.In(zone)
	end, _ := time.Parse(lost.TimeLayout, s.QuietTo)
	day := local.Day()
	if clock(local) >= clock(end) {
		day++
	}
	until := time.Date(local.Year(), local.Month(), day, end.Hour(), end.Minute(), 0, 0, zone)
	for !until.After(at) || s.isQuiet(until) {
		until = until.Add(15 * time.Minute)
	}
	return until
}

// isQuiet reports whether a time is in the quiet hours.
func (s Settings) isQuiet(at time.Time) bool {
	from, err := time.Parse(lost.TimeLayout, s.QuietFrom)
	if err != nil {
		return false
	}
	to, err := time.Parse(lost.TimeLayout, s.QuietTo)
	if err != nil {
		return false
	}
	now := clock(at.In(s.Zone()))
	if clock(from) <= clock(to) {
		return clock(from) <= now && now < clock(to)
	}
	return clock(from) <= now || now < clock(to)
}

// clock returns the minutes since midnight.
func clock(at time.Time) int { return at.Hour()*60 + at.Minute() }

// planReport sets when the next monthly report is due: on the first day of the next month.
func (s *Settings) planReport(now time.Time) {
	if s.Kinds[Monthly].Email == Off {
		s.ReportAt = time.Time{}
		return
	}
	zone := s.Zone()
	local := now.In(zone)
	for months := 0; ; months++ {
		s.ReportAt = time.Date(local.Year(), local.Month()+time.Month(months), 1, s.DigestHour, 0, 0, 0, zone)
		if s.ReportAt.After(now) {
			return
		}
	}
}

// NewReport returns the notice of the monthly report that is due, and plans the next one.
func (s *Settings) NewReport(now time.Time) Notice {
	month := lost.MonthOf(s.ReportAt.In(s.Zone())) - 1
	s.planReport(now)
	return Notice{
		Account: s.Account, ID: lost.NewID(lost.NoticeID, now), UserID: s.UserID, Target: ReportEmail, Kind: Monthly,
		Subject: month.FirstDay().Format(monthLayout), DueAt: s.AfterQuiet(now), CreatedAt: now,
	}
}
