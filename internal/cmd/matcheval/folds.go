package main

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"homeward/internal/lost/match"
	"homeward/internal/lost/match/matchtest"
)

// foldCount is the number of parts that the set is divided into.
const foldCount = 5

// folds divides the requests and the found items by the kind of thing, so that the words for a thing are in one fold
// only. It returns the fold of each.
func folds(set matchtest.Set) (requests map[string]int, finds map[string]int) {
	kinds := map[string]string{}
	sizes := map[string]int{}
	for _, f := range set.Finds {
		kinds[f.ID] = kindOf(f.Subject())
	}
	about := map[string]string{}
	for _, r := range set.Requests {
		about[r.ID] = kinds[r.Item]
		if r.Item == "" {
			about[r.ID] = kindOf(r.Subject())
		}
		sizes[about[r.ID]]++
	}
	order := make([]string, 0, len(sizes))
	for kind := range sizes {
		order = append(order, kind)
	}
	slices.SortFunc(order, func(a, b string) int { return cmp.Or(cmp.Compare(sizes[b], sizes[a]), cmp.Compare(a, b)) })
	var total [foldCount]int
	foldOf := map[string]int{}
	for _, kind := range order {
		smallest := 0
		for n := range total {
			if total[n] < total[smallest] {
				smallest = n
			}
		}
		foldOf[kind] = smallest
		total[smallest] += sizes[kind]
	}
	requests, finds = map[string]int{}, map[string]int{}
	for id, kind := range about {
		requests[id] = foldOf[kind]
	}
	for id, kind := range kinds {
		if n, ok := foldOf[kind]; ok {
			finds[id] = n
		} else {
			finds[id] = -1
		}
	}
	return requests, finds
}

func kindOf(s match.Subject) string {
	if kinds := match.Read(s).Kinds(); len(kinds) > 0 {
		return kinds[0]
	}
	return ""
}

// vocabulary is a text of the roots of words, each between spaces.
type vocabulary struct{ text strings.Builder }

func (v *vocabulary) add(s match.Subject) {
	for _, text := range []string{s.Description, s.Brand, s.Model, s.Color, s.More, s.Place} {
		v.text.WriteString(roots(text))
		v.text.WriteString(". ")
	}
}

// roots returns the folded words of a text without the usual endings, each between spaces.
func roots(text string) string {
	var b strings.Builder
	b.WriteByte(' ')
	separates := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for _, word := range strings.FieldsFunc(text, separates) {
		folded := string(match.AppendFolded(nil, word))
		for _, ending := range []string{"en", "er", "es", "s", "n", "e", "a", "o", "i"} {
			if rest, ok := strings.CutSuffix(folded, ending); ok && len(rest) >= 3 {
				folded = rest
				break
			}
		}
		b.WriteString(folded)
		b.WriteByte(' ')
	}
	return b.String()
}

// heldOut compares the requests of each fold by rules that know nothing of it: neither are its requests used to fit the
// weights, nor has the dictionary the words that only this fold uses. It returns the weights for each request.
func heldOut(set matchtest.Set, fitted []sample,
	initial match.Weights) (all []sample, weights map[string]match.Weights) {
	ofRequest, ofFind := folds(set)
	weights = map[string]match.Weights{}
	for fold := range foldCount {
		var inside, outside vocabulary
		for _, f := range set.Finds {
			if ofFind[f.ID] == fold {
				inside.add(f.Subject())
			} else {
				outside.add(f.Subject())
			}
		}
		var requests []matchtest.Request
		for _, r := range set.Requests {
			if ofRequest[r.ID] == fold {
				inside.add(r.Subject())
				requests = append(requests, r)
			} else {
				outside.add(r.Subject())
			}
		}
		used, elsewhere := inside.text.String(), outside.text.String()
		by := match.Matcher{}.Forgetting(func(form string) bool {
			words := roots(form)
			return strings.Contains(used, words) && !strings.Contains(elsewhere, words)
		})
		var others []sample
		for _, s := range fitted {
			if ofRequest[s.request.ID] != fold {
				others = append(others, s)
			}
		}
		w := fit(others, initial)
		for _, s := range collect(requests, set.Finds, by) {
			all = append(all, s)
			weights[s.request.ID] = w
		}
	}
	return all, weights
}
