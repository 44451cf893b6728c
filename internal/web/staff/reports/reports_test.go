package reports_test

import (
	"encoding/csv"
	"fmt"
	"html"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

// newYear creates two locations in different time zones with a year of items, requests and payments.
func newYear(h *testkit.Server) (hotel, zoo lost.Location) {
	hotel, zoo = h.NewLocation("Hotel Adler"), h.NewLocation("Zoo")
	zoo = testkit.Must(h.Services.Locations.Update(h.T.Context(), h.Actor, zoo.ID,
		lost.LocationPatch{TimeZone: lost.Set("Pacific/Auckland")}))
	r := rand.New(rand.NewPCG(1, 2))
	for _, l := range []lost.Location{hotel, zoo} {
		testkit.Must(0, h.DB.Write(h.T.Context(), func(tx *store.Tx) error {
			for range 150 {
				if err := addRecord(tx, l, r); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	return hotel, zoo
}

// addRecord adds a random item or request with its payment or answer.
func addRecord(tx *store.Tx, l lost.Location, r *rand.Rand) error {
	at := tx.Now().Add(-time.Duration(r.IntN(350*24)) * time.Hour)
	i, err := lost.NewItem(l.Account, l.ID, lost.ItemPatch{Description: lost.Set("Scarf")}, at)
	if err != nil {
		return err
	}
	i.Color, i.DiscoveryPlace = []string{"Red", "red", "=blue", ""}[r.IntN(4)], fmt.Sprint("Room ", r.IntN(20))
	i.StoragePlace = []string{"", "Shelf A", "Shelf B", fmt.Sprint("Shelf ", r.IntN(20))}[r.IntN(4)]
	i.Category = append(lost.Categories()[10:30:30], "")[r.IntN(21)]
	i.Finder.Name = []string{"", "Marta Nowak", "marta nowak", "=1+1", fmt.Sprint("Guest ", r.IntN(900))}[r.IntN(5)]
	if i.Status = lost.Statuses()[r.IntN(8)]; i.Status != lost.Pending {
		i.MovedAt = at.Add(time.Duration(r.IntN(30*24)) * time.Hour)
	}
	if i.Status == lost.PickUp {
		i.ClosedAt = i.MovedAt
	}
	if i.Status == lost.Discard {
		i.Destination = []lost.Destination{
			lost.Discarded, lost.Police, lost.ToAuthority, lost.Auctioned, lost.ToFinder,
		}[r.IntN(5)]
	}
	if r.IntN(2) == 0 {
		i.DiscoveryDate = at.AddDate(0, 0, -r.IntN(4)).Format(lost.DateLayout)
	}
	hour := at.Unix() / 3600
	i.Value = []lost.Value{
		{}, {Amount: 4_000 + hour%999, Currency: "EUR"}, {Amount: 120_000 + hour%99, Currency: "USD"},
	}[hour%3]
	request := r.IntN(5) == 0
	if request {
		i.Finder = lost.Finder{}
		i.Source, i.Status = lost.Request, lost.Pending
		i.Claim.State, i.DiscoveryDate = lost.RequestPending, ""
		if r.IntN(2) == 0 {
			i.Claim.AnsweredAt = at.Add(time.Hour)
		}
	}
	if err := tx.InsertItem(i); err != nil || request {
		return err
	}
	for r.IntN(3) == 0 { // some items have several payments
		if err := addPayment(tx, i, at, r); err != nil {
			return err
		}
	}
	return nil
}

// addPayment adds a shipment with a payment and perhaps a refund.
func addPayment(tx *store.Tx, i lost.Item, at time.Time, r *rand.Rand) error {
	s := lost.NewShipment(&i, lost.PayStripe, at)
	if err := tx.InsertShipment(s); err != nil {
		return err
	}
	s.Quote.Price, s.PaidAt = lost.Price{Postage: 1200, Handling: 300, Currency: "EUR"}, at
	if r.IntN(3) == 0 {
		s.Refund = lost.RefundDone
	}
	return tx.SaveShipment(s)
}

var (
	figureLink = regexp.MustCompile(`<a[^>]* href="(/at/[^"]*/items\?[^"]*report=[^"]*)"[^>]*>(?:before: )?` +
		`([0-9,]+)</a>( <small>)?`)
	listCount = regexp.MustCompile(`id="count"[^>]*>([0-9,]+)`)
)

// Every figure is a link to a list with exactly as many records.
func TestEveryFigureLeadsToItsList(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		hotel, _ := newYear(h)
		v := h.LogIn()
		for _, page := range []string{
			"/at/all/reports", "/at/" + hotel.ID + "/reports?from=2026-02-01&to=2026-07-31",
			"/at/all/reports?from=2026-03-01&to=2026-09-30",
		} {
			a := v.Get(page)
			stafftest.ExpectPage(t, a, http.StatusOK, "By month of discovery", "Age of items in storage", "as of ")
			links := figureLink.FindAllStringSubmatch(a.Body, -1)
			if len(links) < 50 || strings.Count(a.Body, ">before: ") < 10 {
				t.Fatalf("%s has %d figures that are links:\n%s", page, len(links), a.Body)
			}
			for _, link := range links {
				if link[3] != "" { // a number of days
					continue
				}
				list := v.Get(html.UnescapeString(link[1]))
				got := "none"
				if count := listCount.FindStringSubmatch(list.Body); count != nil {
					got = count[1]
				}
				if list.Code != http.StatusOK || got != link[2] {
					t.Errorf("%s: the figure is %s, the list %s has %s", page, link[2], link[1], got)
				}
			}
		}
		year := v.Get("/at/all/reports?from=2026-03-01&to=2026-09-30")
		for _, text := range []string{
			"group=rest%3Aplace", "group=rest%3Afinder", "group=rest%3Astorage",
		} {
			if !strings.Contains(year.Body, text) {
				t.Errorf("the report lacks %q", text)
			}
		}
	})
}

var (
	valueLink = regexp.MustCompile(`<a[^>]* href="(/at/[^"]*/items\?[^"]*group=currency[^"]*)"[^>]*>([^<]+)</a>`)
	noDigits  = regexp.MustCompile(`[^0-9]+`)
)

// Every amount that items are worth is a link to a list of exactly these items.
func TestEveryValueLeadsToItsItems(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		hotel, _ := newYear(h)
		v := h.LogIn()
		for _, page := range []string{
			"/at/" + hotel.ID + "/reports?from=2026-07-01&to=2026-09-30",
			"/at/all/reports?from=2026-01-01&to=2026-10-31",
		} {
			links := valueLink.FindAllStringSubmatch(v.Get(page).Body, -1)
			if len(links) != 10 { // five amounts in each of two currencies
				t.Errorf("%s has %d values that are links, want 10", page, len(links))
			}
			for _, link := range links {
				at := html.UnescapeString(link[1])
				a := v.Get(strings.Replace(at, "/items?", "/items.csv?headings=api&", 1))
				rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(a.Body, "\ufeff"))).ReadAll()
				if err != nil || len(rows) == 0 {
					t.Fatalf("%s: got status %d, %d rows, %v", at, a.Code, len(rows), err)
				}
				sum, column := 0, slices.Index(rows[0], "value")
				for _, row := range rows[1:] {
					sum += testkit.Must(strconv.Atoi(noDigits.ReplaceAllString(row[column], "")))
				}
				if want := testkit.Must(strconv.Atoi(noDigits.ReplaceAllString(link[2], ""))); sum != want {
					t.Errorf("%s: the figure is %s, the %d items of its list %s are worth %d", page, link[2],
						len(rows)-1, at, sum)
				}
			}
		}
	})
}

