package settings

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"time"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/privacy"
	"homeward/internal/web/staff/frame"
)

// actionPrefix begins the keys of the names of audit actions.
const actionPrefix = "settings.audit.action."

// actionName returns the name of an audit action. An action without a name is shown as it is stored.
func actionName(lang frame.Locale, d lost.AuditAction) string {
	if key := actionPrefix + string(d); lang.Has(key) {
		return lang.Say(key)
	}
	return string(d)
}

// auditNames contains the names and links of the people and records in the log, by ID. It does not contain deleted
// records or kinds of records that are too numerous to load.
type auditNames map[string]frame.Link

// auditNames loads the names that the user who reads the log may see.
func (c *call) auditNames(who privacy.AuditActors) (auditNames, error) {
	names := auditNames{}
	for _, u := range who.People {
		names[u.ID] = frame.Link{Name: frame.DisplayName(u), Href: "/settings/team/members/" + u.ID}
	}
	for _, k := range who.Keys {
		names[k.ID] = frame.Link{Name: c.ActorName(k.Actor()), Href: "/settings/keys/" + k.ID}
	}
	places, err := c.Locations()
	if err != nil {
		return nil, err
	}
	for _, l := range places {
		names[l.ID] = frame.Link{Name: l.Name, Href: "/locations/" + l.ID}
	}
	webhooks, err := c.Services.Webhooks.Endpoints(c.Context(), c.Actor(), lost.Page{Number: 1, Limit: lost.MaxLimit})
	for _, w := range webhooks.Data {
		names[w.ID] = frame.Link{Name: w.Host(), Href: webhookPath(w.ID, "")}
	}
	return names, err
}

// actor returns the name of an entry's actor, with a link.
func (n auditNames) actor(lang frame.Locale, a lost.Actor) frame.Link {
	known := n[a.ID]
	a.Name = cmp.Or(a.Name, known.Name)
	return frame.Link{Name: lang.ActorName(a), Href: known.Href}
}

// subject returns the name of an entry's target with a link, and a note with further details.
func (n auditNames) subject(lang frame.Locale, e lost.AuditEntry) (to frame.Link, note string) {
	to = n[e.Subject]
	if what, id, found := strings.Cut(e.Note, " "); found && e.Action == lost.Replayed {
		switch what {
		case "event":
			return frame.Link{Name: lang.Say("settings.audit.event"), Href: "/settings/events/" + id},
				sentTo(lang, to.Name)
		case "delivery":
			return frame.Link{Name: lang.Say("settings.audit.delivery"), Href: deliveryPath(id)}, sentTo(lang, to.Name)
		}
	}
	switch e.Action {
	case lost.KeyCreated, lost.KeyRenamed, lost.KeyRevoked,
		lost.LocationCreated, lost.LocationChanged, lost.LocationDeleted:
		// the note contains the name at that time
		return frame.Link{Name: e.Note, Href: to.Href}, ""
	default:
		if rest, found := strings.CutPrefix(e.Note, to.Name); found && to.Name != "" {
			return to, strings.TrimPrefix(rest, ": ")
		}
		return to, e.Note
	}
}

// sentTo says to which webhook an event was sent again. A deleted webhook has no name.
func sentTo(lang frame.Locale, webhook string) string {
	if webhook == "" {
		return lang.Say("settings.audit.sent-to.deleted")
	}
	return lang.Say("settings.audit.sent-to", "webhook", webhook)
}

// auditLine is one line of the log.
type auditLine struct {
	lost.AuditEntry
	Who, To    frame.Link
	What, Note string
	ID         string     // the ID of the target, for developers
	Address    frame.Link // the address of the client, with a link to all entries from there
}

func (n auditNames) line(lang frame.Locale, e lost.AuditEntry) auditLine {
	line := auditLine{AuditEntry: e, Who: n.actor(lang, e.Actor), What: actionName(lang, e.Action)}
	line.To, line.Note = n.subject(lang, e)
	if address := e.Actor.Address; address != "" {
		line.Address = frame.Link{Name: address, Href: "/settings/audit?address=" + url.QueryEscape(address)}
	}
	switch e.Action {
	case lost.LoggedIn, lost.LoggedOut, lost.LogInFailed: // the target is a session ID, which is not shown
	default:
		line.ID = e.Subject
	}
	return line
}

type auditPage struct {
	settingsPage
	Lines    []auditLine
	Who      frame.Input
	Action   frame.Input
	Subject  frame.Input
	Address  frame.Input
	From, To frame.Input
	Filtered bool
	Export   string
	JSON     string // the URL of the JSON export
	Pager    seekLinks
}

