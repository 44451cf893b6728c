package items

import (
	"homeward/internal/lost"
	"homeward/internal/lost/category"
	"homeward/internal/web/staff/frame"
)

// suggestion is the category that the page suggests for an item without one.
type suggestion struct {
	Category lost.Category
	Text     string
}

// suggestedCategory returns the suggested category of an item; nil if it has one, or if its words do not name it.
func (c *call) suggestedCategory(i lost.Item) *suggestion {
	if i.Category != "" || !c.May(lost.HandleItems) {
		return nil
	}
	found := category.SuggestFor(i)
	if found == "" {
		return nil
	}
	return &suggestion{found, c.Say("frame.category.status", "category", c.CategoryName(found))}
}

// addSuggestions adds what is suggested for the item of a page: a category because of its words, and facts because of
// its photos.
func (c *call) addSuggestions(p *itemPage) (err error) {
	if p.FromPhotos, err = c.SuggestedByPhoto(p.Item); err != nil {
		return err
	}
	p.Suggested = c.suggestedCategory(p.Item)
	return nil
}

// useCategory sets the category of an item to the suggested one, unless somebody has chosen another since the page was
// opened.
func (c *call) useCategory() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	location, id := c.Request.PathValue("location"), c.Request.PathValue("id")
	i, err := c.Services.Items.Update(c.Context(), c.Actor(), location, id, lost.ItemPatch{
		Category: lost.Set(values.Get("category")), Seen: frame.FormVersion(values),
	})
	if lost.CodeOf(err) == lost.Conflict {
		c.FlashWarning(frame.NoteText(c.Locale, lost.Note(lost.NoteItemChanged)))
		return c.Redirect(frame.LocationPath(location, "/items/"+id))
	}
	if err != nil {
		return err
	}
	c.Flash(c.Say("items.saved"))
	return c.Redirect(frame.ItemPath(i))
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
