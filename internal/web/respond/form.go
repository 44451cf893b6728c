package respond

import (
	"io"
	"net/http"
	"net/url"
	"strings"

	"homeward/internal/lost"
)

// MaxForm is the largest accepted form, in bytes, not counting its files.
const MaxForm = 64 << 10

// ReadForm reads a form without files. It returns an error if the form is malformed or larger than MaxForm.
func ReadForm(r *http.Request) (url.Values, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, MaxForm+1))
	if err != nil {
		return nil, UnreadableForm(err)
	}
	if len(body) > MaxForm {
		return nil, lost.E(lost.TooLarge, "The form is larger than 64 KiB.")
	}
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, UnreadableForm(nil) // err is left out because it would write user input to the log
	}
	return values, nil
}

// UnreadableForm returns the error for a form that is incomplete or malformed. A TooSlow error is returned unchanged.
func UnreadableForm(cause error) error {
	if lost.CodeOf(cause) == lost.TooSlow {
		return cause
	}
	return lost.E(lost.Unreadable, "The form is incomplete or malformed.").WithCause(cause)
}

// FormText returns the trimmed text of a form field, or an unset value if the field is empty.
func FormText(values url.Values, name string) lost.Field[string] {
	lines := strings.ReplaceAll(values.Get(name), "\r\n", "\n") // browsers send CR LF for every line break
	v := strings.TrimSpace(lines)
	if v == "" {
		return lost.Field[string]{}
	}
	return lost.Set(v)
}
