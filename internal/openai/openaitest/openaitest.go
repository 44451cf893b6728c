// Package openaitest is an HTTP server for tests that speaks the form of OpenAI's API: chat completions with images,
// embeddings and the list of models. It records what it receives, and tests can make it fail in many ways.
package openaitest

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// The names and the key that the server knows.
const (
	VisionModel    = "eyes-1"
	EmbeddingModel = "words-1"
	Key            = "sk-a-key-of-the-test-server"
)

// Photo is a photo that the server received in a chat request.
type Photo struct {
	JPEG   []byte
	System string // the instructions
	Text   string // the text beside the photo
	Schema string // the schema of the answer; empty if the request has none
	Body   string // the whole request
}

// Failure is a way to fail.
type Failure struct {
	Status  int    // the status of the answer; 0 for 200
	Body    string // the whole answer
	Cut     bool   // the connection is closed instead of an answer
	Endless bool   // the answer never ends
}

// Server is a fake server. Use New to create one.
type Server struct {
	URL string // with /v1 at its end

	http *httptest.Server

	mu      sync.Mutex
	answer  func(Photo) string
	related map[string]string
	failure *Failure
	refuses func(body string) bool
	onCall  func(path string)
	hold    chan struct{}
	arrived chan struct{}
	photos  []Photo
	texts   []string
	calls   int
}

// New runs a server until the test ends. It answers every photo with an empty object.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{
		answer: func(Photo) string { return "{}" }, related: map[string]string{}, arrived: make(chan struct{}, 1000),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.chat)
	mux.HandleFunc("POST /v1/embeddings", s.embed)
	mux.HandleFunc("GET /v1/models", s.models)
	s.http = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxRequest)
		mux.ServeHTTP(w, r)
	}))
	s.http.Config.ErrorLog = log.New(io.Discard, "", 0) // otherwise it would log connections that tests close early
	s.http.Start()
	s.URL = s.http.URL + "/v1"
	t.Cleanup(func() {
		s.Release()
		s.http.CloseClientConnections()
		s.http.Close()
	})
	return s
}

const maxRequest = 8 << 20

// Host returns the host and port of the server.
func (s *Server) Host() string { return strings.TrimPrefix(s.http.URL, "http://") }

// Answer sets the text with which the server answers to photos.
func (s *Server) Answer(fn func(Photo) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = fn
}

// AnswerJSON sets the text with which the server answers to every photo: a value as JSON.
func (s *Server) AnswerJSON(value any) {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	s.Answer(func(Photo) string { return string(text) })
}

// Relate makes words mean the same.
func (s *Server) Relate(words ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range words {
		s.related[strings.ToLower(w)] = strings.ToLower(words[0])
	}
}

// Fail makes all requests fail, until it is called with nil.
func (s *Server) Fail(f *Failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failure = f
}

// Refuse makes the server answer 400 to requests for whose body fn returns true. A nil function refuses nothing.
func (s *Server) Refuse(fn func(body string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuses = fn
}

// OnCall sets a function that is called when a request has arrived, before it is answered.
func (s *Server) OnCall(fn func(path string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onCall = fn
}

// Hold makes the server answer nothing until Release is called or the client has left.
func (s *Server) Hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hold = make(chan struct{})
}

// Release ends Hold.
func (s *Server) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hold != nil {
		close(s.hold)
		s.hold = nil
	}
}

// Arrived receives a value for each request that has arrived.
func (s *Server) Arrived() <-chan struct{} { return s.arrived }

// Photos returns the photos that the server has received.
func (s *Server) Photos() []Photo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.photos)
}

// Texts returns the texts that the server has received to embed.
func (s *Server) Texts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.texts)
}

// Calls returns the number of requests for chats and embeddings.
func (s *Server) Calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

// begin counts a request, waits if the server holds its answers, and fails if it must. It returns the body, or false if
// the request was answered.
func (s *Server) begin(w http.ResponseWriter, r *http.Request) (body []byte, ok bool) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, false
	}
	s.mu.Lock()
	s.calls++
	failure, refuses := s.failure, s.refuses
	hold, onCall := s.hold, s.onCall
	s.mu.Unlock()
	select {
	case s.arrived <- struct{}{}:
	default:
	}
	if onCall != nil {
		onCall(r.URL.Path)
	}
	if hold != nil {
		select {
		case <-hold:
		case <-r.Context().Done():
			return nil, false
		}
	}
	switch {
	case r.Header.Get("Authorization") != "Bearer "+Key:
		refuse(w, http.StatusUnauthorized)
	case failure != nil:
		failure.write(w, r)
	case refuses != nil && refuses(string(body)):
		refuse(w, http.StatusBadRequest)
	default:
		return body, true
	}
	return nil, false
}

