package staff

import (
	"net/http"
	"net/url"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

func personRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/settings/persons", Right: lost.Staff, serve: (*call).showPersons},
		{Method: http.MethodPost, Path: "/settings/persons/export", Right: lost.Staff, serve: (*call).exportPerson},
		{Method: http.MethodPost, Path: "/settings/persons/erase", Right: lost.Staff, serve: (*call).erasePerson},
	}
}

type personsPage struct {
	settingsPage
	Person   input
	sure     bool   // it was asked, and answered
	Sure     string // how many items and requests are concerned, when that is to be confirmed
	Erasures []lost.Erasure
}

func (c *call) personsPage(values url.Values) (p personsPage, err error) {
	p = personsPage{settingsPage: c.settings("Guests’ requests"), Person: input{
		Name: "person", Label: "E-mail address or phone number", Hint: "Of the guest. A phone number begins with + and the country code.",
		Type: "text", Value: values.Get("person"), Required: true, Autocomplete: "off",
	}}
	p.sure = values.Get("sure") != ""
	p.Erasures, err = c.desk.Erasures(c.ctx(), c.actor())
	return p, err
}

func (c *call) showPersons() error {
	p, err := c.personsPage(url.Values{})
	if err != nil {
		return err
	}
	return c.write(http.StatusOK, "persons", p)
}

// person reads whose data is meant. What is wrong with it is shown with the form, and answered is then set.
func (c *call) person() (who lost.PersonPatch, p personsPage, answered bool, err error) {
	values, err := c.form()
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
		if p.Problems, err = judge([]*input{&p.Person}, wrong); err == nil && p.Person.Error != "" {
			break
		}
	}
	p.Person.Name = "person"
	for n := range p.Problems {
		p.Problems[n].Field = p.Person.Name
	}
	return who, p, true, c.write(respond.Failed(c.w, wrong), "persons", p)
}

// exportPerson answers with all that is kept of a guest, as a file.
func (c *call) exportPerson() error {
	who, _, answered, err := c.person()
	if answered || err != nil {
		return err
	}
	return c.fileAs("guest.json", "application/json", func(w *download) error { return c.desk.ExportPerson(c.ctx(), c.actor(), who, w) })
}

// erasePerson removes a guest. It is asked first: it cannot be undone.
func (c *call) erasePerson() error {
	who, p, answered, err := c.person()
	if answered || err != nil {
		return err
	}
	if !p.sure {
		has, err := c.desk.CountPerson(c.ctx(), c.actor(), who)
		if err != nil {
			return err
		}
		p.Sure = total(has, "item or request", "items and requests")
		return c.write(http.StatusOK, "persons", p)
	}
	e, err := c.desk.ErasePerson(c.ctx(), c.actor(), who, lost.IdempotencyKey{})
	if err != nil {
		return err
	}
	if e.State() == lost.ErasureDone {
		c.tell("The guest is erased: " + e.Erased.String() + ".")
	} else {
		c.tell("The guest is being erased. This page tells when it is done.")
	}
	return c.see("/settings/persons")
}
