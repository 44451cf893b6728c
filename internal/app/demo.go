package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"homeward/internal/courier"
	"homeward/internal/demo"
	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/media"
	"homeward/internal/message"
	"homeward/internal/outbox"
	"homeward/internal/payment"
	"homeward/internal/pdf"
	"homeward/internal/services"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
	"homeward/internal/web"
)

// checkDemo returns an error if a demo would involve real messages, payments or parcels, or if strangers could log in
// with the published password.
func (c *Config) checkDemo() error {
	switch {
	case !c.Demo:
		return nil
	case c.SMTP != "" || c.IMAP != "" || c.TwilioAccount != "":
		return errors.New("--demo sends no messages: start it without HOMEWARD_SMTP, HOMEWARD_IMAP and " +
			"HOMEWARD_TWILIO_…")
	case c.Payment == "stripe":
		return errors.New("--demo accepts no real payments: set HOMEWARD_PAYMENT to test or none")
	case c.Carrier == "easypost":
		return errors.New("--demo ships no real parcels: set HOMEWARD_CARRIER to tariff")
	case c.BaseURL != "" && !isPrivateURL(c.BaseURL) || c.ACME != "":
		return errors.New("HOMEWARD_BASE_URL: --demo has a published password and fictional data, so its address " +
			"must be localhost, or a loopback or private IP address")
	case !isLoopback(c.Listen) && (c.AdminPassword == "" || c.APIKey == ""):
		return errors.New("--demo has a published password, so it only listens on a loopback address: to allow " +
			"access from elsewhere, set HOMEWARD_ADMIN_PASSWORD and HOMEWARD_API_KEY before the first start")
	}
	return nil
}

// isLoopback reports whether an address can only be reached from this machine.
func isLoopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// isPrivateURL reports whether a URL's host is localhost, or a loopback, private or link-local IP address.
func isPrivateURL(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") ||
		ip != nil && (ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast())
}

// openDemo prepares to fill an empty database with sample data if the demo is enabled. If it was filled before, it
// prints the users who can log in. It returns an error if demo data and real data would be mixed.
func (a *App) openDemo(ctx context.Context, out io.Writer) error {
	state, err := a.services.Accounts.Demo(ctx)
	switch {
	case err != nil:
		return err
	case !a.cfg.Demo && state.Begun:
		return errors.New("HOMEWARD_DATA: this folder contains demo data: start with " +
			"homeward serve --demo, or choose another folder")
	case !a.cfg.Demo:
		return nil
	case !state.Begun:
		return a.planDemo(ctx, out)
	case !state.Filled:
		return a.errInterrupted()
	case state.Known && !isLoopback(a.cfg.Listen):
		return errors.New("HOMEWARD_LISTEN: this demo has the published password and can only listen on a loopback " +
			"address: delete its folder and start again")
	}
	return a.printDemoWelcome(ctx, out, state.Known && a.cfg.AdminPassword == "")
}

// demoFill is the filling of a new demo. Until it has finished, requests get a page that shows its progress.
type demoFill struct {
	out         io.Writer // where progress and logins are printed
	done, total atomic.Int64
}

// planDemo makes Run fill the demo. It returns an error unless the database is empty.
func (a *App) planDemo(ctx context.Context, out io.Writer) error {
	accounts, err := a.services.Accounts.List(ctx)
	if err != nil {
		return err
	}
	if len(accounts) > 0 {
		return errors.New("HOMEWARD_DATA: --demo needs an empty database, but this one has accounts: choose another " +
			"folder")
	}
	a.demo = &demoFill{out: out}
	a.demo.total.Store(int64(cmp.Or(a.cfg.DemoFinds, demo.DefaultItems)))
	return nil
}

// errInterrupted returns the error for a demo whose data is incomplete.
func (a *App) errInterrupted() error {
	return fmt.Errorf("the demo in %s is incomplete, because creating it was interrupted: delete the folder and start "+
		"again", a.cfg.Data)
}

// prepare fills a new demo and prints its logins. Afterwards requests are handled.
func (a *App) prepare(ctx context.Context) error {
	if a.demo != nil {
		err := a.fillDemo(ctx)
		if ctx.Err() != nil {
			return a.errInterrupted()
		}
		if err != nil {
			return err
		}
		if err := a.printDemoWelcome(ctx, a.demo.out, a.cfg.AdminPassword == ""); err != nil {
			return err
		}
	}
	close(a.ready)
	return nil
}

// Ready returns a channel that is closed when Run handles requests. A new demo is filled first.
func (a *App) Ready() <-chan struct{} { return a.ready }

