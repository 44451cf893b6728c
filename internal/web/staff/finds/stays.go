package finds

import (
	"cmp"
	"net/http"
	"net/url"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
	"homeward/internal/web/staff/stayform"
)

// addStays adds the part of the form that looks up who stayed in a room, if guests of the location can be looked up.
func (c *call) addStays(p *findPage, l lost.Location, values url.Values) error {
	available, err := stayform.Available(c.Call, l.ID)
	if err != nil || !available {
		return err
	}
	p.Stays, err = stayform.Show(c.Call, l.ID, values)
	return err
}

// lookUpStays shows the form with everything that was typed and with those who stayed in the room.
func (c *call) lookUpStays(l lost.Location, values url.Values, photos frame.FormPhotos) error {
	day := cmp.Or(values.Get("discoveryDate"), l.Day(c.Now()))
	f, err := stayform.LookUp(c.Call, l.ID, values, values.Get("discoveryPlace"), day)
	if err != nil {
		return err
	}
	return c.showFindForm(http.StatusOK, values, photos.ChooseAgain(nil), func(p *findPage) { p.Stays = f })
}

// confirmStay makes the guest whom the user has chosen the owner of the item. A look-up is valid for an hour only, so
// the form may be repeated when its item was saved and the look-up has expired.
func (c *call) confirmStay(l lost.Location, values url.Values, again lost.IdempotencyKey, p *lost.ItemPatch) error {
	chosen := values.Get(stayform.GuestField)
	if chosen == "" {
		return nil
	}
	if p.Owner.Sent {
		return stayform.Problem("two-owners")
	}
	owner, err := c.Services.Stays.Confirm(c.Context(), c.Actor(), l.ID, chosen)
	if lost.CodeOf(err) == lost.NotFound {
		_, err := c.Services.Items.GetByIdempotencyKey(c.Context(), c.Actor(), l.ID, again)
		switch {
		case err == nil:
			return lost.E(lost.Conflict, "The form was saved before.")
		case lost.CodeOf(err) == lost.NotFound:
			return stayform.Problem("look-again")
		}
		return err
	}
	p.Owner, p.Language, p.Confirmed = owner.Owner, owner.Language, owner.Confirmed
	return err
}
