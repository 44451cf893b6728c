package frame

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"time"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

const (
	// uploadTime is how long an upload may take from a slow phone.
	uploadTime = 5 * time.Minute
	// maxParts bounds the parts of a form with files.
	MaxParts = 100
)

// allowUpload bounds the bytes of a form with files, and gives a slow phone the time that it needs.
func (c *Call) allowUpload(limit int64) error {
	c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, limit+respond.MaxForm)
	rc := http.NewResponseController(c.Writer)
	deadline := time.Now().Add(uploadTime)
	if err := errors.Join(rc.SetReadDeadline(deadline), rc.SetWriteDeadline(deadline)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// MultipartReader begins to read a form with files, of at most so many bytes.
func (c *Call) MultipartReader(limit int64) (*multipart.Reader, error) {
	if err := c.allowUpload(limit); err != nil {
		return nil, err
	}
	form, err := c.Request.MultipartReader()
	if err != nil {
		return nil, respond.Unreadable(err)
	}
	return form, nil
}

// MultipartForm reads a whole form, in whatever order its parts come; files lie on disk until done is called.
func (c *Call) MultipartForm(limit int64) (form *multipart.Form, done func(), err error) {
	if err := c.allowUpload(limit); err != nil {
		return nil, nil, err
	}
	if err := c.Request.ParseMultipartForm(respond.MaxForm); err != nil {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return nil, nil, lost.E(lost.TooLarge, "The form is larger than %d MB.", limit>>20)
		}
		return nil, nil, respond.Unreadable(err)
	}
	return c.Request.MultipartForm, func() { _ = c.Request.MultipartForm.RemoveAll() }, nil // what is left is in the folder of temporary files
}

// FilePart gives the file of a form that has one, by the name of its field.
func (c *Call) FilePart(name string, limit int64) (io.Reader, error) {
	form, err := c.MultipartReader(limit)
	if err != nil {
		return nil, err
	}
	for range MaxParts {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, respond.Unreadable(err)
		}
		if part.FormName() == name && part.FileName() != "" {
			return part, nil
		}
	}
	var p lost.Problems
	p.Add(name, "required", "choose a file first")
	return nil, p.Err()
}
