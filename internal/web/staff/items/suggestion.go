package items

import (
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// addPhotos adds the photos of the item, what they suggest, and the category that its words suggest. There is one
// suggestion for each field: words are more reliable than the photo assistant, which is more reliable than pixels.
func (c *call) addPhotos(p *itemPage) (err error) {
	if p.FromPhotos, err = c.SuggestedByPhoto(p.Item); err != nil {
		return err
	}
	if p.Suggested = c.suggestedCategory(p.Item); p.Suggested != nil {
		p.FromPhotos = p.FromPhotos.RemoveField("category")
	}
	if p.Photos, p.Elsewhere, err = c.ShownPhotos(p.Item); err != nil {
		return err
	}
	if err := c.addPhotoFacts(p); err != nil {
		return err
	}
	c.identityPart(p)
	if p.Handles {
		p.Editor = frame.EditPhotos(p.Item, p.Photos)
	}
	return nil
}

// useSuggestion accepts or dismisses what the photo assistant suggests for an item.
func (c *call) useSuggestion() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	location, id := c.Request.PathValue("location"), c.Request.PathValue("id")
	i, err := c.Services.Items.Get(c.Context(), c.Actor(), location, id)
	if err != nil {
		return err
	}
	back := frame.ItemPath(i)
	if values.Get("back") == recordedPage && i.Source == lost.Found {
		back = frame.LocationPath(location, "/find/"+id)
	}
	if values.Get("do") == "dismiss" {
		if err := c.Services.Assistant.Dismiss(c.Context(), c.Actor(), location, id); err != nil {
			return err
		}
		c.Flash(c.Say("assistant.dismissed"))
		return c.Redirect(back)
	}
	patch, err := c.AcceptByPhoto(i, values)
	if err == nil {
		_, err = c.Services.Items.Update(c.Context(), c.Actor(), location, id, patch)
	}
	if lost.CodeOf(err) == lost.Conflict {
		c.FlashWarning(c.Say("assistant.gone"))
		return c.Redirect(back)
	}
	if err != nil {
		return err
	}
	c.Flash(c.Say("items.saved"))
	return c.Redirect(back)
}

// recordedPage is the name of the page that confirms that an item was recorded.
const recordedPage = "recorded"
