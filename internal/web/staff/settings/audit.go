package settings

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/privacy"
	"homeward/internal/web/staff/frame"
)

// actionNames maps audit actions to their names.
var actionNames = map[lost.AuditAction]string{
	lost.LoggedIn:         "Logged in",
	lost.LoggedOut:        "Logged out",
	lost.LogInFailed:      "Failed to log in",
	lost.PersonInvited:    "Invited a user",
	lost.PersonJoined:     "Joined the team",
	lost.PersonCreated:    "Added a user",
	lost.PersonChanged:    "Changed a user",
	lost.KeyCreated:       "Created an API key",
	lost.KeyRenamed:       "Renamed an API key",
	lost.KeyRevoked:       "Revoked an API key",
	lost.WebhookCreated:   "Registered a webhook",
	lost.WebhookChanged:   "Changed a webhook",
	lost.WebhookDeleted:   "Deleted a webhook",
	lost.WebhookTested:    "Sent a test event",
	lost.SecretRevealed:   "Viewed a webhook’s secret",
	lost.SecretRotated:    "Changed a webhook’s secret",
	lost.Replayed:         "Resent events",
	lost.LocationCreated:  "Added a location",
	lost.LocationChanged:  "Changed a location",
	lost.LocationDeleted:  "Deleted a location",
	lost.ItemDeleted:      "Deleted an item",
	lost.Exported:         "Exported data",
	lost.Imported:         "Imported items",
	lost.AccountChanged:   "Changed the account",
	lost.RetentionChanged: "Changed data retention",
	lost.ItemSeen:         "Viewed an item with guest data",
	lost.ItemsSeen:        "Viewed items with guest data",
	lost.ItemsSearched:    "Searched items",
	lost.MessagesSeen:     "Viewed messages to guests",
	lost.EventsSeen:       "Viewed events with guest data",
	lost.PaperPrinted:     "Printed a document with a guest’s name",
	lost.GuestChanged:     "Changed a guest’s data",
	lost.PersonExported:   "Exported a guest’s data",
	lost.PersonErased:     "Erased a guest’s data",
}

func actionName(d lost.AuditAction) string { return cmp.Or(actionNames[d], string(d)) }

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
func (n auditNames) subject(e lost.AuditEntry) (to frame.Link, note string) {
	to = n[e.Subject]
	if what, id, found := strings.Cut(e.Note, " "); found && e.Action == lost.Replayed {
		switch what {
		case "event":
			return frame.Link{Name: "An event", Href: "/settings/events/" + id},
				"to " + cmp.Or(to.Name, "a deleted webhook")
		case "delivery":
			return frame.Link{Name: "A delivery", Href: deliveryPath(id)}, "to " + cmp.Or(to.Name, "a deleted webhook")
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

// auditLine is one line of the log.
type auditLine struct {
	lost.AuditEntry
	Who, To    frame.Link
	What, Note string
	ID         string     // the ID of the target, for developers
	Address    frame.Link // the address of the client, with a link to all entries from there
}

func (n auditNames) line(lang frame.Locale, e lost.AuditEntry) auditLine {
	line := auditLine{AuditEntry: e, Who: n.actor(lang, e.Actor), What: actionName(e.Action)}
	line.To, line.Note = n.subject(e)
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
		settingsPage: c.settings("Audit log"), Filtered: f.Actor != "" || f.Action != "" || f.Subject != "" ||
			f.Address != "" || !f.From.IsZero() || !f.Until.IsZero(),
		Who: actorInput(c.Locale, who, f.Actor), Action: actionInput(f.Action),
	}
	p.Wide, p.Export = true, strings.Replace(c.WithQuery("before", ""), "/settings/audit", "/settings/audit/export", 1)
	q := c.Request.URL.Query()
	separator := "?"
	if strings.Contains(p.Export, "?") {
		separator = "&"
	}
	p.JSON = p.Export + separator + "format=json"
	p.Subject = frame.Input{
		Name: "subject", Label: "Target", Hint: "An ID, for example item_…", Type: "text", Value: f.Subject,
		Narrow: true, Autocomplete: "off",
	}
	p.Address = frame.Input{
		Name: "address", Label: "Address", Hint: "An IP address, as in the list", Type: "text", Value: f.Address,
		Narrow: true, Autocomplete: "off",
	}
	p.From = frame.Input{
		Name: "from", Label: "From", Type: "date", Value: lost.Truncate(q.Get("from"), maxID), Narrow: true,
	}
	p.To = frame.Input{Name: "to", Label: "To", Type: "date", Value: lost.Truncate(q.Get("to"), maxID), Narrow: true}
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
		Name: "who", Label: "Who", Type: "list", Value: chosen, Required: true, Narrow: true,
		Options: []frame.Option{{Value: "", Name: "Anybody"}},
	}
	for _, u := range who.People {
		in.Options = append(in.Options, frame.Option{Value: u.ID, Name: frame.DisplayName(u)})
	}
	for _, k := range who.Keys {
		in.Options = append(in.Options, frame.Option{Value: k.ID, Name: lang.ActorName(k.Actor())})
	}
	return in
}

func actionInput(chosen lost.AuditAction) frame.Input {
	in := frame.Input{
		Name: "what", Label: "What", Type: "list", Value: string(chosen), Required: true, Narrow: true,
		Options: []frame.Option{{Value: "", Name: "Anything"}},
	}
	for _, d := range lost.AuditActions() {
		in.Options = append(in.Options, frame.Option{Value: string(d), Name: actionName(d)})
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
