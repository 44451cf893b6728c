package openai_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"homeward/internal/openai"
	"homeward/internal/openai/openaitest"
)

func newClient(t *testing.T, s *openaitest.Server, model string) *openai.Client {
	t.Helper()
	c, err := openai.New(openai.Options{URL: s.URL, Model: model, Key: openaitest.Key, Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var question = openai.Question{
	System: "Describe it.", Text: "This is the photo.", JPEG: []byte("a photo"), SchemaName: "thing",
	Schema: json.RawMessage(`{"type":"object"}`), MaxTokens: 300,
}

func TestAskSendsThePhotoAndReturnsTheText(t *testing.T) {
	s := openaitest.New(t)
	s.AnswerJSON(map[string]string{"brand": "Acme"})
	answer, err := newClient(t, s, openaitest.VisionModel).Ask(t.Context(), question)
	if err != nil || answer != `{"brand":"Acme"}` {
		t.Fatalf("got %q, %v", answer, err)
	}
	photos := s.Photos()
	if len(photos) != 1 || string(photos[0].JPEG) != "a photo" || photos[0].System != "Describe it." ||
		photos[0].Text != "This is the photo." || photos[0].Schema != `{"type":"object"}` {
		t.Errorf("the server received %+v", photos)
	}
	for _, part := range []string{`"max_tokens":300`, `"temperature":0`, `"stream":false`} {
		if !strings.Contains(photos[0].Body, part) {
			t.Errorf("the request lacks %s: %s", part, photos[0].Body)
		}
	}
}

// A server that refuses a part of the request is asked in another form the next time, which the client remembers. Each
// question is one request, and each limits the answer.
func TestAskAdaptsToTheServer(t *testing.T) {
	for name, c := range map[string]struct {
		refused string
		failed  int // questions
	}{
		"the limit of older models": {`"max_tokens"`, 1}, "the temperature": {`"temperature"`, 1},
		"the schema": {`"response_format"`, 2},
	} {
		t.Run(name, func(t *testing.T) {
			s := openaitest.New(t)
			s.Refuse(func(body string) bool { return strings.Contains(body, c.refused) })
			client := newClient(t, s, openaitest.VisionModel)
			for n := range c.failed + 3 {
				_, err := client.Ask(t.Context(), question)
				if failed := n < c.failed; (err != nil) != failed || failed && !openai.IsTemporary(err) {
					t.Fatalf("question %d: %v", n, err)
				}
				if s.Calls() != n+1 {
					t.Fatalf("%d requests for %d questions", s.Calls(), n+1)
				}
			}
			if body := s.Photos()[0].Body; !strings.Contains(body, `_tokens":300`) {
				t.Errorf("the answer has no limit: %s", body)
			}
		})
	}
}

func TestAskRecoversFromAServerThatRefusesEverything(t *testing.T) {
	s := openaitest.New(t)
	s.Refuse(func(string) bool { return true })
	c := newClient(t, s, openaitest.VisionModel)
	ask := func(failed, temporary bool) {
		t.Helper()
		_, err := c.Ask(t.Context(), question)
		if (err != nil) != failed || openai.IsTemporary(err) != temporary {
			t.Errorf("got %v", err)
		}
	}
	ask(true, true)
	ask(true, true)
	ask(true, false) // no form helps
	s.Refuse(nil)
	ask(false, false)
	if s.Photos()[0].Schema == "" {
		t.Error("the client did not begin with the best form again")
	}
	// The form works: one photo that is refused does not change it.
	s.Refuse(func(string) bool { return true })
	ask(true, false)
	s.Refuse(nil)
	ask(false, false)
	if photos := s.Photos(); photos[len(photos)-1].Schema == "" || s.Calls() != 6 {
		t.Errorf("%d requests, the last one without the schema", s.Calls())
	}
}

func TestAskReportsFailures(t *testing.T) {
	text := func(content string) openaitest.Failure {
		return openaitest.Failure{Body: `{"choices":[{"message":` + content + `}]}`}
	}
	for name, c := range map[string]struct {
		failure openaitest.Failure
		want    openai.Reason
	}{
		"an answer that was cut off": {
			openaitest.Failure{Body: `{"choices":[{"finish_reason":"length","message":{"content":"{\"a"}}]}`},
			openai.Unreadable,
		},
		"an error of the server":   {openaitest.Failure{Status: http.StatusInternalServerError}, openai.Busy},
		"too many requests":        {openaitest.Failure{Status: http.StatusTooManyRequests}, openai.Busy},
		"a forbidden model":        {openaitest.Failure{Status: http.StatusForbidden}, openai.Unauthorized},
		"a missing model":          {openaitest.Failure{Status: http.StatusNotFound}, openai.Refused},
		"a redirect":               {openaitest.Failure{Status: http.StatusFound}, openai.Refused},
		"a timeout behind a proxy": {openaitest.Failure{Status: http.StatusGatewayTimeout}, openai.TimedOut},
		"a cut connection":         {openaitest.Failure{Cut: true}, openai.NotReached},
		"garbage":                  {openaitest.Failure{Body: "<html>hello</html>"}, openai.Unreadable},
		"half an answer":           {openaitest.Failure{Body: `{"choices":[{"mess`}, openai.Unreadable},
		"no choice":                {openaitest.Failure{Body: `{"choices":[]}`}, openai.Unreadable},
		"no content":               {text(`{}`), openai.Unreadable},
		"a number":                 {text(`{"content":7}`), openai.Unreadable},
		"a refusal":                {text(`{"content":"","refusal":"I cannot"}`), openai.Unreadable},
		"an endless answer":        {openaitest.Failure{Endless: true}, openai.Unreadable},
	} {
		t.Run(name, func(t *testing.T) {
			s := openaitest.New(t)
			s.Fail(&c.failure)
			_, err := newClient(t, s, openaitest.VisionModel).Ask(t.Context(), question)
			if openai.ReasonOf(err) != c.want {
				t.Fatalf("got %v, want %s", err, c.want)
			}
			temporary := c.want == openai.Busy || c.want == openai.NotReached || c.want == openai.TimedOut ||
				c.want == openai.Refused // until every form was refused
			if openai.IsTemporary(err) != temporary {
				t.Errorf("%v: temporary is %t", err, !temporary)
			}
			for _, secret := range []string{openaitest.Key, "photo", "hello", s.Host()} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error contains %q: %v", secret, err)
				}
			}
		})
	}
	s := openaitest.New(t)
	s.Fail(&openaitest.Failure{Body: `{"choices":[{"message":{"content":[{"type":"text","text":"in "},
		{"type":"text","text":"parts"}]}}]}`})
	if answer, err := newClient(t, s, openaitest.VisionModel).Ask(t.Context(), question); answer != "in parts" {
		t.Errorf("got %q, %v", answer, err)
	}
}

func TestACallEndsWithItsContext(t *testing.T) {
	s := openaitest.New(t)
	s.Hold()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-s.Arrived()
		cancel()
	}()
	_, err := newClient(t, s, openaitest.VisionModel).Ask(ctx, question)
	if openai.ReasonOf(err) != openai.TimedOut {
		t.Errorf("got %v", err)
	}
}

