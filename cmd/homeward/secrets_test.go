package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"homeward/internal/store/storetest"
)

// mark is part of every secret in the test, and of nothing else.
const mark = "m4rk3d"

func secret(of string) string { return of + "-" + mark + "-0123456789abcdef" }

// Every handler receives valid and invalid secrets, while every service that Homeward calls fails: e-mail, text
// messages, payment, carrier, OpenID Connect provider and webhooks. The process's output must contain none of the
// secrets.
func TestSecretsAreNeverWrittenToTheOutput(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		key, password := "hw_"+secret("first"), secret("password")
		p := startService(t,
			newSettings(t, setting, "HOMEWARD_API_KEY="+key, "HOMEWARD_ADMIN_EMAIL=admin@example.com",
				"HOMEWARD_ADMIN_PASSWORD="+password, "HOMEWARD_SECRET="+secret("own"),
				"HOMEWARD_SMTP=smtp://desk:"+secret("smtp")+"@127.0.0.1:1",
				"HOMEWARD_IMAP=imaps://desk:"+secret("imap")+"@127.0.0.1:1/INBOX", "HOMEWARD_TWILIO_ACCOUNT=AC1",
				"HOMEWARD_TWILIO_TOKEN="+secret("twilio"), "HOMEWARD_TWILIO_FROM=+15005550006",
				"HOMEWARD_TWILIO_API=http://127.0.0.1:1",
				"HOMEWARD_STRIPE_KEY=sk_test_"+secret("stripe"),
				"HOMEWARD_STRIPE_WEBHOOK_SECRET=whsec_"+secret("stripe"), "HOMEWARD_STRIPE_API=http://127.0.0.1:1",
				"HOMEWARD_CARRIER=easypost", "HOMEWARD_EASYPOST_KEY="+secret("easypost"),
				"HOMEWARD_EASYPOST_WEBHOOK_SECRET="+secret("easypost"), "HOMEWARD_EASYPOST_API=http://127.0.0.1:1",
				"HOMEWARD_VISION=http://127.0.0.1:1/v1", "HOMEWARD_VISION_MODEL=eyes-1",
				"HOMEWARD_VISION_KEY="+secret("vision"), "HOMEWARD_EMBEDDINGS=http://127.0.0.1:1/v1",
				"HOMEWARD_EMBEDDINGS_MODEL=words-1", "HOMEWARD_EMBEDDINGS_KEY="+secret("embeddings"),
				"HOMEWARD_OIDC_ISSUER=http://127.0.0.1:1", "HOMEWARD_OIDC_CLIENT_ID=homeward",
				"HOMEWARD_OIDC_CLIENT_SECRET="+secret("oidc"), "HOMEWARD_WEBHOOK_ALLOW_PRIVATE=true")...)
		k := &secretClient{t: t, p: p, key: key}
		k.client = &http.Client{Transport: p.stderr.Transport(http.DefaultTransport),
			CheckRedirect: func(*http.Request, []*http.Request) error {
				return http.ErrUseLastResponse
			}}
		k.api()
		k.pages(password)
		k.everyOperation()
		k.wire()
		for _, failed := range []string{"delivery", "job"} {
			waitUntil(t, "a "+failed+" failure is logged", func() bool {
				return hasError(p.stderr.String(), failed)
			})
		}
		if code := p.terminate(); code != 0 {
			t.Errorf("exit code %d", code)
		}
		for name, text := range map[string]string{"output": p.stdout.String(), "log": p.stderr.String()} {
			for line := range strings.SplitSeq(text, "\n") {
				if strings.Contains(line, mark) {
					t.Errorf("the %s contains a secret: %s", name, line)
				}
			}
		}
		if !strings.Contains(p.stderr.String(), `"msg":"request"`) {
			t.Error("nothing was logged")
		}
	})
}

// hasError reports whether a log contains a line with the given message and an error.
func hasError(log, msg string) bool {
	for line := range strings.Lines(log) {
		var is struct{ Msg, Error string }
		if json.Unmarshal([]byte(line), &is) == nil && is.Msg == msg && is.Error != "" {
			return true
		}
	}
	return false
}

// secretClient sends requests that contain secrets to every handler.
type secretClient struct {
	t      *testing.T
	p      *process
	key    string
	client *http.Client
}

