package app

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
	"net/http"
	"time"

	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/mcp"
	"homeward/internal/media"
	"homeward/internal/message"
	"homeward/internal/oidc"
	"homeward/internal/outbox"
	"homeward/internal/pdf"
	"homeward/internal/pms"
	"homeward/internal/push"
	"homeward/internal/services"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
	"homeward/internal/web"
	"homeward/internal/web/api"
	"homeward/internal/web/callback"
	"homeward/internal/web/guest"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff"
	"homeward/internal/webhook"
)

// maxWait is the longest time that a request waits for matching or an erasure to finish.
const maxWait = 3 * time.Second

// accessLogEvery is the interval at which views of guests' data are written to the audit log. Entries are written in
// batches, but soon enough to be visible when somebody opens the log.
const accessLogEvery = 2 * time.Second

// wire builds the services, the outbox and the handlers.
func (a *App) wire(context.Context) error {
	temp, err := a.cfg.tempFolder()
	if err != nil {
		return err
	}
	processor := media.NewProcessor(temp)
	encoder := v1.Encoder{Base: a.cfg.BaseURL, Now: time.Now}
	a.pictures = pictures{processor: processor, store: a.files}
	a.hooks = newHooks(a.cfg)
	messenger, err := NewMessenger(a.cfg)
	if err != nil {
		return fmt.Errorf("HOMEWARD_SMTP or HOMEWARD_TWILIO_…: %w", err)
	}
	backends, err := newShippingBackends(a.cfg)
	if err != nil {
		return err
	}
	a.filesMonitor, a.mailMonitor = a.newFilesMonitor(), a.newMailMonitor(messenger.CheckMail)
	a.replicaMonitor = a.newReplicaMonitor()
	pusher, err := a.newPusher()
	if err != nil {
		return err
	}
	models, err := a.newModels()
	if err != nil {
		return err
	}
	a.services = a.newServices(encoder, messenger, pusher, backends, models)
	if a.cfg.IMAP != "" {
		if a.mailbox, err = NewMailbox(a.cfg, a.newReplies(messenger).handle, a.log); err != nil {
			return err
		}
	}
	a.texts = textReplies{
		threads: a.services.Threads, messenger: messenger, metrics: a.metrics, log: a.log,
	}
	a.outbox = a.newOutbox(messenger)
	a.db.UseChannels(store.Channels{Sends: messenger.Sends, OnSaved: a.observeSaved})
	a.metrics.registry.Register(a.gauges())
	if a.db.HasReplica() {
		a.metrics.watchReplica(a.db)
	}
	handlers, err := a.newHandlers(encoder)
	if err != nil {
		return err
	}
	handlers.MCP, err = mcp.NewHandler(mcp.Options{
		Service: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.handler.ServeHTTP(w, r) }),
		Base:    a.cfg.BaseURL, Version: Version(), Log: a.log,
	})
	if err != nil {
		return err
	}
	a.handler = web.Handler(handlers)
	return nil
}

// newOutbox builds the background work.
func (a *App) newOutbox(messenger *message.Sender) *outbox.Outbox {
	return outbox.New(outbox.Options{
		DB: a.db, Files: a.pictures, Images: a.services.Items, Hooks: a.hooks, Messenger: messenger,
		Shipments:  a.services.ShippingSteps(),
		Clearances: a.services.Storage, Erasures: a.services.People, Imports: a.services.Imports,
		Categories: a.services.Categories,
		Matching:   a.services.Matcher, Assistant: a.services.Assistant, Base: a.cfg.BaseURL, Log: a.log,
		Observe: a.metrics.observeAttempt, ObserveMessage: a.metrics.observeMessage, KeepDeliveries: a.cfg.Retention,
		ObserveDelivered: a.metrics.observeDelivered, ObserveJob: a.observeJob, Tracer: a.tracer,
		ReadsReplies: a.cfg.IMAP != "",
	})
}

// newPusher returns the sender of push messages. It calls servers that people have chosen, with the same rules as for
// webhooks.
func (a *App) newPusher() (*push.Sender, error) {
	return push.New(push.Options{
		Transport: a.hooks.sender.Transport(), Key: a.db.PushKey, Contact: a.cfg.pushContact(),
		CheckURL: func(raw string) lost.Problems { return webhook.CheckURL(raw, a.cfg.AllowPrivate) },
	})
}

// newHotelSystems returns the client of hotel systems. It calls servers that accounts have chosen, with the same rules
// as for webhooks.
func (a *App) newHotelSystems() *pms.Client {
	return pms.NewClient(pms.Options{
		Transport: a.hooks.sender.Transport(), IsPrivate: webhook.IsPrivate, Now: a.cfg.now(),
		CheckURL: func(raw string) lost.Problems { return webhook.CheckURL(raw, a.cfg.AllowPrivate) },
	})
}

