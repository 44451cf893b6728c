package stay

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"homeward/internal/lost"
)

// System is a property-management system.
type System string

// The systems that can be connected.
const (
	Apaleo    System = "apaleo"
	Mews      System = "mews"
	OHIP      System = "ohip" // Oracle Hospitality Integration Platform, of OPERA Cloud
	Cloudbeds System = "cloudbeds"
)

// Systems lists all systems.
func Systems() []System { return []System{Apaleo, Mews, OHIP, Cloudbeds} }

// Name returns the name of the product, which is the same in all languages.
func (s System) Name() string {
	return map[System]string{
		Apaleo: "Apaleo", Mews: "Mews", OHIP: "Oracle OPERA Cloud (OHIP)", Cloudbeds: "Cloudbeds",
	}[s]
}

// Setting is something that a connection needs.
type Setting struct {
	Name     string
	Secret   bool // never shown again
	Optional bool
	Default  string
}

// The names of the settings.
const (
	URLSetting          = "url"
	TokenURLSetting     = "tokenUrl"
	PropertySetting     = "property"
	ClientIDSetting     = "clientId"
	ClientSecretSetting = "clientSecret"
	AppKeySetting       = "appKey"
	EnterpriseSetting   = "enterprise"
	UserSetting         = "user"
	PasswordSetting     = "password"
	ClientTokenSetting  = "clientToken"
	AccessTokenSetting  = "accessToken"
	APIKeySetting       = "apiKey"
)

// settings lists what each system needs.
var settings = map[System][]Setting{
	Apaleo: {
		{Name: PropertySetting}, {Name: ClientIDSetting}, {Name: ClientSecretSetting, Secret: true},
		{Name: URLSetting, Default: "https://api.apaleo.com"},
		{Name: TokenURLSetting, Default: "https://identity.apaleo.com/connect/token"},
	},
	Mews: {
		{Name: ClientTokenSetting, Secret: true}, {Name: AccessTokenSetting, Secret: true},
		{Name: URLSetting, Default: "https://api.mews.com"},
	},
	OHIP: {
		{Name: URLSetting}, {Name: PropertySetting}, {Name: AppKeySetting, Secret: true}, {Name: ClientIDSetting},
		{Name: ClientSecretSetting, Secret: true}, {Name: EnterpriseSetting, Optional: true},
		{Name: UserSetting, Optional: true}, {Name: PasswordSetting, Secret: true, Optional: true},
	},
	Cloudbeds: {
		{Name: PropertySetting}, {Name: APIKeySetting, Secret: true},
		{Name: URLSetting, Default: "https://api.cloudbeds.com"},
	},
}

// Settings lists what a connection to the system needs. It is empty for an unknown system.
func (s System) Settings() []Setting { return slices.Clone(settings[s]) }

// Connection connects a location to a property-management system.
type Connection struct {
	Account, LocationID string
	System              System
	Values              map[string]string // by the names of the settings
	ConnectedAt         time.Time
	TestedAt            time.Time
	Problem             Problem // of the last test; empty if it succeeded
}

// Value returns a value.
func (c Connection) Value(setting string) string { return c.Values[setting] }

// Public returns the connection without secrets.
func (c Connection) Public() Connection {
	public := map[string]string{}
	for _, s := range c.System.Settings() {
		if !s.Secret {
			public[s.Name] = c.Values[s.Name]
		}
	}
	c.Values = public
	return c
}

// maxSetting is the maximum length of a value, in characters. Tokens may be long.
const maxSetting = 2000

// NewConnection checks the values of a connection. An empty secret keeps the former one, if the same system was
// connected before at the same address: otherwise, a person who may change the address could send the secret elsewhere.
// checkURL returns the problems of a URL.
func NewConnection(account, location string, system System, values map[string]string, former Connection,
	checkURL func(string) lost.Problems, now time.Time) (Connection, error) {
	c := Connection{
		Account: account, LocationID: location, System: system, Values: map[string]string{}, ConnectedAt: now,
	}
	var p lost.Problems
	if len(settings[system]) == 0 {
		p.Add("system", "not-allowed", "must be one of the systems in the list")
		return c, p.Err()
	}
	for _, s := range settings[system] {
		value := strings.TrimSpace(values[s.Name])
		if value == "" {
			value = s.Default
		}
		c.Values[s.Name] = value
	}
	kept := former.System == system && c.sameAddress(former)
	for _, s := range settings[system] {
		if s.Secret && c.Values[s.Name] == "" && kept {
			c.Values[s.Name] = former.Values[s.Name]
		}
		checkSetting(&p, s, c.Values[s.Name], checkURL)
	}
	if (c.Value(UserSetting) == "") != (c.Value(PasswordSetting) == "") {
		p.Add(PasswordSetting, "required", "must be set together with the user name")
	}
	return c, p.Err()
}

