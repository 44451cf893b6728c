package desk

import (
	"context"
	"slices"

	"homeward/internal/change"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// RunImport takes an import one piece further, forward or back, and tells whether there is more. Each piece is one
// transaction that also records that it was done, so a crash leaves nothing half done. Of two workers, one waits for
// the other and continues from there.
func (s *Imports) RunImport(ctx context.Context, account, id string) (more bool, err error) {
	addedMessages := false
	err = s.db.Write(ctx, func(tx *store.Tx) error {
		m, err := tx.LockImport(account, id)
		if lost.CodeOf(err) == lost.NotFound { // it has expired
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
			err = takeBackPiece(tx, &m)
		case lost.ImportTelling:
			addedMessages, err = true, notifyBatch(tx, &m)
		case lost.ImportReady, lost.ImportDone, lost.ImportCancelled, lost.ImportFailed:
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
		s.wake() // new items may be due for a check
	}
	return more, err
}

// recordPiece makes items of some rows.
func recordPiece(tx *store.Tx, m *lost.Import) error {
	terms, err := tx.Terms(tx.Context(), m.Account, m.LocationID)
	if lost.CodeOf(err) == lost.NotFound {
		m.Fail("The location was deleted.", tx.Now())
		return nil
	}
	if err != nil {
		return err
	}
	n := m.Piece()
	piece, err := tx.LockImportChunk(*m, n)
	if err != nil {
		return err
	}
	items, err := itemsOf(tx, m, piece, terms)
	if err != nil {
		if lost.CodeOf(err) == lost.Invalid { // the rows were valid when they were uploaded
			m.Fail("Some rows of the file are no longer valid. Upload it again.", tx.Now())
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
	entry.Note = "Imported from a file."
	if i.Status != lost.Pending {
		entry.To = i.Status
	}
	return entry
}

// itemsOf makes the items of some rows. They keep their references unless those are taken.
func itemsOf(tx *store.Tx, m *lost.Import, piece store.ImportChunk, terms lost.Terms) ([]lost.Item, error) {
	rows, err := rowsOf(piece)
	if err != nil {
		return nil, err
	}
	items, wanted := make([]lost.Item, len(rows)), make([]string, len(rows))
	for n, row := range rows {
		if items[n], err = lost.NewImportedItem(m.Account, m.LocationID, row.Patch(), terms, m.By.Kind,
			tx.Now()); err != nil {
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
			items[n].NoteFormerReference(wanted[n])
		}
	}
	return items, nil
}

// takeBackPiece deletes the items of the last piece, except those that somebody has changed: nobody's work is lost
// with a file. Their ids are saved.
func takeBackPiece(tx *store.Tx, m *lost.Import) error {
	n := m.LastPiece()
	piece, err := tx.ImportChunk(tx.Context(), *m, n)
	if err != nil {
		return err
	}
	items, err := tx.LockItems(m.Account, m.LocationID, piece.Items) // some may have been deleted
	if err != nil {
		return err
	}
	touched, err := tx.ChangedItems(m.Account, piece.Items)
	if err != nil {
		return err
	}
	var stayed []string
	for _, i := range items {
		if slices.Contains(touched, i.ID) {
			stayed = append(stayed, i.ID)
			continue
		}
		if err := removeItem(tx, i); err != nil {
			return err
		}
	}
	m.Undo(m.Done-n*lost.ImportPiece, len(items)-len(stayed), len(stayed), tx.Now())
	return tx.SaveImportChunk(*m, n, stayed)
}

// notifyBatch leaves messages to the owners of some imported items.
func notifyBatch(tx *store.Tx, m *lost.Import) error {
	n := m.TellPiece()
	piece, err := tx.ImportChunk(tx.Context(), *m, n)
	if err != nil {
		return err
	}
	for _, id := range piece.Items {
		i, err := tx.LockItem(m.Account, m.LocationID, id)
		if lost.CodeOf(err) == lost.NotFound { // deleted in the meantime
			continue
		}
		if err != nil {
			return err
		}
		if err := change.NotifyOwner(tx, i); err != nil {
			return err
		}
	}
	m.AdvanceTold(min(lost.ImportPiece, m.Total-m.Told), tx.Now())
	return nil
}
