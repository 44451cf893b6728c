package items

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// movePage asks whether an item is to be moved to a status, and says who will hear of it.
type movePage struct {
	frame.Page
	Item     lost.Item
	Base     string
	From, To frame.State
	Status   lost.Status // empty where one is still to be chosen
	Choices  []frame.Option
	Inputs   []*frame.Input
	Tells    []string
	Seen     string // the state of the item that the question was asked about
	Again    bool   // the status stays: only when the owner comes is changed
}

// askMove asks what status an item is to have or, where that is known, whether it is to have it.
func (c *call) askMove() error {
	return c.showMove(http.StatusOK, c.Request.URL.Query(), nil)
}

// showMove shows the question, with what was wrong with the answer before.
func (c *call) showMove(status int, values url.Values, wrong error) error {
	i, err := c.currentItem()
	if err != nil {
		return err
	}
	to := lost.Status(values.Get("to"))
	if err := i.Advises(to); err != nil {
		return c.showMissing(i, err)
	}
	p := movePage{Page: c.NewPage("Change the status"), Item: i, Base: frame.ItemPath(i), From: frame.ItemState(i), Choices: statusOptions(i), Seen: cmp.Or(values.Get("seen"), frame.EncodeVersion(i.UpdatedAt))}
	if slices.Contains(lost.Statuses(), to) {
		who, err := c.Desk.Audience(c.Context(), c.Actor(), i.LocationID, i.ID, to)
		if err != nil {
			return err
		}
		p.Status, p.To, p.Tells = to, frame.StatusState(to), audienceText(who)
		p.Title = frame.StatusState(to).Word + "?"
		p.Inputs = moveInputs(i, to, values)
		if p.Again = to == lost.PickUp && i.Status == to && i.ClosedAt.IsZero(); p.Again {
			p.Title, p.Tells = "When does the owner come?", []string{"The owner is not written to: agree on it with them. Their page then shows it."}
			p.Inputs = slices.DeleteFunc(p.Inputs, func(in *frame.Input) bool { return in.Name == "closed" })
		}
	}
	if wrong != nil {
		if p.Problems, err = frame.MarkErrors(p.Inputs, wrong); err != nil {
			return err
		}
	}
	return c.Render(status, "move", p)
}

// showMissing says what is missing before an item is moved to a status, and leads there.
func (c *call) showMissing(i lost.Item, why error) error {
	told := lost.Detail(why)
	if told == "" {
		return why
	}
	p := c.newActPage(i, "Something is missing", "", "", told)
	p.None, p.Instead = true, frame.Link{Name: "Add the address", Href: p.Base + "/address"}
	if !i.Owner.Known() {
		p.Instead = frame.Link{Name: "Add the owner", Href: p.Base + "?edit=owner#owner"}
	}
	return c.showAct(http.StatusOK, p, nil)
}

// moveInputs are what can be said with a status.
func moveInputs(i lost.Item, to lost.Status, values url.Values) []*frame.Input {
	var inputs []*frame.Input
	add := func(in frame.Input, before string) {
		if in.Value = before; values.Has(in.Name) {
			in.Value = values.Get(in.Name)
		}
		inputs = append(inputs, &in)
	}
	switch to {
	case lost.PickUp:
		add(frame.Input{Name: "pickupDate", Label: "Day", Type: "date", Narrow: true, Hint: "When the owner comes."}, i.Pickup.Date)
		add(frame.Input{Name: "pickupTime", Label: "Time", Type: "time", Narrow: true}, i.Pickup.Time)
		add(frame.Input{Name: "closed", Label: "It was collected already", Type: "check"}, "")
	case lost.Discard, lost.Donate:
		add(frame.Input{Name: "closed", Label: "It is gone already", Type: "check", Hint: "The owner can then not choose otherwise any more."}, "")
	case lost.FeePaid, lost.Shipped, lost.Delivered:
		add(frame.Input{Name: "trackingNumber", Label: "Tracking number", Type: "text", Narrow: true}, i.Shipping.TrackingNumber)
	}
	add(frame.Input{Name: "note", Label: "Note for the history", Type: "area"}, "")
	return inputs
}

// audienceText say who will hear of it.
func audienceText(who desk.Audience) []string {
	var told []string
	switch {
	case who.Owner == "":
		told = append(told, "The owner is not written to.")
	case who.Writes:
		told = append(told, "The owner is written to at "+who.Owner+".")
	default:
		told = append(told, "A message to the owner at "+who.Owner+" is kept. Nothing is sent until that is set up.")
	}
	if who.Programs > 0 {
		told = append(told, frame.Plural(who.Programs, "client program is told, by its webhook.", "client programs are told, by their webhooks."))
	}
	return told
}

// setStatus moves an item to a status.
func (c *call) setStatus() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	location, id := c.Request.PathValue("location"), c.Request.PathValue("id")
	if c.Request.URL.Query().Get("done") != "" {
		return c.finish(location, id, values)
	}
	patch := lost.MovePatch{
		Advised: true, Status: lost.Set(values.Get("to")), PickupDate: respond.Typed(values, "pickupDate"), PickupTime: respond.Typed(values, "pickupTime"),
		TrackingNumber: respond.Typed(values, "trackingNumber"), Note: respond.Typed(values, "note"), Seen: frame.FormVersion(values),
	}
	if values.Get("closed") != "" {
		patch.Closed = lost.Set(true)
	}
	i, err := c.Desk.SetStatus(c.Context(), c.Actor(), location, id, patch)
	if lost.CodeOf(err) == lost.Invalid {
		return c.showMove(respond.Failed(c.Writer, err), values, err)
	}
	if err != nil {
		return err
	}
	c.Flash(i.Reference + ": " + frame.ItemState(i).Word + ".")
	return c.Redirect(frame.ItemPath(i))
}

// finish notes that the desk has done what the owner chose, as the page showed it.
func (c *call) finish(location, id string, values url.Values) error {
	seen := frame.FormVersion(values)
	if seen.IsZero() { // nobody knows what is done
		return respond.Unreadable(nil)
	}
	i, err := c.Desk.Finish(c.Context(), c.Actor(), location, id, seen)
	if err != nil {
		return err
	}
	c.Flash("Done.")
	return c.Redirect(frame.ItemPath(i))
}
