package guest

import (
	"context"
	"errors"
	"log/slog"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// price describes the cost of shipping before the guest has entered an address.
type price struct {
	Known bool
	Text  string
	More  []string // what it includes, how long shipping takes, and how to pay
}

// quotes returns the prices of shipping the item to a country. If the carrier does not respond, it returns no quotes,
// and the page is shown without a price.
func (c linkCall) quotes(country string) ([]lost.Quote, error) {
	if country == "" || c.services.Quotes.PricedByAddress() {
		return nil, nil
	}
	offers, err := c.services.Quotes.Estimate(c.r.Context(), c.visit, country)
	if errors.Is(err, context.Canceled) {
		return nil, err
	}
	if err != nil {
		respond.AddLogAttrs(c.w, slog.String("carrier", err.Error()))
		return nil, nil
	}
	return offers, nil
}

// estimate describes what shipping to a country costs or, if that is unknown, when the guest will be told.
func (c linkCall) estimate(l *i18n.Language, country string) (price, error) {
	offers, err := c.quotes(country)
	if err != nil || len(offers) == 0 {
		return price{Text: c.priceLater(l)}, err
	}
	q := offers[0]
	p := price{Known: true, Text: l.Say("guest.price.known", "country", l.Country(country), "price", money(l, q.Price))}
	if len(offers) > 1 {
		p.Text = l.Say("guest.price.from", "country", l.Country(country), "price", money(l, q.Price))
	}
	if q.Price.Handling > 0 {
		p.More = append(p.More, l.Say("guest.price.handling", "price", l.Money(q.Price.Handling, q.Price.Currency)))
	}
	if how := l.WorkingDays(q.FromDays, q.ToDays); how != "" && len(offers) == 1 {
		p.More = append(p.More, l.Say("guest.price.days", "days", how))
	}
	if c.services.Payments.PayBy().Online() {
		p.More = append(p.More, l.Say("guest.price.online"))
	} else {
		p.More = append(p.More, l.Say("guest.price.desk", "location", c.place.Name))
	}
	return p, nil
}

// shipHint returns the hint below the shipping choice: the price or, if it is unknown, when the guest will be told.
func (c linkCall) shipHint(l *i18n.Language) (string, error) {
	country := c.likelyCountry()
	offers, err := c.quotes(country)
	switch {
	case err != nil:
		return "", err
	case len(offers) == 0:
		return c.priceLater(l), nil
	case len(offers) == 1:
		return l.Say("guest.choose.ship.price", "country", l.Country(country), "price", money(l, offers[0].Price)), nil
	default:
		return l.Say("guest.choose.ship.from", "country", l.Country(country), "price", money(l, offers[0].Price)), nil
	}
}

// priceLater returns a sentence that says when, and by whom, the guest will be told the price.
func (c linkCall) priceLater(l *i18n.Language) string {
	if c.services.Quotes.PricedByAddress() {
		return l.Say("guest.price.address")
	}
	return l.Say("guest.price.unknown", "location", c.place.Name)
}

// notShippedReason returns why the item cannot be shipped, or an empty string if it can.
func (c linkCall) notShippedReason(l *i18n.Language) string {
	why, ships := c.visit.Item.CanShip(*c.place)
	switch {
	case ships:
		return ""
	case why != "":
		return l.Say("guest.unsent.why", "reason", why)
	default:
		return l.Say("guest.unsent.here", "location", c.place.Name)
	}
}

// money formats the total of a price.
func money(l *i18n.Language, p lost.Price) string { return l.Money(p.Total(), p.Currency) }