// A server that accepts a request and never answers costs the caller no more than the timeout.
func TestACallEndsAfterItsTimeout(t *testing.T) {
	s := openaitest.New(t)
	s.Hold()
	defer time.AfterFunc(time.Minute, s.Release).Stop() // or the test would not end if there were no timeout
	for model, call := range map[string]func(*openai.Client) error{
		openaitest.VisionModel: func(c *openai.Client) error {
			_, err := c.Ask(t.Context(), question)
			return err
		},
		openaitest.EmbeddingModel: func(c *openai.Client) error {
			_, err := c.Embed(t.Context(), []string{"umbrella"})
			return err
		},
	} {
		c, err := openai.New(openai.Options{
			URL: s.URL, Model: model, Key: openaitest.Key, Timeout: 50 * time.Millisecond,
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := call(c); openai.ReasonOf(err) != openai.TimedOut || !openai.IsTemporary(err) {
			t.Errorf("%s: got %v", model, err)
		}
	}
}

func TestAWrongKeyIsReported(t *testing.T) {
	s := openaitest.New(t)
	c, err := openai.New(openai.Options{URL: s.URL + "/", Model: openaitest.VisionModel, Key: "sk-wrong"})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Check(t.Context()); openai.ReasonOf(err) != openai.Unauthorized {
		t.Errorf("got %v", err)
	}
}

func TestCheckFindsTheModel(t *testing.T) {
	s := openaitest.New(t)
	if err := newClient(t, s, openaitest.VisionModel).Check(t.Context()); err != nil {
		t.Error(err)
	}
	if err := newClient(t, s, "another").Check(t.Context()); openai.ReasonOf(err) != openai.Refused {
		t.Errorf("another model: %v", err)
	}
	s.Fail(&openaitest.Failure{Body: `{"data":[{"id":"llava:latest"}]}`})
	if err := newClient(t, s, "llava").Check(t.Context()); err != nil {
		t.Errorf("a model with a tag: %v", err)
	}
	s.Fail(&openaitest.Failure{Body: `{"data":[]}`})
	if err := newClient(t, s, "llava").Check(t.Context()); err != nil {
		t.Errorf("a server that lists no models: %v", err)
	}
}

func TestEmbedReturnsOneVectorForEachText(t *testing.T) {
	s := openaitest.New(t)
	s.Relate("umbrella", "brolly")
	texts := []string{"a black umbrella", "a black brolly", "seven golden rings"}
	vectors, err := newClient(t, s, openaitest.EmbeddingModel).Embed(t.Context(), texts)
	if err != nil || len(vectors) != 3 {
		t.Fatalf("got %d vectors, %v", len(vectors), err)
	}
	product := func(a, b []float32) (sum float64) {
		for n := range a {
			sum += float64(a[n]) * float64(b[n])
		}
		return sum
	}
	if product(vectors[0], vectors[1]) <= product(vectors[0], vectors[2])+0.1 {
		t.Error("the vectors are not in the order of their texts")
	}
}

func TestEmbedReportsWrongVectors(t *testing.T) {
	s := openaitest.New(t)
	c := newClient(t, s, openaitest.EmbeddingModel)
	long := strings.Repeat("1,", 10_000) + "1"
	for name, body := range map[string]string{
		"none":               `{"data":[]}`,
		"too many":           `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1]}]}`,
		"a wrong number":     `{"data":[{"index":1,"embedding":[1]}]}`,
		"an empty vector":    openaitest.VectorWith(),
		"a zero vector":      openaitest.VectorWith("0", "0"),
		"infinite":           openaitest.VectorWith("1e39"),
		"text":               openaitest.VectorWith(`"one"`),
		"a very long vector": openaitest.VectorWith(long),
		"garbage":            "no",
	} {
		s.Fail(&openaitest.Failure{Body: body})
		if _, err := c.Embed(t.Context(), []string{"a text"}); openai.ReasonOf(err) != openai.Unreadable {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.Fail(&openaitest.Failure{Body: `{"data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":[1]}]}`})
	if _, err := c.Embed(t.Context(), []string{"a", "b"}); openai.ReasonOf(err) != openai.Unreadable {
		t.Errorf("vectors of different lengths: %v", err)
	}
}

func TestCheckURL(t *testing.T) {
	for address, valid := range map[string]bool{
		"https://api.example.com/v1": true, "http://localhost:11434/v1": true, "https://api.example.com": true,
		"": false, "api.example.com/v1": false, "ftp://example.com": false, "https://key@example.com/v1": false,
		"https://example.com/v1?key=1": false, "https://example.com/v1#a": false, "https:///v1": false,
	} {
		if err := openai.CheckURL(address); (err == nil) != valid {
			t.Errorf("%q: %v", address, err)
		}
	}
	if _, err := openai.New(openai.Options{URL: "https://api.example.com/v1", Model: " "}); err == nil {
		t.Error("a missing model was accepted")
	}
}
