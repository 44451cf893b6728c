package identity

import (
	"context"
	"fmt"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// loginFailures counts the failed logins with an e-mail address in an hour, so that few of them are recorded.
var loginFailures = access.Limit{
	Kind: "sign-in failed", Policy: lost.ThrottlePolicy{Window: time.Hour},
}

// recordFailure adds a job that records a failed login in the audit log of the user's account. Of the failures in an
// hour, it records the 1st, 10th, 100th and so on, so that an attacker cannot fill the log. A job does the work,
// because otherwise the response would take longer if the address belongs to a user. For an unknown address, the job
// does nothing.
func (l *Sessions) recordFailure(ctx context.Context, u lost.User, email string, from lost.Client) error {
	err := l.db.Write(ctx, func(tx *store.Tx) error {
		n, err := access.Count(tx, loginFailures.NewAttempt(lost.EmailKey(email)))
		if err != nil || !isPowerOfTen(n) {
			return err
		}
		return tx.AddLoginFailedJob(u, from.Address, failureNote(u, n))
	})
	l.wakeMessages()
	return err
}

// failureNote returns the audit note for the nth failed login in an hour. It never contains what was typed.
func failureNote(u lost.User, n int) string {
	note := "wrong password"
	if !u.DisabledAt.IsZero() {
		note = "the user is blocked"
	}
	if n > 1 {
		note += fmt.Sprintf(", %d times within an hour", n)
	}
	return note
}

func isPowerOfTen(n int) bool {
	for n > 1 && n%10 == 0 {
		n /= 10
	}
	return n == 1
}
