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
