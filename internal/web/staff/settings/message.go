package settings

import (
	"net/http"
	"strings"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// messageLine is a message as shown on a page.
type messageLine struct {
	lost.Message
	What  string
	State frame.State
	Item  string // the path of the item's page; empty for a digest
}

func newMessageLine(lang frame.Locale, m lost.Message) messageLine {
	line := messageLine{Message: m, What: lang.MessageKindName(m.Kind), State: messageState(lang, m.State)}
	if m.ItemID != "" {
		line.Item = frame.LocationPath(m.LocationID, "/items/"+m.ItemID)
	}
	return line
}

func messageState(lang frame.Locale, s lost.MessageState) frame.State {
	switch s {
	case lost.MessageSent:
		return frame.State{Word: lang.Say("settings.message.sent"), Shape: "done"}
	case lost.MessageSaved:
		return frame.State{Word: lang.Say("settings.message.saved"), Shape: "over"}
	case lost.MessageFailed:
		return frame.State{Word: lang.Say("settings.failed"), Shape: "bad"}
	case lost.MessageCanceled:
		return frame.State{Word: lang.Say("settings.message.canceled"), Shape: "over"}
	default:
		return frame.State{Word: lang.Say("settings.message.waiting"), Shape: "waiting"}
	}
}

type messagesPage struct {
	settingsPage
	Messages     []messageLine
	State, Place frame.Input
	Filtered     bool
	SavedOnly    bool // e-mail is not set up
	Demo         bool // all data is sample data
	Pager        seekLinks
}

func (c *call) listMessages() error {
	q := c.Request.URL.Query()
	f := lost.MessageFilter{
		State: oneOf(q.Get("state"), lost.MessageStates()), Location: q.Get("location"), PageCursor: c.seekFromQuery(),
	}
	found, err := c.Services.Messages.List(c.Context(), c.Actor(), f)
	if err != nil {
		return err
	}
	p := messagesPage{
		settingsPage: newSettingsPage(c.Call, c.Say("settings.messages")), Filtered: f.State != "" || f.Location != "",
		SavedOnly: !c.Services.Messages.Sends(lost.ByEmail), Demo: c.Demo,
	}
	p.Wide = true
	last := ""
	for _, m := range found.Data {
		p.Messages, last = append(p.Messages, newMessageLine(c.Locale, m)), m.ID
	}
	p.Pager = c.seekLinksAfter(found.More, last)
	p.State = frame.Input{
		Name: "state", Label: c.Say("settings.messages.result"), Type: "list", Value: string(f.State), Required: true,
		Narrow:  true,
		Options: []frame.Option{{Value: "", Name: c.Say("settings.anything")}},
	}
	for _, s := range lost.MessageStates() {
		p.State.Options = append(p.State.Options, frame.Option{Value: string(s), Name: messageState(c.Locale, s).Word})
	}
	p.Place = frame.Input{
		Name: "location", Label: c.Say("settings.messages.location"), Type: "list", Value: f.Location, Required: true,
		Narrow:  true,
		Options: []frame.Option{{Value: "", Name: c.Say("frame.locations.all")}},
	}
	for _, l := range p.Places {
		if l.ID != frame.AllLocations {
			p.Place.Options = append(p.Place.Options, frame.Option{Value: l.ID, Name: l.Name})
		}
	}
	return c.Render(http.StatusOK, "messages", p)
}

// maxItemName is the longest part of a description that names an item.
const maxItemName = 100

type messagePage struct {
	settingsPage
	Message       messageLine
	ItemName      string // empty if the user cannot see the item or it is deleted
	Subject, Text string
	GuestPage     string // URL of the guest's page, if the text contains it
	MayRead       bool
	SavedOnly     bool
	Demo          bool
}

func (c *call) showMessage() error {
	m, err := c.Services.Messages.Get(c.Context(), c.Actor(), c.Request.PathValue("message"))
	if err != nil {
		return err
	}
	p := c.messagePage(m)
	i, err := c.Services.Items.Get(c.Context(), c.Actor(), m.LocationID, m.ItemID)
	if code := lost.CodeOf(err); err != nil && code != lost.NotFound && code != lost.Forbidden {
		return err
	}
	p.ItemName = lost.Shorten(i.Description, maxItemName)
	return c.Render(http.StatusOK, "message", p)
}

func (c *call) messagePage(m desk.MessageWithText) messagePage {
	return messagePage{
		settingsPage: newSettingsPage(c.Call, c.Say("settings.message")), Message: newMessageLine(c.Locale, m.Message),
		Subject: m.Subject, Text: m.Text,
		GuestPage: guestPage(m.Text, c.Base.String()),
		MayRead:   c.May(lost.HandleItems), SavedOnly: !c.Services.Messages.Sends(m.Channel), Demo: c.Demo,
	}
}

// guestPage returns the URL of the guest's page in the text of a message, or "" if there is none.
func guestPage(text, base string) string {
	for word := range strings.FieldsSeq(text) {
		if strings.HasPrefix(word, base+"/g/") {
			return word
		}
	}
	return ""
}
