package items

import (
	"net/http"
	"net/url"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// actPage asks for confirmation of an action on an item and lists the consequences.
type actPage struct {
	frame.Page
	Item    lost.Item
	Base    string
	Action  string   // the form's path, relative to the item's page
	Once    string   // the idempotency key of the form
	Text    []string // the consequences
	Show    string   // a URL to copy
	Inputs  []*frame.Input
	Button  string
	Danger  bool
	None    bool // the action is not possible: only the text is shown
	NotSent bool // the action creates a message that is not sent
	// Instead links to what must be done first. It is empty if there is nothing to do first.
	Instead frame.Link
}

// currentItem returns the item in the URL. It returns an error for a request, which has its own page.
func (c *call) currentItem() (lost.Item, error) {
	l, err := c.Location()
	if err != nil {
		return lost.Item{}, err
	}
	i, err := c.Services.Items.Get(c.Context(), c.Actor(), l.ID, c.Request.PathValue("id"))
	if err != nil {
		return i, err
	}
	return i, checkFound(c.Locale, i)
}

// checkFound returns an error if i is a request, because the actions apply only to found items.
func checkFound(lang frame.Locale, i lost.Item) error {
	if i.Source == lost.Request {
		return lang.NewError(lost.Conflict, "items.is-request")
	}
	return nil
}

// newActPage creates a confirmation page.
func (c *call) newActPage(i lost.Item, title, action, button string, text ...string) actPage {
	return actPage{
		Page: c.NewPage(title), Item: i, Base: frame.ItemPath(i), Action: action, Once: frame.NewFormKey(),
		Button: button, Text: text,
	}
}

// showAct renders the page. wrong is the error of the previous attempt, or nil.
func (c *call) showAct(status int, p actPage, wrong error) error {
	if wrong != nil {
		var err error
		if p.Problems, err = c.MarkErrors(p.Inputs, wrong); err != nil {
			return err
		}
	}
	return c.Render(status, "act", p)
}

// askNotify asks whether to notify the owner again.
func (c *call) askNotify() error {
	i, err := c.currentItem()
	if err != nil {
		return err
	}
	to := i.Owner.Address()
	if lost.CheckReminder(i) != nil {
		p := c.newActPage(i, c.Say("items.notify.gone.title"), "", "",
			c.Say("items.notify.gone", "reference", i.Reference))
		if to == "" {
			p = c.newActPage(i, c.Say("items.notify.no-contact.title"), "", "", c.Say("items.notify.no-contact"))
			p.Instead = frame.Link{Name: c.StepName(lost.NameAct), Href: p.Base + "?edit=owner#owner"}
		}
		p.None = true
		return c.showAct(http.StatusOK, p, nil)
	}
	p := c.newActPage(i, c.Say("items.notify.title"), "/notify", c.StepName(lost.RemindAct),
		c.Say("items.notify.text", "address", to))
	if p.NotSent = !c.Services.Messages.SendsTo(i.Owner); p.NotSent {
		p.Text = []string{c.Say("items.notify.saved", "address", to, "why", c.NotSentTo(i.Owner))}
		p.Button = c.Say("items.notify.save")
	}
	return c.showAct(http.StatusOK, p, nil)
}

func (c *call) notify() error {
	key, err := c.itemFormKey("notify")
	if err != nil {
		return err
	}
	m, err := c.Services.Messages.Notify(c.Context(), c.Actor(), c.Request.PathValue("location"),
		c.Request.PathValue("id"), key)
	if err != nil {
		return err
	}
	c.FlashMessageSent(m.Channel, c.Say("items.notify.sent", "address", m.To), c.Say("items.notify.done"))
	return c.redirectToItem()
}

// itemFormKey returns the idempotency key of a form about the item in the URL.
func (c *call) itemFormKey(what string) (lost.IdempotencyKey, error) {
	values, err := c.ReadForm()
	return frame.FormKey(values, what+" "+c.Request.PathValue("id")), err
}

// redirectToItem redirects to the item's page.
func (c *call) redirectToItem() error {
	return c.Redirect(frame.LocationPath(c.Request.PathValue("location"), "/items/"+c.Request.PathValue("id")))
}

// showLink shows the owner's link, so that the desk can give it to the owner, and a button to revoke it if somebody
// else has it.
func (c *call) showLink() error {
	f, err := c.itemDetail(1)
	if err != nil {
		return err
	}
	if _, err := c.Location(); err != nil {
		return err
	}
	if err := checkFound(c.Locale, f.Item); err != nil {
		return err
	}
	if f.GuestURL == "" {
		p := c.newActPage(f.Item, c.Say("items.link.title"), "", "", c.Say("items.link.none"))
		p.None = true
		return c.showAct(http.StatusOK, p, nil)
	}
	p := c.newActPage(f.Item, c.Say("items.link.title"), "/link", c.Say("items.link.revoke"),
		c.Say("items.link.careful"), c.Say("items.link.revoke.effect"))
	p.Show, p.Danger = f.GuestURL, true
	return c.showAct(http.StatusOK, p, nil)
}

func (c *call) revokeLink() error {
	key, err := c.itemFormKey("link")
	if err != nil {
		return err
	}
	if _, err := c.Services.Messages.RevokeLink(c.Context(), c.Actor(), c.Request.PathValue("location"),
		c.Request.PathValue("id"),
		key); err != nil {
		return err
	}
	c.Flash(c.Say("items.link.revoked"))
	return c.redirectToItem()
}

// retryLabel tries again to buy a label after the carrier rejected the first attempt.
func (c *call) retryLabel() error {
	key, err := c.itemFormKey("label")
	if err != nil {
		return err
	}
	if _, err := c.Services.Labels.RetryLabel(c.Context(), c.Actor(), c.Request.PathValue("location"),
		c.Request.PathValue("id"),
		key); err != nil {
		return err
	}
	c.Flash(c.Say("items.label.retried"))
	return c.redirectToItem()
}

// askRefund asks whether to refund the fee.
func (c *call) askRefund() error { return c.showRefund(http.StatusOK, "", nil) }

func (c *call) showRefund(status int, reason string, wrong error) error {
	i, err := c.currentItem()
	if err != nil {
		return err
	}
	if err := i.MayRefund(); err != nil {
		return err
	}
	if i.Parcel.DeskRefundDue() {
		p := c.newActPage(i, c.Say("items.refund.confirm.title"), "/refund", c.Say("items.refund.confirm"),
			c.TaskReason(i, lost.RefundTask))
		return c.showAct(status, p, wrong)
	}
	text := []string{c.Say("items.refund.text")}
	if price := i.Parcel.Price; price.Known() {
		text[0] = c.Say("items.refund.amount", "price", c.Money(price.Total(), price.Currency))
	}
	if !i.Parcel.PayBy.Online() {
		text = append(text, c.Say("items.refund.desk"))
	}
	to := i.Owner.Address()
	if c.Services.Messages.SendsTo(i.Owner) {
		text = append(text, c.Say("items.notified", "address", to))
	} else if to != "" {
		text = append(text, c.Say("items.refund.saved", "address", to, "why", c.NotSentTo(i.Owner)))
	}
	if i.Status == lost.FeePaid {
		text = append(text, c.Say("items.refund.again"))
	}
	p := c.newActPage(i, c.Say("items.refund.title"), "/refund", c.StepName(lost.RefundAct), text...)
	p.Inputs = []*frame.Input{{
		Name: "reason", Label: c.Say("items.refund.reason"), Type: "text", Value: reason,
		Hint: c.Say("items.refund.reason.hint"),
	}}
	return c.showAct(status, p, wrong)
}

func (c *call) refund() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	i, err := c.Services.Refunds.Refund(c.Context(), c.Actor(), c.Request.PathValue("location"),
		c.Request.PathValue("id"),
		lost.RefundPatch{Reason: respond.FormText(values, "reason")},
		frame.FormKey(values, "refund "+c.Request.PathValue("id")))
	if lost.CodeOf(err) == lost.Invalid {
		return c.showRefund(respond.RecordError(c.Writer, err), values.Get("reason"), err)
	}
	if err != nil {
		return err
	}
	switch {
	case i.Parcel.Refund == lost.RefundWanted && !i.Parcel.PayBy.Online():
		c.Flash(c.Say("items.refund.pay-back"))
	case i.Parcel.Refund == lost.RefundWanted:
		c.Flash(c.Say("items.refund.running"))
	default:
		c.Flash(c.Say("items.refund.recorded"))
	}
	return c.redirectToItem()
}

