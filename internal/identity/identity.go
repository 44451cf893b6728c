// Package identity holds the use cases about who acts: accounts, users and their team, sessions, API keys, passwords,
// the second step of a log-in, passkeys and external log-in by OpenID Connect. It also makes the first account of an
// empty database.
//
// It does not know items: what somebody may do with them is decided by lost and access.
package identity

import "homeward/internal/lost"

// Messenger tells whether messages are sent. identity only leaves them; the outbox sends them.
type Messenger interface {
	Sends(by lost.Channel) bool
}
