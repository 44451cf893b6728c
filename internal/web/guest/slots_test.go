package guest_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/i18n"
	"homeward/internal/ical/icaltest"
	"homeward/internal/lost"
	"homeward/internal/web/browsertest"
)

// adlerWithSlots returns a hotel in Berlin with slots of one hour for one guest, on Friday and Saturday.
func adlerWithSlots() lost.LocationPatch {
	p := adler()
	p.OpeningHours = lost.Set([]lost.OpeningHours{{Days: []string{"fri", "sat"}, From: "10:00", To: "13:00"}})
	p.Slots = lost.Set(lost.SlotsPatch{Minutes: lost.Set(60), Capacity: lost.Set(1)})
	return p
}

// A guest answers the desk's question, books a time, moves it and cancels it: on a phone and on a desktop, with and
// without scripts, in every language. Each language is tested on one of the databases, or on all of them if
// HOMEWARD_TEST_LONG is set.
func TestAGuestBooksMovesAndCancelsASlot(t *testing.T) {
	visitors := []browsertest.Options{
		{Phone: true, Dark: true}, {Phone: true, NoScript: true}, {Zone: "America/New_York"}, {NoScript: true},
	}
	databases, all := 0, os.Getenv("HOMEWARD_TEST_LONG") != ""
	eachDatabase(t, func(t *testing.T, h *server) {
		l := h.location(adlerWithSlots())
		rival := h.link(h.item(l, umbrella()))
		server := httptest.NewServer(h.handler)
		t.Cleanup(server.Close)
		for n, tag := range i18n.Tags() {
			if n%2 != databases%2 && !all {
				continue
			}
			o := visitors[n/2%len(visitors)]
			o.Language = tag
			t.Run(o.String(), func(t *testing.T) {
				i := h.item(l, umbrella())
				j := journey{
					t: t, h: h, v: browsertest.New(t, o), lang: i18n.Choose(tag), item: i, link: h.link(i),
					rival: rival, axe: databases == 0 || all,
				}
				j.v.IgnoreError("422")
				j.v.Visit(server.URL + j.link)
				j.answer()
				j.book()
				j.moveAndCancel()
			})
		}
		databases++
	})
}

// journey is the way of a guest through the pages of an item, in one language.
type journey struct {
	t           *testing.T
	h           *server
	v           *browsertest.Visitor
	lang        *i18n.Language
	item        lost.Item
	link, rival string   // the paths of the guest and of a guest who wants the same time
	axe         bool     // the accessibility of each page is checked
	english     []string // the texts so far, in English, unless they are the same in the guest's language
}

// say returns a text of the pages in the guest's language.
func (j *journey) say(key string, args ...any) string {
	text := j.lang.Say(key, args...)
	if english := i18n.Choose("en").Say(key, args...); english != text {
		j.english = append(j.english, english)
	}
	return text
}

// when returns a time, as the pages show it to the guest.
func (j *journey) when(day, at string) string {
	date := j.lang.Date(day)
	return j.lang.Say("guest.pickup.when", "date", date, "time", j.lang.Time(at), "zone", "Europe/Berlin")
}

// slot returns the name of the button that books a time.
func (j *journey) slot(day, at string) string {
	return i18n.Join(", ", j.lang.Date(day), j.lang.Time(at))
}

// see waits until the page shows texts, and checks that it is accessible and only in the guest's language.
func (j *journey) see(texts ...string) {
	j.t.Helper()
	j.v.See(texts...)
	var lang string
	j.v.Run("document.documentElement.lang", &lang)
	text := strings.Join(strings.Fields(j.v.Text()), " ")
	if keys := textKey.FindAllString(text, -1); lang != j.lang.Tag() || len(keys) > 0 {
		j.t.Errorf("%s is in %q and shows the keys %q", j.v.Location(), lang, keys)
	}
	for _, english := range j.english {
		if strings.Contains(text, english) {
			j.t.Errorf("the page in %s shows %q", j.lang.Tag(), english)
		}
	}
	if j.axe {
		j.v.CheckAccessibility()
	}
}

