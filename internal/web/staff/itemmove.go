package staff

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// movePage asks whether an item is to be moved to a status, and says who will hear of it.
type movePage struct {
	page
	Item     lost.Item
	Base     string
	From, To state
	Status   lost.Status // empty where one is still to be chosen
	Choices  []option
	Inputs   []*input
	Tells    []string
	Seen     string // the state of the item that the question was asked about
	Again    bool   // the status stays: only when the owner comes is changed
}

// askMove asks what status an item is to have or, where that is known, whether it is to have it.
func (c *call) askMove() error {
	return c.showMove(http.StatusOK, c.r.URL.Query(), nil)
}

// showMove shows the question, with what was wrong with the answer before.
func (c *call) showMove(status int, values url.Values, wrong error) error {
	i, err := c.theItem()
	if err != nil {
		return err
	}
	to := lost.Status(values.Get("to"))
	if err := i.Advises(to); err != nil {
		return c.adviseAgainst(i, err)
	}
	p := movePage{page: c.page("Change the status"), Item: i, Base: itemPath(i), From: stateOf(i), Choices: statusOptions(i), Seen: cmp.Or(values.Get("seen"), seenAs(i.UpdatedAt))}
	if slices.Contains(lost.Statuses(), to) {
		who, err := c.desk.Audience(c.ctx(), c.actor(), i.LocationID, i.ID, to)
		if err != nil {
			return err
		}
		p.Status, p.To, p.Tells = to, showState(to), audienceWords(who)
		p.Title = showState(to).Word + "?"
		p.Inputs = moveInputs(i, to, values)
		if p.Again = to == lost.PickUp && i.Status == to && i.ClosedAt.IsZero(); p.Again {
			p.Title, p.Tells = "When does the owner come?", []string{"The owner is not written to: agree on it with them. Their page then shows it."}
			p.Inputs = slices.DeleteFunc(p.Inputs, func(in *input) bool { return in.Name == "closed" })
		}
	}
	if wrong != nil {
		if p.Problems, err = judge(p.Inputs, wrong); err != nil {
			return err
		}
	}
	return c.write(status, "move", p)
}

// adviseAgainst says what is missing before an item is moved to a status, and leads there.
func (c *call) adviseAgainst(i lost.Item, why error) error {
	told := lost.Detail(why)
	if told == "" {
		return why
	}
	p := c.actOn(i, "Something is missing", "", "", told)
	p.None, p.Instead = true, link{Name: "Add the address", Href: p.Base + "/address"}
	if !i.Owner.Known() {
		p.Instead = link{Name: "Add the owner", Href: p.Base + "?edit=owner#owner"}
	}
	return c.askFirst(http.StatusOK, p, nil)
}

// moveInputs are what can be said with a status.
func moveInputs(i lost.Item, to lost.Status, values url.Values) []*input {
	var inputs []*input
	add := func(in input, before string) {
		if in.Value = before; values.Has(in.Name) {
			in.Value = values.Get(in.Name)
		}
		inputs = append(inputs, &in)
	}
	switch to {
	case lost.PickUp:
		add(input{Name: "pickupDate", Label: "Day", Type: "date", Narrow: true, Hint: "When the owner comes."}, i.Pickup.Date)
		add(input{Name: "pickupTime", Label: "Time", Type: "time", Narrow: true}, i.Pickup.Time)
		add(input{Name: "closed", Label: "It was collected already", Type: "check"}, "")
	case lost.Discard, lost.Donate:
		add(input{Name: "closed", Label: "It is gone already", Type: "check", Hint: "The owner can then not choose otherwise any more."}, "")
	case lost.FeePaid, lost.Shipped, lost.Delivered:
		add(input{Name: "trackingNumber", Label: "Tracking number", Type: "text", Narrow: true}, i.Shipping.TrackingNumber)
	}
	add(input{Name: "note", Label: "Note for the history", Type: "area"}, "")
	return inputs
}

// audienceWords say who will hear of it.
func audienceWords(who desk.Audience) []string {
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
		told = append(told, many(who.Programs, "client program is told, by its webhook.", "client programs are told, by their webhooks."))
	}
	return told
}

// setStatus moves an item to a status.
func (c *call) setStatus() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	location, id := c.r.PathValue("location"), c.r.PathValue("id")
	if c.r.URL.Query().Get("done") != "" {
		return c.finish(location, id, values)
	}
	patch := lost.MovePatch{
		Advised: true, Status: lost.Set(values.Get("to")), PickupDate: respond.Typed(values, "pickupDate"), PickupTime: respond.Typed(values, "pickupTime"),
		TrackingNumber: respond.Typed(values, "trackingNumber"), Note: respond.Typed(values, "note"), Seen: seenIn(values),
	}
	if values.Get("closed") != "" {
		patch.Closed = lost.Set(true)
	}
	i, err := c.desk.SetStatus(c.ctx(), c.actor(), location, id, patch)
	if lost.CodeOf(err) == lost.Invalid {
		return c.showMove(respond.Failed(c.w, err), values, err)
	}
	if err != nil {
		return err
	}
	c.tell(i.Reference + ": " + stateOf(i).Word + ".")
	return c.see(itemPath(i))
}

// finish notes that the desk has done what the owner chose, as the page showed it.
func (c *call) finish(location, id string, values url.Values) error {
	seen := seenIn(values)
	if seen.IsZero() { // nobody knows what is done
		return respond.Unreadable(nil)
	}
	i, err := c.desk.Finish(c.ctx(), c.actor(), location, id, seen)
	if err != nil {
		return err
	}
	c.tell("Done.")
	return c.see(itemPath(i))
}
