package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// document is the page that -write updates.
var document = filepath.Join("..", "..", "..", "docs", "develop", "performance.md")

// newSeries returns the results of an operation in three turns.
func newSeries(op string, size int, bare bool, rates ...float64) *series {
	all := operations()
	n := slices.IndexFunc(all, func(o operation) bool { return o.name == op })
	s := &series{engine: "sqlite", op: all[n], size: size, bare: bare, rates: rates, times: histogram{}}
	for _, rate := range rates {
		s.requests += int64(rate)
		s.seconds++
	}
	return s
}

func TestOperationsAreComparedWithTheirGoals(t *testing.T) {
	t.Parallel()
	slow := newSeries("create", 100, false, 10, 69, 70)
	slow.cpu, slow.queue = 149*time.Millisecond, 298*time.Millisecond
	few, many := newSeries("get", 100, false, 80, 10, 75), newSeries("get", 900, false, 30, 4, 74)
	few.cpu, many.cpu = 165*time.Millisecond, 162*time.Millisecond // 1 and 1.5 ms for each request
	few.times.add(time.Millisecond)
	many.times.add(3 * time.Millisecond)
	sections := report(results{operations: []*series{
		newSeries("get", 100, true, 100, 100, 100), few, newSeries("get", 900, true, 100, 100, 100), many,
		newSeries("create", 100, true, 100, 100, 100), slow,
	}})
	if len(sections) != 1 || sections[0].name != "operations" {
		t.Fatalf("the sections are %v", sections)
	}
	for _, want := range []string{
		"| 0.75 | 0.75 | ok |\n", "| 0.30 | 0.75 | **short of goal** |\n", // get
		"| 0.69 | 0.70 | **short of goal** |\n", "| 1000 | 2000 |", // create
		"| sqlite | get | 2.50 | 2.99 | 1.50 | 2.0 | **short of goal** |\n",
	} {
		if !strings.Contains(sections[0].text, want) {
			t.Errorf("the report has no %q:\n%s", want, sections[0].text)
		}
	}
	if strings.Contains(sections[0].text, "| sqlite | create | 1.") {
		t.Error("the growth of an operation with only one number of items is reported")
	}
}

func TestPagesAndMatchesAreComparedWithFewerItems(t *testing.T) {
	t.Parallel()
	took := func(ms int) []time.Duration { return []time.Duration{time.Duration(ms) * time.Millisecond} }
	var r results
	for _, engine := range []string{"sqlite", "postgres"} {
		r.pages = append(r.pages,
			&pageResult{engine: engine, at: "/", size: 10, times: took(1)},
			&pageResult{engine: engine, at: "/help", size: 10, times: took(1)},
			&pageResult{engine: engine, at: "/", size: 90, times: took(3)},
			&pageResult{engine: engine, at: "/help", size: 90, times: took(1)})
		r.matches = append(r.matches, &matchResult{engine: engine, what: "a request", size: 10, times: took(10)},
			&matchResult{engine: engine, what: "a request", size: 90, times: took(15)})
	}
	sections := report(r)
	for n, wants := range [][]string{
		{
			"| page | SQLite p50 ms | p95 | PostgreSQL p50 ms | p95 | kB | kB with assets | |\n" +
				"|---|--:|--:|--:|--:|--:|--:|---|\n",
			"| `/` | 3.00 | 3.00 | 3.00 | 3.00 | 0.0 | 0.0 | ok |\n",
			"| postgres | one visit to every page |  | 2.00 |  | 2.0 | ok |\n",
			"| sqlite | `/` |  | 3.00 |  | 2.0 | **short of goal** |\n",
		},
		{
			"|  | SQLite p50 ms", "| a request | 15.00 | 15.00 | 15.00 | 15.00 | ok |\n",
			"| sqlite | a request |  | 1.50 |",
		},
	} {
		for _, want := range wants {
			if !strings.Contains(sections[n].text, want) {
				t.Errorf("%s has no %q:\n%s", sections[n].name, want, sections[n].text)
			}
		}
	}
}

func TestStartsAreComparedWithTheirLimits(t *testing.T) {
	t.Parallel()
	took := func(ms ...int) (all []time.Duration) {
		for _, n := range ms {
			all = append(all, time.Duration(n)*time.Millisecond)
		}
		return all
	}
	start := func(engine string, page []time.Duration, used float64) *startResult {
		return &startResult{
			engine: engine, size: 9, health: took(7, 900, 8), list: took(20, 10, 30), page: page, idle: 31, used: used,
		}
	}
	sections := report(results{starts: []*startResult{
		start("sqlite", took(40, 500, 600), 59), start("postgres", took(40, 501, 600), 59),
		start("other", took(40, 50, 60), 60),
	}})
	for _, want := range []string{
		"| sqlite | 9 | 8 | 20 | 500 | 31 | 59 | ok |\n",
		"| postgres | 9 | 8 | 20 | 501 | 31 | 59 | **short of goal** |\n",
		"| other | 9 | 8 | 20 | 50 | 31 | 60 | **short of goal** |\n",
	} {
		if !strings.Contains(sections[0].text, want) {
			t.Errorf("the report has no %q:\n%s", want, sections[0].text)
		}
	}
}

