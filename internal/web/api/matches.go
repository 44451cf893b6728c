package api

func (a *API) listRequestMatches(c *call) error {
	page, err := c.page()
	if err != nil {
		return err
	}
	l, err := a.desk.RequestMatches(c.r.Context(), c.actor, c.path("lid"), c.path("id"), page)
	return writeList(c, l, err, a.wire.MatchedItem)
}

func (a *API) listItemMatches(c *call) error {
	page, err := c.page()
	if err != nil {
		return err
	}
	l, err := a.desk.FindMatches(c.r.Context(), c.actor, c.path("lid"), c.path("id"), page)
	return writeList(c, l, err, a.wire.MatchedRequest)
}

func (a *API) refuseMatch(c *call) error {
	return c.writeDeleted(a.desk.RefuseMatch(c.r.Context(), c.actor, c.path("lid"), c.path("id"), c.path("itemId")))
}
