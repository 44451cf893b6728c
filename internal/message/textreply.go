package message

import (
	"context"
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // the provider signs its requests with HMAC-SHA1
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"homeward/internal/lost"
)

// TextReply is an SMS or WhatsApp message that somebody sent to our number.
type TextReply struct {
	ID    string // the provider's id
	From  string // a phone number
	Text  string
	Media []string // URLs for FetchMedia
}

const (
	// TextCallback is the path to which the SMS provider sends messages from guests.
	TextCallback = "/hooks/twilio"

	maxMedia      = 10 << 20 // bytes of a picture in a message
	whatsApp      = "whatsapp:"
	maxMediaFiles = 10
)

// ParseTextReply reads a request with which the SMS provider passes on a message. It returns a Forbidden error if the
// provider has not signed the request, and false if the message is not for our number or not written by a person.
func (p *Sender) ParseTextReply(header http.Header, body []byte) (r TextReply, ours bool, err error) {
	if p.twilio == nil {
		return r, false, lost.E(lost.NotFound, "There is nothing at this address.")
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return r, false, lost.E(lost.Unreadable, "The message cannot be read.")
	}
	if !p.twilio.isSigned(p.base+TextCallback, form, header.Get("X-Twilio-Signature")) {
		return r, false, lost.E(lost.Forbidden, "The signature is wrong.")
	}
	sender := form.Get("To")
	if strings.HasPrefix(p.twilio.From, "MG") {
		sender = form.Get("MessagingServiceSid")
	}
	// A person who unsubscribes writes to the provider, not to the desk.
	ours = form.Get("AccountSid") == p.twilio.Account && sender == p.twilio.From && form.Get("OptOutType") == "" &&
		form.Get("MessageSid") != ""
	r = TextReply{
		ID: form.Get("MessageSid"), From: strings.TrimPrefix(form.Get("From"), whatsApp), Text: form.Get("Body"),
	}
	files, _ := strconv.Atoi(form.Get("NumMedia")) // 0 if it is missing
	for n := range min(files, maxMediaFiles) {
		r.Media = append(r.Media, form.Get("MediaUrl"+strconv.Itoa(n)))
	}
	return r, ours, nil
}

// isSigned reports whether the provider has signed a request: the address, followed by the names and values of the form
// in alphabetical order.
func (t *twilio) isSigned(address string, form url.Values, signature string) bool {
	mac := hmac.New(sha1.New, []byte(t.Token))
	mac.Write([]byte(address))
	for _, name := range slices.Sorted(maps.Keys(form)) {
		for _, value := range form[name] {
			mac.Write([]byte(name + value))
		}
	}
	got, err := base64.StdEncoding.DecodeString(signature)
	return err == nil && hmac.Equal(got, mac.Sum(nil))
}

// FetchMedia returns a file that came with a message. It connects only to the provider.
func (p *Sender) FetchMedia(ctx context.Context, address string) ([]byte, error) {
	if p.twilio == nil {
		return nil, lost.Missing("file")
	}
	return p.twilio.fetch(ctx, address)
}

func (t *twilio) fetch(ctx context.Context, address string) ([]byte, error) {
	if !t.isMedia(address) {
		return nil, lost.E(lost.Invalid, "This is not the address of a file at the SMS provider.")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("request a file: %w", err)
	}
	req.SetBasicAuth(t.Account, t.Token)
	client := *t.client
	client.CheckRedirect = checkMediaRedirect
	res, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("request a file: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("request a file: the SMS provider returned %d", res.StatusCode)
	}
	content, err := io.ReadAll(io.LimitReader(res.Body, maxMedia+1))
	if err == nil && len(content) > maxMedia {
		err = lost.E(lost.TooLarge, "The file is too large.")
	}
	return content, err
}

// mediaFile matches the part of a file's path that follows the account's messages.
var mediaFile = regexp.MustCompile(`^/[A-Za-z0-9]+/Media/[A-Za-z0-9]+$`)

// isMedia reports whether an address is that of a file in a message of our account. Only such a request may contain the
// token. The path is compared after decoding: the provider's server would decode and shorten it too.
func (t *twilio) isMedia(address string) bool {
	own, err := url.Parse(t.messages)
	if err != nil {
		return false
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != own.Scheme || !strings.EqualFold(u.Host, own.Host) || u.User != nil {
		return false
	}
	file, found := strings.CutPrefix(u.Path, own.Path)
	return found && path.Clean(u.Path) == u.Path && mediaFile.MatchString(file)
}

// checkMediaRedirect allows the provider's redirects to the server that stores the files, which must not receive the
// token.
func checkMediaRedirect(next *http.Request, before []*http.Request) error {
	const most = 3
	host := next.URL.Hostname()
	if len(before) > most || next.URL.Scheme != "https" || !strings.HasSuffix(host, ".twiliocdn.com") {
		return http.ErrUseLastResponse
	}
	next.Header.Del("Authorization")
	return nil
}
