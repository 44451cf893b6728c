package privacy

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"homeward/internal/access"
	"homeward/internal/itemcsv"
	"homeward/internal/lost"
)

// ExportAudit writes the account's audit log as CSV, newest first, with the filter of the list but without its page.
// The export itself is the next entry of the log, and not in the file.
func (l *AuditLog) ExportAudit(ctx context.Context, a lost.Actor, f lost.AuditFilter, w io.Writer) error {
	var out *itemcsv.Table
	return l.walkAudit(ctx, a, f, func(lines []lost.AuditEntry) (err error) {
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
func (l *AuditLog) ExportAuditJSON(ctx context.Context, a lost.Actor, f lost.AuditFilter, w io.Writer) error {
	before := "["
	err := l.walkAudit(ctx, a, f, func(lines []lost.AuditEntry) error {
		for _, e := range lines {
			text, err := json.Marshal(map[string]string{
				"time": e.At.UTC().Format(time.RFC3339Nano), "actor": string(e.Actor.Kind), "actorId": e.Actor.ID,
				"actorName": e.Actor.Name,
				"action":    string(e.Deed), "subject": e.Subject, "note": e.Note,
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

// walkAudit gives the audit log in pieces, at least one, and writes an audit entry for the export.
func (l *AuditLog) walkAudit(ctx context.Context, a lost.Actor, f lost.AuditFilter,
	each func([]lost.AuditEntry) error) error {
	const piece = 500
	f.PageCursor = lost.PageCursor{Limit: piece}
	part, err := l.List(ctx, a, f)
	if err != nil {
		return err
	}
	if err := access.AuditExport(ctx, l.db, a, "", "The audit log"); err != nil {
		return err
	}
	for {
		if err := each(part.Data); err != nil || !part.More {
			return err
		}
		f.Before = part.Data[len(part.Data)-1].ID
		if part, err = l.List(ctx, a, f); err != nil {
			return err
		}
	}
}

func writeAudit(out *itemcsv.Table, lines []lost.AuditEntry) error {
	for _, e := range lines {
		if err := out.Row(e.At.UTC().Format(time.RFC3339Nano), string(e.Actor.Kind), e.Actor.ID, e.Actor.Name,
			string(e.Deed), e.Subject, e.Note); err != nil {
			return err
		}
	}
	return out.Flush()
}
