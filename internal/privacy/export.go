package privacy

import (
	"context"
	"fmt"
	"io"

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
	ctx = store.BatchContext(ctx, nil) // the response has begun, so an error would cut it off
	n, more, owned := 0, true, map[string]bool{}
	for after := ""; more && n < exportRecords; {
		items, err := s.db.ItemsOfPerson(ctx, a.Account, p, after, eraseBatch)
		if err != nil {
			return err
		}
		for _, i := range items {
			if err := s.exportRecord(ctx, i, n > 0, w); err != nil {
				return err
			}
			after, n, owned[i.ID] = i.ID, n+1, true
		}
		more = len(items) == eraseBatch
	}
	const messages = 10000 // includes messages about the person's own items, which are exported with the items
	sent, err := s.db.PersonMessages(ctx, a.Account, p, messages)
	if err != nil {
		return err
	}
	others := []v1.Message{}
	for _, m := range sent {
		if !owned[m.ItemID] && len(others) < exportMessages {
			others = append(others, s.wire.PersonMessage(m))
		}
	}
	text, err := v1.Encode(others)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, `],"messages":%s,"complete":%t}`+"\n", text, !more)
	return err
}

func (s *People) exportRecord(ctx context.Context, i lost.Item, next bool, w io.Writer) error {
	const lines = 1000
	history, err := s.db.History(ctx, i.Account, i.ID, lost.Page{Number: 1, Limit: lines})
	if err != nil {
		return err
	}
	messages, err := s.db.RecentMessages(ctx, i.Account, i.ID)
	if err != nil {
		return err
	}
	shipments, err := s.db.ShipmentsOfItem(ctx, i.Account, i.ID)
	if err != nil {
		return err
	}
	text, err := v1.Encode(s.wire.PersonItem(i, history.Data, messages, shipments))
	if next {
		text = append([]byte(",\n"), text...)
	}
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}
