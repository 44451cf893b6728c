package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// withDesk runs a command on the database, also while the service runs. A database that is not there is
// not made: whoever looks for something in the wrong folder must not find an empty one.
func withDesk(ctx context.Context, cfg *Config, do func(*desk.Desk) error) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	if _, err := os.Stat(cfg.Database); !store.IsPostgres(cfg.Database) && errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no database at %s: is HOMEWARD_DATA right?", cfg.Database)
	}
	return withNewDesk(ctx, cfg, do)
}

// withNewDesk is withDesk for a command that may be the first of all.
func withNewDesk(ctx context.Context, cfg *Config, do func(*desk.Desk) error) error {
	d, done, err := OpenDesk(ctx, *cfg)
	if err != nil {
		return err
	}
	defer done()
	return do(d)
}

// output is how a command answers.
type output struct {
	JSON bool `help:"Answer as JSON, for scripts."`
}

// row is one line of an answer: its columns for people, and the same for scripts.
type row []column

type column struct {
	name  string
	value any
}

// print writes one record as a table with a heading, or as a JSON object.
func (o output) print(out io.Writer, r row) error {
	if o.JSON {
		return printJSON(out, r.record())
	}
	return o.printList(out, []row{r})
}

// printList writes rows as a table with a heading, or as a JSON array.
func (o output) printList(out io.Writer, rows []row) error {
	if o.JSON {
		records := make([]map[string]any, len(rows))
		for n, r := range rows {
			records[n] = r.record()
		}
		return printJSON(out, records)
	}
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	for n, r := range rows {
		if n == 0 {
			line(table, r, func(c column) string { return strings.ToUpper(c.name) })
		}
		line(table, r, func(c column) string { return text(c.value) })
	}
	return table.Flush()
}

func line(w io.Writer, r row, cell func(column) string) {
	cells := make([]string, len(r))
	for i, c := range r {
		cells[i] = cell(c)
	}
	_, _ = fmt.Fprintln(w, strings.Join(cells, "\t"))
}

// text is a value for people.
func text(v any) string {
	switch v := v.(type) {
	case time.Time:
		if v.IsZero() {
			return "-"
		}
		return v.Format("2006-01-02 15:04")
	case []string:
		if v == nil {
			return "all"
		}
		return strings.Join(v, ",")
	case bool:
		if v {
			return "yes"
		}
		return "no"
	default:
		return fmt.Sprint(v)
	}
}

// record is a row for scripts; what is not set is left out.
func (r row) record() map[string]any {
	record := map[string]any{}
	for _, c := range r {
		if at, ok := c.value.(time.Time); !ok || !at.IsZero() {
			record[c.name] = c.value
		}
	}
	return record
}

