package testkit

import (
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

// ServicesBase is the address of the service in tests of the use cases.
const ServicesBase = "https://homeward.example"

// QuickHashing hashes passwords at next to no cost.
var QuickHashing = identity.Hashing{Memory: 8, Passes: 1}

// EachDatabase runs a test on each database, with a clock that the test moves.
func EachDatabase(t *testing.T, fn func(t *testing.T, db *store.DB, clock *storetest.Clock)) {
	t.Helper()
	clock := &storetest.Clock{}
	storetest.EachClock(t, clock.Now, func(t *testing.T, db *store.DB) { fn(t, db, clock) })
}

// NewServices builds all services on a database, with fakes for everything outside. Options may be changed. Several of
// them on one database are copies of the service.
func NewServices(db *store.DB, clock *storetest.Clock, change ...func(*services.Options)) *services.Services {
	o := services.Options{
		DB: db, Wire: v1.Encoder{Base: ServicesBase}, Uploads: NoUploads{}, Files: NewMemoryFiles(NewFaults()),
		Forms: Forms{}, Hooks: Hooks{}, Messenger: Messenger{}, Now: clock.Now, Hashing: QuickHashing,
	}
	for _, fn := range change {
		fn(&o)
	}
	return services.New(o)
}

// Begin makes the first account and gives the actor of its API key.
func Begin(t *testing.T, s *services.Services) lost.Actor {
	t.Helper()
	first, made, err := s.Accounts.CreateFirst(t.Context(), identity.FirstSettings{})
	if err != nil || !made {
		t.Fatalf("%v, made: %v", err, made)
	}
	return first.Key.Actor()
}

// Code is the code of an error, and empty for nil.
func Code(err error) lost.Code {
	if err == nil {
		return ""
	}
	return lost.CodeOf(err)
}

// Named is the patch of a location with a name.
func Named(name string) lost.LocationPatch { return lost.LocationPatch{Name: lost.Set(name)} }

// Described is the patch of an item with a description.
func Described(text string) lost.ItemPatch { return lost.ItemPatch{Description: lost.Set(text)} }

// Owned is the patch of an item with a description and an owner.
func Owned(text, email string) lost.ItemPatch {
	return lost.ItemPatch{
		Description: lost.Set(text), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set(email)}),
	}
}

// Claimed is the patch of a request with a description, by Anna.
func Claimed(text string) lost.RequestPatch {
	return lost.RequestPatch{
		Description: lost.Set(text), Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")}),
	}
}

// EndpointAt is the patch of a webhook with an address.
func EndpointAt(url string) lost.EndpointPatch { return lost.EndpointPatch{URL: lost.Set(url)} }

// From is a browser at an address.
func From(address string) lost.Client { return lost.Client{Address: address, Agent: "Firefox"} }

// Count tells how often a text is in a list.
func Count(all []string, text string) (n int) {
	for _, one := range all {
		if one == text {
			n++
		}
	}
	return n
}

// Fixture is a location with an item of Anna's.
type Fixture struct {
	T        *testing.T
	DB       *store.DB
	Clock    *storetest.Clock
	Services *services.Services
	Actor    lost.Actor // with an API key of the account
	Location lost.Location
	Item     lost.Item
}

// EachLocation runs a test on each database with a location, Hotel Adler, that has an umbrella of Anna's.
func EachLocation(t *testing.T, fn func(f *Fixture)) {
	t.Helper()
	EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		f := &Fixture{T: t, DB: db, Clock: clock, Services: NewServices(db, clock)}
		f.Actor = Begin(t, f.Services)
		f.Location = f.NewLocation(Named("Hotel Adler"))
		f.Item = f.NewItem(Owned("Umbrella", "anna@example.com"))
		fn(f)
	})
}

// NewLocation makes a location.
func (f *Fixture) NewLocation(p lost.LocationPatch) lost.Location {
	f.T.Helper()
	return Must(f.Services.Locations.Create(f.T.Context(), f.Actor, p, lost.IdempotencyKey{}))
}

// NewItem records an item at the location.
func (f *Fixture) NewItem(p lost.ItemPatch) lost.Item {
	f.T.Helper()
	return Must(f.Services.Items.Create(f.T.Context(), f.Actor, f.Location.ID, p, lost.IdempotencyKey{}))
}

// NewRequest files a request by an e-mail address.
func (f *Fixture) NewRequest(email string) lost.Item {
	f.T.Helper()
	return Must(f.Services.Requests.File(f.T.Context(), f.Actor, f.Location.ID, lost.RequestPatch{
		Description: lost.Set("Blue scarf"), LostDate: lost.Set("2026-11-14"),
		Owner: lost.Set(lost.OwnerPatch{Email: lost.Set(email)}),
	}, lost.IdempotencyKey{}))
}

