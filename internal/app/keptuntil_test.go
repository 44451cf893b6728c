package app_test

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/app"
	catalog "homeward/internal/i18n"
	"homeward/internal/message/mailtest"
	"homeward/internal/store/storetest"
)

// storageCase is a find that is recorded shortly before or after midnight at its location.
type storageCase struct {
	at       string // the moment of the find, in UTC
	zone     string
	category string
	want     string // the last day of storage
}

// storageRules keep food for a day, phones for 180 days and all else for 40 days.
var storageRules = []map[string]any{
	{"category": "food", "days": 1, "then": "discard"}, {"category": "phone", "days": 180, "then": "police"},
	{"days": 40, "then": "donate"},
}

// storageCases are in the order of time, because the clock of the test is only set forward.
var storageCases = []storageCase{
	// At 1:00 UTC on 25 October 2026, clocks in Berlin were set back by an hour.
	{"2026-10-24T21:59:00Z", "Europe/Berlin", "food", "2026-10-25"},
	{"2026-10-24T22:01:00Z", "Europe/Berlin", "food", "2026-10-26"},
	{"2026-10-25T22:58:00Z", "Europe/Berlin", "food", "2026-10-26"},
	{"2026-10-25T23:01:00Z", "Europe/Berlin", "phone", "2027-04-24"},
	{"2026-11-15T10:30:00Z", "Pacific/Tongatapu", "food", "2026-11-16"}, // UTC+13
	{"2026-11-15T10:31:00Z", "Pacific/Pago_Pago", "food", "2026-11-15"}, // UTC-11
	{"2026-11-15T11:01:00Z", "Pacific/Tongatapu", "umbrella", "2026-12-26"},
	{"2026-11-15T11:02:00Z", "Pacific/Pago_Pago", "umbrella", "2026-12-25"},
	// At 7:00 UTC on 14 March 2027, clocks in New York were set forward by an hour.
	{"2027-03-14T04:58:00Z", "America/New_York", "food", "2027-03-14"},
	{"2027-03-14T05:01:00Z", "America/New_York", "", "2027-04-23"},
}

// keptItem is an item whose last day of storage is compared.
type keptItem struct {
	*site
	t            *testing.T
	cookie       string
	updates      *receiver // gets item-updated
	location, id string
	reference    string
	name         string // of the owner
}

// recordLateFind records a find at a new location.
func recordLateFind(t *testing.T, i *site, updates *receiver, c storageCase, n int) keptItem {
	t.Helper()
	hotel := hotelAdler()
	hotel["name"], hotel["timeZone"], hotel["keepingRules"] = fmt.Sprintf("Hotel %d", n), c.zone, storageRules
	k := keptItem{site: i, t: t, updates: updates, name: fmt.Sprintf("guest%d", n)}
	k.cookie = i.session(i.cfg.AdminEmail, i.cfg.AdminPassword)
	k.location = i.must(http.StatusCreated, "POST", "/v1/locations", hotel)["id"].(string)
	fields := map[string]any{"description": "Thing " + k.name, "owner": newOwner(k.name)}
	if c.category != "" {
		fields["category"] = c.category
	}
	item := i.must(http.StatusCreated, "POST", "/v1/locations/"+k.location+"/items", fields)
	k.id, k.reference = item["id"].(string), item["reference"].(string)
	return k
}

// page returns a page or file of the dashboard.
func (k keptItem) page(at string) string {
	k.t.Helper()
	r, err := http.NewRequest(http.MethodGet, at, nil)
	if err != nil {
		k.t.Fatal(err)
	}
	r.Header.Set("Cookie", k.cookie)
	a, err := send(k.unchecked, r)
	if err != nil || a.status != http.StatusOK {
		k.t.Errorf("%s: status %d, %v", at, a.status, err)
	}
	text := string(a.body)
	if strings.HasPrefix(text, "%PDF") {
		text = string((&journey{t: k.t}).poppler(a.body, "pdftotext", "-layout", "-", "-"))
	}
	return tidyLines(text)
}

// tidyLines joins the words of a text with single spaces, so that a date on two lines is found.
func tidyLines(text string) string { return strings.Join(strings.Fields(text), " ") }

// shown returns what each place shows about the item, by place, apart from papers and e-mails.
func (k keptItem) shown() map[string]string {
	k.t.Helper()
	api, desk := "/v1/locations/"+k.location+"/items", k.url+"/at/"+k.location
	mail := (&journey{t: k.t, site: k.site}).waitForMail(k.name, 1)
	d := &desktop{service: k.service}
	d.connect = d.http
	a := d.agent(k.key)
	found, _ := a.tryCall("get_item", args{"locationId": k.location, "itemId": k.id})
	list, _ := a.tryCall("search_items", args{"location": []string{k.location}})
	return map[string]string{
		"API":          string(k.do(k.key, "GET", api+"/"+k.id, nil).body),
		"API list":     string(k.do(k.key, "GET", api, nil).body),
		"agent":        found,
		"agent's list": list,
		"page":         k.page(desk + "/items/" + k.id),
		"list":         k.page(desk + "/items"),
		"items.csv":    k.page(desk + "/items.csv"),
		"guest page":   k.page(mail.Link(k.url + "/g/")),
	}
}

