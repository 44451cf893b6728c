package frame

import (
	"strconv"

	"homeward/internal/lost"
)

// PrivacyInputs returns the inputs for a privacy notice, of an account or of a location.
func (l Locale) PrivacyInputs(text, url string) []*Input {
	return []*Input{
		{
			Name: "privacyText", Label: l.Say("frame.privacy.text"), Type: "area", Value: text,
			Hint: l.Say("frame.privacy.text.hint", "most", strconv.Itoa(lost.MaxPrivacyText)),
		},
		{
			Name: "privacyUrl", Label: l.Say("frame.privacy.link"), Type: "url", Value: url, Autocomplete: "off",
			Hint: l.Say("frame.privacy.link.hint"),
		},
	}
}
