package desk_test

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/lost/report"
	"homeward/internal/services"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
	"homeward/internal/testkit"
	v1 "homeward/internal/v1"
)

// history is a random history of locations, as the test knows it without the service's counting.
type history struct {
	t         *testing.T
	d         *services.Services
	all       lost.Actor
	locations []lost.Location
	payments  []payment
}

// payment is a payment or a refund.
type payment struct {
	LocationID, ItemID string
	At                 time.Time
	lost.PaymentFacts
}

// newHistory fills three locations in different time zones.
func newHistory(t *testing.T, db *store.DB, d *services.Services) *history {
	t.Helper()
	h := &history{t: t, d: d, all: testkit.CreateFirstAccount(t, d)}
	r := rand.New(rand.NewPCG(3, 8)) // a fixed seed, so that failures are reproducible
	for _, zone := range []string{"UTC", "America/New_York", "Pacific/Auckland", "Atlantic/Azores"} {
		l := testkit.Must(d.Locations.Create(t.Context(), h.all, lost.LocationPatch{
			Name: lost.Set("At " + zone), TimeZone: lost.Set(zone), StoragePlace: lost.Set("Cellar"),
		}, lost.IdempotencyKey{}))
		h.locations = append(h.locations, l)
		finds := someFinds(t, db, l, r, 300)
		var payments []payment
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			payments = nil
			for _, i := range finds {
				if i.Source == lost.Request {
					if err := answer(tx, h.all, i, r); err != nil {
						return err
					}
				}
				for i.Source == lost.Found && r.IntN(3) == 0 { // some items have several payments
					paid, err := paidShipment(tx, i, r)
					if err != nil {
						return err
					}
					payments = append(payments, paid...)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		h.payments = append(h.payments, payments...)
	}
	return h
}

// answer answers some requests: with a message, a decision or both, in any order.
func answer(tx *store.Tx, a lost.Actor, i lost.Item, r *rand.Rand) error {
	at := i.CreatedAt
	for n := range 2 {
		at = at.Add(time.Duration(r.IntN(5_000)) * time.Minute)
		switch r.IntN(3 + n) { // the second time, often nothing
		case 0:
			err := tx.AddThreadMessage(lost.ThreadMessage{
				Account: i.Account, ID: lost.NewID(lost.ThreadID, at), LocationID: i.LocationID, ItemID: i.ID,
				From: lost.FromDesk, Via: lost.ViaPage, Text: "Is it black?", Author: a, At: at,
			}, "")
			if err != nil {
				return err
			}
		case 1:
			before, err := tx.LockItem(i.Account, i.LocationID, i.ID)
			if err != nil {
				return err
			}
			if before.Claim.State != lost.RequestPending {
				continue
			}
			after := before
			if err := after.Reject("", at); err != nil {
				return err
			}
			if err := tx.SaveItem(before, after); err != nil {
				return err
			}
		}
	}
	return nil
}

// paidShipment adds a shipment with a payment, and perhaps a refund. Test payments do not count.
func paidShipment(tx *store.Tx, i lost.Item, r *rand.Rand) ([]payment, error) {
	s := lost.NewShipment(&i, []lost.PayBy{lost.PayStripe, lost.PayDesk, lost.PayTest}[r.IntN(3)], i.CreatedAt)
	if err := tx.InsertShipment(s); err != nil {
		return nil, err
	}
	s.Quote.Price = lost.Price{Postage: int64(r.IntN(2000)), Handling: 300, Currency: []string{"EUR", "USD"}[r.IntN(2)]}
	s.PaidAt = i.CreatedAt.Add(time.Duration(r.IntN(500)) * time.Hour)
	if r.IntN(3) == 0 {
		s.Refund = lost.RefundDone
	}
	for range 2 { // a shipment is saved often, and counts once
		if err := tx.SaveShipment(s); err != nil {
			return nil, err
		}
	}
	if s.PayBy == lost.PayTest {
		return nil, nil
	}
	all := []payment{{i.LocationID, i.ID, s.PaidAt, lost.PaymentFacts{Price: s.Quote.Price}}}
	if s.Refund == lost.RefundDone {
		refund := lost.PaymentFacts{Price: s.Quote.Price, Refund: true}
		all = append(all, payment{i.LocationID, i.ID, tx.Now(), refund})
	}
	return all, nil
}

// export returns the rows of the exported files of some locations, by the names of their columns.
func (h *history) export(only []lost.Location) (all []map[string]string) {
	h.t.Helper()
	for _, l := range only {
		var file bytes.Buffer
		if err := h.d.Imports.Export(h.t.Context(), h.all, l.ID, lost.ItemFilter{}, desk.Layout{}, &file); err != nil {
			h.t.Fatal(err)
		}
		lines := testkit.Must(csv.NewReader(&file).ReadAll())
		for _, line := range lines[1:] {
			row := map[string]string{}
			for n, name := range lines[0] {
				row[name] = line[n]
			}
			row["recordedOn"] = l.Day(testkit.Must(time.Parse(time.RFC3339, row["createdAt"])))
			if row["foundOn"] = row["discoveryDate"]; row["foundOn"] == "" {
				row["foundOn"] = row["recordedOn"]
			}
			all = append(all, row)
		}
	}
	return all
}

// outcomeOf tells from an exported row what became of an item.
func outcomeOf(row map[string]string) string {
	switch status := row["status"]; {
	case status == "DELIVERED", status == "PICKUP" && row["closed"] != "":
		return "returned"
	case status == "DONATE":
		return "donated"
	case status == "DISCARD" && slices.Contains([]string{"police", "authority", "auctioned", "finder"},
		row["destination"]):
		return row["destination"]
	case status == "DISCARD" && row["destination"] == "issuer":
		return "authority"
	case status == "DISCARD":
		return "discarded"
	default:
		return "open"
	}
}

// within reports whether a day is in a period.
func within(day string, p report.Period) bool { return day != "" && day >= p.From && day <= p.To }

// quantileOf returns the value that a share of the values do not exceed.
func quantileOf(values []int, percent int) int {
	if len(values) == 0 {
		return -1
	}
	slices.Sort(values)
	for _, v := range values {
		n := 0
		for _, w := range values {
			if w <= v {
				n++
			}
		}
		if n*100 >= percent*len(values) {
			return v
		}
	}
	return -1
}

// orUnknown returns a value, or -1 if it is not known.
func orUnknown[T ~int | ~int64](v T, known bool) int {
	if !known {
		return -1
	}
	return int(v)
}

// itemLines computes the figures of items from exported rows, and writes them like linesOf.
func itemLines(rows []map[string]string, p, before report.Period, today string) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, each := range []report.Period{p, before} {
		n, days := map[string]int{}, []int{}
		for _, row := range rows {
			if row["source"] != "found" {
				continue
			}
			if within(row["foundOn"], each) {
				n["found"]++
			}
			if within(row["endedOn"], each) {
				n[outcomeOf(row)]++
				if outcomeOf(row) == "returned" {
					days = append(days, max(0, daysFrom(row["foundOn"], row["endedOn"])))
				}
			}
		}
		add("items %d %d %d %d days %d %d", n["found"], n["returned"], n["donated"], n["discarded"],
			quantileOf(days, 50), quantileOf(days, 90))
		add("police %d authority %d auctioned %d finder %d", n["police"], n["authority"], n["auctioned"], n["finder"])
	}
	ages, months, places := map[string]int{}, map[string][4]int{}, map[string]int{}
	groups := map[string][2]int{}
	for _, row := range rows {
		if row["source"] != "found" {
			continue
		}
		outcome := outcomeOf(row)
		m := months[row["foundOn"][:7]]
		m[0]++
		switch {
		case outcome == "returned":
			m[1]++
		case outcome == "open":
			m[3]++
		default:
			m[2]++
		}
		months[row["foundOn"][:7]] = m
		if within(row["foundOn"], p) {
			for _, column := range []string{"category", "color", "discoveryPlace", "finder.name"} {
				key := column + " " + strings.ToLower(strings.Join(strings.Fields(row[column]), " "))
				g := groups[key]
				g[0]++
				if outcome == "returned" {
					g[1]++
				}
				groups[key] = g
			}
		}
		if !isHeld(row) {
			continue
		}
		places[row["storagePlace"]]++
		switch age := daysFrom(row["foundOn"], today); {
		case age <= 7:
			ages["0"]++
		case age <= 30:
			ages["8"]++
		case age <= 90:
			ages["31"]++
		case age <= 180:
			ages["91"]++
		default:
			ages["181"]++
		}
	}
	for _, from := range []string{"0", "8", "31", "91", "181"} {
		add("age %s %d", from, ages[from])
	}
	for _, key := range slices.Sorted(maps.Keys(months)) {
		m, rate := months[key], "unknown"
		if m[1]+m[2] > 0 {
			rate = fmt.Sprintf("%.0f", math.Floor(100*float64(m[1])/float64(m[1]+m[2])+0.5))
		}
		add("month %s %v rate %s", key, m, rate)
	}
	var rest [2]int
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		g := groups[key]
		if strings.HasPrefix(key, "finder.name ") && len(key) > len("finder.name ") && g[0] < 3 {
			rest[0], rest[1] = rest[0]+g[0], rest[1]+g[1]
			continue
		}
		add("%s %v", key, g)
	}
	add("other finders %v", rest)
	for _, key := range slices.Sorted(maps.Keys(places)) {
		add("storage %s %d", key, places[key])
	}
	return append(lines, valueLines(rows, p, before)...)
}

