package outbox

import "homeward/internal/lost"

// tellFinder tells the finder of an item that it is theirs, when its storage has ended and a rule gives it to them. It
// does nothing while the owner waits for an answer, or if the desk has already decided what to do with the item.
func (c *itemCheck) tellFinder(i *lost.Item, thread lost.ThreadState) error {
	if !lost.IsDueToFinder(*i, c.tx.Now()) || !thread.AwaitsDesk.IsZero() || c.decided[i.Account+" "+i.ID] {
		return nil
	}
	before := *i
	m, err := i.TellFinder(lost.FinderItem, c.tx.Now())
	if err != nil {
		return err
	}
	c.messages = true
	if err := c.tx.AddMessage(m); err != nil {
		return err
	}
	if err := c.tx.SaveItem(before, *i); err != nil {
		return err
	}
	entry := lost.NewEntry(lost.Actor{Account: i.Account, Kind: lost.ByService}, lost.Updated, c.tx.Now())
	entry.Fields = []string{"finderTold"}
	return c.tx.AddHistory(*i, entry)
}
