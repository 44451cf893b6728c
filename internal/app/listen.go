package app

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

	"homeward/internal/web"
	"homeward/internal/webhook"
)

type webhookCommand struct {
	Listen listenCommand `cmd:"" help:"Receive webhooks on this machine: print each event and whether its signature verifies."`
}

type listenCommand struct {
	At     string   `default:"127.0.0.1:9000" placeholder:"HOST:PORT" help:"Address to receive on. Default: ${default}."`
	Secret []string `name:"webhook-secret" placeholder:"TEXT" help:"Secret of the webhook, whsec_…; may be given more than once, or pasted while it runs."`
	Status int      `default:"200" placeholder:"N" help:"Status to answer with, to see what happens to failures. Default: ${default}."`
}

// Run receives until the context ends.
func (c listenCommand) Run(ctx context.Context, cfg *Config, out io.Writer) error {
	if c.Status < 200 || c.Status > 599 {
		return wrong("--status", "an HTTP status from 200 to 599")
	}
	if webhook.IsSecret(cfg.Secret) { // --secret is the service's own, but one like this was not meant so
		c.Secret = append(c.Secret, cfg.Secret)
	}
	for _, secret := range c.Secret {
		if !webhook.IsSecret(secret) {
			return wrong("--webhook-secret", "a secret as the service shows it, whsec_…")
		}
	}
	var tcp net.ListenConfig
	at, err := tcp.Listen(ctx, "tcp", c.At)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w (choose another with --at)", c.At, err)
	}
	r := &receiver{out: out, status: c.Status, secrets: c.Secret, now: time.Now}
	r.say("Receiving webhooks on http://%s/\nThe service must allow it: homeward serve --webhook-allow-private\n", at.Addr())
	if len(c.Secret) == 0 {
		r.say("Register the address, then paste the secret here to have signatures checked.\n")
	}
	go r.readSecrets(os.Stdin)
	return web.Serve(ctx, at, r, slog.New(slog.DiscardHandler))
}

// receiver prints what it receives.
type receiver struct {
	status int
	now    func() time.Time

	mu      sync.Mutex // of what follows
	out     io.Writer
	secrets []string
}

func (r *receiver) say(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, _ = fmt.Fprintf(r.out, format, args...)
}

// readSecrets takes secrets that are pasted, until there is nothing more to read.
func (r *receiver) readSecrets(in io.Reader) {
	for lines := bufio.NewScanner(in); lines.Scan(); {
		switch secret := strings.TrimSpace(lines.Text()); {
		case secret == "":
		case webhook.IsSecret(secret):
			r.mu.Lock()
			r.secrets = append(r.secrets, secret)
			r.mu.Unlock()
			r.say("From now on signatures are checked with this secret too.\n")
		default:
			r.say("That is no secret of a webhook: one begins with whsec_ and has 44 characters more.\n")
		}
	}
}

// maxEvent bounds what is received; an event is far smaller.
const maxEvent = 4 << 20

// ServeHTTP prints an event and answers.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxEvent))
	if err != nil {
		http.Error(w, "the body did not arrive whole", http.StatusBadRequest)
		return
	}
	var event struct {
		EventType string `json:"eventType"`
	}
	if err := json.Unmarshal(body, &event); err != nil || event.EventType == "" {
		event.EventType = "not an event"
	}
	var shown bytes.Buffer
	if err := json.Indent(&shown, body, "  ", "  "); err != nil {
		shown.Write(body)
	}
	status := r.status
	if event.EventType == "verification" {
		status = http.StatusOK // else it could not be registered
	}
	what := strings.TrimSpace(strings.ReplaceAll(event.EventType, "\n", "?") + "  " + req.Header.Get("Webhook-Id"))
	r.say("\n%s  %s  signature %s  answered %d\n  %s\n", r.now().Format(time.TimeOnly), printable(what), r.signature(req.Header, body), status, printable(shown.String()))
	w.WriteHeader(status)
}

// printable keeps what a stranger sent from steering the terminal.
func printable(s string) string {
	return strings.Map(func(c rune) rune {
		if c != '\n' && (unicode.IsControl(c) || c == utf8.RuneError) {
			return '?'
		}
		return c
	}, s)
}

// signature says whether a request was signed with a secret that is known here.
func (r *receiver) signature(h http.Header, body []byte) string {
	r.mu.Lock()
	secrets := r.secrets
	r.mu.Unlock()
	if len(secrets) == 0 {
		return "not checked: no secret yet"
	}
	var why error
	for _, secret := range secrets {
		if why = webhook.Verify(secret, h, body, r.now()); why == nil {
			return "verified"
		}
	}
	if errors.Is(why, webhook.ErrBadSignature) && len(secrets) > 1 {
		return fmt.Sprintf("WRONG: none of the %d secrets that are known here made it for this body", len(secrets))
	}
	return "WRONG: " + why.Error()
}
