package staff

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

func retentionRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/settings/retention", Right: lost.Govern, serve: (*call).showRetention},
		{Method: http.MethodPost, Path: "/settings/retention", Right: lost.Govern, serve: (*call).setRetention},
	}
}

type retentionPage struct {
	settingsPage
	desk.Retention
	DaysInput input
	Sure      string // how many items are concerned at once, when that is to be confirmed
	AuditDays int
}

// Span writes how long something is kept.
func (p retentionPage) Span(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d%day != 0:
		return fmt.Sprintf("%d hours", d/time.Hour)
	case d == day:
		return "1 day"
	default:
		return fmt.Sprintf("%d days", d/day)
	}
}

// Day writes a date with its weekday.
func (p retentionPage) Day(date string) string { return day(date) }

func (c *call) retentionPage(values url.Values) (p retentionPage, err error) {
	p.settingsPage, p.AuditDays = c.settings("Data retention"), int(lost.KeepAudit/(24*time.Hour))
	if p.Retention, err = c.desk.Retention(c.ctx(), c.actor()); err != nil {
		return p, err
	}
	typed := strconv.Itoa(p.Retention.Days)
	if values.Has("days") {
		typed = values.Get("days")
	}
	p.DaysInput = input{
		Name: "days", Label: "Days after an item is closed", Hint: fmt.Sprintf("From %d to %d.", lost.MinGuestDays, lost.MaxGuestDays), Type: "text", Keyboard: "numeric",
		Value: typed, Required: true, Narrow: true, Autocomplete: "off",
	}
	return p, nil
}

func (c *call) showRetention() error {
	p, err := c.retentionPage(url.Values{})
	if err != nil {
		return err
	}
	return c.write(http.StatusOK, "retention", p)
}

// setRetention sets the days. Where that removes something at once, it is asked first: it cannot be undone.
func (c *call) setRetention() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	p, err := c.retentionPage(values)
	if err != nil {
		return err
	}
	days, bad := strconv.Atoi(strings.TrimSpace(values.Get("days")))
	if bad != nil {
		days = 0 // which is no number of days that may be set
	}
	would, err := c.desk.WouldForget(c.ctx(), c.actor(), days)
	if err == nil && would.Count > 0 && days < p.Retention.Days && values.Get("sure") == "" {
		p.Sure = total(would, "item", "items")
		return c.write(http.StatusOK, "retention", p)
	}
	if err == nil {
		err = c.desk.SetRetention(c.ctx(), c.actor(), days)
	}
	if err != nil {
		return c.retentionAgain(p, err)
	}
	c.tell(fmt.Sprintf("Guests’ data is kept for %d days after an item is closed.", days))
	return c.see("/settings/retention")
}

func (c *call) retentionAgain(p retentionPage, err error) error {
	problems, other := judge([]*input{&p.DaysInput}, err)
	if other != nil {
		return other
	}
	p.Problems = problems
	return c.write(respond.Failed(c.w, err), "retention", p)
}
