package api

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
	"homeward/internal/web/respond"
)

// maxBody is the most bytes of a JSON body.
const maxBody = 1 << 20

// call is one request to the API, once it is known who asks.
type call struct {
	w     http.ResponseWriter
	r     *http.Request
	op    operation
	actor lost.Actor
}

func (c *call) noteActor() {
	respond.Note(c.w, slog.String("account", c.actor.Account), slog.String("key", c.actor.ID))
}

// path gives a part of the address.
func (c *call) path(name string) string { return c.r.PathValue(name) }

// json reads the body of a request that must be JSON.
func (c *call) json() ([]byte, error) {
	mediaType, params, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	charset := params["charset"]
	if err != nil || mediaType != "application/json" || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return nil, lost.E(lost.Unsupported, "Send the body as JSON with the header Content-Type: application/json.")
	}
	tooLarge := lost.E(lost.TooLarge, "A JSON body may have at most 1 MiB.")
	if c.r.ContentLength > maxBody {
		return nil, tooLarge
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, maxBody))
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return nil, tooLarge
	}
	if err != nil {
		return nil, lost.E(lost.Unreadable, "The body did not arrive whole.").Because(err)
	}
	return body, nil
}

// nothing reads a request that needs no body, and whether it is a repetition. An empty object is as good as none.
func (c *call) nothing() (lost.IdempotencyKey, error) {
	if c.r.ContentLength == 0 {
		return c.once(nil)
	}
	patch, once, err := read(c, v1.DecodeNothing)
	if err != nil {
		return once, err
	}
	return once, patch.Problems.Err()
}

// once reads the Idempotency-Key of a POST and what makes the request the same one.
func (c *call) once(body []byte) (lost.IdempotencyKey, error) {
	const header, longest = "Idempotency-Key", 255
	key := c.r.Header.Get(header)
	if key == "" || c.r.Method != http.MethodPost {
		return lost.IdempotencyKey{}, nil
	}
	if len(key) > longest || strings.ContainsFunc(key, func(r rune) bool { return r < '!' || r > '~' }) {
		return lost.IdempotencyKey{}, invalid(header, "invalid-key", "must have 1 to 255 visible ASCII characters")
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %s\n", c.r.Method, c.r.URL.Path)
	_, _ = sum.Write(body)
	return lost.IdempotencyKey{Key: key, Request: hex.EncodeToString(sum.Sum(nil))}, nil
}

// uploadTime is how long an upload may take from a slow phone.
const uploadTime = 5 * time.Minute

// file reads the head of an upload: the file in the form, and whether it is a repetition.
func (c *call) file(name string) (io.Reader, lost.IdempotencyKey, error) {
	once, err := c.once(nil)
	if err != nil {
		return nil, once, err
	}
	part, err := c.part(name)
	return part, once, err
}

// part finds a file in a multipart form, and gives it as a stream.
func (c *call) part(name string) (io.Reader, error) {
	form, err := c.r.MultipartReader()
	if mediaType, _, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type")); err != nil || mediaType != "multipart/form-data" {
		return nil, lost.E(lost.Unsupported, "Send the file as multipart/form-data, in the form part %s.", name).Because(err)
	}
	rc := http.NewResponseController(c.w)
	deadline := time.Now().Add(uploadTime)
	if err := errors.Join(rc.SetReadDeadline(deadline), rc.SetWriteDeadline(deadline)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return nil, err
	}
	const most = 20 // other parts, passed over
	for range most {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return nil, invalid(name, "required", "is required: send the file in the form part "+name)
		}
		if err != nil {
			return nil, lost.E(lost.Unreadable, "The form did not arrive whole or is not well formed.").Because(err)
		}
		if part.FormName() == name {
			return formPart{part}, nil
		}
		if n, err := io.Copy(io.Discard, io.LimitReader(part, maxBody)); n == maxBody || err != nil {
			return nil, lost.E(lost.TooLarge, "The form has too much in parts other than %s.", name)
		}
	}
	return nil, invalid(name, "required", fmt.Sprintf("is not among the first %d parts of the form; send it first", most))
}

// formPart tells a form that breaks off from other trouble with a file.
type formPart struct{ *multipart.Part }

func (p formPart) Read(b []byte) (int, error) {
	n, err := p.Part.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = lost.E(lost.Unreadable, "The form did not arrive whole or is not well formed.").Because(err)
	}
	return n, err
}

func invalid(field, code, message string) error {
	var p lost.Problems
	p.Add(field, code, "%s", message)
	return p.Err()
}

