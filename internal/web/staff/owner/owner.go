// Package owner is the part of the dashboard that finds the owner of an item among the guests of a room.
package owner

import (
	"embed"
	"net/http"
	"net/url"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
	"homeward/internal/web/staff/stayform"
)

//go:embed templates
var templates embed.FS

// Area returns the routes and templates of this part of the dashboard.
func Area() frame.Area {
	return frame.Area{Routes: Routes(), Templates: templates}
}

// Routes returns the routes of this area.
func Routes() []frame.Route {
	return []frame.Route{
		frame.Get("/at/{location}/items/{id}/stays", lost.HandleItems, (*call).askStays),
		frame.Post("/at/{location}/items/{id}/stays", lost.HandleItems, (*call).setStay),
	}
}

// call is one request to a page of this area.
type call struct{ *frame.Call }

// currentItem returns the found item in the URL.
func (c *call) currentItem() (lost.Item, error) {
	l, err := c.Location()
	if err != nil {
		return lost.Item{}, err
	}
	i, err := c.Services.Items.Get(c.Context(), c.Actor(), l.ID, c.Request.PathValue("id"))
	if err == nil && i.Source == lost.Request {
		err = lost.Missing("item")
	}
	return i, err
}

// staysPage asks who of the guests of a room is the owner of an item.
type staysPage struct {
	frame.Page
	Item  lost.Item
	Base  string
	Day   frame.Input
	Stays *stayform.Form
}

// askStays shows the form with the room and the day, as they were recorded.
func (c *call) askStays() error {
	i, err := c.currentItem()
	if err != nil {
		return err
	}
	values := url.Values{"discoveryDate": {i.DiscoveryDate}}
	if i.DiscoveryDate == "" {
		values.Set("discoveryDate", c.Here.Day(i.CreatedAt))
	}
	f := stayform.Start(c.Call, i.DiscoveryPlace)
	return c.showStays(http.StatusOK, i, values, f, nil)
}

func (c *call) showStays(status int, i lost.Item, values url.Values, f *stayform.Form, wrong error) (err error) {
	p := staysPage{
		Page: c.NewPage(c.Say("stays.look"), "stays.js"), Item: i, Base: frame.ItemPath(i), Stays: f,
		Day: frame.Input{
			Name: "discoveryDate", Label: c.Say("stays.day"), Type: "date", Value: values.Get("discoveryDate"),
			Required: true, Narrow: true,
		},
	}
	guest := frame.Input{Name: stayform.GuestField, Label: c.Say("stays.who")}
	if p.Problems, err = c.MarkErrors([]*frame.Input{&p.Day, &guest}, wrong); err != nil {
		return err
	}
	return c.Render(status, "stays", p)
}

// setStay looks up guests, or makes the chosen one the owner of the item.
func (c *call) setStay() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	i, err := c.currentItem()
	if err != nil {
		return err
	}
	chosen := values.Get(stayform.GuestField)
	if values.Has(stayform.LookField) || chosen == "" && values.Get(stayform.LookupField) == "" {
		f, err := stayform.LookUp(c.Call, i.LocationID, values, i.DiscoveryPlace, values.Get("discoveryDate"))
		if err != nil {
			return err
		}
		return c.showStays(http.StatusOK, i, values, f, nil)
	}
	if chosen == "" { // none of them
		return c.Redirect(frame.ItemPath(i))
	}
	p, err := c.Services.Stays.ConfirmFor(c.Context(), c.Actor(), i.LocationID, i.ID, chosen)
	if lost.CodeOf(err) == lost.NotFound {
		wrong := stayform.Problem("look-again")
		return c.showStays(respond.RecordError(c.Writer, wrong), i, values, stayform.Start(c.Call, i.DiscoveryPlace),
			wrong)
	}
	if err != nil {
		return err
	}
	if _, err = c.Services.Items.Update(c.Context(), c.Actor(), i.LocationID, i.ID, p); err != nil {
		return err
	}
	c.Flash(c.Say("stays.confirmed"))
	return c.Redirect(frame.ItemPath(i))
}
