package items

import (
	"cmp"
	"net/http"
	"net/url"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// askAddress asks where the owner wants an item sent.
func (c *call) askAddress() error {
	i, err := c.currentItem()
	if err != nil {
		return err
	}
	r := i.Shipping.Recipient
	return c.showAddress(http.StatusOK, i, url.Values{
		"recipient.name": {cmp.Or(r.Name, frame.FullName(i.Owner))}, "recipient.company": {r.Company}, "recipient.address1": {r.Address1}, "recipient.address2": {r.Address2},
		"recipient.zipCode": {r.ZipCode}, "recipient.city": {r.City}, "recipient.state": {r.State}, "recipient.country": {cmp.Or(r.Country, c.Here.Country)},
		"recipient.phone": {cmp.Or(r.Phone, i.Owner.Phone)},
	}, nil)
}

// showAddress shows the form, with what was wrong with it before; or why there is none.
func (c *call) showAddress(status int, i lost.Item, values url.Values, wrong error) error {
	if err := i.MaySend(); err != nil {
		return err
	}
	p := c.newActPage(i, "Where is it sent?", "/address", "Save the address", c.addressTexts(i)...)
	p.Inputs = recipientInputs(values)
	return c.showAct(status, p, wrong)
}

// addressTexts say what follows from an address.
func (c *call) addressTexts(i lost.Item) []string {
	if i.Status == lost.FeePaid {
		return []string{"It is paid for, and the carrier refused the label. Mend the address, and try the label again."}
	}
	text := "Save it when the owner has told you to send it. It then counts as “" + frame.StatusState(lost.InfoCompleted).Word + "”, and the price is worked out."
	switch {
	case i.Owner.Address() == "":
		return []string{text, "There is neither an e-mail address nor a phone number of the owner: tell them the price yourself."}
	case c.Desk.Writes(i.Owner):
		return []string{text, "The owner is written to at " + i.Owner.Address() + " what it costs and how to pay."}
	default:
		return []string{text, "The message to " + i.Owner.Address() + " with the price is kept: nothing is sent until that is set up."}
	}
}

func recipientInputs(values url.Values) []*frame.Input {
	field := func(name, label string, required bool) *frame.Input {
		return &frame.Input{Name: "recipient." + name, Label: label, Type: "text", Value: values.Get("recipient." + name), Required: required, Autocomplete: "off"}
	}
	country := field("country", "Country", true)
	country.Type, country.Options = "list", frame.CountryOptions()
	zip := field("zipCode", "Postal code", false)
	if zip.Narrow = true; lost.PostalExample(country.Value) != "" {
		zip.Required, zip.Hint = true, "Such as "+lost.PostalExample(country.Value)+"."
	}
	state := field("state", "State or province", lost.NeedsState(country.Value))
	phone := field("phone", "Phone number", false)
	phone.Type, phone.Hint = "tel", "For the carrier, with + and the country code."
	name := field("name", "Name", true)
	name.Focus = true
	return []*frame.Input{
		name, field("company", "Company", false), country, field("address1", "Street and number", true), field("address2", "More", false),
		zip, field("city", "Town", true), state, phone,
	}
}

// setAddress takes the address.
func (c *call) setAddress() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	get := func(name string) lost.Field[string] { return respond.Typed(values, "recipient."+name) }
	i, err := c.Desk.SendTo(c.Context(), c.Actor(), c.Request.PathValue("location"), c.Request.PathValue("id"), lost.RecipientPatch{
		Name: get("name"), Company: get("company"), Address1: get("address1"), Address2: get("address2"), City: get("city"), State: get("state"),
		ZipCode: get("zipCode"), Country: get("country"), Phone: get("phone"),
	})
	if lost.CodeOf(err) == lost.Invalid {
		before, missing := c.currentItem()
		if missing != nil {
			return missing
		}
		return c.showAddress(respond.Failed(c.Writer, err), before, values, err)
	}
	if err != nil {
		return err
	}
	c.Flash("The address is saved.")
	return c.Redirect(frame.ItemPath(i) + "#shipping")
}
