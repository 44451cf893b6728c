// Package app puts the service together from its packages and runs it. The program is a value: New makes it from
// settings, Run serves until the context ends, and tests start it in process on port 0 just as main starts it.
package app

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
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

	"go.opentelemetry.io/otel/trace"

	"homeward/internal/desk"
	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/media"
	"homeward/internal/oidc"
	"homeward/internal/otlp"
	"homeward/internal/outbox"
	"homeward/internal/pdf"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/tlsconf"
	v1 "homeward/internal/v1"
	"homeward/internal/web"
	"homeward/internal/web/api"
	"homeward/internal/web/callback"
	"homeward/internal/web/guest"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff"
)

// App is the service, ready to run.
type App struct {
	cfg      Config
	log      *slog.Logger
	secret   []byte
	db       *store.DB
	files    meteredFiles
	hooks    hooks
	services *services.Services
	outbox   *outbox.Outbox
	pictures pictures
	later    *deferredThumbnails // what a newly filled demo leaves to do
	handler  http.Handler
	metrics  *metrics
	main     net.Listener
	extra    net.Listener   // for metrics, if they have an address of their own
	debug    net.Listener   // for profiles, if they have one
	pipe     *otlp.Exporter // to the collector; nil if there is none
	tracer   trace.Tracer   // nil if there is no collector
	plain    net.Listener   // without TLS, if the main one has it
	redirect http.Handler   // what answers there
	acme     *tlsconf.ACME
}

// maxWait is how long a caller waits for matches that are being searched, or for an erasure.
const maxWait = 3 * time.Second

// accessLogEvery is after how long it is recorded who saw guests' data: many entries at once, and soon enough to be
// looked up.
const accessLogEvery = 2 * time.Second

// New opens everything that the settings name: the address, the database, which it migrates, and the files. On an
// empty database it makes the first account and prints it to out, once.
func New(ctx context.Context, cfg Config, out io.Writer, log *slog.Logger) (_ *App, err error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	a := &App{cfg: cfg, log: log, metrics: newMetrics()}
	defer func() {
		if err != nil {
			a.close()
		}
	}()
	if err := a.openPipe(ctx); err != nil {
		return nil, err
	}
	if err := a.listen(ctx); err != nil {
		return nil, err
	}
	if err := a.open(ctx); err != nil {
		return nil, err
	}
	if err := a.secureListeners(); err != nil {
		return nil, err
	}
	if err := a.wire(); err != nil {
		return nil, err
	}
	for _, name := range cfg.Unused() {
		a.log.Warn("setting has no effect because of another setting", "setting", name, "payment", cfg.Payment,
			"carrier", cfg.Carrier)
	}
	for _, name := range UnknownSettings(os.Environ()) {
		a.log.Warn("unknown setting; check its spelling", "setting", name)
	}
	if err := a.demo(ctx, out); err != nil {
		return nil, err
	}
	first, made, err := a.services.Accounts.CreateFirst(ctx,
		identity.FirstSettings{Email: cfg.AdminEmail, Password: cfg.AdminPassword, Key: cfg.APIKey})
	if err != nil {
		return nil, fmt.Errorf("make the first account: %w", err)
	}
	if made {
		a.welcome(out, first)
	}
	return a, nil
}

func (a *App) listen(ctx context.Context) (err error) {
	var tcp net.ListenConfig
	if a.main, err = tcp.Listen(ctx, "tcp", a.cfg.Listen); err != nil {
		return fmt.Errorf("HOMEWARD_LISTEN: cannot listen on %s: %w (choose another, such as --listen 127.0.0.1:8081)",
			a.cfg.Listen, err)
	}
	if a.cfg.MetricsListen != "" {
		if a.extra, err = tcp.Listen(ctx, "tcp", a.cfg.MetricsListen); err != nil {
			return fmt.Errorf("HOMEWARD_METRICS_LISTEN: cannot listen on %s: %w", a.cfg.MetricsListen, err)
		}
	}
	if a.cfg.DebugListen != "" {
		at, _ := a.cfg.DebugAddress()
		if a.debug, err = tcp.Listen(ctx, "tcp", at); err != nil {
			return fmt.Errorf("HOMEWARD_DEBUG_LISTEN: cannot listen on %s: %w", at, err)
		}
	}
	if a.cfg.HTTPListen != "" {
		if a.plain, err = tcp.Listen(ctx, "tcp", a.cfg.HTTPListen); err != nil {
			return fmt.Errorf("HOMEWARD_HTTP_LISTEN: cannot listen on %s: %w", a.cfg.HTTPListen, err)
		}
	}
	a.cfg.BaseURL = a.cfg.PublicURL(reachable(a.main.Addr()))
	return nil
}

