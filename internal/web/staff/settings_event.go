package staff

import (
	"bytes"
	"encoding/json"
	"net/http"

	"homeward/internal/lost"
)

func eventRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/settings/events", Right: lost.Integrate, serve: (*call).listEvents},
		{Method: http.MethodGet, Path: "/settings/events/{event}", Right: lost.Integrate, serve: (*call).showEvent},
		{Method: http.MethodPost, Path: "/settings/events/{event}/send", Right: lost.Integrate, serve: (*call).sendEvent},
	}
}

type eventsPage struct {
	settingsPage
	Events []lost.Event
	Type   input
	Pager  pager
}

func (c *call) listEvents() error {
	f := lost.EventFilter{Page: c.part(tableLimit)}
	chosen := among(c.r.URL.Query().Get("type"), append(lost.EventTypes(), lost.TestEvent))
	if chosen != "" {
		f.Types = []lost.EventType{chosen}
	}
	list, err := c.desk.Events(c.ctx(), c.actor(), f)
	if err != nil {
		return err
	}
	p := eventsPage{settingsPage: c.settings("Events"), Events: list.Data, Pager: turn(list, c.r.URL, "Newer", "Older")}
	p.Wide = true
	p.Type = input{Name: "type", Label: "Event", Type: "list", Value: string(chosen), Required: true, Narrow: true, Options: []option{{"", "All events"}}}
	for _, t := range append(lost.EventTypes(), lost.TestEvent) {
		p.Type.Options = append(p.Type.Options, option{string(t), string(t)})
	}
	return c.write(http.StatusOK, "events", p)
}

type eventPage struct {
	settingsPage
	Event      lost.Event
	Body       string
	Deliveries []sentLine
	Send       input // to which webhook
}

// sentLine is a delivery, and to whom it goes.
type sentLine struct {
	hookDelivery
	Webhook string
}

func (c *call) showEvent() error {
	e, err := c.desk.Event(c.ctx(), c.actor(), c.r.PathValue("event"))
	if err != nil {
		return err
	}
	deliveries, err := c.desk.EventDeliveries(c.ctx(), c.actor(), e.ID)
	if err != nil {
		return err
	}
	webhooks, err := c.desk.Endpoints(c.ctx(), c.actor(), lost.Page{Number: 1, Limit: lost.MaxLimit})
	if err != nil {
		return err
	}
	p := eventPage{settingsPage: c.settings("Event"), Event: e, Body: prettyJSON(e.Body)}
	names := map[string]string{}
	p.Send = input{Name: "webhook", Label: "Send it to", Type: "list", Required: true}
	for _, w := range webhooks.Data {
		names[w.ID] = lineOf(w).Name()
		if w.Enabled {
			p.Send.Options = append(p.Send.Options, option{w.ID, names[w.ID]})
		}
	}
	for _, d := range deliveries {
		name, known := names[d.EndpointID]
		if !known {
			name = "A webhook that was deleted"
		}
		p.Deliveries = append(p.Deliveries, sentLine{hookDeliveryOf(d), name})
	}
	return c.write(http.StatusOK, "event", p)
}

// prettyJSON writes JSON for people. What is none stays as it is.
func prettyJSON(body []byte) string {
	var out bytes.Buffer
	if err := json.Indent(&out, body, "", "  "); err != nil {
		return string(body)
	}
	return out.String()
}

// sendEvent sends an event to a webhook once more, or for the first time.
func (c *call) sendEvent() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	d, err := c.desk.ReplayEvent(c.ctx(), c.actor(), values.Get("webhook"), c.r.PathValue("event"), lost.IdempotencyKey{})
	if err != nil {
		return err
	}
	c.tell("It is on its way.")
	return c.see(deliveryPath(d.ID))
}
