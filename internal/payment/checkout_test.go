package payment_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/lost"
	"homeward/internal/payment"
	"homeward/internal/payment/stripetest"
)

func TestCheckoutPageHasItemAndOwner(t *testing.T) {
	server, s := newStripe(t)
	c := opened(t, s, bill())
	made := server.Sessions()[0]
	if c.ID != made.ID || c.URL != server.URL+"/pay/"+made.ID || !c.ExpiresAt.Equal(made.Expires) ||
		!c.Open(time.Now().Add(23*time.Hour)) {
		t.Errorf("got %+v", c)
	}
	want := map[string]string{
		"mode": "payment", "client_reference_id": shipment, "customer_email": "ada@example.com", "locale": "en",
		"success_url": "https://homeward.example/g/token?paid", "cancel_url": "https://homeward.example/g/token",
		"metadata[shipment]": shipment, "metadata[round]": "1",
		"payment_intent_data[metadata][shipment]": shipment, "payment_intent_data[metadata][round]": "1",
		"payment_intent_data[description]":                     "Black umbrella, Hotel Alpenblick",
		"line_items[0][price_data][product_data][name]":        "Parcel",
		"line_items[0][price_data][product_data][description]": "Black umbrella, Hotel Alpenblick",
		"line_items[0][price_data][unit_amount]":               "890", "line_items[0][price_data][currency]": "eur",
		"line_items[0][quantity]":                "1",
		"line_items[1][price_data][unit_amount]": "250", "line_items[1][price_data][currency]": "eur",
		"line_items[1][quantity]":   "1",
		"adaptive_pricing[enabled]": "false",
	}
	handling := made.Lines[1].Name
	delete(made.Form, "line_items[1][price_data][product_data][name]")
	if diff := cmp.Diff(want, made.Form); diff != "" || handling == "" {
		t.Errorf("%q: (-want +got)\n%s", handling, diff)
	}
	if got := server.Requests(); len(got) != 1 || got[0] != "POST /v1/checkout/sessions checkout "+shipment+" 1" {
		t.Error(got)
	}
}

func TestHandlingIsASeparateLineInTheOwnersLanguage(t *testing.T) {
	server, s := newStripe(t)
	names := map[string]bool{}
	for n, language := range []string{"en", "de", "ja"} {
		b := bill()
		b.Round, b.Language = n, language
		opened(t, s, b)
		names[server.Sessions()[n].Lines[1].Name] = true
	}
	if len(names) != 3 {
		t.Errorf("got names %v for three languages", names)
	}
	b := bill()
	b.Round, b.Shipment.Quote.Price.Handling = 9, 0
	opened(t, s, b)
	if lines := server.Sessions()[3].Lines; len(lines) != 1 {
		t.Errorf("lines without handling: %v, want one", lines)
	}
}

func TestOneRoundHasOnePage(t *testing.T) {
	server, s := newStripe(t)
	first := opened(t, s, bill())
	pages := make([]lost.Checkout, 8)
	var all sync.WaitGroup
	for n := range pages {
		all.Go(func() { pages[n], _ = s.Open(t.Context(), bill()) })
	}
	all.Wait()
	for _, c := range pages {
		if c != first {
			t.Errorf("got %v, want %v", c, first)
		}
	}
	next := bill()
	next.Round = 2
	if opened(t, s, next).ID == first.ID || len(server.Sessions()) != 2 {
		t.Error("the next round has the same page")
	}
}

// The service may crash after Stripe has created a page but before the response arrives.
func TestOpenReturnsThePageAfterALostResponse(t *testing.T) {
	t.Parallel()
	server, s := newStripe(t)
	var once sync.Once
	server.OnRequest(func(_, _, phase string) {
		if phase == "after" {
			once.Do(func() { panic(http.ErrAbortHandler) })
		}
	})
	c := opened(t, s, bill())
	if all := server.Sessions(); len(all) != 1 || all[0].ID != c.ID {
		t.Errorf("got %v, want the only one of %v", c, all)
	}
}

