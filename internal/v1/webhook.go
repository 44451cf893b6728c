package v1

import (
	"encoding/json"
	"maps"
	"slices"

	"homeward/internal/lost"
)

// EventBody is the body of a webhook. It is encoded once, when the event happens.
type EventBody struct {
	EventType string  `json:"eventType" doc:"What happened." example:"pickup"`
	EventTime string  `json:"eventTime" format:"date-time" doc:"When it happened." example:"2026-11-15T08:30:00.000Z"`
	Payload   Payload `json:"payload" doc:"What it is about."`
}

// Payload is what an event is about.
type Payload struct {
	Item         *Item  `json:"item,omitempty" doc:"The item as it was then, just as retrieve-item shows it. Absent in test events."`
	PickupDate   string `json:"pickupDate,omitempty" sample:"omit" format:"date" doc:"Day on which the owner comes. Only for pickup." example:"2026-11-20"`
	PickupTime   string `json:"pickupTime,omitempty" sample:"omit" doc:"Time of day at which the owner comes, HH:mm. Only for pickup." example:"14:30"`
	ShippingDate string `json:"shippingDate,omitempty" sample:"omit" format:"date" doc:"Ship date. Only for shipping-label." example:"2026-11-20"`
	ServiceName  string `json:"serviceName,omitempty" sample:"omit" doc:"Name of the courier service. Only for shipping-label." example:"Parcel EU"`
	Files        *Files `json:"files,omitempty" sample:"omit" doc:"Shipping label and invoice. Only for shipping-label."`
}

// Files are the documents of a shipment.
type Files struct {
	Label   File `json:"label" doc:"The shipping label."`
	Invoice File `json:"invoice" doc:"The invoice of the payment."`
}

// File is one document of a shipment.
type File struct {
	PaperSize string `json:"paper_size" doc:"Size of the paper." example:"A6"`
	URL       string `json:"url" format:"uri" doc:"Address of the file." example:"https://homeward.example/files/mv4x7q2k9d3w.pdf"`
	FileType  string `json:"file_type" doc:"Type of the file." example:"pdf"`
}

// EventBody writes the body of an event about an item.
func (w Encoder) EventBody(e lost.Event, i lost.Item) ([]byte, error) {
	shown := w.Item(i)
	body := EventBody{EventType: string(e.Type), EventTime: moment(e.At), Payload: Payload{Item: &shown}}
	switch e.Type {
	case lost.PickupEvent:
		body.Payload.PickupDate, body.Payload.PickupTime = i.Pickup.Date, i.Pickup.Time
	case lost.LabelEvent:
		body.Payload.ShippingDate, body.Payload.ServiceName, body.Payload.Files = i.Parcel.ShippingDate,
			i.Parcel.Service, w.files(i.Parcel)
	}
	return Encode(body)
}

// files writes label and invoice; nil if they are not ready, or if the fee was refunded.
func (w Encoder) files(p lost.Parcel) *Files {
	if !p.Paid || len(p.Documents) == 0 {
		return nil
	}
	return &Files{Label: w.file(p.Document(lost.LabelPaper)), Invoice: w.file(p.Document(lost.InvoicePaper))}
}

func (w Encoder) file(d lost.Document) File {
	return File{PaperSize: d.Paper, URL: w.FileURL(d.File), FileType: paperType}
}

// EmptyBody writes the body of an event without an item: a test, or the verification of an address.
func (w Encoder) EmptyBody(e lost.Event) ([]byte, error) {
	return Encode(EventBody{EventType: string(e.Type), EventTime: moment(e.At)})
}

// Event is an event that was sent to webhooks.
type Event struct {
	ID         string          `json:"id" doc:"Identifier." example:"evt_06f5q2k8h40v3w9d7n1m8x2b4c"`
	EventType  string          `json:"eventType" enum:"everyEvent" doc:"What happened." example:"pickup"`
	EventTime  string          `json:"eventTime" format:"date-time" doc:"When it happened." example:"2026-11-15T08:30:00.000Z"`
	LocationID string          `json:"locationId,omitempty" doc:"The location of the item; absent in test events." example:"loc_06f5q2k8h40v3w9d7n1m8x2b4c"`
	ItemID     string          `json:"itemId,omitempty" doc:"The item; absent in test events." example:"item_06f5q2k8h40v3w9d7n1m8x2b4c"`
	Payload    json.RawMessage `json:"payload" doc:"What webhooks carry: the item as it was then, and what belongs to the event. It does not change when the item does." example:"{\"item\":{\"id\":\"item_06f5q2k8h40v3w9d7n1m8x2b4c\",\"status\":\"PICKUP\"},\"pickupDate\":\"2026-11-20\"}"`
}

