package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"homeward/internal/app"
	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/services"
)

type keyCommand struct {
	Create keyCreate `cmd:"" help:"Create an API key and print it once."`
	List   keyList   `cmd:"" help:"List an account's API keys."`
	Rename keyRename `cmd:"" help:"Rename an API key."`
	Revoke keyRevoke `cmd:"" help:"Revoke an API key."`
}

func keyRow(k lost.Key) row {
	return row{
		{"id", k.ID}, {"name", k.Name}, {"hint", k.Hint}, {"role", k.Role},
		{"readOnly", k.ReadOnly}, {"locations", k.Locations},
		{"origins", k.Origins}, {"lastUsedAt", k.LastUsedAt},
		{"createdAt", k.CreatedAt}, {"expiresAt", k.ExpiresAt}, {"revokedAt", k.RevokedAt},
	}
}

type keyCreate struct {
	output
	accountFlag
	Name     string   `required:"" help:"What the key is for."`
	Role     string   `enum:"admin,desk,logger,viewer,publishable" default:"admin" help:"${key_role_help}"`
	ReadOnly bool     `help:"Allow reading only."`
	Location []string `help:"Limit access to this location; may be repeated."`
	Origin   []string `placeholder:"URL" help:"Make a publishable key for this website; may be repeated."`
	Expires  string   `placeholder:"TIME" help:"How long the key is valid, such as 90d or 12h."`
}

// Run creates a key.
func (c *keyCreate) Run(ctx context.Context, cfg *app.Config, out io.Writer) error {
	patch := lost.KeyPatch{Name: lost.Set(c.Name), Role: lost.Set(c.Role), ReadOnly: lost.Set(c.ReadOnly)}
	if len(c.Origin) > 0 {
		patch.Origins = lost.Set(c.Origin)
		if c.Role == string(lost.AdminRole) { // the default
			patch.Role = lost.Set(string(lost.PublishableRole))
		}
	}
	if len(c.Location) > 0 {
		patch.Locations = lost.Set(c.Location)
	}
	if c.Expires != "" {
		lifetime, err := parseLifetime(c.Expires)
		if err != nil {
			return err
		}
		patch.ExpiresAt = lost.Set(time.Now().UTC().Add(lifetime).Truncate(time.Millisecond))
	}
	return c.withAccount(ctx, cfg, func(op *services.Operator, account string) error {
		k, err := op.Keys.Create(ctx, identity.Operator(account), patch, lost.IdempotencyKey{})
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

// parseLifetime parses a duration such as 90d, which time.ParseDuration does not support, or 12h.
func parseLifetime(s string) (time.Duration, error) {
	errInvalid := errors.New("--expires must be a duration such as 90d or 12h")
	if days, ok := strings.CutSuffix(s, "d"); ok {
		var n int
		if _, err := fmt.Sscanf(days+" ", "%d ", &n); err != nil || n <= 0 || n > 36500 || fmt.Sprint(n) != days {
			return 0, errInvalid
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		return 0, errInvalid
	}
	return d, nil
}

type keyList struct {
	output
	accountFlag
}

// Run lists keys.
func (c *keyList) Run(ctx context.Context, cfg *app.Config, out io.Writer) error {
	return c.withAccount(ctx, cfg, func(op *services.Operator, account string) error {
		var rows []row
		for page := (lost.Page{Number: 1, Limit: lost.MaxLimit}); ; page.Number++ {
			l, err := op.Keys.List(ctx, identity.Operator(account), page)
			if err != nil {
				return err
			}
			rows = append(rows, rowsOf(l.Data, keyRow)...)
			if !l.More() || len(rows) >= identity.MaxListed {
				return c.printList(out, rows)
			}
		}
	})
}

type keyRename struct {
	output
	accountFlag
	Key  string `arg:"" help:"ID of the key, key_…"`
	Name string `arg:"" help:"The new name."`
}

// Run renames a key.
func (c *keyRename) Run(ctx context.Context, cfg *app.Config, out io.Writer) error {
	return c.withAccount(ctx, cfg, func(op *services.Operator, account string) error {
		k, err := op.Keys.Rename(ctx, identity.Operator(account), c.Key, lost.KeyPatch{Name: lost.Set(c.Name)})
		if err != nil {
			return err
		}
		return c.print(out, keyRow(k))
	})
}

type keyRevoke struct {
	output
	accountFlag
	Key string `arg:"" help:"ID of the key, key_…"`
}

// Run revokes a key.
func (c *keyRevoke) Run(ctx context.Context, cfg *app.Config, out io.Writer) error {
	return c.withAccount(ctx, cfg, func(op *services.Operator, account string) error {
		by := identity.Operator(account)
		if err := op.Keys.Revoke(ctx, by, c.Key); err != nil {
			return err
		}
		k, err := op.Keys.Get(ctx, by, c.Key)
		if err != nil {
			return err
		}
		return c.print(out, keyRow(k))
	})
}
