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
	"homeward/internal/store"
)

// ExportAudit writes the account's audit log as CSV, newest first. It applies the filter but ignores its paging. The
// export itself adds an entry to the log, which the file does not include.
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

// ExportAuditJSON is like ExportAudit, but writes a JSON array.
func (l *AuditLog) ExportAuditJSON(ctx context.Context, a lost.Actor, f lost.AuditFilter, w io.Writer) error {
	before := "["
	err := l.walkAudit(ctx, a, f, func(lines []lost.AuditEntry) error {
		for _, e := range lines {
			text, err := json.Marshal(map[string]string{
				"time": e.At.UTC().Format(time.RFC3339Nano), "actor": string(e.Actor.Kind), "actorId": e.Actor.ID,
				"actorName": e.Actor.Name,
				"action":    string(e.Action), "subject": e.Subject, "note": e.Note,
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

// walkAudit calls each with one batch of audit entries after another, at least once, and adds an audit entry for the
// export.
func (l *AuditLog) walkAudit(ctx context.Context, a lost.Actor, f lost.AuditFilter,
	each func([]lost.AuditEntry) error) error {
	const batchSize = 500
	f.PageCursor = lost.PageCursor{Limit: batchSize}
	batch, err := l.List(ctx, a, f)
	if err != nil {
		return err
	}
	if err := access.AuditExport(ctx, l.db, a, "", "The audit log"); err != nil {
		return err
	}
	ctx = store.BatchContext(ctx, nil) // from here on, an error would cut off the file
	for {
		if err := each(batch.Data); err != nil || !batch.More {
			return err
		}
		f.Before = batch.Data[len(batch.Data)-1].ID
		if batch, err = l.List(ctx, a, f); err != nil {
			return err
		}
	}
}

func writeAudit(out *itemcsv.Table, lines []lost.AuditEntry) error {
	for _, e := range lines {
		if err := out.Row(e.At.UTC().Format(time.RFC3339Nano), string(e.Actor.Kind), e.Actor.ID, e.Actor.Name,
			string(e.Action), e.Subject, e.Note); err != nil {
			return err
		}
	}
	return out.Flush()
}
