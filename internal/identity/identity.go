// Package identity implements the use cases about accounts, users, teams, sessions, API keys, passwords, two-step
// login, passkeys and external login with OpenID Connect. It also creates the first account of an empty database.
//
// It does not handle items: packages lost and access decide what an actor may do with items.
package identity

import "homeward/internal/lost"

// Messenger reports whether messages are sent. identity only queues them; the outbox sends them.
type Messenger interface {
	Sends(by lost.Channel) bool
}
