// Command matcheval evaluates the matching rules with a labelled data set. It measures how often the right item is
// ranked first or among the first five, how often a request without a matching item gets a likely match, and how much
// each part of the rules contributes. It compares the rules with BM25, which counts shared words. It does not call the
// API; a test of the use cases checks that the API returns the same suggestions.
//
// With the project's own set, it also measures folds: the set is divided by the kind of thing, and each part is ranked
// by rules that were fitted to the others, with a dictionary that lacks the words that only this part uses. This shows
// what to expect of words that nobody foresaw.
//
//	go run ./internal/cmd/matcheval [-set folder] [-misses] [-fit] [-diagram file]
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"homeward/internal/lost/match"
	"homeward/internal/lost/match/matchtest"
)

func main() {
	var o options
	flag.StringVar(&o.folder, "set", "",
		"folder with finds.jsonl and requests.jsonl; default: the project's own data set")
	flag.BoolVar(&o.misses, "misses", false, "list the requests for which the right found item is not ranked first")
	flag.BoolVar(&o.fit, "fit", false,
		"fit the weights to the set and print them; the figures are those of these weights")
	flag.BoolVar(&o.brief, "brief", false, "leave out the rows of omitted evidence")
	flag.StringVar(&o.diagram, "diagram", "",
		"write a diagram (SVG) of how reliable the probabilities are to this file")
	flag.Parse()
	if err := run(os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "matcheval:", err)
		os.Exit(1)
	}
}

type options struct {
	folder, diagram    string
	misses, fit, brief bool
}

func run(out io.Writer, o options) error {
	set, err := matchtest.Default()
	if o.folder != "" {
		set, err = matchtest.Load(o.folder)
	}
	if err != nil {
		return err
	}
	unmatched := 0
	for _, r := range set.Requests {
		if r.Item == "" {
			unmatched++
		}
	}
	fmt.Fprintf(out, "%d requests, %d of them without a matching item, %d found items\n\n", len(set.Requests),
		unmatched, len(set.Finds))
	t := table{out: out}
	t.head()
	t.line("BM25", judge(set.Requests, bm25(set.Finds)))
	samples := collect(set.Requests, set.Finds, match.Matcher{})
	weights := match.CurrentWeights()
	if o.folder == "" { // the weights were fitted to this set
		learned := withoutHalf(set, samples)
		outside, of := heldOut(set, learned, weights)
		rank := func(s sample) []guess { return s.guesses(match.Matcher{}, of[s.request.ID]) }
		if o.fit {
			weights = fit(learned, weights)
		}
		t.samples("**Homeward**, words that nobody foresaw", outside, rank)
		if o.diagram != "" {
			if err := drawReliability(o.diagram, binsOf(outside, rank)); err != nil {
				return err
			}
		}
		defer func() {
			reliability(out, binsOf(outside, rank))
			likelihoods(out, outside, rank)
			sweep(out, outside, rank)
		}()
	}
	t.samples("**Homeward**", samples, func(s sample) []guess { return s.guesses(match.Matcher{}, weights) })
	if o.folder != "" {
		rank := func(s sample) []guess { return s.guesses(match.Matcher{}, weights) }
		defer func() {
			likelihoods(out, samples, rank)
			sweep(out, samples, rank)
		}()
	}
	if !o.brief {
		t.omitted(set, samples, weights)
	}
	if o.fit {
		printWeights(out, weights)
	}
	if o.misses {
		list(out, set, samples, weights)
	}
	return nil
}

// table prints the measured figures.
type table struct{ out io.Writer }

func (t table) head() {
	fmt.Fprintln(t.out,
		"| ranking | recall@1 | recall@5 | MRR | true matches rated likely | unmatched requests with a likely match |")
	fmt.Fprintln(t.out, "|---|--:|--:|--:|--:|--:|")
}

func (t table) line(name string, v verdict) {
	fmt.Fprintf(t.out, "| %s | %.3f | %.3f | %.3f | %.1f %% | %.1f %% |\n", name, v.first, v.five, v.reciprocal,
		100*v.trueLikely, 100*v.noneLikely)
}

