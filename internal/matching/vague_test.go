package matching_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/lost/category"
	"homeward/internal/testkit"
)

// vagueSearch is a line of testdata/vague.txt.
type vagueSearch struct {
	language, description string
	words                 []string
}

func readVagueSearches(t *testing.T) (all []vagueSearch) {
	t.Helper()
	for line := range strings.Lines(string(testkit.Must(os.ReadFile("testdata/vague.txt")))) {
		if parts := strings.Split(strings.TrimSpace(line), " | "); len(parts) == 3 {
			all = append(all, vagueSearch{parts[0], parts[1], strings.Split(parts[2], ", ")})
		}
	}
	return all
}

// TestVagueWordsFindWhatWasRecorded searches for each thing by words that its description does not contain. The items
// have the categories that the form suggests.
func TestVagueWordsFindWhatWasRecorded(t *testing.T) {
	const least = 0.9 // of the searches in each language
	eachFixture(t, func(b *fixture) {
		all := readVagueSearches(t)
		ids := map[string]string{}
		for _, s := range all {
			p := lost.ItemPatch{Description: lost.Set(s.description)}
			if c := s.category(); c != "" {
				p.Category = lost.Set(string(c))
			}
			i := testkit.Must(b.desk.Items.Create(t.Context(), b.by, b.hotel, p, lost.IdempotencyKey{}))
			ids[s.description] = i.ID
		}
		searches, found := map[string]float64{}, map[string]float64{}
		for _, s := range all {
			for _, word := range s.words {
				searches[s.language]++
				if b.finds(word, ids[s.description]) {
					found[s.language]++
				} else {
					t.Logf("%s: %q does not find %q, category %q", s.language, word, s.description, s.category())
				}
			}
		}
		for language, n := range searches {
			share := found[language] / n
			t.Logf("%s: %.0f of %.0f searches find the item", language, found[language], n)
			if share < least {
				t.Errorf("%s: %.1f %% of %.0f searches find the item, want %.0f %%", language, 100*share, n, 100*least)
			}
		}
	})
}

// category returns the category that the form suggests.
func (s vagueSearch) category() lost.Category {
	return category.Suggest(category.Texts{Description: s.description, Language: s.language})
}

// finds reports whether an item is among the first results of a search.
func (b *fixture) finds(query, id string) bool {
	b.Helper()
	list := testkit.Must(b.desk.Items.ListAll(b.Context(), b.by, nil,
		lost.ItemFilter{Query: query, Page: lost.Page{Number: 1, Limit: 20}}))
	return slices.ContainsFunc(list.Data, func(i lost.Item) bool { return i.ID == id })
}
