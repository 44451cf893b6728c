package desk

import (
	"context"
	"slices"

	"homeward/internal/change"
	"homeward/internal/itemcsv"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// RunImport processes one batch of an import and reports whether there are more. It creates the items of the batch,
// or deletes them if the import was cancelled. Each batch is one transaction that also records the progress, so a
// crash leaves no batch half done. If two workers run the same import, one waits for the other and then processes the
// next batch.
func (s *Imports) RunImport(ctx context.Context, account, id string) (more bool, err error) {
	addedMessages := false
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		m, err := tx.LockImport(account, id)
		if lost.CodeOf(err) == lost.NotFound { // the import has expired
			more = false
			return nil
		}
		if err != nil {
			return err
		}
		switch m.State {
		case lost.ImportRunning:
			err = recordPiece(tx, &m)
		case lost.ImportStopping:
			err = removePiece(tx, &m)
		case lost.ImportNotifying:
			addedMessages, err = true, notifyBatch(tx, &m)
		case lost.ImportUnmapped, lost.ImportReady, lost.ImportDone, lost.ImportCancelled, lost.ImportFailed:
			more = false
			return nil
		}
		more = m.State.Working()
		if err != nil {
			return err
		}
		return tx.SaveImport(m)
	})
	if err == nil && addedMessages {
		s.wakeMessages()
	}
	if err == nil && !more {
		s.wake() // the new items may need to be checked
	}
	return more, err
}

// recordPiece creates the items of the next batch of rows.
func recordPiece(tx *store.Tx, m *lost.Import) error {
	n := m.Batch()
	piece, err := tx.LockImportChunk(*m, n)
	if err != nil {
		return err
	}
	rows, err := rowsOf(piece)
	if err != nil {
		return err
	}
	locations, err := locationsOf(*m, rows, func(id string) (lost.Location, error) {
		l, err := tx.Location(tx.Context(), m.Account, id)
		if err != nil {
			return l, err
		}
		_, err = tx.Terms(tx.Context(), m.Account, id) // the new items are checked by them
		return l, err
	})
	if lost.CodeOf(err) == lost.NotFound {
		m.Fail(lost.Note(lost.NoteLocationDeleted), tx.Now())
		return nil
	}
	if err != nil {
		return err
	}
	items, err := itemsOf(tx, m, rows, locations)
	if err != nil {
		if lost.CodeOf(err) == lost.Invalid { // the rules have become stricter since the upload
			m.Fail(lost.Note(lost.NoteRowsInvalid), tx.Now())
			err = nil
		}
		return err
	}
	ids := make([]string, len(items))
	for n, i := range items {
		ids[n] = i.ID
		if err := tx.InsertItem(i); err != nil {
			return err
		}
		if err := tx.AddHistory(i, entryOf(m, i, tx)); err != nil {
			return err
		}
	}
	m.Advance(len(items), tx.Now())
	return tx.SaveImportChunk(*m, n, ids)
}

func entryOf(m *lost.Import, i lost.Item, tx *store.Tx) lost.Entry {
	entry := lost.NewEntry(m.By, lost.Created, tx.Now())
	entry.Note = lost.Note(lost.NoteImported)
	if i.Status != lost.Pending {
		entry.To = i.Status
	}
	return entry
}

// itemsOf returns the items for a batch of rows. If the reference in a row is already used, the item gets a new one.
func itemsOf(tx *store.Tx, m *lost.Import, rows []itemcsv.Row,
	locations map[string]lost.Location) (items []lost.Item, err error) {
	items, wanted := make([]lost.Item, len(rows)), make([]string, len(rows))
	for n, row := range rows {
		l := locations[locationOf(*m, row)]
		if items[n], err = lost.NewImportedItem(l, row.Patch(), m.By.Kind, tx.Now()); err != nil {
			return nil, err
		}
		wanted[n] = items[n].Reference
	}
	taken, err := tx.ExistingReferences(m.Account, wanted)
	if err != nil {
		return nil, err
	}
	for n := range items {
		if slices.Contains(taken, wanted[n]) || slices.Contains(wanted[:n], wanted[n]) {
			items[n].Reference = lost.NewReference()
			lost.NoteFormerReference(&items[n], wanted[n])
		}
	}
	return items, nil
}

// removePiece deletes the items of the last batch, except items that were changed since the import, so that nobody's
// work is lost. It saves the ids of the items that it does not delete.
func removePiece(tx *store.Tx, m *lost.Import) error {
	n := m.LastBatch()
	piece, err := tx.ImportChunk(tx.Context(), *m, n)
	if err != nil {
		return err
	}
	items, err := tx.LockItems(m.Account, m.LocationID, piece.Items) // some of the items may have been deleted
	if err != nil {
		return err
	}
	changed, err := tx.ChangedItems(m.Account, piece.Items)
	if err != nil {
		return err
	}
	var stayed []string
	for _, i := range items {
		if slices.Contains(changed, i.ID) {
			stayed = append(stayed, i.ID)
			continue
		}
		if err := removeItem(tx, i); err != nil {
			return err
		}
	}
	m.Undo(m.Done-n*lost.ImportBatchSize, len(items)-len(stayed), len(stayed), tx.Now())
	return tx.SaveImportChunk(*m, n, stayed)
}

// notifyBatch queues messages to the owners of a batch of imported items.
func notifyBatch(tx *store.Tx, m *lost.Import) error {
	n := m.NotifyBatch()
	piece, err := tx.ImportChunk(tx.Context(), *m, n)
	if err != nil {
		return err
	}
	for _, id := range piece.Items {
		i, err := tx.LockAccountItem(m.Account, id)
		if lost.CodeOf(err) == lost.NotFound { // the item was deleted in the meantime
			continue
		}
		if err != nil {
			return err
		}
		if err := change.NotifyOwner(tx, i); err != nil {
			return err
		}
	}
	m.AdvanceNotified(min(lost.ImportBatchSize, m.Total-m.Notified), tx.Now())
	return nil
}
