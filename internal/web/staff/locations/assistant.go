package locations

import (
	"homeward/internal/assistant"
	"homeward/internal/lost"
)

// assistantPart is the path of the page with the photo assistant.
const assistantPart = "assistant"

// photoAssistant is the content of the page with the photo assistant.
type photoAssistant struct {
	assistant.Settings
	Since string // who switched it on, and when
	Today string // how many photos were sent
}

// addAssistant adds the photo assistant to the page.
func (c *call) addAssistant(p *locationPage) error {
	s, err := c.Services.Assistant.Settings(c.Context(), c.Actor(), p.Location.ID)
	if err != nil {
		return err
	}
	p.Assistant = &photoAssistant{
		Settings: s,
		Since: c.Say("assistant.since", "time", c.Moment(s.Agreed.EnabledAt, p.Location.Zone()), "name",
			s.Agreed.EnabledBy),
		Today: c.Say("assistant.today", "n", s.Sent, "limit", c.Number(s.Limit)),
	}
	return nil
}

// showAssistant redirects to the page with the photo assistant.
func (c *call) showAssistant() error {
	return c.Redirect("/locations/" + c.Request.PathValue("location") + "/" + assistantPart)
}

// switchAssistantOn switches the photo assistant on, for the host that the page has named.
func (c *call) switchAssistantOn() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	err = c.Services.Assistant.SwitchOn(c.Context(), c.Actor(), c.Request.PathValue("location"), values.Get("host"))
	switch lost.CodeOf(err) {
	case lost.Conflict, lost.Unavailable: // the operator has chosen another host since the page was opened, or none
		c.FlashWarning(c.Say("assistant.host-changed"))
		return c.showAssistant()
	}
	if err != nil {
		return err
	}
	c.Flash(c.Say("assistant.on.done"))
	return c.showAssistant()
}

// switchAssistantOff switches the photo assistant off.
func (c *call) switchAssistantOff() error {
	if _, err := c.ReadForm(); err != nil {
		return err
	}
	if err := c.Services.Assistant.SwitchOff(c.Context(), c.Actor(), c.Request.PathValue("location")); err != nil {
		return err
	}
	c.Flash(c.Say("assistant.off.done"))
	return c.showAssistant()
}
