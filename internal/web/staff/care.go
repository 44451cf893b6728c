package staff

import (
	"cmp"
	"net/url"

	"homeward/internal/lost"
)

// care is what the desk does for one item beside its status, for the page of that item: {{template "care" .Care}}.
type care struct {
	Root        string // address of the item
	CanHandle   bool
	CanHandOver bool
	CanKeep     bool // it can be held, or kept longer
	Hold        string
	StoreUntil  string
	KeepUntil   string
	Over        bool
	Destination string
	Clearing    *decision
	Undo        string // address to take the decision back
	Handover    *handedOver
	Days        input
	Reason      input
}

// careOf gathers what is done for an item.
func (c *call) careOf(l lost.Location, i lost.Item) (care, error) {
	kept := i.Source == lost.Found && i.ClosedAt.IsZero() && !i.Status.Travels()
	out := care{
		Root: atPath(l.ID, "/items/"+i.ID), CanHandle: c.may(lost.Handle), CanHandOver: i.MayHandOver() == nil, CanKeep: kept,
		Hold: i.Hold, StoreUntil: day(i.StoreUntil()), KeepUntil: day(i.KeepUntil), Over: i.Over(c.now()), Handover: showHandover(i, l),
		Days: input{Name: "days", Label: "For how long", Type: "list", Required: true, Narrow: true, Value: "30",
			Options: []option{{"30", "30 days"}, {"60", "60 days"}, {"90", "90 days"}}},
		Reason: input{Name: "reason", Label: "Why it stays", Type: "text", Required: true},
	}
	if i.Destination != "" {
		out.Destination = "When its storage time was over it was " + gone(i.Destination, l) + "."
	}
	d, waits, err := c.desk.Clearing(c.ctx(), c.actor(), l.ID, i.ID)
	if err != nil || !waits {
		return out, err
	}
	shown := c.showDecision(l, d)
	shown.Text = "It will be " + gone(d.Destination, l) + " at " + shown.Ends + "."
	if shown.Ends == "" {
		shown.Text = "It is about to be " + gone(d.Destination, l) + "."
	} else if out.CanHandle {
		out.Undo = atPath(l.ID, "/storage/decisions/"+d.ID+"/undo")
	}
	out.Clearing = &shown
	return out, nil
}

func (c *call) holdOne() error {
	return c.careForOne(func(l lost.Location, id string, values url.Values) (string, error) {
		_, err := c.desk.Hold(c.ctx(), c.actor(), l.ID, []string{id}, values.Get("reason"))
		return "It is on hold now.", err
	})
}

func (c *call) releaseOne() error {
	return c.careForOne(func(l lost.Location, id string, _ url.Values) (string, error) {
		_, err := c.desk.Release(c.ctx(), c.actor(), l.ID, []string{id})
		return "It is no longer on hold.", err
	})
}

func (c *call) keepOne() error {
	return c.careForOne(func(l lost.Location, id string, values url.Values) (string, error) {
		until, _, err := c.desk.KeepLonger(c.ctx(), c.actor(), l.ID, []string{id}, keepPatch(values))
		return "It is kept until " + day(until) + ".", err
	})
}

// careForOne does something for one item and leads back to its page, or to the page that the form names.
func (c *call) careForOne(do func(l lost.Location, id string, values url.Values) (said string, err error)) error {
	l, err := c.at()
	if err != nil {
		return err
	}
	values, err := c.form()
	if err != nil {
		return err
	}
	id := c.r.PathValue("item")
	if _, err := c.desk.Item(c.ctx(), c.actor(), l.ID, id); err != nil {
		return err
	}
	said, err := do(l, id, values)
	if err != nil {
		return err
	}
	c.tell(said)
	return c.see(back(cmp.Or(values.Get("back"), atPath(l.ID, "/items/"+id))))
}
