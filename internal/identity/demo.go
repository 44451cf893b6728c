package identity

import (
	"context"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// Demo tells whether a database is a demo, and how far it is filled.
type Demo struct {
	Begun  bool // it is a demo
	Filled bool // it is complete
	Known  bool // its users have the published password
}

// The names of a demo's entries in the directory.
const (
	demoBegun  = "begun"
	demoFilled = "filled"
	demoKnown  = "known password"
)

// Demo tells whether the database is a demo.
func (o *Accounts) Demo(ctx context.Context) (demo Demo, err error) {
	begun, found, err := o.db.Lookup(ctx, store.DemoEntry, demoBegun)
	if err != nil || !found {
		return demo, err
	}
	demo.Begun, demo.Known = true, begun.Subject == demoKnown
	_, demo.Filled, err = o.db.Lookup(ctx, store.DemoEntry, demoFilled)
	return demo, err
}

// BeginDemo makes the first account of a demo; the database must be empty. known says that its password is the
// published one.
func (o *Accounts) BeginDemo(ctx context.Context, s FirstSettings, known bool) (First, error) {
	first, made, err := o.CreateFirst(ctx, s)
	if err == nil && !made {
		err = lost.E(lost.Conflict, "The database is not empty and is not a demo.")
	}
	if err != nil {
		return first, err
	}
	e := store.DirectoryEntry{Account: first.Account.ID, Subject: "own password"}
	if known {
		e.Subject = demoKnown
	}
	return first, o.db.Write(ctx, func(tx *store.Tx) error { return tx.AddEntry(store.DemoEntry, demoBegun, e) })
}

// EndDemo records that a demo is complete.
func (o *Accounts) EndDemo(ctx context.Context, account string) error {
	return o.db.Write(ctx, func(tx *store.Tx) error {
		return tx.AddEntry(store.DemoEntry, demoFilled, store.DirectoryEntry{Account: account, Subject: account})
	})
}
