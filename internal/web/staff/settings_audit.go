package staff

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
)

func auditRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/settings/audit", Right: lost.Staff, serve: (*call).showAudit},
		{Method: http.MethodGet, Path: "/settings/audit/export", Right: lost.Staff, serve: (*call).exportAudit},
	}
}

// deedNames says in words what was done.
var deedNames = map[lost.AuditAction]string{
	lost.LoggedIn:         "Logged in",
	lost.LoggedOut:        "Logged out",
	lost.LogInFailed:      "Failed to log in",
	lost.PersonInvited:    "Invited a person",
	lost.PersonJoined:     "Joined the team",
	lost.PersonCreated:    "Added a person",
	lost.PersonChanged:    "Changed a person",
	lost.KeyCreated:       "Made an API key",
	lost.KeyRevoked:       "Revoked an API key",
	lost.WebhookCreated:   "Registered a webhook",
	lost.WebhookChanged:   "Changed a webhook",
	lost.WebhookDeleted:   "Deleted a webhook",
	lost.WebhookTested:    "Sent a test event",
	lost.SecretRevealed:   "Looked at a webhook’s secret",
	lost.SecretRotated:    "Changed a webhook’s secret",
	lost.Replayed:         "Sent events again",
	lost.LocationCreated:  "Made a location",
	lost.LocationChanged:  "Changed a location",
	lost.LocationDeleted:  "Deleted a location",
	lost.ItemDeleted:      "Deleted an item",
	lost.Exported:         "Exported data",
	lost.Imported:         "Imported items",
	lost.AccountChanged:   "Changed the account",
	lost.RetentionChanged: "Changed how long guests’ data is kept",
	lost.ItemSeen:         "Saw an item with its guest",
	lost.ItemsSeen:        "Saw items with their guests",
	lost.ItemsSearched:    "Searched items by words",
	lost.MessagesSeen:     "Saw messages to guests",
	lost.EventsSeen:       "Saw events with their guests",
	lost.PaperPrinted:     "Printed a paper with a guest’s name",
	lost.GuestChanged:     "Changed a guest’s data",
	lost.PersonExported:   "Exported a guest’s data",
	lost.PersonErased:     "Erased a guest",
}

func deedName(d lost.AuditAction) string { return cmp.Or(deedNames[d], string(d)) }

// auditNames is what people call those whom the log is about and what it is about, and where their pages are. What is not in it is gone,
// or one of very many.
type auditNames map[string]link

// auditNames finds them for the person who reads the log.
func (c *call) auditNames(who desk.Suspects) (auditNames, error) {
	names := auditNames{}
	for _, u := range who.People {
		names[u.ID] = link{Name: called(u), Href: "/settings/team/members/" + u.ID}
	}
	for _, k := range who.Keys {
		names[k.ID] = link{Name: actorName(k.Actor()), Href: "/settings/keys/" + k.ID}
	}
	places, err := c.places()
	if err != nil {
		return nil, err
	}
	for _, l := range places {
		names[l.ID] = link{Name: l.Name, Href: "/locations/" + l.ID}
	}
	webhooks, err := c.desk.Endpoints(c.ctx(), c.actor(), lost.Page{Number: 1, Limit: lost.MaxLimit})
	for _, w := range webhooks.Data {
		names[w.ID] = link{Name: w.Host(), Href: webhookPath(w.ID, "")}
	}
	return names, err
}

// actor says who it was, and leads there.
func (n auditNames) actor(a lost.Actor) link {
	known := n[a.ID]
	a.Name = cmp.Or(a.Name, known.Name)
	return link{Name: actorName(a), Href: known.Href}
}

// subject says what it was done to, and what else is to be said of that.
func (n auditNames) subject(e lost.AuditEntry) (to link, note string) {
	to = n[e.Subject]
	if what, id, found := strings.Cut(e.Note, " "); found && e.Deed == lost.Replayed {
		switch what {
		case "event":
			return link{Name: "An event", Href: "/settings/events/" + id}, "to " + cmp.Or(to.Name, "a webhook that is gone")
		case "delivery":
			return link{Name: "A delivery", Href: deliveryPath(id)}, "to " + cmp.Or(to.Name, "a webhook that is gone")
		}
	}
	switch e.Deed {
	case lost.KeyCreated, lost.KeyRevoked, lost.LocationCreated, lost.LocationChanged, lost.LocationDeleted: // the note is what it was called then
		return link{Name: e.Note, Href: to.Href}, ""
	default:
		if rest, found := strings.CutPrefix(e.Note, to.Name); found && to.Name != "" {
			return to, strings.TrimPrefix(rest, ": ")
		}
		return to, e.Note
	}
}

