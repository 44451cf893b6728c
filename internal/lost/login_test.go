package lost_test

import (
	"testing"
	"time"

	"homeward/internal/lost"
)

func TestWeakPasswordsAreRefused(t *testing.T) {
	u := lost.User{Email: "anna.meier@hotel-adler.example", Name: "Anna Meier-Schulze"}
	for password, easy := range map[string]bool{
		"too short":                       true,
		"anna.meier@hotel-adler.example":  true,
		"anna.meier2026":                  true,
		"Anna Meier-Schulze!":             true,
		"hotel-adler.example1":            true,
		"Password2026!":                   true,
		"P@ssw0rd1234":                    true,
		"hotelhotel2026":                  true,
		"2026!Willkommen!":                true,
		"aaaaaaaaaaaaaa":                  true,
		"abababababab":                    true,
		"1234567890":                      true,
		"qwertyuiop12":                    true,
		"0987654321qwertz":                true,
		"1qaz2wsx3edc":                    true,
		"umbrella station teapot":         false,
		"correct horse battery":           false,
		"my hotel has a red door":         false,
		"zK3-unlikely":                    false,
		"пароль из трёх слов":             false,
		"ich mag 3 Enten und 1 Passwort!": false,
	} {
		var p lost.Problems
		if lost.CheckPassword(&p, "password", password, u); (len(p) > 0) != easy {
			t.Errorf("%q: got problems %v, want refused %v", password, p, easy)
		}
	}
}

func TestThrottleDoublesWaitsAndExpires(t *testing.T) {
	policy := lost.ThrottlePolicy{Free: 2, First: 10 * time.Second, Most: time.Minute, Memory: time.Hour}
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	var throttle lost.Throttle
	for n, want := range []time.Duration{
		0, 0, 10 * time.Second, 20 * time.Second, 40 * time.Second, time.Minute, time.Minute,
	} {
		if throttle.Fail(policy, now); throttle.Wait(now) != want {
			t.Errorf("after failure %d: wait %v, want %v", n+1, throttle.Wait(now), want)
		}
		now = throttle.AllowedAt
	}
	now = throttle.ExpiresAt
	if throttle.Fail(policy, now); throttle.Wait(now) != 0 || throttle.Failures != 1 {
		t.Errorf("failures did not expire: %+v", throttle)
	}
	if throttle.Forgive(now); throttle.Failures != 0 {
		t.Errorf("a forgiven failure counts: %+v", throttle)
	}
}

func TestHumanDurationRoundsUp(t *testing.T) {
	for wait, want := range map[time.Duration]string{
		time.Millisecond: "1 second", 15 * time.Second: "15 seconds", time.Minute: "60 seconds",
		61 * time.Second: "2 minutes", time.Hour: "60 minutes", 3*time.Hour - 1: "3 hours",
	} {
		if got := lost.HumanDuration(wait); got != want {
			t.Errorf("HumanDuration(%v) = %q, want %q", wait, got, want)
		}
	}
}

func TestTwoStepLoginNeedsMoreThanAPassword(t *testing.T) {
	without, with := lost.User{}, lost.User{TwoStepAt: time.Unix(1, 0)}
	for _, c := range []struct {
		user   lost.User
		proven []lost.AuthProof
		enough bool
	}{
		{without, nil, false},
		{without, []lost.AuthProof{lost.PasswordProof}, true},
		{with, []lost.AuthProof{lost.PasswordProof}, false},
		{with, []lost.AuthProof{lost.PasswordProof, lost.CodeProof}, true},
		{with, []lost.AuthProof{lost.PasswordProof, lost.RecoveryProof}, true},
	} {
		if got := c.user.MayLogInWith(c.proven); got != c.enough {
			t.Errorf("MayLogInWith(%v) with two-step log-in since %v = %v", c.proven, c.user.TwoStepAt, got)
		}
	}
}