// sameAddress reports whether requests of the connection go to the same place as those of another one.
func (c Connection) sameAddress(o Connection) bool {
	return c.Value(URLSetting) == o.Value(URLSetting) && c.Value(TokenURLSetting) == o.Value(TokenURLSetting)
}

func checkSetting(p *lost.Problems, s Setting, value string, checkURL func(string) lost.Problems) {
	isControl := func(r rune) bool { return r < ' ' || r > '~' }
	switch {
	case value == "" && !s.Optional:
		p.Add(s.Name, "required", "must be set")
	case utf8.RuneCountInString(value) > maxSetting:
		p.Add(s.Name, "too-long", "must have at most %d characters", maxSetting)
	case strings.ContainsFunc(value, isControl):
		p.Add(s.Name, "invalid-value", "must contain only letters, digits and punctuation without accents")
	case value != "" && (s.Name == URLSetting || s.Name == TokenURLSetting):
		for _, f := range checkURL(value) {
			p.Add(s.Name, f.Code, "%s", f.Message)
		}
	}
}

// Problem says why a property-management system could not be asked.
type Problem string

// The problems.
const (
	NotReached   Problem = "not-reached"  // no connection, or a server error
	NotAllowed   Problem = "not-allowed"  // the address is private
	TimedOut     Problem = "timed-out"    // no answer in time
	Unauthorized Problem = "unauthorized" // the credentials are wrong or expired
	Forbidden    Problem = "forbidden"    // the credentials are right but do not allow to read reservations
	// ForbiddenGuests and ForbiddenCalendar are like Forbidden, but reservations can be read.
	ForbiddenGuests   Problem = "forbidden-guests"   // customers or companionships of Mews
	ForbiddenCalendar Problem = "forbidden-calendar" // the room calendar of OHIP
	TooMany           Problem = "too-many"           // the system limits the number of requests
	Unreadable        Problem = "unreadable"         // the answer is not what the contract says
	UnknownPlace      Problem = "unknown-place"      // the property does not exist
)

// details are the sentences of problems for API clients. They say what to do.
var details = map[Problem]string{
	NotReached:   "The hotel system cannot be reached. Try again later, or enter the owner yourself.",
	NotAllowed:   "The address of the hotel system is private. Ask an administrator to correct the connection.",
	TimedOut:     "The hotel system did not answer in time. Try again, or enter the owner yourself.",
	Unauthorized: "The hotel system rejected the credentials. Ask an administrator to enter them again.",
	Forbidden:    "The credentials do not allow reading reservations. Ask an administrator to extend them.",
	ForbiddenGuests: "The credentials do not allow reading customers and companionships. Ask an administrator to " +
		"extend them.",
	ForbiddenCalendar: "The credentials do not allow reading the room calendar. Ask an administrator to extend them.",

	TooMany:      "The hotel system accepts no more requests for now. Wait a moment and try again.",
	Unreadable:   "The hotel system sent an unexpected answer. Try again later, or enter the owner yourself.",
	UnknownPlace: "The hotel system does not know the property. Ask an administrator to correct the connection.",
}

// SystemError is the error of a request to a property-management system.
type SystemError struct {
	Problem Problem
	Wait    time.Duration // for TooMany: how long to wait; 0 if not known
	Cause   error         // for the log; contains neither secrets nor data of guests
}

func (e *SystemError) Error() string {
	if e.Cause == nil {
		return string(e.Problem)
	}
	return string(e.Problem) + ": " + e.Cause.Error()
}

// Unwrap returns the cause.
func (e *SystemError) Unwrap() error { return e.Cause }

// ForUsers returns the error with a sentence for users.
func (e *SystemError) ForUsers() *lost.Error {
	told := lost.E(lost.Unavailable, "%s", details[e.Problem]).WithCause(e)
	told.Wait = e.Wait
	return told
}
