package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"homeward/internal/app"
	"homeward/internal/lost"
	v1 "homeward/internal/v1"
	"homeward/internal/webhook"
)

// forward asks the service for events and sends each to a URL, until the context ends.
func (c listenCommand) forward(ctx context.Context, key string, out io.Writer) error {
	for _, setting := range []struct{ name, value string }{{"--forward-to", c.ForwardTo}, {"HOMEWARD_URL", c.URL}} {
		if !app.IsURL(setting.value, "http", "https") {
			return app.InvalidSetting(setting.name, "an HTTP or HTTPS URL, such as http://127.0.0.1:8080")
		}
	}
	if key == "" {
		return errNoKey
	}
	f := &forwarder{
		to: c.ForwardTo, service: strings.TrimRight(c.URL, "/"), key: key, types: c.Types, secrets: c.Secret,
		file: c.CursorFile, every: max(c.Every, time.Millisecond), out: out,
		client: &http.Client{
			Timeout: pollTimeout,
			// A redirect could take the key to another host.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		sender: webhook.NewSender(webhook.Options{AllowPrivate: true}),
	}
	if len(f.secrets) == 0 {
		f.secrets = []string{webhook.NewSecret()}
		f.printf("Forwarded events are signed with this secret: %s\n", f.secrets[0])
	}
	if err := f.readCursor(); err != nil {
		return err
	}
	f.printf("Forwarding events of %s to %s\n", f.service, f.to)
	err := f.run(ctx)
	if ctx.Err() != nil {
		return nil //nolint:nilerr // somebody has stopped the command, so it did not fail
	}
	return err
}

const pollTimeout = 30 * time.Second

// forwarder polls the events of a service and sends them to a URL.
type forwarder struct {
	to, service, key string
	types, secrets   []string
	file             string // where the cursor is saved; empty for nowhere
	cursor           string // the position in the list of events; empty before the first page
	every            time.Duration
	out              io.Writer
	client           *http.Client
	sender           *webhook.Sender
}

func (f *forwarder) printf(format string, args ...any) { _, _ = fmt.Fprintf(f.out, format, args...) }

// readCursor reads the position that an earlier run has saved.
func (f *forwarder) readCursor() error {
	if f.file == "" {
		return nil
	}
	text, err := os.ReadFile(f.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--cursor-file: %w", err)
	}
	f.cursor = strings.TrimSpace(string(text))
	return nil
}

// saveCursor sets the position, and saves it if there is a file for it.
func (f *forwarder) saveCursor(cursor string) error {
	if cursor == f.cursor {
		return nil
	}
	f.cursor = cursor
	if f.file == "" {
		return nil
	}
	err := replaceFile(f.file, func(w io.Writer) error {
		_, err := io.WriteString(w, cursor+"\n")
		return err
	})
	if err != nil {
		return fmt.Errorf("--cursor-file: %w", err)
	}
	return nil
}

// run forwards events in the order in which the service lists them. The position is saved after each page, so that a
// restart repeats at most one page.
func (f *forwarder) run(ctx context.Context) error {
	since := time.Now().UTC().Format(time.RFC3339Nano)
	for failures := 0; ; {
		page, err := f.poll(ctx, since)
		if _, refused := errors.AsType[refusedError](err); refused || ctx.Err() != nil {
			return err
		}
		if err != nil {
			failures++
			f.printf("Polling events failed: %v; retrying in %s\n", err, backoff(failures))
			if err := wait(ctx, backoff(failures)); err != nil {
				return err
			}
			continue
		}
		failures = 0
		for _, e := range page.Data {
			if err := f.deliver(ctx, e); err != nil {
				return err
			}
		}
		if err := f.saveCursor(page.Next); err != nil {
			return err
		}
		if !page.TotalIsLowerBound {
			if err := wait(ctx, f.every); err != nil {
				return err
			}
		}
	}
}

// refusedError is a response of the service that another attempt would not change.
type refusedError struct{ v1.Problem }

func (e refusedError) Error() string {
	text := fmt.Sprintf("the service responded with %d: %s", e.Status, e.Detail)
	if e.Code == string(lost.InvalidCursor) {
		text += " Delete the file of --cursor-file to start with the events from now on."
	}
	return text
}

// poll reads the next page of events.
func (f *forwarder) poll(ctx context.Context, since string) (page v1.List[v1.Event], err error) {
	query := url.Values{"types": f.types}
	if f.cursor == "" {
		query.Set("since", since)
	} else {
		query.Set("cursor", f.cursor)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.service+"/v1/events?"+query.Encode(), nil)
	if err != nil {
		return page, err
	}
	req.Header.Set("Authorization", "Bearer "+f.key)
	res, err := f.client.Do(req)
	if err != nil {
		return page, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxPage))
	if err != nil {
		return page, err
	}
	if res.StatusCode == http.StatusOK {
		err = json.Unmarshal(body, &page)
		return page, err
	}
	refused := refusedError{v1.Problem{Status: res.StatusCode, Detail: res.Status}}
	_ = json.Unmarshal(body, &refused.Problem) // a proxy's response is no problem document
	if again := res.StatusCode >= http.StatusInternalServerError; again ||
		res.StatusCode == http.StatusTooManyRequests || res.StatusCode == http.StatusRequestTimeout {
		return page, errors.New(refused.Error())
	}
	return page, refused
}

// maxPage is the size in bytes of the largest page of events that is read.
const maxPage = 64 << 20

// deliver sends an event until the target accepts it, because none may be missed.
func (f *forwarder) deliver(ctx context.Context, e v1.Event) error {
	body, err := v1.Encode(struct {
		EventType string          `json:"eventType"`
		EventTime string          `json:"eventTime"`
		Payload   json.RawMessage `json:"payload"`
	}{e.EventType, e.EventTime, bytes.TrimSpace(e.Payload)})
	if err != nil {
		return err
	}
	for failures := 1; ; failures++ {
		o := f.sender.Send(ctx, webhook.Request{
			// The id must be the same in every attempt, also after a restart.
			URL: f.to, ID: strings.Replace(e.ID, lost.EventID, lost.DeliveryID, 1), EventID: e.ID, Secrets: f.secrets,
			Body: body, At: time.Now(), Test: e.EventType == string(lost.TestEvent),
		})
		line := fmt.Sprintf("%s  %s  %s", time.Now().Format(time.TimeOnly), printable(e.EventType), printable(e.ID))
		if o.OK() {
			f.printf("%s  forwarded\n", line)
			return nil
		}
		f.printf("%s  failed: %s; retrying in %s\n", line, printable(o.Err), backoff(failures))
		if err := wait(ctx, backoff(failures)); err != nil {
			return err
		}
	}
}

// backoff returns how long to wait after a number of failures: 1 s, then twice as long each time, up to a minute.
func backoff(failures int) time.Duration {
	const longest, doublings = time.Minute, 6
	return min(longest, time.Second<<min(failures-1, doublings))
}

// wait waits for a duration, or returns the error of the context if it ends before.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
