package locations

import (
	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// MaxLogo returns the largest accepted size of a logo, as text.
func (locationPage) MaxLogo() string { return frame.Megabytes(desk.MaxLogo) }

// uploadLogo saves a logo. Errors are shown on the page with the form.
func (c *call) uploadLogo() error {
	file, err := c.FilePart("logo", desk.MaxLogo)
	if err == nil {
		_, err = c.Services.Locations.UploadLogo(c.Context(), c.Actor(), c.Request.PathValue("location"), file,
			lost.IdempotencyKey{})
	}
	var p lost.Problems
	switch lost.CodeOf(err) {
	case lost.TooLarge:
		p.Add("logo", "too-large", "is larger than %s; choose a smaller file", frame.Megabytes(desk.MaxLogo))
	case lost.Unsupported:
		p.Add("logo", "not-an-image", "is not a picture we can read; choose a JPEG, PNG, WebP or GIF")
	case lost.Invalid:
		p = lost.ProblemsOf(err)
	default:
		if err != nil {
			return err
		}
		c.Flash(c.Say("locations.page.logo.saved"))
		return c.Redirect("/locations/" + c.Request.PathValue("location") + "/page")
	}
	c.Request.SetPathValue("part", "page")
	return c.presentLocation(respond.RecordError(c.Writer, err), nil, p.Err())
}

// removeLogo removes the logo.
func (c *call) removeLogo() error {
	_, err := c.Services.Locations.Update(c.Context(), c.Actor(), c.Request.PathValue("location"),
		lost.LocationPatch{LogoURL: lost.Clear[string]()})
	if err != nil {
		return err
	}
	c.Flash(c.Say("locations.page.logo.removed"))
	return c.Redirect("/locations/" + c.Request.PathValue("location") + "/page")
}
