package app_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"homeward/internal/app"
	"homeward/internal/lost"
	"homeward/internal/message/mailtest"
	"homeward/internal/store/storetest"
)

// paperWalk visits every place that shows an identity paper.
type paperWalk struct {
	*site
	t         *testing.T
	cookie    string
	found     string // id of a found passport
	request   string // id of a request for it
	at        string // path of the location in the dashboard
	reference string
	secrets   []string // which no place may show: names of the photo's files and the whole number
	shown     map[string]string
}

const wholeNumber = "AE1234567"

// newPaperWalk creates a passport whose number and photo were recorded before its category, and an owner who is
// notified afterwards.
func newPaperWalk(t *testing.T, setting string) *paperWalk {
	t.Helper()
	i := newSite(t, setting, hotelAdler(), func(c *app.Config) {
		c.AdminEmail, c.AdminPassword = "boss@adler.example", "a long enough password"
	})
	w := &paperWalk{site: i, t: t, shown: map[string]string{}}
	w.cookie = i.session(i.cfg.AdminEmail, i.cfg.AdminPassword)
	w.at = "/at/" + path.Base(i.location)
	i.must(http.StatusOK, "PUT", i.location, map[string]any{"publicRegister": true})
	item := i.must(http.StatusCreated, "POST", i.location+"/items", map[string]any{
		"description": "Red booklet", "serialNumber": wholeNumber, "discoveryPlace": "Room 12",
		"discoveryDate": "2026-01-10",
	})
	w.found, w.reference = item["id"].(string), item["reference"].(string)
	w.upload(i.location + "/items/" + w.found)
	i.must(http.StatusOK, "PUT", i.location+"/items/"+w.found, map[string]any{
		"category": "passport", "owner": map[string]any{"email": "anna@example.com"},
	})
	w.request = i.must(http.StatusCreated, "POST", i.location+"/requests", map[string]any{
		"description": "My red passport", "category": "passport", "serialNumber": wholeNumber,
		"owner": map[string]any{"email": "zoe@example.com"},
	})["id"].(string)
	i.listAll(i.location + "/requests/" + w.request + "/matches") // waits for pending matching
	w.secrets = append(w.secrets, wholeNumber)
	return w
}

// upload adds a photo to an item, and remembers the names of its files.
func (w *paperWalk) upload(item string) {
	w.t.Helper()
	r, err := w.site.upload(item+"/upload-image", "image", samplePhoto())
	if err != nil || r.status != http.StatusOK {
		w.t.Fatalf("%d %s %v", r.status, r.body, err)
	}
	for _, image := range r.record(w.t)["images"].([]any) {
		fields := image.(map[string]any)
		for _, name := range []string{"url", "thumbnailUrl"} {
			w.secrets = append(w.secrets, path.Base(fields[name].(string)))
		}
	}
}

// visit adds what a page of the dashboard shows.
func (w *paperWalk) visit(method, page string, form url.Values) {
	w.t.Helper()
	r, err := http.NewRequest(method, w.url+page, strings.NewReader(form.Encode()))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Cookie", w.cookie)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	a, err := send(w.unchecked, r)
	if err != nil || a.status != http.StatusOK {
		w.t.Errorf("%s %s: status %d, %v", method, page, a.status, err)
		return
	}
	text := string(a.body)
	if strings.HasPrefix(text, "%PDF") {
		j := &journey{t: w.t}
		text = string(j.poppler(a.body, "pdftotext", "-layout", "-", "-"))
		if pictures := j.poppler(a.body, "pdfimages", "-list", "-"); strings.Contains(string(pictures), "image ") {
			w.t.Errorf("%s %s contains a picture:\n%s", method, page, pictures)
		}
	}
	w.shown[method+" "+page+" "+form.Get("kind")] = text
}

// dashboard visits the pages and papers of the dashboard.
func (w *paperWalk) dashboard() {
	item, request := w.at+"/items/"+w.found, w.at+"/requests/"+w.request
	period, paper := "?from=2026-01-01&to=2026-12-31", string(lost.TagPapers()[0])
	for _, page := range []string{
		"/", item, item + "/status", item + "/hand-over", item + "/hand-over/form", item + "/notify", item + "/link",
		item + "/stays", item + "/delete", w.at + "/items", w.at + "/items?q=passport", "/at/all/items",
		w.at + "/items.csv", w.at + "/find/" + w.found, "/search?q=" + w.reference, "/search?q=booklet", request,
		request + "/accept?item=" + w.found, w.at + "/requests", w.at + "/storage", w.at + "/storage?tab=all",
		w.at + "/place?place=Cellar+shelf", w.at + "/places", w.at + "/labels", w.at + "/tags?item=" + w.found,
		w.at + "/tags.pdf?paper=" + paper + "&item=" + w.found, w.at + "/papers",
		w.at + "/papers/register.pdf" + period,
		w.at + "/papers/register.csv" + period, w.at + "/reports", w.at + "/scan", "/settings/messages",
		"/settings/audit",
	} {
		w.visit("GET", page, nil)
	}
	chosen := url.Values{"item": {w.found}}
	w.visit("POST", w.at+"/papers", chosen)
	for _, kind := range []string{"list", "auction", "safe", "protocol", "destruction"} {
		w.visit("POST", w.at+"/papers/print.pdf", url.Values{
			"item": {w.found}, "kind": {kind}, "method": {"shredded"}, "date": {"2026-11-12"},
		})
	}
}

