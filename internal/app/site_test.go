package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/app"
	catalog "homeward/internal/i18n"
	"homeward/internal/message/mailtest"
	"homeward/internal/store/storetest"
	"homeward/internal/web/browsertest"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// site is everything that a guest's journey needs: the whole program with a database, a mail server, a webhook
// receiver, and a location.
type site struct {
	*service
	mails    *mailtest.Server
	hooks    *receiver
	secret   string // signing secret of the webhook
	location string // path of the location in the API
	public   string // URL of its public page

	mu    sync.Mutex
	links []string // links that guests received
}

// timeZone is the time zone of the location.
const timeZone = "Europe/Berlin"

// hotelAdler returns the body that creates the location.
func hotelAdler() map[string]any {
	return map[string]any{
		"name": "Hotel Adler", "description": "Eighty rooms by the harbour.", "address1": "Hafenstraße 12",
		"zipCode": "20457", "city": "Hamburg", "country": "DE",
		"contact":     map[string]any{"name": "Jana Berg", "email": "desk@adler.example", "phone": "+4940123456"},
		"charity":     "Hafenmission",
		"privacyText": "We use your details only to return your item.", "privacyUrl": "https://adler.example/privacy",
		"pickupTime": map[string]any{"from": "08:00", "to": "20:00"}, "timeZone": timeZone, "storageDuration": 30,
		"storagePlace": "Cellar shelf",
	}
}

// newSite starts a site that runs until the test ends. The optional functions change its settings.
func newSite(t *testing.T, database string, location map[string]any, with ...func(*app.Config)) *site {
	t.Helper()
	i := &site{mails: mailtest.Start(t), hooks: newReceiver(t)}
	cfg := newWebhookConfig(t, database)
	cfg.SMTP = i.mails.URL()
	for _, set := range with {
		set(&cfg)
	}
	i.service = startService(t, cfg)
	_, i.secret = i.addWebhook(i.hooks)
	l := i.must(http.StatusCreated, "POST", "/v1/locations", location)
	i.location, i.public = "/v1/locations/"+l["id"].(string), i.url+"/l/"+l["permalink"].(string)
	return i
}

// databaseFor returns SQLite for visitors with JavaScript and PostgreSQL for the others, so that every journey is
// tested on both databases and both screen sizes.
func databaseFor(t *testing.T, o browsertest.Options) string {
	t.Helper()
	if o.NoScript {
		return storetest.Postgres(t)
	}
	return storetest.SQLite(t)
}

// checkDeliveries runs after all journeys. It checks that every event was delivered once, that every e-mail has a
// unique id and one recipient, and that the log contains no guest link.
func (i *site) checkDeliveries(t *testing.T) {
	t.Helper()
	_, events := i.listAll("/v1/events")
	i.hooks.waitForRequests(t, events)
	seen := map[string]bool{}
	for _, m := range i.mails.All() {
		id, err := m.Header.MessageID()
		if to, toErr := m.Header.AddressList("To"); err != nil || toErr != nil || seen[id] || len(to) != 1 ||
			to[0].Address != m.To {
			t.Errorf("an e-mail for %s is addressed to %v; id %q seen before: %t; %v", m.To, to, id, seen[id], err)
		}
		seen[id] = true
	}
	log := i.log.String()
	for _, link := range i.links {
		if strings.Contains(log, link[strings.LastIndexByte(link, '/')+1:]) {
			t.Errorf("the log contains a guest link")
		}
	}
}

// journey is one guest's visit to a site.
type journey struct {
	*service // reports failures to this test
	t        *testing.T
	site     *site
	options  browsertest.Options
	v        *browsertest.Visitor
	today    time.Time // the day at the location when the journey began
	axe      bool      // check accessibility
	pages    int
}

// newJourney starts a journey with a new browser.
func (i *site) newJourney(t *testing.T, o browsertest.Options) *journey {
	t.Helper()
	at, err := time.LoadLocation(timeZone)
	if err != nil {
		t.Fatal(err)
	}
	copied := *i.service
	copied.t = t
	return &journey{service: &copied, t: t, site: i, v: browsertest.New(t, o), options: o, today: time.Now().In(at)}
}

// createItem creates a found item and returns its path in the API.
func (j *journey) createItem(item map[string]any) string {
	j.t.Helper()
	all := map[string]any{
		"description": "Black umbrella with a wooden handle", "discoveryPlace": "Room 312", "discoveryDate": j.day(-1),
		"notes": "Has been in the minibar",
	}
	maps.Copy(all, item)
	return j.site.location + "/items/" +
		j.must(http.StatusCreated, "POST", j.site.location+"/items", all)["id"].(string)
}

// addPhoto uploads a photo of an item.
func (j *journey) addPhoto(item string) {
	j.t.Helper()
	if a, err := j.upload(item+"/upload-image", "image", samplePhoto()); err != nil || a.status != http.StatusOK {
		j.t.Fatalf("%v, %d %s", err, a.status, a.body)
	}
}

