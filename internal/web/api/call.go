package api

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
	"homeward/internal/web/respond"
)

// call is one request to the API.
type call struct {
	w     http.ResponseWriter
	r     *http.Request
	op    operation
	actor lost.Actor // set after authentication
}

func (c *call) logActor() {
	respond.AddLogAttrs(c.w, slog.String("account", c.actor.Account), slog.String("key", c.actor.ID))
}

// path returns a path parameter.
func (c *call) path(name string) string { return c.r.PathValue(name) }

// json reads the body of a request, which must be JSON.
func (c *call) json() ([]byte, error) {
	mediaType, params, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	charset := params["charset"]
	if err != nil || mediaType != "application/json" || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return nil, lost.E(lost.Unsupported, "Send the body as JSON with the header Content-Type: application/json.")
	}
	return respond.ReadBody(c.r, lost.E(lost.TooLarge, "A JSON body must not be larger than 1 MiB."))
}

// emptyBody returns the idempotency key of a request that must have no body. An empty JSON object counts as no body.
func (c *call) emptyBody() (lost.IdempotencyKey, error) {
	if c.r.ContentLength == 0 {
		return c.idempotencyKey(nil)
	}
	patch, key, err := read(c, v1.DecodeEmpty)
	if err != nil {
		return key, err
	}
	return key, patch.Problems.Err()
}

// readOptional is like read, but for a request that may have no body.
func readOptional[T any](c *call, decode func([]byte) (T, error)) (patch T, key lost.IdempotencyKey, err error) {
	if c.r.ContentLength == 0 {
		key, err = c.idempotencyKey(nil)
		return patch, key, err
	}
	return read(c, decode)
}

// idempotencyKey reads the Idempotency-Key header of a POST. It adds a hash of the request, because using a key again
// for a different request is an error.
func (c *call) idempotencyKey(body []byte) (lost.IdempotencyKey, error) {
	const header, maxLength = "Idempotency-Key", 255
	key := c.r.Header.Get(header)
	if key == "" || c.r.Method != http.MethodPost {
		return lost.IdempotencyKey{}, nil
	}
	if len(key) > maxLength || strings.ContainsFunc(key, func(r rune) bool { return r < '!' || r > '~' }) {
		return lost.IdempotencyKey{}, invalid(header, "invalid-key", "must have 1 to 255 visible ASCII characters")
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %s\n", c.r.Method, c.r.URL.Path)
	_, _ = sum.Write(body)
	return lost.IdempotencyKey{Key: key, Request: hex.EncodeToString(sum.Sum(nil))}, nil
}

// file reads the start of an upload. It returns the file in the form as a stream, and the idempotency key.
func (c *call) file(name string) (io.Reader, lost.IdempotencyKey, error) {
	key, err := c.idempotencyKey(nil)
	if err != nil {
		return nil, key, err
	}
	part, err := c.part(name)
	return part, key, err
}

// form starts to read a multipart form that has files in the part name.
func (c *call) form(name string) (*multipart.Reader, error) {
	form, err := c.r.MultipartReader()
	mediaType, _, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if err != nil || mediaType != "multipart/form-data" {
		return nil, lost.E(lost.Unsupported,
			"Send the file as multipart/form-data, in the form part %s.", name).WithCause(err)
	}
	const uploadTime = 5 * time.Minute
	return form, respond.ExtendDeadlines(c.w, uploadTime)
}

// part finds a file in a multipart form and returns it as a stream.
func (c *call) part(name string) (io.Reader, error) {
	form, err := c.form(name)
	if err != nil {
		return nil, err
	}
	const maxParts = 20
	for range maxParts {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return nil, invalid(name, "required", "is required: send the file in the form part "+name)
		}
		if err != nil {
			return nil, respond.UnreadableForm(err)
		}
		if part.FormName() == name {
			return formFile{respond.OnlyFile(form, part)}, nil
		}
		n, err := io.Copy(io.Discard, io.LimitReader(part, respond.MaxBody))
		if lost.CodeOf(err) == lost.TooSlow {
			return nil, err
		}
		if n == respond.MaxBody || err != nil {
			return nil, lost.E(lost.TooLarge, "The form parts other than %s are too large.", name)
		}
	}
	return nil, invalid(name, "required",
		fmt.Sprintf("is not among the first %d parts of the form; send it first", maxParts))
}

// formFile reports a form that ends too early as the client's error.
type formFile struct{ io.Reader }

func (f formFile) Read(b []byte) (int, error) {
	n, err := f.Reader.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = respond.UnreadableForm(err)
	}
	return n, err
}

// invalid returns the error for one invalid field.
func invalid(field, code, message string) error {
	var p lost.Problems
	p.Add(field, code, "%s", message)
	return p.Err()
}

// read reads a JSON body and the idempotency key of the request.
func read[P any](c *call, decode func([]byte) (P, error)) (p P, key lost.IdempotencyKey, err error) {
	body, err := c.json()
	if err != nil {
		return p, key, err
	}
	if p, err = decode(body); err != nil {
		return p, key, err
	}
	key, err = c.idempotencyKey(body)
	return p, key, err
}

// writeRecord responds with one record, or returns err if it is not nil.
func writeRecord[T, R any](c *call, v T, err error, write func(T) R) error {
	if err != nil {
		return err
	}
	record := write(v)
	if c.op.hasTag() {
		return respond.Record(c.w, c.r, http.StatusOK, record)
	}
	return respond.JSON(c.w, http.StatusOK, record)
}

// writeCreated responds with a new record, and with its path in the Location header.
func (c *call) writeCreated(path string, v any) error {
	c.w.Header().Set("Location", path)
	if c.op.hasTag() {
		return respond.Record(c.w, c.r, http.StatusCreated, v)
	}
	return respond.JSON(c.w, http.StatusCreated, v)
}

// writeDeleted responds that a record was deleted, or returns err if it is not nil.
func (c *call) writeDeleted(err error) error {
	if err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
