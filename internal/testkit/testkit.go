// Package testkit assembles the service for tests on every database: the use cases (EachLocation, EachAccount) or the
// whole web server (Each, NewServer), with a clock that the test controls and fakes for external services. It creates
// locations, items and users, sends requests as a Visitor, and makes fakes fail at chosen steps (Faults). It does not
// run background jobs.
package testkit

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"homeward/internal/app"
	"homeward/internal/courier"
	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/media"
	"homeward/internal/message"
	"homeward/internal/payment"
	"homeward/internal/pdf"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	v1 "homeward/internal/v1"
	"homeward/internal/web"
	"homeward/internal/web/callback"
	"homeward/internal/web/guest"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff"
)

// Base is the service's base URL, except for servers that a browser visits.
const Base = "http://homeward.example"

// Password is the owner's password.
const Password = "a password of the owner"

// Server is the web server used by one test.
type Server struct {
	T         testing.TB
	DB        *store.DB
	Clock     *storetest.Clock
	Services  *services.Services
	Owner     lost.User  // logs in with Password
	Actor     lost.Actor // the owner
	Handler   http.Handler
	SendsMail bool         // whether the use cases assume that e-mail is set up
	Hooks     app.Webhooks // allows all URLs, including private ones
	base      string
	down      atomic.Bool
}

// Each runs fn as a subtest on every database, passing it a new server. The change functions modify the options of
// the services.
func Each(t *testing.T, fn func(t *testing.T, h *Server), change ...func(*services.Options)) {
	t.Helper()
	storetest.EachSetting(t, func(t *testing.T, setting string) { fn(t, open(t, setting, Base, change...)) })
}

// NewServer returns a server on SQLite, for tests that do not depend on the database.
func NewServer(t testing.TB) *Server {
	t.Helper()
	return NewServerWith(t)
}

// NewServerWith is like NewServer, but with functions that modify the options of the services.
func NewServerWith(t testing.TB, change ...func(*services.Options)) *Server {
	t.Helper()
	return open(t, storetest.SQLite(t), Base, change...)
}

// NewBrowserServer starts a server on SQLite that a browser can visit, and returns it with its URL. The change
// functions modify the options of the services.
func NewBrowserServer(t testing.TB, change ...func(*services.Options)) (*Server, string) {
	t.Helper()
	return serve(t, storetest.SQLite(t), "127.0.0.1", change...)
}

// EachBrowserServer is like NewBrowserServer, but calls fn with a server on each database.
func EachBrowserServer(t *testing.T, fn func(t *testing.T, h *Server, at string)) {
	t.Helper()
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		h, at := serve(t, setting, "127.0.0.1")
		fn(t, h, at)
	})
}

// NewNamedBrowserServer is like NewBrowserServer, but its URL contains a host name, which passkeys require. The
// change functions modify the options of the services.
func NewNamedBrowserServer(t testing.TB, change ...func(*services.Options)) (*Server, string) {
	t.Helper()
	return serve(t, storetest.SQLite(t), "localhost", change...)
}

func serve(t testing.TB, setting, host string, change ...func(*services.Options)) (*Server, string) {
	t.Helper()
	var h *Server
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.down.Load() {
			panic(http.ErrAbortHandler) // closes the connection
		}
		h.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		h.Services.Live.Drain() // the server waits for open streams
		server.Close()
	})
	at := strings.Replace(server.URL, "127.0.0.1", host, 1)
	h = open(t, setting, at, change...)
	return h, at
}

// SetDown makes the server drop every connection while down is true.
func (h *Server) SetDown(down bool) { h.down.Store(down) }

func open(t testing.TB, setting, base string, change ...func(*services.Options)) *Server {
	t.Helper()
	h := &Server{
		T: t, Clock: &storetest.Clock{}, base: base,
		Hooks: app.NewWebhooks(app.Config{AllowPrivate: true, RetryUnit: time.Second}),
	}
	h.DB = storetest.Open(t, setting, h.Clock.Now)
	Must(h.DB.Migrate(t.Context()))
	Must(0, h.DB.UseSecret([]byte("the server's secret in tests")))
	files := Must(media.Open(t.Context(), t.TempDir()))
	processor := media.NewProcessor(t.TempDir())
	pictures, documents, saved := app.NewFileStores(files, processor)
	printer := pdf.New()
	options := services.Options{
		DB: h.DB, Wire: v1.Encoder{Base: base, Now: h.Clock.Now},
		Uploads: pictures, Files: documents, SavedFiles: saved,
		Documents: printer, Forms: printer,
		Tags: printer, Codes: processor,
		Messenger: messenger{Must(message.New(message.Options{From: "desk@homeward.example", Base: base})), h},
		Carrier:   courier.Tariff{Now: h.Clock.Now}, PaymentProvider: payment.Test{Now: h.Clock.Now}, Hooks: h.Hooks,
		HotelSystems:      HotelSystems(h.Clock.Now),
		DeliveryRetention: 720 * time.Hour,
		Now:               h.Clock.Now, Wake: func() {}, WakeMessages: func() {},
		WakeDeliveries: func(...store.EndpointQueue) {}, Hashing: identity.Hashing{Memory: 8, Passes: 1},
	}
	for _, fn := range change {
		fn(&options)
	}
	h.Services = services.New(options)
	first, _, err := h.Services.Accounts.CreateFirst(t.Context(),
		identity.FirstSettings{Email: "owner@homeward.example", Password: Password})
	Must(0, err)
	h.Owner, h.Actor = first.User, first.User.Actor()
	assets := Must(respond.NewAssets())
	h.Handler = web.Handler(web.Options{
		API:      http.NotFoundHandler(),
		Callback: callback.New(h.Services.Payments.HandleCallback, h.Services.Tracking.HandleCallback, noTexts),
		Log:      slog.New(slog.NewTextHandler(io.Discard, nil)),
		Guest: Must(guest.New(guest.Options{
			Services: h.Services, Base: base, FormKey: []byte("a key for forms in tests"), Assets: assets,
			Now: h.Clock.Now,
		})),
		Staff: Must(staff.New(staff.Options{Services: h.Services, Base: base, Assets: assets, Now: h.Clock.Now})),
		Files: media.Handler(files, processor, func(w http.ResponseWriter, _ *http.Request, err error) {
			respond.Problem(w, err)
		}),
	})
	return h
}

