package desk

import (
	"context"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// ShowImage makes one of an item's photos the item's picture.
func (d *Desk) ShowImage(ctx context.Context, a lost.Actor, location, id, file string) (lost.Item, error) {
	return d.changeItem(ctx, a, location, id, func(tx *store.Tx, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(a, lost.Updated, tx.Now())
		changed, err := i.ShowImage(file, tx.Now())
		if changed {
			entry.Fields = []string{"imageUrl"}
		}
		return entry, err
	})
}

// RemoveImage takes a photo from an item, and its files with it.
func (d *Desk) RemoveImage(ctx context.Context, a lost.Actor, location, id, file string) (lost.Item, error) {
	i, err := d.changeItem(ctx, a, location, id, func(tx *store.Tx, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(a, lost.ImageTaken, tx.Now())
		entry.Fields = []string{"images"}
		if err := i.RemoveImage(file, tx.Now()); err != nil {
			return entry, err
		}
		return entry, tx.DeleteFilesLater(i.Account, file)
	})
	if err == nil {
		d.nudge()
	}
	return i, err
}
