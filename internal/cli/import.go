package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"homeward/internal/app"
	"homeward/internal/desk"
	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/services"
	"homeward/internal/store"
)

type importCommand struct {
	accountFlag
	Location   string `placeholder:"ID" help:"ID of the location, loc_…; without it, the file has a column location."`
	DryRun     bool   `help:"Check the file and report problems; import nothing."`
	SkipBad    bool   `help:"Skip invalid rows and import the others."`
	TellOwners bool   `help:"${tell_owners_help}"`
	File       string `arg:"" help:"File to read, or - for standard input."`
}

// Run imports items: the whole file, or nothing.
func (c *importCommand) Run(ctx context.Context, cfg *app.Config, out io.Writer, status statusWriter) error {
	ctx = store.BatchContext(ctx, func(time.Duration) {
		status.printf("import: the database is busy; waiting for its turn")
	})
	content, err := readImport(c.File)
	if err != nil {
		return err
	}
	return c.withAccount(ctx, cfg, func(op *services.Operator, account string) error {
		by := identity.Operator(account)
		if err := c.check(ctx, op, by, content, out); err != nil || c.DryRun {
			return err
		}
		m, err := op.Imports.Stage(ctx, by, c.Location, filepath.Base(c.File), bytes.NewReader(content))
		if err != nil {
			return err
		}
		p, err := op.Imports.Preview(ctx, by, c.Location, m.ID)
		if err != nil {
			return err
		}
		for _, same := range p.Same {
			_, _ = fmt.Fprintf(out, "the same file was imported before, on %s\n",
				same.CreatedAt.Format("2006-01-02 15:04"))
		}
		return c.run(ctx, op, by, m, out)
	})
}

// readImport reads a file, or its beginning if it is too large to import. It reads at most one byte more than the
// limit, so that the size check fails.
func readImport(name string) ([]byte, error) {
	from := os.Stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		from = f
	}
	return io.ReadAll(io.LimitReader(from, desk.MaxImport+1))
}

// check prints the problems of every invalid row and the number of valid rows. It returns an error if there are invalid
// rows and --skip-bad is not set.
func (c *importCommand) check(
	ctx context.Context, op *services.Operator, by lost.Actor, content []byte, out io.Writer,
) error {
	m, err := op.Imports.Check(ctx, by, c.Location, bytes.NewReader(content), func(p lost.RowProblem) {
		column := ""
		if p.Column != "" {
			column = fmt.Sprintf(", column %q", p.Column)
		}
		_, _ = fmt.Fprintf(out, "line %d%s: %s\n", p.Line, column, p.Message)
	})
	if err != nil {
		return err
	}
	for _, heading := range m.Unknown {
		_, _ = fmt.Fprintf(out, "column %q is unknown and is ignored\n", heading)
	}
	_, _ = fmt.Fprintf(out, "%d of %d rows can be imported\n", m.Total, m.Total+m.Bad)
	if m.Bad > 0 && !c.SkipBad {
		return errors.New("nothing was imported: correct the rows above, or skip them with --skip-bad")
	}
	return nil
}

// maxBusy is how many times in a row an import batch may fail because the database is busy. Each failure takes
// several seconds.
const maxBusy = 10

// run creates the items. If it is interrupted, it removes the imported items. If the process is killed, the service
// continues the import.
func (c *importCommand) run(
	ctx context.Context, op *services.Operator, by lost.Actor, m lost.Import, out io.Writer,
) error {
	m, err := op.Imports.Start(ctx, by, c.Location, m.ID, c.TellOwners)
	for busy := 0; err == nil && m.State == lost.ImportRunning; {
		_, err = op.Imports.RunImport(ctx, m.Account, m.ID)
		switch {
		case err == nil:
			busy = 0
			m, err = op.Imports.Get(ctx, by, c.Location, m.ID)
		case lost.CodeOf(err) == lost.Unavailable && busy < maxBusy: // the next iteration retries the batch
			busy++
			err = nil
		}
	}
	switch {
	case err != nil:
	case m.State == lost.ImportFailed || m.State == lost.ImportStopping || m.State == lost.ImportCancelled:
		err = errors.New(cmp.Or(m.Why, "the import was cancelled"))
	}
	if err != nil {
		return errors.Join(err, undoImport(context.WithoutCancel(ctx), op, by, c.Location, m.ID))
	}
	if _, err = fmt.Fprintf(out, "imported %d items\n", m.Total); err != nil {
		return err
	}
	if m.State == lost.ImportNotifying {
		_, err = fmt.Fprintf(out, "the running service will notify their %d owners\n", m.Owners)
	}
	return err
}

// undoImport removes the imported items, except those that have been changed since. It always returns an error, which
// says how many items remain.
func undoImport(ctx context.Context, op *services.Operator, by lost.Actor, location, id string) error {
	m, err := op.Imports.Cancel(ctx, by, location, id)
	for more := true; err == nil && more; {
		more, err = op.Imports.RunImport(ctx, m.Account, id)
	}
	if err == nil {
		m, err = op.Imports.Get(ctx, by, location, id)
	}
	switch {
	case err != nil:
		return err
	case m.Remaining > 0:
		return fmt.Errorf("%d imported items were removed; %d remain because they have been changed since",
			m.Removed, m.Remaining)
	default:
		return errors.New("nothing was imported")
	}
}
