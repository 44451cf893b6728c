package message

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"

	"homeward/internal/lost"
)

// twilio sends SMS through the provider's API.
type twilio struct {
	Twilio
	messages string // address of the account's messages, without .json
	client   *http.Client
}

const (
	twilioAPI   = "https://api.twilio.com"
	maxResponse = 64 << 10 // maximum number of bytes read from a response
)

func newTwilio(o Twilio, roots *x509.CertPool) (*twilio, error) {
	if o.API == "" {
		o.API = twilioAPI
	}
	u, err := url.Parse(o.API)
	switch {
	case o.Token == "" || o.From == "":
		return nil, errors.New("the Twilio account needs a token and a sender; set both")
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("the address of the SMS provider must have the form https://host")
	}
	// Every message uses a new connection: on a reused connection a request may be repeated, and a
	// message must never be sent twice. HTTP/2 would share connections too.
	var plain http.Protocols
	plain.SetHTTP1(true)
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, Protocols: &plain, DisableCompression: true,
		TLSHandshakeTimeout: waitTime, ResponseHeaderTimeout: waitTime, MaxResponseHeaderBytes: maxResponse,
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
	}
	return &twilio{
		Twilio:   o,
		messages: strings.TrimSuffix(o.API, "/") + "/2010-04-01/Accounts/" + url.PathEscape(o.Account) + "/Messages",
		client: &http.Client{
			Transport: transport, Timeout: waitTime,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// response is the provider's response about a message or an error.
type response struct {
	SID          string `json:"sid"`
	Status       any    `json:"status"` // a word for a message, a number for an error
	ErrorCode    int    `json:"error_code"`
	ErrorMessage string `json:"error_message"`
	Code         int    `json:"code"`
	Message      string `json:"message"`
}

// send sends a message through the provider and returns the id that the provider assigned. It calls handOver when the
// connection is established and nothing has been written. If handOver fails, the connection is closed before anything
// is sent.
func (t *twilio) send(ctx context.Context, to, text string, handOver func() error,
	secrets []string) (id string, err error) {
	form := url.Values{"To": {to}, "Body": {text}, "From": {t.From}}
	if strings.HasPrefix(t.From, "MG") {
		form.Del("From")
		form.Set("MessagingServiceSid", t.From)
	}
	if strings.HasPrefix(t.From, whatsApp) {
		form.Set("To", whatsApp+to)
	}
	var handOverErr error
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) {
		if handOverErr = handOver(); handOverErr != nil {
			_ = c.Conn.Close()
		}
	}})
	status, a, err := t.ask(ctx, http.MethodPost, t.messages+".json", strings.NewReader(form.Encode()))
	switch {
	case handOverErr != nil:
		return "", fmt.Errorf("hand over the message: %w", handOverErr)
	case err != nil:
		return "", fmt.Errorf("connect to the SMS provider: %w", err)
	case status >= 200 && status < 300 && hasFailed(a.Status):
		return "", lost.E(lost.Invalid, "The SMS provider could not send the message: %s", t.failureReason(a))
	case status >= 200 && status < 300:
		return a.SID, nil
	case status == http.StatusBadRequest && slices.Contains(recipientCodes, a.Code):
		return "",
			lost.E(lost.Invalid, "The SMS provider rejected the message: %s", t.quoted(a.Code, a.Message, secrets))
	case status >= 300 && status < 500:
		return "",
			lost.E(lost.Unavailable, "The SMS provider has not accepted the message yet: %s",
				t.quoted(status, a.Message, secrets))
	default: // the provider may have accepted the message nevertheless
		return "", fmt.Errorf("the SMS provider failed: %s", t.quoted(status, a.Message, secrets))
	}
}

func hasFailed(status any) bool {
	return status == "failed" || status == "undelivered" || status == "canceled"
}

// recipientCodes lists the error codes for messages that are rejected because of the number or the text. All other
// codes concern the account or are temporary.
var recipientCodes = []int{
	21201, 21211, 21214, 21217, // missing or invalid number
	21265, 21266, // short code, or our own number
	21421, 21602, 21604, 21605, 21617, // missing number, missing text, or text too long
	21610,        // the recipient has unsubscribed
	21614, 21635, // not a mobile phone
}

// trace requests the state of a message and, if it failed, the reason.
func (t *twilio) trace(ctx context.Context, id string) (lost.MessageState, string, error) {
	status, a, err := t.ask(ctx, http.MethodGet, t.messages+"/"+url.PathEscape(id)+".json", nil)
	switch {
	case err != nil:
		return "", "", fmt.Errorf("connect to the SMS provider: %w", err)
	case status == http.StatusNotFound:
		return lost.MessageSent, "", nil // the provider no longer has the message, so its state stays unknown
	case status != http.StatusOK:
		return "", "",
			lost.E(lost.Unavailable, "The SMS provider is not available at the moment: %s",
				t.quoted(status, a.Message, nil))
	}
	switch a.Status {
	case "delivered", "read", "received", "partially_delivered":
		return lost.MessageSent, "", nil
	case "failed", "undelivered", "canceled":
		return lost.MessageFailed, t.failureReason(a), nil
	default: // including "sent": the message is on its way to the phone and may still fail
		return lost.MessageWaiting, "", nil
	}
}

// ask sends one request and returns the status and, as far as it can be decoded, the response.
func (t *twilio) ask(ctx context.Context, method, address string, form io.Reader) (status int, a response, err error) {
	req, err := http.NewRequestWithContext(ctx, method, address, form)
	if err != nil {
		return 0, a, err
	}
	req.SetBasicAuth(t.Account, t.Token)
	req.Header.Set("Accept", "application/json")
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := t.client.Do(req)
	if err != nil {
		return 0, a, err
	}
	defer func() { _ = res.Body.Close() }()
	// A body that cannot be decoded is not an error, because only the status code matters.
	_ = json.NewDecoder(io.LimitReader(res.Body, maxResponse)).Decode(&a)
	return res.StatusCode, a, nil
}

func (t *twilio) quoted(code int, message string, secrets []string) string {
	return quote(strings.TrimSpace(fmt.Sprintf("%d %s", code, message)), append(slices.Clone(secrets), t.Token)...)
}

// failures maps error codes to the most frequent reasons why a message does not arrive.
var failures = map[int]string{
	21610: "the person has asked not to receive messages from this sender",
	30003: "the phone is switched off or out of reach",
	30004: "the phone rejected this message",
	30005: "the number is not in use",
	30006: "the number is a landline, or its network cannot be reached",
	30007: "the network filtered the message as spam",
	30034: "the sender is not registered with the network",
}

// failureReason returns the reason why a message did not arrive.
func (t *twilio) failureReason(a response) string {
	if text, known := failures[a.ErrorCode]; known {
		return text
	}
	if a.ErrorCode == 0 {
		return "the message did not arrive"
	}
	return "the message did not arrive: " + t.quoted(a.ErrorCode, a.ErrorMessage, nil)
}

// check requests the account, to verify that it exists and that the token is valid.
func (t *twilio) check(ctx context.Context) error {
	status, a, err := t.ask(ctx, http.MethodGet, strings.TrimSuffix(t.messages, "/Messages")+".json", nil)
	switch {
	case err != nil:
		return fmt.Errorf("connect to the SMS provider: %w", err)
	case status != http.StatusOK:
		return fmt.Errorf("the SMS provider returned %s", t.quoted(status, a.Message, nil))
	}
	return nil
}
