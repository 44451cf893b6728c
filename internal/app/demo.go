package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"homeward/internal/courier"
	"homeward/internal/demo"
	"homeward/internal/lost"
	"homeward/internal/media"
	"homeward/internal/message"
	"homeward/internal/outbox"
	"homeward/internal/payment"
	"homeward/internal/pdf"
	"homeward/internal/services"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

// checkDemo refuses settings with which a demo would reach people outside, or people outside would reach a demo whose
// password they know.
func (c *Config) checkDemo() error {
	switch {
	case !c.Demo:
		return nil
	case c.SMTP != "" || c.TwilioAccount != "":
		return errors.New("--demo keeps its messages and sends none: start it without HOMEWARD_SMTP and " +
			"HOMEWARD_TWILIO_…")
	case c.Payment == "stripe":
		return errors.New("--demo takes no money: HOMEWARD_PAYMENT takes test or none with it")
	case c.Carrier == "easypost":
		return errors.New("--demo sends no parcels: HOMEWARD_CARRIER takes tariff with it")
	case !isLoopback(c.Listen) && (c.AdminPassword == "" || c.APIKey == ""):
		return errors.New("--demo has a password that everybody knows and so listens on this machine only: to let " +
			"others in, set HOMEWARD_ADMIN_PASSWORD and HOMEWARD_API_KEY before it is filled")
	}
	return nil
}

// isLoopback tells whether an address can only be reached from this machine.
func isLoopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// demo fills an empty database if that is wanted, and prints who may log in. It refuses to mix demos with real data.
func (a *App) demo(ctx context.Context, out io.Writer) error {
	is, err := a.services.Accounts.Demo(ctx)
	switch {
	case err != nil:
		return err
	case !a.cfg.Demo && is.Begun:
		return errors.New("HOMEWARD_DATA: this is a demo's data: start it with homeward serve --demo, or choose " +
			"another folder")
	case !a.cfg.Demo:
		return nil
	case !is.Begun:
		err = a.fill(ctx, out)
		is.Known = a.cfg.AdminPassword == "" && a.cfg.APIKey == ""
	case !is.Filled:
		err = errors.New("HOMEWARD_DATA: the demo was not filled to its end: delete its folder, and start again")
	case is.Known && !isLoopback(a.cfg.Listen):
		err = errors.New("HOMEWARD_LISTEN: this demo was filled with the password that everybody knows, and is for " +
			"this machine only: delete its folder, and start again")
	}
	if err == nil {
		a.demoWelcome(out, is.Known)
	}
	return err
}

// fill simulates ninety days on a clock of its own.
func (a *App) fill(ctx context.Context, out io.Writer) error {
	accounts, err := a.services.Accounts.List(ctx)
	if err != nil {
		return err
	}
	if len(accounts) > 0 {
		return errors.New("HOMEWARD_DATA: --demo fills an empty database, and this one has accounts: choose another " +
			"folder")
	}
	const roomy = 400 // percent: filling makes much garbage and keeps little
	defer debug.SetGCPercent(debug.SetGCPercent(roomy))
	clock := demo.NewClock(time.Now())
	db, err := store.OpenUnsynced(ctx, a.cfg.Database, clock.Now)
	if err != nil {
		return fmt.Errorf("HOMEWARD_DATABASE: %w", err)
	}
	defer db.Close()
	if err := db.UseSecret(a.secret); err != nil {
		return fmt.Errorf("HOMEWARD_SECRET: %w", err)
	}
	o, err := a.demoOptions(db, clock)
	if err != nil {
		return err
	}
	o.Password, o.Key, o.OnProgress = a.cfg.AdminPassword, a.cfg.APIKey, progress(out)
	return demo.Fill(ctx, o)
}