func TestChangesOfRulesAreComparedWithTheirLimit(t *testing.T) {
	t.Parallel()
	took := func(ms int) *matchResult {
		return &matchResult{times: []time.Duration{time.Duration(ms) * time.Millisecond}}
	}
	sections := report(results{rules: []*rulesResult{
		{engine: "sqlite", size: 9, alone: 2 * time.Second, busy: 60 * time.Second, quiet: took(3), during: took(4)},
		{engine: "postgres", size: 9, alone: 2 * time.Second, busy: 61 * time.Second, quiet: took(3), during: took(4)},
	}})
	if len(sections) != 1 || sections[0].name != "rules" {
		t.Fatalf("the sections are %v", sections)
	}
	for _, want := range []string{
		"| SQLite | 9 | 2.0 | 60.0 | 3.00 | 3.00 | 4.00 | 4.00 | ok |\n",
		"| PostgreSQL | 9 | 2.0 | 61.0 | 3.00 | 3.00 | 4.00 | 4.00 | **missed** |\n",
	} {
		if !strings.Contains(sections[0].text, want) {
			t.Errorf("the report has no %q:\n%s", want, sections[0].text)
		}
	}
}

func TestTheDocumentHasAPlaceForEverySection(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	var sections []section
	for _, name := range []string{
		"operations", "webhooks", "pages", "searches", "reports", "rules", "matching", "live", "starts", "memory",
	} {
		sections = append(sections, section{name, "| new " + name + " |\n"})
	}
	file := filepath.Join(t.TempDir(), "performance.md")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the markers remain
		if err := writeDocument(file, sections); err != nil {
			t.Fatal(err)
		}
	}
	written, _ := os.ReadFile(file)
	for _, s := range sections {
		if n := strings.Count(string(written), s.text); n != 1 {
			t.Errorf("the document has %q %d times", s.text, n)
		}
	}
	if err := writeDocument(file, []section{{"instances", ""}}); err == nil {
		t.Error("a section without markers was written")
	}
}

func TestOnlyACompleteRunIsWritten(t *testing.T) {
	t.Parallel()
	for args, complete := range map[string]bool{
		"":                             true,
		"-ops pages":                   true,
		"-ops pages,get":               false,
		"-engine sqlite":               false,
		"-quick":                       false,
		"-profile x":                   false,
		"-size 10000,200000,1000000":   true,
		"-ops webhooks -memory=false":  true,
		"-engine postgres,sqlite":      true,
		"-engine sqlite -ops webhooks": false,
	} {
		_, err := parse(append(strings.Fields(args), "-write", "x.md"), io.Discard)
		if complete != (err == nil) {
			t.Errorf("-write with %q: %v", args, err)
		}
	}
}

func TestRequestsAreSentInTheOrderOfThePlan(t *testing.T) {
	t.Parallel()
	kind := func(name string, targets int, bodies ...string) requestKind {
		k := requestKind{Method: "GET", Bodies: texts(bodies), Type: jsonBody, Status: 200}
		for n := range targets {
			k.Targets = append(k.Targets, fmt.Sprintf("/%s%d", name, n))
		}
		return k
	}
	r := newRequests(plan{Kinds: []requestKind{kind("a", 3), kind("b", 2, "x", "y")}, Order: []int{0, 1, 0}})
	var sent []string
	for n := range int64(12) {
		start, rest, _ := r.request(n)
		target, _, _ := strings.Cut(strings.TrimPrefix(string(start), "GET /"), " ")
		_, body, _ := strings.Cut(string(rest), "\r\n\r\n")
		sent = append(sent, target+body)
	}
	want := "a0 b0x a1 a2 b1y a0 a1 b0y a2 a0 b1x a1"
	if got := strings.Join(sent, " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTheMixtureHasTheDocumentedShares(t *testing.T) {
	t.Parallel()
	p, err := mixedPlan(&site{location: "loc", items: []string{"item"}})
	if err != nil {
		t.Fatal(err)
	}
	shares := make([]int, len(p.Kinds))
	for _, k := range p.Order {
		shares[k] += 100 / len(p.Order)
	}
	if want := []int{60, 20, 10, 5, 5}; !slices.Equal(shares, want) {
		t.Errorf("the shares are %v, want %v", shares, want)
	}
}

func TestThePhotoHasTheDocumentedSize(t *testing.T) {
	t.Parallel()
	picture, err := photo(photoWidth, photoHeight, photoNoise, photoBytes)
	if err != nil || len(picture) < photoBytes*9/10 {
		t.Errorf("the photo has %d bytes, want nearly %d; %v", len(picture), photoBytes, err)
	}
}
