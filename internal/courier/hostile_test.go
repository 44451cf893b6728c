package courier_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"homeward/internal/courier"
	"homeward/internal/courier/easyposttest"
	"homeward/internal/lost"
)

func TestOnlyPlainAmountsAreAccepted(t *testing.T) {
	tests := []struct {
		decimal, currency string
		want              int64 // 0 if the input is not valid
	}{
		{"5.49", "USD", 549}, {"5.4", "USD", 540}, {"5", "USD", 500}, {"0.01", "USD", 1}, {"12.340", "USD", 1234},
		{"1000000.00", "USD", 100_000_000}, {"007.10", "USD", 710},
		{"1250", "JPY", 1250}, {"1250.00", "JPY", 1250}, {"1.234", "KWD", 1234}, {"1.2", "KWD", 1200},
		{"1e9", "USD", 0}, {"-3.10", "USD", 0}, {"+3.10", "USD", 0}, {"12.345", "USD", 0}, {"12.5", "JPY", 0},
		{"1000000.01", "USD", 0}, {"0.00", "USD", 0}, {"", "USD", 0}, {".", "USD", 0}, {".5", "USD", 0},
		{"5.", "USD", 0},
		{"99999999999999999999999", "USD", 0}, {"1,234.00", "USD", 0}, {"0x10", "USD", 0}, {"NaN", "USD", 0},
		{"Inf", "USD", 0}, {" 5.49", "USD", 0}, {"5.49\n", "USD", 0}, {"٥.٤٩", "USD", 0}, {"1_000", "USD", 0},
		{"5.49.1", "USD", 0},
		{"5.49", "", 0}, {"5.49", "usd", 0}, {"5.49", "US", 0}, {"5.49", "DOLLAR", 0}, {"5.49", "U D", 0},
	}
	for _, tt := range tests {
		got, ok := courier.Minor(tt.decimal, tt.currency)
		if ok != (tt.want != 0) || ok && got != tt.want {
			t.Errorf("%q %s: got %d, %v", tt.decimal, tt.currency, got, ok)
		}
	}
}

func TestAnAmountIsParsedExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cents := rapid.Int64Range(1, lost.MaxAmount).Draw(t, "cents")
		digits := "00" + itoa(cents)
		point := len(digits) - 2
		whole := strings.TrimLeft(digits[:point], "0")
		if whole == "" {
			whole = "0"
		}
		if got, ok := courier.Minor(whole+"."+digits[point:], "USD"); !ok || got != cents {
			t.Fatalf("%s.%s was parsed as %d, %v", whole, digits[point:], got, ok)
		}
	})
}

func itoa(n int64) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}

func TestRatesWithoutAValidPriceAreOmitted(t *testing.T) {
	server, e := service(t)
	var rates []easyposttest.Rate
	for _, price := range []string{"1e9", "-3.10", "12.345", "99999999999999999999999", "free", "0"} {
		rates = append(rates,
			easyposttest.Rate{Carrier: "USPS", Service: "Priority", Price: price, Currency: "USD", Days: -7})
	}
	server.Offer(append(rates,
		easyposttest.Rate{Carrier: "USPS", Service: "Priority", Price: "7.77", Currency: "USD", Days: -7})...)
	got, err := e.Quotes(t.Context(), umbrella(guest))
	want := lost.Quote{
		Service: "USPS Priority", Rate: "USPS/Priority", Price: lost.Price{Postage: 777, Currency: "USD"},
	}
	if err != nil || len(got) != 1 || got[0] != want {
		t.Error(got, err)
	}
	server.Offer(rates...)
	if got, err := e.Quotes(t.Context(), umbrella(guest)); lost.CodeOf(err) != lost.Invalid || got != nil {
		t.Error(got, err)
	}
}

func TestServicesHaveTheirUsualNames(t *testing.T) {
	tests := []struct{ carrier, service, want string }{
		{"USPS", "GroundAdvantage", "USPS Ground Advantage"},
		{"USPS", "FirstClassPackageInternationalService", "USPS First Class Package International Service"},
		{"UPSDAP", "2ndDayAirAM", "UPS 2nd Day Air AM"},
		{"UPS", "3DaySelect", "UPS 3 Day Select"},
		{"FedEx", "PRIORITY_OVERNIGHT", "FedEx Priority Overnight"},
		{"FedEx", "FEDEX_GROUND", "FedEx Ground"},
		{"DHLExpress", "ExpressWorldwide", "DHL Express Express Worldwide"},
		{"CanadaPost", "RegularParcel", "Canada Post Regular Parcel"},
		{"DPDUK", "", "DPDUK"},
		{"", "", ""},
		{"__", "É_é", "É é"},
	}
	for _, tt := range tests {
		if got := courier.InWords(tt.carrier, tt.service); got != tt.want {
			t.Errorf("%s/%s: %q", tt.carrier, tt.service, got)
		}
	}
}

// serveLabel starts a server that answers label downloads with f, and returns the label's URL.
func serveLabel(t *testing.T, f http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return s.URL + "/a-name-nobody-guesses.pdf"
}

func TestOnlyAPDFOfLimitedSizeIsALabel(t *testing.T) {
	_, e := service(t)
	bad := map[string]http.HandlerFunc{
		"not found": http.NotFound,
		"a picture": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "\x89PNG") },
		"empty":     func(http.ResponseWriter, *http.Request) {},
		"elsewhere": func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/other.pdf" {
				http.Redirect(w, r, "/other.pdf", http.StatusFound)
			}
			_, _ = w.Write(easyposttest.PDF("of somebody else"))
		},
		"too large": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "%PDF"+strings.Repeat(" ", 5<<20))
		},
		"connection aborted": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	}
	for name, f := range bad {
		content, _, err := e.Label(t.Context(), lost.Postage{LabelURL: serveLabel(t, f)})
		if lost.CodeOf(err) != lost.Unavailable || content != nil || strings.Contains(err.Error(), "guesses") {
			t.Errorf("%s: got %d bytes, %v", name, len(content), err)
		}
	}
	var header http.Header
	good := serveLabel(t, func(w http.ResponseWriter, r *http.Request) {
		header = r.Header
		_, _ = io.WriteString(w, "%PDF"+strings.Repeat(" ", 5<<20-4))
	})
	if content, _, err := e.Label(t.Context(), lost.Postage{LabelURL: good}); err != nil || len(content) != 5<<20 ||
		header.Get("Authorization") != "" {
		t.Error(len(content), err, header)
	}
	if content, paper, err := e.Label(t.Context(), lost.Postage{}); err != nil || content != nil || paper != "" {
		t.Error("label without a URL: ", err)
	}
	encrypted := connect(t, courier.Options{Key: "k", API: "https://127.0.0.1:1"})
	for _, address := range []string{good, "file:///etc/passwd", "//host/x", "https://user@host/x", ":"} {
		if _, _, err := encrypted.Label(t.Context(),
			lost.Postage{LabelURL: address}); lost.CodeOf(err) != lost.Unavailable {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestResponseSizeIsLimited(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"id":"`)
		for range 6 << 4 {
			if _, err := io.WriteString(w, strings.Repeat("x", 64<<10)); err != nil {
				return
			}
		}
		_, _ = io.WriteString(w, `"}`)
	}))
	t.Cleanup(s.Close)
	e := connect(t, courier.Options{Key: "k", API: s.URL})
	_, err := e.Quotes(t.Context(), umbrella(guest))
	expectCode(t, err, lost.Unavailable)
	if err != nil && !strings.Contains(err.Error(), "too large") {
		t.Error(err)
	}
}
