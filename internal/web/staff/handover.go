package staff

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"homeward/internal/desk"
	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// handOverPage asks who takes an item, or tells who took it.
type handOverPage struct {
	page
	Item      glimpse
	Care      care
	Back      string // to the item
	Form      string // address of this page
	Owner     string
	Planned   string // when the owner wanted to come
	Name      input
	IDChecked input
	Signature input  // for what is wrong with it, and what was signed before a question
	Seen      string // the state of the item that the form was made from
	Unchecked bool   // the ID was not: whoever hands it over is asked once more
	Done      *handedOver
}

// handedOver is a hand-over as it is shown.
type handedOver struct {
	Name, When, Receipt, Signature string
	IDChecked                      bool
	Undo, Until                    string // where it is undone, and how long that can be; empty where it cannot be
}

func (c *call) showHandover(i lost.Item, l lost.Location) *handedOver {
	h := i.Handover
	if !h.Known() {
		return nil
	}
	out := &handedOver{Name: h.Name, When: moment(h.At, l.Zone()), IDChecked: h.IDChecked}
	if h.ReceiptFile != "" {
		out.Receipt = filePath(h.ReceiptFile)
	}
	if h.SignatureFile != "" {
		out.Signature = filePath(h.SignatureFile)
	}
	if c.may(lost.Handle) && i.MayTakeBack(c.now()) == nil {
		out.Undo, out.Until = itemPath(i)+"/hand-over/undo", h.At.Add(lost.UndoTime).In(l.Zone()).Format(lost.TimeForm)
	}
	return out
}

func (c *call) handOverForm() error {
	return c.showHandOver(http.StatusOK, nil, nil)
}

// showHandOver shows the form, with what was typed and what was wrong with it; or the hand-over, where it was.
func (c *call) showHandOver(status int, values url.Values, problem error) error {
	l, err := c.at()
	if err != nil {
		return err
	}
	i, err := c.desk.Item(c.ctx(), c.actor(), l.ID, c.r.PathValue("id"))
	if err != nil {
		return err
	}
	p := c.handOverPage(l, i, values)
	if i.Status == lost.PickUp && !i.ClosedAt.IsZero() && i.Handover.Known() {
		p.Done, p.Title = c.showHandover(i, l), "Handed over"
		return c.write(http.StatusOK, "handover", p)
	}
	if err := i.MayHandOver(); err != nil {
		return err
	}
	if p.Care, err = c.careOf(l, i); err != nil {
		return err
	}
	if p.Problems, err = judge([]*input{&p.Name, &p.IDChecked, &p.Signature}, signatureProblem(problem)); err != nil {
		return err
	}
	return c.write(status, "handover", p)
}

func (c *call) handOverPage(l lost.Location, i lost.Item, values url.Values) handOverPage {
	owner := fullName(i.Owner)
	p := handOverPage{
		page: c.page("Hand over", "sign.js"), Item: glance(i), Back: atPath(l.ID, "/items/"+i.ID), Form: atPath(l.ID, "/items/"+i.ID+"/hand-over"), Owner: owner,
		Name:      input{Name: "name", Label: "Name of who takes it", Type: "text", Required: true, Value: owner, Autocomplete: "off"},
		IDChecked: input{Name: "idChecked", Label: "I have checked their ID", Type: "check"},
		Signature: input{Name: "signature", Label: "Signature"},
		Seen:      seenAs(i.UpdatedAt),
	}
	if i.Status == lost.PickUp && i.Pickup.Date != "" {
		p.Planned = i18n.Join(", ", day(i.Pickup.Date), i.Pickup.Time)
	}
	if values != nil {
		p.Name.Value, p.IDChecked.Value, p.Signature.Value, p.Seen = values.Get("name"), values.Get("idChecked"), values.Get("signature"), cmp.Or(values.Get("seen"), p.Seen)
		p.Unchecked = values.Get("name") != "" && values.Get("idChecked") == ""
	}
	return p
}

// signatureProblem puts what is wrong with a picture beside the signature: nothing else of the form is one.
func signatureProblem(err error) error {
	switch lost.CodeOf(err) {
	case lost.TooLarge, lost.Unsupported:
		var p lost.Problems
		p.Add("signature", "not-taken", "could not be kept; clear it and sign again")
		return p.Err()
	default:
		return err
	}
}

// handOver notes who took an item.
func (c *call) handOver() error {
	l, err := c.at()
	if err != nil {
		return err
	}
	values, signature, err := c.signedForm()
	if err != nil {
		return err
	}
	var picture io.Reader
	if len(signature) > 0 {
		picture = bytes.NewReader(signature)
	}
	id := c.r.PathValue("id")
	if values.Get("name") != "" && values.Get("idChecked") == "" && values.Get("unchecked") == "" { // once more, and deliberately
		return c.showHandOver(http.StatusUnprocessableEntity, values, nil)
	}
	patch := lost.HandoverPatch{Name: values.Get("name"), IDChecked: values.Get("idChecked") != "", Seen: seenIn(values)}
	i, err := c.desk.HandOver(c.ctx(), c.actor(), l.ID, id, patch, picture)
	switch lost.CodeOf(err) {
	case lost.Invalid, lost.TooLarge, lost.Unsupported:
		if err != nil {
			return c.showHandOver(http.StatusUnprocessableEntity, values, err)
		}
	}
	if err != nil {
		return err
	}
	c.tell("Handed over to " + i.Handover.Name + ".")
	return c.see(atPath(l.ID, "/items/"+id+"/hand-over"))
}

// undoHandOver takes a hand-over back that was a mistake.
func (c *call) undoHandOver() error {
	i, err := c.desk.TakeBack(c.ctx(), c.actor(), c.r.PathValue("location"), c.r.PathValue("id"))
	if err != nil {
		return err
	}
	c.tell("Undone. " + i.Reference + " is here: " + stateOf(i).Word + ".")
	return c.see(itemPath(i))
}

// maxSigned is the most bytes of a signature as it is sent: text, four characters for three bytes.
const maxSigned = (desk.MaxSignature/3 + 1) * 4

// signedForm reads a form with a signature, which a script adds where there is one.
func (c *call) signedForm() (url.Values, []byte, error) {
	c.r.Body = http.MaxBytesReader(c.w, c.r.Body, 2*maxSigned)
	form, err := c.r.MultipartReader()
	if err != nil {
		return nil, nil, respond.Unreadable(err)
	}
	values := url.Values{}
	for range maxParts {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return values, readSignature(values.Get("signature")), nil
		}
		if err != nil {
			return nil, nil, respond.Unreadable(err)
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return nil, nil, respond.Unreadable(err)
		}
		values.Add(part.FormName(), string(content))
	}
	return nil, nil, respond.Unreadable(nil)
}

// readSignature reads a picture that is written as a data address. What is none comes back as it is: whoever judges pictures says so.
func readSignature(text string) []byte {
	_, coded, _ := strings.Cut(text, ";base64,")
	picture, err := base64.StdEncoding.DecodeString(coded)
	if err != nil || len(picture) == 0 {
		return []byte(text)
	}
	return picture
}

// handOverPaper is a form to be signed by hand.
func (c *call) handOverPaper() error {
	l, err := c.at()
	if err != nil {
		return err
	}
	content, err := c.desk.HandoverForm(c.ctx(), c.actor(), l.ID, c.r.PathValue("id"))
	if err != nil {
		return err
	}
	return c.pdf("hand-over.pdf", content)
}
