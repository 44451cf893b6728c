package lost

import "time"

// Challenge is a log-in, or a step of one, that waits for an answer from a device with a passkey or from an identity
// provider. It can be answered once.
type Challenge struct {
	Kind      ChallengeKind
	Account   string // with UserID, the user; empty if not known yet
	UserID    string
	Data      string // what the answer is checked against
	ExpiresAt time.Time
}

// ChallengeKind says what was started. An answer to one kind is not valid for another.
type ChallengeKind string

// The kinds of challenge.
const (
	PasskeyAdding     ChallengeKind = "passkey-adding"
	PasskeyEntering   ChallengeKind = "passkey-entering"
	PasskeySecondStep ChallengeKind = "passkey-second-step"
	PasskeyConfirming ChallengeKind = "passkey-confirming"
	Vouching          ChallengeKind = "vouching"
)

// Life is how long a challenge can be answered. It is longer for identity providers, because the user may need their
// phone to log in there.
func (k ChallengeKind) Life() time.Duration {
	if k == Vouching {
		return 15 * time.Minute
	}
	return 5 * time.Minute
}

// NewChallenge makes a challenge for a user; the zero user if it is not known yet.
func NewChallenge(kind ChallengeKind, u User, data string, now time.Time) Challenge {
	return Challenge{Kind: kind, Account: u.Account, UserID: u.ID, Data: data, ExpiresAt: now.Add(kind.Life())}
}
