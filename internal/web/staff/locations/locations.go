package locations

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// locationsPage lists the locations.
type locationsPage struct {
	frame.Page
	Term      string
	Locations []lost.Location
	Total     string
	CanAdd    bool
	frame.Pager
}

// Kept says how long a location keeps items.
func (p locationsPage) Kept(l lost.Location) string {
	if l.StorageDuration == nil {
		return p.Locale.Say("locations.kept.forever")
	}
	return p.Locale.Say("locations.kept.days", "n", *l.StorageDuration)
}

func (c *call) allLocations() error {
	query := c.Request.URL.Query()
	p := locationsPage{
		Page: c.NewPage(c.Say("locations.title")), Term: lost.Truncate(query.Get("term"), lost.MaxTerm),
		CanAdd: c.Actor().MayManage() == nil,
	}
	list, err := c.Services.Locations.List(c.Context(), c.Actor(),
		lost.LocationFilter{Term: p.Term, Page: c.PageFromQuery(frame.ListLimit)})
	if err != nil {
		return err
	}
	if list.Page.Number == 1 && !list.More() { // otherwise the order of the database determines the pages
		list.Data = i18n.SortByName(c.Language, list.Data, func(l lost.Location) string { return l.Name })
	}
	p.Locations, p.Total, p.Pager = list.Data, c.Total(list.Total, "locations.count", "locations.count.or-more"),
		frame.NewPager(list, c.Request.URL, c.Say("frame.back"), c.Say("frame.more"))
	return c.Render(http.StatusOK, "locations", p)
}

// newLocationPage asks only for the most important settings. All others have defaults.
type newLocationPage struct {
	frame.Page
	Once   string
	First  bool // there is no location yet
	Inputs []*frame.Input
	Days   dayRows
}

// newReminders is the kind of reminders that the form for a new location asks for.
const newReminders = "reminders.afterNotice"

func newLocationInputs(lang frame.Locale, values url.Values) []*frame.Input {
	v := values.Get
	return []*frame.Input{
		{
			Name: "name", Label: lang.Say("locations.name"), Type: "text", Value: v("name"), Required: true,
			Focus: true, Hint: lang.Say("locations.new.name.hint"),
		},
		{
			Name: "type", Label: lang.Say("locations.about.type"), Type: "list",
			Value: cmp.Or(v("type"), string(lost.DefaultLocationType)), Options: typeOptions(lang), Required: true,
		},
		{
			Name: "country", Label: lang.Say("locations.address.country"), Type: "list", Value: v("country"),
			Options: lang.CountryOptions(), Hint: lang.Say("locations.new.country.hint"),
		},
		{
			Name: "timeZone", Label: lang.Say("locations.storage.time-zone"), Type: "text", Value: v("timeZone"),
			List: "zones", Hint: lang.Say("locations.new.time-zone.hint"),
		},
		{
			Name: "language", Label: lang.Say("locations.about.language"), Type: "list", Value: v("language"),
			Options: lang.LanguageOptions(v("language")), Hint: lang.Say("locations.about.language.hint"),
		},
		durationInput(lang, values),
		{
			Name: "contact.email", Label: lang.Say("locations.address.email"), Type: "email",
			Value: v("contact.email"), Hint: lang.Say("locations.new.email.hint"),
		},
	}
}

// defaultLocation returns the defaults of a new location. The form shows them so that users can change them. Country,
// time zone and language are those of the user's location or, without one, what the browser says.
func (c *call) defaultLocation() (url.Values, error) {
	values := url.Values{
		"storageDuration": {"90"}, newReminders: {"3", "7"}, "language": {c.Locale.Tag()},
		"country": {i18n.CountryOf(c.Request.Header.Get("Accept-Language"))},
	}
	usual, err := c.UsualLocation()
	if err == nil && usual.Country != "" {
		values.Set("country", usual.Country)
		values.Set("timeZone", usual.TimeZone)
	}
	if err == nil && usual.ID != "" {
		values.Set("language", usual.Language)
	}
	return values, err
}

func (c *call) askLocation() error {
	values, err := c.defaultLocation()
	if err != nil {
		return err
	}
	return c.presentNewLocation(http.StatusOK, values, nil)
}

func (c *call) presentNewLocation(status int, values url.Values, wrong error) (err error) {
	all, err := c.Locations()
	if err != nil {
		return err
	}
	p := newLocationPage{
		Page: c.NewPage(c.Say("locations.add")), Once: cmp.Or(values.Get("once"), frame.NewFormKey()),
		First: len(all) == 0, Inputs: newLocationInputs(c.Locale, values),
		Days: newDayRows(c.Locale, values, newReminders, "locations.new.reminders", "locations.new.reminders.hint"),
	}
	if p.Problems, err = c.MarkErrors(slices.Concat(p.Inputs, p.Days.inputs()), wrong); err != nil {
		return err
	}
	return c.Render(status, "location-new", p)
}

