package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"homeward/internal/app"
	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/media"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/store/transfer"
)

type accountDelete struct {
	output
	Account string `arg:"" help:"ID of the account, acc_…"`
	Name    string `placeholder:"NAME" help:"Name of the account, to confirm. Default: asked for."`
}

// Run deletes an account after the operator has confirmed its name. If it is interrupted, it can be run again.
func (c *accountDelete) Run(ctx context.Context, cfg *app.Config, out io.Writer, status statusWriter) error {
	onWait := func(time.Duration) { status.printf("account delete: the database is busy; waiting for its turn") }
	ctx = store.BatchContext(ctx, onWait)
	return withOperator(ctx, cfg, func(op *services.Operator) error {
		db, err := openExisting(ctx, cfg)
		if err != nil {
			return err
		}
		defer db.Close()
		account, err := op.Accounts.Account(ctx, identity.Operator(c.Account))
		if lost.CodeOf(err) == lost.NotFound {
			return c.printEarlier(ctx, db, out, status, err)
		}
		if err != nil {
			return err
		}
		files, done, err := openFiles(ctx, "HOMEWARD_FILES", cfg.Files)
		if err != nil {
			return err
		}
		defer done()
		d := transfer.AccountDeletion{
			DB: db, Account: account.ID, Now: time.Now, OnWait: onWait, HasFile: hasFile(files),
			DeleteFile: func(ctx context.Context, name string) error { return media.DeletePicture(ctx, files, name) },
			Deleted:    func(table string, rows int64) { status.printf("deleted %d rows from %s", rows, table) },
		}
		if err := c.confirm(ctx, d, account, status); err != nil {
			return err
		}
		if account.DisabledAt.IsZero() {
			if _, err := op.Accounts.SetDisabled(ctx, account.ID, true); err != nil {
				return err
			}
		}
		e, err := d.Run(ctx)
		if err != nil {
			return fmt.Errorf("%w (run the command again to continue)", err)
		}
		return c.printErasure(out, e)
	})
}

// hasFile returns a function that reports whether a file exists.
func hasFile(files media.Store) func(ctx context.Context, name string) (bool, error) {
	return func(ctx context.Context, name string) (bool, error) {
		f, err := files.Open(ctx, name)
		if err != nil {
			return false, lost.IgnoreNotFound(err)
		}
		return true, f.Close()
	}
}

// printEarlier prints the record of an account that was already deleted, for an operator who did not see it. If there
// is none, it returns the error that the account does not exist.
func (c *accountDelete) printEarlier(
	ctx context.Context, db *store.DB, out io.Writer, status statusWriter, missing error,
) error {
	e, found, err := transfer.ErasedAccount(ctx, db, c.Account)
	if err != nil {
		return err
	}
	if !found {
		return missing
	}
	status.printf("This account was already deleted.")
	return c.printErasure(out, e)
}

// confirm prints what will be deleted and returns an error unless the operator enters the account's name.
func (c *accountDelete) confirm(
	ctx context.Context, d transfer.AccountDeletion, account lost.Account, status statusWriter,
) error {
	e, err := d.Count(ctx)
	if err != nil {
		return err
	}
	earlier, found, err := d.Interrupted(ctx)
	if err != nil {
		return err
	}
	if found {
		status.printf("An interrupted deletion continues. It has deleted %d rows.", earlier.RowCount())
	}
	status.printf("This deletes the account %s: %d rows, of which %d items and %d users, and its files. "+
		"It cannot be undone.", account.ID, e.RowCount(), e.Rows["items"], e.Rows["users"])
	name := c.Name
	if name == "" {
		status.printf("Enter the name of the account to confirm:")
		name, _ = bufio.NewReader(os.Stdin).ReadString('\n') // at the end of the input, the name is wrong
	}
	if strings.TrimSpace(name) != account.Name {
		return errors.New("that is not the name of the account: nothing was deleted")
	}
	return nil
}

// printErasure prints the record of the erasure.
func (c *accountDelete) printErasure(out io.Writer, e transfer.AccountErasure) error {
	if c.JSON {
		return printJSON(out, e)
	}
	_, _ = fmt.Fprintf(out, "deleted account %s at %s\n", e.Account, e.At.Format(time.RFC3339))
	for _, table := range slices.Sorted(maps.Keys(e.Rows)) {
		_, _ = fmt.Fprintf(out, "%8d  %s\n", e.Rows[table], table)
	}
	_, err := fmt.Fprintf(out, "%8d  files\n", e.Files)
	return err
}