// isHeld tells from the exported row of a found item whether it is in storage.
func isHeld(row map[string]string) bool {
	return row["closed"] == "" && row["status"] != "SHIPPED" && row["status"] != "DELIVERED"
}

// valueLines computes from exported rows what items are worth in each currency: in storage, found during both periods
// and returned during both.
func valueLines(rows []map[string]string, p, before report.Period) (lines []string) {
	sums, items := map[string][5]int64{}, map[string]int{}
	for _, row := range rows {
		price, ok := lost.ParsePrice(row["value"])
		if row["source"] != "found" || !ok {
			continue
		}
		returned := outcomeOf(row) == "returned"
		counts := []bool{
			isHeld(row), within(row["foundOn"], p), within(row["foundOn"], before),
			returned && within(row["endedOn"], p), returned && within(row["endedOn"], before),
		}
		if !slices.Contains(counts, true) {
			continue
		}
		sum := sums[price.Currency]
		for n, counted := range counts {
			if counted {
				sum[n] += price.Total()
			}
		}
		sums[price.Currency] = sum
		items[price.Currency]++
	}
	for _, currency := range slices.SortedFunc(maps.Keys(sums), func(a, b string) int {
		return cmp.Or(cmp.Compare(items[b], items[a]), cmp.Compare(a, b))
	}) {
		lines = append(lines, fmt.Sprint("value ", currency, sums[currency]))
	}
	return lines
}

