package notices

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"homeward/internal/lost"
	"homeward/internal/lost/notice"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// noticeNames maps the kinds of notice to the keys of their names.
var noticeNames = map[notice.Kind]string{
	notice.Report: "message.staff.kind.report", notice.Match: "message.staff.kind.match",
	notice.Answer: "message.staff.kind.answer", notice.Payment: "message.staff.kind.payment",
	notice.Storage: "message.staff.kind.storage", notice.Monthly: "message.staff.kind.monthly",
}

type noticesPage struct {
	frame.Page
	Tabs               []frame.Link
	Possible           bool // whether the user's role can get notices
	Mails              bool
	Emails             []*frame.Input
	Hour, Zone         *frame.Input
	QuietFrom, QuietTo *frame.Input
	Some               bool // only about some locations
	Where              []frame.CheckBox
	Guess              bool // the browser knows the time zone better
	Push               []frame.CheckBox
	PushKey            string // empty if push messages are not set up
	Browsers           []browserLine
}

// browserLine is a browser that shows push messages.
type browserLine struct{ ID, Name string }

// noticeValues returns the settings as the values of the form.
func noticeValues(s notice.Settings) url.Values {
	values := url.Values{
		"quietFrom": {s.QuietFrom}, "quietTo": {s.QuietTo}, "timeZone": {s.TimeZone},
		"digestHour": {strconv.Itoa(s.DigestHour)}, "locations": s.Locations,
	}
	for k, c := range s.Kinds {
		values.Set(string(k), string(c.Email))
		if c.Push {
			values.Add("push", string(k))
		}
	}
	if s.Locations != nil {
		values.Set("reach", "some")
	}
	return values
}

// noticeSettings reads the settings from the form.
func noticeSettings(values url.Values) notice.Settings {
	s := notice.Settings{
		Kinds: map[notice.Kind]notice.Choice{}, TimeZone: values.Get("timeZone"),
		QuietFrom: values.Get("quietFrom"), QuietTo: values.Get("quietTo"),
	}
	var err error
	if s.DigestHour, err = strconv.Atoi(values.Get("digestHour")); err != nil {
		s.DigestHour = -1
	}
	for _, k := range notice.Kinds() {
		s.Kinds[k] = notice.Choice{
			Email: notice.Delivery(values.Get(string(k))), Push: slices.Contains(values["push"], string(k)),
		}
	}
	if values.Get("reach") == "some" {
		s.Locations = append([]string{}, values["locations"]...) // not nil, which would mean all locations
	}
	return s
}

func (c *call) noticesPage(values url.Values) (p noticesPage, err error) {
	p = noticesPage{
		Page: c.NewPage(c.Say("notices.title")), Tabs: c.FormTabs(), Possible: c.May(lost.ViewItems),
		Mails: c.Services.Notices.SendsMail(), Some: values.Get("reach") == "some",
		Hour: &frame.Input{
			Name: "digestHour", Label: c.Say("notices.hour"), Type: "list", Value: values.Get("digestHour"),
			Narrow: true,
		},
		Zone: &frame.Input{
			Name: "timeZone", Label: c.Say("notices.zone"), Type: "list", Value: values.Get("timeZone"),
			Narrow: true, Options: zoneOptions(values.Get("timeZone")),
		},
		QuietFrom: &frame.Input{
			Name: "quietFrom", Label: c.Say("notices.quiet.from"), Type: "time", Value: values.Get("quietFrom"),
			Narrow: true,
		},
		QuietTo: &frame.Input{
			Name: "quietTo", Label: c.Say("notices.quiet.to"), Type: "time", Value: values.Get("quietTo"),
			Narrow: true,
		},
	}
	for hour := range 24 {
		p.Hour.Options = append(p.Hour.Options,
			frame.Option{Value: strconv.Itoa(hour), Name: fmt.Sprintf("%02d:00", hour)})
	}
	for _, k := range notice.Kinds() {
		p.Emails = append(p.Emails, c.emailInput(k, values.Get(string(k))))
		if k.HasPush() {
			checked := slices.Contains(values["push"], string(k))
			p.Push = append(p.Push, frame.CheckBox{Value: string(k), Name: c.Say(noticeNames[k]), Checked: checked})
		}
	}
	p.PushKey = c.Services.Notices.PushKey()
	if p.Browsers, err = c.browserLines(); err != nil {
		return p, err
	}
	p.Where, err = c.LocationBoxes(values["locations"])
	return p, err
}

// browserLines lists the browsers that show push messages, while the user is logged in there.
func (c *call) browserLines() (lines []browserLine, err error) {
	subscriptions, err := c.Services.Notices.Subscriptions(c.Context(), c.Actor())
	if err != nil || len(subscriptions) == 0 {
		return nil, err
	}
	sessions, err := c.Services.Sessions.List(c.Context(), c.Session)
	for _, b := range subscriptions {
		for _, s := range sessions {
			if s.ID == b.SessionID {
				lines = append(lines, browserLine{b.ID, c.BrowserName(s.Agent)})
			}
		}
	}
	return lines, err
}

// subscribe makes this browser show push messages.
func (c *call) subscribe() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	err = c.Services.Notices.Subscribe(c.Context(), c.Actor(), notice.Subscription{
		SessionID: c.Session.Session.ID, Endpoint: values.Get("endpoint"), PublicKey: values.Get("p256dh"),
		AuthSecret: values.Get("auth"),
	})
	if err != nil {
		return err
	}
	c.Flash(c.Say("notices.push.added"))
	return c.Redirect("/settings/notices#push")
}

