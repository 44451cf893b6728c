package identity_test

import (
	"slices"
	"strings"
	"testing"

	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/webhook"
)

// After the secret was lost, a person whose second step is lost with it logs in with the password alone. The person
// and the audit log are told, and an interrupted reset can be repeated.
func TestUsersCanLogInAfterTheSecretWasLost(t *testing.T) {
	eachAccount(t, func(l *account) {
		l.SetUpTOTP(l.LoggedIn())
		if err := l.DB.UseSecret([]byte("a new secret, the former is lost")); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := identity.ResetSecret(t.Context(), l.DB, webhook.NewSecret); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.DB.CheckSecret(t.Context()); err != nil {
			t.Fatal(err)
		}
		in := testkit.Must(l.SignIn(l.Owner.Email, testkit.OwnerPassword, testkit.ClientAt("192.0.2.1")))
		if in.Session.NeedsSecondStep {
			t.Error("a second step is still required")
		}
		notes := l.AuditNotes(lost.PersonChanged)
		told := func(note string) bool { return strings.Contains(note, "two-step login removed: the service's secret") }
		if n := len(slices.DeleteFunc(notes, func(s string) bool { return !told(s) })); n != 1 {
			t.Errorf("got %d audit entries about the second step: %v", n, notes)
		}
	})
}
