package app_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

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

// newPhotoDesk starts a service. The optional functions change its settings.
func newPhotoDesk(t *testing.T, setting string, with ...func(*app.Config)) *photoDesk {
	t.Helper()
	t.Helper()
	d := &photoDesk{eyes: openaitest.New(t)}
	d.eyes.AnswerJSON(map[string]any{
		"containsFace": false, "identityPaper": false, "category": "umbrella", "colors": []string{"blue"},
		"brand": "Knirps", "model": "", "text": "", "description": "A blue umbrella with white dots.",
	})
	cfg := newConfig(t, setting)
	d.use(&cfg)
	for _, set := range with {
		set(&cfg)
	}
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

// expectMatch files a request for an item, and checks that the item is its first match. It returns the path of the
// matches.
func (d *photoDesk) expectMatch(when, item string, request map[string]any) (path string) {
	d.t.Helper()
	request["owner"] = map[string]any{"email": "anna@example.com"}
	id := d.must(http.StatusCreated, "POST", d.location+"/requests", request)["id"].(string)
	path = d.location + "/requests/" + id + "/matches"
	if matches, _ := d.listAll(path); len(matches) == 0 || matches[0]["itemId"] != item {
		d.t.Fatalf("%s: the matches are %v", when, matches)
	}
	return path
}

// waitForOutcome waits until a request to a model has had an outcome.
func (d *photoDesk) waitForOutcome(model, outcome string) {
	d.t.Helper()
	count := regexp.MustCompile(`homeward_model_request_duration_seconds_count{model="` + model + `",outcome="` +
		outcome + `"} [1-9]`)
	waitUntil(d.t, "a request to "+model+" has the outcome "+outcome, func() bool {
		return count.MatchString(d.metrics())
	})
}

// While both models fail in any way, only suggestions and vectors are missing: photos are stored and items are matched.
// When the models work again, there are suggestions for new photos, and vectors also of the earlier items.
func TestUploadsAndMatchingWorkWhateverTheModelsDo(t *testing.T) {
	t.Parallel()
	fail := func(f openaitest.Failure) func(*openaitest.Server) {
		return func(s *openaitest.Server) { s.Fail(&f) }
	}
	failures := []struct {
		color, outcome string // the color is in no text with which models are calibrated
		begin          func(*openaitest.Server)
	}{
		{"yellow", "unreadable", fail(openaitest.Failure{Body: "<html>not an answer</html>"})},
		{"green", "timeout", (*openaitest.Server).Hold},
		{"purple", "busy", fail(openaitest.Failure{Status: http.StatusInternalServerError})},
		{"white", "not-reached", fail(openaitest.Failure{Cut: true})},
	}
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		words, clock := openaitest.New(t), &steppedClock{}
		words.Relate("red", "crimson")
		words.Relate("macaw", "parrot")
		d := newPhotoDesk(t, setting, func(c *app.Config) {
			c.Embeddings, c.EmbeddingsModel, c.EmbeddingsKey = words.URL, openaitest.EmbeddingModel, openaitest.Key
			c.Clock, c.ModelTimeout = clock.now, time.Second
		})
		for _, f := range failures {
			thing := f.color + " umbrella"
			f.begin(d.eyes)
			f.begin(words)
			id := d.newPhotographed(map[string]any{"description": thing, "color": f.color})
			d.expectMatch(f.outcome, id, map[string]any{"description": thing, "color": f.color})
			d.waitForOutcome("vision", f.outcome)
			d.waitForOutcome("embeddings", f.outcome)
			if strings.Contains(d.page(id), suggested) || containsText(words.Texts(), thing) {
				t.Errorf("%s: there are suggestions or vectors", f.outcome)
			}
			for _, s := range []*openaitest.Server{d.eyes, words} {
				s.Fail(nil)
				s.Release()
			}
			clock.step(time.Hour) // so that jobs that have failed are repeated
			id = d.newPhotographed(map[string]any{"description": f.color + " handbag"})
			waitUntil(t, "the page has suggestions", func() bool { return strings.Contains(d.page(id), suggested) })
			waitUntil(t, "the model got both texts", func() bool {
				return containsText(words.Texts(), thing) && containsText(words.Texts(), f.color+" handbag")
			})
		}
		id := d.newPhotographed(map[string]any{"description": "Red brolly whose grip is a macaw"})
		matches := d.expectMatch("at the end", id, map[string]any{"description": "Brolly, crimson, parrot grip"})
		waitUntil(t, "the meanings are compared", func() bool {
			best, _ := d.listAll(matches)
			return best[0]["itemId"] == id && slices.Contains(best[0]["reasons"].([]any), any("similar meaning"))
		})
	})
}

// suggested is on the page of an item with suggestions of the photo assistant.
const suggested = "Suggested by the photo assistant"

func containsText(texts []string, part string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, part) })
}