// If the event about a page is lost, the state of the page can be requested.
func TestTheStateOfAPageCanBeRead(t *testing.T) {
	server, s := newStripe(t)
	var open []string
	for round := range 4 {
		b := bill()
		b.Round = round
		open = append(open, opened(t, s, b).ID)
	}
	server.Pay(open[1])
	server.CompleteUnpaid(open[2])
	server.Expire(open[3])
	for n, want := range []lost.PaymentState{"", lost.PaymentPaid, lost.PaymentWaiting, lost.PaymentExpired} {
		update, err := s.CheckoutState(t.Context(), open[n])
		if err != nil || update.State != want ||
			want != "" && (update.Checkout != open[n] || update.Amount != 1140 || update.Currency != "EUR" ||
				update.By != lost.PayStripe) {
			t.Errorf("%q: %+v, %v", want, update, err)
		}
	}
	update, err := s.CheckoutState(t.Context(), "cs_unknown")
	if lost.CodeOf(err) != lost.Invalid || update.State != "" {
		t.Errorf("unknown page: %+v, %v", update, err)
	}
}

// No payment must be lost when an operator switches from Stripe to another payment method.
func TestPaymentsStartedWithStripeAreFinishedWithStripe(t *testing.T) {
	server, s := newStripe(t)
	var now payment.Provider = payment.WithFormerStripe{Provider: payment.None{}, Stripe: s}
	if now.Method() != lost.PayDesk || !now.Handles(lost.PayStripe) || !now.Handles(lost.PayDesk) ||
		now.Handles(lost.PayTest) {
		t.Error("Handles is wrong for another provider")
	}
	b := bill()
	page := opened(t, s, b)
	b.Round = 2
	other := opened(t, s, b)
	e := server.Pay(page.ID)
	update, ok, err := now.ParseEvent(e.Header, e.Body)
	if err != nil || !ok || update.State != lost.PaymentPaid {
		t.Errorf("%+v, %t, %v", update, ok, err)
	}
	if err := now.Refund(t.Context(), update.Reference); err != nil || server.Refunds(update.Reference) != 1 {
		t.Errorf("refunded %d times: %v", server.Refunds(update.Reference), err)
	}
	if update, err := now.CheckoutState(t.Context(), page.ID); err != nil || update.State != lost.PaymentPaid {
		t.Errorf("%+v, %v", update, err)
	}
	if err := now.Close(t.Context(), other.ID); err != nil || now.Refund(t.Context(), "") != nil {
		t.Error(err)
	}
}

func TestHostileTextsAreMadeSafeForThePage(t *testing.T) {
	server, s := newStripe(t)
	for n, text := range []string{
		strings.Repeat("umbrella ", 5000/9), strings.Repeat("傘", 5000), strings.Repeat("👨‍👩‍👧", 2000),
		"a\x00b\r\nc\td\u202ee\u2066f", "\xff\xfe half a \xe2\x82", "<script>alert(1)</script>",
		strings.Repeat("\u202e", 5000) + "x",
	} {
		b := bill()
		b.Round, b.Title, b.Shipment.Quote.Service = n, text, text
		opened(t, s, b)
		made := server.Sessions()[n]
		for _, shown := range []string{made.Lines[0].Name, made.Lines[0].Description,
			made.Form["payment_intent_data[description]"]} {
			bad := func(r rune) bool {
				return unicode.IsControl(r) || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
			}
			if shown == "" || !utf8.ValidString(shown) || utf8.RuneCountInString(shown) > 500 ||
				strings.ContainsFunc(shown, bad) {
				t.Errorf("%.40q became %.60q of %d characters", text, shown, utf8.RuneCountInString(shown))
			}
		}
		if utf8.RuneCountInString(made.Lines[0].Name) > 250 {
			t.Errorf("%.40q: the name has %d characters", text, utf8.RuneCountInString(made.Lines[0].Name))
		}
	}
}

func TestEmptyFieldsAreOmitted(t *testing.T) {
	server, s := newStripe(t)
	b := bill()
	b.Title = " \n"
	b.Email = ""
	b.Back = ""
	b.Shipment.Quote.Service = "\u202e"
	opened(t, s, b)
	made := server.Sessions()[0]
	for name, value := range made.Form {
		if value == "" {
			t.Errorf("the empty field %s is sent", name)
		}
	}
	if made.Lines[0].Name != shipment {
		t.Errorf("got postage name %q", made.Lines[0].Name)
	}
}