// reachable is how this machine reaches an address that may stand for all of its interfaces.
func reachable(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		return net.JoinHostPort("localhost", port)
	}
	return addr.String()
}

func (a *App) open(ctx context.Context) (err error) {
	if a.db, err = OpenDatabase(ctx, a.cfg); err != nil {
		return err
	}
	a.db.Observe(store.Observer{OnWrite: a.metrics.observeWrite, TraceQueries: a.tracer != nil})
	if _, err := a.db.Migrate(ctx); err != nil {
		return fmt.Errorf("HOMEWARD_DATABASE: %w", err)
	}
	if a.cfg.Replica != "" {
		if err := a.db.UseReplica(ctx, a.cfg.Replica); err != nil {
			return fmt.Errorf("HOMEWARD_DATABASE_REPLICA: %w", err)
		}
	}
	if a.secret, err = a.cfg.useSecrets(ctx, a.db); err != nil {
		return err
	}
	files, err := media.Open(ctx, a.cfg.Files)
	if err != nil {
		return fmt.Errorf("HOMEWARD_FILES: %w", err)
	}
	a.files = meteredFiles{files, a.metrics} // only now: close closes what is there
	return nil
}

// OpenDatabase opens the database that the settings name.
func OpenDatabase(ctx context.Context, cfg Config) (*store.DB, error) {
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return nil, fmt.Errorf("HOMEWARD_DATA: %w", err)
	}
	db, err := store.Open(ctx, cfg.Database, cfg.now())
	if err != nil {
		return nil, fmt.Errorf("HOMEWARD_DATABASE: %w", Cause(err))
	}
	return db, nil
}

// Cause gives the cause of an error: its text is for callers of the API, not for the operator.
func Cause(err error) error {
	if e, ok := errors.AsType[*lost.Error](err); ok && e.Unwrap() != nil {
		return e.Unwrap()
	}
	return err
}

func (a *App) wire() error {
	temp, err := a.cfg.tempFolder()
	if err != nil {
		return err
	}
	lab := media.NewProcessor(temp)
	wire := v1.Encoder{Base: a.cfg.BaseURL}
	a.pictures = pictures{lab: lab, store: a.files}
	a.hooks = newHooks(a.cfg)
	post, err := NewMessenger(a.cfg)
	if err != nil {
		return fmt.Errorf("HOMEWARD_SMTP or HOMEWARD_TWILIO_…: %w", err)
	}
	trade, err := newShippingBackends(a.cfg)
	if err != nil {
		return err
	}
	a.services = a.newServices(wire, lab, post, trade)
	a.outbox = outbox.New(outbox.Options{
		DB: a.db, Files: a.pictures, Hooks: a.hooks, Messenger: post, Shipments: a.services.ShippingSteps(),
		Clearances: a.services.Storage, Erasures: a.services.People, Imports: a.services.Imports,
		Matching: a.services.Matcher, Base: a.cfg.BaseURL, Log: a.log,
		Observe: a.metrics.observeAttempt, ObserveMessage: a.metrics.observeMessage, KeepDeliveries: a.cfg.Retention,
		ObserveDelivered: a.metrics.observeDelivered, ObserveJob: a.metrics.observeJob, Tracer: a.tracer,
	})
	a.metrics.registry.MustRegister(a.gauges())
	if a.db.HasReplica() {
		a.metrics.watchReplica(a.db)
	}
	doors, err := a.handlers(wire, lab)
	if err != nil {
		return err
	}
	a.handler = web.Handler(doors)
	return nil
}

