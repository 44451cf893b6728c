package items

import (
	"cmp"
	"net/http"
	"net/url"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// askAddress asks for the shipping address.
func (c *call) askAddress() error {
	i, err := c.currentItem()
	if err != nil {
		return err
	}
	r := i.Shipping.Recipient
	name := i18n.Choose(i.Language).FullName(i.Owner.FirstName, i.Owner.LastName) // as the owner writes it
	return c.showAddress(http.StatusOK, i, url.Values{
		"recipient.name": {cmp.Or(r.Name, name)}, "recipient.company": {r.Company},
		"recipient.address1": {r.Address1}, "recipient.address2": {r.Address2},
		"recipient.zipCode": {r.ZipCode}, "recipient.city": {r.City}, "recipient.state": {r.State},
		"recipient.country": {cmp.Or(r.Country, c.Here.Country)},
		"recipient.phone":   {cmp.Or(r.Phone, i.Owner.Phone)},
	}, nil)
}

// showAddress renders the address form with its errors or, if the item cannot be shipped, the reason.
func (c *call) showAddress(status int, i lost.Item, values url.Values, wrong error) error {
	if err := i.MaySend(); err != nil {
		return err
	}
	p := c.newActPage(i, c.Say("items.address.title"), "/address", c.Say("items.address.save"), c.addressTexts(i)...)
	p.Inputs = recipientInputs(c.Locale, values)
	return c.showAct(status, p, wrong)
}

// addressTexts explains what happens when the address is saved.
func (c *call) addressTexts(i lost.Item) []string {
	if i.Status == lost.FeePaid {
		return []string{c.Say("items.address.rejected")}
	}
	text := c.Say("items.address.text", "status", c.StatusState(lost.InfoCompleted).Word)
	switch to := i.Owner.Address(); {
	case to == "":
		return []string{text, c.Say("items.address.no-contact")}
	case c.Services.Messages.SendsTo(i.Owner):
		return []string{text, c.Say("items.address.sent", "address", to)}
	default:
		return []string{text, c.Say("items.address.saved", "address", to)}
	}
}

func recipientInputs(lang frame.Locale, values url.Values) []*frame.Input {
	field := func(name, label string, required bool) *frame.Input {
		return &frame.Input{
			Name: "recipient." + name, Label: label, Type: "text", Value: values.Get("recipient." + name),
			Required: required, Autocomplete: "off",
		}
	}
	country := field("country", lang.FieldLabel("country"), true)
	country.Type, country.Options = "list", lang.CountryOptions()
	zip := field("zipCode", lang.FieldLabel("zipCode"), false)
	zip.Narrow = true
	if example := lost.PostalExample(country.Value); example != "" {
		zip.Required, zip.Hint = true, lang.Say("items.address.zip", "example", example)
	}
	state := field("state", lang.FieldLabel("state"), lost.NeedsState(country.Value))
	phone := field("phone", lang.FieldLabel("owner.phone"), false)
	phone.Type, phone.Hint = "tel", lang.Say("items.address.phone")
	name := field("name", lang.Say("items.owner.name"), true)
	name.Focus = true
	return frame.ArrangeInputs(lang, []*frame.Input{
		name, field("company", lang.Say("items.address.company"), false), country,
		field("address1", lang.FieldLabel("address1"), true), field("address2", lang.FieldLabel("address2"), false),
		zip, field("city", lang.FieldLabel("city"), true), state, phone,
	})
}

// setAddress saves the address.
func (c *call) setAddress() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	get := func(name string) lost.Field[string] { return respond.FormText(values, "recipient."+name) }
	i, err := c.Services.Payments.SetAddress(c.Context(), c.Actor(), c.Request.PathValue("location"),
		c.Request.PathValue("id"),
		lost.RecipientPatch{
			Name: get("name"), Company: get("company"), Address1: get("address1"), Address2: get("address2"),
			City: get("city"), State: get("state"),
			ZipCode: get("zipCode"), Country: get("country"), Phone: get("phone"),
		})
	if lost.CodeOf(err) == lost.Invalid {
		before, missing := c.currentItem()
		if missing != nil {
			return missing
		}
		return c.showAddress(respond.RecordError(c.Writer, err), before, values, err)
	}
	if err != nil {
		return err
	}
	c.Flash(c.Say("items.address.done"))
	return c.Redirect(frame.ItemPath(i) + "#shipping")
}
