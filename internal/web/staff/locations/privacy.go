package locations

import (
	"net/url"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// privacyPart is the path of the page with the location's privacy notice.
const privacyPart = "privacy"

func showPrivacy(l lost.Location) url.Values {
	return url.Values{"privacyText": {l.PrivacyText}, "privacyUrl": {l.PrivacyURL}}
}

func privacyInputs(lang frame.Locale, values url.Values) []*frame.Input {
	return lang.PrivacyInputs(values.Get("privacyText"), values.Get("privacyUrl"))
}

func privacyPatch(_ frame.Locale, values url.Values) lost.LocationPatch {
	return lost.LocationPatch{
		PrivacyText: frame.FormField(values, "privacyText"), PrivacyURL: frame.FormField(values, "privacyUrl"),
	}
}

// inheritedPrivacy returns the account's privacy notice if guests of the location see it, and otherwise an empty one.
func (c *call) inheritedPrivacy(l lost.Location) (lost.PrivacyNotice, error) {
	if l.HasPrivacyNotice() {
		return lost.PrivacyNotice{}, nil
	}
	account, err := c.Services.Accounts.Account(c.Context(), c.Actor())
	return account.Privacy, err
}
