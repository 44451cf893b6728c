package courier

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/EasyPost/easypost-go/v5"

	"homeward/internal/lost"
)

// Options set EasyPost up.
type Options struct {
	Key           string
	API           string           // the address of the service, as https://host; empty for EasyPost's own
	WebhookSecret string           // signs what EasyPost tells by itself; empty to hear nothing
	Now           func() time.Time // nil for the clock
	Timeout       time.Duration    // of a call: 15 s
}

const (
	easyPostAPI  = "https://api.easypost.com"
	callTime     = 15 * time.Second
	labelTime    = 20 * time.Second
	maxAnswer    = 4 << 20 // of the service, in bytes
	maxLabel     = 5 << 20
	maxHeaders   = 64 << 10
	labelPaper   = "4x6"
	mostRise     = 2      // times what was paid, beyond which nothing is bought without asking
	shipmentMark = "shp_" // begins EasyPost's names of shipments
	trackerMark  = "trk_"
)

// EasyPost buys labels of many carriers through easypost.com. It is safe for concurrent use.
type EasyPost struct {
	options   Options
	base      *url.URL
	transport http.RoundTripper
}

// NewEasyPost readies EasyPost, or says what is wrong with its settings. Nothing is asked of the service yet.
func NewEasyPost(o Options) (*EasyPost, error) {
	o.API, o.Timeout = cmp.Or(o.API, easyPostAPI), cmp.Or(o.Timeout, callTime)
	if o.Now == nil {
		o.Now = time.Now
	}
	u, err := url.Parse(o.API)
	switch {
	case o.Key == "":
		return nil, errors.New("EasyPost needs a key")
	case err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("the address of EasyPost is not https://host")
	}
	return &EasyPost{
		options: o,
		base:    u.JoinPath("v2/"),
		transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true,
			TLSHandshakeTimeout: o.Timeout, MaxResponseHeaderBytes: maxHeaders, IdleConnTimeout: time.Minute, MaxIdleConnsPerHost: 8,
		},
	}, nil
}

// client makes a client for one call: EasyPost's sets the time-out of the http.Client that it is given anew at each call, and calls
// that run at once would race for that. Connections are shared all the same.
func (e *EasyPost) client(idempotency string) *easypost.Client {
	return &easypost.Client{
		APIKey: e.options.Key, BaseURL: e.base, Timeout: int(e.options.Timeout.Milliseconds()),
		Client: &http.Client{Transport: bounded{e.transport, maxAnswer, idempotency}, CheckRedirect: stay},
	}
}

// stay follows no redirect: the key is for one address.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// bounded reads no more of an answer than was allowed, and names the request, so that a repetition can be told from a second wish.
type bounded struct {
	http.RoundTripper
	most        int64
	idempotency string
}

// RoundTrip makes one request.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.idempotency != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Idempotency-Key", b.idempotency)
	}
	res, err := b.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	res.Body = http.MaxBytesReader(nil, res.Body, b.most)
	if res.StatusCode >= http.StatusMultipleChoices {
		res.Body = solid(res.Body)
	}
	return res, nil
}

// solid gives the body of an error as EasyPost's client can read it: at a bare null it panics.
func solid(body io.ReadCloser) io.ReadCloser {
	defer func() { _ = body.Close() }()
	said, _ := io.ReadAll(body) // what came before it broke off is what was said
	if string(bytes.TrimSpace(said)) == "null" {
		said = nil
	}
	return io.NopCloser(bytes.NewReader(said))
}

// NeedsAddress tells that carriers want to know where exactly.
func (e *EasyPost) NeedsAddress() bool { return true }

// Quotes gives the cheapest ways to send something.
func (e *EasyPost) Quotes(ctx context.Context, c lost.Consignment) ([]lost.Quote, error) {
	if !c.From.Rules().Offered {
		return nil, lost.E(lost.Invalid, "The location sends nothing.")
	}
	if !whole(c) {
		return nil, incomplete()
	}
	shipment, err := e.create(ctx, "", c)
	if err != nil {
		return nil, err
	}
	found := quotes(offers(shipment.Rates, terms(c.From)))
	if len(found) == 0 {
		return nil, lost.E(lost.Invalid, "No carrier takes this parcel%s.", e.why(shipment.Messages, c))
	}
	return found, nil
}