// reportLines writes the figures of a report like itemLines.
func reportLines(r report.Report) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, f := range []report.ItemFigures{r.Items, r.ItemsBefore} {
		add("items %d %d %d %d days %d %d", f.Found, f.Returned, f.Donated, f.Discarded,
			orUnknown(f.MedianDays()), orUnknown(f.P90Days()))
		add("police %d authority %d auctioned %d finder %d", f.Police, f.Authority, f.Auctioned, f.Finder)
	}
	for _, a := range r.Ages {
		add("age %d %d", a.MinDays, a.Items)
	}
	for _, m := range r.Months {
		if m.Found > 0 {
			rate := "unknown"
			if percent, known := m.Rate(); known {
				rate = fmt.Sprint(percent)
			}
			add("month %s %v rate %s", m.Month.FirstDay().Format("2006-01"),
				[4]int{m.Found, m.Returned, m.Other, m.Open}, rate)
		}
	}
	var groups, storage []string
	rest := "other finders [0 0]"
	for column, all := range map[string][]report.Group{
		"category": r.Categories, "color": r.Colors, "discoveryPlace": r.Places, "finder.name": r.Finders,
	} {
		for _, g := range all {
			line := fmt.Sprint([2]int{g.Found, g.Returned})
			if column == "finder.name" && g.Rest > 0 {
				rest = "other finders " + line
			} else {
				groups = append(groups, column+" "+g.Key+" "+line)
			}
		}
	}
	places := map[string]int{}
	for _, p := range r.Storage {
		places[p.Place] += p.Items
	}
	for place, n := range places {
		storage = append(storage, fmt.Sprintf("storage %s %d", place, n))
	}
	lines = slices.Concat(lines, slices.Sorted(slices.Values(groups)), []string{rest})
	lines = append(lines, slices.Sorted(slices.Values(storage))...)
	for _, v := range r.Values {
		sums := [5]int64{v.Stored, v.Found[0], v.Found[1], v.Returned[0], v.Returned[1]}
		lines = append(lines, fmt.Sprint("value ", v.Currency, sums))
	}
	return lines
}

