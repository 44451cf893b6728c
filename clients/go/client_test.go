package homeward_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	homeward "homeward/clients/go"
)

// transport responds to requests without a network, so that a test can use a fake clock.
type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// newResponse returns a response. Headers are written "Name: value".
func newResponse(status int, body string, headers ...string) *http.Response {
	res := &http.Response{
		StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: -1,
	}
	res.Header.Set("Content-Type", "application/json")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		res.Header.Set(name, value)
	}
	return res
}

func newClient(t *testing.T, responses transport) *homeward.Client {
	t.Helper()
	c, err := homeward.New("https://lost.example.com/", "hw_key",
		homeward.WithHTTPClient(&http.Client{Transport: responses}))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var input = homeward.ItemInput{Description: "Umbrella"}

func TestAFailedPostIsRepeatedWithTheSameKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var keys, bodies []string
		c := newClient(t, func(r *http.Request) (*http.Response, error) {
			body, _ := io.ReadAll(r.Body)
			keys, bodies = append(keys, r.Header.Get("Idempotency-Key")), append(bodies, string(body))
			switch len(keys) {
			case 1:
				return nil, errors.New("connection reset")
			case 2:
				return newResponse(http.StatusBadGateway, "<html>"), nil
			default:
				return newResponse(http.StatusCreated, `{"id": "item_1"}`), nil
			}
		})
		item, err := c.CreateItem(t.Context(), "loc_1", input)
		if err != nil || item.ID != "item_1" {
			t.Fatalf("got %+v, %v", item, err)
		}
		if len(keys) != 3 || keys[0] == "" || keys[1] != keys[0] || keys[2] != keys[0] || bodies[2] != bodies[0] {
			t.Errorf("sent the keys %q and the bodies %q", keys, bodies)
		}
	})
}

func TestOnlySafeRequestsAreRepeated(t *testing.T) {
	lost := errors.New("connection reset")
	for _, tt := range []struct {
		name   string
		status int // 0 for a lost connection
		call   func(*testing.T, *homeward.Client) error
		want   int
	}{
		{"GET, lost connection", 0, func(t *testing.T, c *homeward.Client) error {
			_, err := c.GetItem(t.Context(), "loc_1", "item_1")
			return err
		}, 4},
		{"PUT, lost connection", 0, func(t *testing.T, c *homeward.Client) error {
			_, err := c.UpdateItem(t.Context(), "loc_1", "item_1", homeward.ItemPatch{})
			return err
		}, 1},
		{"PUT, 503", 503, func(t *testing.T, c *homeward.Client) error {
			_, err := c.UpdateItem(t.Context(), "loc_1", "item_1", homeward.ItemPatch{})
			return err
		}, 4},
		{"DELETE, 504", 504, func(t *testing.T, c *homeward.Client) error {
			return c.DeleteItem(t.Context(), "loc_1", "item_1")
		}, 1},
		{"GET, 500", 500, func(t *testing.T, c *homeward.Client) error {
			_, err := c.GetItem(t.Context(), "loc_1", "item_1")
			return err
		}, 1},
		{"upload of a stream, 503", 503, func(t *testing.T, c *homeward.Client) error {
			_, err := c.UploadImage(t.Context(), "loc_1", "item_1", io.LimitReader(strings.NewReader("x"), 1))
			return err
		}, 1},
		{"upload of a file, 503", 503, func(t *testing.T, c *homeward.Client) error {
			_, err := c.UploadImage(t.Context(), "loc_1", "item_1", strings.NewReader("x"))
			return err
		}, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				sent := 0
				err := tt.call(t, newClient(t, func(r *http.Request) (*http.Response, error) {
					if sent++; tt.status == 0 {
						return nil, lost
					}
					if r.Body != nil {
						_, _ = io.Copy(io.Discard, r.Body)
					}
					return newResponse(tt.status, "busy"), nil
				}))
				if sent != tt.want || err == nil {
					t.Errorf("sent %d times, want %d; error %v", sent, tt.want, err)
				}
			})
		})
	}
}

func TestRetryAfterIsObeyed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started, sent := time.Now(), 0
		c := newClient(t, func(*http.Request) (*http.Response, error) {
			if sent++; sent == 1 {
				return newResponse(http.StatusTooManyRequests, "", "Retry-After: 7"), nil
			}
			return newResponse(http.StatusOK, `{"id": "item_1"}`), nil
		})
		_, err := c.GetItem(t.Context(), "loc_1", "item_1")
		if took := time.Since(started); err != nil || took < 7*time.Second || took > 8*time.Second {
			t.Errorf("waited %s, error %v", took, err)
		}
		c = newClient(t, func(*http.Request) (*http.Response, error) {
			return newResponse(http.StatusTooManyRequests, "", "Retry-After: 3600"), nil
		})
		started = time.Now()
		if _, err := c.GetItem(t.Context(), "loc_1", "item_1"); err == nil || time.Since(started) > 0 {
			t.Errorf("with a pause of an hour: waited %s, error %v", time.Since(started), err)
		}
	})
}

