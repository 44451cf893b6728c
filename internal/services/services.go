// Package services builds the use cases. New builds every service of desk, identity, shipping, matching and privacy,
// and connects those that need each other. NewOperator builds only those that commands use, which work whether or not
// the service is running. The caller (app, cli, or testkit in tests) chooses the carrier, the printer and the e-mail
// sender.
package services

import (
	"context"
	"log/slog"
	"time"

	"homeward/internal/access"
	"homeward/internal/assistant"
	"homeward/internal/change"
	"homeward/internal/desk"
	"homeward/internal/endpoint"
	"homeward/internal/identity"
	"homeward/internal/live"
	"homeward/internal/lost"
	"homeward/internal/lost/report"
	"homeward/internal/matching"
	"homeward/internal/notify"
	"homeward/internal/papers"
	"homeward/internal/privacy"
	"homeward/internal/shipping"
	"homeward/internal/stays"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

// Services holds all use cases.
type Services struct {
	Items      *desk.Items
	Handovers  *desk.Handovers
	Views      *desk.Views
	Templates  *desk.Templates
	FormMemory *desk.FormMemory
	Storage    *desk.Storage
	Categories *desk.Categories
	Counts     *desk.Counts
	Tags       *desk.Tags
	Locations  *desk.Locations
	Requests   *desk.Requests
	Guests     *desk.Guests
	Messages   *desk.Messages
	Threads    *desk.Threads
	Imports    *desk.Imports
	Reports    *desk.Reports
	Webhooks   *endpoint.Service

	Accounts      *identity.Accounts
	Keys          *identity.Keys
	Sessions      *identity.Sessions
	Profile       *identity.Profile
	Team          *identity.Team
	Passkeys      *identity.Passkeys
	TOTP          *identity.TOTP
	ExternalLogin *identity.ExternalLogin

	Quotes   *shipping.Quotes
	Payments *shipping.Payments
	Labels   *shipping.Labels
	Refunds  *shipping.Refunds
	Tracking *shipping.Tracking

	Matcher     *matching.Matcher
	Suggestions *matching.Suggestions

	AuditLog        *privacy.AuditLog
	AccessLog       *privacy.AccessLog
	People          *privacy.People
	RetentionPolicy *privacy.RetentionPolicy

	Stays *stays.Stays

	Assistant *assistant.Assistant

	Live    *live.Hub
	Notices *notify.Notices

	Papers *papers.Papers
}

// Options are the dependencies of the services. Everything but DB is optional: New replaces missing dependencies with
// implementations that do nothing or return a "not set up" error, so no service has a nil dependency.
type Options struct {
	DB               *store.DB
	Wire             v1.Encoder
	Uploads          desk.Uploads
	Hooks            endpoint.Hooks
	Messenger        desk.Messenger
	StaffMessenger   notify.Messenger
	Pusher           notify.Pusher
	Forms            desk.Forms
	Tags             desk.TagPrinter
	Codes            desk.CodeReader
	Files            desk.Files
	SavedFiles       desk.FileReader
	Carrier          shipping.Carrier
	PaymentProvider  shipping.PaymentProvider
	Documents        shipping.DocumentPrinter
	IdentityProvider identity.IdentityProvider
	HotelSystems     stays.Systems
	// Embedder computes the meanings of texts.
	Embedder matching.Embedder
	// Describer is the photo assistant, which sees the reduced photos, at most PhotosPerDay of an account on a day.
	Describer     assistant.Describer
	ReducedPhotos assistant.Photos
	PhotosPerDay  int
	// ObservePhoto is called with what became of each photo that the assistant may see.
	ObservePhoto func(assistant.Outcome)
	Now          func() time.Time // returns the time for code outside transactions
	// Wake is called after a commit that may have added a job.
	Wake func()
	// WakeMessages is called after a commit that added only a message.
	WakeMessages func()
	// WakeMatching is called after a commit that added only items to match.
	WakeMatching func()
	// WakeImages is called after a commit that added only a photo to verify.
	WakeImages func()
	// WakeDeliveries is called after a commit that added webhook deliveries, with the endpoints' queues.
	WakeDeliveries func(...store.EndpointQueue)
	// MaxWait is the longest time that a caller waits for matching or an erasure to finish.
	MaxWait time.Duration
	// DeliveryRetention is how long events and their deliveries are stored. The services only display it.
	DeliveryRetention time.Duration
	// AccessLogEvery is the interval at which new access log entries are written. 0 disables the access log.
	AccessLogEvery time.Duration
	Log            *slog.Logger
	// ObserveNotice is called with what became of each message to a member of staff.
	ObserveNotice func(channel, outcome string)
	// Hashing is the cost of password hashing. The default is identity.FullHashing.
	Hashing identity.Hashing
}

// builder builds the services. It holds the parts that several of them share.
type builder struct {
	Options
	reader *access.Reader
	change *change.Items
	links  *change.GuestLinks
}

// New builds all services.
func New(o Options) *Services {
	b := builder{Options: o.withDefaults()}
	s := &Services{Live: live.NewHub(b.DB, b.Log)}
	b.DB.UseEvents(store.Events{
		OfChange: b.Wire.ChangeEvents, Wake: b.WakeDeliveries, OnPageChange: s.Live.Publish,
	})
	s.AccessLog = privacy.NewAccessLog(privacy.AccessLogOptions{DB: b.DB, Every: b.AccessLogEvery, Log: b.Log})
	b.share(s.AccessLog)
	b.buildIdentity(s)
	b.buildShipping(s)
	b.buildMatching(s)
	b.buildPrivacy(s)
	b.buildDesk(s)
	b.buildStorage(s)
	b.buildNotices(s)
	s.Stays = stays.New(stays.Options{DB: b.DB, Systems: b.HotelSystems, Now: b.Now, Reader: b.reader})
	s.Assistant = assistant.New(assistant.Options{
		DB: b.DB, Describer: b.Describer, Photos: b.ReducedPhotos, DailyLimit: b.PhotosPerDay,
		Now: b.Now, Observe: b.ObservePhoto, Log: b.Log, Matches: b.Embedder.Model() != "",
	})
	return s
}

// buildNotices builds the notices for staff. Their monthly reports have the figures of the reports page.
func (b *builder) buildNotices(s *Services) {
	s.Notices = notify.New(notify.Options{
		DB: b.DB, Messenger: b.StaffMessenger, Pusher: b.Pusher, Base: b.Wire.Base, Log: b.Log,
		Observe: b.ObserveNotice,
		Report: func(ctx context.Context, a lost.Actor, locations []string, p report.Period) (report.Report, error) {
			return s.Reports.Report(ctx, a, desk.ReportQuery{Locations: locations, From: p.From, To: p.To})
		},
	})
}

// share builds the parts that several services use.
func (b *builder) share(log access.Log) {
	b.reader = access.NewReader(access.ReaderOptions{DB: b.DB, Log: log, Now: b.Now})
	b.change = change.NewItems(change.Options{DB: b.DB, Wire: b.Wire, Wake: b.Wake})
	b.links = change.NewGuestLinks(change.GuestLinksOptions{DB: b.DB, Change: b.change, Now: b.Now})
}

func (b *builder) buildIdentity(s *Services) {
	hasher := identity.NewHasher(b.Hashing)
	s.Accounts = identity.NewAccounts(identity.AccountsOptions{DB: b.DB, Hasher: hasher})
	s.Keys = identity.NewKeys(identity.KeysOptions{DB: b.DB, Now: b.Now, Log: b.Log})
	s.Sessions = identity.NewSessions(identity.SessionsOptions{
		DB: b.DB, Now: b.Now, Hasher: hasher, WakeMessages: b.WakeMessages,
	})
	s.Profile = identity.NewProfile(identity.ProfileOptions{
		DB: b.DB, Wire: b.Wire, Now: b.Now, Hasher: hasher, Sessions: s.Sessions, Messenger: b.Messenger,
		WakeMessages: b.WakeMessages,
	})
	s.Team = identity.NewTeam(identity.TeamOptions{
		DB: b.DB, Wire: b.Wire, Now: b.Now, Hasher: hasher, Sessions: s.Sessions, Profile: s.Profile,
		WakeMessages: b.WakeMessages,
	})
	s.Passkeys = identity.NewPasskeys(identity.PasskeysOptions{
		DB: b.DB, BaseURL: b.Wire.Base, Sessions: s.Sessions, WakeMessages: b.WakeMessages,
	})
	s.TOTP = identity.NewTOTP(identity.TOTPOptions{DB: b.DB, Sessions: s.Sessions})
	s.ExternalLogin = identity.NewExternalLogin(identity.ExternalLoginOptions{
		DB: b.DB, Provider: b.IdentityProvider, Sessions: s.Sessions, WakeMessages: b.WakeMessages,
	})
}

func (b *builder) buildShipping(s *Services) {
	s.Quotes = shipping.NewQuotes(shipping.QuotesOptions{
		DB: b.DB, Reader: b.reader, Change: b.change, Carrier: b.Carrier,
	})
	s.Payments = shipping.NewPayments(shipping.PaymentsOptions{
		DB: b.DB, Wire: b.Wire, Now: b.Now, Change: b.change, Links: b.links, Quotes: s.Quotes,
		Provider: b.PaymentProvider, Wake: b.Wake,
	})
	s.Labels = shipping.NewLabels(shipping.LabelsOptions{
		DB: b.DB, Change: b.change, Quotes: s.Quotes, Carrier: b.Carrier, Printer: b.Documents, Files: b.Files,
	})
	s.Refunds = shipping.NewRefunds(shipping.RefundsOptions{
		DB: b.DB, Change: b.change, Labels: s.Labels, Provider: b.PaymentProvider,
	})
	s.Tracking = shipping.NewTracking(shipping.TrackingOptions{
		DB: b.DB, Now: b.Now, Change: b.change, Carrier: b.Carrier,
	})
}

func (b *builder) buildMatching(s *Services) {
	s.Matcher = matching.NewMatcher(matching.MatcherOptions{
		DB: b.DB, Embedder: b.Embedder, Now: b.Now, Wake: b.Wake, WakeMatching: b.WakeMatching,
	})
	s.Suggestions = matching.NewSuggestions(matching.SuggestionsOptions{
		DB: b.DB, Reader: b.reader, Change: b.change, Matcher: s.Matcher, MaxWait: b.MaxWait, Wake: b.Wake,
		WakeMatching: b.WakeMatching,
	})
}

func (b *builder) buildPrivacy(s *Services) {
	s.AuditLog = privacy.NewAuditLog(privacy.AuditLogOptions{DB: b.DB})
	s.People = privacy.NewPeople(privacy.PeopleOptions{DB: b.DB, Wire: b.Wire, Wake: b.Wake, MaxWait: b.MaxWait})
	s.RetentionPolicy = privacy.NewRetentionPolicy(privacy.RetentionPolicyOptions{
		DB: b.DB, Deliveries: b.DeliveryRetention,
	})
}

func (b *builder) buildDesk(s *Services) {
	search, finds := matching.NewSearcher(b.DB), desk.NewFinds(b.DB)
	s.Messages = desk.NewMessages(desk.MessagesOptions{
		DB: b.DB, Wire: b.Wire, Now: b.Now, Reader: b.reader, Log: s.AccessLog, Change: b.change,
		Messenger: b.Messenger, Wake: b.Wake,
	})
	s.Items = desk.NewItems(desk.ItemsOptions{
		Search: search, Finds: finds,
		DB: b.DB, Wire: b.Wire, Now: b.Now, Reader: b.reader, Change: b.change, Uploads: b.Uploads,
		Messages: s.Messages, Shipping: s.Labels, Wake: b.Wake, WakeMessages: b.WakeMessages,
		WakeMatching: b.WakeMatching, WakeImages: b.WakeImages,
	})
	s.Handovers = desk.NewHandovers(desk.HandoversOptions{
		DB: b.DB, Now: b.Now, Change: b.change, Log: s.AccessLog, Uploads: b.Uploads, Forms: b.Forms, Files: b.Files,
		Wake: b.Wake,
	})
	s.Views = desk.NewViews(desk.ViewsOptions{DB: b.DB})
	s.Templates = desk.NewTemplates(desk.TemplatesOptions{DB: b.DB})
	s.FormMemory = desk.NewFormMemory(desk.FormMemoryOptions{DB: b.DB, Now: b.Now})
	s.Locations = desk.NewLocations(desk.LocationsOptions{
		DB: b.DB, Wire: b.Wire, Uploads: b.Uploads, Matcher: s.Matcher, Wake: b.Wake,
	})
	s.Requests = desk.NewRequests(desk.RequestsOptions{
		DB: b.DB, Now: b.Now, Reader: b.reader, Change: b.change, Items: s.Items, Uploads: b.Uploads, Wake: b.Wake,
	})
	s.Guests = desk.NewGuests(desk.GuestsOptions{
		DB: b.DB, Links: b.links, Uploads: b.Uploads, Quotes: s.Quotes, Payments: s.Payments, Wake: b.Wake,
	})
	s.Threads = desk.NewThreads(desk.ThreadsOptions{
		DB: b.DB, Wire: b.Wire, Reader: b.reader, Links: b.links, Uploads: b.Uploads, Wake: b.Wake,
	})
	s.Imports = desk.NewImports(desk.ImportsOptions{
		DB: b.DB, Wire: b.Wire, Now: b.Now, Reader: b.reader, Search: search, Finds: finds, Wake: b.Wake,
		WakeMessages: b.WakeMessages,
	})
	s.Reports = desk.NewReports(desk.ReportsOptions{DB: b.DB, Finds: finds, Now: b.Now, Log: b.Log})
	s.Webhooks = endpoint.New(endpoint.Options{
		DB: b.DB, Wire: b.Wire, Now: b.Now, Log: s.AccessLog, Hooks: b.Hooks, WakeDeliveries: b.WakeDeliveries,
	})
}

func (b *builder) buildStorage(s *Services) {
	s.Storage = desk.NewStorage(desk.StorageOptions{
		DB: b.DB, Wire: b.Wire, Now: b.Now, Reader: b.reader, Change: b.change, Forms: b.Forms, Wake: b.Wake,
	})
	s.Categories = desk.NewCategories(desk.CategoriesOptions{DB: b.DB, Wake: b.Wake})
	s.Counts = desk.NewCounts(desk.CountsOptions{DB: b.DB, Change: b.change, Storage: s.Storage, Printer: b.Tags})
	s.Papers = papers.New(papers.Options{DB: b.DB, Wire: b.Wire, Now: b.Now, Printer: b.Forms})
	s.Tags = desk.NewTags(desk.TagsOptions{
		DB: b.DB, Wire: b.Wire, Printer: b.Tags, Codes: b.Codes, Files: b.SavedFiles,
	})
}

// ShippingSteps returns the shipping steps that background jobs run.
func (s *Services) ShippingSteps() shipping.Steps {
	return shipping.Steps{Labels: s.Labels, Payments: s.Payments, Refunds: s.Refunds, Tracking: s.Tracking}
}

// CacheUse returns the numbers of hits and misses of each cache.
func (s *Services) CacheUse() []store.CacheStats {
	return []store.CacheStats{s.Keys.CacheUse(), s.FormMemory.CacheUse(), s.Reports.CacheUse(), s.Matcher.CacheUse()}
}

// Close stops the services' background work and writes the buffered access log entries and uses of keys.
func (s *Services) Close() {
	s.Keys.Close()
	s.AccessLog.Close()
	s.Live.Close()
}