// answer answers a question of the desk.
func (j *journey) answer() {
	j.t.Helper()
	ask(j.h, j.item, "2 + 2 = ?")
	j.h.clock.Advance(time.Second)
	j.v.Reload()
	j.see("2 + 2 = ?", j.say("guest.thread.title", "location", "Hotel Adler"), j.say("guest.choose.title"),
		j.say("guest.choose.pickup.hint"))
	j.v.Fill(j.say("guest.thread.text"), "4")
	j.v.Follow(j.say("guest.thread.send"))
	j.see(j.say("guest.thread.sent", "location", "Hotel Adler"), j.say("guest.thread.unseen"))
	if list := conversation(j.h, j.item); len(list) != 2 || list[0].Text != "4" || list[0].From != lost.FromGuest ||
		list[1].SeenAt.IsZero() {
		j.t.Errorf("got the conversation %+v", list)
	}
}

// book books a time, after another guest has taken the first choice.
func (j *journey) book() {
	j.t.Helper()
	const day = "2026-11-20"
	j.v.Follow(j.say("guest.choose.pickup"))
	j.see(j.say("guest.pickup.title"), j.lang.Date(day), j.lang.Date("2026-11-21"),
		j.say("guest.pickup.zone", "zone", "Europe/Berlin"))
	j.v.CheckLayoutShift()
	j.v.Screenshot("slots")
	j.h.post(j.rival+"/pickup", form("slot", day+" 11:00")).redirects(j.t, j.rival)
	j.v.Follow(j.slot(day, "11:00"))
	j.see(j.lang.Say("error.summary.line", "label", j.slot(day, "11:00"), "error", j.say("error.slot-full")))
	j.v.Follow(j.slot(day, "12:00"))
	j.see(j.say("guest.pickup.chosen.title"), j.when(day, "12:00"), j.say("guest.calendar"), j.say("guest.map"))
	j.v.Screenshot("booked")
	if now := j.h.reload(j.item); now.Status != lost.PickUp || now.Pickup.Date != day || now.Pickup.Time != "12:00" {
		j.t.Errorf("got status %s with pickup %+v", now.Status, now.Pickup)
	}
	j.h.post(j.rival+"/cancel", nil).redirects(j.t, j.rival+"?canceled=1")
}

func (j *journey) moveAndCancel() {
	j.t.Helper()
	const day = "2026-11-20"
	j.v.Follow(j.say("guest.pickup.change"))
	j.see(j.say("guest.slots.now", "when", j.when(day, "12:00")))
	j.v.Follow(j.slot(day, "10:00"))
	j.see(j.say("guest.pickup.moved"), j.when(day, "10:00"))
	if now := j.h.reload(j.item); now.Status != lost.PickUp || now.Pickup.Time != "10:00" {
		j.t.Errorf("got status %s with pickup %+v after moving", now.Status, now.Pickup)
	}
	j.v.Follow(j.say("guest.cancel"))
	j.see(j.say("guest.cancel.title"), j.say("guest.cancel.text", "location", "Hotel Adler"),
		j.say("guest.pickup.until", "date", j.lang.Date(j.item.StoreUntil())))
	j.v.SeeNot("at any time")
	j.v.Follow(j.say("guest.cancel"))
	j.see(j.say("guest.canceled"), j.say("guest.choose.pickup"))
	if now := j.h.reload(j.item); now.Status != lost.Pending || now.Pickup.Time != "" {
		j.t.Errorf("got status %s with pickup %+v after canceling", now.Status, now.Pickup)
	}
}

// textKey matches the key of a text of guests' pages, which a page shows if the text is missing.
var textKey = regexp.MustCompile(`\b(guest|common|error|public|frame)\.[a-z][a-z.-]+`)

