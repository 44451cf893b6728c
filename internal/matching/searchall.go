package matching

import (
	"context"
	"strings"

	"homeward/internal/lost"
	"homeward/internal/lost/match"
	"homeward/internal/store"
)

// maxSearched is the maximum number of items and the maximum number of requests that All reads.
const maxSearched = 40

// All searches the items, requests and guests of an account, and returns at most limit of each. If only is not nil, it
// contains the ids of the locations.
func (s *Searcher) All(ctx context.Context, account string, only []string, query string,
	limit int) (results lost.SearchResults, err error) {
	found, _, err := s.find(ctx, account, only, lost.ItemFilter{Query: query})
	if err != nil {
		return results, err
	}
	found = bestOfEach(found, maxSearched)
	items, err := s.items(ctx, account, found)
	if err != nil {
		return results, err
	}
	results.Exact = map[string]bool{}
	for _, r := range found {
		results.Exact[r.ID] = r.Exact
	}
	for _, i := range items {
		if i.Source == lost.Request {
			results.Requests = append(results.Requests, i)
		} else {
			results.Items = append(results.Items, i)
		}
	}
	results.Items = results.Items[:min(len(results.Items), limit)]
	results.Requests = results.Requests[:min(len(results.Requests), limit)]
	results.Guests = findGuests(items, query)
	results.Guests = results.Guests[:min(len(results.Guests), limit)]
	return results, nil
}

// bestOfEach returns the best of the found items and of the requests, in their order, up to most of each.
func bestOfEach(found []ranked, most int) (best []ranked) {
	kept := map[lost.Source]int{}
	for _, r := range found {
		if kept[r.Source]++; kept[r.Source] <= most {
			best = append(best, r)
		}
	}
	return best
}

// findGuests returns the owners of records that match a query by themselves.
func findGuests(items []lost.Item, text string) (guests []lost.FoundGuest) {
	query := match.ReadQuery(store.Fold(text), referenceSpellings)
	match.NewVocabulary().Groups(query) // every word counts the same
	at := map[string]int{}
	for _, i := range items {
		o := i.Owner
		name := strings.TrimSpace(o.FirstName + " " + o.LastName)
		rank := query.Rank([]match.Line{
			{Text: store.Fold(name), Weight: 1}, {Text: store.Fold(o.Email), Weight: 1}, {Text: o.Phone, Weight: 1},
		})
		const half = 0.5 // of the words, or all of them with a wrong letter
		if rank.Score < half {
			continue
		}
		key := name + "\n" + strings.ToLower(o.Email) + "\n" + o.Phone
		n, known := at[key]
		if !known {
			n = len(guests)
			at[key] = n
			guests = append(guests, lost.FoundGuest{Owner: o})
		}
		guests[n].Records = append(guests[n].Records, i)
	}
	return guests
}