func TestUnknownFieldsAndValuesAreAccepted(t *testing.T) {
	c := newClient(t, func(*http.Request) (*http.Response, error) {
		return newResponse(http.StatusOK,
			`{"id": "item_1", "status": "TELEPORTED", "color": null, "new": {"a": [1]}}`), nil
	})
	item, err := c.GetItem(t.Context(), "loc_1", "item_1")
	if err != nil || item.Status != "TELEPORTED" || item.ID != "item_1" {
		t.Errorf("got %+v, %v", item, err)
	}
}

func TestAPatchTellsAbsentNullAndValueApart(t *testing.T) {
	var sent string
	c := newClient(t, func(r *http.Request) (*http.Response, error) {
		body, _ := io.ReadAll(r.Body)
		sent = string(body)
		return newResponse(http.StatusOK, `{}`), nil
	})
	patch := homeward.ItemPatch{
		Brand: homeward.Set(""), Color: homeward.Null[string](),
		Shipping: homeward.Set(homeward.ShippingPatch{IsDocument: homeward.Set(false)}),
	}
	if _, err := c.UpdateItem(t.Context(), "loc_1", "item_1", patch); err != nil {
		t.Fatal(err)
	}
	if want := `{"brand":"","color":null,"shipping":{"isDocument":false}}`; sent != want {
		t.Errorf("sent %s, want %s", sent, want)
	}
}

func TestAWholeRecordIsAPatch(t *testing.T) {
	var item homeward.Item
	record := `{"id":"item_1","status":"PENDING","images":[],"owner":{"email":"a@example.com"},` +
		`"createdAt":"2026-11-15T08:30:21.71Z","updatedAt":"2026-11-15T10:30:21.71+02:00"}`
	if err := json.Unmarshal([]byte(record), &item); err != nil {
		t.Fatal(err)
	}
	patch, err := item.Patch()
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(patch)
	var got, want map[string]any
	_ = json.Unmarshal(text, &got)
	_ = json.Unmarshal([]byte(record), &want)
	for name, value := range want {
		if fmt.Sprint(got[name]) != fmt.Sprint(value) {
			t.Errorf("%s is sent back as %v, but was %v", name, got[name], value)
		}
	}
}

func TestProblemsAreTyped(t *testing.T) {
	c := newClient(t, func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodGet {
			return newResponse(http.StatusForbidden, "<html>blocked by the proxy", "Content-Type: text/html"), nil
		}
		return newResponse(http.StatusUnprocessableEntity, `{"status": 422, "code": "invalid", "detail": "One field.",
			"errors": [{"field": "owner.email", "code": "invalid-email", "message": "must be an address"}]}`,
			"Content-Type: application/problem+json"), nil
	})
	_, err := c.CreateItem(t.Context(), "loc_1", input)
	var problem *homeward.Problem
	if !errors.As(err, &problem) || problem.Code != homeward.ProblemCodeInvalid {
		t.Fatalf("got %v", err)
	}
	if e, ok := problem.Field("owner.email"); !ok || e.Code != homeward.FieldCodeInvalidEmail {
		t.Errorf("got the field %+v", e)
	}
	_, err = c.GetItem(t.Context(), "loc_1", "item_1")
	if !errors.As(err, &problem) || problem.Status != http.StatusForbidden || problem.Code != "" {
		t.Errorf("from a proxy: got %v", err)
	}
}

func TestHeadersAreSentAndReturned(t *testing.T) {
	c := newClient(t, func(r *http.Request) (*http.Response, error) {
		const want = "https://lost.example.com/v1/locations/a%2Fb/items/item_1"
		if r.Header.Get("Authorization") != "Bearer hw_key" || r.URL.String() != want {
			t.Errorf("sent %s %v", r.URL, r.Header)
		}
		if r.Header.Get("If-None-Match") == `"1"` {
			return newResponse(http.StatusNotModified, ""), nil
		}
		return newResponse(http.StatusOK, `{}`, `ETag: "1"`), nil
	})
	var response homeward.Response
	if _, err := c.GetItem(t.Context(), "a/b", "item_1", homeward.WithResponse(&response)); err != nil {
		t.Fatal(err)
	}
	_, err := c.GetItem(t.Context(), "a/b", "item_1", homeward.WithHeader("If-None-Match", response.ETag()))
	if response.Status != http.StatusOK || !errors.Is(err, homeward.ErrNotModified) {
		t.Errorf("got %+v, %v", response, err)
	}
}