func incomplete() error {
	return lost.E(lost.Invalid, "There is no price for this parcel: set its weight or box, and complete the location's address and the recipient's.")
}

// create tells EasyPost of a parcel, which costs nothing and is answered with what the carriers take for it.
func (e *EasyPost) create(ctx context.Context, reference string, c lost.Consignment) (*easypost.Shipment, error) {
	shipment, err := e.client("").CreateShipmentWithContext(ctx, declare(reference, c))
	if err != nil {
		return nil, e.failure(err, c)
	}
	if shipment == nil || !strings.HasPrefix(shipment.ID, shipmentMark) {
		return nil, lost.E(lost.Unavailable, "EasyPost gave an answer that is none.")
	}
	return shipment, nil
}

// Prepare tells EasyPost of the parcel as it is now, and finds the rate that was agreed on. What it costs by now is between the
// location and the carrier.
func (e *EasyPost) Prepare(ctx context.Context, s lost.Shipment, c lost.Consignment) (lost.Quote, lost.Postage, error) {
	if !whole(c) {
		return lost.Quote{}, lost.Postage{}, incomplete()
	}
	shipment, err := e.create(ctx, s.ID, c)
	if err != nil {
		return lost.Quote{}, lost.Postage{}, err
	}
	found, ok := agreed(shipment.Rates, s.Quote, c.From)
	if !ok {
		what := "No carrier takes this parcel"
		if s.Quote.Service != "" {
			what = s.Quote.Service + " is not offered for this parcel any more"
		}
		return lost.Quote{}, lost.Postage{}, lost.E(lost.Invalid, "%s%s.", what, e.why(shipment.Messages, c))
	}
	q := s.Quote
	if q == (lost.Quote{}) {
		q = found.quote
	}
	if now := found.quote.Price; now.Currency == q.Price.Currency && now.Postage > mostRise*q.Price.Postage {
		return lost.Quote{}, lost.Postage{}, lost.E(lost.Invalid, "%s costs %s by now, and %s was paid for it. Give the fee back, or send it another way.",
			q.Service, lost.Price{Postage: now.Postage, Currency: now.Currency}, lost.Price{Postage: q.Price.Postage, Currency: now.Currency})
	}
	return q, lost.Postage{Shipment: shipment.ID, Rate: found.id, ShippingDate: c.From.ShipDay(e.options.Now())}, nil
}

// Buy buys the label. EasyPost sells one for each of its shipments and no second: whoever asks again is told that there is one, and
// fetches it.
func (e *EasyPost) Buy(ctx context.Context, s lost.Shipment, c lost.Consignment) (lost.Postage, error) {
	p := s.Postage
	if !strings.HasPrefix(p.Shipment, shipmentMark) || p.Rate == "" {
		return lost.Postage{}, lost.E(lost.Invalid, "This parcel was not agreed on with EasyPost: have its label bought once more.")
	}
	bought, err := e.client(s.ID+"-"+p.Rate).BuyShipmentWithContext(ctx, p.Shipment, &easypost.Rate{ID: p.Rate}, "")
	if codeOf(err) == "SHIPMENT.POSTAGE.EXISTS" {
		if bought, err = e.client("").GetShipmentWithContext(ctx, p.Shipment); err != nil {
			// Whatever is wrong, it is not a refusal: the label is there, and paid for.
			return lost.Postage{}, lost.E(lost.Unavailable, "The label was bought, and EasyPost does not show it at the moment.").Because(e.failure(err, c))
		}
	}
	if err != nil {
		return lost.Postage{}, e.failure(err, c)
	}
	return e.sold(bought, p)
}