var (
	amountLink  = regexp.MustCompile(`<a[^>]* href="(/at/[^"]*/reports/payments\?[^"]*)"[^>]*>([^<]+)</a>`)
	paymentsSum = regexp.MustCompile(`id="count"[^>]*>([0-9,]+) transactions?, (\S+) in total`)
	paymentRow  = regexp.MustCompile(`data-label="Amount">([^<]+)</td>`)
	olderLink   = regexp.MustCompile(`href="([^"]*)" rel="next"`)
)

// cents reads an amount in euros.
func cents(t *testing.T, text string) (n int) {
	t.Helper()
	digits := strings.NewReplacer("€", "", ",", "", ".", "", "−", "-", "\u00a0", "").Replace(text)
	n, err := strconv.Atoi(digits)
	if err != nil {
		t.Errorf("%q is not an amount", text)
	}
	return n
}

// Every amount and every number of payments is a link to a list of exactly these payments. The rows on all of its
// pages, and those of its CSV file, add up to the amount.
func TestEveryAmountLeadsToItsPayments(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		hotel, zoo := newYear(h)
		v, pages := h.LogIn(), 0
		for _, page := range []string{
			"/at/" + hotel.ID + "/reports?from=2026-07-01&to=2026-09-30",
			"/at/all/reports?from=2026-01-01&to=2026-11-15", "/at/" + zoo.ID + "/reports",
		} {
			links := amountLink.FindAllStringSubmatch(v.Get(page).Body, -1)
			if len(links) != 12 { // six lines, for the period and for the one before
				t.Errorf("%s has %d amounts that are links, want 12", page, len(links))
			}
			for _, link := range links {
				at, figure := html.UnescapeString(link[1]), link[2]
				rows, sum, n := listedPayments(t, v, at)
				pages += n
				want := strconv.Itoa(rows)
				if strings.Contains(figure, "€") {
					want = strconv.Itoa(sum)
					figure = strconv.Itoa(cents(t, figure))
				}
				if figure != want {
					t.Errorf("%s: the figure is %s, its list %s has %d rows with %d cents", page, link[2], at, rows,
						sum)
				}
				expectPaymentsFile(t, v, at, rows, sum)
			}
		}
		if pages < 40 {
			t.Errorf("the lists have %d pages, want some with several", pages)
		}
	})
}

