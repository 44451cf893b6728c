package testkit

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	v1 "homeward/internal/v1"
)

// ServicesBase is the service's base URL in tests of the use cases.
const ServicesBase = "https://homeward.example"

// QuickHashing hashes passwords at minimal cost, to make tests fast.
var QuickHashing = identity.Hashing{Memory: 8, Passes: 1}

// EachDatabase runs fn as a subtest on every database, passing it a clock that the test controls.
func EachDatabase(t *testing.T, fn func(t *testing.T, db *store.DB, clock *storetest.Clock)) {
	t.Helper()
	clock := &storetest.Clock{}
	storetest.EachClock(t, clock.Now, func(t *testing.T, db *store.DB) { fn(t, db, clock) })
}

// NewServices returns all services on a database, with fakes for external dependencies. The change functions modify
// the options. Calling it several times for one database simulates several instances of the service.
func NewServices(db *store.DB, clock *storetest.Clock, change ...func(*services.Options)) *services.Services {
	o := services.Options{
		DB: db, Wire: v1.Encoder{Base: ServicesBase}, Uploads: NoUploads{}, Files: NewMemoryFiles(NewFaults()),
		Forms: Forms{}, Hooks: Hooks{}, Messenger: Messenger{}, Now: clock.Now, Hashing: QuickHashing,
		HotelSystems: HotelSystems(clock.Now),
	}
	for _, fn := range change {
		fn(&o)
	}
	return services.New(o)
}

// CreateFirstAccount creates the first account and returns an actor for its API key.
func CreateFirstAccount(t *testing.T, s *services.Services) lost.Actor {
	t.Helper()
	first, created, err := s.Accounts.CreateFirst(t.Context(), identity.FirstSettings{})
	if err != nil || !created {
		t.Fatalf("creating the first account: %v, created: %v", err, created)
	}
	return first.Key.Actor()
}

// Code returns an error's code, or "" for nil.
func Code(err error) lost.Code {
	if err == nil {
		return ""
	}
	return lost.CodeOf(err)
}

// LocationNamed returns a location patch that sets the name.
func LocationNamed(name string) lost.LocationPatch { return lost.LocationPatch{Name: lost.Set(name)} }

// ItemDescribed returns an item patch that sets the description.
func ItemDescribed(text string) lost.ItemPatch { return lost.ItemPatch{Description: lost.Set(text)} }

// ItemOwnedBy returns an item patch that sets the description and the owner's e-mail address.
func ItemOwnedBy(text, email string) lost.ItemPatch {
	return lost.ItemPatch{
		Description: lost.Set(text), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set(email)}),
	}
}

// RequestFor returns a request patch that sets the description, with Anna as the owner.
func RequestFor(text string) lost.RequestPatch {
	return lost.RequestPatch{
		Description: lost.Set(text), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")}),
	}
}

// EndpointAt returns an endpoint patch that sets the URL.
func EndpointAt(url string) lost.EndpointPatch { return lost.EndpointPatch{URL: lost.Set(url)} }

// ClientAt returns a client with the given IP address.
func ClientAt(address string) lost.Client { return lost.Client{Address: address, Agent: "Firefox"} }

// Count returns how many times a text occurs in a list.
func Count(all []string, text string) (n int) {
	for _, one := range all {
		if one == text {
			n++
		}
	}
	return n
}

// Fixture is a location with an item that belongs to Anna.
type Fixture struct {
	T        *testing.T
	DB       *store.DB
	Clock    *storetest.Clock
	Services *services.Services
	Actor    lost.Actor // an API key of the account
	Location lost.Location
	Item     lost.Item
}

// EachLocation runs fn as a subtest on every database, with a new location (Hotel Adler) and an item (Anna's
// umbrella).
func EachLocation(t *testing.T, fn func(f *Fixture)) {
	t.Helper()
	EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		f := &Fixture{T: t, DB: db, Clock: clock, Services: NewServices(db, clock)}
		f.Actor = CreateFirstAccount(t, f.Services)
		f.Location = f.NewLocation(LocationNamed("Hotel Adler"))
		f.Item = f.NewItem(ItemOwnedBy("Umbrella", "anna@example.com"))
		fn(f)
	})
}

// NewLocation creates a location.
func (f *Fixture) NewLocation(p lost.LocationPatch) lost.Location {
	f.T.Helper()
	return Must(f.Services.Locations.Create(f.T.Context(), f.Actor, p, lost.IdempotencyKey{}))
}

// NewItem creates an item at the fixture's location.
func (f *Fixture) NewItem(p lost.ItemPatch) lost.Item {
	f.T.Helper()
	return Must(f.Services.Items.Create(f.T.Context(), f.Actor, f.Location.ID, p, lost.IdempotencyKey{}))
}

// NewRequest submits a request with the given e-mail address.
func (f *Fixture) NewRequest(email string) lost.Item {
	f.T.Helper()
	return Must(f.Services.Requests.File(f.T.Context(), f.Actor, f.Location.ID, lost.RequestPatch{
		Description: lost.Set("Blue scarf"), LostDate: lost.Set("2026-11-14"),
		Owner: lost.Set(lost.OwnerPatch{Email: lost.Set(email)}),
	}, lost.IdempotencyKey{}))
}

// Token returns the token in the link for an item's owner.
func (f *Fixture) Token(i lost.Item) string {
	f.T.Helper()
	link, found, err := f.DB.LinkForAddress(f.T.Context(), i.Account, i.ID, i.Owner.Address())
	if err != nil || !found {
		f.T.Fatalf("no link: %v", err)
	}
	return Must(f.DB.LinkToken(link))
}

