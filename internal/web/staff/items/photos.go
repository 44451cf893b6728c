package items

import (
	"bufio"
	"errors"
	"io"
	"mime/multipart"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// The limits for one upload.
const (
	maxItemPhotos = 10
	// maxDiscarded is the maximum number of bytes of a rejected upload that are still read. A browser does not show
	// the response if its upload is aborted.
	maxDiscarded = 64 << 20
)

// addItemPhotos adds photos to an item. If one is rejected, the photos before it are still saved.
func (c *call) addItemPhotos() error {
	body := c.Request.Body
	form, err := c.MultipartReader(maxItemPhotos * desk.MaxImage)
	if err != nil {
		return err
	}
	added, err := c.savePhotos(form)
	if err != nil {
		_, _ = io.CopyN(io.Discard, body, maxDiscarded)
		return c.photosAgain(added, err)
	}
	if added == 0 {
		c.Flash(c.Say("items.photo.none-chosen"))
	} else {
		c.Flash(c.Say("items.photo.added", "n", added))
	}
	return c.redirectToItem()
}

// savePhotos adds the photos one after another and returns how many were added.
func (c *call) savePhotos(form *multipart.Reader) (added int, err error) {
	for range maxItemPhotos {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return added, nil
		}
		if err != nil {
			return added, respond.UnreadableForm(err)
		}
		photo := bufio.NewReader(part)
		if _, err := photo.Peek(1); errors.Is(err, io.EOF) || part.FormName() != "image" { // empty, or not a photo
			continue
		}
		if _, err := c.Services.Items.UploadImage(c.Context(), c.Actor(), c.Request.PathValue("location"),
			c.Request.PathValue("id"), photo, lost.IdempotencyKey{}); err != nil {
			return added, err
		}
		added++
	}
	if _, err := form.NextPart(); !errors.Is(err, io.EOF) {
		return added, lost.E(lost.TooLarge, "You can add at most %d photos at a time.", maxItemPhotos)
	}
	return added, nil
}

// photosAgain shows the page with the reason why a photo was rejected and the number of photos that were added.
func (c *call) photosAgain(added int, wrong error) error {
	switch lost.CodeOf(wrong) {
	case lost.TooLarge, lost.Unsupported, lost.Invalid, lost.Unreadable, lost.Conflict, lost.TooSlow:
	default:
		return wrong
	}
	if _, err := c.Location(); err != nil {
		return err
	}
	f, err := c.itemDetail(fewLines)
	if err != nil {
		return err
	}
	p, err := c.itemPage(f, c.Request.URL.Query())
	if err != nil {
		return err
	}
	p.Problems = []frame.Problem{{
		Field: "image", Text: c.Say("items.photo.failed", "n", added+1, "reason", c.PhotoFault(wrong)),
	}}
	return c.Render(respond.RecordError(c.Writer, wrong), "item", p)
}

// changePhoto makes a photo the main photo or removes it.
func (c *call) changePhoto() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	location, id, image := c.Request.PathValue("location"), c.Request.PathValue("id"), values.Get("image")
	var message string
	switch values.Get("do") {
	case "first":
		_, err = c.Services.Items.ShowImage(c.Context(), c.Actor(), location, id, image)
		message = c.Say("items.photo.main.done")
	case "remove":
		_, err = c.Services.Items.RemoveImage(c.Context(), c.Actor(), location, id, image)
		message = c.Say("items.photo.removed")
	default:
		return respond.UnreadableForm(nil)
	}
	if lost.CodeOf(err) == lost.NotFound { // somebody else may have removed only the photo, not the item
		if _, missing := c.currentItem(); missing != nil {
			return missing
		}
		message, err = c.Say("items.photo.gone"), nil
	}
	if err != nil {
		return err
	}
	c.Flash(message)
	return c.redirectToItem()
}