// The pages of slots speak every language: the free times at the location and those in the visitor's own time zone, a
// time that is fully booked, and the guest's own time.
func TestSlotsInEveryLanguage(t *testing.T) {
	h := newServer(t)
	p := adlerWithSlots()
	p.StorageDuration = lost.Set(90)
	l := h.location(p)
	link, rival := h.link(h.item(l, umbrella())), h.link(h.item(l, umbrella()))
	h.post(rival+"/pickup", form("slot", "2026-12-04 11:00")).redirects(t, rival)
	at := link + "/pickup?from=2026-12-04"
	day, zone := "2026-12-04", "Europe/Berlin"
	type expectPage func(page response, status int, texts ...string)
	each := func(check func(lang *i18n.Language, expect expectPage, cookie string)) {
		for _, tag := range i18n.Tags() {
			expect := func(page response, status int, texts ...string) {
				t.Helper()
				for n, text := range texts {
					texts[n] = strings.Join(strings.Fields(text), " ") // as in shownText
				}
				page.want(t, status, texts...)
				if got := attr(page.all("html")[0], "lang"); got != tag {
					t.Errorf("the page in %s has the language %q", tag, got)
				}
				if keys := textKey.FindAllString(page.shownText(), -1); len(keys) > 0 {
					t.Errorf("the page in %s shows the keys %q", tag, keys)
				}
			}
			check(i18n.Choose(tag), expect, "lang="+tag)
		}
	}
	each(func(lang *i18n.Language, expect expectPage, cookie string) {
		slots := h.get(at, "Cookie", cookie)
		expect(slots, http.StatusOK, lang.Say("guest.pickup.title"), lang.Date(day), lang.Say("guest.slots.earlier"),
			lang.Say("guest.slots.later"), lang.Say("guest.pickup.zone", "zone", zone))
		own := lang.Say("guest.zone.own", "time", "{time}", "zone", "{zone}")
		if got := attr(slots.all("form")[0], "data-own-time"); got != own {
			t.Errorf("for visitors in another zone: got %q, want %q", got, own)
		}
		full := h.post(at, form("slot", day+" 11:00"), "Cookie", cookie)
		expect(full, http.StatusUnprocessableEntity, i18n.Join(", ", lang.Date(day), lang.Time("11:00")))
	})
	h.post(at, form("slot", day+" 12:00")).redirects(t, link)
	each(func(lang *i18n.Language, expect expectPage, cookie string) {
		when := lang.Say("guest.pickup.when", "date", lang.Date(day), "time", lang.Time("12:00"), "zone", zone)
		expect(h.get(link, "Cookie", cookie), http.StatusOK, lang.Say("guest.pickup.chosen.title"), when,
			lang.Say("guest.pickup.change"))
		expect(h.get(link+"/pickup", "Cookie", cookie), http.StatusOK, lang.Say("guest.slots.now", "when", when))
	})
}

func TestVisitorsInAnotherTimeZoneAlsoSeeTheirOwnTime(t *testing.T) {
	h := newServer(t)
	i := h.item(h.location(adlerWithSlots()), umbrella())
	link := h.link(i)
	server := httptest.NewServer(h.handler)
	t.Cleanup(server.Close)
	paris := browsertest.New(t, browsertest.Options{Phone: true, Zone: "Europe/Paris"})
	paris.Visit(server.URL + link + "/pickup")
	paris.See("11:00", "Local time (Europe/Berlin)")
	paris.SeeNot("The second time is yours")
	v := browsertest.New(t, browsertest.Options{Phone: true, Zone: "America/New_York"})
	v.Visit(server.URL + link + "/pickup")
	v.See("11:00", "05:00", "Local time (Europe/Berlin)", "The second time is yours (America/New York).")
	v.CheckAccessibility()
	v.CheckLayoutShift()
	v.Screenshot("slots in another zone")
	v.Follow("Friday 20 November 2026, 11:00")
	v.See("Friday 20 November 2026, 11:00 (Europe/Berlin)", "Your time (America/New York): Friday, November 20",
		"05:00")
	v.CheckAccessibility()
	v.CheckLayoutShift()
	if now := h.reload(i); now.Pickup.Date != "2026-11-20" || now.Pickup.Time != "11:00" {
		t.Errorf("got the pick-up %+v, want 11:00 at the location", now.Pickup)
	}
	paris.Visit(server.URL + link)
	paris.See("Friday 20 November 2026, 11:00 (Europe/Berlin)")
	paris.SeeNot("Your time")
}

