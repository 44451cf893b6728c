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

// inn is everything that a guest's journey goes through: the whole program on a database, a mail server, a client
// program that gets webhooks, and a location where things are lost and found.
type inn struct {
	*service
	mails  *mailtest.Server
	hooks  *receiver
	secret string // of the webhook
	hotel  string // the location in the API
	public string // its public page

	mu    sync.Mutex
	links []string // that guests got
}

// zone is the location's, in which its days begin.
const zone = "Europe/Berlin"

// adler is the location.
func adler() map[string]any {
	return map[string]any{
		"name": "Hotel Adler", "description": "Eighty rooms by the harbour.", "address1": "Hafenstraße 12", "zipCode": "20457", "city": "Hamburg", "country": "DE",
		"contact": map[string]any{"name": "Jana Berg", "email": "desk@adler.example", "phone": "+4940123456"}, "charity": "Hafenmission",
		"pickupTime": map[string]any{"from": "08:00", "to": "20:00"}, "timeZone": zone, "storageDuration": 30, "storagePlace": "Cellar shelf",
	}
}

// openInn opens an inn for as long as the test runs, with settings of its own where it needs them.
func openInn(t *testing.T, database string, location map[string]any, with ...func(*app.Config)) *inn {
	t.Helper()
	i := &inn{mails: mailtest.Start(t), hooks: receive(t)}
	cfg := hooking(t, database)
	cfg.SMTP = i.mails.Setting()
	for _, set := range with {
		set(&cfg)
	}
	i.service = start(t, cfg)
	_, i.secret = i.webhook(i.hooks)
	l := i.must(http.StatusCreated, "POST", "/v1/locations", location)
	i.hotel, i.public = "/v1/locations/"+l["id"].(string), i.url+"/l/"+l["permalink"].(string)
	return i
}

// databaseFor gives visitors with scripts SQLite and the others PostgreSQL, so that both see every journey on both screens.
func databaseFor(t *testing.T, o browsertest.Options) string {
	t.Helper()
	if o.NoScript {
		return storetest.Postgres(t)
	}
	return filepath.Join(t.TempDir(), "homeward.db")
}

// settle checks what no single journey can see, when all are over: every event was delivered once, every mail is
// another one with one reader, and nobody finds a guest's link in the log.
func (i *inn) settle(t *testing.T) {
	t.Helper()
	_, events := i.all("/v1/events")
	i.hooks.eventually(t, events)
	seen := map[string]bool{}
	for _, m := range i.mails.All() {
		id, err := m.Header.MessageID()
		if to, toErr := m.Header.AddressList("To"); err != nil || toErr != nil || seen[id] || len(to) != 1 || to[0].Address != m.To {
			t.Errorf("a mail for %s is addressed to %v, its id %q came before: %t, %v", m.To, to, id, seen[id], err)
		}
		seen[id] = true
	}
	log := i.log.String()
	for _, link := range i.links {
		if strings.Contains(log, link[strings.LastIndexByte(link, '/')+1:]) {
			t.Errorf("the log holds the link of a guest")
		}
	}
}

// journey is one guest's way through an inn.
type journey struct {
	*service // which fails this test
	t        *testing.T
	inn      *inn
	options  browsertest.Options
	v        *browsertest.Visitor
	today    time.Time // where the location is, whatever the clock strikes meanwhile
	axe      bool      // looks for what is hard to use
	pages    int
}

// begin lets a guest set out.
func (i *inn) begin(t *testing.T, o browsertest.Options) *journey {
	t.Helper()
	at, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	own := *i.service
	own.t = t
	return &journey{service: &own, t: t, inn: i, v: browsertest.New(t, o), options: o, today: time.Now().In(at)}
}

// found makes an item that was found, and gives its address in the API.
func (j *journey) found(item map[string]any) string {
	j.t.Helper()
	all := map[string]any{"description": "Black umbrella with a wooden handle", "discoveryPlace": "Room 312", "discoveryDate": j.day(-1), "notes": "Has been in the minibar"}
	maps.Copy(all, item)
	return j.inn.hotel + "/items/" + j.must(http.StatusCreated, "POST", j.inn.hotel+"/items", all)["id"].(string)
}

// photographed puts a photo on an item.
func (j *journey) photographed(item string) {
	j.t.Helper()
	if a, err := j.upload(item+"/upload-image", "image", photograph()); err != nil || a.status != http.StatusOK {
		j.t.Fatalf("%v, %d %s", err, a.status, a.body)
	}
}