// newServices builds the use cases.
func (a *App) newServices(wire v1.Encoder, lab *media.Processor, post desk.Messenger,
	trade shippingBackends) *services.Services {
	printer := pdf.New()
	return services.New(services.Options{
		DB: a.db, Wire: wire, Uploads: a.pictures, Hooks: a.hooks, Messenger: post, Files: documentFiles{a.files},
		Codes: lab,
		Forms: printer, Tags: printer, Documents: printer, Carrier: trade.carrier, PaymentProvider: trade.till,
		IdentityProvider: newIdentityProvider(a.cfg), Now: a.cfg.now(), Log: a.log, Hashing: a.cfg.Hashing,
		Wake: func() { a.outbox.Wake() }, WakeMessages: func() { a.outbox.WakeMessages() },
		WakeMatching:   func() { a.outbox.WakeMatching() },
		WakeDeliveries: func(of ...store.EndpointQueue) { a.outbox.WakeDeliveries(of...) },
		MaxWait:        maxWait, DeliveryRetention: a.cfg.Retention, AccessLogEvery: accessLogEvery,
	})
}

// newIdentityProvider makes the identity provider, or one that is off if people only log in with Homeward.
func newIdentityProvider(cfg Config) identity.IdentityProvider {
	if cfg.OIDCIssuer == "" {
		return identity.NoProvider{}
	}
	return oidc.New(oidc.Options{
		Issuer: cfg.OIDCIssuer, Client: cfg.OIDCClient, Secret: cfg.OIDCSecret, DisplayName: cfg.OIDCName,
		RedirectURL: cfg.BaseURL + "/login/back", Now: cfg.now(),
	})
}

// handlers makes the handlers that are mounted.
func (a *App) handlers(wire v1.Encoder, lab *media.Processor) (doors web.Options, err error) {
	doors = web.Options{
		Files:    filesHandler(a.files, lab),
		Callback: callback.New(a.services.Payments.HandleCallback, a.services.Tracking.HandleCallback), Ready: a.ready,
		Observer: a.metrics, Tracer: a.tracer,
		Log: a.log, Proxies: a.cfg.proxies(), HTTPS: a.cfg.https(),
	}
	if doors.API, err = api.New(a.services, wire, a.cfg.RateLimit); err != nil {
		return doors, err
	}
	formKey, err := hkdf.Key(sha256.New, a.secret, nil, "homeward forms", 32)
	if err != nil {
		return doors, fmt.Errorf("derive a key for forms: %w", err)
	}
	assets, err := respond.NewAssets()
	if err != nil {
		return doors, err
	}
	doors.Guest, err = guest.New(guest.Options{
		Services: a.services, Base: a.cfg.BaseURL, FormKey: formKey, Assets: assets, Now: a.cfg.now(),
	})
	if err != nil {
		return doors, err
	}
	doors.Staff, err = staff.New(staff.Options{
		Services: a.services, Base: a.cfg.BaseURL, Assets: assets, Now: a.cfg.now(), Demo: a.cfg.Demo,
	})
	if err != nil {
		return doors, err
	}
	if a.extra == nil {
		doors.Metrics = a.metrics.handler()
	}
	for _, door := range []*http.Handler{&doors.API, &doors.Files, &doors.Callback, &doors.Guest, &doors.Staff} {
		*door = forRequests(*door)
	}
	return doors, nil
}

// forRequests marks the context of a handler's work as a request, in which no query may cross accounts.
func forRequests(door http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		marked := r.WithContext(store.WithRequest(r.Context()))
		defer func() { r.Pattern = marked.Pattern }() // the log and the metrics know the route by it
		door.ServeHTTP(w, marked)
	})
}

// OpenOperator opens the use cases of the command line, which runs beside the service or without it.
func OpenOperator(ctx context.Context, cfg Config) (_ *services.Operator, done func(), err error) {
	if err := cfg.Validate(); err != nil {
		return nil, nil, err
	}
	db, err := OpenDatabase(ctx, cfg)
	if err != nil {
		return nil, nil, err
	}
	if _, err := db.Migrate(ctx); err != nil {
		db.Close()
		return nil, nil, fmt.Errorf("HOMEWARD_DATABASE: %w", err)
	}
	// The database gets no secret: commands open nothing that is sealed.
	operator := services.NewOperator(services.OperatorOptions{
		DB: db, Wire: v1.Encoder{Base: cfg.PublicURL(cfg.Listen)}, Now: time.Now, Hashing: cfg.Hashing,
	})
	return operator, db.Close, nil
}

