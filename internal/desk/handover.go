package desk

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"homeward/internal/access"
	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/lost/paper"
	"homeward/internal/store"
)

// Handovers records which items were handed over at the desk, and creates the receipts.
type Handovers struct {
	db      *store.DB
	now     func() time.Time
	change  *change.Items
	log     access.Log
	uploads Uploads
	forms   Forms
	files   Files
	wake    func()
}

// HandoversOptions are the dependencies of Handovers.
type HandoversOptions struct {
	DB      *store.DB
	Now     func() time.Time
	Change  *change.Items
	Log     access.Log
	Uploads Uploads
	Forms   Forms
	Files   Files
	Wake    func()
}

// NewHandovers creates Handovers.
func NewHandovers(o HandoversOptions) *Handovers {
	return &Handovers{
		db: o.DB, now: o.Now, change: o.Change, log: o.Log, uploads: o.Uploads, forms: o.Forms, files: o.Files,
		wake: o.Wake,
	}
}

// Forms prints receipts and lists for staff.
type Forms interface {
	// Receipt renders a hand-over receipt, or an empty form, as a PDF.
	Receipt(r lost.HandoverReceipt) ([]byte, error)
	// Paper renders a paper about several items as a PDF.
	Paper(p paper.Paper) ([]byte, error)
	// PickList renders a list of items to collect from storage as a PDF.
	PickList(l lost.PickList) ([]byte, error)
}

// The largest signature that is accepted, in bytes and in pixels.
const (
	MaxSignature       = 200 << 10
	maxSignaturePixels = 2_000_000
)

// HandOver records that an item was handed over at the desk, and stores a receipt.
func (h *Handovers) HandOver(ctx context.Context, a lost.Actor, location, id string, p lost.HandoverPatch,
	o lost.IdempotencyKey, conditions ...lost.Condition[lost.Item]) (i lost.Item, err error) {
	if err := access.May(a, lost.HandleItems, location, "item"); err != nil {
		return i, err
	}
	if first, found, err := access.FindCreated[lost.Item](ctx, h.db, a, o); err != nil || found {
		return first, err
	}
	r, err := h.receiptOf(ctx, a, location, id)
	if err != nil {
		return i, err
	}
	if err := r.Item.MayHandOver(); err != nil {
		return i, err
	}
	var note string
	if r.Handover, note, err = p.Read(h.now().UTC().Truncate(time.Microsecond)); err != nil {
		return i, err
	}
	up, err := h.readSignature(ctx, p.Signature, &r)
	if err != nil {
		return i, err
	}
	if up != nil {
		defer up.Close()
	}
	return h.handOver(ctx, a, r, handOverRecord{
		note: note, seen: p.Seen, once: o, conditions: conditions, signature: up,
	})
}

// handOverRecord is what handOver needs in addition to the receipt.
type handOverRecord struct {
	note       string
	seen       time.Time
	once       lost.IdempotencyKey
	conditions []lost.Condition[lost.Item]
	signature  Upload // nil if nobody signed on the screen
}

// Form returns a PDF form for a hand-over that is signed on paper.
func (h *Handovers) Form(ctx context.Context, a lost.Actor, location, id string) ([]byte, error) {
	if err := access.MayView(a, location, "item"); err != nil {
		return nil, err
	}
	r, err := h.receiptOf(ctx, a, location, id)
	if err != nil {
		return nil, err
	}
	h.log.Note(a, lost.PaperPrinted, location, id, h.now())
	return h.forms.Receipt(r)
}

// receiptOf collects the data for a receipt.
func (h *Handovers) receiptOf(ctx context.Context, a lost.Actor,
	location, id string) (r lost.HandoverReceipt, err error) {
	if r.Item, err = h.db.Item(ctx, a.Account, location, id); err != nil {
		return r, err
	}
	r.By = a.Name
	r.Location, err = h.db.Location(ctx, a.Account, location)
	return r, err
}

// readSignature checks a signature and adds it to the receipt. It returns nil if there is none.
func (h *Handovers) readSignature(ctx context.Context, content []byte, r *lost.HandoverReceipt) (Upload, error) {
	if len(content) == 0 {
		return nil, nil //nolint:nilnil // there is no signature
	}
	up, err := h.uploads.Receive(ctx, IncomingPicture{
		Field: signatureField, Content: bytes.NewReader(content), Limit: MaxSignature, Signature: true,
	})
	switch lost.CodeOf(err) {
	case lost.TooLarge, lost.Unsupported: // it is one of several fields
		return nil, invalidSignature()
	}
	if err != nil {
		return nil, err
	}
	switch image := up.Image(); {
	case image.ContentType != "image/png":
		err = invalidSignature()
	case image.Width*image.Height > maxSignaturePixels:
		var p lost.Problems
		p.Add(signatureField, "too-many-pixels", "must have at most %d megapixels", maxSignaturePixels/1_000_000)
		err = p.Err()
	}
	if err != nil {
		up.Close()
		return nil, err
	}
	r.Signature, r.Handover.SignatureFile = content, up.Image().File
	return up, nil
}