func (f Failure) write(w http.ResponseWriter, r *http.Request) {
	switch {
	case f.Cut:
		panic(http.ErrAbortHandler)
	case f.Endless:
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, strings.Repeat(" ", 1<<16)); err != nil {
				return
			}
		}
		return
	case f.Status != 0:
		w.WriteHeader(f.Status)
	}
	_, _ = io.WriteString(w, f.Body)
}

func refuse(w http.ResponseWriter, status int) {
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"error": {"message": "The request is not accepted."}}`)
}

func write(w http.ResponseWriter, answer any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

type object = map[string]any

func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	if _, ok := s.begin(w, r); ok {
		write(w, object{"object": "list", "data": []object{{"id": VisionModel}, {"id": EmbeddingModel}}})
	}
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	body, ok := s.begin(w, r)
	if !ok {
		return
	}
	photo, ok := readPhoto(body)
	if !ok {
		refuse(w, http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.photos = append(s.photos, photo)
	answer := s.answer
	s.mu.Unlock()
	write(w, object{
		"object": "chat.completion", "model": VisionModel,
		"choices": []object{{
			"index": 0, "finish_reason": "stop", "message": object{"role": "assistant", "content": answer(photo)},
		}},
	})
}

// readPhoto reads a chat request as the API requires it: the model, instructions, and a text with one photo.
func readPhoto(body []byte) (p Photo, ok bool) {
	var q struct {
		Model    string `json:"model"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		ResponseFormat *struct {
			Type       string `json:"type"`
			JSONSchema struct {
				Name   string          `json:"name"`
				Schema json.RawMessage `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	if json.Unmarshal(body, &q) != nil || q.Model != VisionModel || len(q.Messages) != 2 {
		return p, false
	}
	if q.ResponseFormat != nil {
		if q.ResponseFormat.Type != "json_schema" || q.ResponseFormat.JSONSchema.Name == "" {
			return p, false
		}
		p.Schema = string(q.ResponseFormat.JSONSchema.Schema)
	}
	var parts []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		ImageURL struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	if q.Messages[0].Role != "system" || json.Unmarshal(q.Messages[0].Content, &p.System) != nil ||
		q.Messages[1].Role != "user" || json.Unmarshal(q.Messages[1].Content, &parts) != nil || len(parts) != 2 {
		return p, false
	}
	encoded, isJPEG := strings.CutPrefix(parts[1].ImageURL.URL, "data:image/jpeg;base64,")
	jpeg, err := base64.StdEncoding.DecodeString(encoded)
	if !isJPEG || err != nil || parts[0].Type != "text" || parts[1].Type != "image_url" {
		return p, false
	}
	p.JPEG, p.Text, p.Body = jpeg, parts[0].Text, string(body)
	return p, true
}

func (s *Server) embed(w http.ResponseWriter, r *http.Request) {
	body, ok := s.begin(w, r)
	if !ok {
		return
	}
	var q struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
	}
	if json.Unmarshal(body, &q) != nil || q.Model != EmbeddingModel || len(q.Input) == 0 ||
		slices.Contains(q.Input, "") {
		refuse(w, http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.texts = append(s.texts, q.Input...)
	s.mu.Unlock()
	var data []object
	for n, text := range q.Input {
		data = append(data, object{"object": "embedding", "index": n, "embedding": s.Vector(text)})
	}
	slices.Reverse(data) // clients must heed the index
	write(w, object{"object": "list", "model": EmbeddingModel, "data": data})
}

// VectorWith returns the body of an answer with one vector for the first of n texts, for Failure.
func VectorWith(coordinates ...string) string {
	return `{"data": [{"index": ` + strconv.Itoa(0) + `, "embedding": [` + strings.Join(coordinates, ", ") + `]}]}`
}
