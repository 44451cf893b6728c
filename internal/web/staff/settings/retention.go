package settings

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/privacy"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

type retentionPage struct {
	settingsPage
	privacy.Retention
	DaysInput frame.Input
	// how many items are affected immediately; empty unless the page asks for confirmation
	Affected  string
	AuditDays int
}

// Span formats how long something is kept.
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

// Day formats a date with its weekday.
func (p retentionPage) Day(date string) string { return p.Locale.Day(date) }

func (c *call) retentionPage(values url.Values) (p retentionPage, err error) {
	p.settingsPage, p.AuditDays = c.settings("Data retention"), int(lost.AuditRetention/(24*time.Hour))
	if p.Retention, err = c.Services.RetentionPolicy.Get(c.Context(), c.Actor()); err != nil {
		return p, err
	}
	typed := strconv.Itoa(p.Retention.Days)
	if values.Has("days") {
		typed = values.Get("days")
	}
	p.DaysInput = frame.Input{
		Name: "days", Label: "Days after an item is closed",
		Hint: fmt.Sprintf("From %d to %d.", lost.MinGuestDays, lost.MaxGuestDays), Type: "text", Keyboard: "numeric",
		Value: typed, Required: true, Narrow: true, Autocomplete: "off",
	}
	return p, nil
}

func (c *call) showRetention() error {
	p, err := c.retentionPage(url.Values{})
	if err != nil {
		return err
	}
	return c.Render(http.StatusOK, "retention", p)
}

// setRetention sets for how many days guest data is kept. If the change would remove data immediately, it asks for
// confirmation first, because this cannot be undone.
func (c *call) setRetention() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	p, err := c.retentionPage(values)
	if err != nil {
		return err
	}
	days, parseErr := strconv.Atoi(strings.TrimSpace(values.Get("days")))
	if parseErr != nil {
		days = 0 // the input is not a number; 0 is rejected as invalid
	}
	preview, err := c.Services.RetentionPolicy.Preview(c.Context(), c.Actor(), days)
	if err == nil && preview.Count > 0 && days < p.Retention.Days && values.Get("sure") == "" {
		p.Affected = frame.CountText(preview, "item", "items")
		return c.Render(http.StatusOK, "retention", p)
	}
	if err == nil {
		err = c.Services.RetentionPolicy.Set(c.Context(), c.Actor(), days)
	}
	if err != nil {
		return c.retentionAgain(p, err)
	}
	c.Flash(fmt.Sprintf("Guest data is kept for %d days after an item is closed.", days))
	return c.Redirect("/settings/retention")
}

func (c *call) retentionAgain(p retentionPage, err error) error {
	problems, other := c.MarkErrors([]*frame.Input{&p.DaysInput}, err)
	if other != nil {
		return other
	}
	p.Problems = problems
	return c.Render(respond.RecordError(c.Writer, err), "retention", p)
}