func (c *call) unsubscribe() error {
	if err := c.Services.Notices.Unsubscribe(c.Context(), c.Actor(), c.Request.PathValue("browser")); err != nil {
		return err
	}
	c.Flash(c.Say("notices.push.removed"))
	return c.Redirect("/settings/notices#push")
}

// emailInput returns the list for the e-mails about one kind.
func (c *call) emailInput(k notice.Kind, value string) *frame.Input {
	input := &frame.Input{Name: string(k), Label: c.Say(noticeNames[k]), Type: "list", Value: value}
	input.Options = []frame.Option{{Value: string(notice.Off), Name: c.Say("notices.off")}}
	if k == notice.Monthly {
		input.Options = append(input.Options,
			frame.Option{Value: string(notice.AtOnce), Name: c.Say("notices.first-day")})
		return input
	}
	input.Options = append(input.Options,
		frame.Option{Value: string(notice.AtOnce), Name: c.Say("notices.at-once")},
		frame.Option{Value: string(notice.Daily), Name: c.Say("notices.daily")})
	return input
}

// zoneOptions lists time zones, including the current one.
func zoneOptions(current string) (options []frame.Option) {
	zones := lost.CommonZones()
	if current != "" && !slices.Contains(zones, current) {
		zones = append(zones, current)
		slices.Sort(zones)
	}
	for _, z := range zones {
		options = append(options, frame.Option{Value: z, Name: z})
	}
	return options
}

func (c *call) notices() error {
	s, err := c.Services.Notices.Settings(c.Context(), c.Session.User)
	if err != nil {
		return err
	}
	guess := s.TimeZone == ""
	if guess {
		s.TimeZone = c.Clock().String()
	}
	p, err := c.noticesPage(noticeValues(s))
	if err != nil {
		return err
	}
	p.Guess = guess
	return c.Render(http.StatusOK, "notices", p)
}

func (c *call) changeNotices() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	wrong := c.Services.Notices.Change(c.Context(), c.Actor(), noticeSettings(values))
	if wrong == nil {
		c.Flash(c.Say("notices.saved"))
		return c.Redirect("/settings/notices")
	}
	p, err := c.noticesPage(values)
	if err != nil {
		return err
	}
	inputs := append(slices.Clone(p.Emails), p.Hour, p.QuietFrom, p.QuietTo, p.Zone)
	if p.Problems, err = c.MarkErrors(inputs, wrong); err != nil {
		return err
	}
	return c.Render(respond.RecordError(c.Writer, wrong), "notices", p)
}

// stopPage asks which e-mails to stop. It is for people who are not logged in.
type stopPage struct {
	frame.Page
	Tabs   []frame.Link
	Lead   string
	Action string // stops the e-mails about some kinds; empty if the link names none
	All    string // stops all e-mails
}

// stopKinds returns the kinds that the URL names. If it names none, the link stops all. It returns a NotFound error for
// a kind that does not exist: the link is damaged, and must not stop more than it says.
func stopKinds(r *http.Request) (kinds []notice.Kind, err error) {
	sent := r.URL.Query()["kind"]
	for _, k := range notice.Kinds() {
		if slices.Contains(sent, string(k)) {
			kinds = append(kinds, k)
		}
	}
	if slices.ContainsFunc(sent, func(k string) bool { return !slices.Contains(kinds, notice.Kind(k)) }) {
		return nil, lost.Missing("link")
	}
	return kinds, nil
}

// askStop shows which e-mails the link stops. It changes nothing, because mail programs open links by themselves.
func (c *call) askStop() error {
	u, _, err := c.Services.Notices.Subscriber(c.Context(), c.Request.PathValue("token"))
	if err != nil {
		return c.showStopGone(err)
	}
	kinds, err := stopKinds(c.Request)
	if err != nil {
		return c.showStopGone(err)
	}
	path := "/notices/stop/" + url.PathEscape(c.Request.PathValue("token"))
	p := stopPage{Page: c.NewPage(c.Say("notices.stop.title")), Tabs: c.FormTabs(), All: path}
	var names []string
	for _, k := range kinds {
		names = append(names, c.Say(noticeNames[k]))
	}
	if len(kinds) > 0 {
		p.Lead = c.Say("notices.stop.lead", "email", u.Email, "kinds", c.List(names))
		p.Action = path + "?" + url.Values{"kind": c.Request.URL.Query()["kind"]}.Encode()
	}
	return c.Render(http.StatusOK, "stop", p)
}

// stop ends e-mails without a login. Mail programs with a button for that send the same request (RFC 8058).
func (c *call) stop() error {
	kinds, err := stopKinds(c.Request)
	if err == nil {
		err = c.Services.Notices.StopEmails(c.Context(), c.Request.PathValue("token"), kinds, c.Client())
	}
	if err != nil {
		return c.showStopGone(err)
	}
	return c.ShowNote(http.StatusOK, c.Say("notices.stop.done.title"),
		[]frame.Link{{Href: "/settings/notices", Name: c.Say("notices.title")}}, c.Say("notices.stop.done.lead"))
}

// showStopGone shows that a link does not work. It returns any other error unchanged.
func (c *call) showStopGone(err error) error {
	if lost.CodeOf(err) != lost.NotFound {
		return err
	}
	return c.ShowNote(http.StatusNotFound, c.Say("notices.stop.gone.title"),
		[]frame.Link{{Href: "/settings/notices", Name: c.Say("notices.title")}}, c.Say("notices.stop.gone.lead"))
}
