// Command matcheval evaluates the matching rules with a labelled data set. It measures how often the right item is
// ranked first or among the first five, how often a request without a matching item gets a likely match, and how much
// each part of the rules contributes. It compares the rules with BM25, which counts shared words. It does not call the
// API; a test of the use cases checks that the API returns the same suggestions.
//
//	go run ./internal/cmd/matcheval [-set folder] [-misses]
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
	folder := flag.String("set", "", "folder with finds.jsonl and requests.jsonl; default: the project's own data set")
	misses := flag.Bool("misses", false, "list the requests for which the right found item is not ranked first")
	flag.Parse()
	if err := run(os.Stdout, *folder, *misses); err != nil {
		fmt.Fprintln(os.Stderr, "matcheval:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, folder string, misses bool) error {
	set, err := matchtest.Default()
	if folder != "" {
		set, err = matchtest.Load(folder)
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
	fmt.Fprintln(out,
		"| ranking | recall@1 | recall@5 | MRR | true matches rated likely | unmatched requests with a likely match |")
	fmt.Fprintln(out, "|---|--:|--:|--:|--:|--:|")
	line := func(name string, rank func(matchtest.Request) []guess) {
		v := judge(set.Requests, rank)
		fmt.Fprintf(out, "| %s | %.3f | %.3f | %.3f | %.1f %% | %.1f %% |\n", name, v.first, v.five, v.reciprocal,
			100*v.trueLikely, 100*v.noneLikely)
	}
	line("BM25", bm25(set.Finds))
	line("**Homeward**", ranking(set.Finds, match.Matcher{}))
	for _, i := range match.Signals() {
		line("without "+string(i), ranking(set.Finds, match.Matcher{Without: []match.Signal{i}}))
	}
	if misses {
		list(out, set)
	}
	return nil
}

// guess is an item that a ranking suggests for a request.
type guess struct {
	item   string
	value  float64
	likely bool
	why    []match.Reason
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

// ranking returns a ranking that uses the rules. Like the service, it leaves out items that cannot match.
func ranking(finds []matchtest.Find, by match.Matcher) func(matchtest.Request) []guess {
	profiles := make([]match.Profile, len(finds))
	counts := match.Counts{"": min(len(finds), match.MaxCounted)}
	for n, f := range finds {
		profiles[n] = by.Read(f.Subject())
		for _, term := range profiles[n].Terms() {
			counts[term] = min(counts[term]+1, match.MaxCounted)
		}
	}
	return func(r matchtest.Request) (all []guess) {
		request := by.Read(r.Subject())
		for n, f := range finds {
			if s := by.Compare(request, profiles[n], counts); s.Possible() {
				all = append(all, guess{f.ID, s.Value, s.Likely(), s.Reasons})
			}
		}
		return best(all)
	}
}

// list prints the requests that the rules ranked wrongly, with the item ranked first and the right item.
func list(out io.Writer, set matchtest.Set) {
	rank := ranking(set.Finds, match.Matcher{})
	finds := map[string]matchtest.Find{}
	for _, f := range set.Finds {
		finds[f.ID] = f
	}
	show := func(what string, g guess) {
		f := finds[g.item]
		fmt.Fprintf(out, "    %s %.2f %s %s | %s %s %s | %s %s | %s %q\n", what, g.value, g.item, f.Description,
			f.Brand, f.Model, f.Color, f.DiscoveryPlace, f.DiscoveryDate, f.Notes, g.why)
	}
	for _, r := range set.Requests {
		guesses := rank(r)
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
