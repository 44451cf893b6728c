package settings

import (
	"bytes"
	"encoding/json"
	"net/http"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

type eventsPage struct {
	settingsPage
	Events []lost.Event
	Type   frame.Input
	Pager  frame.Pager
}

func (c *call) listEvents() error {
	f := lost.EventFilter{Page: c.PageFromQuery(frame.TableLimit)}
	types := append(lost.EventTypes(), lost.TestEvent)
	chosen := oneOf(c.Request.URL.Query().Get("type"), append(types, lost.AllEvents))
	if chosen != "" {
		f.Types = []lost.EventType{chosen}
	}
	list, err := c.Services.Webhooks.Events(c.Context(), c.Actor(), f)
	if err != nil {
		return err
	}
	p := eventsPage{
		settingsPage: newSettingsPage(c.Call, c.Say("settings.events")), Events: list.Data,
		Pager: frame.NewPager(list, c.Request.URL, c.Say("frame.newer"), c.Say("frame.older")),
	}
	p.Wide = true
	p.Type = frame.Input{
		Name: "type", Label: c.Say("settings.event"), Type: "list", Value: string(chosen), Required: true,
		Narrow: true,
		Options: []frame.Option{
			{Value: "", Name: c.Say("settings.events.default")},
			{Value: string(lost.AllEvents), Name: c.Say("settings.all-events")},
		},
	}
	for _, t := range types {
		p.Type.Options = append(p.Type.Options, frame.Option{Value: string(t), Name: string(t)})
	}
	return c.Render(http.StatusOK, "events", p)
}

type eventPage struct {
	settingsPage
	Event      lost.Event
	Body       string
	Deliveries []sentLine
	Send       frame.Input // the webhook to send the event to
}

// sentLine is a delivery of the event, with its webhook.
type sentLine struct {
	webhookDelivery
	Webhook string
}

func (c *call) showEvent() error {
	e, err := c.Services.Webhooks.Event(c.Context(), c.Actor(), c.Request.PathValue("event"))
	if err != nil {
		return err
	}
	deliveries, err := c.Services.Webhooks.EventDeliveries(c.Context(), c.Actor(), e.ID)
	if err != nil {
		return err
	}
	webhooks, err := c.Services.Webhooks.Endpoints(c.Context(), c.Actor(), lost.Page{Number: 1, Limit: lost.MaxLimit})
	if err != nil {
		return err
	}
	p := eventPage{settingsPage: newSettingsPage(c.Call, c.Say("settings.event")), Event: e, Body: prettyJSON(e.Body)}
	names := map[string]string{}
	p.Send = frame.Input{Name: "webhook", Label: c.Say("settings.event.send-to"), Type: "list", Required: true}
	for _, w := range webhooks.Data {
		names[w.ID] = newWebhookLine(c.Locale, w).Name()
		if w.Enabled {
			p.Send.Options = append(p.Send.Options, frame.Option{Value: w.ID, Name: names[w.ID]})
		}
	}
	for _, d := range deliveries {
		name, known := names[d.EndpointID]
		if !known {
			name = c.Say("settings.webhook.deleted")
		}
		p.Deliveries = append(p.Deliveries, sentLine{newWebhookDelivery(c.Locale, d), name})
	}
	return c.Render(http.StatusOK, "event", p)
}

// prettyJSON returns the body as indented JSON, or unchanged if it is not JSON.
func prettyJSON(body []byte) string {
	var out bytes.Buffer
	if err := json.Indent(&out, body, "", "  "); err != nil {
		return string(body)
	}
	return out.String()
}

// sendEvent sends an event to a webhook, even if the webhook has received it before.
func (c *call) sendEvent() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	d, err := c.Services.Webhooks.ReplayEvent(c.Context(), c.Actor(), values.Get("webhook"),
		c.Request.PathValue("event"),
		lost.IdempotencyKey{})
	if err != nil {
		return err
	}
	c.Flash(c.Say("settings.event.sent"))
	return c.Redirect(deliveryPath(d.ID))
}
