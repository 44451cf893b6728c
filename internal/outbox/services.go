package outbox

import (
	"context"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// Files provides the file operations that jobs need.
type Files interface {
	// Delete removes files. Deleting a file that does not exist is not an error.
	Delete(ctx context.Context, names ...string) error
	// Thumbnail creates a picture's thumbnail unless it already exists.
	Thumbnail(ctx context.Context, name string) error
	// Read returns a file's content. It returns an error if the file is larger than limit bytes.
	Read(ctx context.Context, name string, limit int64) ([]byte, error)
}

// Images verifies the photos of items.
type Images interface {
	// VerifyImage decodes a photo that was added to an item, and removes it from the item if it is damaged. It does
	// nothing if the photo no longer exists.
	VerifyImage(ctx context.Context, account string, added store.AddedImage) error
}

// Shipments processes parcels and their payments. Every step is idempotent.
type Shipments interface {
	// Ship performs a shipment's next step and reports whether there is another one.
	Ship(ctx context.Context, account, id string) (more bool, err error)
	// RefundShipment refunds one payment or label of a shipment and reports whether there are more.
	RefundShipment(ctx context.Context, account, id string) (more bool, err error)
	// RefundPayment refunds the payment for a deleted item.
	RefundPayment(ctx context.Context, owed []string) error
	// CheckPayment reads a payment's state from the provider. It returns how long to wait before checking again; zero
	// means never.
	CheckPayment(ctx context.Context, account string, payment []string) (again time.Duration, err error)
	// Track reads a parcel's tracking state from the carrier. It returns how long to wait before checking again; zero
	// means never.
	Track(ctx context.Context, account, id string) (again time.Duration, err error)
	// CloseCheckout closes a checkout page, so that the guest can no longer pay there.
	CloseCheckout(ctx context.Context, checkout string) error
}

// Clearances carries out the desk's decisions on items once they can no longer be undone.
type Clearances interface {
	// CarryOutDecision carries out part of a decision and reports whether more remains. It is idempotent.
	CarryOutDecision(ctx context.Context, account, id string) (more bool, err error)
}

// Categories gives items their suggested categories.
type Categories interface {
	// Continue performs one batch of a run and reports whether more remains. It is idempotent.
	Continue(ctx context.Context, account, id string) (more bool, err error)
}

// Imports processes uploaded lists of items.
type Imports interface {
	// RunImport processes one piece of an import and reports whether more remains.
	RunImport(ctx context.Context, account, id string) (more bool, err error)
}

// Matching compares found items with lost items.
type Matching interface {
	// Match compares one item and reports whether it must be called again.
	Match(ctx context.Context, account, item string) (again bool, err error)
	// RematchLocation compares a batch of a location's items again and adds a job for the rest.
	RematchLocation(ctx context.Context, r store.Rematch) error
	// RematchOutdated schedules matching for up to limit locations whose items were indexed with older rules, and
	// returns how many locations it scheduled.
	RematchOutdated(ctx context.Context, limit int) (int, error)
	// Embed computes some of the missing vectors of an account and reports whether more remain.
	Embed(ctx context.Context, account string) (more bool, err error)
	// EmbedOutdated adds jobs for up to limit accounts that have vectors to compute, and returns how many there are.
	EmbedOutdated(ctx context.Context, limit int) (int, error)
}

// PhotoAssistant suggests facts about the things in photos.
type PhotoAssistant interface {
	// PhotoAdded adds a job that describes a photo, if the photo assistant may see it.
	PhotoAdded(ctx context.Context, account string, added store.AddedImage) (bool, error)
	// Describe asks what is in a photo, and stores what the answer suggests. attempt is the number of the
	// attempt, including those that were cut off.
	Describe(ctx context.Context, account string, p store.DescribedPhoto, attempt int) error
}

// Erasures removes the data of people who request erasure.
type Erasures interface {
	// RunErasure removes a person's data, and that of their other phone numbers. It is idempotent and returns how long
	// to wait before running again; zero means that it is done.
	RunErasure(ctx context.Context, account, id string, p lost.Person,
		phones []string) (again time.Duration, err error)
}

// Messenger sends messages to people.
type Messenger interface {
	// Send renders a message in the recipient's language and sends it. It calls handOver immediately before
	// submitting the message; if handOver fails, the message is not submitted. An Invalid error means that the
	// provider rejected the message permanently, and an Unavailable error that it did so temporarily. After any other
	// error it is unknown whether the provider accepted the message.
	Send(ctx context.Context, l lost.MessageData, handOver func() error) (lost.SendResult, error)
	// DeliveryState returns the state of a message that was sent, or MessageWaiting while it is unknown.
	DeliveryState(ctx context.Context, m lost.Message) (state lost.MessageState, why string, err error)
	// MailUser sends a plain-text e-mail to a user.
	MailUser(ctx context.Context, to, subject, text string) error
	// Sends reports whether a channel is set up to send messages.
	Sends(by lost.Channel) bool
}
