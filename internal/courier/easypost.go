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

// Options configures EasyPost.
type Options struct {
	Key           string
	API           string           // base URL such as https://host; empty for EasyPost's own
	WebhookSecret string           // the secret that signs EasyPost's events; if empty, all events are rejected
	Now           func() time.Time // nil for time.Now
	Timeout       time.Duration    // timeout for one call; zero means 15 seconds
}

const (
	easyPostAPI    = "https://api.easypost.com"
	callTime       = 15 * time.Second
	labelTime      = 20 * time.Second
	maxResponse    = 4 << 20 // largest response that is read, in bytes
	maxLabel       = 5 << 20
	maxHeaders     = 64 << 10
	labelPaper     = "4x6"
	maxRise        = 2      // a label is not bought if it costs more than maxRise times the paid price
	shipmentPrefix = "shp_" // prefix of EasyPost's shipment ids
	trackerPrefix  = "trk_"
)

// EasyPost buys labels from many carriers through easypost.com. It is safe for concurrent use.
type EasyPost struct {
	options   Options
	base      *url.URL
	transport http.RoundTripper
}

// NewEasyPost returns an EasyPost carrier, or an error that names the invalid setting. It does not contact EasyPost.
func NewEasyPost(o Options) (*EasyPost, error) {
	o.API, o.Timeout = cmp.Or(o.API, easyPostAPI), cmp.Or(o.Timeout, callTime)
	if o.Now == nil {
		o.Now = time.Now
	}
	u, err := url.Parse(o.API)
	switch {
	case o.Key == "":
		return nil, errors.New("EasyPost needs an API key")
	case err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("the EasyPost URL must have the form https://host")
	}
	return &EasyPost{
		options: o,
		base:    u.JoinPath("v2/"),
		transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
			ForceAttemptHTTP2:   true,
			TLSHandshakeTimeout: o.Timeout, MaxResponseHeaderBytes: maxHeaders, IdleConnTimeout: time.Minute,
			MaxIdleConnsPerHost: 8,
		},
	}, nil
}

// client returns a new EasyPost client for one call. A shared client would cause a data race between concurrent calls,
// because EasyPost's client sets the timeout of its http.Client in each call. All clients share their connections.
func (e *EasyPost) client(idempotency string) *easypost.Client {
	return &easypost.Client{
		APIKey: e.options.Key, BaseURL: e.base, Timeout: int(e.options.Timeout.Milliseconds()),
		Client: &http.Client{Transport: bounded{e.transport, maxResponse, idempotency}, CheckRedirect: refuseRedirects},
	}
}