// Token is the last part of the link of an item's owner.
func (f *Fixture) Token(i lost.Item) string {
	f.T.Helper()
	link, found, err := f.DB.LinkForAddress(f.T.Context(), i.Account, i.ID, i.Owner.Address())
	if err != nil || !found {
		f.T.Fatalf("no link: %v", err)
	}
	return Must(f.DB.LinkToken(link))
}

// Events lists the types of the account's events, newest first.
func (f *Fixture) Events() []string {
	f.T.Helper()
	var all []string
	page := lost.EventFilter{Page: lost.FirstPage()}
	for _, e := range Must(f.Services.Webhooks.Events(f.T.Context(), f.Actor, page)).Data {
		all = append(all, string(e.Type))
	}
	return all
}

// Person is a person of the account with a role, as an actor.
func (f *Fixture) Person(id string, role lost.Role) lost.Actor {
	return lost.Actor{Account: f.Actor.Account, Kind: lost.ByUser, ID: id, Name: id, Role: role}
}

// OwnerPassword is the password of an Account's owner.
const OwnerPassword = "umbrella station teapot"

// Account is an account with an owner who logs in.
type Account struct {
	T        *testing.T
	DB       *store.DB
	Clock    *storetest.Clock
	Services *services.Services
	Owner    lost.User
}

// EachAccount runs a test on each database with an account.
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

// SignIn logs somebody in.
func (a *Account) SignIn(email, password string, from lost.Client) (identity.Session, error) {
	return a.Services.Sessions.SignIn(a.T.Context(), email, password, false, from)
}

// LoggedIn logs the owner in.
func (a *Account) LoggedIn() identity.Session {
	a.T.Helper()
	in, err := a.SignIn(a.Owner.Email, OwnerPassword, From("192.0.2.200"))
	if err != nil {
		a.T.Fatal(err)
	}
	return Must(a.Services.Sessions.ByToken(a.T.Context(), in.Token))
}

// ExpectCode fails the test if an error has another code. An empty code stands for no error.
func (a *Account) ExpectCode(err error, want lost.Code, what string) {
	a.T.Helper()
	if got := lost.CodeOf(err); err == nil && want != "" || err != nil && got != want {
		a.T.Errorf("%s: %v, want %q", what, err, want)
	}
}

// Token is the token of the newest ticket of a kind.
func (a *Account) Token(kind lost.TicketKind) string {
	a.T.Helper()
	open := Must(a.DB.Tickets(a.T.Context(), a.Owner.Account, kind, 10))
	if len(open) == 0 {
		a.T.Fatalf("there is no ticket of kind %s", kind)
	}
	return Must(a.DB.TicketToken(open[0]))
}

// NewMember adds somebody to the team.
func (a *Account) NewMember(name string, role lost.Role) lost.User {
	a.T.Helper()
	m := lost.Membership{Email: name + "@hotel.example", Name: name, Role: role}
	return Must(a.Services.Accounts.CreateMember(a.T.Context(), a.Owner.Account, m, "a password of "+name))
}

// TOTPCode is the code that an app with a seed shows now.
func (a *Account) TOTPCode(seed string) string {
	return Must(totp.GenerateCode(strings.ToUpper(strings.ReplaceAll(seed, " ", "")), a.Clock.Now()))
}

// SetUpTOTP switches the owner's second step on.
func (a *Account) SetUpTOTP(in identity.Session) (seed string, recovery []string) {
	a.T.Helper()
	if err := a.Services.TOTP.Begin(a.T.Context(), in); err != nil {
		a.T.Fatal(err)
	}
	n := Must(a.Services.TOTP.Pending(a.T.Context(), in))
	return n.Seed, Must(a.Services.TOTP.Confirm(a.T.Context(), in, OwnerPassword, a.TOTPCode(n.Seed)))
}

// AuditNotes gives the actor's kind and the note of each audit entry of an action, oldest first.
func (a *Account) AuditNotes(action lost.AuditAction) (notes []string) {
	a.T.Helper()
	f := lost.AuditFilter{Deed: action, PageCursor: lost.PageCursor{Limit: 50}}
	for _, e := range Must(a.Services.AuditLog.List(a.T.Context(), a.Owner.Actor(), f)).Data {
		notes = append(notes, string(e.Actor.Kind)+" "+e.Note)
	}
	slices.Reverse(notes)
	return notes
}

// Invited is the membership of Ben, who is invited.
func Invited(email string, role lost.Role, locations ...string) lost.Membership {
	return lost.Membership{Email: email, Name: "Ben", Role: role, Locations: locations}
}

// Pause is long enough for two changes of one record to have different times on a clock that stands still otherwise.
const Pause = 10 * time.Millisecond