// read reads a JSON body, and whether the request is a repetition.
func read[P any](c *call, decode func([]byte) (P, error)) (p P, once lost.IdempotencyKey, err error) {
	body, err := c.json()
	if err != nil {
		return p, once, err
	}
	if p, err = decode(body); err != nil {
		return p, once, err
	}
	once, err = c.once(body)
	return p, once, err
}

// show answers with one record, or with the error in its place.
func show[T, R any](c *call, v T, err error, write func(T) R) error {
	if err != nil {
		return err
	}
	return respond.JSON(c.w, http.StatusOK, write(v))
}

// created answers with a new record and where it is.
func (c *call) created(path string, v any) error {
	c.w.Header().Set("Location", path)
	return respond.JSON(c.w, http.StatusCreated, v)
}

// gone answers that something is deleted, or with the error.
func (c *call) gone(err error) error {
	if err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

// query reads the query string; bad holds what is wrong with it.
type query struct {
	values url.Values
	bad    lost.Problems
}

func (c *call) query() (*query, error) {
	values, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return nil, lost.E(lost.Unreadable, "The query string is not well formed. Percent-encode what is not a letter or digit.").Because(err)
	}
	q := &query{values: values}
	for _, name := range slices.Sorted(maps.Keys(values)) { // a filter that is mistyped must not show everything
		if !slices.ContainsFunc(c.op.query, func(p parameter) bool { return p.name == name }) {
			q.bad.Add(name, "unknown-parameter", "is not a parameter here; leave it out")
		}
	}
	return q, nil
}

// page reads the query of a list that is not filtered.
func (c *call) page() (lost.Page, error) {
	q, err := c.query()
	if err != nil {
		return lost.Page{}, err
	}
	page := q.page()
	return page, q.bad.Err()
}

func (q *query) page() lost.Page {
	p := lost.FirstPage()
	q.number("page", 1, math.MaxInt, "must be a whole number from 1", &p.Number)
	q.number("limit", lost.MinLimit, lost.MaxLimit, fmt.Sprintf("must be a whole number from %d to %d", lost.MinLimit, lost.MaxLimit), &p.Limit)
	return p
}

func (q *query) number(name string, least, most int, must string, dst *int) {
	if !q.values.Has(name) {
		return
	}
	n, err := strconv.Atoi(q.values.Get(name))
	if err != nil || n < least || n > most {
		q.bad.Add(name, "out-of-range", "%s", must)
		return
	}
	*dst = n
}

// term reads the search term.
func (q *query) term() string {
	term := strings.TrimSpace(q.values.Get("term"))
	if n := len([]rune(term)); n > lost.MaxTerm {
		q.bad.Add("term", "too-long", "must have at most %d characters", lost.MaxTerm)
	}
	return term
}

// identifier reads an id to narrow by.
func (q *query) identifier(name string) string {
	id := q.values.Get(name)
	if q.values.Has(name) && (id == "" || len(id) > maxIdentifier) {
		q.bad.Add(name, "out-of-range", "must have 1 to %d characters", maxIdentifier)
	}
	return id
}

func (q *query) date(name string) string {
	s := q.values.Get(name)
	if !q.values.Has(name) {
		return ""
	}
	if _, ok := lost.ParseDate(s); !ok {
		q.bad.Add(name, "invalid-date", "must be a date that exists, written YYYY-MM-DD")
	}
	return s
}

// oneOf reads the values of a repeatable parameter, each from a list.
func oneOf[T ~string](q *query, name string, allowed []T) []T {
	var out []T
	for _, s := range q.values[name] {
		if !slices.Contains(allowed, T(s)) {
			q.bad.Add(name, "not-allowed", "must be one of %s", lost.Quoted(allowed))
			return nil
		}
		if !slices.Contains(out, T(s)) {
			out = append(out, T(s))
		}
	}
	return out
}

// list answers with a page of records, and links to its neighbours.
func list[T, R any](c *call, l lost.List[T], err error, write func(T) R) error {
	if err != nil {
		return err
	}
	var links []string
	address, values := *c.r.URL, c.r.URL.Query()
	link := func(rel string, page int) {
		values.Set("page", strconv.Itoa(page))
		address.RawQuery = values.Encode()
		links = append(links, "<"+address.RequestURI()+`>; rel="`+rel+`"`)
	}
	n, pages := l.Page.Number, l.Pages()
	link("first", 1)
	if n > 1 && l.AtLeast {
		link("prev", n-1)
	} else if n > 1 {
		link("prev", min(n-1, max(1, pages)))
	}
	if l.More() {
		link("next", n+1)
	}
	if pages > 0 && !l.AtLeast {
		link("last", pages)
	}
	c.w.Header().Set("Link", strings.Join(links, ", "))
	return respond.JSON(c.w, http.StatusOK, v1.ListOf(l, write))
}
