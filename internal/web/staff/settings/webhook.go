package settings

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// webhookPath returns the path of a webhook's page, or of a page below it.
func webhookPath(id, below string) string { return "/settings/webhooks/" + id + below }

// webhookLine is a webhook as shown on a page.
type webhookLine struct {
	lost.Endpoint
	State      frame.State
	EventNames string
}

// Name returns the webhook's description or, if it has none, its URL.
func (w webhookLine) Name() string { return cmp.Or(w.Description, w.URL) }

func newWebhookLine(lang frame.Locale, e lost.Endpoint) webhookLine {
	events := e.Events
	if events == nil {
		events = lost.DefaultEventTypes()
	}
	line := webhookLine{
		Endpoint: e, State: frame.State{Word: lang.Say("settings.webhook.on"), Shape: "done"},
		EventNames: lang.Say("settings.all-events"),
	}
	if !slices.Contains(events, lost.AllEvents) {
		line.EventNames = strings.Join(toStrings(events), ", ")
	}
	switch {
	case !e.Enabled && e.Reason != "":
		line.State = frame.State{Word: lang.Say("settings.webhook.turned-off"), Shape: "bad"}
	case !e.Enabled:
		line.State = frame.State{Word: lang.Say("settings.webhook.off"), Shape: "over"}
	case !e.FailingSince.IsZero():
		line.State = frame.State{Word: lang.Say("settings.webhook.failing"), Shape: "bad"}
	}
	return line
}

// toStrings converts named strings to plain strings.
func toStrings[T ~string](words []T) []string {
	out := make([]string, len(words))
	for n, w := range words {
		out[n] = string(w)
	}
	return out
}

type webhooksPage struct {
	settingsPage
	Webhooks []webhookLine
}

func (c *webhookCall) listWebhooks() error {
	list, err := c.Services.Webhooks.Endpoints(c.Context(), c.Actor(), lost.Page{Number: 1, Limit: lost.MaxLimit})
	if err != nil {
		return err
	}
	p := webhooksPage{settingsPage: newSettingsPage(c.Call, c.Say("settings.webhooks"))}
	p.Wide = true
	for _, e := range list.Data {
		p.Webhooks = append(p.Webhooks, newWebhookLine(c.Locale, e))
	}
	return c.Render(http.StatusOK, "webhooks", p)
}

func (c *webhookCall) webhook() (lost.Endpoint, error) {
	return c.Services.Webhooks.Endpoint(c.Context(), c.Actor(), c.Request.PathValue("webhook"))
}

type webhookPage struct {
	settingsPage
	Webhook    webhookLine
	Where      string   // the names of its locations
	Headers    []string // the names of its custom headers
	Old        []lost.OldSecret
	Deliveries []webhookDelivery
	Failed     bool // only failed deliveries are listed
	Pager      frame.Pager
	Since      frame.Input
}

// Rotating reports whether an old secret is still valid in addition to the current one.
func (p webhookPage) Rotating() bool { return len(p.Old) > 0 }

func (c *webhookCall) showWebhook() error {
	e, err := c.webhook()
	if err != nil {
		return err
	}
	p := webhookPage{
		settingsPage: newSettingsPage(c.Call, c.Say("settings.webhook")), Webhook: newWebhookLine(c.Locale, e),
		Headers: headerNames(e), Where: c.LocationNames(e.Locations),
		Failed: c.Request.URL.Query().Get("state") == string(lost.DeliveryFailed),
	}
	e.ForgetOldSecrets(c.Now())
	p.Old, p.Wide = e.OldSecrets, true
	f := lost.DeliveryFilter{Endpoint: e.ID, Page: c.PageFromQuery(frame.TableLimit)}
	if p.Failed {
		f.States = []lost.DeliveryState{lost.DeliveryFailed}
	}
	list, err := c.Services.Webhooks.Deliveries(c.Context(), c.Actor(), f)
	if err != nil {
		return err
	}
	for _, d := range list.Data {
		p.Deliveries = append(p.Deliveries, newWebhookDelivery(c.Locale, d))
	}
	p.Pager = frame.NewPager(list, c.Request.URL, c.Say("frame.newer"), c.Say("frame.older"))
	p.Since = sinceInput(c.Locale)
	return c.Render(http.StatusOK, "webhook", p)
}

// sinceInput asks which failed deliveries are sent again.
func sinceInput(lang frame.Locale) frame.Input {
	return frame.Input{
		Name: "since", Label: lang.Say("settings.webhook.resend.label"), Type: "list", Required: true, Narrow: true,
		Options: []frame.Option{
			{Value: "1h", Name: lang.Say("settings.webhook.resend.hour")},
			{Value: "24h", Name: lang.Say("settings.webhook.resend.day")},
			{Value: "168h", Name: lang.Say("settings.webhook.resend.week")},
			{Value: "all", Name: lang.Say("settings.webhook.resend.all")},
		}, Value: "24h",
	}
}