const signatureField = "signature"

func invalidSignature() error {
	var p lost.Problems
	p.Add(signatureField, "invalid-signature", "must be a PNG image of at most %d KiB", MaxSignature>>10)
	return p.Err()
}

// handOver stores the files of a hand-over and then records it in one transaction. As with every upload, jobs that
// delete the files are added first, and removed in the transaction that adds the files to the item.
func (h *Handovers) handOver(ctx context.Context, a lost.Actor, r lost.HandoverReceipt,
	record handOverRecord) (i lost.Item, err error) {
	content, err := h.forms.Receipt(r)
	if err != nil {
		return i, fmt.Errorf("print a receipt: %w", err)
	}
	r.Handover.ReceiptFile = h.files.NewName()
	sweeps, err := h.sweepLater(ctx, a, r.Handover.Files()...)
	if err != nil {
		return i, err
	}
	if record.signature != nil {
		if err := record.signature.Save(ctx); err != nil {
			return i, err
		}
	}
	if err := h.files.Save(ctx, r.Handover.ReceiptFile, content); err != nil {
		return i, err
	}
	i, err = h.change.ItemUnchecked(ctx, a, r.Item.LocationID, r.Item.ID,
		func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
			entry = lost.NewEntry(a, lost.HandedOver, tx.Now())
			if err := lost.CheckConditions(*i, record.conditions); err != nil {
				return entry, err
			}
			if err := recordHandover(tx, a, i, r.Handover, record, &entry); err != nil {
				return entry, err
			}
			for _, job := range sweeps {
				if err := tx.DeleteJob(a.Account, job); err != nil {
					return entry, err
				}
			}
			return entry, nil
		}, record.once)
	if err == nil && i.Handover.ReceiptFile != r.Handover.ReceiptFile || failedBeforeCommit(err) {
		_ = h.uploads.Delete(context.WithoutCancel(ctx), r.Handover.Files()...) // if this fails, the jobs do it
	}
	return i, err
}

// recordHandover records a hand-over on a locked item, and deletes the files of a former one.
func recordHandover(tx *store.Tx, a lost.Actor, i *lost.Item, h lost.Handover, record handOverRecord,
	entry *lost.Entry) (err error) {
	before, former, from := *i, i.Handover, i.Status
	if entry.Fields, err = i.HandOver(h, a.Kind, tx.Now()); err != nil {
		return err
	}
	// If the owner announced the pickup in the meantime, the hand-over is still valid.
	conflicts := func(e lost.Entry) bool { return e.InvalidatesMove() && !e.IsPickup() }
	if err := checkUnchangedSince(tx, before, record.seen, conflicts); err != nil {
		return err
	}
	if i.Status != from {
		entry.From, entry.To = from, i.Status
	}
	entry.Note = strings.TrimSpace(handedTo(h) + "\n" + record.note)
	return tx.AddDeleteFilesJobs(a.Account, former.Files()...)
}

// Undo undoes a hand-over and deletes its receipt and signature. It returns an error if the hand-over can no longer
// be undone.
func (h *Handovers) Undo(ctx context.Context, a lost.Actor, location, id string) (lost.Item, error) {
	i, err := h.change.Item(ctx, a, location, id, undoHandover(a))
	h.wake()
	return i, err
}

// undoHandover returns a change that undoes a hand-over and deletes its files.
func undoHandover(a lost.Actor) change.Func {
	return func(tx *store.Tx, i *lost.Item) (entry lost.Entry, err error) {
		entry = lost.NewEntry(a, lost.Updated, tx.Now())
		former, from := i.Handover, i.Status
		if entry.Fields, err = i.UndoHandover(a.Kind, tx.Now()); err != nil {
			return entry, err
		}
		if i.Status != from {
			entry.Action, entry.From, entry.To = lost.Moved, from, i.Status
		}
		entry.Note = lost.Note(lost.NoteHandoverUndone)
		return entry, tx.AddDeleteFilesJobs(a.Account, former.Files()...)
	}
}

// sweepLater adds jobs that delete the files later, one job for each file. The caller removes the jobs once the files
// are in use.
func (h *Handovers) sweepLater(ctx context.Context, a lost.Actor, names ...string) (jobs []string, err error) {
	err = h.db.Write(ctx, func(tx *store.Tx) error {
		jobs = nil // may run twice
		for _, name := range names {
			job, err := tx.AddDeleteFileJob(a.Account, name, tx.Now().Add(orphanAfter))
			if err != nil {
				return err
			}
			jobs = append(jobs, job)
		}
		return nil
	})
	return jobs, err
}

// handedTo returns a history note with the name of the person who received the item.
func handedTo(h lost.Handover) string {
	if h.IDChecked {
		return lost.Note(lost.NoteHandedToChecked, h.Name)
	}
	return lost.Note(lost.NoteHandedTo, h.Name)
}
