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
	"homeward/internal/store/transfer"
)

type accountDelete struct {
	output
	Account string `arg:"" help:"ID of the account, acc_…"`
	Name    string `placeholder:"NAME" help:"Name of the account, to confirm. Default: asked for."`
}

// Run deletes an account after the operator has confirmed its name. If it is interrupted, it can be run again.
func (c *accountDelete) Run(ctx context.Context, cfg *app.Config, out io.Writer, status statusWriter) error {
	return withOperator(ctx, cfg, func(op *services.Operator) error {
		account, err := op.Accounts.Account(ctx, identity.Operator(c.Account))
		if err != nil {
			return err
		}
		db, err := openExisting(ctx, cfg)
		if err != nil {
			return err
		}
		defer db.Close()
		files, done, err := openFiles(ctx, "HOMEWARD_FILES", cfg.Files)
		if err != nil {
			return err
		}
		defer done()
		d := transfer.AccountDeletion{
			DB: db, Account: account.ID, VisitNames: media.VisitNames, Now: time.Now,
			DeleteFile: func(ctx context.Context, name string) error {
				if err := files.Delete(ctx, name); err != nil && lost.CodeOf(err) != lost.NotFound {
					return err
				}
				return nil
			},
		}
		if err := c.confirm(ctx, d, account, status); err != nil {
			return err
		}
		if _, err := op.Accounts.SetDisabled(ctx, account.ID, true); err != nil {
			return err
		}
		e, err := d.Run(ctx)
		if err != nil {
			return fmt.Errorf("%w (run the command again to continue)", err)
		}
		return c.printErasure(out, e)
	})
}

// confirm prints what will be deleted and returns an error unless the operator enters the account's name.
func (c *accountDelete) confirm(
	ctx context.Context, d transfer.AccountDeletion, account lost.Account, status statusWriter,
) error {
	e, err := d.Count(ctx)
	if err != nil {
		return err
	}
	rows := int64(0)
	for _, n := range e.Rows {
		rows += n
	}
	status.printf("This deletes the account %s: %d rows, of which %d items and %d users, and its files. "+
		"It cannot be undone.", account.ID, rows, e.Rows["items"], e.Rows["users"])
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
