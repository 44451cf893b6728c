package items

import (
	"net/http"
	"net/url"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// identityPart is the shorter way for an identity paper or a payment card: who was informed, and where the item was
// forwarded to.
type identityPart struct {
	Base    string // the path of the item's page
	Seen    string // the version of the item that the forms were made from
	Show    string // the path that shows the photos in clear; empty if there are none or they are shown
	Handles bool
	Forward bool // the item can be forwarded
	Who     frame.Input
	Date    frame.Input
	To      frame.Input
}

// identityPart prepares the icon of an item without photos, and the part of the page about an identity paper or a
// payment card.
func (c *call) identityPart(p *itemPage) {
	i := p.Item
	if len(p.Photos) == 0 {
		p.Kind = frame.ShownCategory(i)
	}
	if !i.Category.IsIdentity() {
		return
	}
	part := &identityPart{
		Base: p.Base, Seen: frame.EncodeVersion(i.UpdatedAt), Handles: p.Handles && i.Source == lost.Found,
		Forward: i.MayHandOver() == nil,
	}
	if len(p.Photos) > 0 && p.Photos[0].Hidden {
		part.Show = p.Base + "?photos=show#photo-gallery"
	}
	part.Who = frame.Input{Name: "informed", Label: c.Say("items.identity.who"), Type: "list"}
	for _, party := range lost.InformedParties() {
		part.Who.Options = append(part.Who.Options, frame.Option{
			Value: string(party), Name: c.Say("items.identity.who." + string(party)),
		})
	}
	part.Date = frame.Input{
		Name: "date", Label: c.Say("items.identity.date"), Type: "date", Required: true, Narrow: true,
		Value: c.Now().In(i.Zone()).Format(lost.DateLayout),
	}
	part.To = frame.Input{
		Name: "recipient", Label: c.Say("items.identity.to"), Hint: c.Say("items.identity.to.hint"), Type: "text",
		Required: true, Autocomplete: "off",
	}
	p.Identity = part
}

// blurredPhoto sends a photo of an identity paper or a payment card in which nothing can be read.
func (c *call) blurredPhoto() error {
	content, err := c.Services.Items.BlurredPhoto(c.Context(), c.Actor(), c.Request.PathValue("location"),
		c.Request.PathValue("id"), c.Request.PathValue("image"))
	if err != nil {
		return err
	}
	c.WriteBytes("image/png", "private, max-age=86400", content)
	return nil
}

// inform records who was informed about an identity paper or a payment card.
func (c *call) inform() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	i, err := c.Services.Handovers.Inform(c.Context(), c.Actor(), c.Request.PathValue("location"),
		c.Request.PathValue("id"), desk.InformedPatch{Who: values.Get("informed"), On: values.Get("date")})
	return c.identityDone(i, err, values, "items.identity.informed")
}

// forward records to which issuer an identity paper or a payment card was forwarded, and closes the item.
func (c *call) forward() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	i, err := c.Services.Handovers.Forward(c.Context(), c.Actor(), c.Request.PathValue("location"),
		c.Request.PathValue("id"), desk.ForwardPatch{To: values.Get("recipient"), Seen: frame.FormVersion(values)})
	return c.identityDone(i, err, values, "items.identity.forwarded")
}

// identityDone returns to the item's page, or shows the page with the errors of a form.
func (c *call) identityDone(i lost.Item, err error, values url.Values, done string) error {
	if err == nil {
		c.Flash(c.Say(done))
		return c.Redirect(frame.ItemPath(i))
	}
	if lost.CodeOf(err) != lost.Invalid {
		return err
	}
	f, failed := c.itemDetail(fewLines)
	if failed != nil {
		return failed
	}
	p, failed := c.itemPage(f, url.Values{})
	if failed != nil {
		return failed
	}
	if p.Identity == nil { // the category was changed in the meantime
		return err
	}
	inputs := []*frame.Input{&p.Identity.Who, &p.Identity.Date, &p.Identity.To}
	for _, input := range inputs {
		if values.Has(input.Name) {
			input.Value = values.Get(input.Name)
		}
	}
	if p.Problems, err = c.MarkErrors(inputs, err); err != nil {
		return err
	}
	return c.Render(http.StatusUnprocessableEntity, "item", p)
}
