package staff_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/frame"
)

// mostUsed lists the pages that people use most. Some name the keys of texts that they show.
var mostUsed = []struct {
	name, path string
	texts      []string
}{
	{"login", "/login", nil}, {"today", "/", nil}, {"items", "/at/{location}/items", nil},
	{"record", "/at/{location}/find", nil}, {"status", "/at/{location}/items/{id}/status", nil},
	{"requests", "/at/{location}/requests", nil}, {"storage", "/at/{location}/storage", nil},
	{"settings", "/locations/{location}", nil},
	{
		"item", "/at/{location}/items/{id}",
		[]string{"frame.thread.title", "frame.thread.text", "frame.thread.close"},
	},
	{
		"request", "/at/{location}/requests/{id}",
		[]string{"frame.thread.title", "frame.thread.none", "frame.thread.text"},
	},
	{
		"pick-up", "/at/{location}/items/{id}/status?to=PICKUP&pickupDate=2026-11-20",
		[]string{"items.slots.show", "items.slots.other"},
	},
	{
		"hours", "/locations/{location}/hours",
		[]string{"locations.hours.closures", "locations.hours.minutes", "locations.hours.capacity"},
	},
	{
		"templates", "/settings/templates",
		[]string{"settings.templates.about", "settings.templates.new", "settings.templates.text"},
	},
	{
		"stop", "/notices/stop/{token}?kind=report",
		[]string{"notices.stop.title", "notices.stop.these", "notices.stop.all"},
	},
	{
		"calendar", "/at/{location}/pickups?week=2026-11-20",
		[]string{"calendar.previous", "calendar.next", "calendar.hours", "calendar.outside"},
	},
	{
		"day", "/at/{location}/pickups/day?date=2026-11-20",
		[]string{"calendar.time", "calendar.owner", "calendar.place"},
	},
	{
		"reports", "/at/{location}/reports?from=2026-01-01&to=2026-11-30",
		[]string{
			"reports.title", "reports.lead", "reports.by-month", "reports.ages", "reports.answer.median",
			"reports.money", "reports.handling",
		},
	},
	{
		"payments", "/at/{location}/reports/payments?from=2026-01-01&to=2026-11-30&currency=EUR",
		[]string{"reports.payments.title", "reports.payments.items", "reports.shipping"},
	},
	{"notices", "/settings/notices", []string{"notices.title", "notices.lead", "notices.quiet.title"}},
}

// staffKey matches the key of a text of the dashboard, which a page shows if the text is missing.
var staffKey = regexp.MustCompile(
	`\b(common|error|frame|calendar|items|locations|reports|notices|settings|today)\.[a-z][a-z.-]+`)

// The test opens the most used pages in every language, alternately on a phone and on a desktop, or on both if
// HOMEWARD_TEST_LONG is set, and checks that all texts fit. With HOMEWARD_TEST_SCREENSHOTS it saves pictures of them.
func TestTextsFitInEveryLanguage(t *testing.T) {
	c := newFixture(t, "")
	_, token := c.Session(c.people["owner"], lost.Client{})
	c.record("id", "/requests/", lost.User{})
	c.planPickups()
	c.payFee(c.newItem())
	paths := map[string]string{}
	for _, p := range mostUsed {
		paths[p.name] = c.pathFor(p.path, c.people["owner"])
	}
	both := os.Getenv("HOMEWARD_TEST_LONG") != ""
	for n, tag := range i18n.Tags() {
		t.Run(tag, func(t *testing.T) {
			v := browsertest.New(t, browsertest.Options{})
			for number, p := range mostUsed {
				session := token
				if p.name == "login" {
					session = "none"
				}
				v.SetCookie(c.at, "session", session)
				v.SetCookie(c.at, frame.LanguageCookie, tag)
				for _, phone := range []bool{true, false} {
					if !both && phone == ((n+number)%2 == 0) {
						continue
					}
					v.SetOptions(browsertest.Options{Phone: phone})
					v.Visit(c.at + paths[p.name])
					expectLanguage(t, v, tag)
					for _, key := range p.texts {
						v.See(i18n.Choose(tag).Say(key))
					}
					if phone {
						v.Screenshot(p.name + " phone")
					} else {
						v.Screenshot(p.name)
					}
				}
			}
		})
	}
}

// expectLanguage fails the test if the page is not in the language, or if its texts do not fit.
func expectLanguage(t *testing.T, v *browsertest.Visitor, tag string) {
	t.Helper()
	var lang string
	v.Run("document.documentElement.lang", &lang)
	if faults := v.TextFaults(); lang != tag || len(faults) > 0 {
		t.Errorf("%s is in %q, and these texts do not fit:\n%s", v.Location(), lang, strings.Join(faults, "\n"))
	}
	if keys := staffKey.FindAllString(v.Text(), -1); len(keys) > 0 {
		t.Errorf("%s shows the keys %q", v.Location(), keys)
	}
}
