package app_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/app"
	"homeward/internal/store/storetest"
	"homeward/internal/web/browsertest"
)

// liveDesk makes random changes on some instances, while browsers follow them.
type liveDesk struct {
	*service
	acting   []*service // the instances that make the changes
	t        *testing.T
	random   *rand.Rand
	location string   // path in the API
	fixed    string   // the item whose page is open
	recorded []string // all items, oldest first
	items    []string // those that may be changed
	requests []string
	n        int

	list, inbox, today, item *browsertest.Visitor
	editor                   *editor
	began                    time.Time // when the change was requested
	took                     []time.Duration
}

// maxLiveTime is how long a change usually takes to appear at most. On a busy machine, some changes take longer.
const maxLiveTime = 2 * time.Second

// Browsers on two of three instances: what happens on any instance appears in the pages that are open on the second
// one. On SQLite, there is only one instance. Some changes are made with the API, others in a browser on the first
// instance. In another tab of that browser, a person types a letter during each change. Nothing of it is lost, and
// neither is what the person has selected and opened. If HOMEWARD_TEST_LONG is set, there are more changes, and none of
// them may be slow.
func TestOpenPagesFollowEveryChange(t *testing.T) {
	t.Parallel()
	actions, long := 40, os.Getenv("HOMEWARD_TEST_LONG") != ""
	if long {
		actions = 200
	}
	for engine, setting := range map[string]string{
		"sqlite": storetest.SQLite(t), "postgres": storetest.Postgres(t),
	} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			d := newLiveDesk(t, setting, engine)
			d.openEditor()
			for range actions {
				d.act()
			}
			d.expectEditorUntouched()
			slices.Sort(d.took)
			median, slowest := d.took[len(d.took)/2], d.took[len(d.took)-1]
			t.Logf("%d changes appeared after %s (median) to %s", len(d.took), median, slowest)
			if median > maxLiveTime || long && slowest > maxLiveTime {
				t.Errorf("changes take longer than %s to appear", maxLiveTime)
			}
		})
	}
}

func newLiveDesk(t *testing.T, setting, engine string) *liveDesk {
	t.Helper()
	cfg := newConfig(t, setting)
	cfg.Secret = "the secret that all instances of the service share"
	d := &liveDesk{service: startService(t, cfg), t: t, random: rand.New(rand.NewPCG(1, 2))}
	d.location = "/v1/locations/" + d.newLocation(map[string]any{"name": "Hotel Adler", "storageDuration": 30})
	d.fixed = d.record("An umbrella that stays")
	d.acting = []*service{d.service}
	at := d.url
	if engine == "postgres" {
		second, third := startService(t, cfg), startService(t, cfg)
		d.acting, at = append(d.acting, second, third), second.url
	}
	dashboard := strings.Replace(d.location, "/v1/locations/", "/at/", 1)
	open := func(path string) *browsertest.Visitor {
		v := browsertest.New(t, browsertest.Options{})
		d.logIn(v, at)
		v.Visit(at + path)
		return v
	}
	d.list, d.inbox, d.today = open(dashboard+"/items"), open(dashboard+"/requests"), open("/")
	d.item = open(dashboard + "/items/" + d.fixed)
	return d
}

func (d *liveDesk) logIn(v *browsertest.Visitor, at string) {
	v.Visit(at + "/login")
	v.Fill("E-mail", d.cfg.AdminEmail)
	v.Fill("Password", adminPassword)
	v.Follow("Log in")
}

func (d *liveDesk) record(what string) string {
	id := d.must(http.StatusCreated, "POST", d.location+"/items", map[string]any{"description": what})["id"].(string)
	d.recorded = append(d.recorded, id)
	return id
}

