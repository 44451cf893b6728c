package homeward

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// decode reads a response into target, or returns the problem in it.
func decode(res *http.Response, target any) error {
	if res.StatusCode == http.StatusNotModified {
		return ErrNotModified
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxResponse+1))
	if err != nil {
		return fmt.Errorf("homeward: read the response: %w", err)
	}
	if res.StatusCode >= http.StatusMultipleChoices {
		return newProblem(res, text)
	}
	if len(text) > maxResponse {
		return fmt.Errorf("homeward: the response is larger than %d bytes", maxResponse)
	}
	if len(text) == 0 {
		return nil
	}
	if err := json.Unmarshal(text, target); err != nil {
		return fmt.Errorf("homeward: decode the response: %w", err)
	}
	return nil
}

// newProblem returns the problem in a response. A proxy may have written the response; then the problem has no code.
func newProblem(res *http.Response, text []byte) error {
	p := &Problem{}
	if !isJSON(res.Header.Get("Content-Type")) || json.Unmarshal(text, p) != nil || p.Status == 0 {
		const most = 200
		detail := strings.TrimSpace(string(text[:min(len(text), most)]))
		p = &Problem{Title: http.StatusText(res.StatusCode), Detail: detail, Status: res.StatusCode}
	}
	return p
}

// Error returns the problem for people. Programs compare Code.
func (p *Problem) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "homeward: %d %s: %s", p.Status, p.Code, p.Detail)
	for _, e := range p.Errors {
		fmt.Fprintf(&b, "; %s %s", e.Field, e.Message)
	}
	return b.String()
}

// Field returns the error about a field such as owner.email, and whether there is one.
func (p *Problem) Field(name string) (FieldError, bool) {
	for _, e := range p.Errors {
		if e.Field == name {
			return e, true
		}
	}
	return FieldError{}, false
}

// convert copies the fields of a record to another type through JSON.
func convert[To any](record any) (out To, err error) {
	text, err := json.Marshal(record)
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(text, &out)
}

// yieldAll yields the records of a page. It returns false if the iteration ends: after an error, an empty page, or if
// the loop was left.
func yieldAll[T any](records []T, err error, yield func(T, error) bool) bool {
	if err != nil {
		var none T
		yield(none, err)
		return false
	}
	for _, r := range records {
		if !yield(r, nil) {
			return false
		}
	}
	return len(records) > 0
}

// lastPage reports whether there are no more pages. The number of pages is unknown if the total is a lower bound.
func lastPage(records, page, pages, limit int, lowerBound *bool) bool {
	if lowerBound != nil && *lowerBound {
		return records < limit
	}
	return page >= pages
}

func addText[T ~string](values url.Values, name string, value T) {
	if value != "" {
		values.Set(name, string(value))
	}
}

func addTexts[T ~string](values url.Values, name string, list []T) {
	for _, value := range list {
		values.Add(name, string(value))
	}
}

func addNumber[T int | float64](values url.Values, name string, value T) {
	if value != 0 {
		values.Set(name, strconv.FormatFloat(float64(value), 'f', -1, 64))
	}
}

func addFlag(values url.Values, name string, value bool) {
	if value {
		values.Set(name, "true")
	}
}

func addTime(values url.Values, name string, value time.Time) {
	if !value.IsZero() {
		values.Set(name, value.Format(time.RFC3339Nano))
	}
}
