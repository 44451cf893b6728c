package desk

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"homeward/internal/itemcsv"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// exportPiece is how many items an export reads at once: what it takes in memory does not depend on how many there are.
const exportPiece = 500

// Export writes a location's items as CSV, oldest first, by the same filter as the list, whose page does not matter. With mark, Excel knows the text for
// UTF-8. Nothing is written where the actor may not look or there is no such location. Items that come in meanwhile are not among them.
func (d *Desk) Export(ctx context.Context, a lost.Actor, location string, f lost.ItemFilter, mark bool, w io.Writer) error {
	if err := mayLook(a, location, "location"); err != nil {
		return err
	}
	l, err := d.db.Location(ctx, a.Account, location)
	if err != nil {
		return err
	}
	if err := d.noteExport(ctx, a, l.ID, l.Name); err != nil {
		return err
	}
	until, err := d.db.LastItem(ctx, a.Account, location)
	if err != nil {
		return err
	}
	out, err := d.newSheet(w, mark)
	for after := int64(0); err == nil; {
		var items []lost.Item
		if items, after, err = d.db.WalkItems(ctx, a.Account, location, f, after, until, exportPiece); err != nil {
			return err
		}
		err = writeItems(out, items)
		if len(items) < exportPiece {
			break
		}
	}
	return err
}

// ExportItems writes some of a location's items as CSV, in the order in which they are named. Those that are not there are left out.
func (d *Desk) ExportItems(ctx context.Context, a lost.Actor, location string, ids []string, mark bool, w io.Writer) error {
	items, err := d.Chosen(ctx, a, location, ids)
	if err != nil {
		return err
	}
	if err := d.noteExport(ctx, a, location, fmt.Sprintf("%d items", len(items))); err != nil {
		return err
	}
	out, err := d.newSheet(w, mark)
	return cmp.Or(err, writeItems(out, items))
}

// ExportAudit writes the account's audit log as CSV, newest first, by the same filter as the list, whose part does not matter. That somebody took it along
// is the next line of the log, and not in the file.
func (d *Desk) ExportAudit(ctx context.Context, a lost.Actor, f lost.AuditFilter, w io.Writer) error {
	var out *itemcsv.Table
	return d.walkAudit(ctx, a, f, func(lines []lost.AuditEntry) (err error) {
		if out == nil {
			out, err = itemcsv.NewTable(w, "time", "actor", "actorId", "actorName", "action", "subject", "note")
		}
		if err != nil {
			return err
		}
		return writeAudit(out, lines)
	})
}

// ExportAuditJSON is ExportAudit as a JSON array.
func (d *Desk) ExportAuditJSON(ctx context.Context, a lost.Actor, f lost.AuditFilter, w io.Writer) error {
	before := "["
	err := d.walkAudit(ctx, a, f, func(lines []lost.AuditEntry) error {
		for _, e := range lines {
			text, err := json.Marshal(map[string]string{
				"time": e.At.UTC().Format(time.RFC3339Nano), "actor": string(e.Actor.Kind), "actorId": e.Actor.ID, "actorName": e.Actor.Name,
				"action": string(e.Deed), "subject": e.Subject, "note": e.Note,
			})
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(w, "%s\n%s", before, text); err != nil {
				return err
			}
			before = ","
		}
		return nil
	})
	if err != nil {
		return err
	}
	end := "\n]\n"
	if before == "[" {
		end = "[]\n"
	}
	_, err = io.WriteString(w, end)
	return err
}

// walkAudit gives the audit log piece by piece, at least one, and writes down that somebody took it along.
func (d *Desk) walkAudit(ctx context.Context, a lost.Actor, f lost.AuditFilter, each func([]lost.AuditEntry) error) error {
	f.Seek = lost.Seek{Limit: exportPiece}
	part, err := d.Audit(ctx, a, f)
	if err != nil {
		return err
	}
	if err := d.noteExport(ctx, a, "", "The audit log"); err != nil {
		return err
	}
	for {
		if err := each(part.Data); err != nil || !part.More {
			return err
		}
		f.Before = part.Data[len(part.Data)-1].ID
		if part, err = d.Audit(ctx, a, f); err != nil {
			return err
		}
	}
}

func writeAudit(out *itemcsv.Table, lines []lost.AuditEntry) error {
	for _, e := range lines {
		if err := out.Row(e.At.UTC().Format(time.RFC3339Nano), string(e.Actor.Kind), e.Actor.ID, e.Actor.Name, string(e.Deed), e.Subject, e.Note); err != nil {
			return err
		}
	}
	return out.Flush()
}

// noteExport writes down who took something along, before they do.
func (d *Desk) noteExport(ctx context.Context, a lost.Actor, location, what string) error {
	return d.db.Write(ctx, func(tx *store.Tx) error { return audit(tx, a, lost.Exported, location, what) })
}

func (d *Desk) newSheet(w io.Writer, mark bool) (*itemcsv.Writer, error) {
	return itemcsv.NewWriter(w, itemcsv.Options{Mark: mark, FileURL: d.wire.FileURL})
}

func writeItems(out *itemcsv.Writer, items []lost.Item) error {
	if out == nil {
		return nil
	}
	for _, i := range items {
		if err := out.Write(i); err != nil {
			return err
		}
	}
	return out.Flush()
}
