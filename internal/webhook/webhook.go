// Package webhook sends a signed event to an account's endpoint and describes the result.
//
// Headers signs a body so that receivers can verify it with existing libraries. CheckURL and CheckHeaders validate
// the endpoints that an account registers. A Sender makes a single attempt, and Delay returns the time until the next
// one. Queues, fairness and recording are the responsibility of package outbox.
//
// The URL and the response are untrusted. The resolved address is checked when the connection is made, which prevents
// DNS rebinding. Redirects are not followed, and responses are limited in time and size.
package webhook
