package staff

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"time"

	"homeward/internal/lost"
)

func webhookRoutes() []Route {
	get := func(path string, serve func(*call) error) Route {
		return Route{Method: http.MethodGet, Path: "/settings/webhooks" + path, Right: lost.Integrate, serve: serve}
	}
	post := func(path string, serve func(*call) error) Route {
		return Route{Method: http.MethodPost, Path: "/settings/webhooks" + path, Right: lost.Integrate, serve: serve}
	}
	return []Route{
		get("", (*call).listWebhooks), get("/new", (*call).askWebhook), post("/new", (*call).registerWebhook),
		get("/{webhook}", (*call).showWebhook), get("/{webhook}/edit", (*call).editWebhook), post("/{webhook}/edit", (*call).changeWebhook),
		post("/{webhook}/switch", (*call).switchWebhook), post("/{webhook}/secret", (*call).revealSecret), post("/{webhook}/rotate", (*call).rotateSecret),
		post("/{webhook}/test", (*call).testWebhook), post("/{webhook}/replay", (*call).replayWebhook),
		get("/{webhook}/delete", (*call).askDeleteWebhook), post("/{webhook}/delete", (*call).deleteWebhook),
	}
}

// webhookPath is the address of a webhook's page, or of one below it.
func webhookPath(id, below string) string { return "/settings/webhooks/" + id + below }

// webhookLine is a webhook as it is shown.
type webhookLine struct {
	lost.Endpoint
	State state
	Wants string // which events
}

// Name is what people call it.
func (w webhookLine) Name() string { return cmp.Or(w.Description, w.URL) }

func lineOf(e lost.Endpoint) webhookLine {
	line := webhookLine{Endpoint: e, State: state{"On", "done"}, Wants: "All events"}
	if e.Events != nil {
		line.Wants = strings.Join(plainWords(e.Events), ", ")
	}
	switch {
	case !e.Enabled && e.Reason != "":
		line.State = state{"Switched off: it kept failing", "bad"}
	case !e.Enabled:
		line.State = state{"Off", "over"}
	case !e.FailingSince.IsZero():
		line.State = state{"Failing", "bad"}
	}
	return line
}

// plainWords makes plain text of named words.
func plainWords[T ~string](words []T) []string {
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

func (c *call) listWebhooks() error {
	list, err := c.desk.Endpoints(c.ctx(), c.actor(), lost.Page{Number: 1, Limit: lost.MaxLimit})
	if err != nil {
		return err
	}
	p := webhooksPage{settingsPage: c.settings("Webhooks")}
	p.Wide = true
	for _, e := range list.Data {
		p.Webhooks = append(p.Webhooks, lineOf(e))
	}
	return c.write(http.StatusOK, "webhooks", p)
}

func (c *call) webhook() (lost.Endpoint, error) {
	return c.desk.Endpoint(c.ctx(), c.actor(), c.r.PathValue("webhook"))
}

type webhookPage struct {
	settingsPage
	Webhook    webhookLine
	Headers    []string // their names alone
	Old        []lost.OldSecret
	Deliveries []hookDelivery
	Failed     bool // whether only failed ones are listed
	Pager      pager
	Since      input
}

// Rotating tells whether an older secret of the webhook still signs beside the present one.
func (p webhookPage) Rotating() bool { return len(p.Old) > 0 }

func (c *call) showWebhook() error {
	e, err := c.webhook()
	if err != nil {
		return err
	}
	p := webhookPage{settingsPage: c.settings("Webhook"), Webhook: lineOf(e), Headers: headerNames(e), Failed: c.r.URL.Query().Get("state") == string(lost.DeliveryFailed)}
	e.ForgetOldSecrets(c.now())
	p.Old, p.Wide = e.OldSecrets, true
	f := lost.DeliveryFilter{Endpoint: e.ID, Page: c.part(tableLimit)}
	if p.Failed {
		f.States = []lost.DeliveryState{lost.DeliveryFailed}
	}
	list, err := c.desk.Deliveries(c.ctx(), c.actor(), f)
	if err != nil {
		return err
	}
	for _, d := range list.Data {
		p.Deliveries = append(p.Deliveries, hookDeliveryOf(d))
	}
	p.Pager = turn(list, c.r.URL, "Newer", "Older")
	p.Since = input{Name: "since", Label: "Send again all that failed", Type: "list", Required: true, Narrow: true, Options: []option{
		{"1h", "in the last hour"}, {"24h", "in the last day"}, {"168h", "in the last week"}, {"all", "as far back as is kept"},
	}, Value: "24h"}
	return c.write(http.StatusOK, "webhook", p)
}

// switchWebhook switches a webhook on or off.
func (c *call) switchWebhook() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	on := values.Get("enabled") != ""
	e, err := c.desk.UpdateEndpoint(c.ctx(), c.actor(), c.r.PathValue("webhook"), lost.EndpointPatch{Enabled: lost.Set(on)})
	if err != nil {
		return err
	}
	if on {
		c.tell("The webhook is on. What happens from now on is sent to it.")
	} else {
		c.tell("The webhook is off. What waited for it is canceled; what happens meanwhile is not sent to it.")
	}
	return c.see(webhookPath(e.ID, ""))
}

