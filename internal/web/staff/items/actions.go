package items

import (
	"net/http"
	"net/url"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// actPage asks before something is done with an item, and says what follows from it.
type actPage struct {
	frame.Page
	Item   lost.Item
	Base   string
	Action string   // below the item's page
	Once   string   // so that it is done once, however often the form is sent
	Text   []string // what happens
	Show   string   // an address to be copied
	Inputs []*frame.Input
	Button string
	Danger bool
	None   bool // there is nothing to be done: only the text
	Kept   bool // a message follows from it that is not sent
	// Instead is what is to be done first; empty where there is nothing.
	Instead frame.Link
}

// currentItem gives the item that the address names, where the page is at. A request has a page of its own.
func (c *call) currentItem() (lost.Item, error) {
	l, err := c.Location()
	if err != nil {
		return lost.Item{}, err
	}
	i, err := c.Desk.Item(c.Context(), c.Actor(), l.ID, c.Request.PathValue("id"))
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

// newActPage begins such a page.
func (c *call) newActPage(i lost.Item, title, action, button string, text ...string) actPage {
	return actPage{Page: c.NewPage(title), Item: i, Base: frame.ItemPath(i), Action: action, Once: frame.NewFormKey(), Button: button, Text: text}
}

// showAct shows it, with what was wrong with the answer before.
func (c *call) showAct(status int, p actPage, wrong error) error {
	if wrong != nil {
		var err error
		if p.Problems, err = frame.MarkErrors(p.Inputs, wrong); err != nil {
			return err
		}
	}
	return c.Render(status, "act", p)
}

// askNotify asks whether the owner is to be written to again.
func (c *call) askNotify() error {
	i, err := c.currentItem()
	if err != nil {
		return err
	}
	to := i.Owner.Address()
	if i.Reminds() != nil {
		p := c.newActPage(i, "Nothing to write about", "", "", i.Reference+" is not here any more. There is nothing left for the owner to choose.")
		if to == "" {
			p = c.newActPage(i, "Nobody to write to", "", "", "Add the owner’s e-mail address or phone number first. They are written to by themselves then.")
			p.Instead = frame.Link{Name: "Add the owner", Href: p.Base + "?edit=owner#owner"}
		}
		p.None = true
		return c.showAct(http.StatusOK, p, nil)
	}
	text := "The owner gets another message at " + to + ", with what was found and a link to choose what happens with it."
	if !c.Desk.Writes(i.Owner) {
		text = "The message to " + to + " is written and kept. " + c.NotSentTo(i.Owner)
	}
	p := c.newActPage(i, "Write to the owner again?", "/notify", "Send again", text)
	if p.Kept = !c.Desk.Writes(i.Owner); p.Kept {
		p.Button = "Write and keep it"
	}
	return c.showAct(http.StatusOK, p, nil)
}

func (c *call) notify() error {
	again, err := c.onceHere("notify")
	if err != nil {
		return err
	}
	m, err := c.Desk.Notify(c.Context(), c.Actor(), c.Request.PathValue("location"), c.Request.PathValue("id"), again)
	if err != nil {
		return err
	}
	c.FlashMessageSent(m.Channel, "A message to "+m.To+" is on its way.", "Written.")
	return c.redirectToItem()
}

// onceHere makes a form about the item that the address names do once what it does.
func (c *call) onceHere(what string) (lost.IdempotencyKey, error) {
	values, err := c.ReadForm()
	return frame.FormKey(values, what+" "+c.Request.PathValue("id")), err
}

// redirectToItem leads back to the item's page.
func (c *call) redirectToItem() error {
	return c.Redirect(frame.LocationPath(c.Request.PathValue("location"), "/items/"+c.Request.PathValue("id")))
}

// showLink shows the owner's link, to be given to them in another way, and ends it if it got into wrong hands.
func (c *call) showLink() error {
	f, err := c.itemDetail(1)
	if err != nil {
		return err
	}
	if _, err := c.Location(); err != nil {
		return err
	}
	if err := wasFound(f.Item); err != nil {
		return err
	}
	if f.GuestURL == "" {
		p := c.newActPage(f.Item, "The owner’s page", "", "", "There is no link to the owner’s page that works. Write to the owner, and there is one.")
		p.None = true
		return c.showAct(http.StatusOK, p, nil)
	}
	p := c.newActPage(f.Item, "The owner’s page", "/link", "End this link",
		"Whoever has this link chooses in the owner’s name. Give it to nobody else.",
		"Ended, it leads nowhere any more. The next message to the owner brings another.")
	p.Show, p.Danger = f.GuestURL, true
	return c.showAct(http.StatusOK, p, nil)
}

func (c *call) revokeLink() error {
	again, err := c.onceHere("link")
	if err != nil {
		return err
	}
	if _, err := c.Desk.RevokeLink(c.Context(), c.Actor(), c.Request.PathValue("location"), c.Request.PathValue("id"), again); err != nil {
		return err
	}
	c.Flash("The owner’s link leads nowhere any more.")
	return c.redirectToItem()
}

// retryLabel has a label bought once more that the carrier refused.
func (c *call) retryLabel() error {
	again, err := c.onceHere("label")
	if err != nil {
		return err
	}
	if _, err := c.Desk.RetryLabel(c.Context(), c.Actor(), c.Request.PathValue("location"), c.Request.PathValue("id"), again); err != nil {
		return err
	}
	c.Flash("The label is being bought. It is here in a moment.")
	return c.redirectToItem()
}

// askRefund asks whether the fee is to be given back.
func (c *call) askRefund() error { return c.showRefund(http.StatusOK, "", nil) }

func (c *call) showRefund(status int, reason string, wrong error) error {
	i, err := c.currentItem()
	if err != nil {
		return err
	}
	if err := i.MayRefund(); err != nil {
		return err
	}
	text := []string{"What was paid is given back."}
	if price := i.Parcel.Price; price.Known() {
		text[0] = frame.English().Money(price.Total(), price.Currency) + " is given back."
	}
	if !i.Parcel.PayBy.Online() {
		text = append(text, "It was paid at the desk: hand it out there.")
	}
	if to := i.Owner.Address(); c.Desk.Writes(i.Owner) {
		text = append(text, "The owner is written to at "+to+".")
	} else if to != "" {
		text = append(text, "The message to the owner at "+to+" is kept. "+c.NotSentTo(i.Owner))
	}
	if i.Status == lost.FeePaid {
		text = append(text, "The item waits for the owner again, who can choose anew.")
	}
	p := c.newActPage(i, "Give the money back?", "/refund", "Give the money back", text...)
	p.Inputs = []*frame.Input{{Name: "reason", Label: "Reason", Type: "text", Value: reason, Hint: "For the history."}}
	return c.showAct(status, p, wrong)
}

func (c *call) refund() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	_, err = c.Desk.Refund(c.Context(), c.Actor(), c.Request.PathValue("location"), c.Request.PathValue("id"), lost.RefundPatch{Because: respond.Typed(values, "reason")}, frame.FormKey(values, "refund "+c.Request.PathValue("id")))
	if lost.CodeOf(err) == lost.Invalid {
		return c.showRefund(respond.Failed(c.Writer, err), values.Get("reason"), err)
	}
	if err != nil {
		return err
	}
	c.Flash("The money is being given back.")
	return c.redirectToItem()
}

// askDelete asks for the reference of an item that is to be deleted: nobody types one by mistake.
func (c *call) askDelete() error { return c.showDelete(http.StatusOK, nil, nil) }

func (c *call) showDelete(status int, values url.Values, wrong error) error {
	i, err := c.currentItem()
	if err != nil {
		return err
	}
	text := []string{"The item is gone for good, with its photos, its history and its messages. Nobody can bring it back."}
	if !i.Status.Travels() && i.Parcel.Paid {
		text = append(text, "What was paid for it is given back.")
	}
	p := c.newActPage(i, "Delete "+i.Reference+"?", "/delete", "Delete for good", text...)
	p.Danger = true
	p.Inputs = []*frame.Input{{Name: "reference", Label: "Type " + i.Reference + " to confirm", Type: "text", Value: values.Get("reference"), Required: true, Narrow: true, Autocomplete: "off"}}
	return c.showAct(status, p, wrong)
}

func (c *call) deleteItem() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	i, err := c.currentItem()
	if err != nil {
		return err
	}
	if wrong := frame.CheckConfirmation(values, "reference", i.Reference); wrong != nil {
		return c.showDelete(respond.Failed(c.Writer, wrong), values, wrong)
	}
	if err := c.Desk.DeleteItem(c.Context(), c.Actor(), i.LocationID, i.ID); err != nil {
		return err
	}
	c.Flash(i.Reference + " was deleted.")
	return c.Redirect(frame.LocationPath(i.LocationID, "/items") + c.LastList())
}
