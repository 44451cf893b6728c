package app_test

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
	"sync/atomic"
	"testing"

	"homeward/internal/store/storetest"
)

const twilioToken = "the-token-of-twilio"

// postText sends a message to the service as Twilio does, and returns the status and the body of the response.
func (s *service) postText(token string, form url.Values) (int, string) {
	s.t.Helper()
	text := s.url + "/hooks/twilio"
	for _, name := range slices.Sorted(maps.Keys(form)) {
		text += name + form.Get(name)
	}
	mac := hmac.New(sha1.New, []byte(token))
	_, _ = io.WriteString(mac, text)
	r, err := http.NewRequest(http.MethodPost, s.url+"/hooks/twilio", strings.NewReader(form.Encode()))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("X-Twilio-Signature", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	a, err := send(s.unchecked, r)
	if err != nil {
		s.t.Fatal(err)
	}
	return a.status, string(a.body)
}

func TestRepliesBySMS(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		const media = "/2010-04-01/Accounts/AC1/Messages/MM1/Media/ME1"
		var fetched atomic.Int32
		twilio := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == media {
				fetched.Add(1)
				_, _ = w.Write(noisyPhoto())
				return
			}
			w.WriteHeader(http.StatusCreated)
			_, _ = io.WriteString(w, `{"sid":"SM1","status":"delivered"}`)
		}))
		t.Cleanup(twilio.Close)
		cfg := newConfig(t, setting)
		cfg.TwilioAccount, cfg.TwilioToken = "AC1", twilioToken
		cfg.TwilioFrom, cfg.TwilioAPI = "+15005550006", twilio.URL
		s := startService(t, cfg)
		at := "/v1/locations/" + s.newLocation(map[string]any{"name": "Hotel Adler"}) + "/items"
		item := at + "/" + s.must(http.StatusCreated, "POST", at, map[string]any{
			"description": "Umbrella", "owner": map[string]any{"phone": "+447700900123"},
		})["id"].(string)
		s.must(http.StatusCreated, "POST", item+"/thread", map[string]any{"text": "Light or dark?"})
		form := url.Values{
			"AccountSid": {"AC1"}, "MessageSid": {"MM1"}, "From": {"+447700900123"}, "To": {"+15005550006"},
			"Body": {"Dark."}, "NumMedia": {"2"}, "MediaUrl0": {twilio.URL + media},
			"MediaUrl1": {"http://127.0.0.1:1" + media},
		}
		if status, _ := s.postText("wrong", form); status != http.StatusForbidden {
			t.Errorf("a forged message returned %d", status)
		}
		for range 2 { // Twilio repeats a request that timed out
			status, body := s.postText(twilioToken, form)
			if status != http.StatusOK || !strings.HasSuffix(body, "<Response></Response>") {
				t.Errorf("got %d %s", status, body)
			}
		}
		stranger := url.Values{
			"AccountSid": {"AC1"}, "MessageSid": {"SM9"}, "From": {"+447700900999"}, "To": {"+15005550006"},
			"Body": {"Is it mine?"}, "NumMedia": {"1"}, "MediaUrl0": {twilio.URL + media},
		}
		status, body := s.postText(twilioToken, stranger)
		if status != http.StatusOK || !strings.HasSuffix(body, "<Response></Response>") {
			t.Errorf("an unknown number: got %d %s", status, body)
		}
		want := `homeward_replies_rejected_total{reason="unknown",via="sms"} 1`
		if !strings.Contains(s.metrics(), want) {
			t.Errorf("the metrics do not contain %s", want)
		}
		if n := fetched.Load(); n != 1 {
			t.Errorf("the photo was fetched %d times, want once, and not for the unknown number", n)
		}
		messages, _ := s.listAll(item + "/thread")
		if len(messages) != 2 || messages[0]["text"] != "Dark." || messages[0]["via"] != "sms" ||
			len(messages[0]["images"].([]any)) != 1 {
			t.Errorf("got %v, want the answer with its photo once", messages)
		}
	})
}

func TestRepliesByWhatsApp(t *testing.T) {
	t.Parallel()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		twilio := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusCreated)
			_, _ = io.WriteString(w, `{"sid":"SM1","status":"delivered"}`)
		}))
		t.Cleanup(twilio.Close)
		cfg := newConfig(t, setting)
		cfg.TwilioAccount, cfg.TwilioToken = "AC1", twilioToken
		cfg.TwilioFrom, cfg.TwilioAPI = "whatsapp:+15005550006", twilio.URL
		s := startService(t, cfg)
		at := "/v1/locations/" + s.newLocation(map[string]any{"name": "Hotel Adler"}) + "/items"
		item := at + "/" + s.must(http.StatusCreated, "POST", at, map[string]any{
			"description": "Umbrella", "owner": map[string]any{"phone": "+447700900123"},
		})["id"].(string)
		s.must(http.StatusCreated, "POST", item+"/thread", map[string]any{"text": "Light or dark?"})
		form := url.Values{
			"AccountSid": {"AC1"}, "MessageSid": {"MM1"}, "From": {"whatsapp:+447700900123"},
			"To": {"whatsapp:+15005550006"}, "Body": {"Dark."},
		}
		if status, _ := s.postText("wrong", form); status != http.StatusForbidden {
			t.Errorf("a wrong signature: got status %d, want 403", status)
		}
		if messages, _ := s.listAll(item + "/thread"); len(messages) != 1 {
			t.Errorf("after a wrong signature: got %v, want only the question", messages)
		}
		if status, body := s.postText(twilioToken, form); status != http.StatusOK {
			t.Errorf("got %d %s", status, body)
		}
		messages, _ := s.listAll(item + "/thread")
		if len(messages) != 2 || messages[0]["text"] != "Dark." || messages[0]["from"] != "guest" {
			t.Errorf("got %v, want the answer", messages)
		}
	})
}
