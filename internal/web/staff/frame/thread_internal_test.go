package frame

import (
	"testing"

	"homeward/internal/lost"
)

func TestAMessageNamesTheGuestIfTheNameIsKnown(t *testing.T) {
	anna := lost.Owner{FirstName: "Anna", LastName: "Berg", Email: "anna@example.com"}
	unnamed := lost.Owner{Email: "anna@example.com"}
	from := lost.ThreadMessage{
		From: lost.FromGuest, Author: lost.Actor{Kind: lost.ByGuest}, Address: lost.AddressKey("anna@example.com"),
	}
	former := from
	former.Address = lost.AddressKey("ben@example.com")
	desk := lost.ThreadMessage{From: lost.FromDesk, Author: lost.Actor{Kind: lost.ByUser, Name: "Marta"}}
	for _, c := range []struct {
		source  lost.Source
		owner   lost.Owner
		message lost.ThreadMessage
		want    string
	}{
		{lost.Found, anna, from, "Anna Berg"},
		{lost.Found, unnamed, from, "Guest"},
		{lost.Found, anna, former, "Guest"},
		{lost.Request, anna, from, "Anna Berg"},
		{lost.Request, unnamed, from, "Claimant"},
		{lost.Request, anna, desk, "Marta"},
	} {
		i := lost.Item{Source: c.source, Owner: c.owner}
		if got := authorName(English(), i, c.message); got != c.want {
			t.Errorf("%s of %q: got %q, want %q", c.source, c.owner.FirstName, got, c.want)
		}
	}
}

func TestTheMessageBoxNamesTheLanguageOfTheGuestIfItDiffers(t *testing.T) {
	if got := languageHint(English(), "fr"); got != "The guest reads French." {
		t.Errorf("got %q", got)
	}
	if got := languageHint(English(), "en"); got != "" {
		t.Errorf("the same language: got %q", got)
	}
}