func TestInvalidEmailAddressesAreOmitted(t *testing.T) {
	server, s := newStripe(t)
	for n, address := range []string{
		"ada@müller.example", "ada@ex ample.com", "ada", "a@b@c", strings.Repeat("a", 800) + "@example.com",
		"a\n@example.com",
	} {
		b := bill()
		b.Round, b.Email = n, address
		opened(t, s, b)
		if got, sent := server.Sessions()[n].Form["customer_email"]; sent {
			t.Errorf("%.20q is sent as %.20q, want it omitted", address, got)
		}
	}
}

func TestThePageIsInTheOwnersLanguageIfStripeHasIt(t *testing.T) {
	server, s := newStripe(t)
	for n, c := range []struct{ tag, want string }{
		{"de", "de"}, {"de-AT", "de"}, {"en-GB", "en-GB"}, {"en-US", "en"}, {"pt-BR", "pt-BR"}, {"pt-PT", "pt"},
		{"fr-CA", "fr-CA"},
		{"zh", "zh"}, {"zh-Hans-CN", "zh"}, {"zh-Hant", "zh-TW"}, {"zh-Hant-HK", "zh-HK"}, {"zh-TW", "zh-TW"},
		{"no", "nb"}, {"nn-NO", "nb"},
		{"fil", "fil"}, {"tl", "fil"}, {"es-419", "es-419"}, {"uk", "auto"}, {"", "auto"}, {"-", "auto"},
		{"auto-de", "auto"},
	} {
		b := bill()
		b.Round, b.Language = n, c.tag
		opened(t, s, b)
		if got := server.Sessions()[n].Form["locale"]; got != c.want {
			t.Errorf("%q: got %q, want %q", c.tag, got, c.want)
		}
	}
}

func TestAClosedPageCannotBePaid(t *testing.T) {
	server, s := newStripe(t)
	c := opened(t, s, bill())
	for range 2 {
		if err := s.Close(t.Context(), c.ID); err != nil {
			t.Fatal(err)
		}
	}
	if got := server.Sessions()[0].Status; got != "expired" {
		t.Errorf("got page state %s", got)
	}
}

func TestAPageThatWasPaidIsNotClosed(t *testing.T) {
	server, s := newStripe(t)
	for n, complete := range []func(string, ...stripetest.EventOption) stripetest.Event{server.Pay,
		server.CompleteUnpaid} {
		b := bill()
		b.Round = n
		c := opened(t, s, b)
		complete(c.ID)
		if err := s.Close(t.Context(), c.ID); lost.CodeOf(err) != lost.Conflict {
			t.Errorf("%s: got %v, want a conflict", server.Sessions()[n].PaymentStatus, err)
		}
	}
}

func TestAPageThatIsOpenAfterARefusalIsClosedLater(t *testing.T) {
	server, s := newStripe(t)
	c := opened(t, s, bill())
	server.Fail(http.StatusBadRequest, `{"error":{"type":"invalid_request_error","message":"It is being paid."}}`)
	if err := s.Close(t.Context(), c.ID); lost.CodeOf(err) != lost.Unavailable {
		t.Errorf("got %v, want an Unavailable error", err)
	}
	if err := s.Close(t.Context(), "cs_test_unknown/../../refunds"); lost.CodeOf(err) != lost.Invalid {
		t.Errorf("page that does not exist: got %v", err)
	}
}

func TestCanceledContextEndsACall(t *testing.T) {
	server, s := newStripe(t)
	never := make(chan struct{})
	server.Hang(never)
	ctx, cancel := context.WithCancel(t.Context())
	server.OnRequest(func(string, string, string) { cancel() })
	_, err := s.Open(ctx, bill())
	if lost.CodeOf(err) != lost.Unavailable || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := s.Refund(ctx, "pi_1"); lost.CodeOf(err) != lost.Unavailable {
		t.Errorf("got %v", err)
	}
	if len(server.Sessions()) != 0 {
		t.Error("an abandoned request had an effect")
	}
}

func TestAWrongKeyIsNotInTheError(t *testing.T) {
	server, _ := newStripe(t)
	const key = "sk_test_thiskeyisnotknown"
	s := stripeAt(t, payment.Options{Key: key, API: server.URL})
	_, err := s.Open(t.Context(), bill())
	if lost.CodeOf(err) != lost.Unavailable || strings.Contains(err.Error(), key) ||
		!strings.Contains(err.Error(), "401") {
		t.Errorf("got %v", err)
	}
}