// newOwner returns an owner with a unique e-mail address.
func newOwner(name string) map[string]any {
	return map[string]any{
		"firstName": strings.ToUpper(name[:1]) + name[1:], "lastName": "Berg", "email": name + "@example.com",
	}
}

// waitForMail waits for the n-th e-mail to a guest. Other e-mails arrive at the same time.
func (j *journey) waitForMail(name string, n int) mailtest.Mail {
	j.t.Helper()
	return j.waitForMailAbout(name+"@example.com", "", n)
}

// waitForMailAbout waits for the n-th e-mail to an address whose subject contains the given text.
func (j *journey) waitForMailAbout(to, about string, n int) mailtest.Mail {
	j.t.Helper()
	deadline := time.After(time.Minute)
	for {
		arrived := j.site.mails.Arrived()
		var theirs []mailtest.Mail
		for _, m := range j.site.mails.All() {
			if m.To == to && strings.Contains(subject(m), about) {
				theirs = append(theirs, m)
			}
		}
		if len(theirs) >= n {
			return theirs[n-1]
		}
		select {
		case <-arrived:
		case <-deadline:
			j.t.Fatalf("%s got %d e-mails about %q, want %d", to, len(theirs), about, n)
		}
	}
}

// subject returns the decoded subject of an e-mail.
func subject(m mailtest.Mail) string {
	s, err := m.Header.Subject()
	if err != nil {
		return err.Error()
	}
	return s
}

// guestLink returns the link in an e-mail's text, and checks that the HTML part shows it as a button and as text.
func (j *journey) guestLink(m mailtest.Mail) string {
	j.t.Helper()
	link := m.Link(j.url + "/g/")
	if link == "" {
		j.t.Fatalf("no link in %s", m.Text)
	}
	if strings.Count(m.HTML, `href="`+link+`"`) != 2 || strings.Count(m.HTML, "/g/") != 3 {
		j.t.Errorf("the HTML part lacks the link as button and as text:\n%s", m.HTML)
	}
	j.site.mu.Lock()
	defer j.site.mu.Unlock()
	j.site.links = append(j.site.links, link)
	return link
}

// checkPage checks that the current page contains the given texts, and inspects it.
func (j *journey) checkPage(name string, texts ...string) {
	j.t.Helper()
	j.v.See(texts...)
	j.inspectPage(j.v, name)
}

// inspectPage makes the checks that apply to every page.
func (j *journey) inspectPage(v *browsertest.Visitor, name string) {
	j.t.Helper()
	v.CheckWeight()
	if j.axe {
		v.CheckAccessibility()
	}
	j.pages++
	v.Screenshot(fmt.Sprintf("%d %s", j.pages, name))
}

// tapTwice presses a button twice, the second time before the first press has taken effect.
func (j *journey) tapTwice(button, then string) {
	j.t.Helper()
	j.v.Run(fmt.Sprintf("[...document.querySelectorAll('button')].find(b => b.innerText.trim() == %q).focus()", button),
		nil)
	j.v.Press("Enter", "Enter")
	j.v.See(then)
}

// day returns the date that is the given number of days from today.
func (j *journey) day(ahead int) string { return j.today.AddDate(0, 0, ahead).Format(time.DateOnly) }

// formatDay returns a date as English pages write it.
func formatDay(day string) string { return catalog.Choose("en").Date(day) }

// outcome is the expected result of a journey.
type outcome struct {
	status string
	acts   []string // actions and who performed them, oldest first
	mails  []string // kinds of messages that were sent
	events []string // webhook events, with the date and time of a pickup
}

// checkOutcome checks an item, its history, its messages and its webhooks, and returns the item.
func (j *journey) checkOutcome(item string, want outcome) map[string]any {
	j.t.Helper()
	record := j.must(http.StatusOK, "GET", item, nil)
	if record["status"] != want.status {
		j.t.Errorf("the item is %s, want %s", record["status"], want.status)
	}
	var acts, mails []string
	waitUntil(j.t, "every message is sent and recorded", func() bool {
		acts, mails = j.history(item)
		return len(mails) >= len(want.mails) && j.messagesSettled(item)
	})
	acts, mails = j.history(item)
	if !slices.Equal(acts, want.acts) {
		j.t.Errorf("history %q, want %q", acts, want.acts)
	}
	slices.Sort(want.mails)
	slices.Sort(mails)
	if !slices.Equal(mails, want.mails) {
		j.t.Errorf("sent %q, want %q", mails, want.mails)
	}
	if messages, _ := j.listAll(item + "/messages"); len(messages) != len(want.mails) {
		j.t.Errorf("messages %v, want %q", messages, want.mails)
	}
	j.checkEvents(record["id"].(string), want.events)
	return record
}

