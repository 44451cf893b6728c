package desk

import (
	"cmp"
	"context"
	"io"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// The most bytes that are taken for a picture.
const (
	MaxLogo  = 2 << 20
	MaxImage = 10 << 20
)

// UploadLogo replaces a location's logo.
func (d *Desk) UploadLogo(ctx context.Context, a lost.Actor, id string, r io.Reader, o lost.IdempotencyKey) (l lost.Location, err error) {
	if err := may(a, lost.Arrange, id, "location"); err != nil {
		return l, err
	}
	if _, err := d.db.Location(ctx, a.Account, id); err != nil { // before the bytes are taken
		return l, err
	}
	err = d.upload(ctx, a, "logo", r, MaxLogo, &o, func(image lost.Image, keep func(*store.Tx) error) (bool, error) {
		l, err = d.changeLocation(ctx, a, id, func(tx *store.Tx, l *lost.Location) (changed bool, err error) {
			*l, err = once(tx, a, o, func() (lost.Location, error) {
				changed = true
				l.LogoFile, l.LogoURL, l.UpdatedAt = image.File, "", tx.Now()
				return *l, keep(tx)
			})
			return changed, err
		})
		return l.LogoFile == image.File, err
	})
	return l, err
}

// UploadImage adds an image to an item and makes it the item's picture.
func (d *Desk) UploadImage(ctx context.Context, a lost.Actor, location, id string, r io.Reader, o lost.IdempotencyKey) (i lost.Item, err error) {
	if err := may(a, lost.Record, location, "item"); err != nil {
		return i, err
	}
	if _, err := d.db.Item(ctx, a.Account, location, id); err != nil { // before the bytes are taken
		return i, err
	}
	if err := d.mineOrSeen(ctx, a, id); err != nil {
		return i, err
	}
	err = d.upload(ctx, a, "image", r, MaxImage, &o, func(image lost.Image, keep func(*store.Tx) error) (bool, error) {
		i, err = d.alterItem(ctx, a, location, id, func(tx *store.Tx, i *lost.Item) (lost.Entry, error) {
			entry := lost.NewEntry(a, lost.ImageAdded, tx.Now())
			*i, err = once(tx, a, o, func() (lost.Item, error) {
				entry.Fields = []string{"images"}
				return *i, cmp.Or(addImage(tx, i, image), keep(tx))
			})
			return entry, err
		})
		return i.ImageFile == image.File, err
	})
	d.nudge()
	return i, err
}

// strayAfter is how long a file may lie unclaimed by a record, while its upload is under way.
const strayAfter = time.Hour

// upload receives a picture, keeps its file and then has attach put it on a record, and tell whether it is there. A job
// that removes the file is left first and dropped when the record claims it, so that a crash in between leaves
// no file that nobody knows of.
func (d *Desk) upload(ctx context.Context, a lost.Actor, field string, r io.Reader, limit int64, o *lost.IdempotencyKey,
	attach func(image lost.Image, keep func(*store.Tx) error) (claimed bool, err error),
) error {
	up, err := d.uploads.Receive(ctx, field, r, limit)
	if err != nil {
		return err
	}
	defer up.Close()
	o.Request += " " + up.Digest()
	image := up.Image()
	var sweep string
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		sweep, err = tx.SweepFileLater(a.Account, image.File, tx.Now().Add(strayAfter))
		return err
	})
	if err != nil {
		return err
	}
	if err := up.Keep(ctx); err != nil {
		return err
	}
	claimed, err := attach(image, func(tx *store.Tx) error { return tx.DropJob(a.Account, sweep) })
	if err == nil && !claimed || refused(err) { // answered as the first time, or not at all
		_ = d.uploads.Delete(context.WithoutCancel(ctx), image.File) // the job does it where this fails
	}
	return err
}

// refused tells an error that came before the commit. After any other nobody knows whether the commit came
// through: the job does, because it is gone if so.
func refused(err error) bool {
	code := lost.CodeOf(err)
	return err != nil && (code == lost.NotFound || code == lost.Conflict || code == lost.Invalid || code == lost.TooMany)
}
