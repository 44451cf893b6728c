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
	// uploadTime is the time limit for an upload, which may come from a slow phone.
	uploadTime = 5 * time.Minute
	// MaxParts is the maximum number of parts in a form with files.
	MaxParts = 100
)

// allowUpload limits the size of a form with files and extends the deadlines for slow connections.
func (c *Call) allowUpload(limit int64) error {
	c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, limit+respond.MaxForm)
	rc := http.NewResponseController(c.Writer)
	deadline := time.Now().Add(uploadTime)
	if err := errors.Join(rc.SetReadDeadline(deadline), rc.SetWriteDeadline(deadline)); err != nil &&
		!errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// MultipartReader returns a reader for a form with files. The whole form may have at most limit bytes.
func (c *Call) MultipartReader(limit int64) (*multipart.Reader, error) {
	if err := c.allowUpload(limit); err != nil {
		return nil, err
	}
	form, err := c.Request.MultipartReader()
	if err != nil {
		return nil, respond.UnreadableForm(err)
	}
	return form, nil
}

// MultipartForm reads a whole form with files, whose parts may be in any order. Files are stored on disk until done
// is called.
func (c *Call) MultipartForm(limit int64) (form *multipart.Form, done func(), err error) {
	if err := c.allowUpload(limit); err != nil {
		return nil, nil, err
	}
	if err := c.Request.ParseMultipartForm(respond.MaxForm); err != nil {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return nil, nil, lost.E(lost.TooLarge, "The form is larger than %d MB.", limit>>20)
		}
		return nil, nil, respond.UnreadableForm(err)
	}
	// an error only means that files remain in the temporary directory
	return c.Request.MultipartForm, func() { _ = c.Request.MultipartForm.RemoveAll() }, nil
}

// FilePart returns the file that was uploaded in the form field with this name. It returns an error if there is none.
// Reading the file returns an error if the field has two files.
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
			return nil, respond.UnreadableForm(err)
		}
		if part.FormName() == name && part.FileName() != "" {
			return respond.OnlyFile(form, part), nil
		}
	}
	var p lost.Problems
	p.Add(name, "required", "choose a file first")
	return nil, p.Err()
}
