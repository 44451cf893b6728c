package desk

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// Forms prints what a desk signs and ticks off.
type Forms interface {
	// Receipt makes the receipt of a hand-over, a PDF, or a form for one.
	Receipt(r lost.HandoverReceipt) ([]byte, error)
	// PickList makes a list of items to be taken from their places, a PDF.
	PickList(l lost.PickList) ([]byte, error)
}

// The most that is taken of a signature, in bytes and in pixels.
const (
	MaxSignature       = 200 << 10
	maxSignaturePixels = 2_000_000
)

// HandOver notes that an item was given to somebody at the desk, and keeps a receipt of it. The signature is a PNG, or nil where nobody
// signed on the screen.
func (d *Desk) HandOver(ctx context.Context, a lost.Actor, location, id string, p lost.HandoverPatch, signature io.Reader) (i lost.Item, err error) {
	if err := may(a, lost.Handle, location, "item"); err != nil {
		return i, err
	}
	r, err := d.receiptOf(ctx, a, location, id)
	if err != nil {
		return i, err
	}
	r.Handover, err = p.Read(d.now().UTC().Truncate(time.Microsecond))
	if err := cmp.Or(r.Item.MayHandOver(), err); err != nil {
		return i, err
	}
	up, err := d.readSignature(ctx, signature, &r)
	if err != nil {
		return i, err
	}
	if up != nil {
		defer up.Close()
	}
	return d.handOver(ctx, a, r, p.Seen, up)
}

// HandoverForm prints a form for a hand-over, to be signed by hand.
func (d *Desk) HandoverForm(ctx context.Context, a lost.Actor, location, id string) ([]byte, error) {
	if err := mayLook(a, location, "item"); err != nil {
		return nil, err
	}
	r, err := d.receiptOf(ctx, a, location, id)
	if err != nil {
		return nil, err
	}
	d.sightings.note(a, lost.PaperPrinted, location, id, d.now())
	return d.forms.Receipt(r)
}

// receiptOf gathers what a receipt says of an item.
func (d *Desk) receiptOf(ctx context.Context, a lost.Actor, location, id string) (r lost.HandoverReceipt, err error) {
	if r.Item, err = d.db.Item(ctx, a.Account, location, id); err != nil {
		return r, err
	}
	r.By = a.Name
	r.Location, err = d.db.Location(ctx, a.Account, location)
	return r, err
}

// readSignature reads a signature and checks it, if there is one.
func (d *Desk) readSignature(ctx context.Context, from io.Reader, r *lost.HandoverReceipt) (Upload, error) {
	if from == nil {
		return nil, nil //nolint:nilnil // nobody signed
	}
	content, err := io.ReadAll(io.LimitReader(from, MaxSignature+1))
	if err != nil {
		return nil, lost.E(lost.Unreadable, "The signature ended before it was complete.").Because(err)
	}
	up, err := d.uploads.Receive(ctx, "signature", bytes.NewReader(content), MaxSignature)
	if err != nil {
		return nil, err
	}
	switch image := up.Image(); {
	case image.ContentType != "image/png":
		err = lost.E(lost.Unsupported, "The signature is not a PNG picture.")
	case image.Width*image.Height > maxSignaturePixels:
		var p lost.Problems
		p.Add("signature", "too-many-pixels", "must have at most %d megapixels", maxSignaturePixels/1_000_000)
		err = p.Err()
	}
	if err != nil {
		up.Close()
		return nil, err
	}
	r.Signature, r.Handover.SignatureFile = content, up.Image().File
	return up, nil
}

// handOver keeps the files of a hand-over and then, all at once, notes that it was. As with every upload, jobs that remove the files are left
// first and dropped when the item claims them.
func (d *Desk) handOver(ctx context.Context, a lost.Actor, r lost.HandoverReceipt, seen time.Time, signature Upload) (i lost.Item, err error) {
	content, err := d.forms.Receipt(r)
	if err != nil {
		return i, fmt.Errorf("print a receipt: %w", err)
	}
	r.Handover.ReceiptFile = d.cabinet.NewName()
	sweeps, err := d.sweepLater(ctx, a, r.Handover.Files()...)
	if err != nil {
		return i, err
	}
	if signature != nil {
		err = signature.Keep(ctx)
	}
	if err := cmp.Or(err, d.cabinet.Keep(ctx, r.Handover.ReceiptFile, content)); err != nil {
		return i, err
	}
	i, err = d.alterItem(ctx, a, r.Item.LocationID, r.Item.ID, func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
		entry = lost.NewEntry(a, lost.HandedOver, tx.Now())
		before, former, from := *i, i.Handover, i.Status
		if entry.Fields, err = i.HandOver(r.Handover, a.Kind, tx.Now()); err != nil {
			return entry, err
		}
		otherwise := func(e lost.Entry) bool { return e.Unsettles() && !e.Collects() } // whose owner says just now that they come is given it
		if err := unlessSince(tx, before, seen, otherwise); err != nil {
			return entry, err
		}
		if i.Status != from {
			entry.From, entry.To = from, i.Status
		}
		entry.Note = handedTo(r.Handover)
		for _, job := range sweeps {
			err = cmp.Or(err, tx.DropJob(a.Account, job))
		}
		return entry, cmp.Or(err, tx.DeleteFilesLater(a.Account, former.Files()...))
	})
	if refused(err) {
		_ = d.uploads.Delete(context.WithoutCancel(ctx), r.Handover.Files()...) // the jobs do it where this fails
	}
	return i, err
}

// TakeBack undoes a hand-over that was a mistake, while that can be done. Its receipt and signature go with it.
func (d *Desk) TakeBack(ctx context.Context, a lost.Actor, location, id string) (lost.Item, error) {
	i, err := d.changeItem(ctx, a, location, id, func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
		entry = lost.NewEntry(a, lost.Updated, tx.Now())
		former, from := i.Handover, i.Status
		if entry.Fields, err = i.TakeBack(a.Kind, tx.Now()); err != nil {
			return entry, err
		}
		if i.Status != from {
			entry.Action, entry.From, entry.To = lost.Moved, from, i.Status
		}
		entry.Note = "The hand-over was undone."
		return entry, tx.DeleteFilesLater(a.Account, former.Files()...)
	})
	d.nudge()
	return i, err
}

// sweepLater leaves a job for each file that removes it, unless it is dropped before.
func (d *Desk) sweepLater(ctx context.Context, a lost.Actor, names ...string) (jobs []string, err error) {
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		jobs = nil // may run twice
		for _, name := range names {
			job, err := tx.SweepFileLater(a.Account, name, tx.Now().Add(strayAfter))
			if err != nil {
				return err
			}
			jobs = append(jobs, job)
		}
		return nil
	})
	return jobs, err
}

// handedTo says in the history who has it.
func handedTo(h lost.Handover) string {
	if h.IDChecked {
		return "Handed to " + h.Name + ", whose ID was checked."
	}
	return "Handed to " + h.Name + "."
}
