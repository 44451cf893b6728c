package account

import (
	"time"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// linkedLogin is what the profile shows of the provider.
func (c *call) linkedLogin(zone *time.Location) (*frame.ExternalLogin, error) {
	p := c.ExternalLogin("")
	if p == nil {
		return nil, nil
	}
	var err error
	p.Zone = zone
	p.Linked, err = c.Desk.Identity(c.Context(), c.Session)
	return p, lost.UnlessMissing(err)
}

func (c *call) unlinkPage() *frame.FormPage {
	name, _ := c.Desk.VouchedBy()
	p := c.profileAsk("Undo the link to "+name, "Undo the link", frame.CurrentPasswordInput())
	p.Danger, p.Lead = true, []string{"Whoever logs in with " + name + " next, and has your e-mail address there, is linked to you again."}
	return p
}

func (c *call) askUnlink() error {
	if name, _ := c.Desk.VouchedBy(); name == "" {
		return c.Redirect("/settings/profile")
	}
	return c.ShowForm(c.unlinkPage())
}

func (c *call) unlink() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	if err := c.Desk.Unlink(c.Context(), c.Session, values.Get("current")); err != nil {
		return c.ShowFormAgain(c.unlinkPage(), err)
	}
	c.Flash("The link is undone.")
	return c.Redirect("/settings/profile")
}