func TestAFailedBookingShowsTheDaysThatTheGuestSaw(t *testing.T) {
	h := newServer(t)
	p := adlerWithSlots()
	p.StorageDuration = lost.Set(90)
	l := h.location(p)
	link, rival := h.link(h.item(l, umbrella())), h.link(h.item(l, umbrella()))
	at := link + "/pickup?from=2026-12-04"
	page := h.get(at)
	page.want(t, http.StatusOK, "Friday 4 December 2026", "Earlier days", "Later days")
	if forms := page.all("form"); len(forms) != 1 || attr(forms[0], "action") != at {
		t.Error("the form does not remember the days of the page")
	}
	h.post(rival+"/pickup", form("slot", "2026-12-04 11:00")).redirects(t, rival)
	again := h.post(at, form("slot", "2026-12-04 11:00"))
	again.want(t, http.StatusUnprocessableEntity, "Friday 4 December 2026, 11:00 – This time is fully booked.",
		"Earlier days", "Later days")
	offered := func(slot string) bool { return len(again.all("button", "value", slot)) > 0 }
	if offered("2026-12-04 11:00") || !offered("2026-12-04 12:00") || offered("2026-11-20 10:00") {
		t.Error("the page offers the time that is fully booked, or other days")
	}
	// The location closes while the guest looks at the page.
	must(h.desk.Locations.Update(t.Context(), h.actor, l.ID, lost.LocationPatch{
		Closures: lost.Set([]lost.Closure{{From: "2026-12-04"}}),
	}))
	again = h.post(at, form("slot", "2026-12-04 12:00"))
	again.want(t, http.StatusUnprocessableEntity, "Friday 4 December 2026, 12:00 – The location is closed on this day.")
	if offered("2026-12-04 12:00") || !offered("2026-12-05 12:00") {
		t.Error("the page offers a time while the location is closed")
	}
	last := h.get(link + "/pickup?from=9999-12-31")
	last.want(t, http.StatusOK, "Earlier days")
	if strings.Contains(last.body, "Later days") {
		t.Error("the last page links to later days")
	}
}

func TestATimeWhileTheLocationIsClosedIsNotSuggested(t *testing.T) {
	h := newServer(t)
	p := adlerWithSlots()
	p.Slots = lost.Field[lost.SlotsPatch]{}
	l := h.location(p)
	link := h.link(h.item(l, umbrella()))
	suggested := func(a response) string { return a.fields().Get("pickupDate") + " " + a.fields().Get("pickupTime") }
	wrong := h.post(link+"/pickup", form("pickupDate", "2026-11-19", "pickupTime", "10:00"))
	wrong.want(t, http.StatusUnprocessableEntity,
		"Thursday 19 November 2026, 10:00 – The location is closed on this day.",
		"We suggest Friday 20 November 2026, 10:00.")
	if got := suggested(wrong); got != "2026-11-20 10:00" {
		t.Errorf("the form has the time %s", got)
	}
	h.post(link+"/pickup", form("pickupDate", "2026-11-20", "pickupTime", "12:10")).redirects(t, link)
	if got := suggested(h.get(link + "/pickup")); got != "2026-11-20 12:10" {
		t.Errorf("the form has the time %s, want the one chosen before", got)
	}
	must(h.desk.Locations.Update(t.Context(), h.actor, l.ID, lost.LocationPatch{
		Closures: lost.Set([]lost.Closure{{From: "2026-11-20"}}),
	}))
	h.get(link).want(t, http.StatusOK, "Hotel Adler is closed at this time. Please choose another time.")
	if got := suggested(h.get(link + "/pickup")); got != "2026-11-21 10:00" {
		t.Errorf("the form has the time %s, want the next day on which the location is open", got)
	}
}

