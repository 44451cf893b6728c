package desk

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/lost/paper"
	"homeward/internal/store"
)

// HandOverItems records that items of a location were handed to one recipient, such as the police, and closes them in
// one transaction. The recipient signs once, and each item gets a copy of the signed protocol, so that the data of one
// item can be deleted without the others. If one of the items cannot be handed over, none is.
func (h *Handovers) HandOverItems(ctx context.Context, a lost.Actor, location string,
	p paper.HandoverPatch) (c lost.Clearance, err error) {
	if err := access.May(a, lost.HandleItems, location, "location"); err != nil {
		return c, err
	}
	protocol, err := h.protocolOf(ctx, a, location, p)
	if err != nil {
		return c, err
	}
	content, err := h.forms.Paper(protocol)
	if err != nil {
		return c, fmt.Errorf("print a protocol: %w", err)
	}
	receipts, files := map[string]string{}, []string{}
	for _, i := range protocol.Items {
		name := h.files.NewName()
		receipts[i.ID], files = name, append(files, name)
	}
	sweeps, err := h.sweepLater(ctx, a, files...)
	if err != nil {
		return c, err
	}
	for _, name := range files {
		if err := h.files.Save(ctx, name, content); err != nil {
			return c, err
		}
	}
	c, err = h.transfer(ctx, a, protocol, receipts, sweeps)
	if failedBeforeCommit(err) {
		_ = h.uploads.Delete(context.WithoutCancel(ctx), files...) // if this fails, the jobs do it
	}
	return c, err
}

// transfer records a hand-over for which the files have been stored.
func (h *Handovers) transfer(ctx context.Context, a lost.Actor, protocol paper.Paper,
	receipts map[string]string, sweeps []string) (c lost.Clearance, err error) {
	printed := map[string]time.Time{}
	var ids []string
	for _, i := range protocol.Items {
		printed[i.ID], ids = i.UpdatedAt, append(ids, i.ID)
	}
	record := lost.Handover{
		Name: protocol.Handover.Name(), IDChecked: protocol.Handover.IDChecked, At: protocol.Handover.At,
	}
	apply := func(tx *store.Tx, i *lost.Item) (lost.Entry, error) {
		if !i.UpdatedAt.Equal(printed[i.ID]) {
			return lost.Entry{}, lost.E(lost.Conflict, "%s", lost.Note(lost.NoteItemChanged))
		}
		record := record
		record.ReceiptFile = receipts[i.ID]
		return transferItem(tx, a, i, protocol.Handover.To, record, protocol.Handover.Note)
	}
	_, err = h.change.ChangeTogether(ctx, a, protocol.Location.ID, ids, apply,
		func(tx *store.Tx, items []lost.Item) error {
			c = lost.NewTransfer(protocol.Location.ID, protocol.Handover.To, a, len(items), tx.Now())
			for _, i := range items {
				if err := tx.AddTransferItem(c, lost.ClearanceItem{ItemID: i.ID, Seen: i.UpdatedAt}); err != nil {
					return err
				}
			}
			for _, job := range sweeps {
				if err := tx.DeleteJob(a.Account, job); err != nil {
					return err
				}
			}
			if err := access.Audit(tx, a, lost.PaperPrinted, c.LocationID,
				fmt.Sprintf("%s, items: %d", paper.Protocol, len(items))); err != nil {
				return err
			}
			return tx.InsertClearance(c)
		})
	return c, err
}

// transferItem records on a locked item that it was handed to somebody who is not its owner, and deletes the files of
// a former hand-over.
func transferItem(tx *store.Tx, a lost.Actor, i *lost.Item, to lost.Destination, record lost.Handover,
	note string) (entry lost.Entry, err error) {
	entry = lost.NewEntry(a, lost.HandedOver, tx.Now())
	former, from := i.Handover, i.Status
	if entry.Fields, err = i.Transfer(to, record, a.Kind, tx.Now()); err != nil {
		return entry, err
	}
	if i.Status != from {
		entry.From, entry.To = from, i.Status
	}
	entry.Note = strings.TrimSpace(handedTo(record) + "\n" + note)
	return entry, tx.AddDeleteFilesJobs(a.Account, former.Files()...)
}

// protocolOf validates a hand-over of items and returns the protocol to print.
func (h *Handovers) protocolOf(ctx context.Context, a lost.Actor, location string,
	p paper.HandoverPatch) (of paper.Paper, err error) {
	if of.Location, err = h.db.Location(ctx, a.Account, location); err != nil {
		return of, err
	}
	of.Kind, of.By, of.At = paper.Protocol, a.Name, h.now().UTC().Truncate(time.Microsecond)
	of.Handover, err = p.Read(of.At)
	wrong := slices.Clone(lost.ProblemsOf(err))
	ids := slices.Compact(slices.Sorted(slices.Values(p.Items)))
	switch {
	case len(ids) == 0:
		wrong.Add("item", "required", "is required: select at least one item")
	case len(ids) > paper.MaxItems:
		wrong.Add("item", "too-many", "must be at most %d items", paper.MaxItems)
	}
	if err := wrong.Err(); err != nil {
		return of, err
	}
	if of.Items, err = h.db.ItemsByID(ctx, a.Account, location, ids); err != nil {
		return of, err
	}
	if len(of.Items) < len(ids) {
		return of, lost.Missing("item")
	}
	for _, i := range of.Items {
		if seen, known := p.Seen[i.ID]; known && !seen.Equal(i.UpdatedAt) {
			return of, lost.E(lost.Conflict, "%s", lost.Note(lost.NoteItemChanged))
		}
		if err := i.MayTransfer(); err != nil {
			return of, err
		}
	}
	of.Sort()
	return of, h.addSignature(ctx, p.Signature, &of.Handover)
}

