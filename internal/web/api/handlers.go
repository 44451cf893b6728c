package api

import (
	"net/url"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
)

func locationPath(id string) string { return "/v1/locations/" + url.PathEscape(id) }

func (a *API) createLocation(c *call) error {
	patch, key, err := read(c, v1.DecodeLocation)
	if err != nil {
		return err
	}
	l, err := a.desk.CreateLocation(c.r.Context(), c.actor, patch, key)
	if err != nil {
		return err
	}
	return c.writeCreated(locationPath(l.ID), a.wire.Location(l))
}

func (a *API) getLocation(c *call) error {
	l, err := a.desk.Location(c.r.Context(), c.actor, c.path("id"))
	return writeRecord(c, l, err, a.wire.Location)
}

func (a *API) listLocations(c *call) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	f := lost.LocationFilter{Term: q.term(), Page: q.page()}
	if err := q.bad.Err(); err != nil {
		return err
	}
	l, err := a.desk.Locations(c.r.Context(), c.actor, f)
	return writeList(c, l, err, a.wire.Location)
}

func (a *API) updateLocation(c *call) error {
	patch, _, err := read(c, v1.DecodeLocation)
	if err != nil {
		return err
	}
	l, err := a.desk.UpdateLocation(c.r.Context(), c.actor, c.path("id"), patch)
	return writeRecord(c, l, err, a.wire.Location)
}

func (a *API) deleteLocation(c *call) error {
	return c.writeDeleted(a.desk.DeleteLocation(c.r.Context(), c.actor, c.path("id")))
}

func (a *API) uploadLogo(c *call) error {
	part, key, err := c.file("logo")
	if err != nil {
		return err
	}
	l, err := a.desk.UploadLogo(c.r.Context(), c.actor, c.path("id"), part, key)
	return writeRecord(c, l, err, a.wire.Location)
}

func (a *API) createItem(c *call) error {
	patch, key, err := read(c, v1.DecodeItem)
	if err != nil {
		return err
	}
	i, err := a.desk.CreateItem(c.r.Context(), c.actor, c.path("lid"), patch, key)
	if err != nil {
		return err
	}
	return c.writeCreated(locationPath(i.LocationID)+"/items/"+i.ID, a.wire.Item(i))
}

func (a *API) getItem(c *call) error {
	i, err := a.desk.Item(c.r.Context(), c.actor, c.path("lid"), c.path("id"))
	return writeRecord(c, i, err, a.wire.Item)
}

func (a *API) listItems(c *call) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	f := lost.ItemFilter{
		Term: q.term(), Page: q.page(), From: q.date("from"), To: q.date("to"),
		Statuses: oneOf(q, "status", lost.Statuses()),
	}
	if sources := oneOf(q, "source", lost.Sources()); len(sources) == 1 { // both are all there are
		f.Source = sources[0]
	}
	if err := q.bad.Err(); err != nil {
		return err
	}
	l, err := a.desk.Items(c.r.Context(), c.actor, c.path("lid"), f)
	return writeList(c, l, err, a.wire.Item)
}

func (a *API) updateItem(c *call) error {
	patch, _, err := read(c, v1.DecodeItem)
	if err != nil {
		return err
	}
	i, err := a.desk.UpdateItem(c.r.Context(), c.actor, c.path("lid"), c.path("id"), patch)
	return writeRecord(c, i, err, a.wire.Item)
}

func (a *API) updateStatus(c *call) error {
	patch, _, err := read(c, v1.DecodeMove)
	if err != nil {
		return err
	}
	i, err := a.desk.SetStatus(c.r.Context(), c.actor, c.path("lid"), c.path("id"), patch)
	return writeRecord(c, i, err, a.wire.Item)
}

func (a *API) deleteItem(c *call) error {
	return c.writeDeleted(a.desk.DeleteItem(c.r.Context(), c.actor, c.path("lid"), c.path("id")))
}

func (a *API) uploadImage(c *call) error {
	part, key, err := c.file("image")
	if err != nil {
		return err
	}
	i, err := a.desk.UploadImage(c.r.Context(), c.actor, c.path("lid"), c.path("id"), part, key)
	return writeRecord(c, i, err, a.wire.Item)
}

func (a *API) listHistory(c *call) error {
	page, err := c.page()
	if err != nil {
		return err
	}
	l, err := a.desk.History(c.r.Context(), c.actor, c.path("lid"), c.path("id"), page)
	return writeList(c, l, err, a.wire.Entry)
}

func (a *API) createKey(c *call) error {
	patch, key, err := read(c, v1.DecodeKey)
	if err != nil {
		return err
	}
	k, err := a.desk.CreateKey(c.r.Context(), c.actor, patch, key)
	if err != nil {
		return err
	}
	return c.writeCreated("/v1/keys/"+k.ID, a.wire.Key(k.Key, k.Secret))
}

func (a *API) getKey(c *call) error {
	k, err := a.desk.Key(c.r.Context(), c.actor, c.path("id"))
	return writeRecord(c, k, err, a.shownKey)
}

func (a *API) listKeys(c *call) error {
	page, err := c.page()
	if err != nil {
		return err
	}
	l, err := a.desk.Keys(c.r.Context(), c.actor, page)
	return writeList(c, l, err, a.shownKey)
}

// shownKey writes a key without its secret.
func (a *API) shownKey(k lost.Key) v1.Key { return a.wire.Key(k, "") }

func (a *API) revokeKey(c *call) error {
	return c.writeDeleted(a.desk.RevokeKey(c.r.Context(), c.actor, c.path("id")))
}

func (a *API) getAccount(c *call) error {
	acc, err := a.desk.Account(c.r.Context(), c.actor)
	return writeRecord(c, acc, err, func(acc lost.Account) v1.Account { return a.wire.Account(acc, c.actor) })
}
