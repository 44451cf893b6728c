package reports

import (
	"net/http"
	"net/url"

	"homeward/internal/desk"
	"homeward/internal/i18n"
	"homeward/internal/itemcsv"
	"homeward/internal/lost"
	"homeward/internal/lost/report"
	"homeward/internal/web/staff/frame"
)

// paymentsPage lists the payments and refunds that an amount in a report adds up.
type paymentsPage struct {
	frame.Page
	Back  string // the path of the report
	Range string
	Sum   string // how many there are, and what they add up to
	CSV   string
	Items string // the path of the list of their items; empty if there is none
	All   bool   // the list has several locations
	Rows  []paymentRow
	Pager frame.Pager
}

// paymentRow is a payment or a refund.
type paymentRow struct {
	When, Reference, Description, Where, For, Amount string
	Href                                             string // empty if the item was deleted
}

// payments returns the path of the list behind an amount. It is empty for chosen locations.
func (v view) payments(f moneyFigure, p report.Period, currency string) string {
	if v.chosen != nil {
		return ""
	}
	query := periodQuery(p)
	query.Set("figure", string(f.list))
	query.Set("currency", currency)
	return v.scope.Path("/reports/payments") + "?" + query.Encode()
}

// figureName returns the name of the amount behind which a list is. Without one, it is that of all payments.
func figureName(lang frame.Locale, f lost.PaymentFigure) string {
	for _, m := range moneyFigures() {
		if m.list == f && !m.count {
			return lang.Say(m.key)
		}
	}
	if f == lost.FeesBalance {
		return lang.Say("reports.total")
	}
	return lang.Say("reports.payments.title")
}

// paymentQuery returns what the URL selects.
func (c *call) paymentQuery() (s frame.Scope, q desk.PaymentQuery, err error) {
	values := c.Request.URL.Query()
	q = desk.PaymentQuery{
		ReportQuery: desk.ReportQuery{From: values.Get("from"), To: values.Get("to")},
		Figure:      lost.PaymentFigure(values.Get("figure")), Currency: values.Get("currency"),
		Page: c.PageFromQuery(frame.TableLimit),
	}
	if q.Figure == "" {
		q.Figure = lost.FeesPaid
	}
	s, err = frame.ReadListScope(c.Call)
	if !s.All {
		q.Locations = []string{s.At.ID}
	}
	return s, q, err
}

func (c *call) showPayments() error {
	s, q, err := c.paymentQuery()
	if err != nil {
		return err
	}
	list, err := c.Services.Reports.Payments(c.Context(), c.Actor(), q)
	if err != nil {
		return err
	}
	v := view{Locale: c.Locale, scope: s}
	p := &paymentsPage{
		Page: c.NewPage(figureName(c.Locale, q.Figure)), Range: rangeText(c.Locale, list.Period), All: s.All,
		Back:  s.Path("/reports") + "?" + periodQuery(list.Period).Encode(),
		Pager: frame.NewPager(list.List, c.Request.URL, c.Say("frame.newer"), c.Say("frame.older")),
	}
	if list.Count > 0 {
		p.Sum = c.Say("reports.payments.sum", "n", list.Count, "amount", c.Money(list.Amount, q.Currency))
		p.CSV = s.Path("/reports/payments.csv") + "?" + c.Request.URL.RawQuery
		p.Items = v.paidItems(q, list.Period)
	}
	for _, payment := range list.Data {
		p.Rows = append(p.Rows, c.paymentRow(payment, q.Figure))
	}
	return c.Render(http.StatusOK, "payments", p)
}

// paidItems returns the path of the list of the items for which payments or refunds were made.
func (v view) paidItems(q desk.PaymentQuery, p report.Period) string {
	switch q.Figure {
	case lost.FeesBalance:
		return ""
	case lost.FeesRefunded:
		return v.list(lost.FigureRefunded, p, frame.CurrencyGroup(q.Currency))
	default:
		return v.list(lost.FigurePaid, p, frame.CurrencyGroup(q.Currency))
	}
}

