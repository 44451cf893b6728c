package settings

import (
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
	// says how many items are affected immediately; empty unless the page asks for confirmation
	Affected  string
	AuditDays int
}

// Span formats how long something is kept.
func (p retentionPage) Span(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d%day != 0:
		return p.Locale.Say("settings.retention.span.hours", "n", int(d/time.Hour))
	default:
		return p.Locale.Say("settings.retention.span.days", "n", int(d/day))
	}
}

// Day formats a date with its weekday.
func (p retentionPage) Day(date string) string { return p.Locale.Day(date) }

func (c *call) retentionPage(values url.Values) (p retentionPage, err error) {
	p.settingsPage = newSettingsPage(c.Call, c.Say("settings.retention"))
	p.AuditDays = int(lost.AuditRetention / (24 * time.Hour))
	if p.Retention, err = c.Services.RetentionPolicy.Get(c.Context(), c.Actor()); err != nil {
		return p, err
	}
	typed := strconv.Itoa(p.Retention.Days)
	if values.Has("days") {
		typed = values.Get("days")
	}
	p.DaysInput = frame.Input{
		Name: "days", Label: c.Say("settings.retention.days"), Type: "text", Keyboard: "numeric", Value: typed,
		Required: true, Narrow: true, Autocomplete: "off",
		Hint: c.Say("settings.retention.days.hint", "least", strconv.Itoa(lost.MinGuestDays), "most",
			strconv.Itoa(lost.MaxGuestDays)),
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
		p.Affected = c.Total(preview, "settings.retention.affected", "settings.retention.affected.or-more",
			"days", p.DaysInput.Value)
		return c.Render(http.StatusOK, "retention", p)
	}
	if err == nil {
		err = c.Services.RetentionPolicy.Set(c.Context(), c.Actor(), days)
	}
	if err != nil {
		return c.retentionAgain(p, err)
	}
	c.Flash(c.Say("settings.retention.saved", "n", days))
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