// shows waits until an expression is true on a page, and records how long that took since the change. While the change
// is on its way, the person types a letter.
func (d *liveDesk) shows(v *browsertest.Visitor, what, expression string) {
	d.t.Helper()
	letter := string(rune('a' + d.random.IntN(26)))
	d.editor.form.Press(letter)
	d.editor.text += letter
	for {
		var shown bool
		v.Run(expression, &shown)
		took := time.Since(d.began)
		if shown {
			d.took = append(d.took, took)
			return
		}
		if took > time.Minute {
			before := v.Text()
			v.Reload()
			var reloaded bool
			v.Run(expression, &reloaded)
			d.t.Fatalf("action %d: %s did not appear (after a reload: %t): %s\n%s", d.n, what, reloaded, expression,
				before)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// row returns an expression that tells whether the row of an item contains a text.
func row(item, text string) string {
	return fmt.Sprintf("!!document.getElementById(%q)?.innerText.includes(%q)", item, text)
}

func contains(text string) string {
	return fmt.Sprintf("document.querySelector('main').innerText.includes(%q)", text)
}

// act makes one random change and waits until it appears.
func (d *liveDesk) act() {
	d.t.Helper()
	d.n++
	name := fmt.Sprintf("Thing %d", d.n)
	d.service = d.acting[d.n%len(d.acting)]
	d.began = time.Now()
	for _, do := range d.random.Perm(10) {
		if d.try(do, name) {
			return
		}
	}
}

// try makes a change of one kind, and returns false if there is nothing to change.
func (d *liveDesk) try(kind int, name string) bool {
	d.t.Helper()
	var item, request string
	if shown := d.shownItems(); len(shown) > 0 {
		item = shown[d.random.IntN(len(shown))]
	}
	if len(d.requests) > 0 {
		request = d.requests[d.random.IntN(len(d.requests))]
	}
	of := d.location + "/items/" + item
	switch {
	case kind == 0:
		d.items = append(d.items, d.record(name))
		d.shows(d.list, "a new item", contains(name))
	case kind == 1:
		d.requests = append(d.requests, d.newRequest(strings.TrimPrefix(d.location, "/v1/locations/"), map[string]any{
			"description": name, "owner": map[string]any{"email": fmt.Sprintf("guest%d@example.com", d.n)},
		}))
		d.shows(d.inbox, "a new request", contains(name))
		d.expectCount()
	case kind == 2:
		d.must(http.StatusOK, "PUT", d.location+"/items/"+d.fixed, map[string]any{
			"owner": map[string]any{"email": fmt.Sprintf("owner%d@example.com", d.n)},
		})
		d.shows(d.item, "a message to the owner", contains(fmt.Sprintf("owner%d@example.com", d.n)))
	case kind <= 4 && request != "":
		d.decide(kind == 3, request, name)
	case item == "" || kind <= 4:
		return false
	default:
		d.change(kind, item, of, name)
	}
	return true
}

// shownItems returns the items that may be changed and are on the first page of the list, which shows the newest.
func (d *liveDesk) shownItems() (shown []string) {
	const page = 20
	for _, id := range d.recorded[max(0, len(d.recorded)-page):] {
		if slices.Contains(d.items, id) {
			shown = append(shown, id)
		}
	}
	return shown
}

// decide accepts or rejects a request.
func (d *liveDesk) decide(accept bool, request, name string) {
	body := map[string]any{"type": "reject", "reason": name}
	if accept {
		// deleting the found item would open the request again, so it is not changed later
		body = map[string]any{"type": "accept", "itemId": d.record(name)}
	}
	d.must(http.StatusOK, "PUT", d.location+"/requests/"+request+"/update-status", body)
	d.requests = slices.DeleteFunc(d.requests, func(id string) bool { return id == request })
	d.shows(d.inbox, "a decided request", fmt.Sprintf("!document.querySelector('main a[href$=%q]')", request))
	d.expectCount()
}

// expectCount waits until the menus show the number of open requests.
func (d *liveDesk) expectCount() {
	want := ""
	if len(d.requests) > 0 {
		want = fmt.Sprint(len(d.requests))
	}
	d.shows(d.today, "the number of open requests",
		fmt.Sprintf("document.querySelector('[data-count=requests]').textContent === %q", want))
}

// change changes an item in one of the ways in which lists show it.
func (d *liveDesk) change(kind int, item, of, name string) {
	switch kind {
	case 5:
		d.edit(item, "what", "Description", name)
		d.shows(d.list, "a new description", row(item, name))
	case 6:
		d.edit(item, "storage", "Storage place", name)
		d.shows(d.list, "a new place", row(item, name))
	case 7:
		d.must(http.StatusOK, "PUT", of+"/update-status", map[string]any{"status": "DONATE"})
		d.shows(d.list, "a new status", row(item, "To be donated"))
	case 8:
		d.must(http.StatusOK, "POST", of+"/hand-over", map[string]any{"recipient": name, "idChecked": true})
		d.shows(d.list, "a handed over item", row(item, "Collected"))
		d.items = slices.DeleteFunc(d.items, func(id string) bool { return id == item })
	case 9:
		d.editor.other.Visit(d.editor.dashboard + "/items") // the open page of a deleted item reports an error
		d.began = time.Now()
		d.must(http.StatusNoContent, "DELETE", of, nil)
		d.shows(d.list, "a deleted item", fmt.Sprintf("!document.getElementById(%q)", item))
		d.items = slices.DeleteFunc(d.items, func(id string) bool { return id == item })
	}
}

// edit changes a field of an item in the dashboard.
func (d *liveDesk) edit(item, group, label, value string) {
	d.t.Helper()
	v := d.editor.other
	v.Visit(d.editor.dashboard + "/items/" + item + "?edit=" + group)
	v.Fill(label, value)
	d.began = time.Now()
	v.Follow("Save")
}

// editor is a person who is typing and has selected something, and who makes changes in another tab.
type editor struct {
	form, list, other *browsertest.Visitor
	dashboard         string
	text              string // what the person has typed
}

func (d *liveDesk) openEditor() {
	d.t.Helper()
	e := &editor{form: browsertest.New(d.t, browsertest.Options{}), text: "An umbrella with a wooden handle "}
	d.logIn(e.form, d.url)
	e.dashboard = d.url + strings.Replace(d.location, "/v1/locations/", "/at/", 1)
	e.form.Visit(e.dashboard + "/items/" + d.fixed + "?edit=what")
	e.form.Fill("Description", e.text)
	e.other, e.list = e.form.Tab(), e.form.Tab()
	e.list.Visit(e.dashboard + "/items")
	e.list.Click("css:[value=" + d.fixed + "]")
	e.list.Click("More")
	d.editor = e
}

// expectEditorUntouched checks that nothing of what the person did is lost, and that the form saves what was typed.
func (d *liveDesk) expectEditorUntouched() {
	d.t.Helper()
	e := d.editor
	var value string
	e.form.Run("document.querySelector('[name=description]').value", &value)
	if value != e.text {
		d.t.Errorf("the form contains %q, want %q", value, e.text)
	}
	var kept bool
	e.list.Run(fmt.Sprintf("document.querySelector('[value=%s]').checked && "+
		"document.querySelector('.tools').open", d.fixed), &kept)
	if !kept {
		d.t.Error("the selected item or the open menu was lost")
	}
	e.form.Follow("Save")
	if saved := d.must(http.StatusOK, "GET", d.location+"/items/"+d.fixed, nil)["description"]; saved != e.text {
		d.t.Errorf("the form saved %q, want %q", saved, e.text)
	}
}

// openStream logs in as the administrator and opens the stream of a page.
func openStream(t *testing.T, s *service) *http.Response {
	t.Helper()
	res, err := s.unchecked.PostForm(s.url+"/login",
		url.Values{"email": {s.cfg.AdminEmail}, "password": {adminPassword}})
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	r, err := s.request(http.MethodGet, "/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	for _, c := range res.Cookies() {
		r.AddCookie(c)
	}
	stream, err := s.unchecked.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stream.Body.Close() })
	return stream
}

// A command that disables a user runs in another process. The pages of the user close on every instance.
func TestPagesOfAUserThatACommandDisablesAreClosed(t *testing.T) {
	t.Parallel()
	for engine, setting := range map[string]string{
		"sqlite": storetest.SQLite(t), "postgres": storetest.Postgres(t),
	} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			cfg := newConfig(t, setting)
			cfg.Secret = "the secret that all instances of the service share"
			instances := []*service{startService(t, cfg)}
			if engine == "postgres" {
				instances = append(instances, startService(t, cfg))
			}
			ended := make(chan struct{})
			for _, s := range instances {
				stream := openStream(t, s)
				if stream.StatusCode != http.StatusOK {
					t.Fatalf("got status %d, want a stream", stream.StatusCode)
				}
				go func() {
					_, _ = io.Copy(io.Discard, stream.Body)
					ended <- struct{}{}
				}()
			}
			disableAdministrator(t, cfg)
			began := time.Now()
			for range instances {
				select {
				case <-ended:
				case <-time.After(time.Minute):
					t.Fatal("a page stays open")
				}
			}
			t.Logf("all pages were closed after %s", time.Since(began))
		})
	}
}

// disableAdministrator does what the command homeward user disable does.
func disableAdministrator(t *testing.T, cfg app.Config) {
	t.Helper()
	op, done, err := app.OpenOperator(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	accounts, err := op.Accounts.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	users, err := op.Accounts.Users(t.Context(), accounts[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := op.Accounts.SetUserDisabled(t.Context(), accounts[0].ID, users[0].ID, true); err != nil {
		t.Fatal(err)
	}
}

// Stopping does not wait for open pages, whose streams have no end of their own.
func TestOpenPagesDoNotDelayTheEnd(t *testing.T) {
	s := startService(t, newConfig(t, storetest.SQLite(t)))
	stream := openStream(t, s)
	if text := string(s.do("", "GET", "/metrics", nil).body); !strings.Contains(text,
		"homeward_live_streams 1\n") {
		t.Error("the metrics do not count the open page")
	}
	began := time.Now()
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("stopping took %s", took)
	}
	if _, err := io.Copy(io.Discard, stream.Body); err != nil {
		t.Errorf("the stream did not end properly: %v", err)
	}
}