// listedPayments reads all pages of a list, and returns its rows, their sum in cents, and the number of pages.
func listedPayments(t *testing.T, v *testkit.Visitor, at string) (rows, sum, pages int) {
	t.Helper()
	first := v.Get(at)
	for page := first; ; page = v.Get(at) {
		pages++
		if page.Code != http.StatusOK {
			t.Fatalf("%s: got status %d", at, page.Code)
		}
		for _, row := range paymentRow.FindAllStringSubmatch(page.Body, -1) {
			rows, sum = rows+1, sum+cents(t, row[1])
		}
		older := olderLink.FindStringSubmatch(page.Body)
		if older == nil {
			break
		}
		at = html.UnescapeString(older[1])
	}
	shown := paymentsSum.FindStringSubmatch(first.Body)
	switch {
	case rows == 0:
		stafftest.ExpectPage(t, first, http.StatusOK, "No payments or refunds in this period.")
	case shown == nil || shown[1] != strconv.Itoa(rows) || cents(t, shown[2]) != sum:
		t.Errorf("%s says %q, its rows are %d with %d cents", at, shown, rows, sum)
	}
	return rows, sum, pages
}

// expectPaymentsFile fails the test unless the CSV file of a list has as many rows with the same sum.
func expectPaymentsFile(t *testing.T, v *testkit.Visitor, at string, rows, sum int) {
	t.Helper()
	a := v.Get(strings.Replace(at, "/payments?", "/payments.csv?", 1))
	table, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(a.Body, "\ufeff"))).ReadAll()
	if err != nil || len(table) == 0 {
		t.Fatalf("%s: got status %d, %v", at, a.Code, err)
	}
	for _, row := range table[1:] {
		sum -= cents(t, row[5])
		if row[2] == "" || row[4] == "" || row[6] != "EUR" {
			t.Errorf("%s: got the row %q", at, row)
		}
	}
	if len(table)-1 != rows || sum != 0 {
		t.Errorf("%s: the file has %d rows, want %d; its sum differs by %d", at, len(table)-1, rows, sum)
	}
}