// wireLines writes the figures of a report in the API format like itemLines.
func wireLines(r v1.Report) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	known := func(n *int, unknown string) string {
		if n == nil {
			return unknown
		}
		return fmt.Sprint(*n)
	}
	for _, f := range []v1.ReportItems{r.Items, r.ItemsBefore} {
		add("items %d %d %d %d days %s %s", f.Found, f.Returned, f.Donated, f.Discarded, known(f.MedianDays, "-1"),
			known(f.P90Days, "-1"))
		add("police %d authority %d auctioned %d finder %d", f.Police, f.Authority, f.Auctioned, f.Finder)
	}
	for _, a := range r.Ages {
		add("age %d %d", a.MinDays, a.Items)
	}
	for _, m := range r.Months {
		if m.Found > 0 {
			add("month %s %v rate %s", m.Month, [4]int{m.Found, m.Returned, m.Other, m.Open},
				known(m.ReturnRate, "unknown"))
		}
	}
	var groups, storage []string
	rest := "other finders [0 0]"
	for column, all := range map[string][]v1.ReportGroup{
		"category": r.Categories, "color": r.Colors, "discoveryPlace": r.Places, "finder.name": r.Finders,
	} {
		for _, g := range all {
			line := fmt.Sprint([2]int{g.Found, g.Returned})
			if column == "finder.name" && g.Groups > 0 {
				rest = "other finders " + line
			} else {
				groups = append(groups, column+" "+report.GroupKey(g.Value)+" "+line)
			}
		}
	}
	places := map[string]int{}
	for _, p := range r.Storage {
		places[p.Place] += p.Items
	}
	for place, n := range places {
		storage = append(storage, fmt.Sprintf("storage %s %d", place, n))
	}
	lines = slices.Concat(lines, slices.Sorted(slices.Values(groups)), []string{rest})
	lines = append(lines, slices.Sorted(slices.Values(storage))...)
	for _, v := range r.Values {
		sums := [5]int64{v.Stored, v.Found, v.FoundBefore, v.Returned, v.ReturnedBefore}
		lines = append(lines, fmt.Sprint("value ", v.Currency, sums))
	}
	return lines
}

func daysFrom(from, to string) int {
	begin, _ := time.Parse(lost.DateLayout, from)
	end, _ := time.Parse(lost.DateLayout, to)
	return int(end.Sub(begin).Hours() / 24)
}

