package app

import (
	"context"
	"fmt"
	"io"

	"homeward/internal/desk"
	"homeward/internal/lost"
)

type personCommand struct {
	Export personExport `cmd:"" help:"Write all that an account keeps of a guest or claimant, as JSON."`
	Erase  personErase  `cmd:"" help:"Remove a guest or claimant from an account, for good, and count what was removed."`
}

type personExport struct {
	ofAccount
	Person string `arg:"" name:"email|phone" help:"E-mail address, or phone number with + and country code."`
	File   string `arg:"" default:"-" help:"File to write, or - for the terminal."`
}

// personTyped reads who is meant. The words for callers of the API are not for the operator.
func personTyped(text string) (lost.PersonPatch, error) {
	who := lost.PersonTyped(text)
	if _, err := who.Person(); err != nil {
		return who, fmt.Errorf("%q is neither an e-mail address nor a phone number with + and country code, such as +4930123456", text)
	}
	return who, nil
}

// Run exports a person.
func (c *personExport) Run(ctx context.Context, cfg *Config, out io.Writer) error {
	who, err := personTyped(c.Person)
	if err != nil {
		return err
	}
	return c.with(ctx, cfg, func(d *desk.Desk, account string) error {
		export := func(w io.Writer) error { return d.ExportPerson(ctx, desk.Operator(account), who, w) }
		if c.File == "-" {
			return export(out)
		}
		return replaceFile(c.File, export)
	})
}

type personErase struct {
	output
	ofAccount
	Person string `arg:"" name:"email|phone" help:"E-mail address, or phone number with + and country code."`
}

// Run erases a person.
func (c *personErase) Run(ctx context.Context, cfg *Config, out io.Writer) error {
	who, err := personTyped(c.Person)
	if err != nil {
		return err
	}
	return c.with(ctx, cfg, func(d *desk.Desk, account string) error {
		e, err := d.ErasePersonHere(ctx, desk.Operator(account), who)
		if err != nil {
			return err
		}
		if c.JSON {
			return c.print(out, row{{"id", e.ID}, {"doneAt", e.DoneAt}, {"erased", e.Erased}})
		}
		_, err = fmt.Fprintf(out, "%s: %s\n", e.ID, e.Erased)
		if err == nil && e.Erased.Files > 0 {
			_, err = fmt.Fprintln(out, "the running service deletes the files; where none runs, the next one does")
		}
		return err
	})
}