func printJSON(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// ofAccount says which account a command is about.
type ofAccount struct {
	Account string `placeholder:"ID" help:"Id of the account, acc_… Default: the only one there is."`
}

// with runs a command on one account.
func (c ofAccount) with(ctx context.Context, cfg *Config, do func(d *desk.Desk, account string) error) error {
	return withDesk(ctx, cfg, func(d *desk.Desk) error {
		account, err := c.find(ctx, d)
		if err != nil {
			return err
		}
		return do(d, account)
	})
}

// find gives the account's id; it need not be named where there is one alone.
func (c ofAccount) find(ctx context.Context, d *desk.Desk) (string, error) {
	if c.Account != "" {
		a, err := d.Account(ctx, desk.Operator(c.Account))
		return a.ID, err
	}
	accounts, err := d.Accounts(ctx)
	if err != nil {
		return "", err
	}
	if len(accounts) != 1 {
		return "", fmt.Errorf("there are %d accounts: name one with --account; homeward account list shows them", len(accounts))
	}
	return accounts[0].ID, nil
}

type accountCommand struct {
	Create  accountCreate `cmd:"" help:"Create an account."`
	List    accountList   `cmd:"" help:"List accounts."`
	Disable accountSwitch `cmd:"" help:"Switch an account off: its keys and users open nothing."`
	Enable  accountSwitch `cmd:"" help:"Switch an account on again."`
}

func accountRow(a lost.Account) row {
	return row{{"id", a.ID}, {"name", a.Name}, {"createdAt", a.CreatedAt}, {"disabledAt", a.DisabledAt}}
}

type accountCreate struct {
	output
	Name string `required:"" help:"Name of the account."`
}

// Run creates an account.
func (c *accountCreate) Run(ctx context.Context, cfg *Config, out io.Writer) error {
	return withNewDesk(ctx, cfg, func(d *desk.Desk) error {
		a, err := d.CreateAccount(ctx, c.Name)
		if err != nil {
			return err
		}
		return c.print(out, accountRow(a))
	})
}

type accountList struct{ output }

// Run lists accounts.
func (c *accountList) Run(ctx context.Context, cfg *Config, out io.Writer) error {
	return withDesk(ctx, cfg, func(d *desk.Desk) error {
		accounts, err := d.Accounts(ctx)
		if err != nil {
			return err
		}
		return c.printList(out, rowsOf(accounts, accountRow))
	})
}

func rowsOf[T any](records []T, write func(T) row) []row {
	rows := make([]row, len(records))
	for i, r := range records {
		rows[i] = write(r)
	}
	return rows
}

type accountSwitch struct {
	output
	Account string `arg:"" help:"Its id, acc_…"`
}

// Run switches an account off or on.
func (c *accountSwitch) Run(ctx context.Context, cfg *Config, out io.Writer, verb verb) error {
	return withDesk(ctx, cfg, func(d *desk.Desk) error {
		a, err := d.SetAccountDisabled(ctx, c.Account, verb == "disable")
		if err != nil {
			return err
		}
		return c.print(out, accountRow(a))
	})
}

// verb is the last word of the command that was called.
type verb string

type userCommand struct {
	Create  userCreate `cmd:"" help:"Create a user."`
	List    userList   `cmd:"" help:"List an account's users."`
	Disable userSwitch `cmd:"" help:"Keep a user out."`
	Enable  userSwitch `cmd:"" help:"Let a user in again."`
	Reset   userReset  `cmd:"" help:"Print a link, once, by which a user chooses a new password."`
}

func userRow(u lost.User) row {
	return row{{"id", u.ID}, {"email", u.Email}, {"name", u.Name}, {"role", string(u.Role)}, {"locations", u.Locations}, {"createdAt", u.CreatedAt}, {"disabledAt", u.DisabledAt}}
}

type userCreate struct {
	output
	ofAccount
	Email    string   `required:"" help:"E-mail address to log in with."`
	Name     string   `help:"Full name."`
	Password string   `help:"Password, 10 to 200 characters. Default: made up, printed once."`
	Role     string   `enum:"owner,admin,desk,logger,viewer" default:"owner" help:"What they may do: owner everything, admin all but the account itself, desk what happens at a desk, logger only record finds, viewer only look."`
	Location []string `help:"They reach only this location; may be given more than once. Owners and admins reach all."`
}

// Run creates a user.
func (c *userCreate) Run(ctx context.Context, cfg *Config, out io.Writer) error {
	password := c.Password
	if password == "" {
		password = desk.NewPassword()
	}
	return c.with(ctx, cfg, func(d *desk.Desk, account string) error {
		u, err := d.CreateMember(ctx, account, lost.Membership{Email: c.Email, Name: c.Name, Role: lost.Role(c.Role), Locations: c.Location}, password)
		if err != nil {
			return err
		}
		r := userRow(u)
		if c.Password == "" {
			r = append(r, column{"password", password})
		}
		return c.print(out, r)
	})
}

type userReset struct {
	output
	User     string `arg:"" name:"email|id" help:"E-mail address that the user logs in with, or their id, usr_…"`
	DropCode bool   `name:"without-second-step" help:"Switch the user's second step off too, where they have lost what it needs."`
}

// Run makes a link to choose a new password.
func (c *userReset) Run(ctx context.Context, cfg *Config, out io.Writer) error {
	return withDesk(ctx, cfg, func(d *desk.Desk) error {
		email, err := c.email(ctx, d)
		if err != nil {
			return err
		}
		link, t, err := d.ResetLink(ctx, email, c.DropCode)
		if err != nil {
			return err
		}
		if c.JSON {
			return c.print(out, row{{"email", t.Email}, {"link", link}, {"expiresAt", t.ExpiresAt}})
		}
		_, err = fmt.Fprintln(out, link)
		return err
	})
}

// email is the address of a user who may be named by an id, of whatever account.
func (c *userReset) email(ctx context.Context, d *desk.Desk) (string, error) {
	if strings.Contains(c.User, "@") {
		return c.User, nil
	}
	accounts, err := d.Accounts(ctx)
	if err != nil {
		return "", err
	}
	for _, a := range accounts {
		u, err := userNamed(ctx, d, a.ID, c.User)
		if err != nil || u.ID != "" {
			return u.Email, err
		}
	}
	return "", lost.Missing("user")
}

// userNamed finds an account's user by id or e-mail address; there may be none.
func userNamed(ctx context.Context, d *desk.Desk, account, name string) (u lost.User, err error) {
	users, err := d.Users(ctx, account)
	for _, u := range users {
		if u.ID == name || strings.EqualFold(u.Email, name) {
			return u, nil
		}
	}
	return u, err
}

type userList struct {
	output
	ofAccount
}

// Run lists users.
func (c *userList) Run(ctx context.Context, cfg *Config, out io.Writer) error {
	return c.with(ctx, cfg, func(d *desk.Desk, account string) error {
		users, err := d.Users(ctx, account)
		if err != nil {
			return err
		}
		return c.printList(out, rowsOf(users, userRow))
	})
}

type userSwitch struct {
	output
	ofAccount
	User string `arg:"" name:"id|email" help:"Their id, usr_…, or the e-mail address that they log in with."`
}

// Run keeps a user out or lets them in.
func (c *userSwitch) Run(ctx context.Context, cfg *Config, out io.Writer, verb verb) error {
	return c.with(ctx, cfg, func(d *desk.Desk, account string) error {
		u, err := userNamed(ctx, d, account, c.User)
		if err != nil || u.ID == "" {
			return cmp.Or(err, error(lost.Missing("user")))
		}
		u, err = d.SetUserDisabled(ctx, account, u.ID, verb == "disable")
		if err != nil {
			return err
		}
		return c.print(out, userRow(u))
	})
}

type keyCommand struct {
	Create keyCreate `cmd:"" help:"Create an API key and print it, once."`
	List   keyList   `cmd:"" help:"List an account's keys."`
	Revoke keyRevoke `cmd:"" help:"Make a key open nothing any more."`
}

func keyRow(k lost.Key) row {
	return row{
		{"id", k.ID}, {"name", k.Name}, {"hint", k.Hint}, {"role", k.Role}, {"readOnly", k.ReadOnly}, {"locations", k.Locations},
		{"createdAt", k.CreatedAt}, {"expiresAt", k.ExpiresAt}, {"revokedAt", k.RevokedAt},
	}
}

type keyCreate struct {
	output
	ofAccount
	Name     string   `required:"" help:"What the key is for."`
	Role     string   `enum:"admin,desk,logger,viewer" default:"admin" help:"What it may do: admin everything, desk what happens at a desk, logger only record finds, viewer only look."`
	ReadOnly bool     `help:"It may only read."`
	Location []string `help:"It reaches only this location; may be given more than once."`
	Expires  string   `placeholder:"TIME" help:"It stops working after this time, such as 90d or 12h."`
}

// Run creates a key.
func (c *keyCreate) Run(ctx context.Context, cfg *Config, out io.Writer) error {
	patch := lost.KeyPatch{Name: lost.Set(c.Name), Role: lost.Set(c.Role), ReadOnly: lost.Set(c.ReadOnly)}
	if len(c.Location) > 0 {
		patch.Locations = lost.Set(c.Location)
	}
	if c.Expires != "" {
		life, err := lifetime(c.Expires)
		if err != nil {
			return err
		}
		patch.ExpiresAt = lost.Set(time.Now().UTC().Add(life).Truncate(time.Millisecond))
	}
	return c.with(ctx, cfg, func(d *desk.Desk, account string) error {
		k, err := d.CreateKey(ctx, desk.Operator(account), patch, lost.IdempotencyKey{})
		if err != nil {
			return err
		}
		if c.JSON {
			return c.print(out, append(keyRow(k.Key), column{"key", k.Secret}))
		}
		_, err = fmt.Fprintln(out, k.Secret)
		return err
	})
}

// lifetime reads a time such as 90d, which Go's own notation lacks, or 12h.
func lifetime(s string) (time.Duration, error) {
	wrong := fmt.Errorf("--expires takes a time such as 90d or 12h")
	if days, ok := strings.CutSuffix(s, "d"); ok {
		var n int
		if _, err := fmt.Sscanf(days+" ", "%d ", &n); err != nil || n <= 0 || n > 36500 || fmt.Sprint(n) != days {
			return 0, wrong
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		return 0, wrong
	}
	return d, nil
}

type keyList struct {
	output
	ofAccount
}

// Run lists keys.
func (c *keyList) Run(ctx context.Context, cfg *Config, out io.Writer) error {
	return c.with(ctx, cfg, func(d *desk.Desk, account string) error {
		var rows []row
		for page := (lost.Page{Number: 1, Limit: lost.MaxLimit}); ; page.Number++ {
			l, err := d.Keys(ctx, desk.Operator(account), page)
			if err != nil {
				return err
			}
			rows = append(rows, rowsOf(l.Data, keyRow)...)
			if !l.More() || len(rows) >= desk.MaxListed {
				return c.printList(out, rows)
			}
		}
	})
}

type keyRevoke struct {
	output
	ofAccount
	Key string `arg:"" help:"Its id, key_…"`
}

// Run revokes a key.
func (c *keyRevoke) Run(ctx context.Context, cfg *Config, out io.Writer) error {
	return c.with(ctx, cfg, func(d *desk.Desk, account string) error {
		by := desk.Operator(account)
		if err := d.RevokeKey(ctx, by, c.Key); err != nil {
			return err
		}
		k, err := d.Key(ctx, by, c.Key)
		if err != nil {
			return err
		}
		return c.print(out, keyRow(k))
	})
}