func TestUploadsAreStreamed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "photo")
	if err := os.WriteFile(name, bytes.Repeat([]byte("photo"), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	c := newClient(t, func(r *http.Request) (*http.Response, error) {
		body, _ := io.ReadAll(r.Body)
		_, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
		part, err := multipart.NewReader(bytes.NewReader(body), params["boundary"]).NextPart()
		if err != nil || part.FormName() != "image" || r.ContentLength != int64(len(body)) {
			t.Errorf("sent %d bytes, announced %d: %v", len(body), r.ContentLength, err)
		}
		return newResponse(http.StatusOK, `{}`), nil
	})
	if _, err := c.UploadImage(t.Context(), "loc_1", "item_1", file); err != nil {
		t.Fatal(err)
	}
}

func TestIteratorsReadEveryPage(t *testing.T) {
	pages := map[string]string{
		"":  `{"data": [{"id": "1"}, {"id": "2"}], "page": 1, "pages": 2, "limit": 2, "next": "b"}`,
		"2": `{"data": [{"id": "3"}], "page": 2, "pages": 2, "limit": 2}`,
		"b": `{"data": [{"id": "3"}], "page": 2, "pages": 2, "limit": 2, "next": "c"}`,
		"c": `{"data": [], "next": "d"}`, // a list that never ends responds with a cursor and no records
	}
	c := newClient(t, func(r *http.Request) (*http.Response, error) {
		q := r.URL.Query()
		return newResponse(http.StatusOK, pages[q.Get("cursor")+q.Get("page")]), nil
	})
	var got string
	for l, err := range c.AllLocations(t.Context(), homeward.ListLocationsQuery{}) {
		got += fmt.Sprint(l.ID, err)
	}
	for e, err := range c.AllAudit(t.Context(), homeward.ListAuditQuery{}) {
		got += fmt.Sprint(" ", e.ID, err)
	}
	if want := "1<nil>2<nil>3<nil> 1<nil> 2<nil> 3<nil>"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestWebhooksAreVerified(t *testing.T) {
	const secret = "whsec_dGVzdA=="
	now := time.Unix(1_794_731_400, 0)
	body := []byte(`{"eventType": "pickup", "payload": {}}`)
	sign := func(secret string, at time.Time) string {
		mac := hmac.New(sha256.New, []byte(secret))
		fmt.Fprintf(mac, "%d.%s", at.Unix(), body)
		return fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil)))
	}
	rotating := sign("whsec_old", now) + strings.TrimPrefix(sign(secret, now), "t=1794731400")
	for name, tt := range map[string]struct {
		signature string
		secrets   []string
		ok        bool
	}{
		"signed":            {sign(secret, now), []string{secret}, true},
		"rotating":          {rotating, []string{secret}, true},
		"two known secrets": {sign(secret, now), []string{"whsec_new", secret}, true},
		"another secret":    {sign("whsec_other", now), []string{secret}, false},
		"too old":           {sign(secret, now.Add(-6*time.Minute)), []string{secret}, false},
		"in the future":     {sign(secret, now.Add(6*time.Minute)), []string{secret}, false},
		"no signature":      {"", []string{secret}, false},
		"no secret":         {sign("", now), []string{""}, false},
		"no time":           {"v1=00", []string{secret}, false},
	} {
		if err := homeward.VerifyWebhook(body, tt.signature, now, tt.secrets...); (err == nil) != tt.ok {
			t.Errorf("%s: got %v", name, err)
		}
	}
	body = []byte(`{"eventType": "teleported", "payload": {"item": {"id": "item_1"}, "beam": 7}}`)
	r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
	r.Header.Set(homeward.SignatureHeader, sign(secret, time.Now()))
	if event, err := homeward.ReadWebhook(r, secret); err != nil || event.EventType != "teleported" ||
		event.Payload.Item.ID != "item_1" {
		t.Errorf("got %+v, %v", event, err)
	}
}

func TestAClientNeedsAURLAndAKey(t *testing.T) {
	for _, tt := range [][2]string{{"lost.example.com", "k"}, {"ftp://lost.example.com", "k"}, {"https://a", ""}} {
		if _, err := homeward.New(tt[0], tt[1]); err == nil {
			t.Errorf("New(%q, %q) succeeded", tt[0], tt[1])
		}
	}
}
