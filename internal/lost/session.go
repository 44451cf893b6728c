package lost

import "time"

// Session is a log-in of a person with one browser.
type Session struct {
	Account   string
	ID        string
	UserID    string
	Lasting   bool    // the person wants to stay in
	Proven    []Proof // how the person showed who they are
	Waits     bool    // for the second step: until then it opens nothing but the page that asks for it
	Address   string  // from where it was begun
	Agent     string  // what the browser calls itself
	CreatedAt time.Time
	SeenAt    time.Time // about: it is not written at every request
	ExpiresAt time.Time
}

// How long a session lasts that nobody uses, and how often its use is written down.
const (
	sessionLife  = 12 * time.Hour // a working day: desks share a computer
	lastingLife  = 30 * 24 * time.Hour
	waitingLife  = 5 * time.Minute // for the second step
	seenInterval = 5 * time.Minute
)

// Client is what is known of a browser from its request.
type Client struct {
	Address, Agent string
	Mark           string // what the browser was given when somebody logged in with it before; whoever does it again keeps it
}

// maxAgent bounds what is kept of a browser's name.
const maxAgent = 300

// NewSession makes a session of a user who has shown who they are. Where that is not enough, it waits for the second step.
func NewSession(u User, from Client, lasting bool, proven []Proof, now time.Time) Session {
	s := Session{
		Account: u.Account, ID: NewID(SessionID, now), UserID: u.ID, Lasting: lasting, Proven: proven, Waits: !u.Enough(proven),
		Address: from.Address, Agent: Cut(from.Agent, maxAgent), CreatedAt: now, SeenAt: now,
	}
	s.ExpiresAt = now.Add(s.life())
	return s
}

func (s Session) life() time.Duration {
	switch {
	case s.Waits:
		return waitingLife
	case s.Lasting:
		return lastingLife
	default:
		return sessionLife
	}
}

// Usable tells whether the session lets anybody in at a time.
func (s Session) Usable(now time.Time) bool { return now.Before(s.ExpiresAt) }

// See notes that the session was used, and tells whether that is worth writing down.
func (s *Session) See(now time.Time) bool {
	if s.Waits || now.Sub(s.SeenAt) < seenInterval {
		return false
	}
	s.SeenAt, s.ExpiresAt = now, now.Add(s.life())
	return true
}

// Cut gives the beginning of a text, of at most some characters.
func Cut(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most])
	}
	return text
}
