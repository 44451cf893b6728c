package lost

import "time"

// Challenge is a log-in step that waits for the response from a passkey or an identity provider. It can be used once.
type Challenge struct {
	Kind      ChallengeKind
	Account   string // the user's account; empty if the user is not known yet
	UserID    string
	Data      string // data that is needed to verify the response
	ExpiresAt time.Time
}

// ChallengeKind is the operation that a challenge belongs to. A response to one kind is not valid for another.
type ChallengeKind string

// The kinds of challenge.
const (
	PasskeyAdding          ChallengeKind = "passkey-adding"
	PasskeyLoginChallenge  ChallengeKind = "passkey-entering"
	PasskeySecondStep      ChallengeKind = "passkey-second-step"
	PasskeyConfirming      ChallengeKind = "passkey-confirming"
	ExternalLoginChallenge ChallengeKind = "vouching"
)

// Life returns how long a challenge is valid. It is longer for identity providers, because the user may need their
// phone to log in there.
func (k ChallengeKind) Life() time.Duration {
	if k == ExternalLoginChallenge {
		return 15 * time.Minute
	}
	return 5 * time.Minute
}

// NewChallenge returns a new challenge for a user. If the user is not known yet, u is the zero value.
func NewChallenge(kind ChallengeKind, u User, data string, now time.Time) Challenge {
	return Challenge{Kind: kind, Account: u.Account, UserID: u.ID, Data: data, ExpiresAt: now.Add(kind.Life())}
}
