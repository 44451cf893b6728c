package users

import (
	"time"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// linkedLogin returns the external login provider and the user's connection to it, or nil if there is no provider.
func (c *call) linkedLogin(zone *time.Location) (*frame.ExternalLogin, error) {
	p := c.ExternalLogin("")
	if p == nil {
		return nil, nil
	}
	var err error
	p.Zone = zone
	p.Linked, err = c.Services.ExternalLogin.Identity(c.Context(), c.Session)
	return p, lost.IgnoreNotFound(err)
}

// link sends the user to the external login provider, to connect it with their profile.
func (c *call) link() error {
	if name, _ := c.Services.ExternalLogin.Provider(); name == "" {
		return c.Redirect("/settings/profile")
	}
	state, address, err := c.Services.ExternalLogin.Begin(c.Context(), c.Session, "/settings/profile", c.Client())
	if err != nil {
		return err
	}
	return frame.OpenProvider(c.Call, state, address)
}

func (c *call) unlinkPage() *frame.FormPage {
	name, _ := c.Services.ExternalLogin.Provider()
	p := c.profileAsk(c.Say("users.external.disconnect.title", "name", name), c.Say("users.external.disconnect"),
		c.CurrentPasswordInput())
	p.Danger, p.Lead = true, []string{c.Say("users.external.disconnect.lead", "name", name)}
	return p
}

func (c *call) askUnlink() error {
	if name, _ := c.Services.ExternalLogin.Provider(); name == "" {
		return c.Redirect("/settings/profile")
	}
	return c.ShowForm(c.unlinkPage())
}

func (c *call) unlink() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	if err := c.Services.ExternalLogin.Unlink(c.Context(), c.Session, values.Get("current")); err != nil {
		return c.ShowFormAgain(c.unlinkPage(), err)
	}
	c.Flash(c.Say("users.external.disconnected"))
	return c.Redirect("/settings/profile")
}
