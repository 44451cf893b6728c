package privacy

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"homeward/internal/lost"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

// former erases the person's data from items that had another owner later.
func (r *eraser) former(ctx context.Context) error {
	err := r.walk(ctx, store.LinkPersonalData(), func(tx *store.Tx, keys [][]string) (e lost.Erased, err error) {
		items, err := tx.LinkedItems(r.of.Account, r.person, keys)
		if err != nil {
			return e, err
		}
		return r.eraseFormer(tx, items)
	})
	if err != nil {
		return err
	}
	return r.walk(ctx, store.ShipmentPersonalData(), func(tx *store.Tx, keys [][]string) (e lost.Erased, err error) {
		shipments, err := tx.ShipmentsByID(tx.Context(), r.of.Account, slices.Concat(keys...))
		if err != nil {
			return e, err
		}
		var items []string
		for _, s := range shipments {
			if s.IsFor(r.person, nil) {
				items = append(items, s.ItemID)
			}
		}
		return r.eraseFormer(tx, items)
	})
}

// eraseFormer erases the person's data from those of the items that now have another owner.
func (r *eraser) eraseFormer(tx *store.Tx, ids []string) (sum lost.Erased, err error) {
	if len(ids) == 0 {
		return sum, nil
	}
	items, err := tx.LockItemsByID(r.of.Account, ids)
	if err != nil {
		return sum, err
	}
	for _, i := range items {
		if i.InTransit() { // the address of the parcel may be the person's
			r.inTransit[i.ID] = true
			continue
		}
		e, err := tx.EraseFormerGuest(i, r.person, r.of.By)
		if err != nil {
			return sum, err
		}
		sum.Add(e)
	}
	return sum, nil
}

// formerShipments returns the shipments to the person of items that now have another owner, and whether there are
// more than the limit.
func (x exporter) formerShipments(ctx context.Context) (out []v1.PersonShipment, more bool, err error) {
	out = []v1.PersonShipment{}
	more, err = x.walk(ctx, store.ShipmentPersonalData(), func(ids []string) (bool, error) {
		shipments, err := x.people.db.ShipmentsByID(ctx, x.account, ids)
		for _, s := range shipments {
			if s.IsFor(x.person, nil) && !x.owned[s.ItemID] {
				out = append(out, x.people.wire.PersonShipment(s))
			}
		}
		return len(out) < exportMessages, err
	})
	return out, more, err
}

// events returns the events about the person's data in items that are deleted or now have another owner, and whether
// there are more than the limit.
func (x exporter) events(ctx context.Context) (out []json.RawMessage, more bool, err error) {
	out = []json.RawMessage{}
	more, err = x.walk(ctx, store.EventPersonalData(), func(ids []string) (bool, error) {
		events, err := x.people.db.EventsByID(ctx, x.account, ids)
		for _, e := range events {
			about, wrong := v1.IsAbout(e.Body, x.person)
			err = errors.Join(err, wrong)
			if about && !x.owned[e.ItemID] {
				out = append(out, e.Body)
			}
		}
		return len(out) < exportMessages, err
	})
	return out, more, err
}

// walk calls do with the ids of the rows that may name the person, until do returns false. It reports whether there may
// be more rows.
func (x exporter) walk(ctx context.Context, t store.PersonalDataTable,
	do func(ids []string) (bool, error)) (more bool, err error) {
	for after := []string(nil); ; {
		found, last, err := x.people.db.RowsWithPerson(ctx, x.account, t, x.person, after)
		if err != nil {
			return false, err
		}
		for batch := range slices.Chunk(found, eraseBatch) {
			goOn, err := do(slices.Concat(batch...))
			if !goOn || err != nil {
				return true, err
			}
		}
		if last == nil {
			return false, nil
		}
		after = last
	}
}
