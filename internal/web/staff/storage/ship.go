package storage

import (
	"net/url"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// elsewhereError says that a scanned item belongs to another location of the user.
type elsewhereError struct {
	error
	at lost.Location
}

func (e elsewhereError) Unwrap() error { return e.error }

// fillShip prepares the page to mark parcels as shipped.
func (c *call) fillShip(p *scanPage, l lost.Location, values url.Values) error {
	p.Scanner.Label, p.Scanner.Hint = c.Say("storage.scan.parcel"), c.Say("storage.scan.parcel.hint")
	p.Scanner.Button = c.Say("frame.step.shipped")
	id := values.Get("shipped")
	if id == "" {
		return nil
	}
	i, err := c.Services.Items.Get(c.Context(), c.Actor(), l.ID, id)
	if err != nil || i.Status != lost.Shipped {
		return lost.IgnoreNotFound(err)
	}
	shipped := c.SummarizeItem(i)
	p.Shipped = &shipped
	return nil
}

// ship marks the paid parcel with a scanned code as shipped. It returns an error that says what to do for any other
// item.
func (c *call) ship(l lost.Location, code string) error {
	found, err := c.Services.Storage.Scan(c.Context(), c.Actor(), code)
	if err != nil {
		return err
	}
	i := found.Item
	switch reference := i.Reference; {
	case i.ID == "":
		return c.NewError(lost.Conflict, "storage.ship.is-place")
	case i.LocationID != l.ID:
		return c.newElsewhereError(i)
	case i.Source == lost.Request:
		return c.NewError(lost.Conflict, "storage.ship.is-request", "reference", reference)
	case i.Status == lost.Shipped || i.Status == lost.Delivered:
		return c.NewError(lost.Conflict, "storage.ship.already", "reference", reference)
	case i.Status != lost.FeePaid:
		return c.NewError(lost.Conflict, "storage.ship.unpaid", "reference", reference, "status", c.ItemState(i).Word)
	}
	if i, err = c.Services.Items.SetStatus(c.Context(), c.Actor(), l.ID, i.ID, lost.MovePatch{
		Advised: true, Status: lost.Set(string(lost.Shipped)), Seen: i.UpdatedAt,
	}); err != nil {
		return err
	}
	return c.Redirect(shipPath(l.ID) + "&shipped=" + i.ID)
}

// newElsewhereError returns an error that names the location of an item.
func (c *call) newElsewhereError(i lost.Item) error {
	l, err := c.Services.Locations.Get(c.Context(), c.Actor(), i.LocationID)
	if err != nil {
		return err
	}
	return elsewhereError{c.NewError(lost.Conflict, "storage.scan.elsewhere",
		"reference", i.Reference, "location", l.Name), l}
}

func shipPath(location string) string { return frame.LocationPath(location, "/scan?mode=ship") }

// undoShip marks the last parcel as paid again, unless its status has changed meanwhile.
func (c *call) undoShip(l lost.Location, id string) error {
	i, err := c.Services.Items.Get(c.Context(), c.Actor(), l.ID, id)
	if err == nil && i.Status != lost.Shipped {
		err = c.NewError(lost.Conflict, "storage.ship.changed", "reference", i.Reference)
	}
	if err == nil {
		i, err = c.Services.Items.SetStatus(c.Context(), c.Actor(), l.ID, id, lost.MovePatch{
			Advised: true, Status: lost.Set(string(lost.FeePaid)), Seen: i.UpdatedAt,
		})
	}
	if err != nil {
		return c.showScan(l, url.Values{"mode": {scanShip}}, err)
	}
	c.Flash(c.Say("storage.ship.undone", "reference", i.Reference, "status", c.ItemState(i).Word))
	return c.Redirect(shipPath(l.ID))
}
