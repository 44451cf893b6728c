package respond

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"homeward/internal/lost"
)

// MaxForm is the largest accepted form, in bytes, not counting its files.
const MaxForm = 64 << 10

// ReadForm reads a form without files. It returns an error if the form is malformed, is not text or is
// larger than MaxForm.
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
	return values, CheckForm(values)
}

// UnreadableForm returns the error for a form that is incomplete or malformed. A TooSlow error, and the errors of
// OnlyFile, are returned unchanged.
func UnreadableForm(cause error) error {
	switch lost.CodeOf(cause) {
	case lost.TooSlow, lost.Invalid, lost.TooLarge:
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

// OnlyFile returns the content of a file in a form that may contain only one. At the end of the file, it fails with an
// Invalid error if a later part of the form has the same name: that file would be lost.
func OnlyFile(form *multipart.Reader, file *multipart.Part) io.Reader {
	return &onlyFile{Reader: file, form: form, name: file.FormName()}
}

type onlyFile struct {
	io.Reader
	form *multipart.Reader
	name string
	end  error // what the end of the file returns, once it was reached
}

func (f *onlyFile) Read(p []byte) (int, error) {
	if f.end != nil {
		return 0, f.end
	}
	n, err := f.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		f.end = f.checkRest()
		err = f.end
	}
	return n, err
}

// checkRest reads the parts after the file. It returns io.EOF if none of them is another file.
func (f *onlyFile) checkRest() error {
	const maxParts = 20
	for range maxParts {
		part, err := f.form.NextPart()
		if err != nil {
			return io.EOF // the file itself is complete
		}
		n, _ := io.CopyN(io.Discard, part, MaxBody) // an error is returned by NextPart
		switch {
		case n > 0 && part.FormName() == f.name:
			var p lost.Problems
			p.Add(f.name, "duplicate", "occurs twice in the form; send one file in each request")
			return p.Err()
		case n == MaxBody:
			return lost.E(lost.TooLarge, "The form parts other than %s are too large.", f.name)
		}
	}
	return lost.E(lost.TooLarge, "The form has too many parts.")
}
