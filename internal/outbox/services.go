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
	// Read returns the content of a file of at most so many bytes.
	Read(ctx context.Context, name string, most int64) ([]byte, error)
}

// Shipments advances parcels and their payments. Every step is idempotent.
type Shipments interface {
	// Ship takes a shipment one step further and reports whether there is another step.
	Ship(ctx context.Context, account, id string) (more bool, err error)
	// RefundShipment refunds one payment or label of a shipment and reports whether there are more.
	RefundShipment(ctx context.Context, account, id string) (more bool, err error)
	// RefundPayment refunds a payment whose item was deleted.
	RefundPayment(ctx context.Context, owed []string) error
	// CheckPayment asks the provider for the state of a payment. It returns when to ask again; zero means never.
	CheckPayment(ctx context.Context, account string, about []string) (again time.Duration, err error)
	// Track asks the carrier where a parcel is. It returns when to ask again; zero means never.
	Track(ctx context.Context, account, id string) (again time.Duration, err error)
	// CloseCheckout closes a checkout page, so that it can no longer be paid.
	CloseCheckout(ctx context.Context, checkout string) error
}

// Clearances carries out the desk's decisions on items once they can no longer be undone.
type Clearances interface {
	// EndClearance carries out part of a decision and reports whether there is more. It is idempotent.
	EndClearance(ctx context.Context, account, id string) (more bool, err error)
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
	// RematchLocation compares some items of a location again and adds a job for the rest.
	RematchLocation(ctx context.Context, r store.Rematch) error
	// RematchOutdated schedules up to some locations for matching whose items were indexed by older
	// rules, and returns their number.
	RematchOutdated(ctx context.Context, some int) (int, error)
}

// Erasures removes the data of people who ask for it.
type Erasures interface {
	// RunErasure removes a person's data. It is idempotent and returns when to run again, zero for never.
	RunErasure(ctx context.Context, account, id string, p lost.Person) (again time.Duration, err error)
}

// Messenger sends messages to people.
type Messenger interface {
	// Send writes a message in its reader's language and sends it. It calls handOver immediately before
	// the message leaves; if handOver fails, the message does not leave. An Invalid error is a permanent
	// refusal, an Unavailable one a temporary refusal; after any other error it is unknown whether a
	// message that was handed over has left.
	Send(ctx context.Context, l lost.MessageData, handOver func() error) (lost.SendResult, error)
	// DeliveryState asks for the state of a message that was sent: MessageWaiting while it is unknown.
	DeliveryState(ctx context.Context, m lost.Message) (state lost.MessageState, why string, err error)
	// MailUser sends a plain mail to one of our users.
	MailUser(ctx context.Context, to, subject, text string) error
	// Sends reports whether messages are sent by a channel.
	Sends(by lost.Channel) bool
}
