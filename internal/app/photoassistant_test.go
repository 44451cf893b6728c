package app_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"homeward/internal/app"
	"homeward/internal/openai/openaitest"
	"homeward/internal/store/storetest"
)

// photoDesk is a running service whose location has agreed that photos are sent to a test server.
type photoDesk struct {
	*service
	eyes     *openaitest.Server
	cookies  string
	location string // path of the location in the API
	at       string // path of the location in the dashboard
}

func newPhotoDesk(t *testing.T, setting string) *photoDesk {
	t.Helper()
	d := &photoDesk{eyes: openaitest.New(t)}
	d.eyes.AnswerJSON(map[string]any{
		"containsFace": false, "identityPaper": false, "category": "umbrella", "colors": []string{"blue"},
		"brand": "Knirps", "model": "", "text": "", "description": "A blue umbrella with white dots.",
	})
	cfg := newConfig(t, setting)
	d.use(&cfg)
	d.service = startService(t, cfg)
	id := d.newLocation(map[string]any{"name": "Hotel Adler"})
	d.location, d.at = "/v1/locations/"+id, "/at/"+id
	d.cookies = d.session(cfg.AdminEmail, cfg.AdminPassword)
	d.post("/locations/"+id+"/assistant/on", url.Values{"host": {d.eyes.Host()}})
	return d
}

func (d *photoDesk) use(cfg *app.Config) {
	cfg.Vision, cfg.VisionModel = d.eyes.URL, openaitest.VisionModel
	cfg.VisionKey, cfg.VisionDaily = openaitest.Key, 100
}

func (d *photoDesk) post(path string, form url.Values) {
	d.t.Helper()
	if a := d.submit(path, d.cookies, form); a.status != http.StatusSeeOther {
		d.t.Fatalf("POST %s: status %d: %s", path, a.status, a.body)
	}
}

// page returns the page of an item.
func (d *photoDesk) page(id string) string {
	d.t.Helper()
	r, err := http.NewRequest("GET", d.url+d.at+"/items/"+id, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	r.Header.Set("Cookie", d.cookies)
	a, err := send(d.unchecked, r)
	if err != nil || a.status != http.StatusOK {
		d.t.Fatalf("status %d, %v", a.status, err)
	}
	return string(a.body)
}

// newPhotographed creates an item, adds a red photo to it and waits until the photo was verified.
func (d *photoDesk) newPhotographed(item map[string]any) (id string) {
	d.t.Helper()
	id = d.must(http.StatusCreated, "POST", d.location+"/items", item)["id"].(string)
	a, err := d.upload(d.location+"/items/"+id+"/upload-image", "image", redThing(d.t))
	if err != nil || a.status != http.StatusOK {
		d.t.Fatalf("%d %v %s", a.status, err, a.body)
	}
	waitUntil(d.t, "the photo was verified", func() bool {
		i := d.must(http.StatusOK, "GET", d.location+"/items/"+id, nil)
		return i["images"].([]any)[0].(map[string]any)["colors"] != nil
	})
	return id
}

func TestASuggestionOfTheRunningPhotoAssistantIsUsed(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		d := newPhotoDesk(t, setting)
		id := d.newPhotographed(map[string]any{"description": "Umbrella"})
		waitUntil(t, "the page has suggestions", func() bool { return strings.Contains(d.page(id), "Knirps") })
		page := d.page(id)
		if !strings.Contains(page, openaitest.VisionModel) || strings.Contains(page, "Colour: red?") {
			t.Error("the page does not say what has seen the photo, or it suggests two colours")
		}
		path := d.location + "/items/" + id
		i := d.must(http.StatusOK, "GET", path, nil)
		if i["brand"] != nil || i["category"] != nil || i["color"] != nil {
			t.Errorf("a suggestion was written unasked: %v", i)
		}
		for field, value := range map[string]string{"brand": "Knirps", "category": "Umbrella", "color": "blue"} {
			d.post(d.at+"/items/"+id+"/suggestion", url.Values{"do": {"use"}, "field": {field}, "value": {value}})
		}
		i = d.must(http.StatusOK, "GET", path, nil)
		facts := []any{i["brand"], i["category"], i["color"], i["description"]}
		if !slices.Equal(facts, []any{"Knirps", "umbrella", "blue", "Umbrella"}) {
			t.Errorf("after they were used, the item is %v", i)
		}
		if n := len(d.eyes.Photos()); n != 1 {
			t.Errorf("%d photos were sent, want 1", n)
		}
	})
}

func TestPhotosOfPassportsAreNotSentByTheRunningService(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		d := newPhotoDesk(t, setting)
		d.newPhotographed(map[string]any{"description": "Booklet", "category": "passport"})
		d.newPhotographed(map[string]any{"description": "Wallet with an identity card"})
		d.newPhotographed(map[string]any{"description": "Umbrella"})
		waitUntil(t, "the photo of the umbrella was sent", func() bool { return len(d.eyes.Photos()) > 0 })
		if n := d.eyes.Calls(); n != 1 {
			t.Errorf("%d requests were sent, want only the one about the umbrella", n)
		}
	})
}

// A model that fails in any way leaves only the suggestions missing: photos are stored and items are matched.
func TestAFailingPhotoAssistantLeavesUploadsAndMatchingWorking(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		d := newPhotoDesk(t, setting)
		check := func(what, color string, fail, recover func()) {
			t.Helper()
			fail()
			defer recover()
			for len(d.eyes.Arrived()) > 0 {
				<-d.eyes.Arrived()
			}
			id := d.newPhotographed(map[string]any{"description": color + " umbrella", "color": color})
			<-d.eyes.Arrived()
			request := d.must(http.StatusCreated, "POST", d.location+"/requests", map[string]any{
				"description": color + " umbrella", "color": color,
				"owner": map[string]any{"email": "anna@example.com"},
			})["id"].(string)
			matches, _ := d.listAll(d.location + "/requests/" + request + "/matches")
			if len(matches) == 0 || matches[0]["itemId"] != id {
				t.Errorf("%s: the matches are %v", what, matches)
			}
			if strings.Contains(d.page(id), "Suggested by the photo assistant") {
				t.Errorf("%s: the page has suggestions", what)
			}
		}
		failWith := func(f openaitest.Failure) (fail, recover func()) {
			return func() { d.eyes.Fail(&f) }, func() { d.eyes.Fail(nil) }
		}
		cut, end := failWith(openaitest.Failure{Cut: true})
		check("a killed model", "yellow", cut, end)
		garbage, end := failWith(openaitest.Failure{Body: "<html>not an answer</html>"})
		check("garbage", "green", garbage, end)
		busy, end := failWith(openaitest.Failure{Status: http.StatusServiceUnavailable})
		check("a busy model", "black", busy, end)
		check("a model that does not answer", "white", d.eyes.Hold, d.eyes.Release)
	})
}
