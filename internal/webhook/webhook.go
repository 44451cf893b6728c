// Package webhook sends one signed event to one address of a client program and describes the result.
//
// Headers signs a body so that receivers can verify it with existing libraries. CheckURL and CheckHeaders validate what
// an account registers. A Sender makes one attempt; Delay says when the next one is due. Queues, fairness and records
// are the job of package outbox.
//
// The address and the answer come from strangers. The address to which a name resolves is checked when the connection
// is made, so a name that changes its address (DNS rebinding) gains nothing. Redirects are not followed, and an answer
// is limited in time and in bytes.
package webhook
