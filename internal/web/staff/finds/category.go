package finds

import (
	"net/http"

	"homeward/internal/lost/category"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// suggestedCategory is the JSON response to a script that asks for the category of an item while its description is
// typed. It is empty if the words do not say what the item is.
type suggestedCategory struct {
	Category string `json:"category"`
	Icon     string `json:"icon"`   // the path of its icon
	Text     string `json:"text"`   // of the button to change it
	Status   string `json:"status"` // for screen readers
}

// suggestCategory suggests a category. It reads and changes nothing that is stored.
func (c *call) suggestCategory() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	found := category.Suggest(category.Texts{
		Description: values.Get("description"), Brand: values.Get("brand"), Model: values.Get("model"),
		Language: c.Tag(),
	})
	if found == "" {
		return respond.JSON(c.Writer, http.StatusOK, suggestedCategory{})
	}
	name := c.CategoryName(found)
	return respond.JSON(c.Writer, http.StatusOK, suggestedCategory{
		Category: string(found), Icon: frame.CategoryIcon(found),
		Text:   c.Say("frame.category.suggested", "category", name),
		Status: c.Say("frame.category.status", "category", name),
	})
}