// Event writes an event.
func (w Encoder) Event(e lost.Event) Event {
	var body struct {
		Payload json.RawMessage `json:"payload"`
	}
	// encoded by this package, so it is valid; if it were not, the payload would be empty
	_ = json.Unmarshal(e.Body, &body)
	return Event{
		ID: e.ID, EventType: string(e.Type), EventTime: moment(e.At), LocationID: e.LocationID, ItemID: e.ItemID,
		Payload: body.Payload,
	}
}

// Webhook is an address of a client program that receives events.
type Webhook struct {
	ID             string            `json:"id" doc:"Identifier." example:"whk_06f5q2k8h40v3w9d7n1m8x2b4c"`
	URL            string            `json:"url" input:"required" format:"uri" max:"2048" doc:"Where events are sent: an https address on the public internet that answers 200 to the check made when it is registered." example:"https://hotel.example/hooks/homeward"`
	Events         []string          `json:"events,omitempty" input:"optional" enum:"events" doc:"The only events it wants; absent when it wants all." example:"pickup,shipping-label"`
	Enabled        bool              `json:"enabled" input:"kept" doc:"Whether it is on. Switching it off cancels what was on its way." example:"true"`
	Description    string            `json:"description,omitempty" input:"optional" max:"5000" doc:"What it is for." example:"Property management system"`
	Headers        map[string]string `json:"headers,omitempty" input:"optional" sample:"sent" doc:"Headers to send along, such as an authorization: at most 20, 4096 characters in all. They are written only, all at once; headerNames shows which there are." example:"{\"Authorization\":\"Bearer 3k9f\"}"`
	HeaderNames    []string          `json:"headerNames,omitempty" doc:"Names of the headers that are sent along." example:"Authorization"`
	Secret         string            `json:"secret,omitempty" sample:"created" doc:"The secret that signs. It is shown in the answer to its creation or rotation, and at /secret." example:"whsec_4mFq8S1u2Zk0hTnW9cXyRbVtPdL6aJ3eGi7oQxN5wHs="`
	FailingSince   string            `json:"failingSince,omitempty" sample:"omit" format:"date-time" doc:"When the first of an unbroken row of failures was. After five days of them it is switched off." example:"2026-11-15T08:30:00.000Z"`
	DisabledReason string            `json:"disabledReason,omitempty" sample:"omit" doc:"Why the service switched it off; absent where a person did." example:"It failed for five days without one success."`
	CreatedAt      string            `json:"createdAt" format:"date-time" doc:"When it was registered." example:"2026-11-15T08:30:00.000Z"`
	UpdatedAt      string            `json:"updatedAt" format:"date-time" doc:"When it last changed." example:"2026-11-15T08:30:00.000Z"`
}

// Webhook writes an endpoint, without its secret.
func (w Encoder) Webhook(e lost.Endpoint) Webhook {
	out := Webhook{
		ID: e.ID, URL: e.URL, Enabled: e.Enabled, Description: e.Description,
		HeaderNames:  slices.Sorted(maps.Keys(e.Headers)),
		FailingSince: moment(e.FailingSince), DisabledReason: e.Reason, CreatedAt: moment(e.CreatedAt),
		UpdatedAt: moment(e.UpdatedAt),
	}
	for _, t := range e.Events {
		out.Events = append(out.Events, string(t))
	}
	return out
}

// WebhookWithSecret writes an endpoint with its new secret.
func (w Encoder) WebhookWithSecret(e lost.Endpoint) Webhook {
	out := w.Webhook(e)
	out.Secret = e.Secret
	return out
}

// DecodeWebhook reads a partial endpoint.
func DecodeWebhook(body []byte) (p lost.EndpointPatch, err error) {
	err = decode(body, &p.DecodeResult, func(o *object) {
		o.text("url", &p.URL)
		o.texts("events", &p.Events)
		o.flag("enabled", &p.Enabled)
		o.text("description", &p.Description)
		o.textMap("headers", &p.Headers)
		o.owned("id", "headerNames", "secret", "failingSince", "disabledReason", "createdAt", "updatedAt")
	})
	return p, err
}

// CheckReadOnlyWebhook compares the read-only fields that were sent with the endpoint.
func (w Encoder) CheckReadOnlyWebhook(p *lost.EndpointPatch, e lost.Endpoint) {
	settle(&p.DecodeResult, w.WebhookWithSecret(e))
}

