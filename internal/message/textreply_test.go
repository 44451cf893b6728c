package message_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/message"
)

func TestSignaturesAreThoseOfTwiliosDocumentation(t *testing.T) {
	form := url.Values{
		"CallSid": {"CA1234567890ABCDE"}, "Digits": {"1234"}, "From": {"+14158675309"}, "To": {"+18005551212"},
		"Caller": {"+14158675309"},
	}
	const address, signature = "https://mycompany.com/myapp.php?foo=1&bar=2", "RSOYDt4T1cUTdK1PDd93/VVr8B8="
	if !message.IsSigned("12345", address, form, signature) {
		t.Error("the signature is not accepted")
	}
	if message.IsSigned("12346", address, form, signature) || message.IsSigned("12345", address+"x", form, signature) ||
		message.IsSigned("12345", address, url.Values{}, signature) || message.IsSigned("12345", address, form, "") {
		t.Error("a wrong signature is accepted")
	}
}

// sign signs a request as Twilio does.
func sign(form url.Values) http.Header {
	text := base + "/hooks/twilio"
	for _, name := range slices.Sorted(maps.Keys(form)) {
		text += name + form.Get(name)
	}
	mac := hmac.New(sha1.New, []byte(authToken))
	_, _ = io.WriteString(mac, text)
	return http.Header{"X-Twilio-Signature": {base64.StdEncoding.EncodeToString(mac.Sum(nil))}}
}

func textSender(t *testing.T, from, api string) *message.Sender {
	t.Helper()
	return newSender(t, message.Options{
		Twilio: message.Twilio{Account: "AC1", Token: authToken, From: from, API: api},
	})
}

func TestATextReplyIsReadIfItIsSignedAndForOurNumber(t *testing.T) {
	const ours = "+15005550006"
	reply := func(change ...string) url.Values {
		form := url.Values{
			"AccountSid": {"AC1"}, "MessageSid": {"SM1"}, "From": {"+447700900123"}, "To": {ours},
			"Body": {"Dark & big"}, "NumMedia": {"1"}, "MediaUrl0": {"https://api.example/1"},
		}
		for n := 0; n < len(change); n += 2 {
			form.Set(change[n], change[n+1])
		}
		return form
	}
	for name, c := range map[string]struct {
		sender string
		form   url.Values
		want   bool
	}{
		"SMS": {ours, reply(), true},
		"WhatsApp": {"whatsapp:" + ours, reply("From", "whatsapp:+447700900123", "To", "whatsapp:"+ours),
			true},
		"a messaging service":       {"MG1", reply("MessagingServiceSid", "MG1"), true},
		"another number":            {ours, reply("To", "+15005550007"), false},
		"another messaging service": {"MG1", reply("MessagingServiceSid", "MG2"), false},
		"another account":           {ours, reply("AccountSid", "AC2"), false},
		"the word STOP":             {ours, reply("OptOutType", "STOP"), false},
		"no id":                     {ours, reply("MessageSid", ""), false},
	} {
		t.Run(name, func(t *testing.T) {
			p := textSender(t, c.sender, "")
			r, isOurs, err := p.ParseTextReply(sign(c.form), []byte(c.form.Encode()))
			if err != nil || isOurs != c.want {
				t.Fatalf("got %v, %v, want %v", isOurs, err, c.want)
			}
			if c.want && (r.ID != "SM1" || r.From != "+447700900123" || r.Text != "Dark & big" ||
				!slices.Equal(r.Media, []string{"https://api.example/1"})) {
				t.Errorf("got %+v", r)
			}
			forged := http.Header{"X-Twilio-Signature": {"RSOYDt4T1cUTdK1PDd93/VVr8B8="}}
			for _, header := range []http.Header{forged, {}} {
				_, _, err = p.ParseTextReply(header, []byte(c.form.Encode()))
				if lost.CodeOf(err) != lost.Forbidden {
					t.Errorf("a forged request: got %v, want forbidden", err)
				}
			}
		})
	}
	form := reply()
	_, _, err := newSender(t, message.Options{}).ParseTextReply(sign(form), []byte(form.Encode()))
	if lost.CodeOf(err) != lost.NotFound {
		t.Errorf("without an account: got %v, want not found", err)
	}
}

func TestPhotosAreFetchedOnlyFromTheProvider(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another server receives %s with %v", r.URL, r.Header)
	}))
	t.Cleanup(elsewhere.Close)
	const media = "/2010-04-01/Accounts/AC1/Messages/SM1/Media/"
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		switch {
		case user != "AC1" || password != authToken:
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == media+"ME1":
			_, _ = io.WriteString(w, "a photo")
		case r.URL.Path == media+"large":
			_, _ = io.WriteString(w, strings.Repeat("x", 10<<20+1))
		case r.URL.Path == media+"elsewhere":
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		default:
			t.Errorf("the provider receives %s", r.URL)
		}
	}))
	t.Cleanup(provider.Close)
	p := textSender(t, "+15005550006", provider.URL)
	if got, err := p.FetchMedia(t.Context(), provider.URL+media+"ME1"); err != nil || string(got) != "a photo" {
		t.Errorf("got %q, %v", got, err)
	}
	for _, address := range []string{
		provider.URL + media + "large", provider.URL + media + "elsewhere", elsewhere.URL + media + "ME1",
		provider.URL + "/2010-04-01/Accounts/AC2/Messages/SM1/Media/ME1", provider.URL + media + "../../x", "",
		provider.URL + media + "%2e%2e/%2E%2e/x", provider.URL + media + "%2e%2e%2fx", provider.URL + media + "..%2fx",
		provider.URL + media + "%252e%252e/x", provider.URL + media + "./ME1", provider.URL + media + "/ME1",
		provider.URL + media + `..\\x`, provider.URL + media + "ME1/", provider.URL + media,
		strings.Replace(provider.URL, "http://", "http://AC1:x@", 1) + media + "ME1",
		strings.Replace(provider.URL, "http://", "https://", 1) + media + "ME1",
	} {
		if got, err := p.FetchMedia(t.Context(), address); err == nil || strings.Contains(err.Error(), authToken) {
			t.Errorf("%s: got %d bytes, %v", address, len(got), err)
		}
	}
}
