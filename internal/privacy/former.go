package privacy

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"homeward/internal/lost"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

// eraseFormerItems erases the person's data from items that had another owner later.
func (r *eraser) eraseFormerItems(ctx context.Context) error {
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
		if r.person.Owns(i) { // it was erased before, or its parcel is in transit
			continue
		}
		e, done, err := tx.EraseFormerGuest(i, r.person, r.of.By)
		if err != nil {
			return sum, err
		}
		delete(r.inTransit, i.ID) // in case the transaction is run again
		if !done {
			r.inTransit[i.ID] = true
		}
		sum.Add(e)
	}
	return sum, nil
}

// formerShipments returns the shipments to the person of items that now have another owner, oldest first.
func (x exporter) formerShipments(ctx context.Context) (out []v1.PersonShipment, err error) {
	found := map[string]lost.Shipment{}
	err = x.walk(ctx, store.ShipmentPersonalData(), func(ids []string) (bool, error) {
		shipments, err := x.people.db.ShipmentsByID(ctx, x.account, ids)
		for _, s := range shipments {
			if s.IsFor(x.person, nil) && !x.owned[s.ItemID] {
				found[s.ID] = s
			}
		}
		return len(found) <= exportOthers, err
	})
	if err != nil {
		return nil, err
	}
	// Shipments of earlier versions do not name the guest.
	err = x.walk(ctx, store.LinkPersonalData(), func(ids []string) (bool, error) {
		sent, err := x.people.db.LinksByID(ctx, x.account, ids)
		for _, l := range sent {
			if err == nil && x.person.Reads(l.Address) && !x.owned[l.ItemID] {
				err = x.addLinked(ctx, l.ItemID, found)
			}
		}
		return len(found) <= exportOthers, err
	})
	out = []v1.PersonShipment{}
	for _, id := range slices.Sorted(maps.Keys(found)) {
		out = append(out, x.people.wire.PersonShipment(found[id]))
	}
	return out, err
}

// addLinked adds the shipments of an item to the person, who had a link to it.
func (x exporter) addLinked(ctx context.Context, item string, found map[string]lost.Shipment) error {
	links, err := x.people.db.LinksOfItem(ctx, x.account, item)
	if err != nil {
		return err
	}
	shipments, err := x.people.db.ShipmentsOfItem(ctx, x.account, item)
	for _, s := range shipments {
		if s.IsFor(x.person, links) {
			found[s.ID] = s
		}
	}
	return err
}

// events returns the events with the person's data about items that are deleted or now have another owner.
func (x exporter) events(ctx context.Context) (out []json.RawMessage, err error) {
	out = []json.RawMessage{}
	err = x.walk(ctx, store.EventPersonalData(), func(ids []string) (bool, error) {
		events, err := x.people.db.EventsByID(ctx, x.account, ids)
		for _, e := range events {
			body, about, wrong := v1.OnlyPerson(e.Body, x.person)
			err = errors.Join(err, wrong)
			if about && !x.owned[e.ItemID] {
				out = append(out, body)
			}
		}
		return len(out) <= exportOthers, err
	})
	return out, err
}

// stays returns the rows of guest lists that name the person.
func (x exporter) stays(ctx context.Context) (out []v1.PersonStay, err error) {
	out = []v1.PersonStay{}
	err = x.walk(ctx, store.StayPersonalData(), func(ids []string) (bool, error) {
		found, err := x.people.db.StaysOfPerson(ctx, x.account, x.person, ids)
		for _, s := range found {
			out = append(out, x.people.wire.PersonStay(s))
		}
		return len(out) <= exportOthers, err
	})
	return out, err
}

// walk calls do with the ids of the rows that may name the person, until do returns false.
func (x exporter) walk(ctx context.Context, t store.PersonalDataTable, do func(ids []string) (bool, error)) error {
	for after := []string(nil); ; {
		found, last, err := x.people.db.RowsWithPerson(ctx, x.account, t, x.person, after)
		if err != nil {
			return err
		}
		for batch := range slices.Chunk(found, eraseBatch) {
			more, err := do(slices.Concat(batch...))
			if !more || err != nil {
				return err
			}
		}
		if last == nil {
			return nil
		}
		after = last
	}
}