func (c *call) addLocation() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	if changeRows(values) {
		return c.presentNewLocation(http.StatusOK, values, nil)
	}
	patch := lost.LocationPatch{
		Name: lost.Set(values.Get("name")), Type: respond.FormText(values, "type"),
		Country: respond.FormText(values, "country"), TimeZone: respond.FormText(values, "timeZone"),
		Language: respond.FormText(values, "language"),
		Contact:  lost.Set(lost.ContactPatch{Email: respond.FormText(values, "contact.email")}),
	}
	if zone := lost.ZoneOf(values.Get("country")); values.Get("timeZone") == "" && zone != "" {
		patch.TimeZone = lost.Set(zone)
	}
	patch.Reminders = lost.Set(lost.ReminderSchedulePatch{
		AfterNotice: readDays(values, newReminders, &patch.Problems),
	})
	if values.Get("storageDuration") != "" {
		patch.StorageDuration = wholeNumber[int](values, "storageDuration", &patch.Problems)
	}
	l, err := c.Services.Locations.Create(c.Context(), c.Actor(), patch, frame.FormKey(values, "location"))
	if lost.CodeOf(err) == lost.Invalid {
		return c.presentNewLocation(respond.RecordError(c.Writer, err), values, err)
	}
	if err != nil {
		return err
	}
	frame.UseLocation(c.Call, l.ID)
	c.Flash(c.Say("locations.new.done", "location", l.Name))
	return c.Redirect("/locations/" + l.ID + "?new=yes")
}

// locationPage is one page of a location's settings.
type locationPage struct {
	frame.Page
	Location  lost.Location
	New       bool // the location was added just now
	Part      string
	Tabs      []frame.Link
	Inputs    []*frame.Input
	Fees      *feeTable          // nil on other pages
	Days      []dayRows          // of reminders; nil on other pages
	Lead      string             // a key; empty if there is no text
	Example   bool               // the prices are examples
	Inherited lost.PrivacyNotice // the account's privacy notice, if guests of the location see it
	Outside   closedPickups      // the planned pick-ups outside the opening hours
	Stays     *guestLookup       // nil on other pages, like Assistant
	Assistant *photoAssistant
	Keeping   *ruleTable // nil on other pages
	Offered   string     // the country whose presets a new location can use; empty if there are none
	HasFeed   bool       // a calendar program can read the pick-ups
	PublicURL string
	// the address for people, in which letters of other scripts are not encoded
	PublicText string
	Embed      string
	Frame      string
	Refused    string           // why the location cannot be deleted now; empty if it can
	Confirm    frame.Input      // the input for the location's name, which confirms the deletion
	Seen       string           // a digest of the values in the form
	Conflict   bool             // somebody else changed the location in the meantime
	Now        []frame.ItemFact // the current values
}

func (c *call) locationPart() error { return c.presentLocation(http.StatusOK, nil, nil) }

func (c *call) presentLocation(status int, values url.Values, wrong error) error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	name := cmp.Or(c.Request.PathValue("part"), locationParts[0].path)
	n := slices.IndexFunc(locationParts, func(p settingsPart) bool { return p.path == name })
	if n < 0 {
		return frame.NotFound(c.Call)
	}
	part := locationParts[n]
	stored := part.show(l)
	digest := frame.FormDigest(stored)
	localNumbers(c.Locale, stored)
	if part.path == hoursPart {
		setClosures(stored, l.Closures, c.ShortDateYear)
	}
	if values == nil {
		values = stored
	}
	p := locationPage{
		Page: c.NewPage(l.Name), Location: l, Part: part.path, Lead: part.lead, Inputs: part.inputs(c.Locale, values),
		New: c.Request.URL.Query().Get("new") != "",
	}
	p.Offered = c.offeredCountry(p)
	inputs, err := c.addPart(&p, values)
	if err != nil {
		return err
	}
	p.Seen = cmp.Or(values.Get("seen"), digest)
	if p.Conflict = lost.CodeOf(wrong) == lost.Conflict; p.Conflict {
		p.Now = changedFields(c.Locale, inputs, stored, values)
		if p.Keeping != nil {
			p.Now = ruleFacts(c.Locale, l)
		}
		p.Seen, wrong = digest, nil
	}
	for _, other := range locationParts {
		p.Tabs = append(p.Tabs,
			frame.Link{
				Name: c.Say(other.name), Href: "/locations/" + l.ID + "/" + other.path,
				Current: other.path == part.path,
			})
	}
	p.PublicURL = c.Base.String() + "/l/" + url.PathEscape(l.Permalink)
	p.PublicText = c.Base.String() + "/l/" + l.Permalink
	p.Embed = `<script src="` + p.PublicURL + `/embed.js" async></script>`
	p.Frame = "/l/" + url.PathEscape(l.Permalink) + "?embed=1"
	p.Confirm = frame.Input{
		Name: "confirm", Label: c.Say("locations.delete.confirm"), Type: "text", Required: true,
		Autocomplete: "off",
	}
	if p.Problems, err = c.MarkErrors(append(inputs, &p.Confirm,
		&frame.Input{Name: "logo", Label: c.Say("locations.page.logo")}), wrong); err != nil {
		return err
	}
	return c.Render(status, "location", p)
}

