package settings

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// eventHints explains when each event is sent.
func eventHints() []frame.CheckBox {
	return []frame.CheckBox{
		{Value: string(lost.PickupEvent), Name: "pickup", Hint: "the owner collects the item"},
		{Value: string(lost.DiscardEvent), Name: "discard", Hint: "the owner does not want the item back"},
		{Value: string(lost.DonateEvent), Name: "donate", Hint: "the owner donates the item"},
		{Value: string(lost.LabelEvent), Name: "shipping-label", Hint: "the fee is paid and the label is ready"},
		{Value: string(lost.RequestEvent), Name: "request", Hint: "a guest reports something lost"},
		{Value: string(lost.ItemCreatedEvent), Name: "item-created", Hint: "a found item is recorded"},
		{Value: string(lost.ItemUpdatedEvent), Name: "item-updated", Hint: "a found item is changed"},
		{Value: string(lost.StatusChangedEvent), Name: "status-changed", Hint: "an item gets another status"},
		{Value: string(lost.ItemDeletedEvent), Name: "item-deleted", Hint: "an item or a request is deleted"},
		{Value: string(lost.RequestUpdatedEvent), Name: "request-updated", Hint: "a request is changed or decided"},
		{Value: string(lost.AllEvents), Name: "All events", Hint: "including those that are added later"},
	}
}

// webhookForm is the form to register or change a webhook.
type webhookForm struct {
	settingsPage
	URL, Description, Headers, NoHeaders frame.Input
	Events                               checkGroup
	Reach                                frame.Input // all or some locations
	Where                                []frame.CheckBox
	Once                                 string
	Action, Back                         string
	HeaderNames                          []string      // the names of the current headers
	Outcome                              *checkOutcome // the response to the failed check
}

// checkOutcome is an endpoint's response to the check that is sent when a webhook is saved.
type checkOutcome struct {
	Status          int
	Duration        string
	Error, Response string
}

func outcomeOf(a lost.Attempt) checkOutcome {
	return checkOutcome{
		Status: a.Status, Duration: durationText(a.Took), Error: frame.Sentence(a.Error), Response: a.Response,
	}
}

