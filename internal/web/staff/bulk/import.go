package bulk

import (
	"net/http"
	"path"
	"strings"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// importPage is the upload form with a list of earlier imports.
type importPage struct {
	frame.Page
	At      string
	File    frame.Input
	Ask     frame.Input
	Imports []lost.Import
	Zone    *time.Location
	Columns []columnHelp
}

// columnHelp explains columns of a file with the text of a key, which is empty if their names say enough.
type columnHelp struct {
	Names []string
	Text  string
}

// columns are the optional columns of a file.
var columns = []columnHelp{
	{[]string{"discoveryPlace", "discoveryDate"}, "bulk.import.columns.found"},
	{[]string{"brand", "model", "color", "notes"}, ""},
	{[]string{"storagePlace"}, "bulk.import.columns.stored"},
	{[]string{"owner.firstName", "owner.lastName", "owner.email", "owner.phone", "language"}, ""},
	{[]string{"status", "pickupDate", "pickupTime", "trackingNumber", "closed"}, ""},
	{[]string{"hold", "keepUntil"}, "bulk.import.columns.hold"},
	{[]string{"destination", "handover.at", "handover.idChecked"}, "bulk.import.columns.gone"},
	{[]string{"reference"}, "bulk.import.columns.reference"},
}

// askImport shows the upload form.
func (c *call) askImport() error { return c.presentImports(http.StatusOK, nil) }

func (c *call) presentImports(status int, wrong error) error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	p := importPage{Page: c.NewPage(c.Say("bulk.import.title")), At: frame.LocationPath(l.ID, ""), Zone: l.Zone(),
		Columns: columns}
	p.File = frame.Input{
		Name: "file", Label: c.Say("bulk.import.file"), Type: "file", Required: true,
		Hint: c.Say("bulk.import.file.hint", "size", frame.Megabytes(desk.MaxImport), "rows", desk.MaxRows),
	}
	p.Ask = frame.Input{
		Name: "ask", Label: c.Say("bulk.import.ask"), Type: "check", Hint: c.Say("bulk.import.ask.hint"),
	}
	if p.Problems, err = c.MarkErrors([]*frame.Input{&p.File}, wrong); err != nil {
		return err
	}
	if p.Imports, err = c.Services.Imports.List(c.Context(), c.Actor(), l.ID); err != nil {
		return err
	}
	return c.Render(status, "import", p)
}

// stageImport stores an uploaded file and redirects to its preview.
func (c *call) stageImport() error {
	// an upload that is too large is still read, because browsers show the response only after sending everything
	const maxUpload = 5 * desk.MaxImport
	location := c.Request.PathValue("location")
	var m lost.Import
	file, done, err := c.spooledFile("file", maxUpload)
	if err == nil {
		defer done()
		m, err = c.Services.Imports.Upload(c.Context(), c.Actor(), location, file)
	}
	if len(lost.ProblemsOf(err)) > 0 {
		return c.presentImports(respond.RecordError(c.Writer, err), err)
	}
	if err != nil {
		return err
	}
	return c.Redirect(frame.LocationPath(location, "/import/"+m.ID))
}

// spooledFile returns the uploaded file with its name without directories. It is stored on disk until done is called.
// It is received completely first, because imports are processed one at a time and should not wait for a slow
// upload.
func (c *call) spooledFile(name string, limit int64) (file desk.ItemFile, done func(), err error) {
	form, remove, err := c.MultipartForm(limit)
	if err != nil {
		return file, nil, err
	}
	if len(form.File[name]) == 0 || form.File[name][0].Filename == "" {
		remove()
		var p lost.Problems
		p.Add(name, "required", "choose a file first")
		return file, nil, p.Err()
	}
	opened, err := form.File[name][0].Open()
	if err != nil {
		remove()
		return file, nil, err
	}
	done = func() { _ = opened.Close(); remove() }
	return desk.ItemFile{
		Name: path.Base(strings.ReplaceAll(form.File[name][0].Filename, `\`, "/")), Content: opened,
		Known: knownHeadings, Ask: len(form.Value["ask"]) > 0,
	}, done, nil
}

// importDetailPage shows one import: its preview, progress or result.
type importDetailPage struct {
	frame.Page
	At, Self string
	desk.ImportPreview
	Zone   *time.Location
	Notify frame.Input
}

// Truncated reports whether the list of errors is incomplete.
func (p importDetailPage) Truncated() bool { return len(p.Import.Problems) == lost.MaxRowProblems }

// Percent returns the progress of the import as a percentage.
func (p importDetailPage) Percent() int {
	if p.Total == 0 {
		return 0
	}
	return 100 * p.Done / p.Total
}

// showImport shows the state of an import.
func (c *call) showImport() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	preview, err := c.Services.Imports.Preview(c.Context(), c.Actor(), l.ID, c.Request.PathValue("import"))
	if err != nil {
		return err
	}
	if preview.State == lost.ImportUnmapped {
		return c.askColumns(http.StatusOK, preview.Import, nil, nil)
	}
	var scripts []string
	if preview.State.Working() {
		scripts = []string{"import.js"}
	}
	p := importDetailPage{
		Page: c.NewPage(c.Say("bulk.file.title", "file", preview.File), scripts...), At: frame.LocationPath(l.ID, ""),
		ImportPreview: preview, Zone: l.Zone(),
	}
	p.Self = p.At + "/import/" + preview.ID
	p.Notify = frame.Input{
		Name: "tell", Label: c.Say("bulk.file.notify", "n", preview.Owners), Type: "check",
		Hint: c.Say("bulk.file.notify.hint"),
	}
	return c.Render(http.StatusOK, "file", p)
}

// startImport starts an import after the user has confirmed it.
func (c *call) startImport() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	return c.changeImport(c.Services.Imports.Start(c.Context(), c.Actor(), c.Request.PathValue("location"),
		c.Request.PathValue("import"), values.Get("tell") != ""))
}

// cancelImport cancels an import and removes the items that it has added.
func (c *call) cancelImport() error {
	return c.changeImport(c.Services.Imports.Cancel(c.Context(), c.Actor(), c.Request.PathValue("location"),
		c.Request.PathValue("import")))
}

// changeImport redirects to the page of an import that was started or canceled. If it was too late for that, the page
// shows why.
func (c *call) changeImport(m lost.Import, err error) error {
	if lost.CodeOf(err) == lost.Conflict {
		c.Flash(c.ErrorText(err))
		err = nil
	}
	if err != nil {
		return err
	}
	return c.Redirect(frame.LocationPath(c.Request.PathValue("location"), "/import/"+c.Request.PathValue("import")))
}
