package openai

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"sync"
)

// Question is a question about a photo.
type Question struct {
	System string // instructions
	Text   string
	JPEG   []byte
	// Schema is the JSON schema of the answer, and SchemaName its name. A server may ignore it.
	SchemaName string
	Schema     json.RawMessage
	// MaxTokens limits the answer.
	MaxTokens int
}

// chatForm is a way to write a chat request. Newer hosted models refuse max_tokens and temperature, and some servers
// refuse a schema. Every form limits the answer.
type chatForm struct{ schema, temperature, newLimit bool }

// chatForms lists the forms, the best one first.
var chatForms = [...]chatForm{{schema: true, temperature: true}, {schema: true, newLimit: true}, {}}

// formMemory remembers the form that a server understands.
type formMemory struct {
	mu    sync.Mutex
	form  int  // index in chatForms
	works bool // the server has accepted the form
}

func (m *formMemory) current() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.form
}

func (m *formMemory) accepted(form int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.form, m.works = form, true
}

// refused notes that the server has refused a form, and reports whether the next question has another one. A server
// that has accepted the form before probably refuses the photo.
func (m *formMemory) refused(form int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case form != m.form: // another question has found a better one
		return true
	case m.works:
		m.works = false
		return false
	}
	m.form = (form + 1) % len(chatForms)
	return m.form > 0
}

type chatRequest struct {
	Model               string          `json:"model"`
	Messages            []chatMessage   `json:"messages"`
	ResponseFormat      *responseFormat `json:"response_format,omitempty"`
	MaxTokens           int             `json:"max_tokens,omitempty"`
	MaxCompletionTokens int             `json:"max_completion_tokens,omitempty"`
	Temperature         *float64        `json:"temperature,omitempty"`
	Stream              bool            `json:"stream"`
}

type chatMessage struct {
	Role    string `json:"role"`
	Content any    `json:"content"` // text, or a list of contentPart
}

type contentPart struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	ImageURL *imageURL `json:"image_url,omitempty"`
}

type imageURL struct {
	URL string `json:"url"`
}

type responseFormat struct {
	Type       string     `json:"type"`
	JSONSchema jsonSchema `json:"json_schema"`
}

type jsonSchema struct {
	Name   string          `json:"name"`
	Strict bool            `json:"strict"`
	Schema json.RawMessage `json:"schema"`
}

func (c *Client) chatRequest(q Question, form chatForm) chatRequest {
	r := chatRequest{Model: c.model, Messages: []chatMessage{
		{Role: "system", Content: q.System},
		{Role: "user", Content: []contentPart{
			{Type: "text", Text: q.Text},
			{Type: "image_url", ImageURL: &imageURL{
				URL: "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(q.JPEG),
			}},
		}},
	}}
	if form.schema {
		r.ResponseFormat = &responseFormat{
			Type: "json_schema", JSONSchema: jsonSchema{Name: q.SchemaName, Strict: true, Schema: q.Schema},
		}
	}
	if form.newLimit {
		r.MaxCompletionTokens = q.MaxTokens
		return r
	}
	r.MaxTokens = q.MaxTokens
	if form.temperature {
		r.Temperature = new(float64)
	}
	return r
}

// chatAnswer holds the parts of an answer that are used.
type chatAnswer struct {
	Choices []struct {
		FinishReason string `json:"finish_reason"`
		Message      struct {
			Content json.RawMessage `json:"content"`
			Refusal string          `json:"refusal"`
		} `json:"message"`
	} `json:"choices"`
}

// Ask asks a question about a photo in one request, and returns the text of the answer. If the server refuses the form
// of the request, the failure is temporary as long as there is another form, in which the next question is asked. The
// client remembers the form that the server accepts.
func (c *Client) Ask(ctx context.Context, q Question) (string, error) {
	form := c.forms.current()
	var answer chatAnswer
	err := c.post(ctx, "/chat/completions", c.chatRequest(q, chatForms[form]), maxChat, &answer)
	if err == nil {
		c.forms.accepted(form)
		return answer.text()
	}
	if f, ok := errors.AsType[*Failure](err); ok && f.Reason == Refused {
		f.OtherForm = c.forms.refused(form)
	}
	return "", err
}

// text returns the text of the answer's only choice.
func (a chatAnswer) text() (string, error) {
	if len(a.Choices) == 0 {
		return "", unreadable("the answer has no choice")
	}
	m := a.Choices[0].Message
	if a.Choices[0].FinishReason == "length" {
		return "", unreadable("the answer is longer than the limit of tokens")
	}
	if m.Refusal != "" {
		return "", unreadable("the model refused to answer")
	}
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		return text, nil
	}
	var parts []contentPart
	if json.Unmarshal(m.Content, &parts) != nil {
		return "", unreadable("the answer has no text")
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String(), nil
}
