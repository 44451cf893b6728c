package users

import (
	"net/http"
	"time"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// passkeysPart is the section of the profile that lists the passkeys.
type passkeysPart struct {
	CanAdd bool
	Data   []lost.Passkey
	Zone   *time.Location
}

func (c *call) passkeysPart(zone *time.Location) (p passkeysPart, err error) {
	p = passkeysPart{CanAdd: c.Services.Passkeys.Available(), Zone: zone}
	p.Data, err = c.Services.Passkeys.List(c.Context(), c.Session)
	return p, err
}

func (c *call) newPasskeyPage(name string) *frame.FormPage {
	p := c.profileAsk(c.Say("users.passkey.new"), c.Say("users.passkey.new.continue"),
		&frame.Input{
			Name: "name", Label: c.Say("users.passkey.new.name"), Type: "text", Value: name,
			Hint: c.Say("users.passkey.new.name.hint"), Required: true,
		}, c.CurrentPasswordInput())
	p.Lead = []string{c.Say("users.passkey.new.lead")}
	return p
}

func (c *call) askPasskey() error {
	if !c.Services.Passkeys.Available() {
		return c.Redirect("/settings/profile")
	}
	return c.ShowForm(c.newPasskeyPage(c.BrowserName(c.Request.UserAgent())))
}

// passkeyPage is the page on which a script asks the device to create a passkey.
type passkeyPage struct {
	frame.Page
	Tabs    []frame.Link
	Name    string
	Options string // the creation options, for the script
}

func (c *call) beginPasskey() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	options, err := c.Services.Passkeys.BeginPasskey(c.Context(), c.Session, values.Get("current"), values.Get("name"))
	if err != nil {
		return c.ShowFormAgain(c.newPasskeyPage(values.Get("name")), err)
	}
	return c.Render(http.StatusOK, "passkey",
		passkeyPage{
			Page: c.NewPage(c.Say("users.passkey.new"), "passkey.js"), Tabs: c.FormTabs(), Name: values.Get("name"),
			Options: string(options),
		})
}

func (c *call) addPasskey() error {
	response, _, _, err := c.PasskeyResponse()
	if err != nil {
		return err
	}
	p, err := c.Services.Passkeys.AddPasskey(c.Context(), c.Session, response)
	if err != nil {
		return err
	}
	c.Flash(c.Say("users.passkey.created", "name", p.Name))
	return c.Redirect("/settings/profile#passkeys")
}

func (c *call) confirmOptions() error {
	return c.WritePasskeyOptions(c.Services.Passkeys.BeginConfirmation(c.Context(), c.Session))
}

func (c *call) removePasskeyPage() (*frame.FormPage, error) {
	key, err := c.Services.Passkeys.Get(c.Context(), c.Session, c.Request.PathValue("passkey"))
	if err != nil {
		return nil, err
	}
	p := c.profileAsk(c.Say("users.passkey.remove.title", "name", key.Name), c.Say("users.passkey.remove"),
		c.CurrentPasswordInput())
	p.Danger, p.Lead = true, []string{c.Say("users.passkey.remove.lead")}
	if c.Services.Passkeys.Available() {
		p.Passkey, p.Scripts = &frame.PasskeyForm{
			Action: "/settings/profile/passkeys/" + key.ID + "/remove/passkey",
			From:   "/settings/profile/passkeys/options", Button: c.Say("users.passkey.remove.by-passkey"),
		}, []string{c.Assets.Path("passkey.js")}
	}
	return p, nil
}

func (c *call) askRemovePasskey() error {
	p, err := c.removePasskeyPage()
	if err != nil {
		return err
	}
	return c.ShowForm(p)
}

func (c *call) removePasskey() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	p, err := c.removePasskeyPage()
	if err != nil {
		return err
	}
	if err := c.Services.Passkeys.RemovePasskey(c.Context(), c.Session, c.Request.PathValue("passkey"),
		values.Get("current")); err != nil {
		return c.ShowFormAgain(p, err)
	}
	return c.passkeyRemoved()
}

func (c *call) passkeyRemoved() error {
	c.Flash(c.Say("users.passkey.removed"))
	return c.Redirect("/settings/profile#passkeys")
}

func (c *call) removeByPasskey() error {
	response, _, _, err := c.PasskeyResponse()
	if err != nil {
		return err
	}
	err = c.Services.Passkeys.RemoveConfirmedByPasskey(c.Context(), c.Session, c.Request.PathValue("passkey"),
		response)
	if lost.CodeOf(err) == lost.Unauthorized && err != nil { // this code would redirect the user to the login page
		return lost.E(lost.Conflict, "%s", lost.Detail(err)).WithCause(err)
	}
	if err != nil {
		return err
	}
	return c.passkeyRemoved()
}
