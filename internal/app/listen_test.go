package app_test

import (
	"context"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"homeward/internal/app"
	"homeward/internal/webhook"
)

// listen runs homeward webhook listen until the test ends, and gives its address and what it prints.
func listen(t *testing.T, args ...string) (address string, out *syncBuffer) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out = &syncBuffer{}
	code := make(chan int, 1)
	go func() {
		code <- app.Command(ctx, append([]string{"webhook", "listen", "--at", "127.0.0.1:0"}, args...), out, out)
	}()
	t.Cleanup(func() {
		cancel()
		if c := <-code; c != 0 {
			t.Errorf("it ended with %d:\n%s", c, out)
		}
	})
	begins := regexp.MustCompile(`Receiving webhooks on (http://127\.0\.0\.1:\d+/)`)
	eventually(t, "it says where it listens", func() bool { return begins.MatchString(out.String()) })
	return begins.FindStringSubmatch(out.String())[1], out
}

func TestTheListenerPrintsEventsAndWhetherTheyVerify(t *testing.T) {
	secret := webhook.NewSecret()
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"without a secret":     {nil, "signature not checked: no secret yet"},
		"with another secret":  {[]string{"--webhook-secret", webhook.NewSecret()}, "signature WRONG: the signature was not made with this secret for this body"},
		"with its own, second": {[]string{"--webhook-secret", webhook.NewSecret(), "--webhook-secret", secret}, "signature verified"},
	} {
		t.Run(name, func(t *testing.T) {
			address, out := listen(t, c.args...)
			sendSigned(t, address, secret, `{"eventType":"pickup","eventTime":"2026-11-15T12:00:00.000Z","payload":{"pickupDate":"2026-11-20"}}`, http.StatusOK)
			for _, want := range []string{"--webhook-allow-private", "  pickup  dlv_1?[2J  " + c.want + "  answered 200\n", "    \"payload\": {\n      \"pickupDate\": \"2026-11-20\"\n    }\n"} {
				if !strings.Contains(out.String(), want) {
					t.Errorf("it does not print %q:\n%s", want, out)
				}
			}
		})
	}
}

func TestTheListenerPrintsWhatIsNoEvent(t *testing.T) {
	address, out := listen(t, "--webhook-secret", webhook.NewSecret())
	res, err := http.Post(address, "text/plain", strings.NewReader("hello \xff"))
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if got := out.String(); !strings.Contains(got, "  not an event  signature WRONG: there is no readable signature  answered 200\n  hello ?\n") {
		t.Errorf("it prints\n%s", got)
	}
}

func TestTheListenerAnswersAsItIsTold(t *testing.T) {
	address, _ := listen(t, "--status", "503")
	sendSigned(t, address, webhook.NewSecret(), `{"eventType":"test"}`, http.StatusServiceUnavailable)
	sendSigned(t, address, webhook.NewSecret(), `{"eventType":"verification"}`, http.StatusOK) // else it could not be registered
	var said syncBuffer
	if code := app.Command(t.Context(), []string{"webhook", "listen", "--status", "99"}, &said, &said); code != 1 || !strings.Contains(said.String(), "--status") {
		t.Errorf("with a wrong status: %d %s", code, &said)
	}
}

func TestTheListenerSaysThatItsAddressIsTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	var said syncBuffer
	if code := app.Command(t.Context(), []string{"webhook", "listen", "--at", taken.Addr().String()}, &said, &said); code != 1 || !strings.Contains(said.String(), "choose another with --at") {
		t.Errorf("%d %s", code, &said)
	}
}

// The whole way: a service registers the listener, which verifies what it gets.
func TestTheListenerReceivesFromTheService(t *testing.T) {
	s := start(t, hooking(t, ""))
	address, out := listen(t)
	made := s.must(http.StatusCreated, "POST", "/v1/webhooks", map[string]any{"url": address})
	eventually(t, "the check is printed", func() bool {
		return strings.Contains(out.String(), "  verification  dlv_") && strings.Contains(out.String(), "not checked")
	})
	s.must(http.StatusCreated, "POST", "/v1/webhooks/"+made["id"].(string)+"/test", nil)
	eventually(t, "the test event is printed", func() bool { return strings.Contains(out.String(), "  test  dlv_") })
}

// sendSigned sends an event as the service does, under an id that would clear the screen.
func sendSigned(t *testing.T, address, secret, body string, status int) {
	t.Helper()
	o := webhook.NewSender(webhook.Options{AllowPrivate: true}).Send(t.Context(), webhook.Request{
		URL: address, ID: "dlv_1\u009b[2J", Secrets: []string{secret}, Body: []byte(body), At: time.Now(),
	})
	if o.Status != status {
		t.Fatalf("it answered %+v", o)
	}
}