// URL is where the service answers.
func (a *App) URL() string {
	return a.cfg.URLOf(reachable(a.main.Addr()))
}

// ready tells whether the database and the files can be used.
func (a *App) ready(ctx context.Context) error {
	return errors.Join(a.db.Ping(ctx), a.files.Check(ctx))
}

// Run serves and does background work until the context ends, then finishes what is under way.
func (a *App) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var working sync.WaitGroup
	working.Go(func() { a.outbox.Run(ctx) })
	working.Go(func() { a.tellStrange(ctx) })
	if a.later != nil {
		working.Go(func() { a.later.finish(ctx, a.log) })
	}
	if a.extra != nil {
		working.Go(func() {
			if err := web.Serve(ctx, a.extra, a.metrics.handler(), a.log); err != nil {
				a.log.Error("serving metrics ended", "error", err)
			}
		})
	}
	if a.debug != nil {
		working.Go(func() { a.serveDebug(ctx) })
	}
	if a.plain != nil {
		working.Go(func() { a.serveRedirects(ctx) })
	}
	if a.acme != nil {
		working.Go(func() { a.acme.Run(ctx) })
	}
	a.log.Info("listening", "url", a.URL(), "database", EngineName(a.cfg.Database), "mail", given(a.cfg.SMTP), "texts",
		given(a.cfg.TwilioAccount),
		"payment", a.cfg.Payment, "carrier", a.cfg.Carrier)
	err := web.Serve(ctx, a.main, a.handler, a.log)
	cancel()
	working.Wait()
	a.log.Info("stopped")
	a.close()
	return err
}

// tellStrange logs a warning if something is encrypted with a secret that is not configured.
func (a *App) tellStrange(ctx context.Context) {
	const patience = time.Minute
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if n, err := a.db.CountUndecryptable(ctx); err == nil && n > 0 {
		a.log.Warn("something is sealed with a secret that is not given: add it to HOMEWARD_SECRET_OLD and run "+
			"homeward secret rotate", "texts", n)
	}
}

// given tells what happens to messages, depending on whether there is something to send them with.
func given(setting string) string {
	if setting == "" {
		return "kept"
	}
	return "sent"
}

// EngineName returns the name of the database engine that the setting selects.
func EngineName(setting string) string {
	if store.IsPostgres(setting) {
		return "postgres"
	}
	return "sqlite"
}

func (a *App) close() {
	for _, l := range []net.Listener{a.main, a.extra, a.debug, a.plain} {
		if l != nil {
			_ = l.Close() // its server has closed it already, if it ran
		}
	}
	if a.hooks.sender != nil {
		a.hooks.sender.Close()
	}
	_ = a.files.Close() // nothing in it is open any longer
	if a.services != nil {
		a.services.Close()
	}
	if a.db != nil {
		a.db.Close()
	}
	if a.pipe != nil {
		_ = a.pipe.Close() // lost spans are counted, and the log is written here anyway
	}
}

// welcome prints what the first start shows. It is not shown again.
func (a *App) welcome(out io.Writer, first identity.First) {
	at := a.URL()
	if a.cfg.ServesTLS() { // a certificate is for the public name
		at = a.cfg.BaseURL
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Homeward is ready. These are shown once:\n\n")
	fmt.Fprintf(&b, "  Dashboard  %s/\n", a.cfg.BaseURL)
	fmt.Fprintf(&b, "  Log in as  %s  password  %s\n", first.User.Email,
		shown(first.Password, a.cfg.AdminPassword, "as set"))
	fmt.Fprintf(&b, "  API key    %s\n\n", shown(first.Key.Secret, a.cfg.APIKey, "as set"))
	fmt.Fprintf(&b,
		"Try it:\n\n  curl -H \"svc-api-key: %s\" -H 'Content-Type: application/json' -d '{\"name\":\"Hotel "+
			"Adler\"}' %s/v1/locations\n\n",
		shown(first.Key.Secret, a.cfg.APIKey, "$HOMEWARD_API_KEY"), at)
	fmt.Fprintf(&b, "Documentation: %s/docs    More keys: homeward key create --name NAME\n\n", a.cfg.BaseURL)
	_, _ = io.WriteString(out, b.String())
}

// shown gives a secret only if it was generated here.
func shown(secret, given, instead string) string {
	if given != "" {
		return instead
	}
	return secret
}
