package lost

import "time"

// Challenge is a log-in, or a part of one, that was begun and waits for an answer from elsewhere: from a device with a passkey, or from a
// provider who says who somebody is. It is answered once.
type Challenge struct {
	Kind      ChallengeKind
	Account   string // with UserID, whose it is; empty where that is not known yet
	UserID    string
	Data      string // what the answer is held against
	ExpiresAt time.Time
}

// ChallengeKind says what was begun. An answer to one kind is none to another.
type ChallengeKind string

// The kinds of challenge.
const (
	PasskeyAdding     ChallengeKind = "passkey-adding"
	PasskeyEntering   ChallengeKind = "passkey-entering"
	PasskeySecondStep ChallengeKind = "passkey-second-step"
	PasskeyConfirming ChallengeKind = "passkey-confirming"
	Vouching          ChallengeKind = "vouching"
)

// Life is how long an answer is waited for. Whoever logs in with a provider may have to find their phone first.
func (k ChallengeKind) Life() time.Duration {
	if k == Vouching {
		return 15 * time.Minute
	}
	return 5 * time.Minute
}

// NewChallenge begins something for a user, or for nobody who is known.
func NewChallenge(kind ChallengeKind, u User, data string, now time.Time) Challenge {
	return Challenge{Kind: kind, Account: u.Account, UserID: u.ID, Data: data, ExpiresAt: now.Add(kind.Life())}
}
