package items

import (
	"slices"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// addPhotoFacts adds to a page what the photos of the item show: values for empty fields, and other items with the same
// photo.
func (c *call) addPhotoFacts(p *itemPage) error {
	copies, err := c.Services.Items.PhotoCopies(c.Context(), c.Actor(), p.Item)
	if err != nil {
		return err
	}
	p.Copies = frame.CopyLinks(c.Locale, copies)
	if p.Handles {
		p.Chips = slices.DeleteFunc(frame.PhotoChips(c.Locale, p.Item), func(chip frame.PhotoChip) bool {
			return p.FromPhotos.Suggests(chip.Field)
		})
	}
	return nil
}

// moveChips moves the suggested values to an open form, in which a script writes them into the fields. The buttons of
// the photo assistant would discard what was typed.
func (p *itemPage) moveChips() {
	for _, g := range p.Groups {
		if g.ID != "what" || !g.Open {
			continue
		}
		if p.FromPhotos != nil {
			g.Chips, g.SeenBy = p.FromPhotos.Chips(p.Locale), p.FromPhotos.Model
			p.FromPhotos = nil
		}
		for _, chip := range p.Chips {
			if chip.Field != "externalId" { // the form has no such field
				g.Chips = append(g.Chips, chip)
			}
		}
		p.Chips = nil
	}
}

// usePhotoFact writes a value that a photo suggests into a field of the item, if the field is still empty.
func (c *call) usePhotoFact() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	patch, stillEmpty, ok := frame.FillFromPhoto(values)
	if !ok {
		return respond.UnreadableForm(nil)
	}
	i, err := c.Services.Items.Update(c.Context(), c.Actor(), c.Request.PathValue("location"),
		c.Request.PathValue("id"), patch, stillEmpty)
	if lost.CodeOf(err) == lost.PreconditionFailed {
		c.FlashWarning(c.Say("frame.photo-fact.changed"))
		i, err = itemOrRequest(c)
	} else if err == nil {
		c.Flash(c.Say("items.saved"))
	}
	if err != nil {
		return err
	}
	return c.Redirect(frame.ItemPath(i))
}
