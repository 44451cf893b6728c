package store

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"homeward/internal/lost"
)

// A search looks up only the rarest trigrams, because long lists slow it down.
func TestASearchUsesTheRarestTrigrams(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "search.db"))
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	account, err := lost.NewAccount("Hotel", db.clock())
	if err != nil {
		t.Fatal(err)
	}
	location, err := lost.NewLocation(account.ID, lost.LocationPatch{Name: lost.Set("Hotel")}, db.clock())
	if err != nil {
		t.Fatal(err)
	}
	err = db.Write(t.Context(), func(tx *Tx) error {
		if err := tx.InsertAccount(account); err != nil {
			return err
		}
		if err := tx.InsertLocation(location); err != nil {
			return err
		}
		for n := range 1000 {
			text := "The other weather"
			if n%10 == 0 {
				text += ", a theodolite"
			}
			if n%5 == 0 {
				text += " and a cable"
			}
			i, err := lost.NewItem(account.ID, location.ID, lost.ItemPatch{Description: lost.Set(text)}, tx.Now())
			if err != nil {
				return err
			}
			i.Reference = fmt.Sprint(n)
			if err := tx.InsertItem(i); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string][]string{
		"theodolite": {"dol"}, // all of its trigrams except "the" are in 100 items, and one of them is enough
		"weatherman": {"erm"}, // in no item
		"cable":      {"abl", "ble", "cab"},
		"weather":    {"ath"}, // in all items, so the first rows are matches
	} {
		trigrams := append(trigramsOf(word), locationToken(location.ID))
		slices.Sort(trigrams)
		got, err := db.rarestTrigrams(t.Context(), trigrams)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v, want %q", word, got, err, want)
		}
	}
}

func TestJoinedRowsAreSplit(t *testing.T) {
	var text, empty string
	var number int64
	var yes, no bool
	var known, unknown *bool
	var days *int
	row := strings.Join([]string{"a\nb, c", "", "-7", "1", "false", "t", "", "90"}, separator)
	targets := []any{&text, &empty, &number, &yes, &no, &known, &unknown, &days}
	if err := splitColumns(row, targets); err != nil {
		t.Fatal(err)
	}
	if text != "a\nb, c" || empty != "" || number != -7 || !yes || no || known == nil || !*known || unknown != nil ||
		days == nil || *days != 90 {
		t.Error(text, empty, number, yes, no, known, unknown, days)
	}
	for _, damaged := range []string{"", row + separator, strings.Replace(row, "-7", "x", 1)} {
		if err := splitColumns(damaged, targets); err == nil {
			t.Errorf("no error for %q", damaged)
		}
	}
}
