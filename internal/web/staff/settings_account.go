package staff

import (
	"net/http"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

func accountRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/settings/account", Right: lost.Govern, serve: (*call).showAccount},
		{Method: http.MethodPost, Path: "/settings/account", Right: lost.Govern, serve: (*call).renameAccount},
	}
}

type accountPage struct {
	settingsPage
	Account lost.Account
	Name    input
}

func (c *call) accountPage() (p accountPage, err error) {
	p = accountPage{settingsPage: c.settings("Account")}
	p.Account, err = c.desk.Account(c.ctx(), c.actor())
	p.Name = input{
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
	return c.write(http.StatusOK, "account", p)
}

func (c *call) renameAccount() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	wrong := c.desk.RenameAccount(c.ctx(), c.actor(), values.Get("name"))
	if wrong == nil {
		c.tell("The account’s name is saved.")
		return c.see("/settings/account")
	}
	p, err := c.accountPage()
	if err != nil {
		return err
	}
	p.Name.Value = values.Get("name")
	if p.Problems, err = judge([]*input{&p.Name}, wrong); err != nil {
		return err
	}
	return c.write(respond.Failed(c.w, wrong), "account", p)
}
