package identity_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/testkit"
)

// loginFailures returns the payloads of the jobs that record failed logins, oldest first.
func (l *account) loginFailures() (payloads []string) {
	l.T.Helper()
	for {
		var jobs []store.Job
		err := l.DB.Write(l.T.Context(), func(tx *store.Tx) (err error) {
			jobs, err = tx.ClaimJobs([]string{store.JobLoginFailed}, 100, 1000*time.Hour)
			return err
		})
		if err != nil {
			l.T.Fatal(err)
		}
		for _, j := range jobs {
			payloads = append(payloads, j.Account+" "+j.Payload)
		}
		if len(jobs) == 0 {
			slices.Sort(payloads)
			return payloads
		}
	}
}

// TestFailedLoginsAreRecordedWithinBounds checks that a wrong password leads to an audit entry with the client's
// address, and that many of them lead to few entries.
func TestFailedLoginsAreRecordedWithinBounds(t *testing.T) {
	eachAccount(t, func(l *account) {
		attempts := func(n int) {
			t.Helper()
			for i := range n {
				_, err := l.SignIn(l.Owner.Email, "not the password", testkit.ClientAt(fmt.Sprintf("198.51.100.%d", i)))
				l.ExpectCode(err, lost.Unauthorized, "wrong password")
			}
		}
		entry := func(address, note string) string {
			return fmt.Sprintf("%s [%q,%q,%q]", l.Owner.Account, l.Owner.ID, address, note)
		}
		attempts(45)
		want := []string{
			entry("198.51.100.0", "wrong password"), entry("198.51.100.9", "wrong password, 10 times within an hour"),
		}
		got := l.loginFailures()
		if !slices.Equal(got, want) {
			t.Errorf("got\n%q, want\n%q", got, want)
		}
		l.Clock.Advance(time.Hour)
		attempts(1)
		if got := l.loginFailures(); !slices.Equal(got, want[:1]) {
			t.Errorf("in the next hour: got\n%q, want\n%q", got, want[:1])
		}
		testkit.Must(l.SignIn(l.Owner.Email, testkit.OwnerPassword, testkit.ClientAt("192.0.2.1")))
		if got := l.loginFailures(); len(got) > 0 {
			t.Errorf("the right password was recorded as a failure: %q", got)
		}
	})
}

// TestUnknownAddressesCauseTheSameWork checks that a login with an unknown address writes as much as one with a known
// address, so that the time does not tell them apart. Its job belongs to no account and names nobody.
func TestUnknownAddressesCauseTheSameWork(t *testing.T) {
	eachAccount(t, func(l *account) {
		_, err := l.SignIn("nobody@hotel.example", "not the password", testkit.ClientAt("198.51.100.1"))
		l.ExpectCode(err, lost.Unauthorized, "unknown address")
		got := l.loginFailures()
		if len(got) != 1 || !strings.HasPrefix(got[0], ` ["",`) || strings.Contains(got[0], "nobody") {
			t.Errorf("got jobs %q, want one without account and user", got)
		}
	})
}