// addSignature checks a signature and adds it to a hand-over. The picture is not stored: it is part of the protocol.
func (h *Handovers) addSignature(ctx context.Context, content []byte, to *paper.Handover) error {
	up, err := h.readSignature(ctx, content, &lost.HandoverReceipt{})
	if err != nil || up == nil {
		return err
	}
	up.Close()
	to.Signature = content
	return nil
}

// undoTransfer undoes a hand-over of several items: all of them or, if one has been handled since, none. It does
// nothing if a concurrent request undoes it first.
func (b *Storage) undoTransfer(ctx context.Context, a lost.Actor, c lost.Clearance) (lost.Clearance, error) {
	cleared, err := b.db.ClearanceItems(ctx, a.Account, c.ID)
	if err != nil {
		return c, err
	}
	var ids []string
	seen := map[string]time.Time{}
	for _, one := range cleared {
		ids = append(ids, one.ItemID)
		seen[one.ItemID] = one.Seen
	}
	undo := undoHandover(a)
	apply := func(tx *store.Tx, i *lost.Item) (lost.Entry, error) {
		// The item may have been handed over again since, which must stay.
		if err := checkUnchangedSince(tx, *i, seen[i.ID], lost.Entry.InvalidatesMove); err != nil {
			return lost.Entry{}, err
		}
		return undo(tx, i)
	}
	undone := c
	_, err = b.change.ChangeTogether(ctx, a, c.LocationID, ids, apply, func(tx *store.Tx, _ []lost.Item) error {
		if undone, err = tx.LockClearance(a.Account, c.ID); err != nil {
			return err
		}
		if err := undone.Undo(tx.Now()); err != nil {
			return err
		}
		return tx.SaveClearance(undone)
	})
	if lost.CodeOf(err).Kind() == lost.Conflict {
		if now, readErr := b.db.Clearance(ctx, a.Account, c.LocationID, c.ID); readErr == nil &&
			now.State == lost.ClearanceUndone {
			return now, nil
		}
	}
	b.wake()
	return undone, err
}

// ForwardPatch says to whom an identity paper or a payment card was forwarded.
type ForwardPatch struct {
	To   string // the office or its address
	Seen time.Time
}

// Forward records that an identity paper or a payment card was forwarded to its issuer, and closes the item.
func (h *Handovers) Forward(ctx context.Context, a lost.Actor, location, id string, p ForwardPatch) (lost.Item, error) {
	if err := access.May(a, lost.HandleItems, location, "item"); err != nil {
		return lost.Item{}, err
	}
	now := h.now().UTC().Truncate(time.Microsecond)
	record, _, err := lost.HandoverPatch{Recipient: p.To}.Read(now)
	if err != nil {
		return lost.Item{}, err
	}
	return h.change.Item(ctx, a, location, id, func(tx *store.Tx, i *lost.Item) (lost.Entry, error) {
		before := *i
		if err := checkIdentity(*i); err != nil {
			return lost.Entry{}, err
		}
		entry, err := transferItem(tx, a, i, lost.ToIssuer, record, "")
		if err != nil {
			return entry, err
		}
		entry.Note = lost.Note(lost.NoteForwarded, record.Name)
		return entry, checkUnchangedSince(tx, before, p.Seen, lost.Entry.InvalidatesMove)
	})
}

// checkIdentity returns an error unless an item is a found identity paper or payment card.
func checkIdentity(i lost.Item) error {
	if i.Source != lost.Found || !i.Category.IsIdentity() {
		return lost.E(lost.WrongState, "This is not a found identity paper or payment card.")
	}
	return nil
}

// InformedPatch says who was informed about an identity paper or a payment card, and when.
type InformedPatch struct{ Who, On string }

// Inform records in the history who was informed about an identity paper or a payment card.
func (h *Handovers) Inform(ctx context.Context, a lost.Actor, location, id string, p InformedPatch) (lost.Item, error) {
	if err := access.May(a, lost.HandleItems, location, "item"); err != nil {
		return lost.Item{}, err
	}
	note, err := lost.InformedNote(p.Who, p.On)
	if err != nil {
		return lost.Item{}, err
	}
	return h.change.Item(ctx, a, location, id, func(tx *store.Tx, i *lost.Item) (lost.Entry, error) {
		entry := lost.NewEntry(a, lost.Updated, tx.Now())
		entry.Note = note
		return entry, checkIdentity(*i)
	})
}
