package identity

import (
	"context"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// Demo is what is known of a database that was filled to be looked at.
type Demo struct {
	Begun  bool // it is one
	Filled bool // to its end
	Known  bool // its people have the password that everybody knows
}

// The names under which a demo stands in the directory.
const (
	demoBegun  = "begun"
	demoFilled = "filled"
	demoKnown  = "known password"
)

// Demo tells whether the database is a demo's.
func (o *Accounts) Demo(ctx context.Context) (demo Demo, err error) {
	begun, found, err := o.db.Lookup(ctx, store.DemoEntry, demoBegun)
	if err != nil || !found {
		return demo, err
	}
	demo.Begun, demo.Known = true, begun.Subject == demoKnown
	_, demo.Filled, err = o.db.Lookup(ctx, store.DemoEntry, demoFilled)
	return demo, err
}

// BeginDemo makes the first account, to be filled and looked at; the database must be empty. With known, its password
// is one that everybody knows.
func (o *Accounts) BeginDemo(ctx context.Context, s FirstSettings, known bool) (First, error) {
	first, made, err := o.Begin(ctx, s)
	if err == nil && !made {
		err = lost.E(lost.Conflict, "The database is not empty, and not a demo's.")
	}
	if err != nil {
		return first, err
	}
	e := store.Entry{Account: first.Account.ID, Subject: "own password"}
	if known {
		e.Subject = demoKnown
	}
	return first, o.db.Write(ctx, func(tx *store.Tx) error { return tx.AddEntry(store.DemoEntry, demoBegun, e) })
}

// EndDemo notes that a demo is filled to its end.
func (o *Accounts) EndDemo(ctx context.Context, account string) error {
	return o.db.Write(ctx, func(tx *store.Tx) error {
		return tx.AddEntry(store.DemoEntry, demoFilled, store.Entry{Account: account, Subject: account})
	})
}
