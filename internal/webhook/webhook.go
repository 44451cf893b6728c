// Package webhook sends one signed event to one address of a client program and describes the result.
//
// Headers signs a body so that receivers can verify it with existing libraries. CheckURL and CheckHeaders validate the
// endpoints that an account registers. A Sender makes one attempt; Delay returns the time until the next one. Package
// outbox is responsible for queues, fairness and records.
//
// The address and the response are untrusted. The resolved address is checked when the connection is made, which
// prevents DNS rebinding. Redirects are not followed, and a response is limited in time and in bytes.
package webhook
