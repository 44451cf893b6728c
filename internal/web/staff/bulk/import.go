package bulk

import (
	"io"
	"net/http"
	"path"
	"strings"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// importPage is where a file is uploaded, and where earlier ones are found again.
type importPage struct {
	frame.Page
	At      string
	File    frame.Input
	Imports []lost.Import
	Zone    *time.Location
}

// askImport shows where to upload a file.
func (c *call) askImport() error { return c.presentImports(http.StatusOK, nil) }

func (c *call) presentImports(status int, wrong error) error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	p := importPage{Page: c.NewPage("Import items"), At: frame.LocationPath(l.ID, ""), Zone: l.Zone()}
	p.File = frame.Input{Name: "file", Label: "CSV file", Hint: "At most " + frame.Megabytes(desk.MaxImport) + " and " + frame.Thousands(desk.MaxRows) + " rows. You see what will happen before anything does.", Type: "file", Required: true}
	if p.Problems, err = frame.MarkErrors([]*frame.Input{&p.File}, wrong); err != nil {
		return err
	}
	if p.Imports, err = c.Desk.Imports(c.Context(), c.Actor(), l.ID); err != nil {
		return err
	}
	return c.Render(status, "import", p)
}

// stageImport takes a file, and leads on to what will become of it.
func (c *call) stageImport() error {
	const tooMuch = 5 * desk.MaxImport // what is larger than a file may be is read on: a browser shows the answer when it has sent all
	location := c.Request.PathValue("location")
	var m lost.Import
	file, name, done, err := c.spooledFile("file", tooMuch)
	if err == nil {
		defer done()
		m, err = c.Desk.StageImport(c.Context(), c.Actor(), location, name, file)
	}
	if len(lost.ProblemsOf(err)) > 0 {
		return c.presentImports(respond.Failed(c.Writer, err), err)
	}
	if err != nil {
		return err
	}
	return c.Redirect(frame.LocationPath(location, "/import/"+m.ID))
}

// spooledFile gives the file of a form and what the browser calls it, without the folders that some put before it. It lies on disk until done is called:
// files are read one after the other, and nobody is to wait for a slow phone.
func (c *call) spooledFile(name string, limit int64) (file io.Reader, called string, done func(), err error) {
	form, remove, err := c.MultipartForm(limit)
	if err != nil {
		return nil, "", nil, err
	}
	if len(form.File[name]) == 0 || form.File[name][0].Filename == "" {
		remove()
		var p lost.Problems
		p.Add(name, "required", "choose a file first")
		return nil, "", nil, p.Err()
	}
	opened, err := form.File[name][0].Open()
	if err != nil {
		remove()
		return nil, "", nil, err
	}
	done = func() { _ = opened.Close(); remove() }
	return opened, path.Base(strings.ReplaceAll(form.File[name][0].Filename, `\`, "/")), done, nil
}

// sheetPage tells of one import: what it will do, how far it is, what came of it.
type sheetPage struct {
	frame.Page
	At, Self string
	desk.ImportPreview
	Zone *time.Location
	Tell frame.Input
}

// Most tells whether more is wrong with a file than is listed.
func (p sheetPage) Most() bool { return len(p.Import.Problems) == lost.MaxRowProblems }

// Percent is how far the import is.
func (p sheetPage) Percent() int {
	if p.Total == 0 {
		return 0
	}
	return 100 * p.Done / p.Total
}

// showImport tells how an import stands.
func (c *call) showImport() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	preview, err := c.Desk.PreviewImport(c.Context(), c.Actor(), l.ID, c.Request.PathValue("import"))
	if err != nil {
		return err
	}
	var scripts []string
	if preview.State.Working() {
		scripts = []string{"import.js"}
	}
	p := sheetPage{Page: c.NewPage("Import "+preview.File, scripts...), At: frame.LocationPath(l.ID, ""), ImportPreview: preview, Zone: l.Zone()}
	p.Self = p.At + "/import/" + preview.ID
	p.Tell = frame.Input{Name: "tell", Label: "Write to the owners in the file: " + frame.Plural(preview.Owners, "e-mail or text message", "e-mails or text messages"), Type: "check",
		Hint: "Otherwise nobody is told. You can write to each of them later, from the page of the item."}
	return c.Render(http.StatusOK, "file", p)
}

// startImport says yes to an import.
func (c *call) startImport() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	return c.changeImport(c.Desk.StartImport(c.Context(), c.Actor(), c.Request.PathValue("location"), c.Request.PathValue("import"), values.Get("tell") != ""))
}

// cancelImport takes an import back.
func (c *call) cancelImport() error {
	return c.changeImport(c.Desk.CancelImport(c.Context(), c.Actor(), c.Request.PathValue("location"), c.Request.PathValue("import")))
}

// changeImport leads on to how an import stands. Whoever came too late sees there why.
func (c *call) changeImport(m lost.Import, err error) error {
	if lost.CodeOf(err) == lost.Conflict {
		c.Flash(lost.Detail(err))
		err = nil
	}
	if err != nil {
		return err
	}
	return c.Redirect(frame.LocationPath(c.Request.PathValue("location"), "/import/"+c.Request.PathValue("import")))
}