// addPart adds what only one of the pages shows, and returns the inputs of the page.
func (c *call) addPart(p *locationPage, values url.Values) (inputs []*frame.Input, err error) {
	inputs = slices.Clone(p.Inputs)
	switch p.Part {
	case privacyPart:
		p.Inherited, err = c.inheritedPrivacy(p.Location)
	case deletePart:
		p.Refused, err = c.whyNotDeleted(p.Location)
	case shippingPart:
		p.Example = p.Location.Shipping == nil
		cells, err := c.addFees(p, values)
		return append(inputs, cells...), err
	case hoursPart:
		if p.Outside, err = c.pickupsWhileClosed(p.Location); err != nil {
			return nil, err
		}
		p.HasFeed, err = c.Services.Locations.HasFeed(c.Context(), c.Actor(), p.Location.ID)
	case staysPart:
		return c.addStays(p, values)
	case assistantPart:
		err = c.addAssistant(p)
	case keepingPart:
		p.Keeping = newRuleTable(c.Locale, values, p.Location)
		return append(inputs, p.Keeping.inputs()...), nil
	case remindersPart:
		for _, step := range reminderSteps {
			days := newDayRows(c.Locale, values, step.name, step.label, step.hint)
			p.Days, inputs = append(p.Days, days), append(inputs, days.inputs()...)
		}
	}
	return inputs, err
}

func (c *call) saveLocationPart() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	n := slices.IndexFunc(locationParts, func(p settingsPart) bool { return p.path == c.Request.PathValue("part") })
	if n < 0 || locationParts[n].patch == nil {
		return frame.NotFound(c.Call)
	}
	part := locationParts[n]
	l, err := c.Location()
	if err != nil {
		return err
	}
	if changeRows(values) || part.path == hoursPart && c.repeatClosures(l, values) {
		return c.presentLocation(http.StatusOK, values, nil)
	}
	if part.path == keepingPart {
		return c.saveKeeping(values)
	}
	if part.path == shippingPart && values.Has(exampleButton) {
		_, err := c.exampleText(values)
		return c.presentLocation(http.StatusOK, values, err)
	}
	patch := part.patch(c.Locale, values)
	if seen := values.Get("seen"); seen != "" {
		patch.Same = func(l lost.Location) bool { return frame.FormDigest(part.show(l)) == seen }
	}
	_, err = c.Services.Locations.Update(c.Context(), c.Actor(), c.Request.PathValue("location"), patch)
	if code := lost.CodeOf(err); code == lost.Invalid || code == lost.Conflict {
		return c.presentLocation(respond.RecordError(c.Writer, err), values, err)
	}
	if err != nil {
		return err
	}
	c.Flash(c.Say("locations.saved"))
	return c.Redirect("/locations/" + c.Request.PathValue("location") + "/" + part.path)
}

// deletePart is the path of the page that deletes the location.
const deletePart = "delete"

// whyNotDeleted returns the reason why the location cannot be deleted now, or an empty string if it can.
func (c *call) whyNotDeleted(l lost.Location) (string, error) {
	err := c.Services.Locations.CheckDelete(c.Context(), c.Actor(), l.ID)
	if lost.CodeOf(err) == lost.Conflict {
		return c.ErrorText(err), nil
	}
	return "", err
}

func (c *call) deleteLocation() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	l, err := c.Location()
	if err != nil {
		return err
	}
	if wrong := frame.CheckConfirmation(values, "confirm", l.Name); wrong != nil {
		c.Request.SetPathValue("part", deletePart)
		return c.presentLocation(respond.RecordError(c.Writer, wrong), nil, wrong)
	}
	err = c.Services.Locations.Delete(c.Context(), c.Actor(), l.ID)
	if lost.CodeOf(err) == lost.Conflict {
		c.Request.SetPathValue("part", deletePart)
		return c.presentLocation(respond.RecordError(c.Writer, err), nil, nil)
	}
	if err != nil {
		return err
	}
	c.Flash(c.Say("locations.delete.done", "location", l.Name))
	return c.Redirect("/locations")
}