func (k *secretClient) send(method, path, body string, header ...string) (status int, text string) {
	k.t.Helper()
	r, err := http.NewRequest(method, k.p.url+path, strings.NewReader(body))
	if err != nil {
		k.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for n := 0; n < len(header); n += 2 {
		r.Header.Set(header[n], header[n+1])
	}
	res, err := k.client.Do(r)
	if err != nil {
		k.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	all, err := io.ReadAll(res.Body)
	if err != nil {
		k.t.Fatal(err)
	}
	return res.StatusCode, string(all)
}

// create creates a record and returns its id.
func (k *secretClient) create(path, body string) string {
	k.t.Helper()
	status, text := k.send("POST", path, body, "svc-api-key", k.key)
	var record struct{ ID string }
	if err := json.Unmarshal([]byte(text), &record); err != nil || status != http.StatusCreated {
		k.t.Fatalf("POST %s: %d %s", path, status, text)
	}
	return record.ID
}

// api sends requests to the API that contain secrets and cause background jobs to fail.
func (k *secretClient) api() {
	location := k.create("/v1/locations", `{"name":"Hotel","country":"DE"}`)
	mail := k.create("/v1/locations/"+location+"/items",
		`{"description":"Umbrella","owner":{"email":"anna@example.com"}}`)
	k.create("/v1/locations/"+location+"/items", `{"description":"Scarf","owner":{"phone":"+4930901820"}}`)
	receiver := newReceiver(k.t)
	hook := k.create("/v1/webhooks",
		fmt.Sprintf(`{"url":%q,"headers":{"Authorization":"Bearer %s"}}`,
			receiver+"/in/"+secret("path")+"?token="+secret("query"), secret("header")))
	k.send("POST", "/v1/webhooks/"+hook+"/test", "", "svc-api-key", k.key)
	k.send("POST", "/v1/webhooks",
		fmt.Sprintf(`{"url":"http://127.0.0.1:1/%s","headers":{"X-Key":%q}}`, secret("path"), secret("header")),
		"svc-api-key", k.key)
	k.send("GET", "/v1/locations/"+location+"/items/"+mail+"/quotes?country=PL", "", "svc-api-key", k.key)
	k.create("/v1/keys", `{"name":"Another"}`)
	for _, wrong := range []string{secret("wrong"), "hw_" + secret("wrong")} {
		k.send("GET", "/v1/locations", "", "svc-api-key", wrong)
		k.send("GET", "/v1/locations", "", "Authorization", "Bearer "+wrong)
		k.send("GET", "/v1/locations?api_key="+wrong, "", "X-Request-Id", "a b "+wrong)
		k.send("POST", "/v1/"+wrong, wrong, "svc-api-key", k.key)
		k.send("POST", "/v1/locations", `{"`+wrong+`": 1`, "svc-api-key", k.key, "Content-Type",
			"application/json; x="+wrong)
		k.send("POST", "/v1/locations", "--x\r\n"+wrong, "svc-api-key", k.key, "Content-Type",
			"multipart/form-data; boundary="+wrong)
		k.send("POST", "/hooks/stripe", `{"`+wrong+`":1}`, "Stripe-Signature", "t=1,v1="+wrong)
		k.send("POST", "/hooks/easypost", wrong, "X-Hmac-Signature", "hmac-sha256-hex="+wrong)
		k.send("GET", "/files/"+wrong, "")
		k.send("GET", "/g/"+wrong, "")
		k.send("POST", "/g/"+wrong+"/renew", "")
		k.send("GET", "/l/"+wrong, "")
		k.send(wrong, "/", "")
		k.send(wrong, "/v1/locations", "", "svc-api-key", k.key)
		k.send(wrong, "/files/x", "")
		k.send(wrong, "/hooks/stripe", "")
	}
	_, messages := k.send("GET", "/v1/locations/"+location+"/items/"+mail+"/messages", "", "svc-api-key", k.key)
	link := regexp.MustCompile(`/g/[a-z0-9]+`).FindString(messages)
	if link == "" {
		k.t.Fatalf("no link in %s", messages)
	}
	for _, below := range []string{"", "/ship", "/pay", "/pickup", "/nothing", "?x=" + secret("query")} {
		k.send("GET", link+below, "")
		k.send("POST", link+below, "recipient="+secret("form"), "Content-Type", "application/x-www-form-urlencoded")
	}
}

// pages requests the dashboard and guest pages.
func (k *secretClient) pages(password string) {
	form := func(path string, values url.Values, cookies string) {
		k.send("POST", path, values.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Cookie", cookies)
	}
	form("/login", url.Values{"email": {secret("email") + "@example.com"}, "password": {secret("wrong")}}, "")
	form("/login", url.Values{"email": {"admin@example.com"}, "password": {secret("wrong")}},
		"session="+secret("cookie"))
	in, err := k.client.PostForm(k.p.url+"/login", url.Values{"email": {"admin@example.com"}, "password": {password}})
	if err != nil || len(in.Cookies()) == 0 {
		k.t.Fatalf("log in: %v %v", in, err)
	}
	_ = in.Body.Close()
	var cookies []string
	for _, c := range in.Cookies() {
		cookies = append(cookies, c.Name+"="+c.Value)
	}
	all := strings.Join(cookies, "; ")
	form("/settings/profile/password", url.Values{"current": {secret("wrong")}, "password": {secret("new")}}, all)
	form("/settings/keys", url.Values{"name": {"Desk"}}, all)
	form("/forgot", url.Values{"email": {"admin@example.com"}}, "")
	for _, at := range []string{
		"/", "/settings/profile", "/settings/webhooks", "/settings/audit", "/login/vouch", "/reset/" + secret("ticket"),
		"/invitation/" + secret("ticket"), "/confirm/" + secret("ticket"),
		"/login/back?code=" + secret("code") + "&state=" + secret("state"),
	} {
		k.send("GET", at, "", "Cookie", all)
	}
}

// everyOperation calls every operation in the OpenAPI document, with a secret wherever possible.
func (k *secretClient) everyOperation() {
	_, text := k.send("GET", "/openapi.json", "")
	var doc struct{ Paths map[string]map[string]any }
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		k.t.Fatal(err)
	}
	fill := regexp.MustCompile(`\{[^}]+\}`)
	for path, methods := range doc.Paths {
		for method := range methods {
			k.send(strings.ToUpper(method), fill.ReplaceAllString(path, secret("id"))+"?term="+secret("term"),
				`{"name":"`+secret("name")+`","`+secret("field")+`":1}`, "svc-api-key", k.key, "Idempotency-Key",
				secret("once"))
		}
	}
}

// wire sends data that is not HTTP.
func (k *secretClient) wire() {
	for _, raw := range []string{
		"GET / HTTP/1.1\r\nHost: x\r\nAuthorization " + secret("line") + "\r\n\r\n", secret("noise") + "\r\n\r\n",
		"GET /" + secret("path") + " HTTP/9.9\r\n\r\n",
		"POST /v1/locations HTTP/1.1\r\nHost: x\r\nsvc-api-key: " + k.key + "\r\nContent-Length: 100\r\n\r\n" +
			secret("half"),
		"GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat(secret("long"), 4000) + "\r\n\r\n",
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(k.p.url, "http://"))
		if err != nil {
			k.t.Fatal(err)
		}
		_, _ = conn.Write([]byte(raw)) // the connection may be closed before everything is sent
		_ = conn.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, conn)
		_ = conn.Close()
	}
}

