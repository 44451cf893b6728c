package identity

import (
	"crypto/rand"
	"crypto/subtle"
	"slices"
	"strings"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
)

// The limits for login attempts. Attempts from an unknown browser have a strict limit for each pair of e-mail address
// and client, and a more generous one for each client. Failures for an e-mail address are only watched: if there are
// many, from whatever clients, each client gets fewer attempts. Nobody can lock a person out from other addresses, so
// the right password works from any client that has waited as long as it was told. A browser in which the person has
// logged in before has its own limit.
var (
	byBrowser = access.Limit{
		Kind:           "sign-in browser",
		Policy:         lost.ThrottlePolicy{Free: 5, First: 15 * time.Second, Most: 5 * time.Minute, Memory: time.Hour},
		ResetOnSuccess: true,
	}
	byPair = access.Limit{
		Kind: "sign-in",
		Policy: lost.ThrottlePolicy{
			Free: 5, First: 15 * time.Second, Most: 15 * time.Minute, Memory: time.Hour,
		},
		UnderAttack:    &lost.ThrottlePolicy{Free: 1, First: time.Minute, Most: time.Hour, Memory: 6 * time.Hour},
		ResetOnSuccess: true,
	}
	byEmail = access.Limit{
		Kind: "sign-in email", Policy: lost.ThrottlePolicy{Free: 50, Memory: time.Hour}, Watched: true,
	}
	byClient = access.Limit{
		Kind:   "sign-in client",
		Policy: lost.ThrottlePolicy{Free: 30, First: 5 * time.Second, Most: 15 * time.Minute, Memory: time.Hour},
	}

	codes = access.Limit{
		Kind: "code",
		Policy: lost.ThrottlePolicy{
			Free: 5, First: 30 * time.Second, Most: 15 * time.Minute, Memory: time.Hour,
		},
		ResetOnSuccess: true,
	}
	confirms = access.Limit{
		Kind:           "confirm",
		Policy:         lost.ThrottlePolicy{Free: 5, First: 15 * time.Second, Most: 5 * time.Minute, Memory: time.Hour},
		ResetOnSuccess: true,
	}
	links = access.Limit{
		Kind:   "link",
		Policy: lost.ThrottlePolicy{Free: 20, First: 5 * time.Second, Most: 5 * time.Minute, Memory: time.Hour},
	}

	// Challenges are created for unauthenticated visitors and stored for some time. The limit is generous, because
	// every view of the login page creates a challenge and many people may share an IP address.
	challenges = access.Limit{
		Kind:   "challenge",
		Policy: lost.ThrottlePolicy{Free: 300, First: time.Second, Most: 30 * time.Second, Memory: 10 * time.Minute},
	}

	// These limits also count successful attempts, because every attempt sends an e-mail.
	resetsByEmail = access.Limit{
		Kind:   "reset email",
		Policy: lost.ThrottlePolicy{Free: 3, First: 5 * time.Minute, Most: time.Hour, Memory: 6 * time.Hour},
	}
	resetsByClient = access.Limit{
		Kind:   "reset client",
		Policy: lost.ThrottlePolicy{Free: 10, First: time.Minute, Most: time.Hour, Memory: time.Hour},
	}
	addresses = access.Limit{
		Kind:   "address",
		Policy: lost.ThrottlePolicy{Free: 3, First: 5 * time.Minute, Most: time.Hour, Memory: 6 * time.Hour},
	}
	invitations = access.Limit{
		Kind:   "invitation",
		Policy: lost.ThrottlePolicy{Free: 50, First: 10 * time.Second, Most: 10 * time.Minute, Memory: 24 * time.Hour},
	}
)

// signInAttempts returns the attempts to count for one login attempt.
func (l *Sessions) signInAttempts(u lost.User, email string, from lost.Client) []access.Attempt {
	if nonce, known := l.knownBrowser(u, from.Mark); known {
		return []access.Attempt{byBrowser.NewAttempt(u.ID, nonce)}
	}
	return addressAttempts(email, from)
}

// addressAttempts returns the attempts to count for a login from an unknown browser.
func addressAttempts(email string, from lost.Client) []access.Attempt {
	email = lost.EmailKey(email)
	return []access.Attempt{byPair.NewAttempt(email, from.Address), byEmail.NewAttempt(email),
		byClient.NewAttempt(from.Address)}
}

// codeAttempt returns the attempt to count when a user enters a two-step code.
func (l *Sessions) codeAttempt(u lost.User, from lost.Client) access.Attempt {
	nonce, _ := l.knownBrowser(u, from.Mark)
	return codes.NewAttempt(u.ID, nonce)
}

// A mark is a cookie that records who has logged in with a browser. It consists of a random nonce, and of a token for
// each of the last markPeople people. Only the service can create the tokens. A mark does not grant access.
const (
	markPeople = 5
	maxMark    = 400
)

// knownBrowser reports whether a user has logged in with the browser that sent the mark. If so, it returns the mark's
// nonce.
func (l *Sessions) knownBrowser(u lost.User, mark string) (nonce string, known bool) {
	if u.ID == "" || mark == "" || len(mark) > maxMark {
		return "", false
	}
	parts := strings.Split(mark, ".")
	want, err := l.db.BrowserToken(u, parts[0])
	if err != nil {
		return "", false
	}
	for _, got := range parts[1:] {
		if subtle.ConstantTimeCompare([]byte(got), []byte(want)) == 1 {
			return parts[0], true
		}
	}
	return "", false
}

// addToMark returns a browser's mark with a user added.
func (l *Sessions) addToMark(u lost.User, mark string) (string, error) {
	if _, known := l.knownBrowser(u, mark); known {
		return mark, nil
	}
	parts := strings.Split(mark, ".")
	if mark == "" || len(mark) > maxMark {
		parts = []string{rand.Text()}
	}
	token, err := l.db.BrowserToken(u, parts[0])
	people := append(slices.Clone(parts[1:]), token)
	people = people[max(0, len(people)-markPeople):]
	return strings.Join(append(parts[:1:1], people...), "."), err
}
