package app_test

import (
	"bytes"
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"homeward/internal/app"
)

// parcelDesk is the address to which the location's labels are sent.
const parcelDesk = "parcels@adler.example"

// shippingHotel returns a location that ships parcels itself and charges a handling fee.
func shippingHotel() map[string]any {
	place := hotelAdler()
	place["contact"].(map[string]any)["email2"] = parcelDesk
	place["shipping"] = map[string]any{
		"handlingFee": 250, "taxRate": 19, "taxId": "DE123456789",
		"trackingUrl": "https://carrier.example/track/{number}",
	}
	return place
}

// harborHotel returns a location that ships with a carrier.
func harborHotel() map[string]any {
	return map[string]any{
		"name": "Harbor Hotel", "address1": "417 Montgomery Street", "city": "San Francisco", "state": "CA",
		"zipCode": "94104", "country": "US",
		"contact": map[string]any{
			"name": "Jo Park", "email": "desk@harbor.example", "email2": parcelDesk, "phone": "+14151234567",
		},
	}
}

// withPayment returns a function that sets how fees are paid.
func withPayment(how string) func(*app.Config) { return func(c *app.Config) { c.Payment = how } }

// newParcelItem returns an item with an owner and everything needed to calculate a price.
func newParcelItem(name string, more map[string]any) map[string]any {
	item := map[string]any{
		"owner": newOwner(name), "shipping": map[string]any{"weight": 0.8, "weightUnit": "kg", "boxType": "flat"},
	}
	maps.Copy(item, more)
	return item
}

// chooseShipping goes from the guest's page to the address form.
func (j *journey) chooseShipping(country string) {
	j.t.Helper()
	j.v.Follow("Have it sent")
	j.v.Choose("Country", country)
	j.v.Follow("Continue")
}

// fillAddress fills in and sends the address form.
func (j *journey) fillAddress(street, zip, city string) {
	j.t.Helper()
	j.v.Fill("Street and number", street)
	j.v.Fill("Postal code", zip)
	j.v.Fill("City", city)
	j.v.Follow("Save address")
}

// checkStablePage is checkPage with an additional check that nothing on the page moves after it is shown.
func (j *journey) checkStablePage(name string, texts ...string) {
	j.t.Helper()
	j.v.See(texts...)
	j.v.CheckLayoutShift()
	j.inspectPage(j.v, name)
}

// hiddenField matches hidden form fields.
var hiddenField = regexp.MustCompile(`<input[^>]* name="([^"]*)" value="([^"]*)"`)

// page reads a guest page without a browser, and returns its text and the values of its form.
func (j *journey) page(address string) (text string, form url.Values) {
	j.t.Helper()
	r, err := http.NewRequestWithContext(j.t.Context(), "GET", address, nil)
	if err != nil {
		j.t.Fatal(err)
	}
	a, err := send(j.unchecked, r)
	if err != nil || a.status != http.StatusOK {
		j.t.Fatalf("%v, %d %s", err, a.status, a.body)
	}
	form = url.Values{}
	for _, field := range hiddenField.FindAllStringSubmatch(string(a.body), -1) {
		if name := html.UnescapeString(field[1]); !form.Has(name) { // keep the first of several offers
			form.Set(name, html.UnescapeString(field[2]))
		}
	}
	return html.UnescapeString(string(a.body)), form
}

// submit sends a form without a browser.
func (j *journey) submit(address string, form url.Values) response {
	j.t.Helper()
	r, err := http.NewRequestWithContext(j.t.Context(), "POST", address, strings.NewReader(form.Encode()))
	if err != nil {
		j.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	a, err := send(j.unchecked, r)
	if err != nil {
		j.t.Fatal(err)
	}
	return a
}

// submitAddress chooses shipping without a browser, and returns the values of the payment form.
func (j *journey) submitAddress(link string, to url.Values) (bill url.Values) {
	j.t.Helper()
	if a := j.submit(link+"/ship", to); a.status != http.StatusSeeOther ||
		!strings.HasSuffix(a.header.Get("Location"), "/pay") {
		j.t.Fatalf("the address form returned %d %s\n%s", a.status, a.header.Get("Location"), a.body)
	}
	_, bill = j.page(link + "/pay")
	return bill
}

// Addresses as the form sends them.
func addressInBerlin() url.Values {
	return url.Values{
		"recipient.name": {"Anna Berg"}, "recipient.address1": {"Lindenweg 3"}, "recipient.zipCode": {"10115"},
		"recipient.city": {"Berlin"}, "recipient.country": {"DE"},
	}
}

func addressInHouston() url.Values {
	return url.Values{
		"recipient.name": {"Anna Berg"}, "recipient.address1": {"2001 Kirby Drive"}, "recipient.zipCode": {"77019"},
		"recipient.city":  {"Houston"},
		"recipient.state": {"TX"}, "recipient.country": {"US"},
	}
}

// postHook posts a callback as another service would, and returns the response's status.
func (j *journey) postHook(hook string, header http.Header, body []byte) int {
	j.t.Helper()
	r, err := http.NewRequestWithContext(j.t.Context(), "POST", j.url+"/hooks/"+hook, bytes.NewReader(body))
	if err != nil {
		j.t.Fatal(err)
	}
	r.Header = header.Clone()
	a, err := send(j.unchecked, r)
	if err != nil {
		j.t.Fatal(err)
	}
	return a.status
}

// waitForStatus waits until an item has the given status, and returns the item.
func (j *journey) waitForStatus(item, status string) (record map[string]any) {
	j.t.Helper()
	waitUntil(j.t, item+" is "+status, func() bool {
		record = j.must(http.StatusOK, "GET", item, nil)
		return record["status"] == status
	})
	return record
}

// shippingOf returns the shipping fields of an item.
func shippingOf(record map[string]any) map[string]any {
	shipping, _ := record["shipping"].(map[string]any)
	return shipping
}

// setStatus changes the status of an item, as the desk would.
func (j *journey) setStatus(item, status string, more map[string]any) map[string]any {
	j.t.Helper()
	body := map[string]any{"status": status}
	maps.Copy(body, more)
	return j.must(http.StatusOK, "PUT", item+"/update-status", body)
}
