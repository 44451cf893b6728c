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
	// how many items and requests will be erased; empty unless the page asks for confirmation
	Affected string
	Found    privacy.FoundPerson // the person to erase
	Erasures []lost.Erasure
}

func (c *call) personsPage(values url.Values) (p personsPage, err error) {
	p = personsPage{settingsPage: c.settings("Privacy requests"), Person: frame.Input{
		Name: "person", Label: "E-mail address or phone number",
		Hint: "The guest’s address or number. Start a phone number with + and the country code.",
		Type: "text", Value: values.Get("person"), Required: true, Autocomplete: "off",
	}}
	p.confirmed = values.Get("sure") != ""
	p.Erasures, err = c.Services.People.Erasures(c.Context(), c.Actor())
	return p, err
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
		p.Affected = frame.CountText(p.Found.Records, "item or request", "items and requests")
		return c.Render(http.StatusOK, "persons", p)
	}
	e, err := c.Services.People.ErasePerson(c.Context(), c.Actor(), who, lost.IdempotencyKey{})
	if err != nil {
		return err
	}
	if e.State() == lost.ErasureDone {
		c.Flash("The guest’s data was erased: " + e.Erased.String() + ".")
	} else {
		c.Flash("The guest’s data is being erased. This page will show when the erasure is complete.")
	}
	return c.Redirect("/settings/persons")
}