// A payment stays in the report when its item is deleted. Payments of other accounts, or at locations that the user
// cannot see, are in no list.
func TestPaymentsOfDeletedItemsAndOfOthers(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		hotel, zoo := h.NewLocation("Hotel Adler"), h.NewLocation("Zoo")
		r := rand.New(rand.NewPCG(1, 2))
		var items []lost.Item
		for _, l := range []lost.Location{hotel, hotel, zoo} {
			i := h.NewItem(l, "Scarf", func(*lost.ItemPatch) {})
			items = append(items, i)
			testkit.Must(0, h.DB.Write(t.Context(), func(tx *store.Tx) error { return addPayment(tx, i, tx.Now(), r) }))
		}
		testkit.Must(0, h.Services.Items.Delete(t.Context(), h.Actor, hotel.ID, items[0].ID))
		const list = "/reports/payments?figure=paid&currency=EUR"
		a := h.LogIn().Get("/at/" + hotel.ID + list)
		stafftest.ExpectPage(t, a, http.StatusOK, "2 transactions, €30.00 in total", "Item deleted", items[1].Reference,
			"Postage &#43; Handling fees")
		if !strings.Contains(a.Body, `href="/at/`+hotel.ID+"/items/"+items[1].ID) {
			t.Error("the list has no link to the item")
		}
		if strings.Contains(a.Body, items[0].ID) || strings.Contains(a.Body, items[2].Reference) {
			t.Error("the list has a link to a deleted item, or an item of another location")
		}
		stafftest.ExpectPage(t, h.LogIn().Get("/at/all"+list), http.StatusOK, "3 transactions, €45.00 in total", "Zoo")
		stafftest.ExpectPage(t, h.LogIn().Get("/at/all/reports/payments?figure=paid&currency=USD"), http.StatusOK,
			"No payments or refunds")
		stafftest.ExpectPage(t, h.LogIn().Get("/at/all/reports/payments?figure=none"), http.StatusNotFound)
		member := h.As(h.NewMember("Viewer", lost.ViewerRole, zoo.ID))
		stafftest.ExpectPage(t, member.Get("/at/all"+list), http.StatusOK, "1 transaction, €15.00 in total")
		stafftest.ExpectPage(t, member.Get("/at/"+hotel.ID+list), http.StatusNotFound)
		logger := h.As(h.NewMember("Logger", lost.LoggerRole, hotel.ID))
		stafftest.ExpectPage(t, logger.Get("/at/"+hotel.ID+list), http.StatusForbidden)
		stafftest.ExpectPage(t, logger.Get("/at/"+hotel.ID+"/reports/payments.csv?currency=EUR"), http.StatusForbidden)
	})
}

func TestReportsShowOnlyTheLocationsOfTheUser(t *testing.T) {
	h := testkit.NewServer(t)
	hotel, zoo := newYear(h)
	viewer := h.As(h.NewMember("Viewer", lost.ViewerRole, hotel.ID))
	page := viewer.Get("/at/all/reports?from=2026-01-01&to=2026-11-15")
	stafftest.ExpectPage(t, page, http.StatusOK, "Reports", "Money")
	if strings.Contains(page.Body, "Zoo") || strings.Contains(page.Body, "By location") {
		t.Error("the report shows a location that the user cannot see")
	}
	one := viewer.Get("/at/" + hotel.ID + "/reports?from=2026-01-01&to=2026-11-15")
	if figures(one) != figures(page) {
		t.Errorf("the report of all locations is %s, want %s", figures(page), figures(one))
	}
	stafftest.ExpectPage(t, viewer.Get("/at/"+zoo.ID+"/reports"), http.StatusNotFound)
	stafftest.ExpectPage(t, viewer.Get("/at/"+zoo.ID+"/reports.csv"), http.StatusNotFound)
	logger := h.As(h.NewMember("Logger", lost.LoggerRole, hotel.ID))
	stafftest.ExpectPage(t, logger.Get("/at/"+hotel.ID+"/reports"), http.StatusForbidden)
}

// figures returns the numbers of a report.
func figures(a testkit.Response) (all string) {
	for _, link := range figureLink.FindAllStringSubmatch(a.Body, -1) {
		all += link[2] + " "
	}
	return all
}

func TestAPeriodThatIsNotValidIsExplained(t *testing.T) {
	h := testkit.NewServer(t)
	h.NewLocation("Hotel Adler")
	a := h.LogIn().Get("/at/all/reports?from=2026-03-02&to=2026-03-01")
	stafftest.ExpectPage(t, a, http.StatusUnprocessableEntity, "Must not be before from.")
	if !stafftest.Shows(a, `value="2026-03-02"`, `aria-invalid="true"`) {
		t.Errorf("the form does not show what is wrong: %s", a.Body)
	}
}

