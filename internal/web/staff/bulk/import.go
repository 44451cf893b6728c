package bulk

import (
	"net/http"
	"path"
	"slices"
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
	Usual   *frame.Input // the location of rows that name none; nil if the import is into one location
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

// locationColumn explains the column with the locations of the rows.
var locationColumn = columnHelp{[]string{desk.LocationColumn}, "bulk.import.columns.location"}

// askImport shows the upload form.
func (c *call) askImport() error { return c.presentImports(http.StatusOK, "", nil) }

// presentImports shows the upload form. usual is the location that was chosen for rows that name none.
func (c *call) presentImports(status int, usual string, wrong error) error {
	s, err := c.importScope()
	if err != nil {
		return err
	}
	p := importPage{Page: c.NewPage(c.Say("bulk.import.title")), At: s.Path(""), Zone: s.At.Zone(), Columns: columns}
	p.File = frame.Input{
		Name: "file", Label: c.Say("bulk.import.file"), Type: "file", Required: true,
		Hint: c.Say("bulk.import.file.hint", "size", frame.Megabytes(desk.MaxImport), "rows", desk.MaxRows),
	}
	p.Ask = frame.Input{
		Name: "ask", Label: c.Say("bulk.import.ask"), Type: "check", Hint: c.Say("bulk.import.ask.hint"),
	}
	inputs := []*frame.Input{&p.File}
	if s.All {
		p.Columns = append([]columnHelp{locationColumn}, columns...)
		if p.Usual, err = c.usualInput(usual); err != nil {
			return err
		}
		inputs = append(inputs, p.Usual)
	}
	if p.Problems, err = c.MarkErrors(inputs, wrong); err != nil {
		return err
	}
	if p.Imports, err = c.Services.Imports.List(c.Context(), c.Actor(), s.ID()); err != nil {
		return err
	}
	return c.Render(status, "import", p)
}

// usualInput returns the question to which location the rows go that name none.
func (c *call) usualInput(value string) (*frame.Input, error) {
	in := &frame.Input{
		Name: "location", Label: c.Say("bulk.import.location"), Type: "list", Value: value,
		Hint:    c.Say("bulk.import.location.hint"),
		Options: []frame.Option{{Name: c.Say("bulk.import.location.none")}},
	}
	all, err := c.Locations()
	for _, l := range all {
		in.Options = append(in.Options, frame.Option{Value: l.ID, Name: l.Name})
	}
	return in, err
}

// stageImport stores an uploaded file and redirects to its preview.
func (c *call) stageImport() error {
	// an upload that is too large is still read, because browsers show the response only after sending everything
	const maxUpload = 5 * desk.MaxImport
	s, err := c.importScope()
	if err != nil {
		return err
	}
	var m lost.Import
	file, done, err := c.spooledFile("file", maxUpload)
	if err == nil {
		defer done()
		m, err = c.Services.Imports.Upload(c.Context(), c.Actor(), s.ID(), file)
	}
	if len(lost.ProblemsOf(err)) > 0 {
		return c.presentImports(respond.RecordError(c.Writer, err), file.Location, err)
	}
	if err != nil {
		return err
	}
	return c.Redirect(s.Path("/import/" + m.ID))
}

// spooledFile returns the uploaded file with its name without directories. It is stored on disk until done is called.
// It is received completely first, because imports are processed one at a time and should not wait for a slow
// upload.
func (c *call) spooledFile(name string, limit int64) (file desk.ItemFile, done func(), err error) {
	form, remove, err := c.MultipartForm(limit)
	if err != nil {
		return file, nil, err
	}
	if chosen := form.Value["location"]; len(chosen) > 0 {
		file.Location = chosen[0]
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
	file.Name, file.Content = path.Base(strings.ReplaceAll(form.File[name][0].Filename, `\`, "/")), opened
	file.Known, file.Ask = knownHeadings, len(form.Value["ask"]) > 0
	return file, done, nil
}

// importDetailPage shows one import: its preview, progress or result.
type importDetailPage struct {
	frame.Page
	At, Self string
	desk.ImportPreview
	Zone   *time.Location
	Notify frame.Input
	Into   string            // name of the location; empty if each row has its own
	Names  map[string]string // of the locations of the first rows, by id
	Shown  []string          // names of the locations of the rows, or of the first of them
}

// maxShownLocations is the maximum number of locations that the page of an import names.
const maxShownLocations = 20

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
	s, err := c.importScope()
	if err != nil {
		return err
	}
	preview, err := c.Services.Imports.Preview(c.Context(), c.Actor(), s.ID(), c.Request.PathValue("import"))
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
		Page: c.NewPage(c.Say("bulk.file.title", "file", preview.File), scripts...), At: s.Path(""),
		ImportPreview: preview, Zone: s.At.Zone(),
	}
	if err := c.nameLocations(s, &p); err != nil {
		return err
	}
	p.Self = p.At + "/import/" + preview.ID
	p.Notify = frame.Input{
		Name: "tell", Label: c.Say("bulk.file.notify", "n", preview.Owners), Type: "check",
		Hint: c.Say("bulk.file.notify.hint"),
	}
	return c.Render(http.StatusOK, "file", p)
}

// nameLocations sets the names of the locations on the page of an import.
func (c *call) nameLocations(s frame.Scope, p *importDetailPage) (err error) {
	if !s.All {
		p.Into = s.At.Name
		return nil
	}
	shown := slices.Clone(p.First)
	for _, id := range p.Locations[:min(len(p.Locations), maxShownLocations)] {
		shown = append(shown, lost.Item{LocationID: id})
	}
	p.Names, err = frame.LocationNamesOf(c.Call, shown)
	for _, i := range shown[len(p.First):] {
		p.Shown = append(p.Shown, p.Names[i.LocationID])
	}
	slices.Sort(p.Shown)
	return err
}

// startImport starts an import after the user has confirmed it.
func (c *call) startImport() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	return c.changeImport(c.Services.Imports.Start(c.Context(), c.Actor(), c.importLocation(),
		c.Request.PathValue("import"), values.Get("tell") != ""))
}

// importScope returns the location of an import, or all locations, which the menu then opens too.
func (c *call) importScope() (frame.Scope, error) {
	if c.importLocation() == "" {
		return frame.ReadListScope(c.Call)
	}
	return frame.ReadScope(c.Call)
}

// importLocation returns the location in the URL. It is empty for all locations.
func (c *call) importLocation() string {
	if location := c.Request.PathValue("location"); location != frame.AllLocations {
		return location
	}
	return ""
}

// cancelImport cancels an import and removes the items that it has added.
func (c *call) cancelImport() error {
	return c.changeImport(c.Services.Imports.Cancel(c.Context(), c.Actor(), c.importLocation(),
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
