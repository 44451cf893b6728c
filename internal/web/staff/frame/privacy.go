package frame

import (
	"fmt"

	"homeward/internal/lost"
)

// PrivacyInputs returns the inputs for a privacy notice, of an account or of a location.
func PrivacyInputs(text, url string) []*Input {
	return []*Input{
		{
			Name: "privacyText", Label: "Privacy text", Type: "area", Value: text,
			Hint: fmt.Sprintf("A few sentences: who uses the data, for what and for how long. At most %d characters. "+
				"It is not translated.", lost.MaxPrivacyText),
		},
		{
			Name: "privacyUrl", Label: "Privacy link", Type: "url", Value: url, Autocomplete: "off",
			Hint: "The page with your full privacy notice. It must start with https://",
		},
	}
}