// newReceiver starts a webhook receiver and returns its URL. The receiver accepts only verification requests.
func newReceiver(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var known atomic.Bool
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if known.Swap(true) {
			http.Error(w, "no: "+r.Header.Get("Authorization"), http.StatusInternalServerError)
		}
	})}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return "http://" + l.Addr().String()
}

// The error about an invalid setting does not contain its value.
func TestErrorsAboutSettingsDoNotContainValues(t *testing.T) {
	for _, setting := range []string{
		"HOMEWARD_SMTP=" + secret("smtp"), "HOMEWARD_SMTP=smtp://a:" + secret("b") + "@[::1",
		"HOMEWARD_IMAP=imaps://a:" + secret("imap") + "@[::1/INBOX",
		"HOMEWARD_API_KEY=" + secret("key") + " ä",
		"HOMEWARD_DATABASE=postgres://homeward:" + secret("db") + "@127.0.0.1:1/none",
		"HOMEWARD_DATABASE=postgres://homeward:" + secret("db") + "@[::1/none", "HOMEWARD_FILES=s4://" + secret("s3"),
		"HOMEWARD_STRIPE_KEY=" + secret("stripe"), "HOMEWARD_RATE_LIMIT=" + secret("limit"),
		"HOMEWARD_TRUSTED_PROXIES=" + secret("proxy"), "HOMEWARD_OIDC_CLIENT_SECRET=" + secret("oidc"),
	} {
		name, _, _ := strings.Cut(setting, "=")
		var out bytes.Buffer
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		cmd := exec.CommandContext(ctx, self(t), "serve")
		cmd.Env = environment("HOMEWARD_LISTEN=127.0.0.1:0", "HOMEWARD_DATA="+t.TempDir(),
			"HOMEWARD_DATABASE_WAIT=0s", setting)
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Run(); err == nil || ctx.Err() != nil {
			t.Errorf("%s: the service started or kept running: %s", name, &out)
		}
		cancel()
		if strings.Contains(out.String(), mark) {
			t.Errorf("the error contains the value of %s: %s", name, &out)
		}
	}
}