// demoProgress tells the progress of a new demo.
func (a *App) demoProgress() (p web.Progress, busy bool) {
	select {
	case <-a.ready:
		return p, false
	default:
		if a.demo == nil {
			return p, false
		}
	}
	done, total := int(a.demo.done.Load()), int(a.demo.total.Load())
	err := lost.E(lost.Unavailable, "The demo is being created: %d of %d items. Try again in a moment.", done, total)
	err.Wait = time.Second
	return web.Progress{
		Title: "Creating the demo", Status: fmt.Sprintf("%d of %d items are recorded.", done, total),
		Duration: "This takes a few seconds.", Done: done, Total: total, Err: err,
	}, true
}

// fillDemo creates the sample data by simulating 90 days of use with a simulated clock.
func (a *App) fillDemo(ctx context.Context) error {
	const gcPercent = 1600 // filling allocates a lot of short-lived memory
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
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
	o.Password = a.cfg.AdminPassword
	o.Key = a.cfg.APIKey
	show := printProgress(a.demo.out)
	o.OnProgress = func(done, total int) {
		a.demo.done.Store(int64(done))
		show(done, total)
	}
	return demo.Fill(ctx, o)
}

// demoOptions builds the services that fill a demo. They are the real services, but they use a simulated clock and do
// not connect to other machines.
func (a *App) demoOptions(db *store.DB, clock *demo.Clock) (o demo.Options, err error) {
	receivers := &demo.Receivers{Clock: clock}
	demoHooks := a.hooks
	demoHooks.demo = receivers
	messenger, err := message.New(message.Options{From: a.cfg.MailFrom, Base: a.cfg.BaseURL})
	if err != nil {
		return o, err
	}
	woken := &atomic.Bool{}
	wake := func() { woken.Store(true) }
	files := media.WithoutSync(a.files.Store)
	a.thumbnails = &deferredThumbnails{
		pictures: pictures{processor: a.pictures.processor, store: files}, later: a.pictures,
	}
	printer := pdf.New()
	s := services.New(services.Options{
		DB: db, Wire: v1.Encoder{Base: a.cfg.BaseURL, Now: clock.Now}, Hooks: demoHooks, Messenger: messenger,
		Uploads: a.thumbnails, Files: documentFiles{files}, SavedFiles: documentFiles{files},
		Carrier: courier.Tariff{Now: clock.Now}, PaymentProvider: payment.Test{Now: clock.Now},
		Documents: printer, Forms: printer, Tags: printer, Codes: a.pictures.processor,
		Now: clock.Now, Hashing: a.cfg.Hashing,
		Wake: wake, WakeMessages: wake, WakeDeliveries: func(...store.EndpointQueue) { wake() },
	})
	jobs := outbox.New(outbox.Options{
		DB: db, Files: a.thumbnails, Images: s.Items, Hooks: demoHooks, Messenger: messenger,
		Shipments:  s.ShippingSteps(),
		Clearances: s.Storage, Erasures: s.People, Imports: s.Imports, Matching: s.Matcher,
		Base: a.cfg.BaseURL, Log: slog.New(slog.DiscardHandler), KeepDeliveries: a.cfg.Retention,
		Observe: func(lost.DeliveryState, time.Duration) {},
	})
	return demo.Options{
		Services: s, Jobs: jobs, Woken: woken, Clock: clock, Receivers: receivers,
		Items: int(a.demo.total.Load()),
	}, nil
}

// deferredThumbnails postpones creating thumbnails until the service runs. A thumbnail that is requested before then
// is created on demand.
type deferredThumbnails struct {
	pictures
	later pictures
	mu    sync.Mutex
	names []string
}

// Verify records that a picture needs thumbnails. The demo's pictures are not damaged.
func (u *deferredThumbnails) Verify(_ context.Context, name string, _ bool) (desk.Verified, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.names = append(u.names, name)
	return desk.Verified{}, nil
}

// create creates the thumbnails, newest first.
func (u *deferredThumbnails) create(ctx context.Context, log *slog.Logger) {
	for _, name := range slices.Backward(u.names) {
		if err := u.later.Thumbnail(ctx, name); err != nil && ctx.Err() == nil {
			log.Warn("creating the thumbnail of a demo picture failed", "error", err)
		}
	}
}

// printProgress returns a function that prints how many items have been recorded: after every item on a terminal, and
// otherwise after every hundred items.
func printProgress(out io.Writer) func(done, total int) {
	end, every := "\n", 100
	if IsTerminal(out) {
		end, every = "\r", 1
	}
	return func(done, total int) {
		switch {
		case done == total:
			_, _ = fmt.Fprintf(out, "Recording found items: %d/%d\n", done, total)
		case done%every == 0:
			_, _ = fmt.Fprintf(out, "Recording found items: %d/%d%s", done, total, end)
		}
	}
}
