package app

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"homeward/internal/desk"
	"homeward/internal/lost"
)

// ofLocation says which location a command is about.
type ofLocation struct {
	ofAccount
	Location string `required:"" placeholder:"ID" help:"Id of the location, loc_…"`
}

type exportCommand struct {
	ofLocation
	Status []string `help:"Only items with this status, such as PENDING; may be given more than once."`
	Source string   `enum:",found,request" default:"" help:"Only what was found, or only requests (found, request)."`
	Term   string   `help:"Only items that this text is found in."`
	From   string   `placeholder:"DATE" help:"Only items found on this day or later, YYYY-MM-DD."`
	To     string   `placeholder:"DATE" help:"Only items found on this day or before, YYYY-MM-DD."`
	Excel  bool     `help:"Begin with a mark by which Excel knows that the text is UTF-8."`
	File   string   `arg:"" help:"File to write, or - for the terminal."`
}

// Run exports items.
func (c *exportCommand) Run(ctx context.Context, cfg *Config, out io.Writer) error {
	f, err := c.filter()
	if err != nil {
		return err
	}
	return c.with(ctx, cfg, func(d *desk.Desk, account string) error {
		export := func(w io.Writer) error { return d.Export(ctx, desk.Operator(account), c.Location, f, c.Excel, w) }
		if c.File == "-" {
			return export(out)
		}
		return replaceFile(c.File, export)
	})
}

func (c *exportCommand) filter() (lost.ItemFilter, error) {
	f := lost.ItemFilter{Term: c.Term, Source: lost.Source(c.Source), From: c.From, To: c.To}
	for _, s := range c.Status {
		move, err := (lost.MovePatch{Status: lost.Set(s)}).Move()
		if err != nil {
			return f, err
		}
		f.Statuses = append(f.Statuses, move.To)
	}
	for _, date := range []string{c.From, c.To} {
		if _, ok := lost.ParseDate(date); date != "" && !ok {
			return f, errors.New("--from and --to take a date that exists, written YYYY-MM-DD")
		}
	}
	return f, nil
}

// replaceFile writes a file under a name of its own beside the one that is wanted, and puts it there when it is whole and on the disk: of two that write at the same
// time, the last one's is there whole. It holds names and addresses: nobody else may read it.
func replaceFile(name string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.part")
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	folder, err := os.Open(filepath.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

type importCommand struct {
	ofLocation
	DryRun     bool   `help:"Check the file and say what is wrong with it; import nothing."`
	SkipBad    bool   `help:"Leave out the rows that are not right and import the others."`
	TellOwners bool   `help:"Have the owners in the file told, as if their items had just been recorded. The running service does so."`
	File       string `arg:"" help:"File to read, or - for standard input."`
}

// Run imports items: all of the file, or nothing.
func (c *importCommand) Run(ctx context.Context, cfg *Config, out io.Writer) error {
	content, err := readWhole(c.File)
	if err != nil {
		return err
	}
	return c.with(ctx, cfg, func(d *desk.Desk, account string) error {
		by := desk.Operator(account)
		if err := c.check(ctx, d, by, content, out); err != nil || c.DryRun {
			return err
		}
		m, err := d.StageImport(ctx, by, c.Location, filepath.Base(c.File), bytes.NewReader(content))
		if err != nil {
			return err
		}
		p, err := d.PreviewImport(ctx, by, c.Location, m.ID)
		if err != nil {
			return err
		}
		for _, same := range p.Same {
			_, _ = fmt.Fprintf(out, "the same file was imported before, on %s\n", same.CreatedAt.Format("2006-01-02 15:04"))
		}
		return c.run(ctx, d, by, m, out)
	})
}

// readWhole reads a file as far as a file that is taken can be.
func readWhole(name string) ([]byte, error) {
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

// check says of every row that is not right what is wrong with it, and how many there are of both.
func (c *importCommand) check(ctx context.Context, d *desk.Desk, by lost.Actor, content []byte, out io.Writer) error {
	m, err := d.CheckImport(ctx, by, c.Location, bytes.NewReader(content), func(p lost.RowProblem) {
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
		_, _ = fmt.Fprintf(out, "column %q is not known and not taken over\n", heading)
	}
	_, _ = fmt.Fprintf(out, "%d of %d rows can be imported\n", m.Total, m.Total+m.Bad)
	if m.Bad > 0 && !c.SkipBad {
		return errors.New("nothing was imported: mend the rows above, or leave them out with --skip-bad")
	}
	return nil
}

// run makes items of the rows. Whoever ends it on the way has imported nothing; where the process itself is ended, the service goes on with it.
func (c *importCommand) run(ctx context.Context, d *desk.Desk, by lost.Actor, m lost.Import, out io.Writer) error {
	m, err := d.StartImport(ctx, by, c.Location, m.ID, c.TellOwners)
	for err == nil && m.State == lost.ImportRunning {
		if _, err = d.RunImport(ctx, m.Account, m.ID); err == nil {
			m, err = d.Import(ctx, by, c.Location, m.ID)
		}
	}
	switch {
	case err != nil:
		return errors.Join(err, takeBack(context.WithoutCancel(ctx), d, by, c.Location, m.ID))
	case m.State == lost.ImportFailed || m.State == lost.ImportStopping || m.State == lost.ImportCancelled:
		return errors.Join(errors.New(cmp.Or(m.Why, "somebody cancelled it")), takeBack(context.WithoutCancel(ctx), d, by, c.Location, m.ID))
	}
	_, err = fmt.Fprintf(out, "imported %d items\n", m.Total)
	if m.State == lost.ImportTelling {
		_, err = fmt.Fprintf(out, "their %d owners are told by the service, as soon as it runs\n", m.Owners)
	}
	return err
}

// takeBack removes what an import has left so far and nobody has worked on, and says so.
func takeBack(ctx context.Context, d *desk.Desk, by lost.Actor, location, id string) error {
	m, err := d.CancelImport(ctx, by, location, id)
	for more := true; err == nil && more; {
		more, err = d.RunImport(ctx, m.Account, id)
	}
	if err == nil {
		m, err = d.Import(ctx, by, location, id)
	}
	switch {
	case err != nil:
		return err
	case m.Stayed > 0:
		return fmt.Errorf("%d items were taken back; %d stayed, because somebody had worked on them", m.TakenBack, m.Stayed)
	default:
		return errors.New("nothing was imported")
	}
}
