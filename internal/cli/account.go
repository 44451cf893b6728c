package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"homeward/internal/app"
	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/services"
	"homeward/internal/store"
)

// withOperator calls do with the operator's use cases on an existing database. The service may be running. It does
// not create a database: a command run in the wrong folder must fail instead of using a new, empty database.
func withOperator(ctx context.Context, cfg *app.Config, do func(*services.Operator) error) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	if err := checkDatabaseExists(cfg); err != nil {
		return err
	}
	return withNewOperator(ctx, cfg, do)
}

// withNewOperator is withOperator for a command that may create the database.
func withNewOperator(ctx context.Context, cfg *app.Config, do func(*services.Operator) error) error {
	op, done, err := app.OpenOperator(ctx, *cfg)
	if err != nil {
		return err
	}
	defer done()
	return do(op)
}

// checkDatabaseExists returns an error if the database is a SQLite file that does not exist.
func checkDatabaseExists(cfg *app.Config) error {
	if isMissingFile(cfg.Database) {
		return fmt.Errorf("there is no database at %s: is HOMEWARD_DATA correct?", cfg.Database)
	}
	return nil
}

// isMissingFile reports whether a database is a SQLite file that does not exist.
func isMissingFile(database string) bool {
	if store.IsPostgres(database) {
		return false
	}
	_, err := os.Stat(database)
	return errors.Is(err, fs.ErrNotExist)
}

// accountFlag is the flag that selects an account.
type accountFlag struct {
	Account string `placeholder:"ID" help:"ID of the account, acc_… Default: the only account."`
}

// withAccount calls do with the operator's use cases and the id of the selected account.
func (c accountFlag) withAccount(
	ctx context.Context, cfg *app.Config, do func(op *services.Operator, account string) error,
) error {
	return withOperator(ctx, cfg, func(op *services.Operator) error {
		account, err := c.find(ctx, op)
		if err != nil {
			return err
		}
		return do(op, account)
	})
}

// find returns the account's id. The flag may be omitted if there is exactly one account.
func (c accountFlag) find(ctx context.Context, op *services.Operator) (string, error) {
	if c.Account != "" {
		a, err := op.Accounts.Account(ctx, identity.Operator(c.Account))
		return a.ID, err
	}
	accounts, err := op.Accounts.List(ctx)
	if err != nil {
		return "", err
	}
	if len(accounts) == 0 {
		return "", errors.New("there is no account: create one with homeward account create")
	}
	if len(accounts) > 1 {
		return "", fmt.Errorf("there are %d accounts: choose one with --account; homeward account list shows them",
			len(accounts))
	}
	return accounts[0].ID, nil
}

type accountCommand struct {
	Create  accountCreate `cmd:"" help:"Create an account."`
	List    accountList   `cmd:"" help:"List accounts."`
	Disable accountSwitch `cmd:"" help:"Disable an account: its API keys and users are rejected."`
	Enable  accountSwitch `cmd:"" help:"Enable an account again."`
	Delete  accountDelete `cmd:"" help:"Delete an account with all its data and files, forever."`
}

func accountRow(a lost.Account) row {
	return row{{"id", a.ID}, {"name", a.Name}, {"createdAt", a.CreatedAt}, {"disabledAt", a.DisabledAt}}
}

type accountCreate struct {
	output
	Name string `required:"" help:"Name of the account."`
}

// Run creates an account.
func (c *accountCreate) Run(ctx context.Context, cfg *app.Config, out io.Writer) error {
	return withNewOperator(ctx, cfg, func(op *services.Operator) error {
		a, err := op.Accounts.Create(ctx, c.Name)
		if err != nil {
			return err
		}
		return c.print(out, accountRow(a))
	})
}

type accountList struct{ output }

// Run lists accounts.
func (c *accountList) Run(ctx context.Context, cfg *app.Config, out io.Writer) error {
	return withOperator(ctx, cfg, func(op *services.Operator) error {
		accounts, err := op.Accounts.List(ctx)
		if err != nil {
			return err
		}
		return c.printList(out, rowsOf(accounts, accountRow))
	})
}

type accountSwitch struct {
	output
	Account string `arg:"" help:"ID of the account, acc_…"`
}

// Run disables or enables an account.
func (c *accountSwitch) Run(ctx context.Context, cfg *app.Config, out io.Writer, verb verb) error {
	return withOperator(ctx, cfg, func(op *services.Operator) error {
		a, err := op.Accounts.SetDisabled(ctx, c.Account, verb == "disable")
		if err != nil {
			return err
		}
		return c.print(out, accountRow(a))
	})
}

// verb is the last word of the command, such as disable.
type verb string
