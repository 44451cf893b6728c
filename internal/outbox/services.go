package outbox

import (
	"context"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// Files holds the operations on files that jobs need.
type Files interface {
	// Delete removes files; a file that does not exist is no error.
	Delete(ctx context.Context, names ...string) error
	// Thumbnail makes the small version of a picture, unless it exists.
	Thumbnail(ctx context.Context, name string) error
	// Read returns the content of a file that has at most limit bytes.
	Read(ctx context.Context, name string, limit int64) ([]byte, error)
}

// Shipments advances parcels and their payments. Every step is idempotent.
type Shipments interface {
	// Ship takes a shipment one step further and reports whether there is another step.
	Ship(ctx context.Context, account, id string) (more bool, err error)
	// RefundShipment refunds one payment or label of a shipment and reports whether there are more.
	RefundShipment(ctx context.Context, account, id string) (more bool, err error)
	// RefundPayment refunds the payment for a deleted item.
	RefundPayment(ctx context.Context, owed []string) error
	// CheckPayment reads the state of a payment from the provider. It returns when to check again; zero means never.
	CheckPayment(ctx context.Context, account string, payment []string) (again time.Duration, err error)
	// Track reads a parcel's location from the carrier. It returns when to check again; zero means never.
	Track(ctx context.Context, account, id string) (again time.Duration, err error)
	// CloseCheckout closes a checkout page, so that it can no longer be paid.
	CloseCheckout(ctx context.Context, checkout string) error
}

// Clearances carries out the desk's decisions on items once they can no longer be undone.
type Clearances interface {
	// CarryOutDecision carries out part of a decision and reports whether there is more. It is idempotent.
	CarryOutDecision(ctx context.Context, account, id string) (more bool, err error)
}

// Imports processes uploaded files of items.
type Imports interface {
	// RunImport processes one piece of an import and reports whether there is more.
	RunImport(ctx context.Context, account, id string) (more bool, err error)
}

// Matching compares found items with lost ones.
type Matching interface {
	// Match compares one item and reports whether to do it again.
	Match(ctx context.Context, account, item string) (again bool, err error)
	// RematchLocation compares a batch of a location's items again and adds a job for the rest.
	RematchLocation(ctx context.Context, r store.Rematch) error
	// RematchOutdated schedules matching for up to limit locations with items that were indexed by older
	// rules, and returns their number.
	RematchOutdated(ctx context.Context, limit int) (int, error)
}

// Erasures removes the data of people who ask for it.
type Erasures interface {
	// RunErasure removes a person's data. It is idempotent and returns when to run again, zero for never.
	RunErasure(ctx context.Context, account, id string, p lost.Person) (again time.Duration, err error)
}

// Messenger sends messages to people.
type Messenger interface {
	// Send renders a message in the recipient's language and sends it. It calls handOver immediately before
	// submitting the message; if handOver fails, the message is not submitted. An Invalid error is a
	// permanent refusal, an Unavailable one a temporary refusal. After any other error it is unknown whether
	// the provider accepted the message.
	Send(ctx context.Context, l lost.MessageData, handOver func() error) (lost.SendResult, error)
	// DeliveryState returns the state of a message that was sent, or MessageWaiting while it is unknown.
	DeliveryState(ctx context.Context, m lost.Message) (state lost.MessageState, why string, err error)
	// MailUser sends a plain-text e-mail to a user.
	MailUser(ctx context.Context, to, subject, text string) error
	// Sends reports whether a channel is set up to send messages.
	Sends(by lost.Channel) bool
}
