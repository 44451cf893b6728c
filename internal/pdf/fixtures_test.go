package pdf_test

import (
	"bytes"
	"fmt"
	"image"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/pdf"
)

// order holds a shipment and the other data that its documents need. Each test changes its own copy.
type order struct {
	s lost.Shipment
	c lost.ParcelOrder
}

// plain returns an ordinary shipment within Germany.
func plain() order {
	weight, document := 1.25, false
	from := lost.Location{
		Name: "Hotel Zur Post", Address1: "Marktplatz 3", City: "München", ZipCode: "80331", Country: "DE",
		TimeZone: "Europe/Berlin", Language: "de",
		Contact: lost.Contact{Email: "fund@zurpost.example", Phone: "+4989123456"},
		Shipping: &lost.ShippingRules{
			Offered: true, Currency: "EUR", Handling: 250, TaxRate: 1900, TaxID: "DE123456789",
		},
	}
	to := lost.Recipient{
		Name: "Anna Müller", Address1: "Seestraße 14", City: "Potsdam", ZipCode: "14467", Country: "DE",
	}
	item := lost.Item{
		Reference: "K7F-3QD", Source: lost.Found, Description: "Black umbrella with a wooden handle", Brand: "Knirps",
		Model: "T.200", Color: "black",
		StoragePlace: "Shelf 4, box B", Notes: "smells of smoke",
		Shipping: lost.Shipping{
			Weight: &weight, WeightUnit: lost.Kilogram, BoxType: "long", IsDocument: &document, Recipient: to,
		},
	}
	c, _ := lost.NewParcelOrder(item, from, to)
	return order{c: c, s: lost.Shipment{
		ID: "shp_1", To: to, State: lost.ShipmentBought, Invoice: 123, TaxRate: 1900, PayBy: lost.PayStripe,
		Reference: "pi_3Qk2",
		Quote:     lost.Quote{Service: "DHL Paket", Price: lost.Price{Postage: 890, Handling: 250, Currency: "EUR"}},
		Postage:   lost.Postage{ShippingDate: "2026-11-20", TrackingNumber: "00340434161094042557"},
		PaidAt:    time.Date(2026, 11, 18, 23, 30, 0, 0, time.UTC),
		CreatedAt: time.Date(2026, 11, 17, 9, 0, 0, 0, time.UTC),
	}}
}

// to returns the order with another recipient.
func (o order) to(r lost.Recipient) order {
	o.s.To, o.c.To = r, r
	return o
}

// abroad returns shipments to other countries, keyed by what is special about each.
func abroad() map[string]order {
	long := strings.TrimSpace(strings.Repeat("Maximilian-Konstantin Donaudampfschifffahrtsgesellschaft ",
		4))[:lost.MaxName]
	orders := map[string]order{
		"plain": plain(),
		"japanese": plain().to(lost.Recipient{
			Name: "山田 さくら", Company: "株式会社ヤマダ", Address1: "丸の内1-9-1", City: "千代田区", State: "東京都", ZipCode: "100-0005",
			Country: "JP",
		}),
		"mixed": plain().to(lost.Recipient{ // several scripts on every line
			Name: "Łukasz 王小明 Ελευθερία Nguyễn", Company: "Александра Щербакова & Þór ehf.",
			Address1: "세종대로 110, Λεωφόρος Αμαλίας 12", Address2: "建国门外大街1号", City: "Đà Nẵng, Київ",
			ZipCode: "105 57", Country: "VN", Phone: "+84 236 382 1111",
		}),
		"hebrew": plain().to(lost.Recipient{
			Name: "נועה כהן", Address1: "רחוב הרצל 12", City: "תל אביב", ZipCode: "6688312", Country: "IL",
		}),
		"long": plain().to(lost.Recipient{
			Name: long, Company: long, Address1: long, Address2: strings.Repeat("W", lost.MaxShort), City: long,
			State: long, ZipCode: "12345", Country: "US",
		}),
	}
	letter := plain().to(lost.Recipient{
		Name: "Jordan Smith", Company: "Acme", Address1: "1 Main Street", Address2: "Floor 2", City: "Toronto",
		State: "ON", ZipCode: "M5V 2T6", Country: "CA",
	})
	letter.c.From = lost.Location{
		Name: "The Pine Lodge", Address1: "48 Route 2", City: "Stowe", State: "VT", ZipCode: "05672", Country: "US",
		TimeZone: "America/New_York", Language: "en",
	}
	letter.c.Item.Shipping.WeightUnit = lost.Pound
	letter.s.Quote = lost.Quote{Service: "USPS Priority", Price: lost.Price{Postage: 2495, Currency: "USD"}}
	letter.s.PayBy, letter.s.TaxRate = lost.PayDesk, 0
	orders["letter"] = letter
	yen := orders["japanese"]
	yen.c.Item.Language = "ja"
	yen.c.From = lost.Location{
		Name: "旅館 さくら", Address1: "祇園町1", City: "京都市", State: "京都府", ZipCode: "605-0073", Country: "JP",
		TimeZone: "Asia/Tokyo", Language: "ja",
	}
	yen.s.Quote = lost.Quote{Service: "ゆうパック", Price: lost.Price{Postage: 12345, Currency: "JPY"}}
	yen.s.PayBy, yen.s.Postage.TrackingNumber = lost.PayTest, ""
	orders["yen"] = yen
	return orders
}

func (o order) print(t *testing.T, kind lost.DocumentKind) []byte {
	t.Helper()
	content, _, err := pdf.New().Print(kind, o.s, o.c)
	if err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	return content
}

// poppler runs one of Poppler's programs on a PDF and returns its output.
func poppler(t *testing.T, content []byte, program string, args ...string) []byte {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("%s is missing: install poppler-utils", program)
		}
		t.Skipf("%s is missing: install poppler-utils", program)
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Stdin = bytes.NewReader(content)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%s: %v: %s", program, err, stderr.String())
	}
	return out
}

// text returns the text that a reader can copy from a PDF.
func text(t *testing.T, content []byte) string {
	t.Helper()
	return string(poppler(t, content, "pdftotext", "-layout", "-", "-"))
}

// dots is the resolution of a common label printer, in dots per inch.
const dots = 203

// picture renders the first page of a PDF at a resolution in dots per inch.
func picture(t *testing.T, content []byte, dots int) *image.Gray {
	t.Helper()
	return pictureOf(t, content, dots, 1)
}

// pictureOf renders one page of a PDF at a resolution in dots per inch.
func pictureOf(t *testing.T, content []byte, dots, page int) *image.Gray {
	t.Helper()
	plain := poppler(t, content, "pdftoppm", "-r", strconv.Itoa(dots), "-gray", "-f", strconv.Itoa(page), "-l",
		strconv.Itoa(page), "-")
	var width, height int
	if _, err := fmt.Sscanf(string(plain[:min(len(plain), 40)]), "P5\n%d %d\n255\n", &width, &height); err != nil ||
		len(plain) < width*height {
		t.Fatalf("%d × %d dots in %d bytes (%v)", width, height, len(plain), err)
	}
	return &image.Gray{Pix: plain[len(plain)-width*height:], Stride: width, Rect: image.Rect(0, 0, width, height)}
}
