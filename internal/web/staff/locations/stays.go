package locations

import (
	"cmp"
	"fmt"
	"io"
	"mime/multipart"
	"net/url"
	"slices"
	"strconv"

	"homeward/internal/lost"
	"homeward/internal/lost/stay"
	"homeward/internal/stays"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// staysPart is the path of the page with the guest look-up.
const staysPart = "stays"

// The names of the fields of the page with the guest look-up. The others are the names of the settings of a connection.
const (
	systemField  = "system"
	listField    = "file"
	daysField    = "days"
	replaceField = "replace"
)

// guestLookup is the content of the page with the guest look-up.
type guestLookup struct {
	stays.Settings
	System  stay.System    // the system whose form is shown; empty for none
	Systems []frame.Option // the systems that can be connected
	Inputs  []*frame.Input
	Tested  string // the time of the last test; empty if there was none
	Problem string // of the last test; empty if it succeeded
	File    frame.Input
	Days    frame.Input
	Replace frame.Input
	Lists   []string // the guest lists, as text
}

// addStays adds the guest look-up to the page, and returns its inputs.
func (c *call) addStays(p *locationPage, values url.Values) ([]*frame.Input, error) {
	settings, err := c.Services.Stays.Get(c.Context(), c.Actor(), p.Location.ID)
	if err != nil {
		return nil, err
	}
	g := &guestLookup{Settings: settings}
	chosen := cmp.Or(values.Get(systemField), c.Request.URL.Query().Get(systemField),
		string(settings.Connection.System))
	for _, s := range stay.Systems() {
		g.Systems = append(g.Systems, frame.Option{Value: string(s), Name: s.Name()})
		if chosen == string(s) {
			g.System = s
		}
	}
	for _, s := range g.System.Settings() {
		g.Inputs = append(g.Inputs, c.settingInput(s, values, settings, g.System))
	}
	if at := settings.Connection.TestedAt; !at.IsZero() {
		g.Tested = c.Moment(at, p.Location.Zone())
		if problem := settings.Connection.Problem; problem != "" {
			g.Problem = c.Say("stays.problem." + string(problem))
		}
	}
	for _, l := range settings.Lists {
		g.Lists = append(g.Lists, c.Say("stays.list.item", "n", l.Rows,
			"from", c.Moment(l.CreatedAt, p.Location.Zone()), "until", c.Moment(l.ExpiresAt, p.Location.Zone())))
	}
	c.addListInputs(g, values)
	p.Stays = g
	return append(g.Inputs, &g.File, &g.Days), nil
}

func (c *call) settingInput(s stay.Setting, values url.Values, settings stays.Settings,
	system stay.System) *frame.Input {
	in := &frame.Input{
		Name: s.Name, Label: c.Say("stays.setting." + s.Name), Type: "text", Autocomplete: "off",
		Required: !s.Optional, Value: values.Get(s.Name),
	}
	same := settings.Connected && settings.Connection.System == system
	switch {
	case s.Secret:
		in.Type, in.Value, in.Autocomplete = "password", "", "new-password" // never shown again
		if same && settings.Connection.System != "" {
			in.Hint, in.Required = c.Say("stays.secret.hint"), false
		}
	case in.Value == "" && same:
		in.Value = settings.Connection.Value(s.Name)
	case in.Value == "":
		in.Value = s.Default
	}
	return in
}

func (c *call) addListInputs(g *guestLookup, values url.Values) {
	g.File = frame.Input{
		Name: listField, Label: c.Say("stays.list.file"), Type: "file", Accept: ".csv,text/csv", Required: true,
		Hint: c.Say("stays.list.file.hint", "n", stay.MaxListRows, "size", frame.Megabytes(stay.MaxListBytes)),
	}
	g.Days = frame.Input{
		Name: daysField, Label: c.Say("stays.list.days"), Type: "number", Min: "1", Max: strconv.Itoa(stay.MaxKept),
		Value: cmp.Or(values.Get(daysField), strconv.Itoa(stay.DefaultKept)), Narrow: true, Keyboard: "numeric",
		Required: true, Hint: c.Say("stays.list.days.hint", "n", stay.MaxKept),
	}
	g.Replace = frame.Input{
		Name: replaceField, Label: c.Say("stays.list.replace"), Type: "check",
		Value: checkboxValue(values.Get(daysField) == "" || values.Has(replaceField)),
	}
}

// showStays redirects to the page with the guest look-up.
func (c *call) showStays() error {
	return c.Redirect("/locations/" + c.Request.PathValue("location") + "/" + staysPart)
}

// refuseStays shows the page again with the errors of a form.
func (c *call) refuseStays(values url.Values, err error) error {
	c.Request.SetPathValue("part", staysPart)
	return c.presentLocation(respond.RecordError(c.Writer, err), values, err)
}

// connectStays connects the location to a hotel system, and tests the connection.
func (c *call) connectStays() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	location, settings := c.Request.PathValue("location"), map[string]string{}
	system := stay.System(values.Get(systemField))
	for _, s := range system.Settings() {
		settings[s.Name] = values.Get(s.Name)
	}
	err = c.Services.Stays.Connect(c.Context(), c.Actor(), location, system, settings)
	if lost.CodeOf(err) == lost.Invalid {
		return c.refuseStays(values, err)
	}
	if err != nil {
		return err
	}
	return c.testStays()
}