// switchWebhook turns a webhook on or off.
func (c *webhookCall) switchWebhook() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	on := values.Get("enabled") != ""
	e, err := c.Services.Webhooks.UpdateEndpoint(c.Context(), c.Actor(), c.Request.PathValue("webhook"),
		lost.EndpointPatch{Enabled: lost.Set(on)})
	if err != nil {
		return err
	}
	if on {
		c.Flash(c.Say("settings.webhook.is-on"))
	} else {
		c.Flash(c.Say("settings.webhook.is-off"))
	}
	return c.Redirect(webhookPath(e.ID, ""))
}

type secretPage struct {
	settingsPage
	Webhook webhookLine
	Rotated bool
}

// revealSecret shows the signing secret. It handles a submitted form, not a link, because viewing the secret is
// recorded in the audit log.
func (c *webhookCall) revealSecret() error {
	e, err := c.Services.Webhooks.Secret(c.Context(), c.Actor(), c.Request.PathValue("webhook"))
	if err != nil {
		return err
	}
	return c.Render(http.StatusOK, "webhook-secret",
		secretPage{
			settingsPage: newSettingsPage(c.Call, c.Say("settings.secret")), Webhook: newWebhookLine(c.Locale, e),
		})
}

func (c *webhookCall) rotateSecret() error {
	e, err := c.Services.Webhooks.RotateSecret(c.Context(), c.Actor(), c.Request.PathValue("webhook"),
		lost.IdempotencyKey{})
	if err != nil {
		return err
	}
	return c.Render(http.StatusOK, "webhook-secret",
		secretPage{
			settingsPage: newSettingsPage(c.Call, c.Say("settings.secret.new")), Webhook: newWebhookLine(c.Locale, e),
			Rotated: true,
		})
}

// testWebhook sends a test event and redirects to its delivery.
func (c *webhookCall) testWebhook() error {
	d, err := c.Services.Webhooks.TestEndpoint(c.Context(), c.Actor(), c.Request.PathValue("webhook"),
		lost.TestEvent, lost.IdempotencyKey{})
	if err != nil {
		return err
	}
	c.Flash(c.Say("settings.webhook.test.sent"))
	return c.Redirect(deliveryPath(d.ID))
}

// replayWebhook resends failed deliveries.
func (c *webhookCall) replayWebhook() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	var since time.Time // the zero time selects all stored deliveries
	if back, err := time.ParseDuration(values.Get("since")); err == nil {
		since = c.Now().Add(-back)
	}
	id := c.Request.PathValue("webhook")
	n, err := c.Services.Webhooks.ReplayFailed(c.Context(), c.Actor(), id, since, lost.IdempotencyKey{})
	if err != nil {
		return err
	}
	if n == 0 {
		c.Flash(c.Say("settings.webhook.resend.none"))
	} else {
		c.Flash(c.Say("settings.webhook.resend.done", "n", n))
	}
	return c.Redirect(webhookPath(id, ""))
}

// deleteWebhookPage asks the user to type the webhook's host, so that nobody deletes a webhook by mistake.
func (c *webhookCall) deleteWebhookPage(e lost.Endpoint, values url.Values) *frame.FormPage {
	p := c.NewForm(c.Say("settings.webhook.delete.title"), c.Say("settings.webhook.delete.button"), &frame.Input{
		Name: "host", Label: c.Say("settings.webhook.delete.confirm", "host", e.Host()), Type: "text",
		Value: values.Get("host"), Autocomplete: "off", Required: true, Focus: true,
	})
	p.Lead = []string{e.URL, c.Say("settings.webhook.delete.lead")}
	p.Danger, p.Back = true, frame.Link{Name: newWebhookLine(c.Locale, e).Name(), Href: webhookPath(e.ID, "")}
	return p
}

func (c *webhookCall) askDeleteWebhook() error {
	e, err := c.webhook()
	if err != nil {
		return err
	}
	return c.ShowForm(c.deleteWebhookPage(e, url.Values{}))
}

func (c *webhookCall) deleteWebhook() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	e, err := c.webhook()
	if err != nil {
		return err
	}
	if wrong := frame.CheckConfirmation(values, "host", e.Host()); wrong != nil {
		return c.ShowFormAgain(c.deleteWebhookPage(e, values), wrong)
	}
	if err := c.Services.Webhooks.DeleteEndpoint(c.Context(), c.Actor(), e.ID); err != nil {
		return err
	}
	c.Flash(c.Say("settings.webhook.deleted.done"))
	return c.Redirect("/settings/webhooks")
}
