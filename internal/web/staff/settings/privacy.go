package settings

import (
	"net/http"
	"net/url"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

type personsPage struct {
	settingsPage
	Person   frame.Input
	sure     bool   // it was asked, and answered
	Sure     string // how many items and requests are concerned, when that is to be confirmed
	Erasures []lost.Erasure
}

func (c *call) personsPage(values url.Values) (p personsPage, err error) {
	p = personsPage{settingsPage: c.settings("Guests’ requests"), Person: frame.Input{
		Name: "person", Label: "E-mail address or phone number", Hint: "Of the guest. A phone number begins with + and the country code.",
		Type: "text", Value: values.Get("person"), Required: true, Autocomplete: "off",
	}}
	p.sure = values.Get("sure") != ""
	p.Erasures, err = c.Desk.Erasures(c.Context(), c.Actor())
	return p, err
}

func (c *call) showPersons() error {
	p, err := c.personsPage(url.Values{})
	if err != nil {
		return err
	}
	return c.Render(http.StatusOK, "persons", p)
}

// person reads whose data is meant. What is wrong with it is shown with the form, and answered is then set.
func (c *call) person() (who lost.PersonPatch, p personsPage, answered bool, err error) {
	values, err := c.ReadForm()
	if err != nil {
		return who, p, false, err
	}
	if p, err = c.personsPage(values); err != nil {
		return who, p, false, err
	}
	who = lost.PersonTyped(values.Get("person"))
	_, wrong := who.Person()
	if wrong == nil {
		return who, p, false, nil
	}
	for _, field := range []string{"email", "phone"} { // the form has one field for both
		p.Person.Name = field
		if p.Problems, err = frame.MarkErrors([]*frame.Input{&p.Person}, wrong); err == nil && p.Person.Error != "" {
			break
		}
	}
	p.Person.Name = "person"
	for n := range p.Problems {
		p.Problems[n].Field = p.Person.Name
	}
	return who, p, true, c.Render(respond.Failed(c.Writer, wrong), "persons", p)
}

// exportPerson answers with all that is kept of a guest, as a file.
func (c *call) exportPerson() error {
	who, _, answered, err := c.person()
	if answered || err != nil {
		return err
	}
	return c.WriteFileAs("guest.json", "application/json", func(w *frame.Download) error { return c.Desk.ExportPerson(c.Context(), c.Actor(), who, w) })
}

// erasePerson removes a guest. It is asked first: it cannot be undone.
func (c *call) erasePerson() error {
	who, p, answered, err := c.person()
	if answered || err != nil {
		return err
	}
	if !p.sure {
		has, err := c.Desk.CountPerson(c.Context(), c.Actor(), who)
		if err != nil {
			return err
		}
		p.Sure = frame.CountText(has, "item or request", "items and requests")
		return c.Render(http.StatusOK, "persons", p)
	}
	e, err := c.Desk.ErasePerson(c.Context(), c.Actor(), who, lost.IdempotencyKey{})
	if err != nil {
		return err
	}
	if e.State() == lost.ErasureDone {
		c.Flash("The guest is erased: " + e.Erased.String() + ".")
	} else {
		c.Flash("The guest is being erased. This page tells when it is done.")
	}
	return c.Redirect("/settings/persons")
}
