package identity

import (
	"context"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// Demo describes whether a database is a demo, and whether it is complete.
type Demo struct {
	Begun  bool // whether the database is a demo
	Filled bool // whether all demo data has been created
	Known  bool // whether a published password or API key works
}

// Names and values of the directory entries that mark a demo database.
const (
	demoBegun  = "begun"
	demoFilled = "filled"
	demoKnown  = "known password"
)

// Demo reports whether the database is a demo, and whether it is complete.
func (o *Accounts) Demo(ctx context.Context) (demo Demo, err error) {
	entry, found, err := o.db.Lookup(ctx, store.DemoEntry, demoBegun)
	if err != nil || !found {
		return demo, err
	}
	demo.Begun, demo.Known = true, entry.Subject == demoKnown
	_, demo.Filled, err = o.db.Lookup(ctx, store.DemoEntry, demoFilled)
	return demo, err
}

// BeginDemo creates the first account of a demo. It returns an error if the database is not empty. known records
// whether the account uses the published password or API key.
func (o *Accounts) BeginDemo(ctx context.Context, s FirstSettings, known bool) (First, error) {
	first, created, err := o.CreateFirst(ctx, s)
	if err == nil && !created {
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
