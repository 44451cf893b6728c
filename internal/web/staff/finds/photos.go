package finds

import (
	"net/http"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// addPhotos adds photos to a saved item. A script sends one photo per request; a form may send several.
func (c *call) addPhotos() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	values, photos, done, err := c.ReadPhotoForm()
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
	i, err := c.Services.Items.GetRecorded(c.Context(), c.Actor(), l.ID, c.Request.PathValue("id"))
	if err != nil {
		return err
	}
	if len(photos) == 0 {
		return c.showRecorded(http.StatusUnprocessableEntity, c.Say("finds.photo.choose"))
	}
	if wrong := c.SavePhotos(i, values.Get("once"), photos); wrong != "" {
		c.FlashWarning(wrong)
	}
	return c.Redirect(frame.LocationPath(l.ID, "/find/"+i.ID))
}

// addPhoto adds one photo that a script sent. Sending the same photo again has no effect.
func (c *call) addPhoto(location string, photos frame.FormPhotos) error {
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
