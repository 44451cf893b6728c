package items

import (
	"bufio"
	"errors"
	"io"
	"mime/multipart"
	"net/url"
	"slices"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// maxDiscarded is the maximum number of bytes of a rejected upload that are still read. A browser does not show the
// response if its upload is aborted.
const maxDiscarded = 64 << 20

// addItemPhotos adds photos to an item or a request. If some are rejected, the others are still saved.
func (c *call) addItemPhotos() error {
	body := c.Request.Body
	form, err := c.MultipartReader(frame.MaxPhotosAtOnce * desk.MaxImage)
	if err != nil {
		return err
	}
	added, rejected, err := c.savePhotos(form)
	if err != nil {
		return err
	}
	if len(rejected) > 0 {
		_, _ = io.CopyN(io.Discard, body, maxDiscarded)
		return c.photosAgain(rejected)
	}
	i, err := itemOrRequest(c)
	if err != nil {
		return err
	}
	if added == 0 {
		c.Flash(c.Say("items.photo.none-chosen"))
	} else {
		c.Flash(c.Say("frame.photos.added", "n", added))
	}
	return c.Redirect(frame.ItemPath(i))
}

// errTooManyPhotos means that an upload has more photos than allowed. The first ones were added.
var errTooManyPhotos = lost.E(lost.TooLarge, "You can add at most %d photos at a time.", frame.MaxPhotosAtOnce)

// rejectedPhoto is a photo of an upload that was not added, and the reason.
type rejectedPhoto struct {
	number int // among the photos of the upload
	reason error
}

// savePhotos adds the photos one after another. It returns how many were added, and which ones were rejected.
func (c *call) savePhotos(form *multipart.Reader) (added int, rejected []rejectedPhoto, err error) {
	number := 0
	for range frame.MaxParts {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil { // the rest of the upload cannot be read
			return added, append(rejected, rejectedPhoto{number + 1, respond.UnreadableForm(err)}), nil
		}
		photo := bufio.NewReader(part)
		if _, err := photo.Peek(1); errors.Is(err, io.EOF) || part.FormName() != "image" { // empty, or not a photo
			continue
		}
		if number++; number > frame.MaxPhotosAtOnce {
			return added, append(rejected, rejectedPhoto{number, errTooManyPhotos}), nil
		}
		_, err = c.Services.Items.UploadImage(c.Context(), c.Actor(), c.Request.PathValue("location"),
			c.Request.PathValue("id"), photo, lost.IdempotencyKey{})
		switch code := lost.CodeOf(err); {
		case err == nil:
			added++
		case isPhotoFault(code):
			rejected = append(rejected, rejectedPhoto{number, err})
		case code == lost.TooSlow, code == lost.Unreadable: // so is the rest of the upload
			return added, append(rejected, rejectedPhoto{number, err}), nil
		default:
			return added, rejected, err
		}
	}
	return added, rejected, nil
}

// isPhotoFault reports whether an error is about one photo, so that others may still be added.
func isPhotoFault(code lost.Code) bool {
	return slices.Contains([]lost.Code{lost.TooLarge, lost.Unsupported, lost.Invalid, lost.Conflict}, code)
}

// photosAgain shows the page with the reasons why photos were rejected. The others were added.
func (c *call) photosAgain(rejected []rejectedPhoto) error {
	var problems []frame.Problem
	var texts []string
	for _, r := range rejected {
		text := c.Say("items.photo.failed", "n", r.number, "reason", c.PhotoFault(r.reason))
		if errors.Is(r.reason, errTooManyPhotos) {
			text = c.Say("frame.photos.limit", "n", frame.MaxPhotosAtOnce)
		}
		problems, texts = append(problems, frame.Problem{Field: "image", Text: text}), append(texts, text)
	}
	if _, err := c.Location(); err != nil {
		return err
	}
	f, err := c.itemDetail(fewLines)
	if err != nil {
		return err
	}
	first := rejected[0].reason
	if f.Item.Source == lost.Request {
		return c.NewError(lost.CodeOf(first), "items.photo.request", "reason", c.Sentences(texts...))
	}
	p, err := c.itemPage(f, c.Request.URL.Query())
	if err != nil {
		return err
	}
	p.Problems = problems
	return c.Render(respond.RecordError(c.Writer, first), "item", p)
}

// itemOrRequest returns the item or request in the URL.
func itemOrRequest(c *call) (lost.Item, error) {
	return c.Services.Items.Get(c.Context(), c.Actor(), c.Request.PathValue("location"), c.Request.PathValue("id"))
}

// changePhoto moves a photo of an item or a request, or removes it.
func (c *call) changePhoto() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	i, err := itemOrRequest(c)
	if err != nil {
		return err
	}
	var message string
	switch values.Get("do") {
	case "first":
		err = sortPhotos(c, i, values)
		message = c.Say("items.photo.main.done")
	case "earlier", "later", "order":
		err = sortPhotos(c, i, values)
		message = c.Say("items.photo.sorted")
	case "remove":
		_, err = c.Services.Items.RemoveImage(c.Context(), c.Actor(), i.LocationID, i.ID, values.Get("image"))
		message = c.Say("items.photo.removed")
	default:
		return respond.UnreadableForm(nil)
	}
	switch code := lost.CodeOf(err); {
	case code == lost.NotFound: // somebody else removed the photo; if it was the item, its page says so
		message = c.Say("items.photo.gone")
	case code == lost.Invalid:
		message = c.Say("items.photo.conflict")
	case err != nil:
		return err
	}
	c.Flash(message)
	return c.Redirect(frame.ItemPath(i))
}

// sortPhotos changes the order of the photos. The first one becomes the main photo.
func sortPhotos(c *call, i lost.Item, values url.Values) error {
	order := values["order"]
	if values.Get("do") != "order" {
		order = movePhoto(i, values.Get("image"), values.Get("do"))
	}
	i, err := c.Services.Items.SortImages(c.Context(), c.Actor(), i.LocationID, i.ID,
		lost.ImageOrder{IDs: lost.Set(order)})
	if err == nil && !slices.Contains(order, values.Get("image")) && values.Get("do") != "order" {
		return lost.Missing("photo")
	}
	if err != nil || i.ImageURL == "" || values.Get("do") != "first" {
		return err
	}
	_, err = c.Services.Items.ShowImage(c.Context(), c.Actor(), i.LocationID, i.ID, order[0]) // instead of the URL
	return err
}

// movePhoto returns the order of an item's photos after one of them was moved to the front or by one position. The
// order stays the same if the item does not have the photo.
func movePhoto(i lost.Item, photo, to string) (order []string) {
	for _, img := range lost.MainImageFirst(i) {
		order = append(order, img.ID())
	}
	n := slices.Index(order, photo)
	if n < 0 {
		return order
	}
	target := 0
	switch to {
	case "earlier":
		target = max(n-1, 0)
	case "later":
		target = min(n+1, len(order)-1)
	}
	order = slices.Delete(order, n, n+1)
	return slices.Insert(order, target, photo)
}
