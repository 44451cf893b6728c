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
	Privacy []*frame.Input
}

func (c *call) accountPage() (p accountPage, err error) {
	p = accountPage{settingsPage: newSettingsPage(c.Call, c.Say("settings.account"))}
	p.Account, err = c.Services.Accounts.Account(c.Context(), c.Actor())
	p.Name = frame.Input{
		Name: "name", Label: c.Say("settings.name"), Hint: c.Say("settings.account.name.hint"),
		Type: "text", Value: p.Account.Name, Autocomplete: "organization", Required: true,
	}
	p.Privacy = c.PrivacyInputs(p.Account.Privacy.Text, p.Account.Privacy.URL)
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
	wrong := c.Services.Accounts.RenameAccount(c.Context(), c.Actor(), values.Get("name"))
	if wrong == nil {
		c.Flash(c.Say("settings.account.saved"))
		return c.Redirect("/settings/account")
	}
	p, err := c.accountPage()
	if err != nil {
		return err
	}
	p.Name.Value = values.Get("name")
	if p.Problems, err = c.MarkErrors([]*frame.Input{&p.Name}, wrong); err != nil {
		return err
	}
	return c.Render(respond.RecordError(c.Writer, wrong), "account", p)
}

// setPrivacyNotice sets the privacy notice for the locations that have none of their own.
func (c *call) setPrivacyNotice() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	wrong := c.Services.Accounts.SetPrivacyNotice(c.Context(), c.Actor(), frame.FormField(values, "privacyText"),
		frame.FormField(values, "privacyUrl"))
	if wrong == nil {
		c.Flash(c.Say("settings.account.privacy.saved"))
		return c.Redirect("/settings/account")
	}
	p, err := c.accountPage()
	if err != nil {
		return err
	}
	p.Privacy = c.PrivacyInputs(values.Get("privacyText"), values.Get("privacyUrl"))
	if p.Problems, err = c.MarkErrors(p.Privacy, wrong); err != nil {
		return err
	}
	return c.Render(respond.RecordError(c.Writer, wrong), "account", p)
}
