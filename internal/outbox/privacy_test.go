package outbox_test

import (
	"testing"

	"homeward/internal/lost"
)

// The privacy notice of a message is the current one of its location or, if that has none, of its account.
func TestAMessageContainsThePrivacyNotice(t *testing.T) {
	eachFixture(t, func(n *fixture) {
		owner := lost.Actor{Account: n.actor.Account, Kind: lost.ByUser, ID: "usr_1", Role: lost.OwnerRole}
		next := func(what, to string, want lost.PrivacyNotice) {
			n.t.Helper()
			n.createOwned(to)
			n.runAll()
			n.messenger.mu.Lock()
			sent := n.messenger.sent
			n.messenger.mu.Unlock()
			if len(sent) != 1 || sent[0].Privacy != want {
				n.t.Errorf("%s: got %d messages, %+v, want %+v", what, len(sent), sent, want)
			}
			n.expectSent(what, "notice to "+to)
		}
		next("no notice", "a@example.com", lost.PrivacyNotice{})
		if err := n.desk.Accounts.SetPrivacyNotice(n.t.Context(), owner, lost.Set("Account"),
			lost.Set("https://account.example/")); err != nil {
			n.t.Fatal(err)
		}
		next("the account's", "b@example.com", lost.PrivacyNotice{Text: "Account", URL: "https://account.example/"})
		if _, err := n.desk.Locations.Update(n.t.Context(), n.actor, n.where.ID,
			lost.LocationPatch{PrivacyText: lost.Set("Location")}); err != nil {
			n.t.Fatal(err)
		}
		next("the location's", "c@example.com", lost.PrivacyNotice{Text: "Location"})
	})
}
