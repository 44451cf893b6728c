package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

// Limits of what is read, in bytes.
const (
	maxHeader     = 64 << 10
	maxChat       = 256 << 10
	maxEmbeddings = 16 << 20
	maxModels     = 4 << 20
)

// post sends a request as JSON and decodes the answer, which has at most the given number of bytes.
func (c *Client) post(ctx context.Context, path string, body any, limit int64, answer any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return &Failure{Reason: Refused, Cause: err}
	}
	return c.send(ctx, http.MethodPost, path, bytes.NewReader(text), limit, answer)
}

func (c *Client) send(ctx context.Context, method, path string, body io.Reader, limit int64, answer any) error {
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return &Failure{Reason: NotReached, Cause: errors.New("the address is not valid")}
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "Homeward")
	if c.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	res, err := c.http.Do(r)
	if err != nil {
		return connectionFailure(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	if err := statusFailure(res.StatusCode); err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, limit+1))
	switch {
	case err != nil:
		return connectionFailure(ctx, err)
	case int64(len(text)) > limit:
		return unreadable("the answer is too large")
	case json.Unmarshal(text, answer) != nil: // its error may quote the answer
		return unreadable("the answer is not the JSON of the API")
	}
	return nil
}

// Check returns an error if the server cannot be reached, does not accept the key or does not list the model. Servers
// that list no models at all pass.
func (c *Client) Check(ctx context.Context) error {
	var answer struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := c.send(ctx, http.MethodGet, "/models", nil, maxModels, &answer); err != nil {
		return err
	}
	for _, m := range answer.Data {
		// Ollama lists the tag, which requests may omit.
		if m.ID == c.model || m.ID == c.model+":latest" {
			return nil
		}
	}
	if len(answer.Data) == 0 {
		return nil
	}
	return &Failure{Reason: Refused, Cause: errors.New("the server does not list the model")}
}
