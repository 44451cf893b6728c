package finds

import (
	"net/http"
	"slices"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// foundInPhoto is what a photo shows that was chosen in the form.
type foundInPhoto struct {
	Title  string            `json:"title"`
	Chips  []frame.PhotoChip `json:"chips"`
	Copies []photoCopy       `json:"copies"`
}

// photoCopy is a link to an item with the same photo.
type photoCopy struct {
	Href string `json:"href"`
	Text string `json:"text"`
}

// findPhotoFacts tells a script what a photo shows that was chosen in the form. It stores nothing.
func (c *call) findPhotoFacts() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	values, photos, done, err := c.ReadPhotoForm()
	if err != nil {
		return err
	}
	defer done()
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
	i := lost.Item{Category: lost.Category(values.Get("category"))}
	facts, copies, err := c.Services.Items.FindPhotoFacts(c.Context(), c.Actor(), l.ID, i.Category, f)
	if err != nil {
		return frame.PhotoError(c.Locale, err)
	}
	found := foundInPhoto{Title: c.Say("frame.photo-fact.found")}
	found.Chips = slices.DeleteFunc(frame.SuggestFromPhotos(c.Locale, i, facts), func(chip frame.PhotoChip) bool {
		return chip.Field == "externalId" // the form has no such field
	})
	for _, link := range frame.CopyLinks(c.Locale, copies) {
		found.Copies = append(found.Copies, photoCopy{link.Href, link.Name})
	}
	return respond.JSON(c.Writer, http.StatusOK, found)
}
