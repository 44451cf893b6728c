// Package stayform is the part of forms that looks up who stayed in a room. The form to record a found item and the
// page about an item share it. It shows no full address.
package stayform

import (
	"cmp"
	"net/url"

	"homeward/internal/lost"
	"homeward/internal/lost/stay"
	"homeward/internal/stays"
	"homeward/internal/web/staff/frame"
)

// The names of the form's fields.
const (
	LookField   = "stays" // the button that looks up guests
	RoomField   = "stays-room"
	LookupField = "stays-lookup"
	GuestField  = "stay"
)

// Form is the part of a form.
type Form struct {
	Room   *frame.Input // nil until the first look-up
	Lookup string       // the id of the look-up whose guests are shown; may be empty
	Guests []Guest
	Asked  bool   // a look-up has succeeded
	Fault  string // why there are no guests; empty if the look-up succeeded
	None   bool   // "none of them" is chosen
	// LastRoomOnly reports whether guests who have moved are listed with their last room only.
	LastRoomOnly bool
}

// Guest is a guest that the user can choose.
type Guest struct {
	ID, Name, Reason, Days, Language, Email, Phone string
	Chosen                                         bool
}

// Available reports whether the actor can look up guests of a location.
func Available(c *frame.Call, location string) (bool, error) {
	return c.Services.Stays.Available(c.Context(), c.Actor(), location)
}

// Show returns the form with the guests of the look-up that was submitted, if there was one.
func Show(c *frame.Call, location string, values url.Values) (*Form, error) {
	f := &Form{}
	lookup := values.Get(LookupField)
	if lookup == "" {
		return f, nil
	}
	found, err := c.Services.Stays.Candidates(c.Context(), c.Actor(), location, lookup)
	if err != nil {
		return f, err
	}
	f.fill(c, found, values)
	return f, nil
}

// LookUp looks up who stayed in the room that the user has entered, or else in the room that where names, the place
// where the item was found. A failure is shown in the form, which stays usable.
func LookUp(c *frame.Call, location string, values url.Values, where, day string) (*Form, error) {
	room := values.Get(RoomField)
	if room == "" {
		room, _ = stay.Room(where)
	}
	values.Set(RoomField, room)
	f := &Form{}
	f.Room = roomInput(c, values)
	found, err := c.Services.Stays.LookUp(c.Context(), c.Actor(), location, room, day)
	switch problem := stays.ProblemOf(err); {
	case problem != "":
		f.Fault = c.Say("stays.problem." + string(problem))
	case lost.ProblemsOf(err).Has("room"):
		f.Fault = c.Say("stays.no-room")
	case lost.CodeOf(err) == lost.Invalid:
		f.Fault = c.Say("stays.no-day")
	case lost.CodeOf(err) == lost.TooMany:
		f.Fault = c.ErrorText(err)
	case err != nil:
		return f, err
	default:
		values.Set(RoomField, found.Room)
		f.fill(c, found, values)
	}
	return f, nil
}

func roomInput(c *frame.Call, values url.Values) *frame.Input {
	return &frame.Input{
		Name: RoomField, Label: c.Say("stays.room"), Type: "text", Value: values.Get(RoomField), Autocomplete: "off",
		Narrow: true,
	}
}

func (f *Form) fill(c *frame.Call, found stays.Result, values url.Values) {
	f.Asked, f.Lookup, f.Room = true, found.LookupID, roomInput(c, values)
	f.LastRoomOnly = found.LastRoomOnly
	chosen := values.Get(GuestField)
	for _, o := range found.Candidates {
		g := Guest{
			ID: o.CandidateID, Reason: c.Say("stays.reason." + string(o.Reason)),
			Name:  cmp.Or(c.FullName(o.Guest.FirstName, o.Guest.LastName), c.Say("stays.unnamed")),
			Days:  c.Say("stays.days", "from", c.ShortDateYear(o.Arrival), "to", c.ShortDateYear(o.Departure)),
			Email: stay.MaskEmail(o.Guest.Email), Phone: stay.MaskPhone(o.Guest.Phone), Chosen: o.CandidateID == chosen,
		}
		if o.Guest.Language != "" {
			g.Language = c.LanguageName(o.Guest.Language)
		}
		f.Guests = append(f.Guests, g)
		f.None = f.None || g.Chosen
	}
	f.None = !f.None
}

// Problem is a form error about the chosen guest.
func Problem(code string) error {
	var p lost.Problems
	p.Add(GuestField, code, "must be one of the guests of the last look-up")
	return p.Err()
}

// Start returns the form before the first look-up, with the room that a text names.
func Start(c *frame.Call, where string) *Form {
	room, _ := stay.Room(where)
	return &Form{Room: roomInput(c, url.Values{RoomField: {room}})}
}