// auditLine is a line of the log as it is shown.
type auditLine struct {
	lost.AuditEntry
	Who, To    link
	What, Note string
	ID         string // of what it was done to, for developers
}

func (n auditNames) line(e lost.AuditEntry) auditLine {
	line := auditLine{AuditEntry: e, Who: n.actor(e.Actor), What: deedName(e.Deed)}
	line.To, line.Note = n.subject(e)
	switch e.Deed {
	case lost.LoggedIn, lost.LoggedOut, lost.LogInFailed: // the session's, which nobody meets anywhere
	default:
		line.ID = e.Subject
	}
	return line
}

type auditPage struct {
	settingsPage
	Lines     []auditLine
	Who, Deed input
	Subject   input
	From, To  input
	Filtered  bool
	Export    string
	JSON      string // the same as JSON
	Pager     seekLinks
}

// auditFilter is the part of the log that the address asks for.
func (c *call) auditFilter() lost.AuditFilter {
	q := c.r.URL.Query()
	f := lost.AuditFilter{Actor: lost.Cut(q.Get("who"), maxID), Deed: among(q.Get("what"), lost.AuditActions()), Seek: c.seekFrom()}
	f.Subject = lost.Cut(strings.TrimSpace(q.Get("subject")), maxID)
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
	found, err := c.desk.Audit(c.ctx(), c.actor(), f)
	if err != nil {
		return err
	}
	who, err := c.desk.Suspects(c.ctx(), c.actor())
	if err != nil {
		return err
	}
	p := auditPage{settingsPage: c.settings("Audit log"), Filtered: f.Actor != "" || f.Deed != "" || f.Subject != "" || !f.From.IsZero() || !f.Until.IsZero(), Who: whoInput(who, f.Actor), Deed: deedInput(f.Deed)}
	p.Wide, p.Export = true, strings.Replace(c.withQuery("before", ""), "/settings/audit", "/settings/audit/export", 1)
	q := c.r.URL.Query()
	p.JSON = p.Export + map[bool]string{true: "&", false: "?"}[strings.Contains(p.Export, "?")] + "format=json"
	p.Subject = input{Name: "subject", Label: "To what", Hint: "An id, such as item_…", Type: "text", Value: f.Subject, Narrow: true, Autocomplete: "off"}
	p.From = input{Name: "from", Label: "From", Type: "date", Value: lost.Cut(q.Get("from"), maxID), Narrow: true}
	p.To = input{Name: "to", Label: "To", Type: "date", Value: lost.Cut(q.Get("to"), maxID), Narrow: true}
	names, err := c.auditNames(who)
	if err != nil {
		return err
	}
	last := ""
	for _, e := range found.Data {
		p.Lines, last = append(p.Lines, names.line(e)), e.ID
	}
	p.Pager = c.linksAfter(found.More, last)
	return c.write(http.StatusOK, "audit", p)
}

func whoInput(who desk.Suspects, chosen string) input {
	in := input{Name: "who", Label: "Who", Type: "list", Value: chosen, Required: true, Narrow: true, Options: []option{{"", "Anybody"}}}
	for _, u := range who.People {
		in.Options = append(in.Options, option{u.ID, called(u)})
	}
	for _, k := range who.Keys {
		in.Options = append(in.Options, option{k.ID, actorName(k.Actor())})
	}
	return in
}

func deedInput(chosen lost.AuditAction) input {
	in := input{Name: "what", Label: "What", Type: "list", Value: string(chosen), Required: true, Narrow: true, Options: []option{{"", "Anything"}}}
	for _, d := range lost.AuditActions() {
		in.Options = append(in.Options, option{string(d), deedName(d)})
	}
	return in
}

// exportAudit answers with the log as a table for other programs, by the filters of the page.
func (c *call) exportAudit() error {
	if c.r.URL.Query().Get("format") == "json" {
		return c.fileAs("audit-log.json", "application/json", func(w *download) error { return c.desk.ExportAuditJSON(c.ctx(), c.actor(), c.auditFilter(), w) })
	}
	return c.file("audit-log.csv", func(w *download) error { return c.desk.ExportAudit(c.ctx(), c.actor(), c.auditFilter(), w) })
}
