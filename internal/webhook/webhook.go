// Package webhook sends one event to one address of a client's, signed, and says
// in words how it went.
//
// Headers signs a body so that receivers can check it with libraries that exist.
// CheckURL and CheckHeaders judge what an account registers. A Sender makes one
// attempt; Delay tells when the next is due. Queues, turns and records are the
// outbox's.
//
// The address comes from a stranger and so does the answer. Whatever the name
// resolves to is judged when the connection is made, so that a name which changes
// its mind gets nowhere; nobody is sent elsewhere by a redirect; and an answer is
// bounded in time and in bytes, whatever the other side does.
package webhook
