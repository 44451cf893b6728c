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

// useCategory sets the category of an item to the suggested one.
func (c *call) useCategory() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	i, err := c.Services.Items.Update(c.Context(), c.Actor(), c.Request.PathValue("location"),
		c.Request.PathValue("id"), lost.ItemPatch{Category: lost.Set(values.Get("category"))})
	if err != nil {
		return err
	}
	c.Flash(c.Say("items.saved"))
	return c.Redirect(frame.ItemPath(i))
}