// otherLines computes the figures of requests from exported rows, and those of money, and writes them like
// linesOfOthers.
func (h *history) otherLines(rows []map[string]string, only []lost.Location, p report.Period) (lines []string) {
	day := func(location string, at time.Time) string {
		for _, l := range only {
			if l.ID == location {
				return l.Day(at)
			}
		}
		return ""
	}
	filed, open, minutes := 0, 0, []int{}
	for _, row := range rows {
		if row["source"] != "request" || !within(row["recordedOn"], p) {
			continue
		}
		filed++
		if row["answeredAt"] != "" {
			created := testkit.Must(time.Parse(time.RFC3339, row["createdAt"]))
			answered := testkit.Must(time.Parse(time.RFC3339, row["answeredAt"]))
			minutes = append(minutes, int(answered.Sub(created)/time.Minute))
		} else if row["request.state"] == "PENDING" {
			open++
		}
	}
	lines = append(lines, fmt.Sprintf("requests %d %d %d in %d %d", filed, len(minutes), open, quantileOf(minutes, 50),
		quantileOf(minutes, 90)))
	for _, currency := range []string{"EUR", "USD"} {
		m := report.MoneyFigures{Currency: currency}
		for _, f := range h.payments {
			if f.Currency != currency || !within(day(f.LocationID, f.At), p) {
				continue
			}
			if f.Refund {
				m.Refunds, m.Refunded = m.Refunds+1, m.Refunded+f.Postage+f.Handling
				continue
			}
			m.Payments, m.Handling, m.Shipping = m.Payments+1, m.Handling+f.Handling, m.Shipping+f.Postage
		}
		if m.Payments+m.Refunds > 0 {
			lines = append(lines, fmt.Sprint(m))
		}
	}
	return lines
}

// wireOthers writes the figures of requests and money in the API format like linesOfOthers.
func wireOthers(f v1.ReportRequests, money []v1.ReportMoney) []string {
	minutes := func(n *int) int {
		if n == nil {
			return -1
		}
		return *n
	}
	lines := []string{fmt.Sprintf("requests %d %d %d in %d %d", f.Filed, f.Answered, f.Open, minutes(f.MedianMinutes),
		minutes(f.P90Minutes))}
	for _, m := range money {
		lines = append(lines, fmt.Sprint(report.MoneyFigures{
			Currency: m.Currency, Payments: m.Payments, Handling: m.Handling, Shipping: m.Shipping,
			Refunds: m.Refunds, Refunded: m.Refunded,
		}))
	}
	return lines
}

// wireLocations writes the figures of locations in the API format like locationLines.
func wireLocations(r v1.Report) (lines []string) {
	for _, l := range r.Locations {
		f := l.Items
		lines = append(lines, fmt.Sprint(l.LocationID, " ", l.Name, " ", [8]int{
			f.Found, f.Returned, f.Donated, f.Discarded, f.Police, f.Authority, f.Auctioned, f.Finder,
		}))
	}
	return lines
}

func locationLines(r report.Report) (lines []string) {
	for _, l := range r.Locations {
		lines = append(lines, fmt.Sprint(l.ID, " ", l.Name, " ", leavings(l.ItemFigures)))
	}
	return lines
}

func linesOfOthers(f report.RequestFigures, money []report.MoneyFigures) []string {
	half, known := f.MedianAnswer()
	most, _ := f.P90Answer()
	lines := []string{fmt.Sprintf("requests %d %d %d in %d %d", f.Filed, f.Answered, f.Open,
		orUnknown(half/time.Minute, known), orUnknown(most/time.Minute, known))}
	for _, m := range money {
		lines = append(lines, fmt.Sprint(m))
	}
	return lines
}

