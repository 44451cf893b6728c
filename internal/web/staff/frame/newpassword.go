package frame

import (
	"net/url"
	"strings"

	"homeward/internal/identity"
)

// keepPasskey is the prefix of the checkboxes that keep a passkey. The passkey's ID follows.
const keepPasskey = "keep-"

// AskAboutPasskeys adds a checkbox for each passkey that the user added recently to a form for a new password.
func AskAboutPasskeys(c *Call, p *FormPage, account, user string) error {
	recent, err := c.Services.Profile.RecentPasskeys(c.Context(), account, user)
	if err != nil || len(recent) == 0 {
		return err
	}
	p.Lead = append(p.Lead, c.Say("frame.passkeys.lead"))
	zone := p.TimeZone()
	for _, k := range recent {
		p.Inputs = append(p.Inputs, &Input{
			Name: keepPasskey + k.ID, Label: c.Say("frame.passkeys.keep", "name", k.Name), Type: "check",
			Hint: c.Say("frame.passkeys.hint", "time", c.Moment(k.CreatedAt, zone)),
		})
	}
	return nil
}

// PasswordChange reads the new password and the passkeys to keep from a form.
func PasswordChange(values url.Values) identity.PasswordChange {
	n := identity.PasswordChange{Password: values.Get("password")}
	for name := range values {
		if id, found := strings.CutPrefix(name, keepPasskey); found {
			n.KeptPasskeys = append(n.KeptPasskeys, id)
		}
	}
	return n
}