func TestThePublicPageShowsOpeningHoursAndClosures(t *testing.T) {
	h := newServer(t)
	p := adlerWithSlots()
	p.Closures = lost.Set([]lost.Closure{
		{From: "2026-01-01", Reason: "New Year"},
		{From: "2020-12-24", To: "2020-12-26", Reason: "Quarrel with the cook", Yearly: true},
	})
	l := h.location(p)
	page := h.get("/l/" + l.Permalink)
	page.want(t, http.StatusOK, "When you can pick up items", "10:00–13:00", "Closed on these days",
		"Thursday 24 December 2026 – Saturday 26 December 2026", "Local time (Europe/Berlin)")
	for _, text := range []string{"cook", "1 January 2026"} {
		if strings.Contains(page.body, text) {
			t.Errorf("the page contains %q", text)
		}
	}
	if embedded := h.get("/l/" + l.Permalink + "?embed=1"); strings.Contains(embedded.body, "10:00–13:00") {
		t.Error("the embedded form shows the opening hours")
	}
	other := adler()
	other.Name = lost.Set("Hotel Falke")
	h.get("/l/"+h.location(other).Permalink).want(t, http.StatusOK, "Between 10:00 and 18:00, local time")
	server := httptest.NewServer(h.handler)
	t.Cleanup(server.Close)
	v := browsertest.New(t, browsertest.Options{Phone: true, NoScript: true})
	v.Visit(server.URL + "/l/" + l.Permalink)
	v.See("Closed on these days")
	v.CheckAccessibility()
	v.Screenshot("public page with hours")
}

func TestTheCalendarFollowsChanges(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		l := h.location(adlerWithSlots())
		i := h.item(l, umbrella())
		link := h.link(i)
		token := must(h.desk.Locations.NewFeed(t.Context(), h.actor, l.ID))
		read := func() []icaltest.Event {
			t.Helper()
			h.clock.Advance(time.Minute)
			return icaltest.MustParse(t, h.get("/l/"+l.Permalink+"/calendar/"+token+".ics").body)
		}
		h.post(link+"/pickup", form("slot", "2026-11-20 11:00")).redirects(t, link)
		booked := read()
		h.post(link+"/pickup", form("slot", "2026-11-21 10:00")).redirects(t, link+"?moved=1")
		moved := read()
		if len(booked) != 1 || len(moved) != 1 || moved[0]["UID"] != booked[0]["UID"] ||
			moved[0]["DTSTART"] != "20261121T090000Z" || moved[0].Sequence() <= booked[0].Sequence() {
			t.Errorf("got %v, then %v", booked, moved)
		}
		must(h.desk.Locations.Update(t.Context(), h.actor, l.ID, lost.LocationPatch{
			Slots: lost.Set(lost.SlotsPatch{Minutes: lost.Set(30), Capacity: lost.Set(1)}),
		}))
		must(h.desk.Locations.Update(t.Context(), h.actor, l.ID, lost.LocationPatch{
			Closures: lost.Set([]lost.Closure{
				{From: "2020-12-24", To: "2020-12-26", Reason: "Quarrel", Yearly: true},
				{From: "2026-12-24", To: "2026-12-26"}, {From: "2027-06-01"},
			}),
		}))
		closed := read()
		if len(closed) != 2 || closed[1]["SUMMARY"] != "Closed" ||
			closed[1]["DTSTART"]+" "+closed[1]["DTEND"] != "20261224 20261227" {
			t.Errorf("with a closure of every year: got %v", closed)
		}
		must(h.desk.Locations.Update(t.Context(), h.actor, l.ID, lost.LocationPatch{
			Closures: lost.Set([]lost.Closure{}),
		}))
		shorter := read()
		if len(shorter) != 1 || shorter[0]["DTEND"] != "20261121T093000Z" ||
			shorter[0].Sequence() <= moved[0].Sequence() {
			t.Errorf("after the length of slots changed: got %v, then %v", moved, shorter)
		}
		if file := icaltest.MustParse(t, h.get(link+"/pickup.ics").body); file[0].Sequence() < shorter[0].Sequence() {
			t.Errorf("the guest's file has the number %d", file[0].Sequence())
		}
		h.post(link+"/cancel", nil).redirects(t, link+"?canceled=1")
		if left := read(); len(left) != 0 {
			t.Errorf("the calendar has a canceled pick-up: %v", left)
		}
	})
}