// refuseRedirects makes the HTTP client not follow redirects, because the API key must only be sent to the configured
// URL.
func refuseRedirects(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// bounded limits the size of responses. It also sends an idempotency key, so that EasyPost recognises repeated
// requests.
type bounded struct {
	http.RoundTripper
	limit       int64
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
	res.Body = http.MaxBytesReader(nil, res.Body, b.limit)
	if res.StatusCode >= http.StatusMultipleChoices {
		res.Body = readable(res.Body)
	}
	return res, nil
}

// readable returns the body of an error response in a form that EasyPost's client can decode. Without this, the
// client would panic if the body is null.
func readable(body io.ReadCloser) io.ReadCloser {
	defer func() { _ = body.Close() }()
	data, _ := io.ReadAll(body) // if there is an error, use the data that was received before it
	if string(bytes.TrimSpace(data)) == "null" {
		data = nil
	}
	return io.NopCloser(bytes.NewReader(data))
}

// NeedsAddress returns true, because carriers need the full address.
func (e *EasyPost) NeedsAddress() bool { return true }

// Quotes returns the carriers' cheapest rates.
func (e *EasyPost) Quotes(ctx context.Context, c lost.ParcelOrder) ([]lost.Quote, error) {
	if !c.From.Rules().Offered {
		return nil, lost.E(lost.Invalid, "The location does not ship items.")
	}
	if !complete(c) {
		return nil, incomplete()
	}
	shipment, err := e.create(ctx, "", c)
	if err != nil {
		return nil, err
	}
	found := quotes(offers(shipment.Rates, ruleOf(c.From)))
	if len(found) == 0 {
		return nil, lost.E(lost.Invalid, "No carrier accepts this parcel%s.", e.reason(shipment.Messages, c))
	}
	return found, nil
}

func incomplete() error {
	return lost.E(lost.Invalid,
		"There is no price for this parcel. Set its weight or box, and complete the addresses of the location and "+
			"the recipient.")
}

// create registers a parcel with EasyPost. This is free, and the response contains the carriers' rates.
func (e *EasyPost) create(ctx context.Context, reference string, c lost.ParcelOrder) (*easypost.Shipment, error) {
	shipment, err := e.client("").CreateShipmentWithContext(ctx, declare(reference, c))
	if err != nil {
		return nil, e.failure(err, c)
	}
	if shipment == nil || !strings.HasPrefix(shipment.ID, shipmentPrefix) {
		return nil, lost.E(lost.Unavailable, "EasyPost sent an unexpected response.")
	}
	return shipment, nil
}

// Prepare registers the parcel with its current data, and selects the rate that the guest agreed to. If that rate now
// costs more, the location pays the difference.
func (e *EasyPost) Prepare(ctx context.Context, s lost.Shipment, c lost.ParcelOrder) (lost.Quote, lost.Postage, error) {
	if !complete(c) {
		return lost.Quote{}, lost.Postage{}, incomplete()
	}
	shipment, err := e.create(ctx, s.ID, c)
	if err != nil {
		return lost.Quote{}, lost.Postage{}, err
	}
	found, ok := agreedOffer(shipment.Rates, s.Quote, c.From)
	if !ok {
		what := "No carrier accepts this parcel"
		if s.Quote.Service != "" {
			what = s.Quote.Service + " is no longer offered for this parcel"
		}
		return lost.Quote{}, lost.Postage{}, lost.E(lost.Invalid, "%s%s.", what, e.reason(shipment.Messages, c))
	}
	q := s.Quote
	if q == (lost.Quote{}) {
		q = found.quote
	}
	if now := found.quote.Price; now.Currency == q.Price.Currency && now.Postage > maxRise*q.Price.Postage {
		return lost.Quote{}, lost.Postage{},
			lost.E(lost.Invalid, "%s now costs %s, but only %s was paid. Refund the fee or ship the item another way.",
				q.Service, lost.Price{Postage: now.Postage, Currency: now.Currency},
				lost.Price{Postage: q.Price.Postage, Currency: now.Currency})
	}
	return q, lost.Postage{Shipment: shipment.ID, Rate: found.id, ShippingDate: c.From.ShipDay(e.options.Now())}, nil
}

// Buy buys the label. EasyPost sells only one label for each of its shipments, so a repeated call returns the
// existing label.
func (e *EasyPost) Buy(ctx context.Context, s lost.Shipment, c lost.ParcelOrder) (lost.Postage, error) {
	p := s.Postage
	if !strings.HasPrefix(p.Shipment, shipmentPrefix) || p.Rate == "" {
		return lost.Postage{}, lost.E(lost.Invalid, "This parcel was not prepared with EasyPost. Buy the label again.")
	}
	bought, err := e.client(s.ID+"-"+p.Rate).BuyShipmentWithContext(ctx, p.Shipment, &easypost.Rate{ID: p.Rate}, "")
	if codeOf(err) == "SHIPMENT.POSTAGE.EXISTS" {
		if bought, err = e.client("").GetShipmentWithContext(ctx, p.Shipment); err != nil {
			// This must not be an Invalid error, which would mean that EasyPost refused the parcel.
			return lost.Postage{},
				lost.E(lost.Unavailable,
					"The label was bought, but EasyPost cannot return it at the moment.").WithCause(e.failure(err, c))
		}
	}
	if err != nil {
		return lost.Postage{}, e.failure(err, c)
	}
	return e.boughtPostage(bought, p)
}

// boughtPostage returns the postage of a shipment whose label was bought. It returns an error if the label is not
// ready.
func (e *EasyPost) boughtPostage(s *easypost.Shipment, p lost.Postage) (lost.Postage, error) {
	if s == nil || s.PostageLabel == nil {
		return lost.Postage{},
			lost.E(lost.Unavailable, "EasyPost has accepted the order, but the label is not ready yet.")
	}
	p.LabelURL = cmp.Or(s.PostageLabel.LabelPDFURL, s.PostageLabel.LabelURL)
	if !e.safe(p.LabelURL) {
		return lost.Postage{}, lost.E(lost.Unavailable, "The label was bought, but EasyPost did not return its URL.")
	}
	p.TrackingNumber = lost.Shorten(s.TrackingCode, lost.MaxShort)
	if s.Tracker != nil {
		p.Tracker, p.TrackingURL = s.Tracker.ID, e.link(s.Tracker)
	}
	return p, nil
}

// safe reports whether a URL from EasyPost may be requested or shown. It must use HTTPS, unless the configured API
// URL does not.
func (e *EasyPost) safe(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && u.User == nil &&
		(u.Scheme == "https" || u.Scheme == "http" && e.base.Scheme == "http")
}

// Label downloads the label. It never returns an Invalid error, which would mean that EasyPost refused the parcel.
func (e *EasyPost) Label(ctx context.Context, p lost.Postage) (content []byte, paper string, err error) {
	if p.LabelURL == "" {
		return nil, "", nil
	}
	if content, err = e.download(ctx, p.LabelURL); err != nil {
		if at, ok := errors.AsType[*url.Error](err); ok {
			err = at.Err // omit the URL, because anybody who has it can read the label
		}
		return nil, "",
			lost.E(lost.Unavailable, "The label was bought, but cannot be downloaded at the moment.").WithCause(err)
	}
	return content, labelPaper, nil
}

func (e *EasyPost) download(ctx context.Context, address string) ([]byte, error) {
	if !e.safe(address) {
		return nil, errors.New("the label URL does not use HTTPS")
	}
	ctx, cancel := context.WithTimeout(ctx, labelTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	client := http.Client{Transport: bounded{e.transport, maxLabel, ""}, CheckRedirect: refuseRedirects}
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("label download: status %d", res.StatusCode)
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

// Void requests a refund for a label. If EasyPost refuses, its response does not clearly say whether the label was
// already refunded, so Void then reads the shipment.
func (e *EasyPost) Void(ctx context.Context, p lost.Postage) error {
	if !strings.HasPrefix(p.Shipment, shipmentPrefix) {
		return nil
	}
	shipment, err := e.client("").RefundShipmentWithContext(ctx, p.Shipment)
	if err == nil {
		return refunded(shipment)
	}
	refusal := e.failure(err, lost.ParcelOrder{})
	if lost.CodeOf(refusal) != lost.Invalid {
		return refusal
	}
	shipment, err = e.client("").GetShipmentWithContext(ctx, p.Shipment)
	switch {
	case err != nil:
		return e.failure(err, lost.ParcelOrder{})
	case shipment != nil && shipment.PostageLabel == nil, shipment != nil && shipment.RefundStatus != "" &&
		refunded(shipment) == nil:
		return nil // there is no label, or it was already refunded
	default:
		return refusal
	}
}

// refunded returns an error if a label was not refunded. Carriers that only charge for scanned labels have the status
// "not_applicable", which is not an error.
func refunded(s *easypost.Shipment) error {
	switch {
	case s == nil:
		return lost.E(lost.Unavailable, "EasyPost sent an unexpected response.")
	case s.RefundStatus == "rejected":
		return lost.E(lost.Invalid, "The carrier refused to refund the label.")
	default: // submitted, refunded, not_applicable
		return nil
	}
}

// Check checks the API key without side effects: it requests a shipment that does not exist. If the key is valid,
// EasyPost responds with "not found". Otherwise Check returns an error.
func (e *EasyPost) Check(ctx context.Context) error {
	_, err := e.client("").GetShipmentWithContext(ctx, shipmentPrefix+"none")
	api, isAPIError := errors.AsType[*easypost.APIError](err)
	switch {
	case err == nil || isAPIError && api.StatusCode == http.StatusNotFound:
		return nil
	case isAPIError:
		return fmt.Errorf("EasyPost returned status %d: %s", api.StatusCode,
			e.clean(errorText(api), lost.ParcelOrder{}))
	default:
		return err
	}
}
