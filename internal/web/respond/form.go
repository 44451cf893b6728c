package respond

import (
	"io"
	"net/http"
	"net/url"
	"strings"

	"homeward/internal/lost"
)

// MaxForm is the most bytes of a form, files aside.
const MaxForm = 64 << 10

// ReadForm reads a form that has no file.
func ReadForm(r *http.Request) (url.Values, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, MaxForm+1))
	if err != nil {
		return nil, Unreadable(err)
	}
	if len(body) > MaxForm {
		return nil, lost.E(lost.TooLarge, "The form is larger than 64 KiB.")
	}
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, Unreadable(nil) // the cause holds what was typed
	}
	return values, nil
}

// Unreadable is the answer to a form that cannot be read.
func Unreadable(cause error) error {
	return lost.E(lost.Unreadable, "The form did not arrive whole or is not well formed.").Because(cause)
}

// Typed gives what was typed into a field of a form; nothing where it was left empty.
func Typed(values url.Values, name string) lost.Field[string] {
	v := strings.TrimSpace(strings.ReplaceAll(values.Get(name), "\r\n", "\n")) // browsers send every line break as two characters
	if v == "" {
		return lost.Field[string]{}
	}
	return lost.Set(v)
}