// observeJob counts a run of a job. If an e-mail could not be sent, the mail server is checked.
func (a *App) observeJob(kind, outcome string, took time.Duration) {
	a.metrics.observeJob(kind, outcome, took)
	if kind == store.JobSendMail && outcome == "retry" {
		a.mailMonitor.suspect()
	}
}

// observeSaved counts a message that is only saved, and wakes the item checks when its item is due for one.
func (a *App) observeSaved(kind lost.MessageKind, check time.Time) {
	a.metrics.observeMessage(kind, lost.MessageSaved)
	if !check.IsZero() {
		a.outbox.WakeItemsAt(check)
	}
}

// newServices builds the use cases.
func (a *App) newServices(encoder v1.Encoder, messenger *message.Sender, pusher *push.Sender,
	b shippingBackends, m models) *services.Services {
	printer := pdf.New()
	return services.New(services.Options{
		DB: a.db, Wire: encoder, Uploads: a.pictures, Hooks: a.hooks, Messenger: messenger,
		StaffMessenger: messenger, Pusher: pusher, ObserveNotice: a.metrics.observeNotice,
		Files: documentFiles{a.files}, SavedFiles: documentFiles{a.files}, Codes: a.pictures.processor,
		Forms: printer, Tags: printer, Documents: printer,
		Carrier: b.carrier, PaymentProvider: b.payment, IdentityProvider: newIdentityProvider(a.cfg),
		HotelSystems: a.newHotelSystems(), Embedder: m.embedder, Describer: m.describer,
		ReducedPhotos: a.pictures, PhotosPerDay: a.cfg.VisionDaily, ObservePhoto: a.metrics.observePhoto,
		Now: a.cfg.now(), Log: a.log, Hashing: a.cfg.Hashing,
		Wake: func() { a.outbox.Wake() }, WakeMessages: func() { a.outbox.WakeMessages() },
		WakeMatching: func() { a.outbox.WakeMatching() }, WakeImages: func() { a.outbox.WakeImages() },
		WakeDeliveries: func(of ...store.EndpointQueue) { a.outbox.WakeDeliveries(of...) },
		MaxWait:        maxWait, DeliveryRetention: a.cfg.Retention, AccessLogEvery: accessLogEvery,
	})
}

// newIdentityProvider returns the configured identity provider. If there is none, users can log in only with their
// Homeward password or passkey.
func newIdentityProvider(cfg Config) identity.IdentityProvider {
	if cfg.OIDCIssuer == "" {
		return identity.NoProvider{}
	}
	return oidc.New(oidc.Options{
		Issuer: cfg.OIDCIssuer, Client: cfg.OIDCClient, Secret: cfg.OIDCSecret, DisplayName: cfg.OIDCName,
		RedirectURL: cfg.BaseURL + "/login/back", Now: cfg.now(),
	})
}

// newHandlers builds the handlers for the API, the dashboard, the guest pages, files and callbacks.
func (a *App) newHandlers(encoder v1.Encoder) (o web.Options, err error) {
	o = web.Options{
		Files:    filesHandler(a.files, a.pictures.processor),
		Callback: callback.New(a.services.Payments.HandleCallback, a.services.Tracking.HandleCallback, a.texts.handle),
		Ready:    a.db.Ping, Parts: a.parts, Stopping: a.stopping.Load,
		Observer: a.metrics, Tracer: a.tracer, Log: a.log,
		Proxies: a.cfg.proxies(), HTTPS: a.cfg.https(),
	}
	if o.API, err = api.New(a.services, encoder, a.cfg.RateLimit); err != nil {
		return o, err
	}
	formKey, err := hkdf.Key(sha256.New, a.secret, nil, "homeward forms", 32)
	if err != nil {
		return o, fmt.Errorf("derive a key for forms: %w", err)
	}
	assets := a.assets
	o.Prepare = newPreparation(assets, a.demoProgress)
	o.Guest, err = guest.New(guest.Options{
		Services: a.services, Base: a.cfg.BaseURL, FormKey: formKey, Assets: assets, Now: a.cfg.now(),
	})
	if err != nil {
		return o, err
	}
	o.Staff, err = staff.New(staff.Options{
		Services: a.services, Base: a.cfg.BaseURL, Assets: assets, Now: a.cfg.now(), Demo: a.cfg.Demo,
	})
	if err != nil {
		return o, err
	}
	if a.metricsListener == nil {
		o.Metrics = a.metrics.handler()
	}
	o.Context = store.WithRequest // so that tests find queries that are not limited to one account
	return o, nil
}

// newPreparation returns a preparation whose page uses the given assets.
func newPreparation(assets *respond.Assets, progress func() (web.Progress, bool)) *web.Preparation {
	return &web.Preparation{
		Progress: progress, Style: assets.Path("look.css"), Script: assets.Path("preparing.js"),
		Icon: assets.Path("icon.svg"),
	}
}
