package items

import (
	"cmp"
	"net/http"
	"net/url"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// handOverPage asks who collects an item, or shows who collected it.
type handOverPage struct {
	frame.Page
	Item      frame.ItemSummary
	Storage   storageInfo
	Back      string // the path of the item's page
	Form      string // the path of this page
	Owner     string
	Planned   string // the date on which the owner planned to collect it
	Name      frame.Input
	IDChecked frame.Input
	Signature frame.Input // the signature, kept while asking for confirmation, and its error
	Seen      string      // the version of the item that the form was made from
	Unchecked bool        // the ID was not checked: ask for confirmation
	Done      *handedOver
}

// handedOver is a completed hand-over as shown on a page.
type handedOver struct {
	Name, When, Receipt, Signature string
	IDChecked                      bool
	Undo, Until                    string // the path and the deadline to undo it; empty if it is too late
}

// newHandedOver returns the completed hand-over of an item; nil if there is none.
func newHandedOver(c *frame.Call, i lost.Item, l lost.Location) *handedOver {
	h := i.Handover
	if !h.Known() {
		return nil
	}
	out := &handedOver{Name: h.Name, When: c.Moment(h.At, l.Zone()), IDChecked: h.IDChecked}
	if h.ReceiptFile != "" {
		out.Receipt = frame.FilePath(h.ReceiptFile)
	}
	if h.SignatureFile != "" {
		out.Signature = frame.PrivateFilePath(h.SignatureFile)
	}
	if c.May(lost.HandleItems) && i.MayUndoHandover(c.Now()) == nil {
		out.Undo, out.Until = frame.ItemPath(i)+"/hand-over/undo",
			h.At.Add(lost.UndoTime).In(l.Zone()).Format(lost.TimeLayout)
	}
	return out
}

func (c *handOverCall) handOverForm() error {
	return c.renderHandOver(http.StatusOK, nil, nil)
}

// renderHandOver shows the form with the submitted values and their errors, or the completed hand-over.
func (c *handOverCall) renderHandOver(status int, values url.Values, problem error) error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	i, err := c.Services.Items.Get(c.Context(), c.Actor(), l.ID, c.Request.PathValue("id"))
	if err != nil {
		return err
	}
	p := c.handOverPage(l, i, values)
	if i.Status == lost.PickUp && !i.ClosedAt.IsZero() && i.Handover.Known() {
		p.Done, p.Title = newHandedOver(c.Call, i, l), c.Say("items.handover.done")
		return c.Render(http.StatusOK, "handover", p)
	}
	if err := i.MayHandOver(); err != nil {
		return err
	}
	if p.Storage, err = loadStorageInfo(c.Call, l, i); err != nil {
		return err
	}
	if p.Problems, err = c.MarkErrors([]*frame.Input{&p.Name, &p.IDChecked, &p.Signature},
		signatureProblem(problem)); err != nil {
		return err
	}
	return c.Render(status, "handover", p)
}

func (c *handOverCall) handOverPage(l lost.Location, i lost.Item, values url.Values) handOverPage {
	owner := frame.OwnerName(c.Locale, i.Owner)
	p := handOverPage{
		Page: c.NewPage(c.StepName(lost.HandOverAct), "sign.js"), Item: c.SummarizeItem(i),
		Back: frame.LocationPath(l.ID, "/items/"+i.ID), Form: frame.LocationPath(l.ID, "/items/"+i.ID+"/hand-over"),
		Owner: owner,
		Name: frame.Input{
			Name: "recipient", Label: c.Say("items.handover.by"), Type: "text", Required: true, Value: owner,
			Autocomplete: "off",
		},
		IDChecked: frame.Input{Name: "idChecked", Label: c.Say("items.handover.check-id"), Type: "check"},
		Signature: frame.Input{Name: "signature", Label: c.Say("items.handover.signature")},
		Seen:      frame.EncodeVersion(i.UpdatedAt),
	}
	if i.Status == lost.PickUp && i.Pickup.Date != "" {
		p.Planned = c.PickupText(i)
	}
	if values != nil {
		p.Name.Value = values.Get("recipient")
		p.IDChecked.Value = values.Get("idChecked")
		p.Signature.Value = values.Get("signature")
		p.Seen = cmp.Or(values.Get("seen"), p.Seen)
		p.Unchecked = values.Get("recipient") != "" && values.Get("idChecked") == ""
	}
	return p
}

// signatureProblem replaces the problem with a signature by advice for people.
func signatureProblem(err error) error {
	if lost.ProblemsOf(err).Has("signature") {
		var p lost.Problems
		p.Add("signature", "invalid-signature", "could not be saved; clear it and sign again")
		return p.Err()
	}
	return err
}

// handOver records who collected an item.
func (c *handOverCall) handOver() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	values, signature, err := c.ReadSignedForm()
	if err != nil {
		return err
	}
	id := c.Request.PathValue("id")
	// without an ID check, ask for confirmation
	if values.Get("recipient") != "" && values.Get("idChecked") == "" && values.Get("unchecked") == "" {
		return c.renderHandOver(http.StatusUnprocessableEntity, values, nil)
	}
	patch := lost.HandoverPatch{
		Recipient: values.Get("recipient"), IDChecked: values.Get("idChecked") != "", Signature: signature,
		Seen: frame.FormVersion(values),
	}
	i, err := c.Services.Handovers.HandOver(c.Context(), c.Actor(), l.ID, id, patch, lost.IdempotencyKey{})
	if lost.CodeOf(err) == lost.Invalid {
		return c.renderHandOver(http.StatusUnprocessableEntity, values, err)
	}
	if err != nil {
		return err
	}
	c.Flash(c.Say("items.handover.flash", "name", i.Handover.Name))
	return c.Redirect(frame.LocationPath(l.ID, "/items/"+id+"/hand-over"))
}

// undoHandOver undoes a hand-over that was recorded by mistake.
func (c *handOverCall) undoHandOver() error {
	i, err := c.Services.Handovers.Undo(c.Context(), c.Actor(), c.Request.PathValue("location"),
		c.Request.PathValue("id"))
	if err != nil {
		return err
	}
	c.Flash(c.Say("items.handover.undone", "reference", i.Reference, "status", c.ItemState(i).Word))
	return c.Redirect(frame.ItemPath(i))
}

// handOverPaper sends a form to sign on paper as a PDF.
func (c *handOverCall) handOverPaper() error {
	l, err := c.Location()
	if err != nil {
		return err
	}
	content, err := c.Services.Handovers.Form(c.Context(), c.Actor(), l.ID, c.Request.PathValue("id"))
	if err != nil {
		return err
	}
	return c.WritePDF("hand-over.pdf", content)
}