// durationText formats how long an attempt took.
func durationText(d time.Duration) string {
	if d < time.Millisecond {
		return "less than 1 ms"
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}

// webhookForm returns the form with values filled in. It shows only the names of existing headers, not their values.
func (c *call) webhookForm(title, action, home string, values url.Values) webhookForm {
	f := webhookForm{
		settingsPage: c.settings(title), Action: action, Back: home, Once: values.Get("once"),
		URL: frame.Input{Name: "url", Label: "Address",
			Hint: "Your endpoint’s URL. We send it a signed request. It must respond with status 200.", Type: "url",
			Value:        values.Get("url"),
			Autocomplete: "off", Required: true, Focus: true},
		Description: frame.Input{
			Name: "description", Label: "Name", Hint: "For your own reference, for example “Booking system, live”.",
			Type: "text", Value: values.Get("description"), Autocomplete: "off",
		},
		Headers: frame.Input{Name: "headers", Label: "Headers",
			Hint: "Sent with every request. One per line, for example Authorization: Bearer abc. " +
				"The values are not shown again.",
			Type:  "area",
			Value: values.Get("headers"), Autocomplete: "off"},
		Events: checkGroup{
			Name: "events", Legend: "Events", Hint: "Select none to receive the first five.", Options: eventHints(),
		},
		Reach: frame.Input{Name: "reach", Label: "Locations", Value: cmp.Or(values.Get("reach"), "all")},
	}
	f.Events.check(values["events"])
	f.Where, _ = c.LocationBoxes(values["locations"])
	if f.Once == "" {
		f.Once = frame.NewFormKey()
	}
	return f
}

func (c *call) newWebhook(values url.Values) webhookForm {
	return c.webhookForm("New webhook", "/settings/webhooks/new", "/settings/webhooks", values)
}

func (c *call) askWebhook() error {
	return c.Render(http.StatusOK, "webhook-form", c.newWebhook(url.Values{}))
}

// webhookPatch reads the form of a webhook.
func webhookPatch(values url.Values) lost.EndpointPatch {
	p := lost.EndpointPatch{
		URL: respond.FormText(values, "url"), Description: lost.Set(values.Get("description")),
		Events: lost.Clear[[]string](),
	}
	if wanted := values["events"]; len(wanted) > 0 {
		p.Events = lost.Set(wanted)
	}
	switch where := values["locations"]; {
	case values.Get("reach") != "some":
		p.Locations = lost.Clear[[]string]()
	case len(where) == 0:
		p.Problems.Add("reach", "required", "is required. Select at least one location")
	default:
		p.Locations = lost.Set(where)
	}
	switch typed := respond.FormText(values, "headers"); {
	case typed.Sent:
		p.Headers = readHeaders(typed.Value, &p.Problems)
	case values.Get("noHeaders") != "":
		p.Headers = lost.Clear[map[string]string]()
	}
	return p
}

// readHeaders reads headers, one per line. It reports a line without a colon as a problem.
func readHeaders(text string, problems *lost.Problems) lost.Field[map[string]string] {
	headers := map[string]string{}
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, value, found := strings.Cut(line, ":")
		if !found {
			problems.Add("headers", "no-colon", "must have a colon in each line, for example Authorization: Bearer abc")
			return lost.Field[map[string]string]{}
		}
		headers[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return lost.Set(headers)
}

func headerNames(e lost.Endpoint) []string { return slices.Sorted(maps.Keys(e.Headers)) }

func (c *call) registerWebhook() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	e, err := c.Services.Webhooks.CreateEndpoint(c.Context(), c.Actor(), webhookPatch(values),
		frame.FormKey(values, "webhook"))
	if err != nil {
		return c.webhookAgain(c.newWebhook(values), err)
	}
	c.Flash("The webhook was registered. Next, add the secret to your program.")
	return c.Redirect(webhookPath(e.ID, ""))
}

// webhookAgain shows the form again with its errors and the endpoint's response.
func (c *call) webhookAgain(f webhookForm, err error) error {
	if u, ok := errors.AsType[desk.Unverified](err); ok {
		o := outcomeOf(u.Attempt)
		f.Outcome = &o
	}
	problems, other := c.MarkErrors([]*frame.Input{&f.URL, &f.Description, &f.Headers, &f.Reach}, err)
	if other != nil {
		return other
	}
	if f.Problems = problems; f.Outcome != nil {
		f.URL.Error = "The endpoint did not respond with status 200. See its response below."
		f.Problems = []frame.Problem{{Field: "url", Text: f.URL.Error}}
	}
	return c.Render(respond.RecordError(c.Writer, err), "webhook-form", f)
}

// changeForm returns the form to change an existing webhook.
func (c *call) changeForm(e lost.Endpoint, values url.Values) webhookForm {
	f := c.webhookForm("Edit webhook", webhookPath(e.ID, "/edit"), webhookPath(e.ID, ""), values)
	if f.HeaderNames = headerNames(e); len(f.HeaderNames) > 0 {
		f.Headers.Hint = "Current headers: " + strings.Join(f.HeaderNames, ", ") +
			". Leave this empty to keep them, or enter all headers again, one per line. If you change the host, " +
			"the headers are removed unless you enter them again."
		f.NoHeaders = frame.Input{
			Name: "noHeaders", Label: "Remove all headers", Type: "check", Value: values.Get("noHeaders"),
		}
	}
	return f
}

func (c *call) editWebhook() error {
	e, err := c.webhook()
	if err != nil {
		return err
	}
	values := url.Values{
		"url": {e.URL}, "description": {e.Description}, "events": toStrings(e.Events), "locations": e.Locations,
	}
	if e.Locations != nil {
		values.Set("reach", "some")
	}
	return c.Render(http.StatusOK, "webhook-form", c.changeForm(e, values))
}

func (c *call) changeWebhook() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	e, err := c.webhook()
	if err != nil {
		return err
	}
	if _, err := c.Services.Webhooks.UpdateEndpoint(c.Context(), c.Actor(), e.ID, webhookPatch(values)); err != nil {
		return c.webhookAgain(c.changeForm(e, values), err)
	}
	c.Flash("The webhook was saved.")
	return c.Redirect(webhookPath(e.ID, ""))
}