// Events returns the types of the account's events, newest first.
func (f *Fixture) Events() []string {
	f.T.Helper()
	var all []string
	page := lost.EventFilter{Page: lost.FirstPage()}
	for _, e := range Must(f.Services.Webhooks.Events(f.T.Context(), f.Actor, page)).Data {
		all = append(all, string(e.Type))
	}
	return all
}

// ChangeEvents returns the types of the events about changes, oldest first, with the previous statuses.
func (f *Fixture) ChangeEvents() []string {
	f.T.Helper()
	var all []string
	filter := lost.EventFilter{Types: lost.ChangeEventTypes(), Page: lost.Page{Number: 1, Limit: lost.MaxLimit}}
	for _, e := range Must(f.Services.Webhooks.Events(f.T.Context(), f.Actor, filter)).Data {
		var body v1.EventBody
		if err := json.Unmarshal(e.Body, &body); err != nil {
			f.T.Fatal(err)
		}
		all = append(all, strings.TrimSpace(string(e.Type)+" "+body.Payload.PreviousStatus))
	}
	slices.Reverse(all)
	return all
}

// Person returns an actor for a user of the account with the given role.
func (f *Fixture) Person(id string, role lost.Role) lost.Actor {
	return lost.Actor{Account: f.Actor.Account, Kind: lost.ByUser, ID: id, Name: id, Role: role}
}

// OwnerPassword is the password of an Account's owner.
const OwnerPassword = "umbrella station teapot"

// Account is an account whose owner can log in.
type Account struct {
	T        *testing.T
	DB       *store.DB
	Clock    *storetest.Clock
	Services *services.Services
	Owner    lost.User
}

// EachAccount runs fn as a subtest on every database, passing it a new account. The change functions modify the
// options of the services.
func EachAccount(t *testing.T, fn func(a *Account), change ...func(*services.Options)) {
	t.Helper()
	EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		s := NewServices(db, clock, change...)
		settings := identity.FirstSettings{Email: "owner@hotel.example", Password: OwnerPassword}
		first, _, err := s.Accounts.CreateFirst(t.Context(), settings)
		if err != nil {
			t.Fatal(err)
		}
		fn(&Account{T: t, DB: db, Clock: clock, Services: s, Owner: first.User})
	})
}

// SignIn logs a user in and returns the session.
func (a *Account) SignIn(email, password string, from lost.Client) (identity.Session, error) {
	return a.Services.Sessions.SignIn(a.T.Context(), email, password, false, from)
}

// LoggedIn logs the owner in and returns the session.
func (a *Account) LoggedIn() identity.Session {
	a.T.Helper()
	in, err := a.SignIn(a.Owner.Email, OwnerPassword, ClientAt("192.0.2.200"))
	if err != nil {
		a.T.Fatal(err)
	}
	return Must(a.Services.Sessions.ByToken(a.T.Context(), in.Token, ClientAt("192.0.2.200")))
}

// ExpectCode reports a test failure unless err has the code want. An empty code means no error.
func (a *Account) ExpectCode(err error, want lost.Code, what string) {
	a.T.Helper()
	if got := lost.CodeOf(err); err == nil && want != "" || err != nil && got != want {
		a.T.Errorf("%s: %v, want %q", what, err, want)
	}
}

// Token returns the token of the newest e-mail link of the given kind.
func (a *Account) Token(kind lost.EmailLinkKind) string {
	a.T.Helper()
	open := Must(a.DB.Tickets(a.T.Context(), a.Owner.Account, kind, 10))
	if len(open) == 0 {
		a.T.Fatalf("there is no e-mail link of kind %s", kind)
	}
	return Must(a.DB.TicketToken(open[0]))
}

// NewMember adds a user to the account.
func (a *Account) NewMember(name string, role lost.Role) lost.User {
	a.T.Helper()
	m := lost.Membership{Email: name + "@hotel.example", Name: name, Role: role}
	return Must(a.Services.Accounts.CreateMember(a.T.Context(), a.Owner.Account, m, "a password of "+name))
}

// TOTPCode returns the current code for a seed.
func (a *Account) TOTPCode(seed string) string {
	return Must(totp.GenerateCode(strings.ToUpper(strings.ReplaceAll(seed, " ", "")), a.Clock.Now()))
}

// SetUpTOTP enables two-step login for the owner and returns the seed and the recovery codes.
func (a *Account) SetUpTOTP(in identity.Session) (seed string, recovery []string) {
	a.T.Helper()
	if err := a.Services.TOTP.Begin(a.T.Context(), in); err != nil {
		a.T.Fatal(err)
	}
	n := Must(a.Services.TOTP.Pending(a.T.Context(), in))
	return n.Seed, Must(a.Services.TOTP.Confirm(a.T.Context(), in, OwnerPassword, a.TOTPCode(n.Seed)))
}

// AuditNotes returns the actor's kind and the note of each audit log entry with the given action, oldest first.
func (a *Account) AuditNotes(action lost.AuditAction) (notes []string) {
	a.T.Helper()
	f := lost.AuditFilter{Action: action, PageCursor: lost.PageCursor{Limit: 50}}
	for _, e := range Must(a.Services.AuditLog.List(a.T.Context(), a.Owner.Actor(), f)).Data {
		notes = append(notes, string(e.Actor.Kind)+" "+e.Note)
	}
	slices.Reverse(notes)
	return notes
}

// Invitation returns the membership for inviting a person named Ben.
func Invitation(email string, role lost.Role, locations ...string) lost.Membership {
	return lost.Membership{Email: email, Name: "Ben", Role: role, Locations: locations}
}

// Pause is how far a test advances its clock so that two changes to a record have different times.
const Pause = 10 * time.Millisecond