// askDelete asks the user to type the item's reference, so that nobody deletes an item by mistake.
func (c *call) askDelete() error { return c.showDelete(http.StatusOK, nil, nil) }

func (c *call) showDelete(status int, values url.Values, wrong error) error {
	i, err := c.currentItem()
	if err != nil {
		return err
	}
	if refused := lost.CheckDelete(i); refused != nil {
		p := c.newActPage(i, c.Say("items.delete.refused"), "", "", c.ErrorText(refused))
		p.None = true
		if i.MayRefund() == nil {
			p.Instead = frame.Link{Name: c.Say("items.delete.refund"), Href: p.Base + "/refund"}
		}
		return c.showAct(status, p, nil)
	}
	p := c.newActPage(i, c.Say("items.delete.title", "reference", i.Reference), "/delete", c.Say("items.delete.do"),
		c.Say("items.delete.text"))
	p.Danger = true
	p.Inputs = []*frame.Input{{
		Name: "reference", Label: c.Say("items.delete.confirm", "reference", i.Reference), Type: "text",
		Value: values.Get("reference"), Required: true, Narrow: true, Autocomplete: "off",
	}}
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
		return c.showDelete(respond.RecordError(c.Writer, wrong), values, wrong)
	}
	err = c.Services.Items.Delete(c.Context(), c.Actor(), i.LocationID, i.ID)
	if lost.CodeOf(err) == lost.Conflict {
		return c.showDelete(respond.RecordError(c.Writer, err), nil, nil)
	}
	if err != nil {
		return err
	}
	c.Flash(c.Say("items.delete.done", "reference", i.Reference))
	return c.Redirect(c.LastList(i.LocationID))
}
