package privacy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

// ExportPerson writes all personal data of a person in the account as JSON, record by record. Nothing is written if
// the actor lacks permission.
func (s *People) ExportPerson(ctx context.Context, a lost.Actor, of lost.PersonPatch, w io.Writer) error {
	if err := access.MayViewAccount(a, lost.ManageStaff); err != nil {
		return err
	}
	p, err := s.Identify(ctx, a, of)
	if err != nil {
		return err
	}
	if err := s.db.Write(ctx, func(tx *store.Tx) error {
		return access.Audit(tx, a, lost.PersonExported, "", "")
	}); err != nil {
		return err
	}
	head, err := v1.Encode(s.wire.Person(p))
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, `{"person":%s,"exportedAt":%q,"records":[`, head,
		s.db.Now().Format("2006-01-02T15:04:05.000Z")); err != nil {
		return err
	}
	x := exporter{people: s, account: a.Account, person: p, owned: map[string]bool{}, w: w}
	return x.write(store.BatchContext(ctx, nil)) // the response has begun, so an error would cut it off
}

// exporter writes the data of one person, after the beginning of the document.
type exporter struct {
	people  *People
	account string
	person  lost.Person
	owned   map[string]bool // ids of the person's own items and requests, without those that they found
	w       io.Writer
}

// write writes the person's records, and then what is stored about the person in the records of others.
func (x exporter) write(ctx context.Context) error {
	more, err := x.records(ctx)
	if err != nil {
		return err
	}
	messages, err := x.messages(ctx)
	if err != nil {
		return err
	}
	thread, err := x.formerThread(ctx)
	if err != nil {
		return err
	}
	shipments, err := x.formerShipments(ctx)
	if err != nil {
		return err
	}
	events, err := x.events(ctx)
	if err != nil {
		return err
	}
	stays, err := x.stays(ctx)
	if err != nil {
		return err
	}
	rest := struct {
		Stays     []v1.PersonStay     `json:"stays"`
		Messages  []v1.Message        `json:"messages"`
		Thread    []v1.ThreadMessage  `json:"thread"`
		Shipments []v1.PersonShipment `json:"shipments"`
		Events    []json.RawMessage   `json:"events"`
		Complete  bool                `json:"complete"`
	}{
		first(stays), first(messages), first(thread), first(shipments), first(events),
		!more && max(len(stays), len(messages), len(thread), len(shipments), len(events)) <= exportOthers,
	}
	text, err := v1.Encode(rest)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(x.w, "],%s\n", bytes.TrimPrefix(bytes.TrimSpace(text), []byte("{")))
	return err
}

// first returns the elements of a list that are exported.
func first[T any](list []T) []T { return list[:min(len(list), exportOthers)] }

// records writes the person's items and requests, and reports whether there are more than the limit.
func (x exporter) records(ctx context.Context) (more bool, err error) {
	n := 0
	more = true
	for after := ""; more && n < exportRecords; {
		items, err := x.people.db.ItemsOfPerson(ctx, x.account, x.person, after, eraseBatch)
		if err != nil {
			return false, err
		}
		for _, i := range items {
			if err := x.record(ctx, i, n > 0); err != nil {
				return false, err
			}
			after, n = i.ID, n+1
			if x.person.Owns(i) {
				x.owned[i.ID] = true
			}
		}
		more = len(items) == eraseBatch
	}
	return more, nil
}

// messages returns the messages to the person about items of others.
func (x exporter) messages(ctx context.Context) ([]v1.Message, error) {
	const limit = 10000 // includes messages about the person's own items, which are exported with the items
	sent, err := x.people.db.PersonMessages(ctx, x.account, x.person, limit)
	others := []v1.Message{}
	for _, m := range sent {
		if !x.owned[m.ItemID] {
			others = append(others, x.people.wire.PersonMessage(m))
		}
	}
	return others, err
}

// formerThread returns the messages of the person's conversations about items that now have another owner.
func (x exporter) formerThread(ctx context.Context) ([]v1.ThreadMessage, error) {
	const limit = 10000 // includes messages about the person's own items, which are exported with the items
	written, err := x.people.db.PersonThreads(ctx, x.account, x.person, limit)
	others := slices.DeleteFunc(written, func(m lost.ThreadMessage) bool { return x.owned[m.ItemID] })
	return x.people.wire.PersonThread(others), err
}

// record writes one of the person's items or requests, or an item that they found.
func (x exporter) record(ctx context.Context, i lost.Item, next bool) error {
	var record any
	var err error
	if x.person.Owns(i) {
		record, err = x.ownRecord(ctx, i)
	} else {
		i.EraseGuest(i.UpdatedAt) // the finder is not told who owns the item, or what happened to it
		record = x.people.wire.PersonItem(i, nil, nil, nil, nil)
	}
	if err != nil {
		return err
	}
	text, err := v1.Encode(record)
	if next {
		text = append([]byte(",\n"), text...)
	}
	if err == nil {
		_, err = x.w.Write(text)
	}
	return err
}

// ownRecord returns one of the person's items or requests. If the item had another owner before, it omits what belongs
// to that person, and it omits what belongs to the finder.
func (x exporter) ownRecord(ctx context.Context, i lost.Item) (v1.PersonItem, error) {
	const lines = 1000
	var none v1.PersonItem
	history, err := x.people.db.History(ctx, i.Account, i.ID, lost.Page{Number: 1, Limit: lines})
	if err != nil {
		return none, err
	}
	messages, err := x.people.db.RecentMessages(ctx, i.Account, i.ID)
	if err != nil {
		return none, err
	}
	thread, err := x.people.db.GuestThread(ctx, i)
	if err != nil {
		return none, err
	}
	shipments, err := x.people.db.ShipmentsOfItem(ctx, i.Account, i.ID)
	if err != nil {
		return none, err
	}
	links, err := x.people.db.LinksOfItem(ctx, i.Account, i.ID)
	if err != nil {
		return none, err
	}
	if hasOthers(i.Owner, links) {
		since, err := x.people.db.OwnedSince(ctx, i, links)
		if err != nil {
			return none, err
		}
		for n := range history.Data {
			if history.Data[n].At.Before(since) {
				history.Data[n].Note = ""
			}
		}
		shipments = slices.DeleteFunc(shipments, func(s lost.Shipment) bool {
			return !s.IsFor(x.person, links) && s.Guest != i.Owner
		})
		messages = slices.DeleteFunc(messages, func(m lost.Message) bool { return !i.Owner.Reads(m.To) })
	}
	messages = slices.DeleteFunc(messages, func(m lost.Message) bool {
		return m.Kind.ToFinder() && !x.person.Reads(m.To)
	})
	if !x.person.Found(i) {
		i.EraseFinder(i.UpdatedAt)
	}
	return x.people.wire.PersonItem(i, history.Data, messages, thread, shipments), nil
}

// hasOthers reports whether an item had another owner before. Everybody who was told about an item has a link to it.
func hasOthers(o lost.Owner, links []lost.Link) bool {
	return slices.ContainsFunc(links, func(l lost.Link) bool { return !o.Reads(l.Address) })
}
