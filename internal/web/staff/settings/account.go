package settings

import (
	"net/http"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

type accountPage struct {
	settingsPage
	Account lost.Account
	Name    frame.Input
}

func (c *call) accountPage() (p accountPage, err error) {
	p = accountPage{settingsPage: c.settings("Account")}
	p.Account, err = c.Desk.Account(c.Context(), c.Actor())
	p.Name = frame.Input{
		Name: "name", Label: "Name", Hint: "Such as your company’s. Whoever you invite to the team reads it, and so do your programs. Guests read the names of your locations instead.",
		Type: "text", Value: p.Account.Name, Autocomplete: "organization", Required: true,
	}
	return p, err
}

func (c *call) showAccount() error {
	p, err := c.accountPage()
	if err != nil {
		return err
	}
	return c.Render(http.StatusOK, "account", p)
}

func (c *call) renameAccount() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	wrong := c.Desk.RenameAccount(c.Context(), c.Actor(), values.Get("name"))
	if wrong == nil {
		c.Flash("The account’s name is saved.")
		return c.Redirect("/settings/account")
	}
	p, err := c.accountPage()
	if err != nil {
		return err
	}
	p.Name.Value = values.Get("name")
	if p.Problems, err = frame.MarkErrors([]*frame.Input{&p.Name}, wrong); err != nil {
		return err
	}
	return c.Render(respond.Failed(c.Writer, wrong), "account", p)
}
