package demo_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/services"
	"homeward/internal/store/storetest"
)

// search is a line of testdata/searches.txt.
type search struct {
	language, query string
	wants           *regexp.Regexp
}

func readSearches(t *testing.T) (all []search) {
	t.Helper()
	text, err := os.ReadFile("testdata/searches.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if parts := strings.SplitN(strings.TrimSpace(line), " | ", 3); len(parts) == 3 {
			all = append(all, search{parts[0], parts[1], regexp.MustCompile(parts[2])})
		}
	}
	return all
}

// TestSearchesFindWhatAClerkWants checks how often the wanted item is first, and how often it is among the first five.
func TestSearchesFindWhatAClerkWants(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		d := fillDemo(t, setting, time.Date(2026, 11, 15, 14, 30, 0, 0, time.UTC), 120)
		owner := ownerOf(t, d)
		first, amongFive := 0, 0
		all := readSearches(t)
		for _, s := range all {
			switch place, results := rankOf(t, d, owner, s); place {
			case 1:
				first++
				amongFive++
			case 2, 3, 4, 5:
				amongFive++
				t.Logf("%s %q is at place %d: %s", s.language, s.query, place, results)
			default:
				t.Logf("%s %q is not among five: %s", s.language, s.query, results)
			}
		}
		percent := func(n int) float64 { return 100 * float64(n) / float64(len(all)) }
		t.Logf("%d searches: first %.1f %%, among five %.1f %%", len(all), percent(first), percent(amongFive))
		if len(all) < 200 || percent(first) < 85 || percent(amongFive) < 97 {
			t.Errorf("of %d searches, the wanted item is first in %.1f %% and among five in %.1f %%; want 85 %% and "+
				"97 %% of at least 200", len(all), percent(first), percent(amongFive))
		}
	})
}

// rankOf returns the place of the first wanted item, or 0, and the first results.
func rankOf(t *testing.T, d *services.Services, by lost.Actor, s search) (place int, results string) {
	t.Helper()
	list, err := d.Items.ListAll(t.Context(), by, nil, lost.ItemFilter{Query: s.query, Page: lost.FirstPage()})
	if err != nil {
		t.Fatal(err)
	}
	for n, i := range list.Data {
		if place == 0 && s.wants.MatchString(asLine(i)) {
			place = n + 1
		}
		if n < 3 {
			results += "\n    " + asLine(i)
		}
	}
	return place, results
}

func asLine(i lost.Item) string {
	return fmt.Sprintf("%s; %s %s; %s; %s; %s; %s; %s %s; %s; %s", i.Description, i.Brand, i.Model, i.Color,
		i.DiscoveryPlace+i.Claim.LostPlace, i.StoragePlace, i.Notes+i.Claim.Proof, i.Owner.FirstName, i.Owner.LastName,
		i.Owner.Email, i.Owner.Phone)
}
