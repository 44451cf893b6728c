package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"homeward/internal/app"
	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/privacy"
	"homeward/internal/services"
)

type auditCommand struct {
	Export auditExport `cmd:"" help:"${audit_export_help}"`
}

type auditExport struct {
	Account []string `placeholder:"ID" help:"Only this account, acc_…; may be repeated. Default: all accounts."`
	From    string   `placeholder:"TIME" help:"${audit_from_help}"`
	To      string   `placeholder:"TIME" help:"Only entries up to the end of this day, or before this time."`
	Format  string   `enum:"jsonl,csv" default:"jsonl" help:"jsonl: one JSON object per line; or csv."`
	File    string   `arg:"" default:"-" help:"File to write, or - for standard output."`
}

// Run exports the audit logs of the selected accounts, one account after another.
func (c *auditExport) Run(ctx context.Context, cfg *app.Config, out io.Writer) error {
	f, err := c.filter()
	if err != nil {
		return err
	}
	return withOperator(ctx, cfg, func(op *services.Operator) error {
		accounts, err := c.accounts(ctx, op)
		if err != nil {
			return err
		}
		export := func(w io.Writer) error {
			entries, err := c.newWriter(w)
			if err != nil {
				return err
			}
			for _, account := range accounts {
				if err := op.AuditLog.ExportTo(ctx, identity.Operator(account), f, entries); err != nil {
					return err
				}
			}
			return nil
		}
		if c.File == "-" {
			return export(out)
		}
		return replaceFile(c.File, export)
	})
}

// filter returns the filter for --from and --to.
func (c *auditExport) filter() (f lost.AuditFilter, err error) {
	if f.From, _, err = parsePeriod("--from", c.From); err != nil {
		return f, err
	}
	_, f.Until, err = parsePeriod("--to", c.To)
	return f, err
}

// parsePeriod parses the value of a flag that is a day or a time. It returns zero times if the flag is not set.
func parsePeriod(flag, text string) (from, until time.Time, err error) {
	if text == "" {
		return from, until, nil
	}
	from, until, ok := lost.ParsePeriod(text)
	if !ok {
		err = fmt.Errorf("%s must be a date such as 2026-11-14, or a time such as 2026-11-14T08:30:00Z", flag)
	}
	return from, until, err
}

// accounts returns the ids of the selected accounts.
func (c *auditExport) accounts(ctx context.Context, op *services.Operator) (ids []string, err error) {
	for _, id := range c.Account {
		a, err := op.Accounts.Account(ctx, identity.Operator(id))
		if err != nil {
			return nil, fmt.Errorf("--account %s: %w", id, err)
		}
		ids = append(ids, a.ID)
	}
	if len(ids) > 0 {
		return ids, nil
	}
	all, err := op.Accounts.List(ctx)
	if err != nil {
		return nil, err
	}
	if len(all) == identity.MaxListed {
		return nil, errors.New("there are too many accounts for one export: choose some with --account")
	}
	for _, a := range all {
		ids = append(ids, a.ID)
	}
	return ids, nil
}

// newWriter returns a writer for the chosen format.
func (c *auditExport) newWriter(w io.Writer) (privacy.AuditWriter, error) {
	if c.Format == "csv" {
		return privacy.NewAuditCSV(w)
	}
	return privacy.NewAuditLines(w), nil
}
