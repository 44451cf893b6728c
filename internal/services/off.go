package services

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"time"

	"homeward/internal/assistant"
	"homeward/internal/desk"
	"homeward/internal/endpoint"
	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/lost/notice"
	"homeward/internal/lost/paper"
	"homeward/internal/lost/photo"
	"homeward/internal/lost/stay"
	"homeward/internal/matching"
	"homeward/internal/notify"
	"homeward/internal/payment"
	"homeward/internal/stays"
	"homeward/internal/store"
)

// withDefaults replaces missing dependencies with disabled implementations, so that no service has to check for nil.
func (o Options) withDefaults() Options {
	disabled := off{}
	setDefault(&o.Uploads, desk.Uploads(disabled))
	setDefault(&o.Hooks, endpoint.Hooks(disabled))
	setDefault(&o.Messenger, desk.Messenger(disabled))
	setDefault(&o.StaffMessenger, notify.Messenger(disabled))
	setDefault(&o.Pusher, notify.Pusher(noPusher{}))
	setDefault(&o.Forms, desk.Forms(disabled))
	setDefault(&o.Tags, desk.TagPrinter(disabled))
	setDefault(&o.Codes, desk.CodeReader(disabled))
	setDefault(&o.Files, desk.Files(disabled))
	setDefault(&o.HotelSystems, stays.Systems(noSystems{}))
	setDefault(&o.SavedFiles, desk.FileReader(disabled))
	setDefault(&o.Embedder, matching.Embedder(noEmbedder{}))
	setDefault(&o.Describer, assistant.Describer(noDescriber{}))
	setDefault(&o.ReducedPhotos, assistant.Photos(disabled))
	if o.Carrier == nil {
		o.Carrier = noCarrier{}
	}
	if o.PaymentProvider == nil {
		o.PaymentProvider = payment.None{}
	}
	if o.Documents == nil {
		o.Documents = disabled
	}
	if o.IdentityProvider == nil {
		o.IdentityProvider = identity.NoProvider{}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.ObservePhoto == nil {
		o.ObservePhoto = func(assistant.Outcome) {}
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return o.withWakes()
}

// withWakes replaces missing wake functions. If WakeMatching or WakeImages is missing, Wake is called instead.
func (o Options) withWakes() Options {
	if o.Wake == nil {
		o.Wake = func() {}
	}
	if o.WakeMessages == nil {
		o.WakeMessages = func() {}
	}
	if o.WakeMatching == nil {
		o.WakeMatching = o.Wake
	}
	if o.WakeImages == nil {
		o.WakeImages = o.Wake
	}
	if o.WakeDeliveries == nil {
		o.WakeDeliveries = func(...store.EndpointQueue) {}
	}
	return o
}

func setDefault[T comparable](target *T, value T) {
	var zero T
	if *target == zero {
		*target = value
	}
}

// off implements dependencies that are not set up. Its methods do nothing or return a "not set up" error.
type off struct{}

func notSetUp(what string) error { return lost.E(lost.Unavailable, "%s is not set up.", what) }

func (off) Receive(context.Context, desk.IncomingPicture) (desk.Upload, error) {
	return nil, notSetUp("Picture storage")
}
func (off) Verify(context.Context, string, bool) (desk.Verified, error) {
	return desk.Verified{}, notSetUp("Picture storage")
}
func (off) FindFacts(context.Context, string, io.Reader, int64) (lost.PhotoFacts, error) {
	return lost.PhotoFacts{}, notSetUp("Picture storage")
}
func (off) Blurred(context.Context, string) ([]byte, error) {
	return nil, notSetUp("Picture storage")
}
func (off) Delete(context.Context, ...string) error { return nil }

func (off) Check(lost.Endpoint) lost.Problems { return nil }
func (off) NewSecret() string                 { return rand.Text() }
func (off) Send(context.Context, lost.Endpoint, lost.Delivery, []byte) lost.Attempt {
	return lost.Attempt{Error: "Webhook delivery is not set up."}
}

func (off) Compose(lost.MessageData) (subject, text string, err error) { return "", "", nil }
func (off) Sends(lost.Channel) bool                                    { return false }

func (off) MailNotices(context.Context, notice.Message) error { return notSetUp("E-mail") }
func (off) ComposePush(notice.Message) (title, body string)   { return "", "" }

func (off) Receipt(lost.HandoverReceipt) ([]byte, error)        { return nil, notSetUp("Printing") }
func (off) Paper(paper.Paper) ([]byte, error)                   { return nil, notSetUp("Printing") }
func (off) PickList(lost.PickList) ([]byte, error)              { return nil, notSetUp("Printing") }
func (off) PrintTags(lost.TagJob) ([]byte, error)               { return nil, notSetUp("Printing") }
func (off) PrintStockTake(lost.StockTakeReport) ([]byte, error) { return nil, notSetUp("Printing") }
func (off) Join([][]byte) ([]byte, int, error)                  { return nil, 0, notSetUp("Printing") }
func (off) Read(context.Context, string, int64) ([]byte, error) { return nil, notSetUp("File storage") }
func (off) Reduced(context.Context, string) ([]byte, error)     { return nil, notSetUp("Picture storage") }
func (off) NewName() string                                     { return rand.Text() }
func (off) Save(context.Context, string, []byte) error          { return notSetUp("File storage") }
func (off) Print(lost.DocumentKind, lost.Shipment, lost.ParcelOrder) ([]byte, string, error) {
	return nil, "", notSetUp("Printing")
}
func (off) ReadCode(context.Context, string, io.Reader, int64) (string, error) {
	return "", notSetUp("QR code reading")
}

// noPusher is used if push messages are not set up.
type noPusher struct{}

func (noPusher) PublicKey() string { return "" }
func (noPusher) Check(notice.Subscription) (p lost.Problems) {
	p.Add("url", "not-allowed", "cannot be used: push messages are not set up")
	return p
}
func (noPusher) Push(context.Context, notice.Subscription, []byte) error { return notSetUp("Push") }

// noSystems is used if hotel systems cannot be asked.
type noSystems struct{}

func (noSystems) Stays(context.Context, stay.Connection, stay.Query) ([]stay.Stay, bool, error) {
	return nil, false, &stay.SystemError{Problem: stay.NotReached}
}
func (noSystems) Check(context.Context, stay.Connection) error {
	return &stay.SystemError{Problem: stay.NotReached}
}
func (noSystems) CheckURL(string) lost.Problems { return nil }

// noDescriber is used if there is no photo assistant.
type noDescriber struct{}

func (noDescriber) Host() string  { return "" }
func (noDescriber) Model() string { return "" }
func (noDescriber) Describe(context.Context, []byte, string) (photo.Report, error) {
	return photo.Report{}, notSetUp("The photo assistant")
}

// noEmbedder is used if there is no model for embeddings.
type noEmbedder struct{}

func (noEmbedder) Model() string { return "" }
func (noEmbedder) Embed(context.Context, []string) ([][]float32, error) {
	return nil, notSetUp("A model for embeddings")
}

// noCarrier is the carrier that is used if shipping is not set up.
type noCarrier struct{}

func noCarrierError() error { return lost.E(lost.Invalid, "No carrier is set up.") }

func (noCarrier) Quotes(context.Context, lost.ParcelOrder) ([]lost.Quote, error) {
	return nil, noCarrierError()
}
func (noCarrier) NeedsAddress() bool { return false }
func (noCarrier) Prepare(context.Context, lost.Shipment, lost.ParcelOrder) (lost.Quote, lost.Postage, error) {
	return lost.Quote{}, lost.Postage{}, noCarrierError()
}
func (noCarrier) Buy(context.Context, lost.Shipment, lost.ParcelOrder) (lost.Postage, error) {
	return lost.Postage{}, noCarrierError()
}
func (noCarrier) Label(context.Context, lost.Postage) ([]byte, string, error) {
	return nil, "", noCarrierError()
}
func (noCarrier) Void(context.Context, lost.Postage) error { return noCarrierError() }
func (noCarrier) Track(context.Context, lost.Postage) (lost.ParcelUpdate, error) {
	return lost.ParcelUpdate{}, noCarrierError()
}
func (noCarrier) HasTracking() bool { return false }
func (noCarrier) ParseEvent(http.Header, []byte) (lost.ParcelUpdate, bool, error) {
	return lost.ParcelUpdate{}, false, nil
}
