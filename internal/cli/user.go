package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"homeward/internal/app"
	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/services"
)

type userCommand struct {
	Create  userCreate `cmd:"" help:"Create a user."`
	List    userList   `cmd:"" help:"List an account's users."`
	Disable userSwitch `cmd:"" help:"Block a user."`
	Enable  userSwitch `cmd:"" help:"Unblock a user."`
	Reset   userReset  `cmd:"" help:"Print a one-time link for choosing a new password."`
}

func userRow(u lost.User) row {
	return row{
		{"id", u.ID}, {"email", u.Email}, {"name", u.Name}, {"role", string(u.Role)}, {"locations", u.Locations},
		{"createdAt", u.CreatedAt}, {"disabledAt", u.DisabledAt},
	}
}

type userCreate struct {
	output
	accountFlag
	Email    string   `required:"" help:"E-mail address to log in with."`
	Name     string   `help:"Full name."`
	Password string   `help:"Password, 10 to 200 characters. Default: generated, printed once."`
	Role     string   `enum:"owner,admin,desk,logger,viewer" default:"owner" help:"${role_help}"`
	Location []string `help:"Limit access to this location; may be repeated. Owners and admins have access to all."`
}

// Run creates a user.
func (c *userCreate) Run(ctx context.Context, cfg *app.Config, out io.Writer) error {
	password := c.Password
	if password == "" {
		password = identity.NewPassword()
	}
	return c.withAccount(ctx, cfg, func(op *services.Operator, account string) error {
		u, err := op.Accounts.CreateMember(ctx, account, lost.Membership{
			Email: c.Email, Name: c.Name, Role: lost.Role(c.Role), Locations: c.Location,
		}, password)
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
	User     string `arg:"" name:"email|id" help:"E-mail address of the user, or ID, usr_…"`
	DropCode bool   `name:"without-second-step" help:"Also turn off two-step login, if the device is lost."`
}

// Run creates a link for choosing a new password.
func (c *userReset) Run(ctx context.Context, cfg *app.Config, out io.Writer) error {
	return withOperator(ctx, cfg, func(op *services.Operator) error {
		email, err := c.email(ctx, op)
		if err != nil {
			return err
		}
		link, t, err := op.Profile.ResetLink(ctx, email, c.DropCode)
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

// email returns the e-mail address of the user, who may be identified by id and belong to any account.
func (c *userReset) email(ctx context.Context, op *services.Operator) (string, error) {
	if strings.Contains(c.User, "@") {
		return c.User, nil
	}
	accounts, err := op.Accounts.List(ctx)
	if err != nil {
		return "", err
	}
	for _, a := range accounts {
		u, err := findUser(ctx, op, a.ID, c.User)
		if err != nil || u.ID != "" {
			return u.Email, err
		}
	}
	return "", lost.Missing("user")
}

// findUser finds an account's user by id or e-mail address. If there is none, the returned user has no ID.
func findUser(ctx context.Context, op *services.Operator, account, name string) (lost.User, error) {
	users, err := op.Accounts.Users(ctx, account)
	if err != nil {
		return lost.User{}, err
	}
	for _, u := range users {
		if u.ID == name || lost.EmailKey(u.Email) == lost.EmailKey(name) {
			return u, nil
		}
	}
	return lost.User{}, nil
}

type userList struct {
	output
	accountFlag
}

// Run lists users.
func (c *userList) Run(ctx context.Context, cfg *app.Config, out io.Writer) error {
	return c.withAccount(ctx, cfg, func(op *services.Operator, account string) error {
		users, err := op.Accounts.Users(ctx, account)
		if err != nil {
			return err
		}
		return c.printList(out, rowsOf(users, userRow))
	})
}

type userSwitch struct {
	output
	accountFlag
	User string `arg:"" name:"id|email" help:"ID of the user, usr_…, or their e-mail address."`
}

// Run disables or enables a user.
func (c *userSwitch) Run(ctx context.Context, cfg *app.Config, out io.Writer, verb verb) error {
	return c.withAccount(ctx, cfg, func(op *services.Operator, account string) error {
		u, err := findUser(ctx, op, account, c.User)
		if err != nil {
			return err
		}
		if u.ID == "" {
			return lost.Missing("user")
		}
		u, err = op.Accounts.SetUserDisabled(ctx, account, u.ID, verb == "disable")
		if err != nil {
			return err
		}
		return c.print(out, userRow(u))
	})
}