// history returns the actions on an item and, separately, the kinds of messages that were sent. A message is recorded
// only when the mail server has accepted it, which may be after the guest's next action.
func (j *journey) history(item string) (acts, mails []string) {
	j.t.Helper()
	entries, _ := j.listAll(item + "/history")
	for _, e := range slices.Backward(entries) {
		by := e["actor"].(map[string]any)["type"].(string)
		if kind, _, message := strings.Cut(text(e["note"]), " by email to "); message &&
			e["action"] == "message-sent" && by == "service" {
			mails = append(mails, kind)
			continue
		}
		act := text(e["action"]) + " by " + by
		if to := text(e["to"]); to != "" {
			act = text(e["from"]) + " to " + to + " by " + by
		}
		acts = append(acts, act)
	}
	return acts, mails
}

// checkEvents checks which events exist for an item, and that the receiver got each of them once, signed.
func (j *journey) checkEvents(id string, want []string) {
	j.t.Helper()
	var got []string
	arrived := func() bool {
		got = nil
		for _, r := range j.site.hooks.listAll() {
			var e struct {
				EventType string
				Payload   struct {
					Item                   struct{ ID string }
					PickupDate, PickupTime string
				}
			}
			if err := json.Unmarshal(r.body, &e); err != nil || !r.verified(j.site.secret) {
				j.t.Fatalf("%v: verified %t: %s", err, r.verified(j.site.secret), r.body)
			}
			if e.Payload.Item.ID == id {
				got = append(got, strings.TrimSpace(e.EventType+" "+e.Payload.PickupDate+" "+e.Payload.PickupTime))
			}
		}
		return len(got) >= len(want)
	}
	waitUntil(j.t, "the receiver has the events", arrived)
	slices.Sort(got) // the order of delivery is not guaranteed
	sorted := slices.Sorted(slices.Values(want))
	if _, events := j.listAll("/v1/events?itemId=" + id); events != len(want) || !slices.Equal(got, sorted) {
		j.t.Errorf("there are %d events, and the receiver got %q, want %q", events, got, sorted)
	}
}

// checkTasks waits until the desk has exactly these kinds of tasks for an item.
func (j *journey) checkTasks(item string, want ...string) {
	j.t.Helper()
	waitUntil(j.t, fmt.Sprintf("the desk has the tasks %q", want), func() bool {
		all, _ := j.listAll(j.site.location + "/tasks")
		var kinds []string
		for _, task := range all {
			if strings.HasSuffix(item, "/"+task["itemId"].(string)) {
				kinds = append(kinds, task["kind"].(string))
			}
		}
		slices.Sort(kinds) // tasks with the same time are in no particular order
		return slices.Equal(kinds, slices.Sorted(slices.Values(want)))
	})
}

// reportLoss fills in and sends the form on the public page, and returns the API path of the request, which is stored
// as an item.
func (j *journey) reportLoss(v *browsertest.Visitor, fields map[string]string, photo string) string {
	j.t.Helper()
	for _, label := range slices.Sorted(maps.Keys(fields)) {
		v.Fill(label, fields[label])
	}
	if photo != "" {
		v.Upload("A photo of the item", photo)
	}
	j.waitForFormAge(v)
	v.Follow("Send report")
	v.See("Thank you, we have your report")
	requests, _ := j.listAll(j.site.location + "/requests?term=" + escape(fields["E-mail"]))
	if len(requests) != 1 {
		j.t.Fatalf("the requests are %v", requests)
	}
	return j.site.location + "/items/" + requests[0]["id"].(string)
}

// waitForFormAge waits until the form is old enough. A form that is sent sooner is rejected as coming from a bot.
func (j *journey) waitForFormAge(v *browsertest.Visitor) {
	j.t.Helper()
	const minAge = 3 * time.Second
	var stamp string
	v.Run("document.querySelector('[name=stamp]').value", &stamp)
	seconds, _, _ := strings.Cut(stamp, ".")
	createdAt, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		j.t.Fatal(err)
	}
	waitUntil(j.t, "the form is old enough", func() bool { return time.Since(time.Unix(createdAt, 0)) > minAge })
}

// writeFile writes a file to upload.
func (j *journey) writeFile(name string, data []byte) string {
	j.t.Helper()
	name = filepath.Join(j.t.TempDir(), name)
	if err := os.WriteFile(name, data, 0o600); err != nil {
		j.t.Fatal(err)
	}
	return name
}

// samplePhoto draws a picture of an umbrella in the corner of a room.
var samplePhoto = sync.OnceValue(func() []byte {
	const width, height = 600, 450
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			at := color.RGBA{uint8(214 - x/20), uint8(200 - y/12), 178, 255}
			dx, dy := x-300, y-220
			switch {
			case y < 220 && dx*dx+dy*dy < 150*150:
				at = color.RGBA{uint8(30 + (x/40%2)*14), 32, 38, 255}
			case dx > -5 && dx < 5 && y >= 220 && y < 390:
				at = color.RGBA{120, 78, 44, 255}
			}
			m.SetRGBA(x, y, at)
		}
	}
	var b bytes.Buffer
	_ = jpeg.Encode(&b, m, nil) // writing to memory cannot fail
	return b.Bytes()
})