func (t table) samples(name string, samples []sample, rank func(sample) []guess) {
	byID := map[string]sample{}
	requests := make([]matchtest.Request, len(samples))
	for n, s := range samples {
		byID[s.request.ID], requests[n] = s, s.request
	}
	t.line(name, judge(requests, func(r matchtest.Request) []guess { return rank(byID[r.ID]) }))
}

// omitted prints a line for each signal, without which the set is ranked.
func (t table) omitted(set matchtest.Set, samples []sample, weights match.Weights) {
	for _, signal := range match.Signals() {
		by := match.Matcher{Without: []match.Signal{signal}}
		of := samples
		switch signal {
		case match.Meanings, match.Related, match.Slips, match.Rarity: // texts are read in another way
			of = collect(set.Requests, set.Finds, by)
		}
		t.samples("without "+string(signal), of, func(s sample) []guess { return s.guesses(by, weights) })
	}
}

// guess is an item that a ranking suggests for a request.
type guess struct {
	item   string
	value  float64
	likely bool
}

// best sorts guesses, best first. Equal guesses are sorted by ID, so that their order in the file has no effect.
func best(all []guess) []guess {
	slices.SortStableFunc(all, func(a, b guess) int {
		return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.item, b.item))
	})
	return all
}

// verdict describes the quality of a ranking. Each value is from 0 to 1.
type verdict struct{ first, five, reciprocal, trueLikely, noneLikely float64 }

func judge(requests []matchtest.Request, rank func(matchtest.Request) []guess) (v verdict) {
	var matched, unmatched float64
	for _, r := range requests {
		guesses := rank(r)
		if r.Item == "" {
			unmatched++
			if slices.ContainsFunc(guesses, func(g guess) bool { return g.likely }) {
				v.noneLikely++
			}
			continue
		}
		matched++
		n := slices.IndexFunc(guesses, func(g guess) bool { return g.item == r.Item })
		if n < 0 {
			continue
		}
		v.reciprocal += 1 / float64(n+1)
		if n == 0 {
			v.first++
		}
		if n < 5 {
			v.five++
		}
		if guesses[n].likely {
			v.trueLikely++
		}
	}
	v.first = v.first / matched
	v.five = v.five / matched
	v.reciprocal = v.reciprocal / matched
	v.trueLikely = v.trueLikely / matched
	v.noneLikely /= max(unmatched, 1)
	return v
}

func printWeights(out io.Writer, w match.Weights) {
	fmt.Fprintf(out, "\nBase: %.2f\n", w.Base)
	for f, name := range match.FeatureNames() {
		fmt.Fprintf(out, "%s: %.2f,\n", name, w.Of[f])
	}
}

// list prints the requests that the rules ranked wrongly, with the item ranked first and the right item.
func list(out io.Writer, set matchtest.Set, samples []sample, weights match.Weights) {
	finds := map[string]matchtest.Find{}
	for _, f := range set.Finds {
		finds[f.ID] = f
	}
	show := func(what string, g guess) {
		f := finds[g.item]
		fmt.Fprintf(out, "    %s %.2f %s %s | %s %s %s | %s %s | %s\n", what, g.value, g.item, f.Description,
			f.Brand, f.Model, f.Color, f.DiscoveryPlace, f.DiscoveryDate, f.Notes)
	}
	for _, s := range samples {
		r, guesses := s.request, s.guesses(match.Matcher{}, weights)
		wrong := len(guesses) > 0 && guesses[0].item != r.Item && (r.Item != "" || guesses[0].likely)
		if !wrong && (r.Item == "" || len(guesses) > 0) {
			continue
		}
		fmt.Fprintf(out, "\n%s %s | %s %s %s | %s %s\n", r.ID, r.Description, r.Brand, r.Model, r.Color, r.LostPlace,
			r.LostDate)
		if len(guesses) > 0 {
			show("first", guesses[0])
		}
		if n := slices.IndexFunc(guesses, func(g guess) bool { return g.item == r.Item }); n >= 0 {
			show(fmt.Sprintf("right, rank %d,", n+1), guesses[n])
		} else if r.Item != "" {
			show("right, not suggested,", guess{item: r.Item})
		}
	}
}
