package api

import (
	"homeward/internal/lost"
	v1 "homeward/internal/v1"
)

func (a *API) quoteItem(c *call) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	country := q.country("country")
	if err := q.bad.Err(); err != nil {
		return err
	}
	offers, err := a.desk.QuoteItem(c.r.Context(), c.actor, c.path("lid"), c.path("id"), country)
	return writeRecord(c, offers, err, a.wire.Quotes)
}

func (a *API) refundItem(c *call) error {
	patch, key, err := read(c, v1.DecodeRefund)
	if err != nil {
		return err
	}
	i, err := a.desk.Refund(c.r.Context(), c.actor, c.path("lid"), c.path("id"), patch, key)
	return writeRecord(c, i, err, a.wire.Item)
}

func (a *API) retryLabel(c *call) error {
	key, err := c.emptyBody()
	if err != nil {
		return err
	}
	i, err := a.desk.RetryLabel(c.r.Context(), c.actor, c.path("lid"), c.path("id"), key)
	return writeRecord(c, i, err, a.wire.Item)
}

// country reads a country by its code; empty where none is given.
func (q *query) country(name string) string {
	if !q.values.Has(name) {
		return ""
	}
	code, ok := lost.ParseCountry(q.values.Get(name))
	if !ok {
		q.bad.Add(name, "invalid-country", "must be a 2-letter country code (ISO 3166-1), such as PL")
	}
	return code
}
