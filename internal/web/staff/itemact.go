package staff

import (
	"net/http"
	"net/url"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// actPage asks before something is done with an item, and says what follows from it.
type actPage struct {
	page
	Item   lost.Item
	Base   string
	Action string   // below the item's page
	Once   string   // so that it is done once, however often the form is sent
	Text   []string // what happens
	Show   string   // an address to be copied
	Inputs []*input
	Button string
	Danger bool
	None   bool // there is nothing to be done: only the text
	Kept   bool // a message follows from it that is not sent
	// Instead is what is to be done first; empty where there is nothing.
	Instead link
}

// theItem gives the item that the address names, where the page is at. A request has a page of its own.
func (c *call) theItem() (lost.Item, error) {
	l, err := c.at()
	if err != nil {
		return lost.Item{}, err
	}
	i, err := c.desk.Item(c.ctx(), c.actor(), l.ID, c.r.PathValue("id"))
	if err != nil {
		return i, err
	}
	return i, wasFound(i)
}

// wasFound refuses a request, with which nothing of what is done with items is done.
func wasFound(i lost.Item) error {
	if i.Source == lost.Request {
		return lost.E(lost.Conflict, "This is a request. What can be done about it is on its own page.")
	}
	return nil
}

// actOn begins such a page.
func (c *call) actOn(i lost.Item, title, action, button string, text ...string) actPage {
	return actPage{page: c.page(title), Item: i, Base: itemPath(i), Action: action, Once: newOnce(), Button: button, Text: text}
}

// askFirst shows it, with what was wrong with the answer before.
func (c *call) askFirst(status int, p actPage, wrong error) error {
	if wrong != nil {
		var err error
		if p.Problems, err = judge(p.Inputs, wrong); err != nil {
			return err
		}
	}
	return c.write(status, "act", p)
}

// askNotify asks whether the owner is to be written to again.
func (c *call) askNotify() error {
	i, err := c.theItem()
	if err != nil {
		return err
	}
	to := i.Owner.Address()
	if i.Reminds() != nil {
		p := c.actOn(i, "Nothing to write about", "", "", i.Reference+" is not here any more. There is nothing left for the owner to choose.")
		if to == "" {
			p = c.actOn(i, "Nobody to write to", "", "", "Add the owner’s e-mail address or phone number first. They are written to by themselves then.")
			p.Instead = link{Name: "Add the owner", Href: p.Base + "?edit=owner#owner"}
		}
		p.None = true
		return c.askFirst(http.StatusOK, p, nil)
	}
	text := "The owner gets another message at " + to + ", with what was found and a link to choose what happens with it."
	if !c.desk.Writes(i.Owner) {
		text = "The message to " + to + " is written and kept. " + c.keptFrom(i.Owner)
	}
	p := c.actOn(i, "Write to the owner again?", "/notify", "Send again", text)
	if p.Kept = !c.desk.Writes(i.Owner); p.Kept {
		p.Button = "Write and keep it"
	}
	return c.askFirst(http.StatusOK, p, nil)
}

func (c *call) notify() error {
	again, err := c.onceHere("notify")
	if err != nil {
		return err
	}
	m, err := c.desk.Notify(c.ctx(), c.actor(), c.r.PathValue("location"), c.r.PathValue("id"), again)
	if err != nil {
		return err
	}
	c.tellWritten(m.Channel, "A message to "+m.To+" is on its way.", "Written.")
	return c.seeItem()
}

// onceHere makes a form about the item that the address names do once what it does.
func (c *call) onceHere(what string) (lost.IdempotencyKey, error) {
	values, err := c.form()
	return once(values, what+" "+c.r.PathValue("id")), err
}

// seeItem leads back to the item's page.
func (c *call) seeItem() error {
	return c.see(atPath(c.r.PathValue("location"), "/items/"+c.r.PathValue("id")))
}

// showLink shows the owner's link, to be given to them in another way, and ends it if it got into wrong hands.
func (c *call) showLink() error {
	f, err := c.dossier(1)
	if err != nil {
		return err
	}
	if _, err := c.at(); err != nil {
		return err
	}
	if err := wasFound(f.Item); err != nil {
		return err
	}
	if f.GuestURL == "" {
		p := c.actOn(f.Item, "The owner’s page", "", "", "There is no link to the owner’s page that works. Write to the owner, and there is one.")
		p.None = true
		return c.askFirst(http.StatusOK, p, nil)
	}
	p := c.actOn(f.Item, "The owner’s page", "/link", "End this link",
		"Whoever has this link chooses in the owner’s name. Give it to nobody else.",
		"Ended, it leads nowhere any more. The next message to the owner brings another.")
	p.Show, p.Danger = f.GuestURL, true
	return c.askFirst(http.StatusOK, p, nil)
}

func (c *call) revokeLink() error {
	again, err := c.onceHere("link")
	if err != nil {
		return err
	}
	if _, err := c.desk.RevokeLink(c.ctx(), c.actor(), c.r.PathValue("location"), c.r.PathValue("id"), again); err != nil {
		return err
	}
	c.tell("The owner’s link leads nowhere any more.")
	return c.seeItem()
}

// retryLabel has a label bought once more that the carrier refused.
func (c *call) retryLabel() error {
	again, err := c.onceHere("label")
	if err != nil {
		return err
	}
	if _, err := c.desk.RetryLabel(c.ctx(), c.actor(), c.r.PathValue("location"), c.r.PathValue("id"), again); err != nil {
		return err
	}
	c.tell("The label is being bought. It is here in a moment.")
	return c.seeItem()
}

// askRefund asks whether the fee is to be given back.
func (c *call) askRefund() error { return c.showRefund(http.StatusOK, "", nil) }

func (c *call) showRefund(status int, reason string, wrong error) error {
	i, err := c.theItem()
	if err != nil {
		return err
	}
	if err := i.MayRefund(); err != nil {
		return err
	}
	text := []string{"What was paid is given back."}
	if price := i.Parcel.Price; price.Known() {
		text[0] = english().Money(price.Total(), price.Currency) + " is given back."
	}
	if !i.Parcel.PayBy.Online() {
		text = append(text, "It was paid at the desk: hand it out there.")
	}
	if to := i.Owner.Address(); c.desk.Writes(i.Owner) {
		text = append(text, "The owner is written to at "+to+".")
	} else if to != "" {
		text = append(text, "The message to the owner at "+to+" is kept. "+c.keptFrom(i.Owner))
	}
	if i.Status == lost.FeePaid {
		text = append(text, "The item waits for the owner again, who can choose anew.")
	}
	p := c.actOn(i, "Give the money back?", "/refund", "Give the money back", text...)
	p.Inputs = []*input{{Name: "reason", Label: "Reason", Type: "text", Value: reason, Hint: "For the history."}}
	return c.askFirst(status, p, wrong)
}

func (c *call) refund() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	_, err = c.desk.Refund(c.ctx(), c.actor(), c.r.PathValue("location"), c.r.PathValue("id"), lost.RefundPatch{Because: respond.Typed(values, "reason")}, once(values, "refund "+c.r.PathValue("id")))
	if lost.CodeOf(err) == lost.Invalid {
		return c.showRefund(respond.Failed(c.w, err), values.Get("reason"), err)
	}
	if err != nil {
		return err
	}
	c.tell("The money is being given back.")
	return c.seeItem()
}

