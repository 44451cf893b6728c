package main_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/html"

	"homeward/internal/payment/stripetest"
)

// shipment is one item that is shipped to its owner.
type shipment struct {
	path, id, reference, guest, shipment, checkout string
}

// newShipment creates an item, and chooses shipping on the owner's page until the payment page is shown.
func (r *shippingTest) newShipment() *shipment {
	r.t.Helper()
	r.sent++
	p := &shipment{guest: fmt.Sprintf("guest%d@example.com", r.sent)}
	item := r.service.must(http.StatusCreated, "POST", r.hotel+"/items",
		`{"description": "Black umbrella", "shipping": {"weight": 0.4, "weightUnit": "kg", "boxType": "long"},
		"owner": {"firstName": "Anna", "lastName": "Kowalska", "email": "`+p.guest+`"}}`)
	p.id, p.reference = item["id"].(string), item["reference"].(string)
	p.path = r.hotel + "/items/" + p.id
	link := r.post.Next(r.t, p.guest).Link(r.proxyURL + "/g/")
	address := r.form(r.page(link+"/ship?country=US", nil), link+"/ship")
	for name, value := range map[string]string{
		"name": "Anna Kowalska", "address1": "179 N Harbor Dr", "city": "Redondo Beach", "state": "CA",
		"zipCode": "90277",
	} {
		address.Set("recipient."+name, value)
	}
	bill := r.form(r.page(link+"/ship", address), link+"/pay")
	page := r.page(link+"/pay", bill)
	sessions := r.stripe.Sessions()
	if len(sessions) != r.sent {
		r.t.Fatalf("%d payment pages, want %d:\n%s", len(sessions), r.sent, page)
	}
	newest := sessions[len(sessions)-1]
	p.shipment, p.checkout = newest.Shipment, newest.ID
	if !strings.Contains(page, r.stripe.URL+"/pay/"+p.checkout) {
		r.t.Fatalf("the page does not link to the payment page %s:\n%s", p.checkout, page)
	}
	r.post.Next(r.t, p.guest) // skip the confirmation
	return p
}

// pay pays for a shipment. The provider repeats its webhook until the service returns 200, and then closes
// acknowledged.
func (r *shippingTest) pay(p *shipment) (acknowledged chan struct{}) {
	acknowledged = make(chan struct{})
	event := r.stripe.Pay(p.checkout)
	ctx, cancel := context.WithCancel(r.t.Context())
	var posting sync.WaitGroup
	posting.Go(func() {
		again := time.NewTicker(100 * time.Millisecond)
		defer again.Stop()
		for {
			if status, err := r.stripe.Post(ctx, event); err == nil && status == http.StatusOK {
				close(acknowledged)
				return
			}
			select {
			case <-again.C:
			case <-ctx.Done():
				return
			}
		}
	})
	r.t.Cleanup(func() {
		cancel()
		posting.Wait()
	})
	return acknowledged
}

// session returns the checkout session of a shipment.
func (r *shippingTest) session(p *shipment) stripetest.Session {
	all := r.stripe.Sessions()
	return all[slices.IndexFunc(all, func(s stripetest.Session) bool { return s.ID == p.checkout })]
}

// page requests a page of the service, or posts a form, and returns the final page.
func (r *shippingTest) page(address string, sent url.Values) string {
	r.t.Helper()
	method, body := http.MethodGet, ""
	if sent != nil {
		method, body = http.MethodPost, sent.Encode()
	}
	a, err := sendRequest(method, address, body, "Content-Type", "application/x-www-form-urlencoded")
	if err != nil || a.status != http.StatusOK {
		r.t.Fatalf("%s %s returned %d: %v %s", method, address, a.status, err, a.body)
	}
	return string(a.body)
}

// form finds the form on a page whose action is the given address, and returns the values of its fields.
func (r *shippingTest) form(page, address string) url.Values {
	r.t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		r.t.Fatal(err)
	}
	path := strings.TrimPrefix(address, r.proxyURL)
	for n := range root.Descendants() {
		if a := attributes(n); n.Data == "form" && a["method"] == "post" &&
			strings.TrimPrefix(a["action"], r.proxyURL) == path {
			return filledIn(n)
		}
	}
	r.t.Fatalf("no form for %s on\n%s", path, page)
	return nil
}

func filledIn(form *html.Node) url.Values {
	values := url.Values{}
	for n := range form.Descendants() {
		a := attributes(n)
		_, checked := a["checked"]
		if n.Type == html.ElementNode && n.Data == "input" && a["name"] != "" && (a["type"] != "radio" || checked) {
			values.Set(a["name"], a["value"])
		}
	}
	return values
}

func attributes(n *html.Node) map[string]string {
	of := map[string]string{}
	for _, a := range n.Attr {
		of[a.Key] = a.Val
	}
	return of
}