// demoOptions builds the services that a demo is filled with: the real ones, with another clock and nobody outside.
func (a *App) demoOptions(db *store.DB, clock *demo.Clock) (o demo.Options, err error) {
	receivers := &demo.Receivers{Clock: clock}
	h := a.hooks
	h.demo = receivers
	post, err := message.New(message.Options{From: a.cfg.MailFrom, Base: a.cfg.BaseURL})
	if err != nil {
		return o, err
	}
	nudged := &atomic.Bool{}
	nudge := func() { nudged.Store(true) }
	a.later = &deferredThumbnails{pictures: a.pictures}
	files := media.WithoutSync(a.files.Store)
	printer := pdf.New()
	d := services.New(services.Options{
		DB: db, Wire: v1.Encoder{Base: a.cfg.BaseURL}, Uploads: pictures{lab: a.pictures.lab, store: files}, Hooks: h,
		Messenger: post, Carrier: courier.Tariff{Now: clock.Now}, PaymentProvider: payment.Test{Now: clock.Now},
		Documents: printer, Forms: printer, Tags: printer, Codes: a.pictures.lab, Files: documentFiles{files},
		Now:  clock.Now,
		Wake: nudge, WakeMessages: nudge, WakeDeliveries: func(...store.EndpointQueue) { nudge() },
		Hashing: a.cfg.Hashing,
	})
	b := outbox.New(outbox.Options{
		DB: db, Files: a.later, Hooks: h, Messenger: post, Shipments: d.ShippingSteps(), Clearances: d.Storage,
		Erasures: d.People, Imports: d.Imports, Matching: d.Matcher,
		Base: a.cfg.BaseURL, Log: slog.New(slog.DiscardHandler), KeepDeliveries: a.cfg.Retention,
		Observe: func(lost.DeliveryState, time.Duration) {},
	})
	return demo.Options{
		Services: d, RunJobs: untilDone(b), Nudged: nudged, Clock: clock, Receivers: receivers,
		Items: cmp.Or(a.cfg.DemoFinds, demo.DefaultItems),
	}, nil
}

// deferredThumbnails leaves thumbnails until the service runs. One that is requested before is made on demand.
type deferredThumbnails struct {
	pictures
	mu    sync.Mutex
	names []string
}

// Thumbnail remembers which picture needs a thumbnail.
func (u *deferredThumbnails) Thumbnail(_ context.Context, name string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.names = append(u.names, name)
	return nil
}

// finish makes the thumbnails, newest first.
func (u *deferredThumbnails) finish(ctx context.Context, log *slog.Logger) {
	for _, name := range slices.Backward(u.names) {
		if err := u.pictures.Thumbnail(ctx, name); err != nil && ctx.Err() == nil {
			log.Warn("no small version of a demo's picture", "error", err)
		}
	}
}

// untilDone does what is due until nothing is left.
func untilDone(b *outbox.Outbox) func(ctx context.Context) error {
	const most = 1000 // rounds; a few are usual
	return func(ctx context.Context) error {
		for range most {
			done, err := b.RunOnce(ctx)
			if err != nil {
				return err
			}
			looked, err := b.CheckItemsOnce(ctx)
			if err != nil {
				return err
			}
			b.DeliverOnce(ctx)
			if done+looked == 0 {
				return nil
			}
		}
		return errors.New("there is always more to do")
	}
}

// progress shows the progress of filling at a terminal, and now and then elsewhere.
func progress(out io.Writer) func(done, all int) {
	end, every := "\n", 100
	if file, is := out.(*os.File); is && isTerminal(file) {
		end, every = "\r", 1
	}
	return func(done, all int) {
		switch {
		case done == all:
			_, _ = fmt.Fprintf(out, "Recording finds %d/%d\n", done, all)
		case done%every == 0:
			_, _ = fmt.Fprintf(out, "Recording finds %d/%d%s", done, all, end)
		}
	}
}

// demoWelcome prints what every start of a demo shows.
func (a *App) demoWelcome(out io.Writer, known bool) {
	word, key := "as set", "$HOMEWARD_API_KEY"
	if known {
		word, key = demo.Password, demo.Key
	}
	var b strings.Builder
	fmt.Fprintf(&b, "This is a demo: everything in it is made up, and nobody outside is written to.\n\n")
	fmt.Fprintf(&b, "  Dashboard  %s/\n", a.cfg.BaseURL)
	fmt.Fprintf(&b, "  Password   %s  for everybody:\n\n", word)
	for _, p := range demo.Users() {
		fmt.Fprintf(&b, "    %-26s %-7s %s\n", p.Email, p.Role, p.Name)
	}
	fmt.Fprintf(&b, "\nTry it:\n\n  curl -H \"svc-api-key: %s\" %s/v1/locations\n\n", key, a.URL())
	_, _ = io.WriteString(out, b.String())
}