// Every figure of a report equals a count over the exported rows. The test computes each a second time, in the simplest
// way, from the exported files of a random history.
func TestReportsMatchTheExportedRows(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		t.Cleanup(d.Close)
		h := newHistory(t, db, d)
		now := clock.Now()
		ago := func(days int) string { return now.AddDate(0, 0, -days).Format(lost.DateLayout) }
		for _, only := range [][]lost.Location{h.locations, h.locations[1:2], h.locations[2:], h.locations[:2]} {
			var ids []string
			for _, l := range only {
				ids = append(ids, l.ID)
			}
			rows := h.export(only)
			for _, q := range []desk.ReportQuery{
				{Locations: ids}, {Locations: ids, From: ago(400), To: ago(40)},
				{Locations: ids, From: "2026-02-01", To: "2026-02-28"}, {Locations: ids, From: ago(1000), To: ago(0)},
				{Locations: ids, From: ago(1), To: ago(1)},
			} {
				r := testkit.Must(d.Reports.Report(t.Context(), h.all, q))
				want := itemLines(rows, r.Period, r.Before, r.Today)
				first := "month " + r.Months[0].Month.FirstDay().Format("2006-01")
				last := "month " + r.Months[len(r.Months)-1].Month.FirstDay().Format("2006-01") + "~"
				want = slices.DeleteFunc(want, func(line string) bool {
					return strings.HasPrefix(line, "month") && (line < first || line > last)
				})
				if got := reportLines(r); !slices.Equal(got, want) {
					t.Errorf("%d locations, %v:\ngot\n%s\nwant\n%s", len(only), r.Period, strings.Join(got, "\n"),
						strings.Join(want, "\n"))
				}
				wire := v1.Encoder{}.Report(r)
				if got, want := wireLocations(wire), locationLines(r); !slices.Equal(got, want) {
					t.Errorf("the API returns the locations %q, want %q", got, want)
				}
				if got := wireLines(wire); !slices.Equal(got, want) {
					t.Errorf("%d locations, %v: the API returns\n%s\nwant\n%s", len(only), r.Period,
						strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
				for _, c := range []struct {
					p         report.Period
					got, wire []string
				}{
					{r.Period, linesOfOthers(r.Requests, r.Money), wireOthers(wire.Requests, wire.Money)},
					{
						r.Before, linesOfOthers(r.RequestsBefore, r.MoneyBefore),
						wireOthers(wire.RequestsBefore, wire.MoneyBefore),
					},
				} {
					want := h.otherLines(rows, only, c.p)
					if !slices.Equal(c.got, want) || !slices.Equal(c.wire, want) {
						t.Errorf("%d locations, %v: got %q, from the API %q, want %q", len(only), c.p, c.got,
							c.wire, want)
					}
				}
				checkLocationSums(t, r)
			}
		}
	})
}

// checkLocationSums checks that the figures of the locations add up to those of the report.
func checkLocationSums(t *testing.T, r report.Report) {
	t.Helper()
	var sum [8]int
	for _, l := range r.Locations {
		for n, v := range leavings(l.ItemFigures) {
			sum[n] += v
		}
	}
	if want := leavings(r.Items); sum != want {
		t.Errorf("%v: the locations add up to %v, want %v", r.Period, sum, want)
	}
}

// leavings returns the numbers of items found and of those that left.
func leavings(f report.ItemFigures) [8]int {
	return [8]int{f.Found, f.Returned, f.Donated, f.Discarded, f.Police, f.Authority, f.Auctioned, f.Finder}
}

// A report adds up values in the currencies of most items, and tells how many others there are.
func TestReportsAddUpValuesInTwelveCurrencies(t *testing.T) {
	b := report.New(report.Period{From: "2026-10-01", To: "2026-10-31"}, []lost.LocationName{{ID: "loc_1"}},
		time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC))
	currencies := strings.Fields("AED AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF ILS INR JPY")
	for n, currency := range append(currencies, "JPY") {
		b.AddFind(report.Find{Held: true, Value: lost.Value{Amount: int64(n + 1), Currency: currency}})
	}
	b.AddFind(report.Find{Value: lost.Value{Amount: 1, Currency: "ZAR"}}) // neither here nor found in the periods
	r := b.Report()
	var got []string
	for _, v := range r.Values {
		got = append(got, v.Currency)
	}
	want := append([]string{"JPY"}, currencies[:11]...)
	if !slices.Equal(got, want) || r.MoreCurrencies != 3 || r.Values[0].Stored != 15+16 {
		t.Errorf("got %v with %d yen, and %d more", got, r.Values[0].Stored, r.MoreCurrencies)
	}
}