// noTexts receives replies from phones while text messages are not set up.
func noTexts(context.Context, http.Header, []byte) error { return lost.Missing("page") }

// messenger is a message.Sender that reports that e-mail is set up if Server.SendsMail is true.
type messenger struct {
	*message.Sender
	h *Server
}

func (m messenger) Sends(by lost.Channel) bool { return m.h.SendsMail || m.Sender.Sends(by) }

// Link returns the path of the newest link of the given kind that was created for a member of the owner's account.
func (h *Server) Link(kind lost.EmailLinkKind) string {
	h.T.Helper()
	open := Must(h.DB.Tickets(context.Background(), h.Owner.Account, kind, 1))
	if len(open) == 0 {
		h.T.Fatalf("there is no link of kind %s", kind)
	}
	return kind.Path() + Must(h.DB.TicketToken(open[0]))
}

// NewMember adds a user to the owner's account. The user logs in with Password.
func (h *Server) NewMember(name string, role lost.Role, locations ...string) lost.User {
	h.T.Helper()
	m := lost.Membership{
		Email: strings.ToLower(name) + "@homeward.example", Name: name, Role: role, Locations: locations,
	}
	return Must(h.Services.Accounts.CreateMember(context.Background(), h.Owner.Account, m, Password))
}

// As returns a visitor who is logged in as a user.
func (h *Server) As(u lost.User) *Visitor {
	h.T.Helper()
	v := h.NewVisitor()
	if a := v.Post("/login", url.Values{"email": {u.Email}, "password": {Password}}); a.Code != http.StatusSeeOther {
		h.T.Fatalf("logging in as %s returned status %d: %s", u.Role, a.Code, a.Body)
	}
	return v
}

// Session starts another session for a user without logging in, and returns it with its token.
func (h *Server) Session(u lost.User, from lost.Client) (s lost.Session, token string) {
	h.T.Helper()
	token = rand.Text()
	Must(0, h.DB.Write(context.Background(), func(tx *store.Tx) error {
		s = lost.NewSession(u, from, false, []lost.AuthProof{lost.PasswordProof}, tx.Now())
		return tx.InsertSession(s, store.DirectoryHash(token))
	}))
	return s, token
}

// Must returns v. It panics if err is not nil, which fails the test.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// NewLocation creates a location in Berlin that stores items for 30 days.
func (h *Server) NewLocation(name string) lost.Location {
	h.T.Helper()
	return Must(h.Services.Locations.Create(context.Background(), h.Actor, lost.LocationPatch{
		Name: lost.Set(name), TimeZone: lost.Set("Europe/Berlin"), StorageDuration: lost.Set(30),
		StoragePlace: lost.Set("Shelf A"),
		Pickup:       lost.Set(lost.PickupPatch{From: lost.Set("10:00"), To: lost.Set("18:00")}),
	}, lost.IdempotencyKey{}))
}

// NewItem creates an item at a location. The change functions modify the patch that creates it.
func (h *Server) NewItem(l lost.Location, description string, change ...func(*lost.ItemPatch)) lost.Item {
	h.T.Helper()
	p := lost.ItemPatch{Description: lost.Set(description)}
	for _, fn := range change {
		fn(&p)
	}
	return Must(h.Services.Items.Create(context.Background(), h.Actor, l.ID, p, lost.IdempotencyKey{}))
}

// Visitor is a simple browser: it stores cookies and does not follow redirects.
type Visitor struct {
	h       *Server
	cookies map[string]string
}

// NewVisitor returns a visitor who is not logged in.
func (h *Server) NewVisitor() *Visitor { return &Visitor{h: h, cookies: map[string]string{}} }

// LogIn returns a visitor who is logged in as the owner.
func (h *Server) LogIn() *Visitor {
	h.T.Helper()
	return h.As(h.Owner)
}

// Response is an HTTP response.
type Response struct {
	Code   int
	Header http.Header
	Body   string
}

// Get requests a page and returns the response.
func (v *Visitor) Get(path string) Response {
	return v.Do(httptest.NewRequestWithContext(context.Background(), http.MethodGet, v.h.base+path, nil))
}

// Post submits a form as a browser would from one of the service's pages.
func (v *Visitor) Post(path string, form url.Values) Response {
	r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, v.h.base+path,
		strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return v.Do(r)
}

// Do sends a request with the visitor's cookies.
func (v *Visitor) Do(r *http.Request) Response {
	v.h.T.Helper()
	r.Header.Set("Accept", "text/html")
	if r.Method != http.MethodGet {
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for name, value := range v.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	w := httptest.NewRecorder()
	v.h.Handler.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		v.cookies[c.Name] = c.Value
		if c.MaxAge < 0 {
			delete(v.cookies, c.Name)
		}
	}
	return Response{Code: w.Code, Header: w.Header(), Body: bytes.NewBuffer(w.Body.Bytes()).String()}
}

// Match matches items as the background job does. It matches them twice, so that all items are indexed before the
// second time.
func (h *Server) Match(items ...lost.Item) {
	h.T.Helper()
	for range 2 {
		for _, i := range items {
			Must(h.Services.Matcher.Match(h.T.Context(), i.Account, i.ID))
		}
	}
}
