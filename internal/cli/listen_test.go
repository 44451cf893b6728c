package cli_test

import (
	"context"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"homeward/internal/cli"
	"homeward/internal/webhook"
)

// listen runs homeward webhook listen until the test ends. It returns its address and its output.
func listen(t *testing.T, args ...string) (address string, out *syncBuffer) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out = &syncBuffer{}
	code := make(chan int, 1)
	go func() {
		code <- cli.Run(ctx, append([]string{"webhook", "listen", "--at", "127.0.0.1:0"}, args...), out, out)
	}()
	t.Cleanup(func() {
		cancel()
		if c := <-code; c != 0 {
			t.Errorf("exit code %d:\n%s", c, out)
		}
	})
	begins := regexp.MustCompile(`Receiving webhooks on (http://127\.0\.0\.1:\d+/)`)
	waitUntil(t, "the command prints its address", func() bool { return begins.MatchString(out.String()) })
	return begins.FindStringSubmatch(out.String())[1], out
}

func TestListenerPrintsEventsAndChecksSignatures(t *testing.T) {
	secret := webhook.NewSecret()
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"without a secret": {nil, "signature not checked: no secret yet"},
		"with another secret": {[]string{"--webhook-secret", webhook.NewSecret()},
			"signature WRONG: the signature does not match the secret and the body"},
		"with its own, second": {[]string{"--webhook-secret", webhook.NewSecret(), "--webhook-secret", secret},
			"signature verified"},
	} {
		t.Run(name, func(t *testing.T) {
			address, out := listen(t, c.args...)
			sendSigned(t, address, secret,
				`{"eventType":"pickup","eventTime":"2026-11-15T12:00:00.000Z","payload":{"pickupDate":"2026-11-20"}}`,
				http.StatusOK)
			for _, want := range []string{"--webhook-allow-private",
				"  pickup  dlv_1?[2J  " + c.want + "  responded 200\n",
				"    \"payload\": {\n      \"pickupDate\": \"2026-11-20\"\n    }\n"} {
				if !strings.Contains(out.String(), want) {
					t.Errorf("the output lacks %q:\n%s", want, out)
				}
			}
		})
	}
}

func TestListenerPrintsBodiesThatAreNotEvents(t *testing.T) {
	address, out := listen(t, "--webhook-secret", webhook.NewSecret())
	res, err := http.Post(address, "text/plain", strings.NewReader("hello \xff"))
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if got := out.String(); !strings.Contains(got,
		"  not an event  signature WRONG: the request has no readable signature  responded 200\n  hello ?\n") {
		t.Errorf("printed\n%s", got)
	}
}

func TestListenerRespondsWithTheConfiguredStatus(t *testing.T) {
	address, _ := listen(t, "--status", "503")
	sendSigned(t, address, webhook.NewSecret(), `{"eventType":"test"}`, http.StatusServiceUnavailable)
	// A verification request gets 200 even with --status, or else the receiver could not be registered.
	sendSigned(t, address, webhook.NewSecret(), `{"eventType":"verification"}`, http.StatusOK)
	var printed syncBuffer
	if code := cli.Run(t.Context(), []string{"webhook", "listen", "--status", "99"}, &printed, &printed); code != 1 ||
		!strings.Contains(printed.String(), "--status") {
		t.Errorf("with an invalid status: exit code %d, %s", code, &printed)
	}
}

func TestListenerReportsAnAddressInUse(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	var printed syncBuffer
	if code := cli.Run(t.Context(), []string{"webhook", "listen", "--at", taken.Addr().String()}, &printed,
		&printed); code != 1 || !strings.Contains(printed.String(), "choose another address with --at") {
		t.Errorf("exit code %d, %s", code, &printed)
	}
}

func TestListenerReceivesWebhooksOfAService(t *testing.T) {
	cfg := newConfig(t, "")
	cfg.AllowPrivate = true
	s := startService(t, cfg)
	address, out := listen(t)
	created := s.create(t, "/v1/webhooks", map[string]any{"url": address})
	waitUntil(t, "the verification is printed", func() bool {
		return strings.Contains(out.String(), "  verification  dlv_") && strings.Contains(out.String(), "not checked")
	})
	s.create(t, "/v1/webhooks/"+created["id"].(string)+"/test", nil)
	waitUntil(t, "the test event is printed", func() bool { return strings.Contains(out.String(), "  test  dlv_") })
}

// sendSigned sends an event as the service does. Its id contains a control sequence that would clear the screen.
func sendSigned(t *testing.T, address, secret, body string, status int) {
	t.Helper()
	o := webhook.NewSender(webhook.Options{AllowPrivate: true}).Send(t.Context(), webhook.Request{
		URL: address, ID: "dlv_1\u009b[2J", Secrets: []string{secret}, Body: []byte(body), At: time.Now(),
	})
	if o.Status != status {
		t.Fatalf("got %+v", o)
	}
}
