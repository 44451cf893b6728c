package v1

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"time"

	"homeward/internal/lost"
)

// EventBody is the body of a webhook request. It is encoded once, when the event happens.
type EventBody struct {
	EventType string  `json:"eventType" enum:"everyEvent"`
	EventTime string  `json:"eventTime" format:"date-time"`
	Payload   Payload `json:"payload"`
}

// Payload holds the details of an event. Only an event about a deletion has the last four fields, which are those of
// DeletedItem.
type Payload struct {
	Item *Item `json:"item,omitempty"`

	Message *ThreadMessage `json:"message,omitempty" sample:"omit"`

	PreviousStatus string `json:"previousStatus,omitempty" enum:"statuses" sample:"omit"`

	PickupDate   string `json:"pickupDate,omitempty" sample:"omit" format:"date"`
	PickupTime   string `json:"pickupTime,omitempty" sample:"omit"`
	ShippingDate string `json:"shippingDate,omitempty" sample:"omit" format:"date"`
	ServiceName  string `json:"serviceName,omitempty" sample:"omit"`
	Files        *Files `json:"files,omitempty" sample:"omit"`

	ID         string `json:"id,omitempty" sample:"omit"`
	LocationID string `json:"locationId,omitempty" sample:"omit"`
	Deleted    bool   `json:"deleted,omitempty" sample:"omit"`
	UpdatedAt  string `json:"updatedAt,omitempty" sample:"omit" format:"date-time"`
}

// Files holds the shipping documents.
type Files struct {
	Label   File `json:"label"`
	Invoice File `json:"invoice"`
}

// File is one shipping document.
type File struct {
	PaperSize string `json:"paper_size"`
	URL       string `json:"url" format:"uri"`
	FileType  string `json:"file_type"`
}

