package outbox

import "homeward/internal/lost"

// expireTracker removes the tracker link of a request from the record when it has expired. Until then, the next check
// is due at that time at the latest.
func (c *itemCheck) expireTracker(i *lost.Item) error {
	before := *i
	if !i.Claim.ExpireTracker(c.tx.Now()) {
		return nil
	}
	i.UpdatedAt = c.tx.Now()
	entry := lost.NewEntry(lost.Actor{Account: i.Account, Kind: lost.ByService}, lost.Updated, c.tx.Now())
	entry.Fields = []string{"trackerLink"}
	if err := c.tx.SaveItem(before, *i); err != nil {
		return err
	}
	return c.tx.AddHistory(*i, entry)
}
