package change

import (
	"context"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// GuestLinks resolves the links that guests receive, and changes the items that the links refer to.
type GuestLinks struct {
	db     *store.DB
	change *Items
	now    func() time.Time
}

// GuestLinksOptions are the dependencies of GuestLinks.
type GuestLinksOptions struct {
	DB     *store.DB
	Change *Items
	Now    func() time.Time
}

// NewGuestLinks creates GuestLinks.
func NewGuestLinks(o GuestLinksOptions) *GuestLinks {
	return &GuestLinks{db: o.DB, change: o.Change, now: o.Now}
}

// Visit is a resolved link: an item or a request, and its location.
type Visit struct {
	Link     lost.Link
	Item     lost.Item
	Location lost.Location
	Privacy  lost.PrivacyNotice // what the guest is told about the use of their data
	Now      time.Time
}

// Visit resolves a link. The error is NotFound for an unknown token, and Gone for an expired or revoked token. With
// Gone, the returned visit contains only the location and its privacy notice.
func (g *GuestLinks) Visit(ctx context.Context, token string) (v Visit, err error) {
	link, account, err := g.resolve(ctx, store.LinkEntry, token)
	if err != nil {
		return v, err
	}
	i, err := g.db.Item(ctx, link.Account, link.LocationID, link.ItemID)
	if err != nil {
		return v, err
	}
	l, err := g.db.Location(ctx, link.Account, link.LocationID)
	if err != nil {
		return v, err
	}
	v = Visit{Link: link, Location: l, Privacy: l.PrivacyNotice(account), Now: g.now()}
	if err := link.CheckAccess(i, v.Now); err != nil {
		return v, err
	}
	v.Item = i
	return v, nil
}

// Link returns the link with the given token, even if it has expired.
func (g *GuestLinks) Link(ctx context.Context, token string) (lost.Link, error) {
	link, _, err := g.resolve(ctx, store.LinkEntry, token)
	return link, err
}

// ReplyLink returns the link of the guest whose replies are sent to an address with the given token. An expired link is
// returned too, because guests answer old messages.
func (g *GuestLinks) ReplyLink(ctx context.Context, token string) (lost.Link, error) {
	link, _, err := g.resolve(ctx, store.ReplyEntry, token)
	return link, err
}

// resolve returns the link with the given token, even if it has expired, and its account.
func (g *GuestLinks) resolve(ctx context.Context, kind store.DirectoryKind,
	token string) (link lost.Link, account lost.Account, err error) {
	e, found, err := g.db.Lookup(ctx, kind, store.DirectoryHash(token))
	if err != nil {
		return link, account, err
	}
	if !found {
		return link, account, lost.Missing("link")
	}
	if account, err = access.EnabledAccount(ctx, g.db, e.Account, "link"); err != nil {
		return link, account, err
	}
	link, err = g.db.Link(ctx, e.Account, e.Subject)
	return link, account, err
}

// Change changes the item that a link refers to. The link is checked again once the item is locked, because the owner
// may have changed in the meantime.
func (g *GuestLinks) Change(
	ctx context.Context, token string, change func(*store.Tx, Visit, *lost.Item) (lost.Entry, error),
) (Visit, error) {
	v, err := g.Visit(ctx, token)
	if err != nil {
		return v, err
	}
	apply := func(tx *store.Tx, i *lost.Item) (lost.Entry, error) {
		link, err := tx.Link(ctx, v.Link.Account, v.Link.ID)
		if err != nil {
			return lost.Entry{}, err
		}
		if err := link.CheckAccess(*i, tx.Now()); err != nil {
			return lost.Entry{}, err
		}
		return change(tx, v, i)
	}
	changed, err := g.change.Item(ctx, v.Link.Guest(), v.Link.LocationID, v.Link.ItemID, apply)
	if err != nil {
		return v, err
	}
	v.Item = changed
	g.change.wake() // the change may have queued a message
	return v, nil
}