type secretPage struct {
	settingsPage
	Webhook webhookLine
	Rotated bool
}

// revealSecret shows what signs. It is a form and not a link, because who looked is written down.
func (c *call) revealSecret() error {
	e, err := c.desk.Secret(c.ctx(), c.actor(), c.r.PathValue("webhook"))
	if err != nil {
		return err
	}
	return c.write(http.StatusOK, "webhook-secret", secretPage{settingsPage: c.settings("Secret"), Webhook: lineOf(e)})
}

func (c *call) rotateSecret() error {
	e, err := c.desk.RotateSecret(c.ctx(), c.actor(), c.r.PathValue("webhook"), lost.IdempotencyKey{})
	if err != nil {
		return err
	}
	return c.write(http.StatusOK, "webhook-secret", secretPage{settingsPage: c.settings("New secret"), Webhook: lineOf(e), Rotated: true})
}

// testWebhook sends a test event, and leads to where one sees what became of it.
func (c *call) testWebhook() error {
	d, err := c.desk.TestEndpoint(c.ctx(), c.actor(), c.r.PathValue("webhook"), lost.IdempotencyKey{})
	if err != nil {
		return err
	}
	c.tell("A test event is on its way.")
	return c.see(deliveryPath(d.ID))
}

// replayWebhook sends again what failed.
func (c *call) replayWebhook() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	var since time.Time // as far back as is kept
	if back, err := time.ParseDuration(values.Get("since")); err == nil {
		since = c.now().Add(-back)
	}
	id := c.r.PathValue("webhook")
	n, err := c.desk.ReplayFailed(c.ctx(), c.actor(), id, since, lost.IdempotencyKey{})
	if err != nil {
		return err
	}
	if n == 0 {
		c.tell("Nothing failed in that time. Nothing is sent again.")
	} else {
		c.tell(many(n, "delivery is on its way again.", "deliveries are on their way again."))
	}
	return c.see(webhookPath(id, ""))
}

// deleteWebhookPage asks for the host of a webhook that is to be deleted: nobody types one by mistake.
func (c *call) deleteWebhookPage(e lost.Endpoint, values url.Values) *askPage {
	p := c.ask("Delete this webhook?", "Delete for good", &input{
		Name: "host", Label: "Type " + e.Host() + " to confirm", Type: "text", Value: values.Get("host"), Autocomplete: "off", Required: true, Focus: true,
	})
	p.Lead = []string{e.URL, "Nothing is sent to it any more, and what waits for it is canceled. Its secret is gone. If you only need a break, switch it off instead."}
	p.Danger, p.Back = true, link{Name: lineOf(e).Name(), Href: webhookPath(e.ID, "")}
	return p
}

func (c *call) askDeleteWebhook() error {
	e, err := c.webhook()
	if err != nil {
		return err
	}
	return c.asks(c.deleteWebhookPage(e, url.Values{}))
}

func (c *call) deleteWebhook() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	e, err := c.webhook()
	if err != nil {
		return err
	}
	if wrong := confirmed(values, "host", e.Host()); wrong != nil {
		return c.again(c.deleteWebhookPage(e, values), wrong)
	}
	if err := c.desk.DeleteEndpoint(c.ctx(), c.actor(), e.ID); err != nil {
		return err
	}
	c.tell("The webhook is deleted.")
	return c.see("/settings/webhooks")
}
