package finds

import (
	"fmt"
	"mime/multipart"
	"net/http"
	"slices"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// maxPhotos is the maximum number of photos in one form. More can be added later.
const maxPhotos = 6

// photoPicker returns the fields for the photos of a new item.
func photoPicker() frame.PhotoPicker {
	return frame.PhotoPicker{Name: "photo", Max: maxPhotos, Described: "photo-hint"}
}

// savePhotos adds photos to an item and returns the error messages. It adds the first photo last, because the newest
// photo becomes the main photo. If there are too many, it adds the first ones. once identifies the form: if it is sent
// again, its photos are not added twice.
func (c *call) savePhotos(location, item, once string, photos []*multipart.FileHeader) string {
	var limit string
	if len(photos) > maxPhotos {
		limit = c.Say("frame.photos.limit", "n", maxPhotos)
		photos = photos[:maxPhotos]
	}
	var failed []string
	for n := len(photos) - 1; n >= 0; n-- {
		if err := c.savePhoto(location, item, photoKey(once, item, n, photos[n].Size), photos[n]); err != nil {
			failed = append(failed, c.Say("finds.photo.failed", "n", n+1, "reason", c.PhotoFault(err)))
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

func (c *call) savePhoto(location, item string, again lost.IdempotencyKey, photo *multipart.FileHeader) error {
	f, err := photo.Open()
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	_, err = c.Services.Items.UploadImage(c.Context(), c.Actor(), location, item, f, again)
	return err
}

// addPhotos adds photos to a saved item. A script sends one photo per request; a form may send several.
func (c *call) addPhotos() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	values, photos, done, err := c.findForm()
	if err != nil {
		return err
	}
	defer done()
	if c.startedByAnotherUser(values) {
		return c.startedByAnotherUserError()
	}
	if !c.WantsHTML() {
		return c.addPhoto(l.ID, photos)
	}
	if _, err := c.Services.Items.GetRecorded(c.Context(), c.Actor(), l.ID, c.Request.PathValue("id")); err != nil {
		return err
	}
	if len(photos) == 0 {
		return c.showRecorded(http.StatusUnprocessableEntity, c.Say("finds.photo.choose"))
	}
	if wrong := c.savePhotos(l.ID, c.Request.PathValue("id"), values.Get("once"), photos); wrong != "" {
		c.FlashWarning(wrong)
	}
	return c.Redirect(frame.LocationPath(l.ID, "/find/"+c.Request.PathValue("id")))
}

// addPhoto adds one photo that a script sent. Sending the same photo again has no effect.
func (c *call) addPhoto(location string, photos []*multipart.FileHeader) error {
	if len(photos) != 1 {
		var p lost.Problems
		p.Add("photo", "required", "must be one photo")
		return p.Err()
	}
	f, err := photos[0].Open()
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	again := lost.IdempotencyKey{}
	if key := c.Request.FormValue("once"); key != "" {
		again = lost.IdempotencyKey{Key: "form photo " + key, Request: c.Request.PathValue("id"), Form: true}
	}
	if _, err := c.Services.Items.UploadImage(c.Context(), c.Actor(), location, c.Request.PathValue("id"), f,
		again); err != nil {
		return frame.PhotoError(c.Locale, err)
	}
	return respond.JSON(c.Writer, http.StatusCreated, savedFind{ID: c.Request.PathValue("id")})
}