// The monthly mail about some locations links to the page with the same figures.
func TestAReportOnChosenLocationsHasOnlyTheirFigures(t *testing.T) {
	h := testkit.NewServer(t)
	hotel, zoo := newYear(h)
	h.NewLocation("Airport")
	castle := h.NewLocation("Castle")
	const period = "?from=2026-01-01&to=2026-10-31"
	limited := h.As(h.NewMember("Ben", lost.DeskRole, hotel.ID, castle.ID))
	found := regexp.MustCompile(`<dt>Found</dt><dd>(?:<a[^>]*>)?([0-9,]+)`)
	figure := func(v *testkit.Visitor, path string) string {
		a := v.Get(path)
		m := found.FindStringSubmatch(a.Body)
		if m == nil {
			t.Fatalf("%s shows no figure: %s", path, a.Body)
		}
		return m[1]
	}
	v := h.LogIn()
	all, some := "/at/all/reports"+period, "/at/all/reports"+period+"&location="+hotel.ID+"&location="+castle.ID
	atHotel := figure(v, "/at/"+hotel.ID+"/reports"+period)
	if got := figure(v, some); got != atHotel || got == figure(v, all) {
		t.Errorf("got %s items found at the chosen locations, want %s", got, atHotel)
	}
	if got := figure(limited, some+"&location="+zoo.ID); got != atHotel {
		t.Errorf("with a location that the user cannot see: got %s items found, want %s", got, atHotel)
	}
	body := v.Get(some).Body
	if strings.Contains(body, "/at/all/items?") || strings.Contains(body, "/at/all/reports/payments") {
		t.Errorf("figures of chosen locations lead to lists of all: %s", body)
	}
	for _, want := range []string{
		"Location: Castle, Hotel Adler", `<input type="hidden" name="location" value="` + castle.ID + `">`,
		`/at/all/reports.csv?from=2026-01-01&amp;location=` + hotel.ID,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is missing in %s", want, body)
		}
	}
	if file := v.Get(strings.Replace(some, "reports?", "reports.csv?", 1)).Body; strings.Contains(file, "Zoo") {
		t.Errorf("the file has another location: %s", file)
	}
}

func TestReportsAreDownloadedAsCSV(t *testing.T) {
	h := testkit.NewServer(t)
	newYear(h)
	read := func(v *testkit.Visitor) [][]string {
		a := v.Get("/at/all/reports.csv?from=2026-01-01&to=2026-10-31")
		rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(a.Body, "\ufeff"))).ReadAll()
		if err != nil || len(rows) < 50 || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/csv") {
			t.Fatalf("got status %d, %d rows, %v", a.Code, len(rows), err)
		}
		return rows
	}
	rows := read(h.LogIn())
	for _, row := range rows {
		if strings.HasPrefix(row[3], "=") {
			t.Errorf("a spreadsheet evaluates %q", row[3])
		}
	}
	text := ""
	for _, row := range rows {
		text += strings.Join(row, "|") + "\n"
	}
	for _, want := range []string{
		"Section|Figure|Location|Group|This period|Before\n", "Period|From|||2026-01-01|2025-03-01\n",
		"By month of discovery|Return rate, in %||2026-10|", "Use of storage places|Items|Zoo|Shelf A|",
		"By place of discovery|Found||8 more|", "Items|Handed to an authority|||", "Items|Auctioned|||",
		"Items|Given to the finder|||", "By category|Found and returned||Umbrella|",
		"By finder|Found||Marta Nowak|", "Items|Nine of ten returned within, in days|||",
		"Requests|Half answered within, in minutes|||60|", "Money|Number of payments||EUR|", "Money|Refunds||EUR|",
		"Money|Total||EUR|", "Storage|In storage now|||", "Value|Returned||EUR|",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if !regexp.MustCompile(`Money\|Handling fees\|\|EUR\|[0-9]+\.00\|`).MatchString(text) {
		t.Errorf("the amounts have no decimals:\n%s", text)
	}
	if !regexp.MustCompile(`Value\|In storage now\|\|USD\|[0-9]+\.[0-9]{2}\|\n`).MatchString(text) {
		t.Errorf("the value of the items in storage is missing:\n%s", text)
	}
}

func TestAReportWithoutFindsNamesNoLocation(t *testing.T) {
	h := testkit.NewServer(t)
	h.NewLocation("Hotel Adler")
	h.NewLocation("Zoo")
	a := h.LogIn().Get("/at/all/reports")
	stafftest.ExpectPage(t, a, http.StatusOK, "No items were found during the period.")
	if strings.Contains(a.Body, "found the most") {
		t.Errorf("a location without finds found the most: %s", a.Body)
	}
}

