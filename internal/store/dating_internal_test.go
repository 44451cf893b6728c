package store

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
)

// limitedItems is the number of items for which the time is limited. With fewer items, only the results are checked.
const limitedItems = 200_000

// A change of rules dates 200,000 items in less than a minute, and writers go on in the meantime.
func TestManyItemsAreDatedQuickly(t *testing.T) {
	number := 2_000
	if os.Getenv("HOMEWARD_TEST_LONG") != "" {
		number = limitedItems
	}
	each(t, func(t *testing.T, setting string) {
		db := open(t, setting)
		l, other := fillForDating(t, db, number)
		before := l.Terms()
		previewItems(t, db, l, number)
		err := db.Write(t.Context(), func(tx *Tx) error {
			rules := []lost.KeepingRule{{Category: lost.UmbrellaCategory, Days: 3, Then: lost.ThenDonate}, {Days: 45}}
			if _, err := l.Update(lost.LocationPatch{KeepingRules: lost.Set(rules)}, tx.Now()); err != nil {
				return err
			}
			return tx.SaveLocation(l)
		})
		if err != nil {
			t.Fatal(err)
		}
		stop, waits := make(chan struct{}), make(chan []time.Duration)
		go func() {
			var all []time.Duration
			often := time.NewTicker(20 * time.Millisecond) // more changes than many busy desks make
			defer often.Stop()
			for n := 0; ; n++ {
				begin := time.Now()
				if err := db.Write(t.Context(), func(tx *Tx) error { return changeBrand(tx, other, n) }); err != nil {
					t.Error(err)
				}
				all = append(all, time.Since(begin))
				select {
				case <-stop:
					waits <- all
					return
				case <-often.C:
				}
			}
		}()
		begin, dated := time.Now(), int64(0)
		for more := true; more; {
			err := db.Write(t.Context(), func(tx *Tx) error {
				last, err := tx.TouchItems(l.Account, l.ID, before, dated, 500)
				dated, more = last, last > 0
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		took := time.Since(begin)
		close(stop)
		all := <-waits
		slices.Sort(all)
		t.Logf("%s: %d items in %s; %d other writes, p95 %s, slowest %s", db.d.name, number, took, len(all),
			all[len(all)*95/100], all[len(all)-1])
		rs, err := db.h.Query(t.Context(), "SELECT count(*) FROM items WHERE account_id = $1 AND location_id = $2 AND "+
			"store_until = $3", l.Account, l.ID, lost.AddDays("2026-01-15", 45))
		if n, _, err := firstValue[int](rs, err); err != nil || n != number {
			t.Errorf("%d items have the new date, %v; want %d", n, err, number)
		}
		p95 := all[len(all)*95/100]
		if number == limitedItems && (took > time.Minute || p95 > 250*time.Millisecond) {
			t.Errorf("dating %d items took %s, and 5 %% of other writes waited longer than %s", number, took, p95)
		}
	})
}

// previewItems checks that the preview of other rules reads all items of a location, in less than half a minute.
func previewItems(t *testing.T, db *DB, l lost.Location, number int) {
	t.Helper()
	begin, p, other := time.Now(), lost.KeepingPreview{}, lost.Terms{Keeping: []lost.KeepingRule{{Days: 45}}}
	for last, more := int64(0), true; more; {
		items, end, err := db.StoredItems(t.Context(), l.Account, l.ID, l.Terms(), last, 2_000)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range items {
			p.Add(i, other, db.Now())
		}
		last, more = end, len(items) > 0
	}
	p.Finish()
	took := time.Since(begin)
	t.Logf("%s: preview of %d items in %s", db.d.name, number, took)
	if p.Counts[lost.Later] != number || len(p.Moved) != min(number, lost.MaxMovedItems) ||
		number == limitedItems && took > 30*time.Second {
		t.Errorf("the preview took %s and has %v, %d listed; want %d later", took, p.Counts, len(p.Moved), number)
	}
}

// fillForDating adds a location with a number of items, and an item at another location.
func fillForDating(t *testing.T, db *DB, number int) (l lost.Location, other lost.Item) {
	t.Helper()
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	err := db.Write(MaintenanceContext(t.Context()), func(tx *Tx) error {
		var first lost.Item
		for n, name := range []string{"Hotel", "Spa"} {
			at, err := lost.NewLocation("acc", lost.LocationPatch{Name: lost.Set(name), StorageDuration: lost.Set(30)},
				tx.Now())
			if err != nil {
				return err
			}
			at.Permalink = at.ID
			if err := tx.InsertLocation(at); err != nil {
				return err
			}
			i, err := lost.NewItem("acc", at.ID, lost.ItemPatch{
				Description: lost.Set("Umbrella"), DiscoveryDate: lost.Set("2026-01-15"),
			}, tx.Now())
			if err != nil {
				return err
			}
			if err := tx.InsertItem(i); err != nil {
				return err
			}
			if n == 0 {
				l, first = at, i
			} else {
				other = i
			}
		}
		columns := itemSQL.names()
		values := slices.Clone(columns)
		values[slices.Index(columns, "id")] = "'item_' || numbers.n"
		values[slices.Index(columns, "reference")] = "'R' || numbers.n"
		_, err := tx.exec(fmt.Sprintf("WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers "+
			"WHERE n < %d) INSERT INTO items (%s, search, look_at, store_until, change) SELECT %s, search || ' ' || "+
			"(numbers.n * 7919 %% 10007) || ' black, wooden handle, engraved, under seat ' || numbers.n %% 300, 0, "+
			"store_until, change FROM items CROSS JOIN numbers WHERE account_id = $1 AND id = $2", number-1,
			strings.Join(columns, ", "), strings.Join(values, ", ")), first.Account, first.ID)
		if err != nil {
			return err
		}
		return tx.queue("ANALYZE items") // as PostgreSQL does by itself within a minute
	})
	if err != nil {
		t.Fatal(err)
	}
	return l, other
}

// changeBrand saves an item with another brand.
func changeBrand(tx *Tx, i lost.Item, n int) error {
	i, err := tx.LockItem(i.Account, i.LocationID, i.ID)
	if err != nil {
		return err
	}
	before := i
	if _, err := i.Update(lost.ItemPatch{Brand: lost.Set(fmt.Sprint("Brand ", n))}, tx.Now()); err != nil {
		return err
	}
	return tx.SaveItem(before, i)
}
