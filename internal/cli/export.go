package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"homeward/internal/app"
	"homeward/internal/desk"
	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/services"
)

type exportCommand struct {
	accountFlag
	Location string `placeholder:"ID" help:"ID of the location, loc_…; without it, the items of all locations."`

	Status []string `help:"Only items with this status, such as PENDING; may be repeated."`
	Source string   `enum:",found,request" default:"" help:"Only found items, or only requests (found, request)."`
	Term   string   `help:"Only items that contain this text."`
	From   string   `placeholder:"DATE" help:"Only items found on this day or later, YYYY-MM-DD."`
	To     string   `placeholder:"DATE" help:"Only items found on this day or earlier, YYYY-MM-DD."`
	Excel  bool     `help:"Begin with a byte order mark, so that Excel recognizes UTF-8."`
	File   string   `arg:"" help:"File to write, or - for standard output."`
}

// Run exports items.
func (c *exportCommand) Run(ctx context.Context, cfg *app.Config, out io.Writer) error {
	f, err := c.filter()
	if err != nil {
		return err
	}
	return c.withAccount(ctx, cfg, func(op *services.Operator, account string) error {
		export := func(w io.Writer) error {
			return op.Imports.Export(ctx, identity.Operator(account), c.Location, f, desk.Layout{Mark: c.Excel}, w)
		}
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
			return f, errors.New("--from and --to must be real dates in the format YYYY-MM-DD")
		}
	}
	return f, nil
}

// replaceFile writes to a temporary file in the same folder and renames it once it is complete and on disk. If two
// processes write at the same time, one complete file remains. Only its owner can read the file, because it contains
// personal data.
func replaceFile(name string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.part")
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the folder %s does not exist", filepath.Dir(name))
	}
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
