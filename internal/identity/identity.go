// Package identity implements the use cases about accounts, users, teams, sessions, API keys, passwords, two-step
// login, passkeys and external log-in with OpenID Connect. It also creates the first account of an empty database.
//
// It does not deal with items: lost and access decide what an actor may do with them.
package identity

import "homeward/internal/lost"

// Messenger reports whether messages are sent. identity only queues them; the outbox sends them.
type Messenger interface {
	Sends(by lost.Channel) bool
}
