package openai

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"
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
// refuse a schema.
type chatForm struct{ schema, newLimit, plain bool }

// chatForms lists the forms. The client uses the first one that the server understands.
func chatForms() []chatForm {
	return []chatForm{{schema: true}, {schema: true, newLimit: true}, {plain: true}}
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
	if form.plain {
		return r
	}
	if form.schema {
		r.ResponseFormat = &responseFormat{
			Type: "json_schema", JSONSchema: jsonSchema{Name: q.SchemaName, Strict: true, Schema: q.Schema},
		}
	}
	if form.newLimit {
		r.MaxCompletionTokens = q.MaxTokens
		return r
	}
	r.MaxTokens, r.Temperature = q.MaxTokens, new(float64)
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

// Ask asks a question about a photo and returns the text of the answer. If the server refuses the form of the request,
// it is written in another form, and the client remembers the form for the next question.
func (c *Client) Ask(ctx context.Context, q Question) (string, error) {
	forms := chatForms()
	for n := int(c.form.Load()); ; n++ {
		var answer chatAnswer
		err := c.post(ctx, "/chat/completions", c.chatRequest(q, forms[n]), maxChat, &answer)
		switch {
		case err == nil:
			c.form.Store(int32(n))
			return answer.text()
		case ReasonOf(err) != Refused:
			return "", err
		case n+1 == len(forms): // no form helps: the next question begins with the best one
			c.form.Store(0)
			return "", err
		}
	}
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