func TestReportsNeedPermission(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		t.Cleanup(d.Close)
		h := newHistory(t, db, d)
		limited, logger := h.all, h.all
		nowhere, theirs := h.all, h.all
		limited.Locations, nowhere.Locations = []string{h.locations[1].ID}, []string{}
		limited.Role, logger.Role, nowhere.Role = lost.ViewerRole, lost.LoggerRole, lost.DeskRole
		theirs.Account = testkit.Must(d.Accounts.Create(t.Context(), "Theirs")).ID
		year := desk.ReportQuery{From: clock.Now().AddDate(0, 0, -365).Format(lost.DateLayout)}
		if _, err := d.Reports.Report(t.Context(), logger, year); lost.CodeOf(err) != lost.Forbidden {
			t.Errorf("a logger: got %v", err)
		}
		one := year
		one.Locations = []string{h.locations[1].ID}
		want := testkit.Must(d.Reports.Report(t.Context(), h.all, one))
		if got := testkit.Must(d.Reports.Report(t.Context(), limited, year)); !reflect.DeepEqual(got, want) {
			t.Errorf("limited to a location: got %+v, want %+v", got, want)
		}
		other, none := year, desk.ReportQuery{Locations: []string{"x"}}
		other.Locations = []string{h.locations[0].ID}
		for name, r := range map[string]report.Report{
			"without locations":   testkit.Must(d.Reports.Report(t.Context(), nowhere, year)),
			"inaccessible":        testkit.Must(d.Reports.Report(t.Context(), limited, other)),
			"of another account":  testkit.Must(d.Reports.Report(t.Context(), theirs, one)),
			"all of another":      testkit.Must(d.Reports.Report(t.Context(), theirs, year)),
			"an unknown location": testkit.Must(d.Reports.Report(t.Context(), h.all, none)),
		} {
			if r.Items.Found+r.Items.Returned+len(r.Locations)+len(r.Money)+r.Requests.Filed+len(r.Storage) != 0 {
				t.Errorf("%s: got %+v", name, r)
			}
		}
	})
}

func TestReportsAreKeptForAMinute(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		t.Cleanup(d.Close)
		all := testkit.CreateFirstAccount(t, d)
		hotel := testkit.Must(d.Locations.Create(t.Context(), all, testkit.LocationNamed("Hotel"),
			lost.IdempotencyKey{}))
		found := func() int {
			return testkit.Must(d.Reports.Report(t.Context(), all, desk.ReportQuery{})).Items.Found
		}
		for n, want := range []int{0, 0, 2} {
			if got := found(); got != want {
				t.Errorf("step %d: got %d found, want %d", n, got, want)
			}
			if n < 2 {
				testkit.Must(d.Items.Create(t.Context(), all, hotel.ID, testkit.ItemDescribed("Hat"),
					lost.IdempotencyKey{}))
				clock.Advance(45 * time.Second)
			}
		}
	})
}

// An instance of an older version saves shipments without recording their payments.
func TestPaymentsThatAnOlderVersionTookAreReported(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		t.Cleanup(d.Close)
		h := newHistory(t, db, d)
		year := desk.ReportQuery{From: clock.Now().AddDate(0, 0, -1000).Format(lost.DateLayout)}
		money := func() []report.MoneyFigures {
			clock.Advance(2 * time.Minute)
			return testkit.Must(d.Reports.Report(t.Context(), h.all, year)).Money
		}
		want := money()
		if len(want) != 2 || want[0].Payments < 20 || want[0].Refunds < 5 {
			t.Fatalf("got too few payments: %+v", want)
		}
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			for _, condition := range []string{"kind = 'refunded'", "postage % 2 = 0"} {
				_, err := tx.Raw().Exec("DELETE FROM payments WHERE account_id = $1 AND "+condition, h.all.Account)
				if err != nil {
					return err
				}
			}
			_, err := tx.Raw().Exec("UPDATE shipments SET updated_at = $2, recorded_at = 0 WHERE account_id = $1",
				h.all.Account, tx.Now().UnixMicro())
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if got := money(); !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		}
	})
}

