package guest

import (
	"bufio"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// upload is a submitted form that may contain a photo, or several in a message. The photos are the last fields and are
// read as a stream.
type upload struct {
	values url.Values
	photo  io.Reader         // the first photo; nil if none was chosen
	taken  bool              // nextPhoto has returned the first photo
	form   *multipart.Reader // nil if there is only one photo
}

const (
	photoField = "photo"
	maxParts   = 40
	// uploadTime is how long an upload from a slow phone may take.
	uploadTime = 5 * time.Minute
	// maxDrained is the largest number of bytes read from a rejected upload. A browser shows no response if the
	// connection is closed while it is still sending.
	maxDrained = 64 << 20
)

// upload reads the fields of a form up to its photo.
func (c *call) upload() (*upload, error) { return c.uploadOf(1) }

// uploadOf reads the fields of a form up to its first photo.
func (c *call) uploadOf(photos int64) (*upload, error) {
	mediaType, _, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	c.r.Body = &limitedBody{io.LimitReader(c.r.Body, photos*desk.MaxImage+4*respond.MaxForm), c.r.Body}
	form, err := c.r.MultipartReader()
	if err != nil || mediaType != "multipart/form-data" {
		return nil, respond.UnreadableForm(err)
	}
	if err := respond.ExtendDeadlines(c.w, uploadTime); err != nil {
		return nil, err
	}
	u := &upload{values: url.Values{}}
	if err := u.read(form); err != nil {
		return nil, err
	}
	return u, respond.CheckForm(u.values)
}

// read reads the parts of a form up to the photo or the end.
func (u *upload) read(form *multipart.Reader) error {
	left := respond.MaxForm
	for range maxParts {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return respond.UnreadableForm(err)
		}
		switch part.FormName() {
		case photoField:
			return u.openPhoto(respond.OnlyFile(form, part))
		case attachmentField:
			u.form = form
			return u.openPhoto(part)
		}
		text, err := io.ReadAll(io.LimitReader(part, int64(left)+1))
		if err != nil {
			return respond.UnreadableForm(err)
		}
		left -= len(text)
		if left < 0 {
			return lost.E(lost.TooLarge, "The form is larger than 64 KiB, not counting photos.")
		}
		u.values.Add(part.FormName(), string(text))
	}
	return respond.UnreadableForm(nil)
}

// openPhoto sets u.photo. It is nil if the part is empty: a browser sends an empty part if no photo was chosen.
func (u *upload) openPhoto(part io.Reader) error {
	u.photo = nil
	photo := bufio.NewReader(part)
	_, err := photo.Peek(1)
	switch {
	case err == nil:
		u.photo = photoReader{photo}
		return nil
	case errors.Is(err, io.EOF):
		return nil
	default:
		return respond.UnreadableForm(err)
	}
}

// photoReader reports a form that ends too early as the client's error.
type photoReader struct{ io.Reader }

func (r photoReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = respond.UnreadableForm(err)
	}
	return n, err
}

// nextPhoto returns the photos of the form one after the other, and nil after the last one.
func (u *upload) nextPhoto() (photo io.Reader, _ error) {
	if !u.taken {
		u.taken = true
		return u.photo, nil
	}
	for range maxParts {
		if u.form == nil {
			return nil, nil
		}
		part, err := u.form.NextPart()
		switch {
		case errors.Is(err, io.EOF):
			u.form = nil
			continue
		case err != nil:
			return nil, respond.UnreadableForm(err)
		case part.FormName() != attachmentField:
			continue
		}
		if err := u.openPhoto(part); err != nil || u.photo != nil {
			return u.photo, err
		}
	}
	return nil, respond.UnreadableForm(nil)
}

// drain reads the rest of a form, so that the browser finishes sending before it gets the response.
func (c *call) drain() {
	if limited, ok := c.r.Body.(*limitedBody); ok {
		_, _ = io.CopyN(io.Discard, limited.whole, maxDrained)
	}
}

// limitedBody reads a request body up to a limit.
type limitedBody struct {
	io.Reader
	whole io.ReadCloser
}

func (b *limitedBody) Close() error { return b.whole.Close() }

// photoProblem converts an error about a photo into a field error. It returns false for other errors.
func photoProblem(err error) (lost.Problems, bool) {
	var p lost.Problems
	switch lost.CodeOf(err) {
	case lost.TooLarge:
		p.Add(photoField, "too-large", "is too large")
	case lost.Unsupported:
		p.Add(photoField, "not-an-image", "is not a picture")
	case lost.Unreadable, lost.TooSlow:
		p.Add(photoField, "incomplete", "is incomplete")
	case lost.Invalid:
		p = lost.ProblemsOf(err)
	case lost.TooMany:
		p.Add("", "wait", "cannot be sent now; try again later")
	default:
		return nil, false
	}
	return p, true
}
