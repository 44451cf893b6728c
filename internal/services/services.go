// Package services puts the use cases together: it builds each service of desk, identity, shipping, matching and
// privacy once and connects those that need each other. What an outside thing is (a carrier, a printer) is decided by
// app, or by testkit in tests.
package services

import (
	"log/slog"
	"time"

	"homeward/internal/access"
	"homeward/internal/change"
	"homeward/internal/desk"
	"homeward/internal/identity"
	"homeward/internal/matching"
	"homeward/internal/privacy"
	"homeward/internal/shipping"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

// The services under names that none of their methods has, so that all methods are promoted.
type (
	items      = desk.Items
	handovers  = desk.Handovers
	views      = desk.Views
	formMemory = desk.FormMemory
	storage    = desk.Storage
	counts     = desk.Counts
	tags       = desk.Tags
	locations  = desk.Locations
	requests   = desk.Requests
	guests     = desk.Guests
	messages   = desk.Messages
	imports    = desk.Imports
	reports    = desk.Reports
	webhooks   = desk.Webhooks

	accounts      = identity.Accounts
	keys          = identity.Keys
	sessions      = identity.Sessions
	profile       = identity.Profile
	team          = identity.Team
	passkeys      = identity.Passkeys
	totp          = identity.TOTP
	externalLogin = identity.ExternalLogin

	quotes   = shipping.Quotes
	payments = shipping.Payments
	labels   = shipping.Labels
	refunds  = shipping.Refunds
	tracking = shipping.Tracking

	matcher     = matching.Matcher
	suggestions = matching.Suggestions

	auditLog        = privacy.AuditLog
	accessLog       = privacy.AccessLog
	people          = privacy.People
	retentionPolicy = privacy.RetentionPolicy
)

// Services are all use cases.
type Services struct {
	*items
	*handovers
	*views
	*formMemory
	*storage
	*counts
	*tags
	*locations
	*requests
	*guests
	*messages
	*imports
	*reports
	*webhooks

	*accounts
	*keys
	*sessions
	*profile
	*team
	*passkeys
	*totp
	*externalLogin

	*quotes
	*payments
	*labels
	*refunds
	*tracking

	*matcher
	*suggestions

	*auditLog
	*accessLog
	*people
	*retentionPolicy
}

// Options are what the services work with. Everything but DB may be left out: it is then replaced by something that
// does nothing, or says that it is not set up.
type Options struct {
	DB               *store.DB
	Wire             v1.Encoder
	Uploads          desk.Uploads
	Hooks            desk.Hooks
	Messenger        desk.Messenger
	Forms            desk.Forms
	Tags             desk.TagPrinter
	Codes            desk.CodeReader
	Files            desk.Files
	Carrier          shipping.Carrier
	PaymentProvider  shipping.PaymentProvider
	Documents        shipping.DocumentPrinter
	IdentityProvider identity.IdentityProvider
	Now              func() time.Time // for what happens outside transactions
	// Wake is called after a commit that may have left a job.
	Wake func()
	// WakeMessages is called after a commit that left a message and nothing else.
	WakeMessages func()
	// WakeMatching is called after a commit that left items to be matched and nothing else.
	WakeMatching func()
	// WakeDeliveries is called after a commit that left deliveries to some endpoints.
	WakeDeliveries func(...store.EndpointQueue)
	// MaxWait is how long a caller waits for matches that are being searched, or for an erasure.
	MaxWait time.Duration
	// DeliveryRetention is how long events and their deliveries are kept. It is only shown.
	DeliveryRetention time.Duration
	// AccessLogEvery is after how long new entries of the access log are written; 0 for never.
	AccessLogEvery time.Duration
	Log            *slog.Logger
	// Hashing is what passwords cost; identity.FullHashing if it is empty.
	Hashing identity.Hashing
}

// builder has what several services share.
type builder struct {
	Options
	reader *access.Reader
	change *change.Items
	links  *change.GuestLinks
}

// New builds all services.
func New(o Options) *Services {
	b := builder{Options: o.withDefaults()}
	s := &Services{}
	s.accessLog = privacy.NewAccessLog(privacy.AccessLogOptions{DB: b.DB, Every: b.AccessLogEvery, Log: b.Log})
	b.share(s.accessLog)
	b.buildIdentity(s)
	b.buildShipping(s)
	b.buildMatching(s)
	b.buildPrivacy(s)
	b.buildDesk(s)
	b.buildStorage(s)
	return s
}

// share makes what several services use.
func (b *builder) share(log access.Log) {
	b.reader = access.NewReader(access.ReaderOptions{DB: b.DB, Log: log, Now: b.Now})
	b.change = change.NewItems(change.Options{DB: b.DB, Wire: b.Wire, Wake: b.Wake, WakeDeliveries: b.WakeDeliveries})
	b.links = change.NewGuestLinks(change.GuestLinksOptions{DB: b.DB, Change: b.change, Now: b.Now})
}

func (b *builder) buildIdentity(s *Services) {
	hasher := identity.NewHasher(b.Hashing)
	s.accounts = identity.NewAccounts(identity.AccountsOptions{DB: b.DB, Hasher: hasher})
	s.keys = identity.NewKeys(identity.KeysOptions{DB: b.DB, Now: b.Now})
	s.sessions = identity.NewSessions(identity.SessionsOptions{
		DB: b.DB, Now: b.Now, Hasher: hasher, WakeMessages: b.WakeMessages,
	})
	s.profile = identity.NewProfile(identity.ProfileOptions{
		DB: b.DB, Wire: b.Wire, Now: b.Now, Hasher: hasher, Sessions: s.sessions, Messenger: b.Messenger,
		WakeMessages: b.WakeMessages,
	})
	s.team = identity.NewTeam(identity.TeamOptions{
		DB: b.DB, Wire: b.Wire, Now: b.Now, Hasher: hasher, Sessions: s.sessions, Profile: s.profile,
		WakeMessages: b.WakeMessages,
	})
	s.passkeys = identity.NewPasskeys(identity.PasskeysOptions{
		DB: b.DB, BaseURL: b.Wire.Base, Sessions: s.sessions, WakeMessages: b.WakeMessages,
	})
	s.totp = identity.NewTOTP(identity.TOTPOptions{DB: b.DB, Sessions: s.sessions})
	s.externalLogin = identity.NewExternalLogin(identity.ExternalLoginOptions{
		DB: b.DB, Provider: b.IdentityProvider, Sessions: s.sessions, WakeMessages: b.WakeMessages,
	})
}

func (b *builder) buildShipping(s *Services) {
	s.quotes = shipping.NewQuotes(shipping.QuotesOptions{
		DB: b.DB, Reader: b.reader, Change: b.change, Carrier: b.Carrier,
	})
	s.payments = shipping.NewPayments(shipping.PaymentsOptions{
		DB: b.DB, Wire: b.Wire, Now: b.Now, Change: b.change, Links: b.links, Quotes: s.quotes,
		Provider: b.PaymentProvider, Wake: b.Wake,
	})
	s.labels = shipping.NewLabels(shipping.LabelsOptions{
		DB: b.DB, Change: b.change, Quotes: s.quotes, Carrier: b.Carrier, Printer: b.Documents, Files: b.Files,
	})
	s.refunds = shipping.NewRefunds(shipping.RefundsOptions{
		DB: b.DB, Change: b.change, Labels: s.labels, Provider: b.PaymentProvider,
	})
	s.tracking = shipping.NewTracking(shipping.TrackingOptions{
		DB: b.DB, Now: b.Now, Change: b.change, Carrier: b.Carrier,
	})
}

func (b *builder) buildMatching(s *Services) {
	s.matcher = matching.NewMatcher(matching.MatcherOptions{
		DB: b.DB, Now: b.Now, Wake: b.Wake, WakeMatching: b.WakeMatching,
	})
	s.suggestions = matching.NewSuggestions(matching.SuggestionsOptions{
		DB: b.DB, Reader: b.reader, Change: b.change, Matcher: s.matcher, MaxWait: b.MaxWait, Wake: b.Wake,
		WakeMatching: b.WakeMatching,
	})
}

func (b *builder) buildPrivacy(s *Services) {
	s.auditLog = privacy.NewAuditLog(privacy.AuditLogOptions{DB: b.DB})
	s.people = privacy.NewPeople(privacy.PeopleOptions{DB: b.DB, Wire: b.Wire, Wake: b.Wake, MaxWait: b.MaxWait})
	s.retentionPolicy = privacy.NewRetentionPolicy(privacy.RetentionPolicyOptions{
		DB: b.DB, Deliveries: b.DeliveryRetention,
	})
}

func (b *builder) buildDesk(s *Services) {
	s.messages = desk.NewMessages(desk.MessagesOptions{
		DB: b.DB, Wire: b.Wire, Now: b.Now, Reader: b.reader, Log: s.accessLog, Change: b.change,
		Messenger: b.Messenger, Wake: b.Wake,
	})
	s.items = desk.NewItems(desk.ItemsOptions{
		DB: b.DB, Wire: b.Wire, Now: b.Now, Reader: b.reader, Change: b.change, Uploads: b.Uploads,
		Messages: s.messages, Shipping: s.labels, Wake: b.Wake, WakeMessages: b.WakeMessages,
		WakeMatching: b.WakeMatching,
	})
	s.handovers = desk.NewHandovers(desk.HandoversOptions{
		DB: b.DB, Now: b.Now, Change: b.change, Log: s.accessLog, Uploads: b.Uploads, Forms: b.Forms, Files: b.Files,
		Wake: b.Wake,
	})
	s.views = desk.NewViews(desk.ViewsOptions{DB: b.DB})
	s.formMemory = desk.NewFormMemory(desk.FormMemoryOptions{DB: b.DB, Now: b.Now})
	s.locations = desk.NewLocations(desk.LocationsOptions{
		DB: b.DB, Wire: b.Wire, Uploads: b.Uploads, Matcher: s.matcher, Wake: b.Wake,
	})
	s.requests = desk.NewRequests(desk.RequestsOptions{
		DB: b.DB, Now: b.Now, Reader: b.reader, Change: b.change, Items: s.items, Uploads: b.Uploads, Wake: b.Wake,
		WakeDeliveries: b.WakeDeliveries,
	})
	s.guests = desk.NewGuests(desk.GuestsOptions{
		DB: b.DB, Links: b.links, Uploads: b.Uploads, Quotes: s.quotes, Payments: s.payments, Wake: b.Wake,
	})
	s.imports = desk.NewImports(desk.ImportsOptions{
		DB: b.DB, Wire: b.Wire, Now: b.Now, Reader: b.reader, Wake: b.Wake, WakeMessages: b.WakeMessages,
	})
	s.reports = desk.NewReports(desk.ReportsOptions{DB: b.DB, Now: b.Now})
	s.webhooks = desk.NewWebhooks(desk.WebhooksOptions{
		DB: b.DB, Wire: b.Wire, Now: b.Now, Log: s.accessLog, Hooks: b.Hooks, WakeDeliveries: b.WakeDeliveries,
	})
}

func (b *builder) buildStorage(s *Services) {
	s.storage = desk.NewStorage(desk.StorageOptions{
		DB: b.DB, Wire: b.Wire, Now: b.Now, Reader: b.reader, Change: b.change, Forms: b.Forms, Wake: b.Wake,
	})
	s.counts = desk.NewCounts(desk.CountsOptions{DB: b.DB, Change: b.change, Storage: s.storage, Printer: b.Tags})
	s.tags = desk.NewTags(desk.TagsOptions{DB: b.DB, Wire: b.Wire, Printer: b.Tags, Codes: b.Codes})
}

// Remembered tells how well the caches of the services work.
func (s *Services) Remembered() []store.CacheStats {
	return []store.CacheStats{s.keys.CacheUse(), s.formMemory.CacheUse(), s.reports.CacheUse(), s.matcher.CacheUse()}
}

// Close ends what the services do in the background, and writes what waits to be written.
func (s *Services) Close() {
	s.reports.Close()
	s.accessLog.Close()
}