func TestTheAuditLogNamesChangesOfTheCalendarAddress(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		l := h.location(adlerWithSlots())
		if err := h.desk.Locations.RevokeFeed(t.Context(), h.actor, l.ID); err != nil { // there is none
			t.Fatal(err)
		}
		h.clock.Advance(time.Second) // entries of the same time have no order
		must(h.desk.Locations.NewFeed(t.Context(), h.actor, l.ID))
		h.clock.Advance(time.Second)
		if err := h.desk.Locations.RevokeFeed(t.Context(), h.actor, l.ID); err != nil {
			t.Fatal(err)
		}
		var got []lost.AuditAction
		all := lost.AuditFilter{PageCursor: lost.PageCursor{Limit: 10}}
		for _, e := range must(h.desk.AuditLog.List(t.Context(), h.actor, all)).Data {
			got = append(got, e.Action)
		}
		want := []lost.AuditAction{lost.CalendarRevoked, lost.CalendarCreated, lost.LocationCreated}
		if !slices.Equal(got, want) {
			t.Errorf("got the actions %v, want %v", got, want)
		}
	})
}

func TestSlotsOfLaterDays(t *testing.T) {
	h := newServer(t)
	p := adlerWithSlots()
	p.StorageDuration = lost.Set(90)
	p.Closures = lost.Set([]lost.Closure{{From: "2026-11-15", To: "2026-12-10"}})
	l := h.location(p)
	link := h.link(h.item(l, umbrella()))
	first := h.get(link + "/pickup")
	first.want(t, http.StatusOK, "Friday 11 December 2026", "Later days")
	if !strings.Contains(first.body, link+"/pickup?from=2026-12-25") {
		t.Error("the page does not link to later days")
	}
	h.get(link+"/pickup?from=2026-12-25").want(t, http.StatusOK, "Friday 25 December 2026")
	h.get(link+"/pickup?from=soon").want(t, http.StatusOK, "Friday 11 December 2026")
	for _, slot := range []string{"2026-11-20 10:00", "2026-12-11 10:30", "2026-12-11", ""} {
		h.post(link+"/pickup", form("slot", slot)).want(t, http.StatusUnprocessableEntity, "Please check the form")
	}
}

func TestThePickupIsAFileForTheCalendar(t *testing.T) {
	h := newServer(t)
	l := h.location(adlerWithSlots())
	i := h.item(l, umbrella())
	link := h.link(i)
	h.get(link+"/pickup.ics").redirects(t, link)
	h.post(link+"/pickup", form("slot", "2026-11-20 11:00")).redirects(t, link)
	a := h.get(link + "/pickup.ics")
	for _, text := range []string{
		"DTSTART:20261120T100000Z\r\nDTEND:20261120T110000Z\r\n", "SUMMARY:Pick-up at Hotel Adler",
	} {
		if !strings.Contains(a.body, text) {
			t.Errorf("%q is missing in %s", text, a.body)
		}
	}
	if kind := a.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/calendar") {
		t.Errorf("got the content type %s", kind)
	}
	if strings.Contains(a.body, "anna@") {
		t.Error("the file contains the guest's address")
	}
}