// sold reads what was bought.
func (e *EasyPost) sold(s *easypost.Shipment, p lost.Postage) (lost.Postage, error) {
	if s == nil || s.PostageLabel == nil {
		return lost.Postage{}, lost.E(lost.Unavailable, "EasyPost has taken the order, and the label is not there yet.")
	}
	p.LabelURL = cmp.Or(s.PostageLabel.LabelPDFURL, s.PostageLabel.LabelURL)
	if !e.safe(p.LabelURL) {
		return lost.Postage{}, lost.E(lost.Unavailable, "EasyPost has sold a label and does not tell where it is.")
	}
	p.TrackingNumber = lost.Shorten(s.TrackingCode, lost.MaxShort)
	if s.Tracker != nil {
		p.Tracker, p.TrackingURL = s.Tracker.ID, e.link(s.Tracker)
	}
	return p, nil
}

// safe tells addresses that may be asked, or shown: encrypted ones, unless the service itself is not.
func (e *EasyPost) safe(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && u.User == nil && (u.Scheme == "https" || u.Scheme == "http" && e.base.Scheme == "http")
}

// Label fetches the label. A failure is never a refusal: the label is paid for.
func (e *EasyPost) Label(ctx context.Context, p lost.Postage) (content []byte, paper string, err error) {
	if p.LabelURL == "" {
		return nil, "", nil
	}
	if content, err = e.download(ctx, p.LabelURL); err != nil {
		if at, ok := errors.AsType[*url.Error](err); ok {
			err = at.Err // without the address: it shows the label to whoever has it
		}
		return nil, "", lost.E(lost.Unavailable, "The label was bought, and cannot be fetched at the moment.").Because(err)
	}
	return content, labelPaper, nil
}

func (e *EasyPost) download(ctx context.Context, address string) ([]byte, error) {
	if !e.safe(address) {
		return nil, errors.New("the label's address is not https")
	}
	ctx, cancel := context.WithTimeout(ctx, labelTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	client := http.Client{Transport: bounded{e.transport, maxLabel, ""}, CheckRedirect: stay}
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the label's address answered %d", res.StatusCode)
	}
	content, err := io.ReadAll(res.Body)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the label: %w", err)
	case !bytes.HasPrefix(content, []byte("%PDF")):
		return nil, errors.New("the label is not a PDF")
	}
	return content, nil
}

// Void gives a label back. EasyPost does not say in so many words that it was given back before, so the shipment is looked at after a
// refusal.
func (e *EasyPost) Void(ctx context.Context, p lost.Postage) error {
	if !strings.HasPrefix(p.Shipment, shipmentMark) {
		return nil
	}
	shipment, err := e.client("").RefundShipmentWithContext(ctx, p.Shipment)
	if err == nil {
		return refunded(shipment)
	}
	refusal := e.failure(err, lost.Consignment{})
	if lost.CodeOf(refusal) != lost.Invalid {
		return refusal
	}
	shipment, err = e.client("").GetShipmentWithContext(ctx, p.Shipment)
	switch {
	case err != nil:
		return e.failure(err, lost.Consignment{})
	case shipment != nil && shipment.PostageLabel == nil, shipment != nil && shipment.RefundStatus != "" && refunded(shipment) == nil:
		return nil // there was nothing to give back, or it was given back before
	default:
		return refusal
	}
}

// refunded tells how a refund went. One that does not apply is of a carrier that charges for what it has scanned only.
func refunded(s *easypost.Shipment) error {
	switch {
	case s == nil:
		return lost.E(lost.Unavailable, "EasyPost gave an answer that is none.")
	case s.RefundStatus == "rejected":
		return lost.E(lost.Invalid, "The carrier did not take the label back.")
	default: // submitted, refunded, not_applicable
		return nil
	}
}

// Try asks EasyPost for a shipment that does not exist: whoever has the right key is told so. Nothing changes by it.
func (e *EasyPost) Try(ctx context.Context) error {
	_, err := e.client("").GetShipmentWithContext(ctx, shipmentMark+"none")
	api, answered := errors.AsType[*easypost.APIError](err)
	switch {
	case err == nil || answered && api.StatusCode == http.StatusNotFound:
		return nil
	case answered:
		return fmt.Errorf("EasyPost answered %d: %s", api.StatusCode, e.clean(told(api), lost.Consignment{}))
	default:
		return err
	}
}
