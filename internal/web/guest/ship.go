package guest

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// askShip first asks for the country, because the price depends on it, and then shows the price and asks for the
// address.
func (c linkCall) askShip() error {
	open, err := c.mayChoose()
	if err != nil {
		return err
	}
	if !open {
		return c.redirect(c.home())
	}
	if _, ships := c.visit.Item.CanShip(*c.place); !ships {
		return c.redirect(c.home() + "?unsent=1")
	}
	query := c.r.URL.Query()
	if !query.Has("country") {
		return c.countryForm(http.StatusOK, c.likelyCountry(), nil)
	}
	country, known := lost.ParseCountry(query.Get("country"))
	if !known {
		return c.countryForm(http.StatusUnprocessableEntity, "", unknownCountry())
	}
	return c.addressForm(http.StatusOK, c.knownAddress(country), nil)
}

func unknownCountry() (p lost.Problems) {
	p.Add("country", "invalid-country", "must be a country")
	return p
}

// likelyCountry guesses the country where the guest lives: from an address entered before, then from the browser's
// language, and otherwise from the location's country.
func (c linkCall) likelyCountry() string {
	if known := c.visit.Item.Shipping.Recipient.Country; known != "" {
		return known
	}
	for tag := range strings.SplitSeq(c.r.Header.Get("Accept-Language"), ",") {
		tag, _, _ = strings.Cut(strings.TrimSpace(tag), ";")
		_, region, found := strings.Cut(tag, "-")
		if !found {
			continue
		}
		if country, ok := lost.ParseCountry(region[strings.LastIndexByte(region, '-')+1:]); ok {
			return country
		}
	}
	return c.place.Country
}

// countryPage asks for the country of the address.
type countryPage struct {
	formPage
	Country *input
	Price   price
}

func (c linkCall) countryForm(status int, country string, problems lost.Problems) error {
	l := c.language()
	p := countryPage{formPage: c.formPage(l.Say("guest.ship.title"), "ship", nil)}
	p.Country = &input{
		Name: "country", Label: l.Say("guest.ship.country"), Type: "list", Value: country,
		Autocomplete: "country", Options: l.Countries(lost.Countries()),
	}
	p.Button = l.Say("guest.ship.next")
	p.Problems = assignProblems(l, []*input{p.Country}, problems, problemContext{})
	if country != "" {
		var err error
		if p.Price, err = c.estimate(l, country); err != nil {
			return err
		}
		if p.Price.Known {
			p.Text = l.Say("guest.ship.text")
		}
	}
	return c.write(status, "country", p)
}

// addressPage shows the price and asks for the address.
type addressPage struct {
	formPage
	Price                           price
	Country, CountryCode, Elsewhere string
}

// ship saves the address to which the item will be sent.
func (c linkCall) ship() error {
	if err := c.openLink(); err != nil {
		return err
	}
	sent, err := c.form()
	if err != nil {
		return err
	}
	get := func(name string) lost.Field[string] { return respond.FormText(sent, "recipient."+name) }
	p := lost.ChoicePatch{Choice: lost.ChooseShip, Recipient: lost.RecipientPatch{
		Name: get("name"), Company: get("company"), Address1: get("address1"), Address2: get("address2"),
		City: get("city"), State: get("state"), ZipCode: get("zipCode"), Country: get("country"), Phone: get("phone"),
	}}
	p.Seen = lost.Status(sent.Get("seen"))
	v, err := c.services.Guests.Choose(c.r.Context(), c.token, p)
	if err == nil && v.Item.Status == lost.InfoCompleted && v.Item.Parcel.Offered {
		return c.redirect(c.home() + "/pay")
	}
	return c.showResult(err, func(problems lost.Problems) error {
		if problems.Has("choice") { // shipping is no longer possible
			return c.redirect(c.home() + "?unsent=1")
		}
		if _, known := lost.ParseCountry(sent.Get("recipient.country")); !known {
			return c.countryForm(http.StatusUnprocessableEntity, "", unknownCountry())
		}
		return c.addressForm(http.StatusUnprocessableEntity, sent, problems)
	})
}

// knownAddress returns the values with which to prefill the address form: what is known about the guest's address in
// a country.
func (c linkCall) knownAddress(country string) url.Values {
	r, owner := c.visit.Item.Shipping.Recipient, c.visit.Item.Owner
	if r.Country != country {
		r = lost.Recipient{Name: cmp.Or(r.Name, c.language().FullName(owner.FirstName, owner.LastName)), Phone: r.Phone}
	}
	return url.Values{
		"recipient.name": {r.Name}, "recipient.company": {r.Company},
		"recipient.address1": {r.Address1}, "recipient.address2": {r.Address2},
		"recipient.city": {r.City}, "recipient.state": {r.State}, "recipient.zipCode": {r.ZipCode},
		"recipient.phone": {r.Phone}, "recipient.country": {country},
	}
}

func (c linkCall) addressForm(status int, values url.Values, problems lost.Problems) error {
	l := c.language()
	country, _ := lost.ParseCountry(values.Get("recipient.country"))
	cost, err := c.estimate(l, country)
	if err != nil {
		return err
	}
	p := addressPage{
		formPage: c.formPage(l.Say("guest.address.form.title"), "ship", values), Price: cost,
		Country: l.Country(country), CountryCode: country, Elsewhere: c.home() + "/ship",
	}
	p.Inputs = addressInputs(l, country, values)
	p.Button, p.Collects = l.Say("guest.address.button"), true
	p.Back = p.Elsewhere
	p.Problems = assignProblems(l, p.Inputs, problems, problemContext{country: country})
	return c.write(status, "address", p)
}

// addressInputs returns the form fields for an address in a country.
func addressInputs(l *i18n.Language, country string, values url.Values) (inputs []*input) {
	add := func(name, label, autocomplete string) *input {
		name = "recipient." + name
		i := &input{
			Name: name, Label: label, Type: "text", Autocomplete: autocomplete, Value: values.Get(name),
			maxLength: lost.MaxShort,
		}
		inputs = append(inputs, i)
		return i
	}
	add("name", l.Say("guest.address.name"), "name")
	add("company", l.Say("guest.address.company"), "organization").Optional = true
	add("address1", l.Say("guest.address.street"), "address-line1")
	add("address2", l.Say("guest.address.more"), "address-line2").Optional = true
	zip := add("zipCode", l.Say("guest.address.zip"), "postal-code")
	zip.Narrow, zip.maxLength = true, 20
	if example := lost.PostalExample(country); example != "" {
		zip.Hint = l.Say("guest.address.zip.hint", "example", example)
	} else {
		zip.Optional = true
	}
	add("city", l.Say("guest.address.city"), "address-level2")
	if lost.NeedsState(country) {
		add("state", l.Say("guest.address.state"), "address-level1")
	}
	phone := add("phone", l.Say("guest.address.phone"), "tel")
	phone.Type, phone.Keyboard = "tel", "tel"
	phone.Optional, phone.Hint = true, l.Say("guest.address.phone.hint")
	i18n.ArrangeFields(l, inputs, func(i *input) string { return i.Name })
	return inputs
}