// auditFilter reads the filter of the log from the URL.
func (c *call) auditFilter() lost.AuditFilter {
	q := c.Request.URL.Query()
	f := lost.AuditFilter{
		Actor: lost.Truncate(q.Get("who"), maxID), Action: oneOf(q.Get("what"), lost.AuditActions()),
		PageCursor: c.seekFromQuery(),
	}
	f.Subject = lost.Truncate(strings.TrimSpace(q.Get("subject")), maxID)
	f.Address = lost.Truncate(strings.TrimSpace(q.Get("address")), maxID)
	if from, err := time.Parse(time.DateOnly, q.Get("from")); err == nil {
		f.From = from
	}
	if to, err := time.Parse(time.DateOnly, q.Get("to")); err == nil {
		f.Until = to.AddDate(0, 0, 1)
	}
	return f
}

func (c *call) showAudit() error {
	f := c.auditFilter()
	found, err := c.Services.AuditLog.List(c.Context(), c.Actor(), f)
	if err != nil {
		return err
	}
	who, err := c.Services.AuditLog.Actors(c.Context(), c.Actor())
	if err != nil {
		return err
	}
	p := auditPage{
		settingsPage: newSettingsPage(c.Call, c.Say("settings.audit")),
		Filtered: f.Actor != "" || f.Action != "" || f.Subject != "" ||
			f.Address != "" || !f.From.IsZero() || !f.Until.IsZero(),
		Who: actorInput(c.Locale, who, f.Actor), Action: actionInput(c.Locale, f.Action),
	}
	p.Wide, p.Export = true, strings.Replace(c.WithQuery("before", ""), "/settings/audit", "/settings/audit/export", 1)
	q := c.Request.URL.Query()
	separator := "?"
	if strings.Contains(p.Export, "?") {
		separator = "&"
	}
	p.JSON = p.Export + separator + "format=json"
	p.Subject = frame.Input{
		Name: "subject", Label: c.Say("settings.audit.target"), Type: "text", Value: f.Subject, Narrow: true,
		Hint: c.Say("settings.audit.target.hint", "example", "item_…"), Autocomplete: "off",
	}
	p.Address = frame.Input{
		Name: "address", Label: c.Say("settings.address"), Hint: c.Say("settings.audit.address.hint"), Type: "text",
		Value: f.Address, Narrow: true, Autocomplete: "off",
	}
	p.From = frame.Input{
		Name: "from", Label: c.Say("settings.audit.from"), Type: "date", Value: lost.Truncate(q.Get("from"), maxID),
		Narrow: true,
	}
	p.To = frame.Input{
		Name: "to", Label: c.Say("settings.audit.until"), Type: "date", Value: lost.Truncate(q.Get("to"), maxID),
		Narrow: true,
	}
	names, err := c.auditNames(who)
	if err != nil {
		return err
	}
	last := ""
	for _, e := range found.Data {
		p.Lines, last = append(p.Lines, names.line(c.Locale, e)), e.ID
	}
	p.Pager = c.seekLinksAfter(found.More, last)
	return c.Render(http.StatusOK, "audit", p)
}

func actorInput(lang frame.Locale, who privacy.AuditActors, chosen string) frame.Input {
	in := frame.Input{
		Name: "who", Label: lang.Say("settings.who"), Type: "list", Value: chosen, Required: true, Narrow: true,
		Options: []frame.Option{{Value: "", Name: lang.Say("settings.audit.anybody")}},
	}
	for _, u := range i18n.SortByName(lang.Language, who.People, frame.DisplayName) {
		in.Options = append(in.Options, frame.Option{Value: u.ID, Name: frame.DisplayName(u)})
	}
	for _, k := range who.Keys {
		in.Options = append(in.Options, frame.Option{Value: k.ID, Name: lang.ActorName(k.Actor())})
	}
	return in
}

func actionInput(lang frame.Locale, chosen lost.AuditAction) frame.Input {
	in := frame.Input{
		Name: "what", Label: lang.Say("settings.what"), Type: "list", Value: string(chosen), Required: true,
		Narrow:  true,
		Options: []frame.Option{{Value: "", Name: lang.Say("settings.anything")}},
	}
	for _, d := range lost.AuditActions() {
		in.Options = append(in.Options, frame.Option{Value: string(d), Name: actionName(lang, d)})
	}
	return in
}

// exportAudit sends the log as CSV or JSON, filtered like the page.
func (c *call) exportAudit() error {
	if c.Request.URL.Query().Get("format") == "json" {
		return c.WriteFileAs("audit-log.json", "application/json", func(w *frame.Download) error {
			return c.Services.AuditLog.ExportAuditJSON(c.Context(), c.Actor(), c.auditFilter(), w)
		})
	}
	return c.WriteFile("audit-log.csv", func(w *frame.Download) error {
		return c.Services.AuditLog.ExportAudit(c.Context(), c.Actor(), c.auditFilter(), w)
	})
}
