package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"homeward/internal/app"
	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/services"
)

type personCommand struct {
	Export personExport `cmd:"" help:"Export all data that an account has about a guest or claimant, as JSON."`
	Erase  personErase  `cmd:"" help:"Erase a guest or claimant from an account permanently."`
}

type personExport struct {
	accountFlag
	Person string `arg:"" name:"email|phone" help:"E-mail address, or phone number with country code."`
	File   string `arg:"" default:"-" help:"File to write, or - for standard output."`
}

// parsePerson parses an e-mail address or phone number. Its error is worded for operators, not for API clients.
func parsePerson(ctx context.Context, op *services.Operator, account, text string) (lost.PersonPatch, error) {
	who := lost.ParsePerson(text)
	if _, err := op.People.Identify(ctx, identity.Operator(account), who); err != nil {
		if lost.CodeOf(err) != lost.Invalid {
			return who, err
		}
		return who, fmt.Errorf("%q is neither an e-mail address nor a phone number with + and country code, "+
			"such as +4930123456", text)
	}
	return who, nil
}

// Run exports a person's data.
func (c *personExport) Run(ctx context.Context, cfg *app.Config, out io.Writer) error {
	return c.withAccount(ctx, cfg, func(op *services.Operator, account string) error {
		who, err := parsePerson(ctx, op, account, c.Person)
		if err != nil {
			return err
		}
		export := func(w io.Writer) error { return op.People.ExportPerson(ctx, identity.Operator(account), who, w) }
		if c.File == "-" {
			return export(out)
		}
		return replaceFile(c.File, export)
	})
}

type personErase struct {
	output
	accountFlag
	Yes    bool   `help:"Erase without asking. On a terminal, the command asks first."`
	Person string `arg:"" name:"email|phone" help:"E-mail address, or phone number with country code."`
}

// Run erases a person's data.
func (c *personErase) Run(ctx context.Context, cfg *app.Config, out io.Writer, status statusWriter) error {
	return c.withAccount(ctx, cfg, func(op *services.Operator, account string) error {
		who, err := parsePerson(ctx, op, account, c.Person)
		if err != nil {
			return err
		}
		if !c.Yes && app.IsTerminal(os.Stdin) {
			if err := c.confirm(ctx, op, account, who, status); err != nil {
				return err
			}
		}
		e, err := op.People.EraseNow(ctx, identity.Operator(account), who)
		if err != nil {
			return err
		}
		if c.JSON {
			return c.print(out, row{{"id", e.ID}, {"doneAt", e.DoneAt}, {"erased", e.Erased}})
		}
		if _, err = fmt.Fprintf(out, "%s: %s\n", e.ID, e.Erased); err != nil {
			return err
		}
		if e.Erased.Files > 0 {
			_, err = fmt.Fprintln(out,
				"the running service deletes the files; if it is stopped, it deletes them when it next starts")
		}
		return err
	})
}

// confirm asks the operator whether to erase the person.
func (c *personErase) confirm(ctx context.Context, op *services.Operator, account string, who lost.PersonPatch,
	status statusWriter) error {
	found, err := op.People.FindPerson(ctx, identity.Operator(account), who)
	if err != nil {
		return err
	}
	status.printf("This erases %s from the account %s, with %d items and requests. It cannot be undone.\n"+
		"Enter yes to confirm:", c.Person, account, found.Records.Count)
	answer, _ := bufio.NewReader(os.Stdin).ReadString('\n') // at the end of the input, the answer is empty
	if strings.TrimSpace(answer) != "yes" {
		return errors.New("nothing was erased")
	}
	return nil
}
