package lost

import "time"

// Session is a user's session in one browser.
type Session struct {
	Account         string
	ID              string
	UserID          string
	Lasting         bool        // the user chose to stay logged in
	Proofs          []AuthProof // how the user authenticated
	NeedsSecondStep bool        // until the second step is done, only the page for it is accessible
	Address         string      // IP address at log-in
	Agent           string      // the browser's User-Agent
	CreatedAt       time.Time
	SeenAt          time.Time // approximate, because it is not stored on every request
	ExpiresAt       time.Time
}

// Lifetimes of an unused session, and the interval at which its use is recorded.
const (
	sessionLife  = 12 * time.Hour // about a working day, because desks share computers
	lastingLife  = 30 * 24 * time.Hour
	waitingLife  = 5 * time.Minute // while the session waits for the second step
	seenInterval = 5 * time.Minute
)

// Client describes the browser that sent a request.
type Client struct {
	Address, Agent string
	Mark           string // the cookie that an earlier log-in set, to recognise the browser
}

// maxAgent is the maximum length of a stored User-Agent, in characters.
const maxAgent = 300

// NewSession returns a new session for a user who has authenticated. If the proofs are not sufficient, the session
// waits for the second step.
func NewSession(u User, from Client, lasting bool, proven []AuthProof, now time.Time) Session {
	s := Session{
		Account: u.Account, ID: NewID(SessionID, now), UserID: u.ID, Lasting: lasting, Proofs: proven,
		NeedsSecondStep: !u.MayLogInWith(proven),
		Address:         from.Address, Agent: Truncate(from.Agent, maxAgent), CreatedAt: now, SeenAt: now,
	}
	s.ExpiresAt = now.Add(s.life())
	return s
}

func (s Session) life() time.Duration {
	switch {
	case s.NeedsSecondStep:
		return waitingLife
	case s.Lasting:
		return lastingLife
	default:
		return sessionLife
	}
}

// Usable reports whether the session is valid at the time now.
func (s Session) Usable(now time.Time) bool { return now.Before(s.ExpiresAt) }

// Touch records that the session was used, and reports whether that must be stored.
func (s *Session) Touch(now time.Time) bool {
	if s.NeedsSecondStep || now.Sub(s.SeenAt) < seenInterval {
		return false
	}
	s.SeenAt, s.ExpiresAt = now, now.Add(s.life())
	return true
}

// Truncate returns the beginning of a text, limited to a number of characters.
func Truncate(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most])
	}
	return text
}

// ProviderIdentity is the data from an identity provider about a person who has logged in there.
type ProviderIdentity struct {
	Issuer   string // URL of the provider
	Subject  string // the provider's id for the person; it never changes and is never reused
	Email    string
	Verified bool // the provider has verified the e-mail address
}

// Identity links a person at an identity provider to a user.
type Identity struct {
	Account   string
	ID        string
	UserID    string
	Issuer    string
	Subject   string
	UsedAt    time.Time
	CreatedAt time.Time
}

// NewIdentity returns an Identity that links a person at an identity provider to a user.
func NewIdentity(u User, v ProviderIdentity, now time.Time) Identity {
	return Identity{
		Account: u.Account, ID: NewID(IdentityID, now), UserID: u.ID, Issuer: v.Issuer, Subject: v.Subject, UsedAt: now,
		CreatedAt: now,
	}
}
