package settings

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"homeward/internal/endpoint"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// eventHints are the events of a webhook, each with the key of the text that explains when it is sent.
var eventHints = []struct {
	event lost.EventType
	key   string
}{
	{lost.PickupEvent, "settings.webhook.event.pickup"},
	{lost.DiscardEvent, "settings.webhook.event.discard"},
	{lost.DonateEvent, "settings.webhook.event.donate"},
	{lost.LabelEvent, "settings.webhook.event.label"},
	{lost.RequestEvent, "settings.webhook.event.request"},
	{lost.ItemCreatedEvent, "settings.webhook.event.item-created"},
	{lost.ItemUpdatedEvent, "settings.webhook.event.item-updated"},
	{lost.StatusChangedEvent, "settings.webhook.event.status-changed"},
	{lost.ItemDeletedEvent, "settings.webhook.event.item-deleted"},
	{lost.RequestUpdatedEvent, "settings.webhook.event.request-updated"},
	{lost.MessageReceivedEvent, "settings.webhook.event.message-received"},
}

// eventBoxes returns a checkbox for each event, which is shown by its API name, and for all events.
func eventBoxes(lang frame.Locale) (boxes []frame.CheckBox) {
	for _, h := range eventHints {
		boxes = append(boxes, frame.CheckBox{Value: string(h.event), Name: string(h.event), Hint: lang.Say(h.key)})
	}
	return append(boxes, frame.CheckBox{
		Value: string(lost.AllEvents), Name: lang.Say("settings.all-events"),
		Hint: lang.Say("settings.webhook.event.all"),
	})
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

func outcomeOf(lang frame.Locale, a lost.Attempt) checkOutcome {
	return checkOutcome{
		Status: a.Status, Duration: durationText(lang, a.Took), Error: frame.Sentence(a.Error), Response: a.Response,
	}
}

// durationText formats how long an attempt took.
func durationText(lang frame.Locale, d time.Duration) string {
	if d < time.Millisecond {
		return lang.Say("settings.delivery.fast")
	}
	return lang.Say("settings.delivery.milliseconds", "n", d.Milliseconds())
}

// webhookForm returns the form with values filled in. It shows only the names of existing headers, not their values.
func (c *webhookCall) webhookForm(title, action, home string, values url.Values) webhookForm {
	f := webhookForm{
		settingsPage: newSettingsPage(c.Call, title), Action: action, Back: home, Once: values.Get("once"),
		URL: frame.Input{
			Name: "url", Label: c.Say("settings.address"), Hint: c.Say("settings.webhook.url.hint"), Type: "url",
			Value: values.Get("url"), Autocomplete: "off", Required: true, Focus: true,
		},
		Description: frame.Input{
			Name: "description", Label: c.Say("settings.name"), Hint: c.Say("settings.webhook.name.hint"),
			Type: "text", Value: values.Get("description"), Autocomplete: "off",
		},
		Headers: frame.Input{
			Name: "headers", Label: c.Say("settings.webhook.headers"), Type: "area", Value: values.Get("headers"),
			Hint: c.Say("settings.webhook.headers.hint"), Autocomplete: "off",
		},
		Events: checkGroup{
			Name: "events", Legend: c.Say("settings.events"), Hint: c.Say("settings.webhook.events.hint"),
			Options: eventBoxes(c.Locale),
		},
		Reach: frame.Input{
			Name: "reach", Label: c.Say("settings.locations"), Value: cmp.Or(values.Get("reach"), "all"),
		},
	}
	f.Events.check(values["events"])
	f.Where, _ = c.LocationBoxes(values["locations"])
	if f.Once == "" {
		f.Once = frame.NewFormKey()
	}
	return f
}

func (c *webhookCall) newWebhook(values url.Values) webhookForm {
	return c.webhookForm(c.Say("settings.webhook.new"), "/settings/webhooks/new", "/settings/webhooks", values)
}

func (c *webhookCall) askWebhook() error {
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

func (c *webhookCall) registerWebhook() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	e, err := c.Services.Webhooks.CreateEndpoint(c.Context(), c.Actor(), webhookPatch(values),
		frame.FormKey(values, "webhook"))
	if err != nil {
		return c.webhookAgain(c.newWebhook(values), err)
	}
	c.Flash(c.Say("settings.webhook.registered"))
	return c.Redirect(webhookPath(e.ID, ""))
}

// webhookAgain shows the form again with its errors and the endpoint's response.
func (c *webhookCall) webhookAgain(f webhookForm, err error) error {
	if u, ok := errors.AsType[endpoint.Unverified](err); ok {
		o := outcomeOf(c.Locale, u.Attempt)
		f.Outcome = &o
	}
	problems, other := c.MarkErrors([]*frame.Input{&f.URL, &f.Description, &f.Headers, &f.Reach}, err)
	if other != nil {
		return other
	}
	if f.Problems = problems; f.Outcome != nil {
		f.URL.Error = c.Say("settings.webhook.unverified")
		f.Problems = []frame.Problem{{Field: "url", Text: f.URL.Error}}
	}
	return c.Render(respond.RecordError(c.Writer, err), "webhook-form", f)
}

// changeForm returns the form to change an existing webhook.
func (c *webhookCall) changeForm(e lost.Endpoint, values url.Values) webhookForm {
	f := c.webhookForm(c.Say("settings.webhook.edit"), webhookPath(e.ID, "/edit"), webhookPath(e.ID, ""), values)
	if f.HeaderNames = headerNames(e); len(f.HeaderNames) > 0 {
		f.Headers.Hint = c.Say("settings.webhook.headers.current", "headers", strings.Join(f.HeaderNames, ", "))
		f.NoHeaders = frame.Input{
			Name: "noHeaders", Label: c.Say("settings.webhook.headers.remove"), Type: "check",
			Value: values.Get("noHeaders"),
		}
	}
	return f
}

func (c *webhookCall) editWebhook() error {
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

func (c *webhookCall) changeWebhook() error {
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
	c.Flash(c.Say("settings.webhook.saved"))
	return c.Redirect(webhookPath(e.ID, ""))
}
