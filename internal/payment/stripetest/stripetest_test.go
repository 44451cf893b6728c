package stripetest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stripe/stripe-go/v86"
	"github.com/stripe/stripe-go/v86/webhook"

	"homeward/internal/payment/stripetest"
)

const shipment = "shp_1"

// site starts a web server that has the pages that Stripe redirects to, and the webhook that receives events.
func site(t *testing.T, s *stripetest.Server) (address string, events chan stripe.Event) {
	t.Helper()
	events = make(chan stripe.Event, 10)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "back at "+r.URL.Path)
	})
	mux.HandleFunc("POST /hook", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		e, err := webhook.ConstructEvent(body, r.Header.Get("Stripe-Signature"), s.Secret)
		if err != nil {
			t.Error(err)
		}
		events <- e
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL, events
}

// create creates a session with Stripe's official library.
func create(t *testing.T, s *stripetest.Server, site string) *stripe.CheckoutSession {
	t.Helper()
	client := stripe.NewClient(s.Key,
		stripe.WithBackends(stripe.NewBackendsWithConfig(&stripe.BackendConfig{URL: &s.URL})))
	made, err := client.V1CheckoutSessions.Create(t.Context(), &stripe.CheckoutSessionCreateParams{
		Mode: stripe.String("payment"), SuccessURL: stripe.String(site + "/done"),
		CancelURL: stripe.String(site + "/back"), ClientReferenceID: stripe.String(shipment),
		LineItems: []*stripe.CheckoutSessionCreateLineItemParams{{Quantity: stripe.Int64(1),
			PriceData: &stripe.CheckoutSessionCreateLineItemPriceDataParams{
				Currency: stripe.String("eur"), UnitAmount: stripe.Int64(890),
				ProductData: &stripe.CheckoutSessionCreateLineItemPriceDataProductDataParams{
					Name: stripe.String("<b>Parcel</b>"),
				},
			}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func text(t *testing.T, res *http.Response, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestButtonPaysPostsTheEventAndRedirects(t *testing.T) {
	s := stripetest.New(t)
	home, events := site(t, s)
	s.Notify(home + "/hook")
	made := create(t, s, home)
	res, err := http.Get(made.URL)
	page := text(t, res, err)
	for _, want := range []string{
		`<button id="pay">`, `href="` + home + `/back"`, "&lt;b&gt;Parcel", `<span id="total">890</span>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not contain %s:\n%s", want, page)
		}
	}
	if s.Charges(shipment) != 0 {
		t.Error("loading the page created a charge")
	}
	for range 2 { // the second request must not charge again
		res, err = http.PostForm(made.URL, url.Values{})
		if got := text(t, res, err); got != "back at /done" {
			t.Errorf("redirected to %q", got)
		}
	}
	e := <-events
	if e.Type != "checkout.session.completed" || s.Charges(shipment) != 1 || len(events) != 0 {
		t.Errorf("event %s, %d charges, %d more events", e.Type, s.Charges(shipment), len(events))
	}
	status, err := s.Post(t.Context(), s.Events()[0])
	if again := <-events; err != nil || status != http.StatusOK || again.ID != e.ID {
		t.Errorf("replayed event: got id %s, want %s (%d, %v)", again.ID, e.ID, status, err)
	}
	res, err = http.Get(made.URL)
	if text(t, res, err); res.StatusCode != http.StatusGone {
		t.Errorf("page of a paid session: got status %d, want 410", res.StatusCode)
	}
}

func TestAnExpiredPageCannotBePaid(t *testing.T) {
	s := stripetest.New(t)
	home, _ := site(t, s)
	made := create(t, s, home)
	s.Expire(made.ID)
	res, err := http.PostForm(made.URL, url.Values{})
	if text(t, res, err); res.StatusCode != http.StatusGone || s.Charges(shipment) != 0 {
		t.Errorf("got status %d and %d charges", res.StatusCode, s.Charges(shipment))
	}
}
