package respond

import (
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"homeward/internal/lost"
)

// isText reports whether a text that was sent can be stored and shown. A text has no NUL, which the databases and
// browsers treat differently, and is valid UTF-8.
func isText(s string) bool { return strings.IndexByte(s, 0) < 0 && utf8.ValidString(s) }

// CheckAddress returns a NotFound error if the path of a request is not text, and an Unreadable error if a query
// parameter is not. Every interface calls it before it serves a request.
func CheckAddress(r *http.Request) error {
	if !isText(r.URL.Path) {
		return lost.E(lost.NotFound, "There is nothing at this address.")
	}
	if !strings.Contains(r.URL.RawQuery, "%") && isText(r.URL.RawQuery) {
		return nil // almost every query
	}
	if !areTexts(r.URL.Query()) {
		return lost.E(lost.Unreadable, "The address contains characters that are not UTF-8 text.")
	}
	return nil
}

// CheckForm returns an Unreadable error if the name or value of a form field is not text.
func CheckForm(values url.Values) error {
	if !areTexts(values) {
		return lost.E(lost.Unreadable, "The form contains characters that are not UTF-8 text.")
	}
	return nil
}

// CheckUpload is like CheckForm, but for a form with files. The names of the files must be text, too.
func CheckUpload(form *multipart.Form) error {
	names := url.Values{}
	for field, files := range form.File {
		for _, f := range files {
			names.Add(field, f.Filename)
		}
	}
	if err := CheckForm(names); err != nil {
		return err
	}
	return CheckForm(form.Value)
}

func areTexts(values url.Values) bool {
	for name, texts := range values {
		if !isText(name) {
			return false
		}
		for _, s := range texts {
			if !isText(s) {
				return false
			}
		}
	}
	return true
}

// UserAgent returns the name that the browser gives itself, as text.
func UserAgent(r *http.Request) string {
	return strings.ReplaceAll(strings.ToValidUTF8(r.UserAgent(), "\ufffd"), "\x00", "\ufffd")
}