// owner is somebody whose name nobody else in the inn has.
func owner(name string) map[string]any {
	return map[string]any{"firstName": strings.ToUpper(name[:1]) + name[1:], "lastName": "Berg", "email": name + "@example.com"}
}

// mail waits for the n-th mail to a guest. Others are on their way at the same time.
func (j *journey) mail(name string, n int) mailtest.Mail {
	j.t.Helper()
	return j.letter(name+"@example.com", "", n)
}

// letter waits for the n-th mail to somebody with these words in its subject.
func (j *journey) letter(to, about string, n int) mailtest.Mail {
	j.t.Helper()
	deadline := time.After(30 * time.Second)
	for {
		came := j.inn.mails.Came()
		var theirs []mailtest.Mail
		for _, m := range j.inn.mails.All() {
			if m.To == to && strings.Contains(subject(m), about) {
				theirs = append(theirs, m)
			}
		}
		if len(theirs) >= n {
			return theirs[n-1]
		}
		select {
		case <-came:
		case <-deadline:
			j.t.Fatalf("%s got %d mails about %q, want %d", to, len(theirs), about, n)
		}
	}
}

// subject is a mail's subject as its reader sees it.
func subject(m mailtest.Mail) string {
	s, err := m.Header.Subject()
	if err != nil {
		return err.Error()
	}
	return s
}

// link is the one in a mail's text. The other half of the mail must have it too, as a button.
func (j *journey) link(m mailtest.Mail) string {
	j.t.Helper()
	link := m.Link(j.url + "/g/")
	if link == "" {
		j.t.Fatalf("no link in %s", m.Text)
	}
	if strings.Count(m.HTML, `href="`+link+`"`) != 2 || strings.Count(m.HTML, "/g/") != 3 {
		j.t.Errorf("the HTML has not the text's link as its button and in clear:\n%s", m.HTML)
	}
	j.inn.mu.Lock()
	defer j.inn.mu.Unlock()
	j.inn.links = append(j.inn.links, link)
	return link
}

// look looks at the page that the guest is on.
func (j *journey) look(name string, texts ...string) {
	j.t.Helper()
	j.v.See(texts...)
	j.inspect(j.v, name)
}

// inspect checks what must hold on every page.
func (j *journey) inspect(v *browsertest.Visitor, name string) {
	j.t.Helper()
	v.Light()
	if j.axe {
		v.Axe()
	}
	j.pages++
	v.Screenshot(fmt.Sprintf("%d %s", j.pages, name))
}

// tapTwice presses a button as a hasty finger does, before the first press has led anywhere.
func (j *journey) tapTwice(button, then string) {
	j.t.Helper()
	j.v.Run(fmt.Sprintf("[...document.querySelectorAll('button')].find(b => b.innerText.trim() == %q).focus()", button), nil)
	j.v.Press("Enter", "Enter")
	j.v.See(then)
}

// day is so many days from today.
func (j *journey) day(ahead int) string { return j.today.AddDate(0, 0, ahead).Format(time.DateOnly) }

// spelled is a day as English pages write it.
func spelled(day string) string { return catalog.Choose("en").Date(day) }

// outcome is what a journey leaves behind.
type outcome struct {
	status string
	acts   []string // who did what, the first first
	mails  []string // what kinds were sent
	events []string // what client programs were told, with the day and time of a pick-up
}

// left checks that an item, its history, its messages and its webhooks are exactly as they should be, and gives the item.
func (j *journey) left(item string, want outcome) map[string]any {
	j.t.Helper()
	record := j.must(http.StatusOK, "GET", item, nil)
	if record["status"] != want.status {
		j.t.Errorf("the item is %s, want %s", record["status"], want.status)
	}
	var acts, mails []string
	eventually(j.t, "every message is sent and in the history", func() bool {
		acts, mails = j.history(item)
		return len(mails) >= len(want.mails) && j.settled(item)
	})
	if acts, mails = j.history(item); !slices.Equal(acts, want.acts) {
		j.t.Errorf("the history is %q, want %q", acts, want.acts)
	}
	slices.Sort(want.mails)
	if slices.Sort(mails); !slices.Equal(mails, want.mails) {
		j.t.Errorf("sent were %q, want %q", mails, want.mails)
	}
	if messages, _ := j.all(item + "/messages"); len(messages) != len(want.mails) {
		j.t.Errorf("the messages are %v, want %q", messages, want.mails)
	}
	j.told(record["id"].(string), want.events)
	return record
}

