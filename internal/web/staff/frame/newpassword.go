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
	p.Lead = append(p.Lead, "Somebody who knew your old password may have added a passkey to log in as you. "+
		"Passkeys that were added in the last 7 days are removed unless you keep them.")
	zone := p.TimeZone()
	for _, k := range recent {
		p.Inputs = append(p.Inputs, &Input{
			Name: keepPasskey + k.ID, Label: "Keep the passkey " + k.Name, Type: "check",
			Hint: "Added on " + Moment(k.CreatedAt, zone) + ". Keep it only if you added it.",
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