// EventBody encodes the body of an event about an item.
func (w Encoder) EventBody(e lost.Event, i lost.Item) ([]byte, error) {
	shown := w.eventItem(i)
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

// MessageEvent encodes the body of an event about a message from a guest.
func (w Encoder) MessageEvent(e lost.Event, i lost.Item, m lost.ThreadMessage) ([]byte, error) {
	shown, message := w.eventItem(i), w.ThreadMessage(m)
	return Encode(EventBody{
		EventType: string(e.Type), EventTime: moment(e.At), Payload: Payload{Item: &shown, Message: &message},
	})
}

// ChangeEvents returns the events about a change of an item, at the given time: exactly one if the item is new or
// deleted, and otherwise one for a new status and one for everything else that clients see. A new item was nil before,
// and a deleted item is nil after the change. A new request has an event of the specification, so it needs no other.
func (w Encoder) ChangeEvents(before, after *lost.Item, now time.Time) (events []lost.Event, err error) {
	add := func(t lost.EventType, i lost.Item, payload Payload) {
		if err != nil {
			return
		}
		e := lost.NewEvent(t, i, now)
		e.Body, err = Encode(EventBody{EventType: string(t), EventTime: moment(now), Payload: payload})
		events = append(events, e)
	}
	if after == nil {
		add(lost.ItemDeletedEvent, *before, Payload{
			ID: before.ID, LocationID: before.LocationID, Deleted: true, UpdatedAt: moment(now),
		})
		return events, err
	}
	if after.UpdatedAt.After(now) { // the time of an event must be that of the version that it shows
		now = after.UpdatedAt
	}
	shown := w.eventItem(*after)
	switch {
	case before == nil && after.Source == lost.Request:
	case before == nil:
		add(lost.ItemCreatedEvent, *after, Payload{Item: &shown})
	case after.Source == lost.Request:
		add(lost.RequestUpdatedEvent, *after, Payload{Item: &shown})
	case before.Status == after.Status:
		add(lost.ItemUpdatedEvent, *after, Payload{Item: &shown})
	default:
		add(lost.StatusChangedEvent, *after, Payload{Item: &shown, PreviousStatus: string(before.Status)})
		was := w.eventItem(*before)
		was.Status, was.UpdatedAt = shown.Status, shown.UpdatedAt
		if !reflect.DeepEqual(was, shown) {
			add(lost.ItemUpdatedEvent, *after, Payload{Item: &shown})
		}
	}
	return events, err
}

// files converts the label and the invoice to the API format. It returns nil if they do not exist yet or the fee was
// refunded.
func (w Encoder) files(p lost.Parcel) *Files {
	if !p.Paid || len(p.Documents) == 0 {
		return nil
	}
	return &Files{Label: w.file(p.Document(lost.LabelPaper)), Invoice: w.file(p.Document(lost.InvoicePaper))}
}

func (w Encoder) file(d lost.Document) File {
	return File{PaperSize: d.Paper, URL: w.FileURL(d.File), FileType: paperType}
}

// EmptyBody encodes the body of an event that has no item: a test event, or a verification request.
func (w Encoder) EmptyBody(e lost.Event) ([]byte, error) {
	return Encode(EventBody{EventType: string(e.Type), EventTime: moment(e.At)})
}

// Event is an event in the API format.
type Event struct {
	ID         string          `json:"id"`
	EventType  string          `json:"eventType" enum:"everyEvent"`
	EventTime  string          `json:"eventTime" format:"date-time"`
	LocationID string          `json:"locationId,omitempty"`
	ItemID     string          `json:"itemId,omitempty"`
	Payload    json.RawMessage `json:"payload"`
}

// Event converts an event to the API format.
func (w Encoder) Event(e lost.Event) Event {
	var body struct {
		Payload json.RawMessage `json:"payload"`
	}
	// This cannot fail, because this package encoded the body.
	_ = json.Unmarshal(e.Body, &body)
	return Event{
		ID: e.ID, EventType: string(e.Type), EventTime: moment(e.At), LocationID: e.LocationID, ItemID: e.ItemID,
		Payload: body.Payload,
	}
}

// Webhook is an API client's endpoint, to which events are sent.
type Webhook struct {
	ID             string            `json:"id"`
	URL            string            `json:"url" input:"required" format:"uri" max:"2048"`
	Events         []string          `json:"events,omitempty" input:"optional" enum:"events"`
	Locations      []string          `json:"locations,omitempty" input:"optional" items:"100" sample:"omit"`
	Enabled        bool              `json:"enabled" input:"kept"`
	Description    string            `json:"description,omitempty" input:"optional" max:"5000"`
	Headers        map[string]string `json:"headers,omitempty" input:"optional" sample:"sent"`
	HeaderNames    []string          `json:"headerNames,omitempty"`
	Secret         string            `json:"secret,omitempty" sample:"created"`
	FailingSince   string            `json:"failingSince,omitempty" sample:"omit" format:"date-time"`
	DisabledReason string            `json:"disabledReason,omitempty" sample:"omit"`
	CreatedAt      string            `json:"createdAt" format:"date-time"`
	UpdatedAt      string            `json:"updatedAt" format:"date-time"`
}

// Webhook converts an endpoint to the API format, without its secret.
func (w Encoder) Webhook(e lost.Endpoint) Webhook {
	out := Webhook{
		ID: e.ID, URL: e.URL, Enabled: e.Enabled, Description: e.Description,
		Locations: e.Locations, HeaderNames: slices.Sorted(maps.Keys(e.Headers)),
		FailingSince: moment(e.FailingSince), DisabledReason: e.Reason, CreatedAt: moment(e.CreatedAt),
		UpdatedAt: moment(e.UpdatedAt),
	}
	for _, t := range e.Events {
		out.Events = append(out.Events, string(t))
	}
	return out
}

// WebhookWithSecret converts an endpoint to the API format, with its secret.
func (w Encoder) WebhookWithSecret(e lost.Endpoint) Webhook {
	out := w.Webhook(e)
	out.Secret = e.Secret
	return out
}

// DecodeWebhook decodes the fields of an endpoint that a client sent.
func DecodeWebhook(body []byte) (p lost.EndpointPatch, err error) {
	err = decode(body, &p.DecodeResult, func(o *object) {
		o.text("url", &p.URL)
		o.texts("events", &p.Events)
		o.texts("locations", &p.Locations)
		o.flag("enabled", &p.Enabled)
		o.text("description", &p.Description)
		o.textMap("headers", &p.Headers)
		o.owned("id", "headerNames", "secret", "failingSince", "disabledReason", "createdAt", "updatedAt")
	})
	return p, err
}

// Secrets holds the secrets that sign an endpoint's deliveries.
type Secrets struct {
	Secret     string      `json:"secret"`
	OldSecrets []OldSecret `json:"oldSecrets,omitempty" sample:"omit"`
}

// OldSecret is a secret that was replaced but still signs deliveries.
type OldSecret struct {
	Secret string `json:"secret"`
	Until  string `json:"until" format:"date-time"`
}

// Secrets converts the secrets of an endpoint to the API format.
func (w Encoder) Secrets(e lost.Endpoint) Secrets {
	out := Secrets{Secret: e.Secret}
	for _, old := range e.OldSecrets {
		out.OldSecrets = append(out.OldSecrets, OldSecret{Secret: old.Secret, Until: moment(old.Until)})
	}
	return out
}

// Delivery is the delivery of one event to one endpoint.
type Delivery struct {
	ID            string    `json:"id"`
	EventID       string    `json:"eventId"`
	EventType     string    `json:"eventType" enum:"everyEvent"`
	WebhookID     string    `json:"webhookId"`
	State         string    `json:"state" enum:"deliveryStates"`
	NextAttemptAt string    `json:"nextAttemptAt,omitempty" sample:"omit" format:"date-time"`
	Attempts      []Attempt `json:"attempts"`
	CreatedAt     string    `json:"createdAt" format:"date-time"`
}

// Attempt is one attempt to make a delivery.
type Attempt struct {
	At         string `json:"at" format:"date-time"`
	Status     int    `json:"status,omitempty"`
	DurationMs int64  `json:"durationMs"`
	Error      string `json:"error,omitempty" sample:"omit"`
	Response   string `json:"response,omitempty"`
}

// Delivery converts a delivery to the API format.
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

// WebhookTest is a request to send a test event.
type WebhookTest struct {
	EventType string `json:"eventType,omitempty" input:"optional" enum:"sampleEvents"`
}

// DecodeWebhookTest decodes a request to send a test event.
func DecodeWebhookTest(body []byte) (p lost.TestPatch, err error) {
	err = decode(body, &p.DecodeResult, func(o *object) { o.text("eventType", &p.EventType) })
	return p, err
}

// Replay is a request to repeat deliveries.
type Replay struct {
	Since   string `json:"since,omitempty" input:"optional" format:"date-time"`
	EventID string `json:"eventId,omitempty" input:"optional" sample:"omit"`
}

// DecodeReplay decodes a request to repeat deliveries.
func DecodeReplay(body []byte) (p lost.ReplayPatch, err error) {
	err = decode(body, &p.DecodeResult, func(o *object) {
		o.moment("since", &p.Since)
		o.text("eventId", &p.Event)
	})
	return p, err
}

// Replayed contains the number of deliveries that will be repeated.
type Replayed struct {
	Replayed int `json:"replayed"`
}