// showsDay reports whether a text contains a day, but not only as part of a moment such as 2026-11-15T10:30:00Z.
func showsDay(text, day string) bool {
	english := catalog.Choose("en")
	return strings.Contains(text, english.Date(day)) || strings.Contains(text, english.ShortDateYear(day)) ||
		strings.Contains(text, `">`+english.ShortDate(day)+"</td>") || // in the list, if the day is in this year
		regexp.MustCompile(day+"([^T]|$)").MatchString(text)
}

// registers returns the register of the day on which the item was found. The item gets that day, if it has none, so
// that a change of rules counts from it, too.
func (k keptItem) registers(local time.Time) map[string]string {
	k.t.Helper()
	day := local.Format(time.DateOnly)
	k.must(http.StatusOK, "PUT", "/v1/locations/"+k.location+"/items/"+k.id, map[string]any{"discoveryDate": day})
	file := k.url + "/at/" + k.location + "/papers/register"
	period := "?from=" + day + "&to=" + day
	shown := map[string]string{"register CSV": k.page(file + ".csv" + period)}
	if text := k.page(file + ".pdf" + period); text != "" { // empty without Poppler
		shown["register PDF"] = text
	}
	return shown
}

// checkCalendar plans a pick-up for the last day, and checks that the calendar shows it on that day.
func (k keptItem) checkCalendar(want string, zone *time.Location) {
	k.t.Helper()
	at := "/v1/locations/" + k.location
	k.must(http.StatusOK, "PUT", at+"/items/"+k.id+"/update-status", map[string]any{
		"status": "PICKUP", "pickupDate": want, "pickupTime": "10:00",
	})
	mail := (&journey{t: k.t, site: k.site}).waitForMail(k.name, 1)
	file := k.page(mail.Link(k.url+"/g/") + "/pickup.ics")
	start, err := time.ParseInLocation("2006-01-02 15:04", want+" 10:00", zone)
	if err != nil {
		k.t.Fatal(err)
	}
	if start := "DTSTART:" + start.UTC().Format("20060102T150405Z"); !strings.Contains(file, start) {
		k.t.Errorf("%s: the calendar does not contain %s: %s", zone, start, file)
	}
}

// expectDay checks that every place shows the last day of storage.
func (k keptItem) expectDay(when, want string, local time.Time) {
	k.t.Helper()
	shown := k.shown()
	maps.Copy(shown, k.registers(local))
	for _, place := range slices.Sorted(maps.Keys(shown)) {
		if text := shown[place]; !showsDay(text, want) {
			k.t.Errorf("%s: %s does not show %s: %s", when, place, want, text)
		}
	}
}

// changeRules changes the rules of the location, and checks that every place shows the new last day at once, and after
// the jobs, which tell programs. The owner reads it in the next message.
func (k keptItem) changeRules(when string, local time.Time) {
	k.t.Helper()
	const days = 300
	k.must(http.StatusOK, "PUT", "/v1/locations/"+k.location, map[string]any{
		"keepingRules": []map[string]any{{"days": days, "then": "auction"}},
	})
	want := local.AddDate(0, 0, days).Format(time.DateOnly)
	k.expectDay(when+", after a change of rules", want, local)
	waitUntil(k.t, "a program is told the new last day", func() bool {
		return slices.ContainsFunc(k.updates.listAll(), func(r received) bool {
			return strings.Contains(string(r.body), k.id) && strings.Contains(string(r.body), `"storeUntil":"`+want+`"`)
		})
	})
	k.expectDay(when+", after the jobs", want, local)
	k.must(http.StatusOK, "POST", "/v1/locations/"+k.location+"/items/"+k.id+"/notify", nil)
	waitUntil(k.t, when+": an e-mail shows the new last day", func() bool {
		return slices.ContainsFunc(k.mails.All(), func(m mailtest.Mail) bool {
			return m.To == k.name+"@example.com" && showsDay(tidyLines(m.Text), want)
		})
	})
}

// The last day of storage of a find is counted from the day at its location, and every place shows the same.
func TestEveryPlaceShowsTheSameLastDayOfStorage(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		clock := &steppedClock{}
		setTo := func(moment string) {
			to, err := time.Parse(time.RFC3339, moment)
			if err != nil {
				t.Fatal(err)
			}
			clock.step(to.Sub(clock.now()))
		}
		setTo(storageCases[0].at)
		i := newSite(t, setting, hotelAdler(), func(c *app.Config) {
			c.Clock, c.AdminEmail, c.AdminPassword = clock.now, "boss@adler.example", "a long enough password"
		})
		updates := newReceiver(t)
		i.addWebhook(updates, "item-updated") // which a webhook gets only if it asks for it
		for n, c := range storageCases {
			setTo(c.at)
			k := recordLateFind(t, i, updates, c, n)
			zone, err := time.LoadLocation(c.zone)
			if err != nil {
				t.Fatal(err)
			}
			when, local := fmt.Sprintf("%s in %s, %q", c.at, c.zone, c.category), clock.now().In(zone)
			mail := (&journey{t: t, site: i}).waitForMail(k.name, 1)
			if text := tidyLines(mail.Text); !showsDay(text, c.want) {
				t.Errorf("%s: the e-mail does not show %s: %s", when, c.want, text)
			}
			k.expectDay(when, c.want, local)
			k.changeRules(when, local)
			k.checkCalendar(c.want, zone)
		}
	})
}