// Without a date, the list still contains only what the figure counts.
func TestTheListBehindAFigureKeepsItsFilterWithoutADate(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		hotel, _ := newYear(h)
		v := h.LogIn()
		count := func(query string) string {
			found := listCount.FindStringSubmatch(v.Get("/at/" + hotel.ID + "/items?" + query).Body)
			if found == nil {
				return "none"
			}
			return found[1]
		}
		for _, query := range []string{
			"report=returned", "report=found-open", "report=filed", "report=paid&group=currency:EUR",
			"report=found&group=color:red", "report=found&group=category:umbrella",
			"report=found&group=finder:marta+nowak", "report=found&group=rest:place",
			"report=found-returned&group=rest:finder", "report=here&group=rest:storage",
			"report=here&group=currency:USD", "report=returned&group=currency:EUR",
		} {
			want := count(query + "&from=2020-01-01&to=2027-12-31")
			for _, dates := range []string{"&from=2020-01-01&to=", "&from=&to=2027-12-31", ""} {
				if got := count(query + dates); got != want || got == "none" {
					t.Errorf("%s%s: got %s, want %s", query, dates, got, want)
				}
			}
		}
		list := v.Get("/at/" + hotel.ID + "/items?report=found&group=rest:place")
		stafftest.ExpectPage(t, list, http.StatusOK, "Found: Place of discovery: all others")
		list = v.Get("/at/" + hotel.ID + "/items?report=found&group=category:umbrella")
		stafftest.ExpectPage(t, list, http.StatusOK, "Found: Umbrella")
		if got := count("report=paid&group=currency:USD"); got != "none" && got != "0" {
			t.Errorf("payments in another currency: got %s", got)
		}
	})
}

func TestReportsInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	newYear(h)
	for _, o := range []browsertest.Options{{Phone: true, NoScript: true}, {Dark: true}, {}} {
		t.Run(o.String(), func(t *testing.T) {
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+"/at/all/reports?from=2026-01-01&to=2026-10-31")
			v.See("Found", "Returned", "Still open", "Value", "Money", "as of")
			v.Screenshot("reports")
			v.CheckAccessibility()
			v.CheckWeight()
			v.CheckLayoutShift()
			stafftest.ExpectNoOverflow(t, v)
			v.Follow("css:section[aria-labelledby=money] tfoot td:nth-child(2) a")
			v.See("Total", "transactions", "in total", "Older")
			v.Screenshot("payments")
			v.CheckAccessibility()
			stafftest.ExpectNoOverflow(t, v)
			v.Back()
			v.Click("By month of discovery, as a table")
			v.See("Month found")
			v.CheckAccessibility()
			stafftest.ExpectNoOverflow(t, v)
		})
	}
}

func TestAFigureLeadsToItsListAndBack(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	newYear(h)
	const figure = "section[aria-labelledby=items] .stats div:first-child dd:not(.earlier) a"
	browsertest.Each(t, func(t *testing.T, o browsertest.Options) {
		v := browsertest.New(t, o)
		stafftest.OpenAsOwner(v, h, at+"/at/all/reports")
		v.Fill("From", "2026-01-01")
		v.Fill("To", "2026-10-31")
		v.Follow("Show")
		v.See("By month of discovery")
		here := v.Location()
		var found, listed, shown string
		v.Run(`document.querySelector("`+figure+`").textContent`, &found)
		v.Follow("css:" + figure)
		v.Run(`document.querySelector("#count").textContent`, &listed)
		if !strings.HasPrefix(strings.TrimSpace(listed), found+" ") {
			t.Errorf("the figure is %s, its list has %s", found, listed)
		}
		v.CheckAccessibility()
		v.Back()
		v.See("By month of discovery")
		if v.Location() != here || !strings.Contains(here, "from=2026-01-01&to=2026-10-31") {
			t.Errorf("the figure leads back to %s, want %s", v.Location(), here)
		}
		v.CheckAccessibility()
		o.Paper = true
		v.SetOptions(o)
		v.Screenshot("on paper")
		v.Run(`getComputedStyle(document.querySelector("form.report-period")).display`, &shown)
		if shown != "none" {
			t.Error("the form is printed")
		}
	})
}
