package settings

import (
	"net/http"
	"net/url"

	"homeward/internal/lost"
	"homeward/internal/privacy"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

type personsPage struct {
	settingsPage
	Person    frame.Input
	confirmed bool // the user has confirmed the erasure
	// says how many items and requests will be erased; empty unless the page asks for confirmation
	Affected string
	Found    privacy.FoundPerson // the person to erase
	Erasures []lost.Erasure
}

func (c *call) personsPage(values url.Values) (p personsPage, err error) {
	p = personsPage{settingsPage: newSettingsPage(c.Call, c.Say("settings.persons")), Person: frame.Input{
		Name: "person", Label: c.Say("settings.persons.person"), Hint: c.Say("settings.persons.person.hint"),
		Type: "text", Value: values.Get("person"), Required: true, Autocomplete: "off",
	}}
	p.confirmed = values.Get("sure") != ""
	p.Erasures, err = c.Services.People.Erasures(c.Context(), c.Actor())
	return p, err
}

// Summary says what an erasure has erased so far.
func (p personsPage) Summary(e lost.Erasure) string {
	if e.DoneAt.IsZero() {
		return p.Locale.Say("settings.persons.erased.running", "erased", erasedText(p.Locale, e.Erased))
	}
	return erasedText(p.Locale, e.Erased)
}

// erasedText lists the numbers of erased records that are not zero.
func erasedText(lang frame.Locale, e lost.Erased) string {
	var parts []string
	for _, k := range []struct {
		n   int
		key string
	}{
		{e.Items, "settings.erased.items"}, {e.Requests, "settings.erased.requests"},
		{e.Mentions, "settings.erased.mentions"}, {e.Messages, "settings.erased.messages"},
		{e.Links, "settings.erased.links"}, {e.History, "settings.erased.history"},
		{e.Events, "settings.erased.events"}, {e.Deliveries, "settings.erased.deliveries"},
		{e.Shipments, "settings.erased.shipments"}, {e.Files, "settings.erased.files"},
		{e.Answers, "settings.erased.responses"}, {e.ImportRows, "settings.erased.rows"},
		{e.Views, "settings.erased.views"}, {e.UnderWay, "settings.erased.parcels"},
		{e.SharedPhones, "settings.erased.phones"},
	} {
		if k.n > 0 {
			parts = append(parts, lang.Say(k.key, "n", k.n))
		}
	}
	if len(parts) == 0 {
		return lang.Say("settings.erased.nothing")
	}
	return lang.Enumerate(parts...)
}

func (c *call) showPersons() error {
	p, err := c.personsPage(url.Values{})
	if err != nil {
		return err
	}
	return c.Render(http.StatusOK, "persons", p)
}

// person reads the guest's e-mail address or phone number from the form. If it is invalid, person renders the form
// with the error, and rendered is true.
func (c *call) person() (who lost.PersonPatch, p personsPage, rendered bool, err error) {
	values, err := c.ReadForm()
	if err != nil {
		return who, p, false, err
	}
	if p, err = c.personsPage(values); err != nil {
		return who, p, false, err
	}
	who = lost.ParsePerson(values.Get("person"))
	_, wrong := c.Services.People.Identify(c.Context(), c.Actor(), who)
	if wrong == nil || lost.CodeOf(wrong) != lost.Invalid {
		return who, p, false, wrong
	}
	for _, field := range []string{"email", "phone"} { // the form has one input for both
		p.Person.Name = field
		if p.Problems, err = c.MarkErrors([]*frame.Input{&p.Person}, wrong); err == nil && p.Person.Error != "" {
			break
		}
	}
	p.Person.Name = "person"
	for n := range p.Problems {
		p.Problems[n].Field = p.Person.Name
	}
	return who, p, true, c.Render(respond.RecordError(c.Writer, wrong), "persons", p)
}

// exportPerson sends all of a guest's data as a file.
func (c *call) exportPerson() error {
	who, _, rendered, err := c.person()
	if rendered || err != nil {
		return err
	}
	return c.WriteFileAs("guest.json", "application/json", func(w *frame.Download) error {
		return c.Services.People.ExportPerson(c.Context(), c.Actor(), who, w)
	})
}

// erasePerson erases a guest's data. It asks for confirmation first, because this cannot be undone.
func (c *call) erasePerson() error {
	who, p, rendered, err := c.person()
	if rendered || err != nil {
		return err
	}
	if !p.confirmed {
		if p.Found, err = c.Services.People.FindPerson(c.Context(), c.Actor(), who); err != nil {
			return err
		}
		p.Affected = c.Total(p.Found.Records, "settings.persons.records", "settings.persons.records.or-more",
			"person", p.Person.Value)
		return c.Render(http.StatusOK, "persons", p)
	}
	e, err := c.Services.People.ErasePerson(c.Context(), c.Actor(), who, lost.IdempotencyKey{})
	if err != nil {
		return err
	}
	if e.State() == lost.ErasureDone {
		c.Flash(c.Say("settings.persons.done", "erased", erasedText(c.Locale, e.Erased)))
	} else {
		c.Flash(c.Say("settings.persons.running"))
	}
	return c.Redirect("/settings/persons")
}