// history gives what was done with an item, and apart from that which messages were sent: those are told of when the mail
// server has them, which may be after the guest has.
func (j *journey) history(item string) (acts, mails []string) {
	j.t.Helper()
	entries, _ := j.all(item + "/history")
	for _, e := range slices.Backward(entries) {
		by := e["actor"].(map[string]any)["type"].(string)
		if kind, _, message := strings.Cut(text(e["note"]), " by email to "); message && e["action"] == "message-sent" && by == "service" {
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

// told checks which events there are about an item, and that the client program got each of them once, signed.
func (j *journey) told(id string, want []string) {
	j.t.Helper()
	var got []string
	came := func() bool {
		got = nil
		for _, r := range j.inn.hooks.all() {
			var e struct {
				EventType string
				Payload   struct {
					Item                   struct{ ID string }
					PickupDate, PickupTime string
				}
			}
			if err := json.Unmarshal(r.body, &e); err != nil || !r.verified(j.inn.secret) {
				j.t.Fatalf("%v: verified %t: %s", err, r.verified(j.inn.secret), r.body)
			}
			if e.Payload.Item.ID == id {
				got = append(got, strings.TrimSpace(e.EventType+" "+e.Payload.PickupDate+" "+e.Payload.PickupTime))
			}
		}
		return len(got) >= len(want)
	}
	eventually(j.t, "the client program knows", came)
	slices.Sort(got) // they may overtake each other
	sorted := slices.Sorted(slices.Values(want))
	if _, events := j.all("/v1/events?itemId=" + id); events != len(want) || !slices.Equal(got, sorted) {
		j.t.Errorf("there are %d events, and the client program got %q, want %q", events, got, sorted)
	}
}

// waits checks which kinds of task about an item wait for the desk, as soon as the service has noticed.
func (j *journey) waits(item string, want ...string) {
	j.t.Helper()
	eventually(j.t, fmt.Sprintf("%q waits for the desk", want), func() bool {
		all, _ := j.all(j.inn.hotel + "/tasks")
		var kinds []string
		for _, task := range all {
			if strings.HasSuffix(item, "/"+task["itemId"].(string)) {
				kinds = append(kinds, task["kind"].(string))
			}
		}
		slices.Sort(kinds) // those that came up at once are in no order
		return slices.Equal(kinds, slices.Sorted(slices.Values(want)))
	})
}

// report fills in the form of the public page, which is open, sends it, and gives the request's address among the items.
func (j *journey) report(v *browsertest.Visitor, fields map[string]string, photo string) string {
	j.t.Helper()
	for _, label := range slices.Sorted(maps.Keys(fields)) {
		v.Fill(label, fields[label])
	}
	if photo != "" {
		v.Upload("A photo of it", photo)
	}
	j.takeTime(v)
	v.Follow("Send the report")
	v.See("Thank you, we have your report")
	requests, _ := j.all(j.inn.hotel + "/requests?term=" + escape(fields["E-mail"]))
	if len(requests) != 1 {
		j.t.Fatalf("filed were %v", requests)
	}
	return j.inn.hotel + "/items/" + requests[0]["id"].(string)
}

// takeTime waits until the form is as old as a person makes it. A quicker one is taken for a robot's.
func (j *journey) takeTime(v *browsertest.Visitor) {
	j.t.Helper()
	const quickest = 3 * time.Second
	var stamp string
	v.Run("document.querySelector('[name=stamp]').value", &stamp)
	seconds, _, _ := strings.Cut(stamp, ".")
	shown, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		j.t.Fatal(err)
	}
	eventually(j.t, "a person could have filled in the form", func() bool { return time.Since(time.Unix(shown, 0)) > quickest })
}

// file writes a file to be uploaded.
func (j *journey) file(name string, data []byte) string {
	j.t.Helper()
	name = filepath.Join(j.t.TempDir(), name)
	if err := os.WriteFile(name, data, 0o600); err != nil {
		j.t.Fatal(err)
	}
	return name
}

// photograph is a picture of an umbrella in the corner of a room.
var photograph = sync.OnceValue(func() []byte {
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
	_ = jpeg.Encode(&b, m, nil) // into memory, always works
	return b.Bytes()
})