func TestTheSameReportIsComputedOnceAtATime(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		t.Cleanup(d.Close)
		h := newHistory(t, db, d)
		ctx, statements := storetest.RecordStatements(t.Context())
		var wait sync.WaitGroup
		for range 20 {
			wait.Go(func() {
				if _, err := d.Reports.Report(ctx, h.all, desk.ReportQuery{}); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		reads := 0
		for _, sql := range statements() {
			if strings.Contains(sql, "FROM payments") {
				reads++
			}
		}
		if want := 2 * len(h.locations); reads != want { // both periods in each time zone
			t.Errorf("20 callers read the payments %d times, want %d", reads, want)
		}
	})
}

// A report leaves out locations if there are too many, and so do the lists behind its figures.
func TestReportsAndTheirListsCoverTheSameLocations(t *testing.T) {
	testkit.EachDatabase(t, func(t *testing.T, db *store.DB, clock *storetest.Clock) {
		d := testkit.NewServices(db, clock)
		t.Cleanup(d.Close)
		all := testkit.CreateFirstAccount(t, d)
		day := clock.Now().Format(lost.DateLayout)
		for n := range lost.MaxStatisticsLocations + 2 {
			l := testkit.Must(d.Locations.Create(t.Context(), all, testkit.LocationNamed(fmt.Sprintf("Hotel %03d", n)),
				lost.IdempotencyKey{}))
			if n%50 > 1 {
				continue
			}
			dated := testkit.ItemDescribed("Hat")
			dated.DiscoveryDate = lost.Set(day)
			for _, item := range []lost.ItemPatch{dated, testkit.ItemDescribed("Scarf")} {
				testkit.Must(d.Items.Create(t.Context(), all, l.ID, item, lost.IdempotencyKey{}))
			}
		}
		r := testkit.Must(d.Reports.Report(t.Context(), all, desk.ReportQuery{}))
		if r.MoreLocations != 2 || len(r.Locations) != lost.MaxStatisticsLocations || r.Items.Found != 16 {
			t.Errorf("got %d locations, %d more, %d items found", len(r.Locations), r.MoreLocations, r.Items.Found)
		}
		for _, f := range []lost.ReportFilter{
			{Figure: lost.FigureHere}, {Figure: lost.FigureFound, From: r.Period.From, To: r.Period.To},
			{Figure: lost.FigureFound, From: r.Period.From}, {Figure: lost.FigureFoundOpen, To: day},
		} {
			list := testkit.Must(d.Items.ListAll(t.Context(), all, nil,
				lost.ItemFilter{Report: f, Page: lost.FirstPage()}))
			if list.Total.Count != r.Items.Found {
				t.Errorf("the list of %+v has %d items, want %d", f, list.Total.Count, r.Items.Found)
			}
		}
	})
}

func TestReportsRefusePeriodsThatAreNotValid(t *testing.T) {
	for _, c := range []struct{ from, to, field string }{
		{"2026-02-30", "", "from"}, {"", "yesterday", "to"}, {"2026-03-02", "2026-03-01", "to"},
		{"2020-01-01", "2026-03-01", "from"},
	} {
		_, err := report.NewPeriod(c.from, c.to, "2026-11-15")
		if problems := lost.ProblemsOf(err); len(problems) != 1 || problems[0].Field != c.field {
			t.Errorf("%s to %s: got %v, want a problem with %s", c.from, c.to, err, c.field)
		}
	}
	for _, c := range [][5]string{
		{"", "", "2026-10-17", "2026-11-15", "2026-09-17"},
		{"2026-10-01", "2026-10-31", "2026-10-01", "2026-10-31", "2026-09-01"},
		{"2026-02-01", "2026-03-31", "2026-02-01", "2026-03-31", "2025-12-01"},
		{"2026-02-02", "2026-02-03", "2026-02-02", "2026-02-03", "2026-01-31"},
		{"", "2026-02-03", "2026-01-05", "2026-02-03", "2025-12-06"},
	} {
		p, err := report.NewPeriod(c[0], c[1], "2026-11-15")
		if err != nil || p != (report.Period{From: c[2], To: c[3]}) || p.Before().From != c[4] {
			t.Errorf("%v: got %v, before %v, %v", c, p, p.Before(), err)
		}
	}
}