// testStays tests the connection of the location.
func (c *call) testStays() error {
	tested, err := c.Services.Stays.Test(c.Context(), c.Actor(), c.Request.PathValue("location"))
	if err != nil {
		return err
	}
	if tested.Problem == "" {
		c.Flash(c.Say("stays.test.done", "system", tested.System.Name()))
	}
	return c.showStays()
}

// disconnectStays deletes the connection of the location.
func (c *call) disconnectStays() error {
	if err := c.Services.Stays.Disconnect(c.Context(), c.Actor(), c.Request.PathValue("location")); err != nil {
		return err
	}
	c.Flash(c.Say("stays.disconnected"))
	return c.showStays()
}

// uploadGuests stores a guest list.
func (c *call) uploadGuests() error {
	form, done, err := c.MultipartForm(stay.MaxListBytes)
	if lost.CodeOf(err) == lost.TooLarge {
		return c.refuseList(url.Values{}, err, nil)
	}
	if err != nil {
		return err
	}
	defer done()
	values := url.Values(form.Value)
	content, err := readGuestFile(form.File[listField])
	days, wrong := strconv.Atoi(values.Get(daysField))
	if wrong != nil {
		days = 0 // out of range
	}
	var out stays.Uploaded
	if err == nil {
		out, err = c.Services.Stays.AddList(c.Context(), c.Actor(), c.Request.PathValue("location"), stays.Upload{
			Content: content, Days: days, Replace: values.Has(replaceField),
		})
	}
	switch lost.CodeOf(err) {
	case lost.Invalid, lost.Conflict, lost.TooMany:
		return c.refuseList(values, err, out.Unknown)
	}
	if err != nil {
		return err
	}
	c.Flash(c.Say("stays.list.done", "n", out.Rows))
	warning := ""
	if out.Skipped > 0 {
		warning = c.Say("stays.list.skipped", "n", out.Skipped)
	}
	if len(out.Unknown) > 0 {
		warning = c.Sentences(warning, c.columnsText(out.Unknown))
	}
	if warning != "" {
		c.FlashWarning(warning)
	}
	return c.showStays()
}

// refuseList shows the page again with the reason why a guest list was not stored, and what to do.
func (c *call) refuseList(values url.Values, err error, unknown []string) error {
	c.Request.SetPathValue("part", staysPart)
	return c.presentLocation(respond.RecordError(c.Writer, err), values, c.explainList(err, unknown))
}

// explainList returns an error about a field of the form for the error of an upload.
func (c *call) explainList(err error, unknown []string) error {
	var problem lost.FieldError
	if all := lost.ProblemsOf(err); len(all) > 0 {
		problem = all[0]
	}
	switch {
	case lost.CodeOf(err) == lost.TooLarge || problem.Code == "too-large":
		return c.NewFieldError(listField, c.Say("stays.list.too-large", "size", frame.Megabytes(stay.MaxListBytes)))
	case lost.CodeOf(err) == lost.TooMany:
		return c.NewFieldError(listField, c.ErrorText(err))
	case lost.ReasonOf(err) == lost.LimitReached:
		return c.NewFieldError(listField, c.Say("stays.list.limit", "n", stay.MaxStoredRows, "lists", stay.MaxLists))
	case lost.CodeOf(err) == lost.Conflict:
		return c.NewFieldError(listField, c.Say("stays.list.gone"))
	case problem.Field == daysField:
		return c.NewFieldError(daysField, c.Say("stays.list.days.range", "n", stay.MaxKept))
	case slices.Contains([]string{"no-room", "no-departure", "no-address", "no-guests"}, problem.Code):
		return c.NewFieldError(listField,
			c.Sentences(c.Say("stays.list.refused."+problem.Code), c.columnsText(unknown)))
	default:
		return err
	}
}

// Limits of the unknown headings that are shown. A message to the next page must fit into a cookie.
const (
	maxHeadings = 5
	maxHeading  = 30
)

// columnsText names the columns that are expected, and the headings of a guest list that are not known.
func (c *call) columnsText(unknown []string) string {
	expected := c.Say("stays.list.columns")
	if len(unknown) == 0 {
		return expected
	}
	var shown []string
	for _, heading := range unknown[:min(len(unknown), maxHeadings)] {
		shown = append(shown, c.Say("frame.quoted", "text", lost.Shorten(heading, maxHeading)))
	}
	if len(unknown) > maxHeadings {
		shown = append(shown, "…")
	}
	return c.Sentences(c.Say("stays.list.unknown", "headings", c.Enumerate(shown...)), expected)
}

// readGuestFile reads the uploaded file. It returns an error if there is none.
func readGuestFile(files []*multipart.FileHeader) ([]byte, error) {
	if len(files) == 0 || files[0].Size == 0 {
		var p lost.Problems
		p.Add(listField, "required", "choose a file first")
		return nil, p.Err()
	}
	file, err := files[0].Open()
	if err != nil {
		return nil, fmt.Errorf("open an uploaded file: %w", err)
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, stay.MaxListBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read an uploaded file: %w", err)
	}
	return content, nil
}

// removeGuests deletes the guest lists of the location.
func (c *call) removeGuests() error {
	if err := c.Services.Stays.RemoveLists(c.Context(), c.Actor(), c.Request.PathValue("location")); err != nil {
		return err
	}
	c.Flash(c.Say("stays.list.removed"))
	return c.showStays()
}
