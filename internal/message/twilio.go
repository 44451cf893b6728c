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
	messages string // the address of the account's messages, without .json
	client   *http.Client
}

const (
	twilioAPI = "https://api.twilio.com"
	maxAnswer = 64 << 10 // of the provider, in bytes
)

func newTwilio(o Twilio, roots *x509.CertPool) (*twilio, error) {
	if o.API == "" {
		o.API = twilioAPI
	}
	u, err := url.Parse(o.API)
	switch {
	case o.Token == "" || o.From == "":
		return nil, errors.New("an SMS account needs a token and a sender")
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("the address of the SMS provider is not https://host")
	}
	// A connection for each message: on one that was kept a request may be repeated, and a message that leaves twice is the one
	// thing that must not be. Twilio's HTTP/2 would share them too.
	var plain http.Protocols
	plain.SetHTTP1(true)
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, Protocols: &plain, DisableCompression: true,
		TLSHandshakeTimeout: waitTime, ResponseHeaderTimeout: waitTime, MaxResponseHeaderBytes: maxAnswer,
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
	}
	return &twilio{
		Twilio: o, messages: strings.TrimSuffix(o.API, "/") + "/2010-04-01/Accounts/" + url.PathEscape(o.Account) + "/Messages",
		client: &http.Client{
			Transport: transport, Timeout: waitTime,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// answer is what the provider says of a message, or of why there is none.
type answer struct {
	SID          string `json:"sid"`
	Status       any    `json:"status"` // of a message a word, of an error a number
	ErrorCode    int    `json:"error_code"`
	ErrorMessage string `json:"error_message"`
	Code         int    `json:"code"`
	Message      string `json:"message"`
}

// send gives a message to the provider, and tells the provider's name for it. handOver is called when the connection is there
// and nothing has been written to it yet; where it fails the connection is closed, and nothing can be.
func (t *twilio) send(ctx context.Context, to, text string, handOver func() error, secrets []string) (id string, err error) {
	form := url.Values{"To": {to}, "Body": {text}, "From": {t.From}}
	if strings.HasPrefix(t.From, "MG") {
		form.Del("From")
		form.Set("MessagingServiceSid", t.From)
	}
	var kept error
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) {
		if kept = handOver(); kept != nil {
			_ = c.Conn.Close()
		}
	}})
	status, a, err := t.ask(ctx, http.MethodPost, t.messages+".json", strings.NewReader(form.Encode()))
	switch {
	case kept != nil:
		return "", fmt.Errorf("hand the message over: %w", kept)
	case err != nil:
		return "", fmt.Errorf("reach the SMS provider: %w", err)
	case status >= 200 && status < 300 && isOver(a.Status):
		return "", lost.E(lost.Invalid, "The SMS provider could not send the message: %s", t.why(a))
	case status >= 200 && status < 300:
		return a.SID, nil
	case status == http.StatusBadRequest && slices.Contains(recipientCodes, a.Code):
		return "", lost.E(lost.Invalid, "The SMS provider refused the message: %s", t.said(a.Code, a.Message, secrets))
	case status >= 300 && status < 500:
		return "", lost.E(lost.Unavailable, "The SMS provider does not take the message at the moment: %s", t.said(status, a.Message, secrets))
	default: // it may have taken the message all the same
		return "", fmt.Errorf("the SMS provider failed: %s", t.said(status, a.Message, secrets))
	}
}

func isOver(status any) bool {
	return status == "failed" || status == "undelivered" || status == "canceled"
}

// recipientCodes are refusals that are about the number or the text. All others are about the account, or pass.
var recipientCodes = []int{
	21201, 21211, 21214, 21217, // no number, or not one
	21265, 21266, // a short number, or our own
	21421, 21602, 21604, 21605, 21617, // no number, no text, or too much of it
	21610,        // does not want our messages
	21614, 21635, // not a mobile phone
}

// trace asks what became of a message.
func (t *twilio) trace(ctx context.Context, id string) (lost.MessageState, string, error) {
	status, a, err := t.ask(ctx, http.MethodGet, t.messages+"/"+url.PathEscape(id)+".json", nil)
	switch {
	case err != nil:
		return "", "", fmt.Errorf("reach the SMS provider: %w", err)
	case status == http.StatusNotFound:
		return lost.MessageSent, "", nil // it was deleted there: nothing more will be known
	case status != http.StatusOK:
		return "", "", lost.E(lost.Unavailable, "The SMS provider does not answer at the moment: %s", t.said(status, a.Message, nil))
	}
	switch a.Status {
	case "delivered", "read", "received", "partially_delivered":
		return lost.MessageSent, "", nil
	case "failed", "undelivered", "canceled":
		return lost.MessageFailed, t.why(a), nil
	default: // "sent" too: it is on its way to the phone, and may still come back
		return lost.MessageWaiting, "", nil
	}
}

// ask makes one request and reads the answer as far as it is one.
func (t *twilio) ask(ctx context.Context, method, address string, form io.Reader) (status int, a answer, err error) {
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
	// What counts is that there was an answer; a body that cannot be read only says less.
	_ = json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(&a)
	return res.StatusCode, a, nil
}

func (t *twilio) said(code int, message string, secrets []string) string {
	return quote(strings.TrimSpace(fmt.Sprintf("%d %s", code, message)), append(slices.Clone(secrets), t.Token)...)
}

// failures are the usual ways in which a message does not arrive.
var failures = map[int]string{
	21610: "the person has asked not to get messages from this sender",
	30003: "the phone is switched off or out of reach",
	30004: "the phone does not take this message",
	30005: "the number is not in use",
	30006: "the number is a landline, or its network cannot be reached",
	30007: "the network took the message for unwanted advertising",
	30034: "the sender is not registered with the network",
}

// why says in words why a message did not arrive.
func (t *twilio) why(a answer) string {
	if words, known := failures[a.ErrorCode]; known {
		return words
	}
	if a.ErrorCode == 0 {
		return "the message did not arrive"
	}
	return "the message did not arrive: " + t.said(a.ErrorCode, a.ErrorMessage, nil)
}

// try asks for the account, which shows that it is there and the token right.
func (t *twilio) try(ctx context.Context) error {
	status, a, err := t.ask(ctx, http.MethodGet, strings.TrimSuffix(t.messages, "/Messages")+".json", nil)
	switch {
	case err != nil:
		return fmt.Errorf("reach the SMS provider: %w", err)
	case status != http.StatusOK:
		return fmt.Errorf("the SMS provider answered %s", t.said(status, a.Message, nil))
	}
	return nil
}
