package desk

import (
	"context"

	"homeward/internal/access"
	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// OpenTracker returns the tracker link of a request to somebody who is about to open it, and records that in the audit
// log. The error is NotFound if there is no link, or if it has expired.
func (s *Requests) OpenTracker(ctx context.Context, a lost.Actor, location, id string) (link string, err error) {
	if err := access.May(a, lost.HandleItems, location, "request"); err != nil {
		return "", err
	}
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		i, err := tx.Item(ctx, a.Account, location, id)
		if err != nil {
			return err
		}
		if link = i.Claim.Tracker(tx.Now()); link == "" {
			return lost.Missing("tracker link")
		}
		return access.Audit(tx, a, lost.TrackerOpened, i.ID, i.Reference)
	})
	return link, err
}

// ShareTracker sets, replaces or removes the tracker link of a claimant's request.
func (g *Guests) ShareTracker(ctx context.Context, token string, link lost.Field[string]) (change.Visit, error) {
	return g.links.Change(ctx, token, func(tx *store.Tx, v change.Visit, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(v.Link.Guest(), lost.Updated, tx.Now())
		changed, err := i.Claim.ShareTracker(link, tx.Now())
		if changed {
			i.UpdatedAt = tx.Now()
			entry.Fields = []string{"trackerLink"}
		}
		return entry, err
	})
}