func TestOpeningHoursWithoutSlotsAreShown(t *testing.T) {
	h := newServer(t)
	p := adlerWithSlots()
	p.Slots = lost.Field[lost.SlotsPatch]{}
	link := h.link(h.item(h.location(p), umbrella()))
	h.get(link+"/pickup").want(t, http.StatusOK, "Fri, Sat 10:00–13:00", "We suggest Friday 20 November 2026")
	h.post(link+"/pickup", form("pickupDate", "2026-11-20", "pickupTime", "14:00")).
		want(t, http.StatusUnprocessableEntity, "Choose a time in the opening hours.")
	h.post(link+"/pickup", form("pickupDate", "2026-11-19", "pickupTime", "10:00")).
		want(t, http.StatusUnprocessableEntity, "The location is closed on this day. Choose another day.")
	h.post(link+"/pickup", form("pickupDate", "2026-11-20", "pickupTime", "12:10")).redirects(t, link)
}

func TestACalendarProgramReadsThePickups(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *server) {
		l := h.location(adlerWithSlots())
		i := h.item(l, umbrella())
		link := h.link(i)
		h.post(link+"/pickup", form("slot", "2026-11-20 11:00")).redirects(t, link)
		at := func(token string) string { return "/l/" + l.Permalink + "/calendar/" + token + ".ics" }
		token, err := h.desk.Locations.NewFeed(t.Context(), h.actor, l.ID)
		if err != nil {
			t.Fatal(err)
		}
		a := h.get(at(token))
		if a.StatusCode != http.StatusOK || !strings.Contains(a.body, "SUMMARY:Pick-up "+i.Reference) ||
			!strings.Contains(a.body, "DTSTART:20261120T100000Z") {
			t.Errorf("got status %d: %s", a.StatusCode, a.body)
		}
		if a.Header.Get("Cache-Control") != "no-store" || !strings.Contains(a.Header.Get("X-Robots-Tag"), "noindex") {
			t.Errorf("caches and search engines may store the calendar: %v", a.Header)
		}
		dayOnly := h.item(l, umbrella())
		must(h.desk.Items.SetStatus(t.Context(), h.actor, l.ID, dayOnly.ID, lost.MovePatch{
			Status: lost.Set(string(lost.PickUp)), PickupDate: lost.Set("2026-11-21"),
		}))
		events := icaltest.MustParse(t, h.get(at(token)).body)
		if len(events) != 2 || events[1]["DTSTART"] != "20261121" || events[1]["DTEND"] != "20261122" ||
			!strings.Contains(events[1]["SUMMARY"], dayOnly.Reference) {
			t.Errorf("a pick-up without a time does not take the whole day: %v", events)
		}
		for _, private := range []string{"anna", "Anna", "mbrella"} {
			if strings.Contains(a.body, private) {
				t.Errorf("the calendar contains %q: %s", private, a.body)
			}
		}
		other := h.location(adlerWithSlots())
		h.get("/l/"+other.Permalink+"/calendar/"+token+".ics").want(t, http.StatusNotFound)
		h.get(at("nobody")).want(t, http.StatusNotFound)
		renewed, err := h.desk.Locations.NewFeed(t.Context(), h.actor, l.ID)
		if err != nil {
			t.Fatal(err)
		}
		h.get(at(token)).want(t, http.StatusNotFound)
		if a := h.get(at(renewed)); a.StatusCode != http.StatusOK {
			t.Errorf("the new address: got status %d", a.StatusCode)
		}
		if err := h.desk.Locations.RevokeFeed(t.Context(), h.actor, l.ID); err != nil {
			t.Fatal(err)
		}
		h.get(at(renewed)).want(t, http.StatusNotFound)
	})
}
