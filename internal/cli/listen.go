package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"homeward/internal/app"
	"homeward/internal/web"
	"homeward/internal/webhook"
)

type webhookCommand struct {
	Listen listenCommand `cmd:"" help:"Print webhooks on this machine, or forward events to a program on it."`
}

type listenCommand struct {
	At     string   `default:"127.0.0.1:9000" placeholder:"HOST:PORT" help:"Address to listen on. Default: ${default}."`
	Secret []string `name:"webhook-secret" placeholder:"TEXT" help:"${webhook_secret_help}"`
	Status int      `default:"200" placeholder:"N" help:"Response status, to test failures. Default: ${default}."`

	ForwardTo  string        `placeholder:"URL" help:"${forward_to_help}"`
	URL        string        `env:"HOMEWARD_URL" default:"${service_url}" placeholder:"URL" help:"${mcp_url_help}"`
	Types      []string      `name:"type" placeholder:"TYPE" help:"${forward_type_help}"`
	CursorFile string        `placeholder:"FILE" help:"${cursor_file_help}"`
	Every      time.Duration `default:"2s" placeholder:"TIME" help:"Interval between requests. Default: ${default}."`
}

// Help returns the text above the list of flags.
func (listenCommand) Help() string {
	return "Without --forward-to, the command listens for webhooks, prints each event and checks its signature. With " +
		"--forward-to, it asks a service for new events, with your API key, and sends each to the URL, signed like a " +
		"webhook. Then neither the command nor the program that it forwards to must be reachable for the service."
}

// Run receives webhooks, or forwards events, until the context ends.
func (c listenCommand) Run(ctx context.Context, cfg *app.Config, out io.Writer) error {
	if c.Status < 200 || c.Status > 599 {
		return app.InvalidSetting("--status", "an HTTP status from 200 to 599")
	}
	// --secret is the service's own secret, but a webhook secret passed there was meant for --webhook-secret.
	if webhook.IsSecret(cfg.Secret) {
		c.Secret = append(c.Secret, cfg.Secret)
	}
	for _, secret := range c.Secret {
		if !webhook.IsSecret(secret) {
			return app.InvalidSetting("--webhook-secret", "a secret as the service shows it, whsec_…")
		}
	}
	if c.ForwardTo != "" {
		return c.forward(ctx, cfg.APIKey, out)
	}
	var tcp net.ListenConfig
	at, err := tcp.Listen(ctx, "tcp", c.At)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w (choose another address with --at)", c.At, err)
	}
	r := &receiver{out: out, status: c.Status, secrets: c.Secret, now: time.Now}
	r.printf("Receiving webhooks on http://%s/\n"+
		"The service must allow private addresses: homeward serve --webhook-allow-private\n", at.Addr())
	if len(c.Secret) == 0 {
		r.printf("Register the address, then paste the secret here to check signatures.\n")
	}
	go r.readSecrets(os.Stdin)
	return web.Serve(ctx, at, r, slog.New(slog.DiscardHandler))
}

// receiver prints the webhooks that it receives.
type receiver struct {
	status int
	now    func() time.Time

	mu      sync.Mutex // guards the fields below
	out     io.Writer
	secrets []string
}

func (r *receiver) printf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, _ = fmt.Fprintf(r.out, format, args...)
}

// readSecrets adds secrets that the user pastes, until the input ends.
func (r *receiver) readSecrets(in io.Reader) {
	for lines := bufio.NewScanner(in); lines.Scan(); {
		switch secret := strings.TrimSpace(lines.Text()); {
		case secret == "":
		case webhook.IsSecret(secret):
			r.mu.Lock()
			r.secrets = append(r.secrets, secret)
			r.mu.Unlock()
			r.printf("From now on signatures are checked with this secret too.\n")
		default:
			r.printf("That is not a webhook secret: it begins with whsec_, followed by 44 characters.\n")
		}
	}
}

// maxEvent is the size in bytes of the largest body that is accepted. Events are far smaller.
const maxEvent = 4 << 20

// ServeHTTP prints an event and responds with the configured status.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxEvent))
	if err != nil {
		http.Error(w, "the body is incomplete or too large", http.StatusBadRequest)
		return
	}
	var event struct {
		EventType string `json:"eventType"`
	}
	if err := json.Unmarshal(body, &event); err != nil || event.EventType == "" {
		event.EventType = "not an event"
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, body, "  ", "  "); err != nil {
		indented.Write(body)
	}
	status := r.status
	if event.EventType == "verification" {
		status = http.StatusOK // otherwise the webhook could not be registered
	}
	name := strings.TrimSpace(strings.ReplaceAll(event.EventType, "\n", "?") + "  " + req.Header.Get("Webhook-Id"))
	r.printf("\n%s  %s  signature %s  responded %d\n  %s\n", r.now().Format(time.TimeOnly), printable(name),
		r.signature(req.Header, body), status, printable(indented.String()))
	w.WriteHeader(status)
}

// printable replaces control characters, so that received text cannot send commands to the terminal.
func printable(s string) string {
	return strings.Map(func(c rune) rune {
		if c != '\n' && (unicode.IsControl(c) || c == utf8.RuneError) {
			return '?'
		}
		return c
	}, s)
}

// signature describes the result of checking a request's signature against the known secrets.
func (r *receiver) signature(h http.Header, body []byte) string {
	r.mu.Lock()
	secrets := r.secrets
	r.mu.Unlock()
	if len(secrets) == 0 {
		return "not checked: no secret yet"
	}
	var failure error
	for _, secret := range secrets {
		if failure = webhook.Verify(secret, h, body, r.now()); failure == nil {
			return "verified"
		}
	}
	if errors.Is(failure, webhook.ErrBadSignature) && len(secrets) > 1 {
		return fmt.Sprintf("WRONG: the signature matches none of the %d known secrets", len(secrets))
	}
	return "WRONG: " + failure.Error()
}