// programs calls what agents, public pages and guests can see.
func (w *paperWalk) programs() {
	record := w.location + "/items/" + w.found
	for _, at := range []string{
		record + "/history", record + "/thread", record + "/matches",
		w.location + "/requests/" + w.request + "/matches", w.location + "/requests/" + w.request,
	} {
		w.shown["GET "+at] = string(w.do(w.key, "GET", at, nil).body)
	}
	_, publishable := w.newKey(map[string]any{
		"name": "Page", "role": "publishable", "origins": []string{"https://adler.example"},
	})
	for _, at := range []string{w.location, record, w.location + "/items", w.location + "/requests/" + w.request} {
		r, err := w.site.request("GET", at, nil)
		if err != nil {
			w.t.Fatal(err)
		}
		r.Header.Set("svc-api-key", publishable)
		r.Header.Set("Origin", "https://adler.example")
		a, err := send(w.unchecked, r)
		if err != nil {
			w.t.Fatal(err)
		}
		w.shown["publishable key: GET "+at] = string(a.body)
	}
	for _, at := range []string{w.public, w.public + "/found"} {
		r, err := http.NewRequest(http.MethodGet, at, nil)
		if err != nil {
			w.t.Fatal(err)
		}
		a, err := send(w.unchecked, r)
		if err != nil || a.status != http.StatusOK {
			w.t.Errorf("%s: status %d, %v", at, a.status, err)
		}
		w.shown["GET "+at] = string(a.body)
	}
	w.agents()
}

// agents calls the tools of an AI agent, and reads what they link to.
func (w *paperWalk) agents() {
	d := &desktop{service: w.service}
	d.connect = d.http
	a := d.agent(w.key)
	location := path.Base(w.location)
	for tool, arguments := range map[string]args{
		"get_item":                  {"locationId": location, "itemId": w.found},
		"search_items":              {"q": "booklet"},
		"suggest_items_for_request": {"locationId": location, "requestId": w.request},
		"set_status":                {"locationId": location, "itemId": w.found, "status": "PENDING"},
	} {
		res, err := a.CallTool(w.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil || res.IsError {
			w.t.Errorf("%s: %v, %v", tool, res, err)
			continue
		}
		text, err := json.Marshal(res)
		if err != nil {
			w.t.Fatal(err)
		}
		w.shown["tool "+tool] = string(text)
	}
	uri := "homeward://locations/" + location + "/items/" + w.found
	got, err := a.read(uri)
	if err != nil {
		w.t.Fatal(err)
	}
	w.shown["resource "+uri] = got.Text
	for _, name := range w.secrets {
		if photo, err := a.read(uri + "/photos/" + name); err == nil {
			w.t.Errorf("an agent can read the photo %s: %d bytes", name, len(photo.Blob))
		}
	}
}

// guests accepts the request, and reads the e-mails to the owner and the claimant.
func (w *paperWalk) guests() {
	j := &journey{t: w.t, site: w.site}
	w.readMails(j.waitForMail("anna", 1), j.waitForMail("zoe", 1))
	w.must(http.StatusOK, "PUT", w.location+"/items/"+w.found, map[string]any{"owner": nil})
	w.must(http.StatusOK, "PUT", w.location+"/requests/"+w.request+"/update-status",
		map[string]any{"type": "accept", "itemId": w.found})
	w.readMails(j.waitForMail("zoe", 2))
}

// readMails reads e-mails, and opens the pages that they link to.
func (w *paperWalk) readMails(mails ...mailtest.Mail) {
	for _, m := range mails {
		w.shown["mail to "+m.To+": "+subject(m)] = m.Raw + m.Text + m.HTML
		if len(m.Photo) > 0 || strings.Contains(m.HTML, "cid:") {
			w.t.Errorf("the mail %q to %s has a photo", subject(m), m.To)
		}
		for _, link := range regexp.MustCompile(regexp.QuoteMeta(w.url)+`/g/[^\s"<]+`).FindAllString(m.Text, -1) {
			r, err := http.NewRequest(http.MethodGet, link, nil)
			if err != nil {
				w.t.Fatal(err)
			}
			a, err := send(w.unchecked, r)
			if err != nil {
				w.t.Fatal(err)
			}
			w.shown["page of "+m.To] = string(a.body)
		}
	}
}

// The photo of an identity paper is hidden or blurred, and its number masked, in every place but the API and the
// webhooks of the account's own programs. There, only the number is masked.
func TestIdentityPapersAreHiddenEverywhere(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		w := newPaperWalk(t, setting)
		w.dashboard()
		w.programs()
		w.guests()
		w.dashboard() // with the owner that the request has brought
		for place, text := range w.shown {
			if text == "" {
				t.Errorf("%s shows nothing", place)
			}
			for _, secret := range w.secrets {
				if strings.Contains(text, secret) {
					t.Errorf("%s shows %s", place, secret)
				}
			}
		}
		const least = 55
		if len(w.shown) < least {
			t.Errorf("only %d places were visited, want %d", len(w.shown), least)
		}
	})
}