// askDelete asks for the reference of an item that is to be deleted: nobody types one by mistake.
func (c *call) askDelete() error { return c.showDelete(http.StatusOK, nil, nil) }

func (c *call) showDelete(status int, values url.Values, wrong error) error {
	i, err := c.theItem()
	if err != nil {
		return err
	}
	text := []string{"The item is gone for good, with its photos, its history and its messages. Nobody can bring it back."}
	if !i.Status.Travels() && i.Parcel.Paid {
		text = append(text, "What was paid for it is given back.")
	}
	p := c.actOn(i, "Delete "+i.Reference+"?", "/delete", "Delete for good", text...)
	p.Danger = true
	p.Inputs = []*input{{Name: "reference", Label: "Type " + i.Reference + " to confirm", Type: "text", Value: values.Get("reference"), Required: true, Narrow: true, Autocomplete: "off"}}
	return c.askFirst(status, p, wrong)
}

func (c *call) deleteItem() error {
	values, err := c.form()
	if err != nil {
		return err
	}
	i, err := c.theItem()
	if err != nil {
		return err
	}
	if wrong := confirmed(values, "reference", i.Reference); wrong != nil {
		return c.showDelete(respond.Failed(c.w, wrong), values, wrong)
	}
	if err := c.desk.DeleteItem(c.ctx(), c.actor(), i.LocationID, i.ID); err != nil {
		return err
	}
	c.tell(i.Reference + " was deleted.")
	return c.see(atPath(i.LocationID, "/items") + c.lastList())
}
