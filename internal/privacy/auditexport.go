package privacy

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"homeward/internal/access"
	"homeward/internal/itemcsv"
	"homeward/internal/lost"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

// ExportAudit writes the account's audit log as CSV, newest first. It applies the filter but ignores its paging. The
// export itself adds an entry to the log, which the file does not include.
func (l *AuditLog) ExportAudit(ctx context.Context, a lost.Actor, f lost.AuditFilter, w io.Writer) error {
	out, err := itemcsv.NewTable(w, auditHeadings()...)
	if err != nil {
		return err
	}
	return l.walkAudit(ctx, a, f, func(entries []lost.AuditEntry) error {
		for _, e := range entries {
			if err := out.Row(auditCells(e)...); err != nil {
				return err
			}
		}
		return out.Flush()
	})
}

// auditHeadings returns the columns of an exported audit log.
func auditHeadings() []string {
	return []string{"time", "actor", "actorId", "actorName", "action", "subject", "note", "address"}
}

// auditCells returns the values of an entry in the order of auditHeadings.
func auditCells(e lost.AuditEntry) []string {
	return []string{
		e.At.UTC().Format(time.RFC3339Nano), string(e.Actor.Kind), e.Actor.ID, e.Actor.Name, string(e.Action),
		e.Subject, e.Note, e.Actor.Address,
	}
}

// ExportAuditJSON is like ExportAudit, but writes a JSON array.
func (l *AuditLog) ExportAuditJSON(ctx context.Context, a lost.Actor, f lost.AuditFilter, w io.Writer) error {
	before := "["
	err := l.walkAudit(ctx, a, f, func(entries []lost.AuditEntry) error {
		for _, e := range entries {
			record, cells := map[string]string{}, auditCells(e)
			for n, heading := range auditHeadings() {
				record[heading] = cells[n]
			}
			text, err := json.Marshal(record)
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

// AuditWriter writes entries of the audit logs of several accounts in one format.
type AuditWriter interface {
	Write(account string, entries []lost.AuditEntry) error
}

// ExportTo is like ExportAudit, but writes with an AuditWriter.
func (l *AuditLog) ExportTo(ctx context.Context, a lost.Actor, f lost.AuditFilter, w AuditWriter) error {
	return l.walkAudit(ctx, a, f, func(entries []lost.AuditEntry) error { return w.Write(a.Account, entries) })
}

// auditCSV writes entries as the rows of a CSV file.
type auditCSV struct{ table *itemcsv.Table }

// NewAuditCSV returns an AuditWriter for CSV. It writes the headings with the first entries.
func NewAuditCSV(w io.Writer) (AuditWriter, error) {
	table, err := itemcsv.NewTable(w, slices.Concat([]string{"account", "id"}, auditHeadings())...)
	return auditCSV{table}, err
}

func (c auditCSV) Write(account string, entries []lost.AuditEntry) error {
	for _, e := range entries {
		if err := c.table.Row(slices.Concat([]string{account, e.ID}, auditCells(e))...); err != nil {
			return err
		}
	}
	return c.table.Flush()
}

// auditLines writes entries as JSON Lines: one record of the API in each line, with its account.
type auditLines struct {
	w    io.Writer
	wire v1.Encoder
}

// NewAuditLines returns an AuditWriter for JSON Lines.
func NewAuditLines(w io.Writer) AuditWriter { return auditLines{w: w} }

func (l auditLines) Write(account string, entries []lost.AuditEntry) error {
	var lines []byte
	for _, e := range entries {
		line, err := v1.Encode(struct {
			Account string `json:"account"`
			v1.AuditEntry
		}{account, l.wire.AuditEntry(e)})
		if err != nil {
			return err
		}
		lines = append(append(lines, line...), '\n')
	}
	_, err := l.w.Write(lines)
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
