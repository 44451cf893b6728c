package privacy

import (
	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// endOpenWork withdraws the person's pending request, and cancels an unpaid shipment or a planned pick-up.
func (r *eraser) endOpenWork(tx *store.Tx, i *lost.Item) error {
	before, entry := *i, lost.Entry{}
	if i.Source == lost.Request && i.Claim.State == lost.RequestPending {
		if _, err := i.Withdraw(tx.Now()); err != nil {
			return err
		}
		entry = lost.NewEntry(r.of.By, lost.Withdrawn, tx.Now())
		entry.Fields = []string{"request"}
	}
	if i.Status == lost.InfoCompleted || lost.AwaitsPickup(*i) {
		if err := change.EndShipment(tx, i); err != nil {
			return err
		}
		if _, err := i.MoveTo(lost.Move{To: lost.Pending}, lost.ByService, tx.Now()); err != nil {
			return err
		}
		entry = lost.NewEntry(r.of.By, lost.Moved, tx.Now())
		entry.From, entry.To = before.Status, i.Status
	}
	if entry.Action == "" {
		return nil
	}
	if err := tx.SaveItem(before, *i); err != nil {
		return err
	}
	return tx.AddHistory(*i, entry)
}
