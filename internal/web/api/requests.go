package api

import (
	"homeward/internal/desk"
	"homeward/internal/lost"
	v1 "homeward/internal/v1"
)

func (a *API) createRequest(c *call) error {
	patch, key, err := read(c, v1.DecodeRequest)
	if err != nil {
		return err
	}
	i, err := a.desk.FileRequest(c.r.Context(), c.actor, c.path("lid"), patch, key)
	if err != nil {
		return err
	}
	return c.writeCreated(locationPath(i.LocationID)+"/requests/"+i.ID, a.wire.Item(i))
}

func (a *API) getRequest(c *call) error {
	i, err := a.desk.Request(c.r.Context(), c.actor, c.path("lid"), c.path("id"))
	return writeRecord(c, i, err, a.wire.Item)
}

func (a *API) listRequests(c *call) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	f := lost.ItemFilter{Term: q.term(), States: oneOf(q, "state", lost.RequestStates()), Page: q.page()}
	if err := q.bad.Err(); err != nil {
		return err
	}
	l, err := a.desk.Requests(c.r.Context(), c.actor, c.path("lid"), f)
	return writeList(c, l, err, a.wire.Item)
}

func (a *API) decideRequest(c *call) error {
	patch, _, err := read(c, v1.DecodeDecision)
	if err != nil {
		return err
	}
	i, err := a.desk.DecideRequest(c.r.Context(), c.actor, c.path("lid"), c.path("id"), patch)
	return writeRecord(c, i, err, a.wire.Item)
}

func (a *API) notifyOwner(c *call) error {
	key, err := c.emptyBody()
	if err != nil {
		return err
	}
	m, err := a.desk.Notify(c.r.Context(), c.actor, c.path("lid"), c.path("id"), key)
	return writeRecord(c, m, err, func(m lost.Message) v1.Message { return a.wire.Message(m, "", "") })
}

func (a *API) revokeLink(c *call) error {
	key, err := c.emptyBody()
	if err != nil {
		return err
	}
	i, err := a.desk.RevokeLink(c.r.Context(), c.actor, c.path("lid"), c.path("id"), key)
	return writeRecord(c, i, err, a.wire.Item)
}

func (a *API) listMessages(c *call) error {
	page, err := c.page()
	if err != nil {
		return err
	}
	l, err := a.desk.Messages(c.r.Context(), c.actor, c.path("lid"), c.path("id"), page)
	return writeList(c, l, err, func(m desk.Correspondence) v1.Message { return a.wire.Message(m.Message, m.Subject, m.Text) })
}

func (a *API) listTasks(c *call) error {
	page, err := c.page()
	if err != nil {
		return err
	}
	l, err := a.desk.Tasks(c.r.Context(), c.actor, c.path("lid"), page)
	return writeList(c, l, err, a.wire.Task)
}