// Secrets are the secrets that sign an endpoint's deliveries.
type Secrets struct {
	Secret     string      `json:"secret" doc:"The secret that signs." example:"whsec_4mFq8S1u2Zk0hTnW9cXyRbVtPdL6aJ3eGi7oQxN5wHs="`
	OldSecrets []OldSecret `json:"oldSecrets,omitempty" sample:"omit" doc:"Those before it that still sign, newest first; at most 5."`
}

// OldSecret is a secret that was replaced and still signs.
type OldSecret struct {
	Secret string `json:"secret" doc:"The secret." example:"whsec_9wHsTnW9cXyRbVtPdL6aJ3eGi7oQxN5wHs4mFq8S1u2="`
	Until  string `json:"until" format:"date-time" doc:"When it stops signing: 24 hours after it was replaced." example:"2026-11-16T08:30:00.000Z"`
}

// Secrets writes the secrets of an endpoint.
func (w Encoder) Secrets(e lost.Endpoint) Secrets {
	out := Secrets{Secret: e.Secret}
	for _, old := range e.OldSecrets {
		out.OldSecrets = append(out.OldSecrets, OldSecret{Secret: old.Secret, Until: moment(old.Until)})
	}
	return out
}

// Delivery is the delivery of one event to one endpoint.
type Delivery struct {
	ID            string    `json:"id" doc:"Identifier. It is the webhook-id of every attempt." example:"dlv_06f5q2k8h40v3w9d7n1m8x2b4c"`
	EventID       string    `json:"eventId" doc:"The event." example:"evt_06f5q2k8h40v3w9d7n1m8x2b4c"`
	EventType     string    `json:"eventType" enum:"everyEvent" doc:"What happened." example:"pickup"`
	WebhookID     string    `json:"webhookId" doc:"The webhook." example:"whk_06f5q2k8h40v3w9d7n1m8x2b4c"`
	State         string    `json:"state" enum:"deliveryStates" doc:"What became of it. A failed one was tried six times; it can be replayed." example:"delivered"`
	NextAttemptAt string    `json:"nextAttemptAt,omitempty" sample:"omit" format:"date-time" doc:"When it is tried next, while pending. During an attempt: when it would be tried again if nothing came of it, not even a failure." example:"2026-11-15T08:31:00.000Z"`
	Attempts      []Attempt `json:"attempts" doc:"Every attempt, oldest first; at most the last 30."`
	CreatedAt     string    `json:"createdAt" format:"date-time" doc:"When it was made." example:"2026-11-15T08:30:00.000Z"`
}

// Attempt is one POST of a delivery.
type Attempt struct {
	At         string `json:"at" format:"date-time" doc:"When it began." example:"2026-11-15T08:30:00.000Z"`
	Status     int    `json:"status,omitempty" doc:"HTTP status of the answer; absent without one. Only 200 is success." example:"200"`
	DurationMs int64  `json:"durationMs" doc:"How long it took." example:"84"`
	Error      string `json:"error,omitempty" sample:"omit" doc:"Why it failed, in words." example:"answered 500 Internal Server Error"`
	Response   string `json:"response,omitempty" doc:"How the answer began, at most 2000 characters." example:"ok"`
}

// Delivery writes a delivery.
func (w Encoder) Delivery(d lost.Delivery) Delivery {
	out := Delivery{
		ID: d.ID, EventID: d.EventID, EventType: string(d.EventType), WebhookID: d.EndpointID, State: string(d.State),
		NextAttemptAt: moment(d.DueAt), Attempts: make([]Attempt, len(d.Attempts)), CreatedAt: moment(d.CreatedAt),
	}
	for i, a := range d.Attempts {
		out.Attempts[i] = Attempt{
			At: moment(a.At), Status: a.Status, DurationMs: a.Took.Milliseconds(), Error: a.Error, Response: a.Response,
		}
	}
	return out
}

// Replay asks to repeat deliveries.
type Replay struct {
	Since   string `json:"since,omitempty" input:"optional" format:"date-time" doc:"Every failed delivery made at this time or later." example:"2026-11-15T00:00:00.000Z"`
	EventID string `json:"eventId,omitempty" input:"optional" sample:"omit" doc:"Or this event alone, whether the endpoint heard of it before or not." example:"evt_06f5q2k8h40v3w9d7n1m8x2b4c"`
}

// DecodeReplay reads which deliveries to repeat.
func DecodeReplay(body []byte) (p lost.ReplayPatch, err error) {
	err = decode(body, &p.DecodeResult, func(o *object) {
		o.moment("since", &p.Since)
		o.text("eventId", &p.Event)
	})
	return p, err
}

// Replayed is how many deliveries are repeated.
type Replayed struct {
	Replayed int `json:"replayed" doc:"How many deliveries are made again." example:"3"`
}
