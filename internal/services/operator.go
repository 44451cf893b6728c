package services

import (
	"time"

	"homeward/internal/access"
	"homeward/internal/desk"
	"homeward/internal/identity"
	"homeward/internal/matching"
	"homeward/internal/privacy"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

// Operator holds the use cases of the command-line tool, which works whether or not the service is running.
type Operator struct {
	Accounts *identity.Accounts
	Keys     *identity.Keys
	Profile  *identity.Profile
	People   *privacy.People
	Imports  *desk.Imports
	AuditLog *privacy.AuditLog
	Outcomes *matching.Outcomes
}

// OperatorOptions are the dependencies of an Operator. Now is optional.
type OperatorOptions struct {
	DB      *store.DB
	Wire    v1.Encoder
	Now     func() time.Time
	Hashing identity.Hashing
}

// NewOperator builds only the services that commands use. It wakes no worker: the running service performs the jobs
// that a command adds.
func NewOperator(o OperatorOptions) *Operator {
	all := Options{DB: o.DB, Wire: o.Wire, Now: o.Now, Hashing: o.Hashing}.withDefaults()
	hasher := identity.NewHasher(all.Hashing)
	sessions := identity.NewSessions(identity.SessionsOptions{
		DB: o.DB, Now: all.Now, Hasher: hasher, WakeMessages: all.WakeMessages,
	})
	reader := access.NewReader(access.ReaderOptions{DB: o.DB, Log: access.NoLog{}, Now: all.Now})
	return &Operator{
		Accounts: identity.NewAccounts(identity.AccountsOptions{DB: o.DB, Hasher: hasher}),
		Keys:     identity.NewKeys(identity.KeysOptions{DB: o.DB, Now: all.Now, Log: all.Log}),
		Profile: identity.NewProfile(identity.ProfileOptions{
			DB: o.DB, Wire: o.Wire, Now: all.Now, Hasher: hasher, Sessions: sessions, Messenger: all.Messenger,
			WakeMessages: all.WakeMessages,
		}),
		AuditLog: privacy.NewAuditLog(privacy.AuditLogOptions{DB: o.DB}),
		Outcomes: matching.NewOutcomes(o.DB),
		People:   privacy.NewPeople(privacy.PeopleOptions{DB: o.DB, Wire: o.Wire, Wake: all.Wake}),
		Imports: desk.NewImports(desk.ImportsOptions{
			DB: o.DB, Wire: o.Wire, Now: all.Now, Reader: reader, Search: matching.NewSearcher(o.DB), Wake: all.Wake,
			WakeMessages: all.WakeMessages,
		}),
	}
}
