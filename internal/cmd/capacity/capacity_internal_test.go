package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// doc returns the text of a page in docs.
func doc(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func last(t *testing.T) measured {
	t.Helper()
	m, err := lastMeasured()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestTheTablesOfTheDocumentAreUpToDate(t *testing.T) {
	old := doc(t, "operate/scaling.md")
	now, err := insertTables([]byte(old), report(last(t)))
	if err != nil {
		t.Fatal(err)
	}
	if string(now) != old {
		t.Error("docs/operate/scaling.md does not have the current tables; run make capacity")
	}
}

func TestTheRatesAreThoseOfThePerformanceDocument(t *testing.T) {
	text := doc(t, "develop/performance.md")
	for _, r := range []rate{get, list, search, move, create, deliver} {
		_, line, found := strings.Cut(text, r.source)
		if figure, _, _ := strings.Cut(line, " "); !found || figure != fmt.Sprint(r.perSecond) {
			t.Errorf("the document has %q after %q, but the program uses %v", figure, r.source, r.perSecond)
		}
	}
	in := func(pattern string, column int) float64 {
		t.Helper()
		row := regexp.MustCompile(`(?m)^\| ` + pattern + ` \|.*$`).FindString(text)
		cells := strings.Split(row, "|")
		if len(cells) <= column {
			t.Fatalf("docs/develop/performance.md has no row for %s", pattern)
		}
		ms, err := strconv.ParseFloat(strings.TrimSpace(cells[column]), 64)
		if err != nil {
			t.Fatal(err)
		}
		return ms / 1000
	}
	if got := in("`/tasks/\\{kind\\}`", 4); math.Abs(got-pageSeconds) > 1e-4 {
		t.Errorf("a page takes %v s in the document, but the program uses %v", got, pageSeconds)
	}
	got := (in("a request among found items", 4) + in("a found item among requests", 4)) / 2
	if math.Abs(got-matchSeconds) > 1e-4 {
		t.Errorf("a match run takes %v s in the document, but the program uses %v", got, matchSeconds)
	}
}

func TestSharesAddUpAndAreReproducible(t *testing.T) {
	for _, tier := range tiers()[:4] { // the last tier differs only in size
		accounts, zones := accountsOf(tier)
		again, _ := accountsOf(tier)
		var all float64
		for i, a := range accounts {
			all += a.share
			if a != again[i] || i > 0 && a.share > accounts[i-1].share {
				t.Fatalf("%s: account %d is larger than the one before it, or differs between two calls: %v and %v",
					tier.name, i, a, again[i])
			}
		}
		if !near(all, 1) || !near(sum(zones[:]), 1) {
			t.Errorf("%s: the shares of accounts add up to %v and those of zones to %v, want 1", tier.name, all,
				sum(zones[:]))
		}
	}
	curve := dayCurve()
	if !near(sum(curve[:]), 1) {
		t.Errorf("the shares of hours add up to %v, want 1", sum(curve[:]))
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b)) }

func TestAYearHasItsFindsAndThenGrows(t *testing.T) {
	for _, tier := range tiers() {
		days := everyDay(tier)
		first, then := sum(days[:daysOfYear]), sum(days[daysOfYear:2*daysOfYear])
		// Growth happens daily, so the first year already contains some of it.
		if first < tier.finds*0.999 || first > tier.finds*tier.growth*1.001 || math.Abs(then/first-tier.growth) > 0.01 {
			t.Errorf("%s: %v found items in the first year and %v in the next", tier.name, first, then)
		}
	}
}

func TestLargestShardForEqualAndUnequalAccounts(t *testing.T) {
	accounts, _ := accountsOf(tier{accounts: 20_000})
	for i := range accounts {
		accounts[i].share = 1.0 / float64(len(accounts))
	}
	if got := largestShard(accounts, 32); got < 1 || got > 1.2 {
		t.Errorf("the largest shard is %v times the mean, want 1 to 1.2", got)
	}
	if got := largestShard(accounts[:1], 32); !near(got, 32) {
		t.Errorf("with a single account, its shard is %v times the mean, want 32", got)
	}
	if got := largestShard(accounts, 1); !near(got, 1) {
		t.Errorf("a single shard is %v times the mean, want 1", got)
	}
}

func TestTheMeasurementAddsUp(t *testing.T) {
	for engine, s := range last(t) {
		bytes := 0.0
		for name, t := range s.Tables {
			if t.Table < 0 || t.Indexes < 0 || t.Rows < 0 {
				bytes = math.NaN()
			}
			if name != "items" {
				bytes += float64(t.Table + t.Indexes)
			}
		}
		items := s.Tables["items"]
		if items.Rows != s.Finds+s.Requests || !near(bytes+float64(items.Table+items.Indexes), s.total()) {
			t.Errorf("%s: the totals differ: %d items, %d found items, %d requests; %v of %v bytes", engine, items.Rows,
				s.Finds, s.Requests, bytes, s.total())
		}
		// The records of all kinds have as many bytes as their tables, so no table is counted twice or left out.
		per, whole := 0.0, 0.0
		seen := map[string]bool{}
		for _, n := range s.nouns() {
			per += n.perFind * float64(s.Finds) * n.bytes()
			for _, name := range n.tables {
				if !seen[name] {
					whole += float64(s.Tables[name].Table + s.Tables[name].Indexes)
				}
				seen[name] = true
			}
		}
		if math.Abs(per-whole) > 1e-6*whole {
			t.Errorf("%s: the records have %.0f bytes, their tables %.0f", engine, per, whole)
		}
	}
}

func TestMoreFindsNeedMoreResources(t *testing.T) {
	s := last(t)["postgres"]
	small, large := simulate(tiers()[1], "postgres", s), simulate(tiers()[2], "postgres", s)
	for what, pair := range map[string][2]float64{
		"rows": {small.allRows, large.allRows}, "bytes": {small.bytes(), large.bytes()},
		"files": {small.files, large.files}, "memory": {small.hot, large.hot},
		"requests": {small.peak.requests, large.peak.requests}, "cores": {small.cores, large.cores},
	} {
		if pair[0] <= 0 || pair[1] <= pair[0] {
			t.Errorf("%s: got %v for the smaller tier and %v for the larger one", what, pair[0], pair[1])
		}
	}
	if small.hot > small.bytes() {
		t.Errorf("the frequently read bytes, %v, exceed the total of %v", small.hot, small.bytes())
	}
	if forever := small.rows["history entry"]; small.rows["event"] >= forever {
		t.Errorf("got %v events, want fewer than the %v history entries", small.rows["event"], forever)
	}
}

func TestNumbersAreFormattedWithTheirUnits(t *testing.T) {
	for got, want := range map[string]string{
		amount(999): "999 B", amount(1500): "1.5 kB", amount(2.5e12): "2.5 TB", amount(3e15): "3 PB",
		count(1.26e6): "1.3 million", count(20_000): "20,000", number(0.0123): "0.012", number(9.96): "10",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestASmallDatabaseIsMeasured measures a small database filled by the service itself. Its sizes are not
// representative, but it contains all kinds of records.
func TestASmallDatabaseIsMeasured(t *testing.T) {
	m, err := measure(t.Context(), 12, os.Getenv("HOMEWARD_TEST_POSTGRES"), t.Output())
	if err != nil {
		t.Fatal(err)
	}
	for engine, s := range m {
		if s.Finds < 12 || s.Requests == 0 {
			t.Errorf("%s: %d found items, %d requests", engine, s.Finds, s.Requests)
		}
		for _, n := range s.nouns() {
			if n.perFind <= 0 || n.table < 0 || n.indexes < 0 {
				t.Errorf("%s: %+v", engine, n)
			}
		}
		// Smaller tables do not grow beyond their first pages, so only items are checked.
		if items := s.Tables["items"]; items.Table <= 0 || items.Indexes <= 0 {
			t.Errorf("%s: %+v", engine, items)
		}
	}
}
