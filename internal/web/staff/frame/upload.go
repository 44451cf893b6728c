package frame

import (
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"homeward/internal/desk"
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
func allowUpload(c *Call, limit int64) error {
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
	if err := allowUpload(c, limit); err != nil {
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
	if err := allowUpload(c, limit); err != nil {
		return nil, nil, err
	}
	if err := c.Request.ParseMultipartForm(respond.MaxForm); err != nil {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return nil, nil, lost.E(lost.TooLarge, "The form is larger than %d MB.", limit>>20)
		}
		return nil, nil, respond.UnreadableForm(err)
	}
	form = c.Request.MultipartForm
	done = func() { _ = form.RemoveAll() } // an error only means that files remain in the temporary directory
	if err := respond.CheckUpload(form); err != nil {
		done()
		return nil, nil, err
	}
	return form, done, nil
}

// MaxFormPhotos is the maximum number of photos in the form of a new item or request. More can be added later.
const MaxFormPhotos = 6

// photosField is the name of the field for the photos of a new item or request.
const photosField = "photo"

// FormPhotos are the photos in the form of a new item or request. The first one becomes the main photo.
type FormPhotos []*multipart.FileHeader

// NewPhotoPicker returns the fields for the photos of a new item or request.
func NewPhotoPicker() PhotoPicker {
	return PhotoPicker{Name: photosField, Max: MaxFormPhotos, Described: "photo-hint"}
}

// ReadPhotoForm reads a form that may have photos. They are stored on disk until done is called.
func (c *Call) ReadPhotoForm() (values url.Values, photos FormPhotos, done func(), err error) {
	if !strings.HasPrefix(c.Request.Header.Get("Content-Type"), "multipart/") {
		values, err = c.ReadForm()
		return values, nil, func() {}, err
	}
	form, done, err := c.MultipartForm(MaxFormPhotos * desk.MaxImage)
	if lost.CodeOf(err) == lost.TooLarge {
		err = c.NewError(lost.TooLarge, "frame.photos.too-large", "n", MaxFormPhotos, "size", Megabytes(desk.MaxImage))
	}
	if err != nil {
		return nil, nil, nil, err
	}
	for _, photo := range form.File[photosField] {
		if photo.Size > 0 { // browsers send an empty file if no file was chosen
			photos = append(photos, photo)
		}
	}
	return form.Value, photos, done, nil
}

// ChooseAgain adds the error that the photos must be chosen again, because the browser does not keep them when a form
// is shown again.
func (p FormPhotos) ChooseAgain(wrong error) error {
	if len(p) == 0 {
		return wrong
	}
	problems := slices.Clone(lost.ProblemsOf(wrong))
	problems.Add(photosField, "choose-again", "choose the photos again")
	return problems.Err()
}

// SavePhotos adds photos to an item or request and returns the error messages. It adds the first photo last, because
// the newest photo becomes the main photo. If there are too many, it adds the first ones. once identifies the form: if
// it is sent again, its photos are not added twice.
func (c *Call) SavePhotos(i lost.Item, once string, photos FormPhotos) string {
	var limit string
	if len(photos) > MaxFormPhotos {
		limit = c.Say("frame.photos.limit", "n", MaxFormPhotos)
		photos = photos[:MaxFormPhotos]
	}
	var failed []string
	for n := len(photos) - 1; n >= 0; n-- {
		if err := c.savePhoto(i, photoKey(once, i.ID, n, photos[n].Size), photos[n]); err != nil {
			failed = append(failed, c.Say("frame.photo.numbered", "n", n+1, "reason", c.PhotoFault(err)))
		}
	}
	slices.Reverse(failed)
	return c.Sentences(append(failed, limit)...)
}

// photoKey returns the idempotency key of a photo, which contains the photo's position and size.
func photoKey(once, item string, number int, size int64) lost.IdempotencyKey {
	if once == "" {
		return lost.IdempotencyKey{}
	}
	return lost.IdempotencyKey{Key: fmt.Sprintf("form photo %s %d %d", once, number, size), Request: item, Form: true}
}

func (c *Call) savePhoto(i lost.Item, again lost.IdempotencyKey, photo *multipart.FileHeader) error {
	f, err := photo.Open()
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	_, err = c.Services.Items.UploadImage(c.Context(), c.Actor(), i.LocationID, i.ID, f, again)
	return err
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

// maxSigned is the largest accepted signature, encoded as base64.
const maxSigned = (desk.MaxSignature/3 + 1) * 4

// ReadSignedForm reads the form and returns its values and the signature, which is empty if nobody signed on the
// screen.
func (c *Call) ReadSignedForm() (url.Values, []byte, error) {
	c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, 2*maxSigned)
	form, err := c.Request.MultipartReader()
	if err != nil {
		return nil, nil, respond.UnreadableForm(err)
	}
	values := url.Values{}
	for range MaxParts {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return values, readSignature(values.Get("signature")), respond.CheckForm(values)
		}
		if err != nil {
			return nil, nil, respond.UnreadableForm(err)
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return nil, nil, respond.UnreadableForm(err)
		}
		values.Add(part.FormName(), string(content))
	}
	return nil, nil, respond.UnreadableForm(nil)
}

// readSignature decodes a picture from a data URL. Other text is returned unchanged and later rejected as an invalid
// picture.
func readSignature(text string) []byte {
	picture, ok := lost.ParseBase64(text)
	if !ok {
		return []byte(text)
	}
	return picture
}
