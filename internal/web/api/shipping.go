package api

import (
	"net/http"

	"homeward/internal/lost"
	v1 "homeward/internal/v1"
)

// shippingHandlers serves the operations on quotes, labels and refunds.
type shippingHandlers struct{ handlers }

func (h shippingHandlers) operations() []operation {
	const group, one = "Shipping", "/v1/locations/{lid}/items/{id}"
	return []operation{
		{
			method: http.MethodGet, path: one + "/quotes", handle: h.quoteItem,
			id: "list-quotes", group: group, summary: "Quote the price of shipping an item",
			about: "Returns what it would cost to ship the item to a country or to the owner's address, depending " +
				"on its weight and box. The list has no pages, and nothing is bought. data is empty if there is no " +
				"price: none of weight, box and isDocument is set, the item is too heavy for the tariff, the item " +
				"cannot be shipped, its location does not ship, or the carrier needs the owner's full address.",
			query: []parameter{
				country("country", "Destination country code. Required if the owner has not entered an "+
					"address. Without it, the quote is for the owner's address."),
			},
			status: http.StatusOK, response: v1.Quotes{},
		},
		{
			method: http.MethodPost, path: one + "/label", handle: h.retryLabel,
			id: "retry-label", group: group, summary: "Retry a shipping label",
			about: "Tries again to buy a label that the carrier rejected. Fix the cause first: the task " +
				"label-refused names it. The owner is not charged. If no label was rejected, this is a conflict.",
			status: http.StatusOK, response: v1.Item{},
			refuses: []lost.Code{lost.Conflict},
		},
		{
			method: http.MethodPost, path: one + "/refund", handle: h.refundItem,
			id: "refund-item", group: group, summary: "Refund the fee",
			about: "Refunds the whole fee that was paid for the item, and returns the label if the carrier accepts " +
				"it. shipping.refund shows the progress; the owner is notified when it is done. An item that is FEE " +
				"PAID becomes PENDING, so that the owner can choose again. If the desk collected the fee, it " +
				"gets the task refund-due: pay the fee back, then send this request again to confirm it. If nothing " +
				"was paid, or the fee has already been refunded, this is a conflict.",
			body: v1.Refund{}, status: http.StatusOK, response: v1.Item{},
			refuses: []lost.Code{lost.Conflict},
		},
	}
}

func (h shippingHandlers) quoteItem(c *call) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	country := q.country("country")
	if err := q.bad.Err(); err != nil {
		return err
	}
	offers, err := h.services.Quotes.QuoteItem(c.r.Context(), c.actor, c.path("lid"), c.path("id"), country)
	return writeRecord(c, offers, err, h.wire.Quotes)
}

func (h shippingHandlers) refundItem(c *call) error {
	patch, key, err := read(c, v1.DecodeRefund)
	if err != nil {
		return err
	}
	i, err := h.services.Refunds.Refund(c.r.Context(), c.actor, c.path("lid"), c.path("id"), patch, key)
	return writeRecord(c, i, err, h.wire.Item)
}

func (h shippingHandlers) retryLabel(c *call) error {
	key, err := c.emptyBody()
	if err != nil {
		return err
	}
	i, err := h.services.Labels.RetryLabel(c.r.Context(), c.actor, c.path("lid"), c.path("id"), key)
	return writeRecord(c, i, err, h.wire.Item)
}

// country reads a country code. It returns an empty string if the parameter is missing.
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