func (c *call) paymentRow(p lost.Payment, f lost.PaymentFigure) paymentRow {
	const maxDescription = 80
	row := paymentRow{
		When: c.Moment(p.At, p.Location.Zone()), Where: p.Location.Name, For: purpose(c.Locale, p, f),
		Amount: c.Money(f.Amount(p), p.Currency),
	}
	if p.Item.ID != "" {
		row.Reference, row.Href = p.Item.Reference, frame.ItemPath(p.Item)
		row.Description = lost.Shorten(p.Item.Description, maxDescription)
	}
	return row
}

// purpose tells what a payment was for, as far as a figure adds it up.
func purpose(lang frame.Locale, p lost.Payment, f lost.PaymentFigure) string {
	handling, postage := "", ""
	if p.Handling != 0 && f != lost.PostagePaid {
		handling = lang.Say("reports.handling")
	}
	if p.Postage != 0 && f != lost.HandlingPaid {
		postage = lang.Say("reports.shipping")
	}
	parts := i18n.Join(" + ", postage, handling)
	if p.Refund {
		return lang.Say("reports.payments.refund", "parts", parts)
	}
	return parts
}

// downloadPayments sends all rows of a list as CSV. Amounts and times have the same form in all languages.
func (c *call) downloadPayments() error {
	_, q, err := c.paymentQuery()
	if err != nil {
		return err
	}
	name := "payments-" + url.PathEscape(string(q.Figure)+"-"+q.Currency) + ".csv"
	return c.WriteFile(name, func(d *frame.Download) error {
		var t *itemcsv.Table
		begin := func() (err error) {
			if _, err := d.Write([]byte("\ufeff")); err != nil { // Excel needs it to recognise UTF-8
				return err
			}
			t, err = itemcsv.NewTable(d, c.Say("reports.payments.when"), c.Say("reports.location"),
				c.Say("reports.payments.item"), c.Say("reports.payments.description"), c.Say("reports.payments.for"),
				c.Say("reports.payments.amount"), c.Say("reports.payments.currency"))
			return err
		}
		err := c.Services.Reports.EachPayment(c.Context(), c.Actor(), q, func(p lost.Payment) error {
			if t == nil { // until the first row, an error page can still be sent
				if err := begin(); err != nil {
					return err
				}
			}
			at := p.At.In(p.Location.Zone())
			return t.Row(at.Format(lost.DateLayout+" "+lost.TimeLayout), p.Location.Name, p.Item.Reference,
				p.Item.Description, purpose(c.Locale, p, q.Figure), i18n.PlainAmount(q.Figure.Amount(p), p.Currency),
				p.Currency)
		})
		if err == nil && t == nil {
			err = begin()
		}
		if err != nil {
			return err
		}
		return t.Flush()
	})
}

// moneyFigure is a line in the table of payments in a currency.
type moneyFigure struct {
	key   string // of its name
	value func(report.MoneyFigures) int64
	count bool // whether it is a number of payments, not an amount
	list  lost.PaymentFigure
}

// moneyFigures returns the lines of the table without the total.
func moneyFigures() []moneyFigure {
	return []moneyFigure{
		{"reports.payments", countPayments, true, lost.FeesPaid},
		{"reports.handling", func(m report.MoneyFigures) int64 { return m.Handling }, false, lost.HandlingPaid},
		{"reports.shipping", func(m report.MoneyFigures) int64 { return m.Shipping }, false, lost.PostagePaid},
		{"reports.refund-count", countRefunds, true, lost.FeesRefunded},
		{"reports.refunds", func(m report.MoneyFigures) int64 { return m.Refunded }, false, lost.FeesRefunded},
	}
}

// totalFigure returns the last line of the table.
func totalFigure() moneyFigure {
	return moneyFigure{"reports.total", report.MoneyFigures.Balance, false, lost.FeesBalance}
}

func countPayments(m report.MoneyFigures) int64 { return int64(m.Payments) }
func countRefunds(m report.MoneyFigures) int64  { return int64(m.Refunds) }

// amount formats a line for one period.
func (v view) amount(f moneyFigure, m report.MoneyFigures) string {
	amount := f.value(m)
	switch {
	case f.count:
		return v.Number(int(amount))
	case f.list == lost.FeesRefunded:
		return v.Locale.Money(-amount, m.Currency)
	default:
		return v.Locale.Money(amount, m.Currency)
	}
}
