package staff

import (
	"net/http"
	"time"

	"homeward/internal/lost"
)

func deliveryRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/settings/deliveries/{delivery}", Right: lost.Integrate, serve: (*call).showDelivery},
		{Method: http.MethodPost, Path: "/settings/deliveries/{delivery}/replay", Right: lost.Integrate, serve: (*call).replayDelivery},
	}
}

func deliveryPath(id string) string { return "/settings/deliveries/" + id }

// hookDelivery is a delivery as it is shown.
type hookDelivery struct {
	lost.Delivery
	State state
	Last  string // what the last attempt came to
}

func hookDeliveryOf(d lost.Delivery) hookDelivery {
	line := hookDelivery{Delivery: d, Last: "Not tried yet"}
	if n := len(d.Attempts); n > 0 {
		if line.Last = "200 OK"; !d.Attempts[n-1].Delivered() {
			line.Last = sentence(d.Attempts[n-1].Error)
		}
	}
	switch d.State {
	case lost.DeliveryDelivered:
		line.State = state{"Delivered", "done"}
	case lost.DeliveryFailed:
		line.State = state{"Failed", "bad"}
	case lost.DeliveryCanceled:
		line.State = state{"Canceled", "over"}
	default:
		line.State = state{"On its way", "going"}
		if d.Failures > 0 {
			line.State = state{"Will be tried again", "waiting"}
		}
	}
	return line
}

// attemptLine is one attempt as it is shown.
type attemptLine struct {
	At time.Time
	checkOutcome
	Good bool
}

type deliveryPage struct {
	settingsPage
	Delivery hookDelivery
	Webhook  webhookLine   // empty where it was deleted
	Attempts []attemptLine // newest first
	Waiting  bool          // whether the page is worth loading again soon
}

func (c *call) showDelivery() error {
	d, err := c.desk.Delivery(c.ctx(), c.actor(), c.r.PathValue("delivery"))
	if err != nil {
		return err
	}
	e, err := c.desk.Endpoint(c.ctx(), c.actor(), d.EndpointID)
	if lost.UnlessMissing(err) != nil {
		return err
	}
	p := deliveryPage{settingsPage: c.settings("Delivery"), Delivery: hookDeliveryOf(d), Webhook: lineOf(e), Waiting: d.State == lost.DeliveryPending}
	for n := len(d.Attempts) - 1; n >= 0; n-- {
		a := d.Attempts[n]
		p.Attempts = append(p.Attempts, attemptLine{At: a.At, checkOutcome: outcomeOf(a), Good: a.Delivered()})
	}
	return c.write(http.StatusOK, "delivery", p)
}

func (c *call) replayDelivery() error {
	d, err := c.desk.ReplayDelivery(c.ctx(), c.actor(), c.r.PathValue("delivery"), lost.IdempotencyKey{})
	if err != nil {
		return err
	}
	c.tell("It is on its way again.")
	return c.see(deliveryPath(d.ID))
}
