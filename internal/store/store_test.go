package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

const account = "acc_1"

// write runs fn in a transaction and fails the test on an error.
func write(t testing.TB, db *store.DB, fn func(tx *store.Tx) error) {
	t.Helper()
	if err := db.Write(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

func addLocation(t testing.TB, db *store.DB, p lost.LocationPatch) (l lost.Location) {
	t.Helper()
	write(t, db, func(tx *store.Tx) (err error) {
		if l, err = lost.NewLocation(account, p, tx.Now()); err != nil {
			return err
		}
		l.Permalink = l.ID
		return tx.InsertLocation(l)
	})
	return l
}

func addItem(t testing.TB, db *store.DB, l lost.Location, p lost.ItemPatch) (i lost.Item) {
	t.Helper()
	write(t, db, func(tx *store.Tx) (err error) {
		if i, err = lost.NewItem(l.Account, l.ID, p, tx.Now()); err != nil {
			return err
		}
		if err := tx.InsertItem(i); err != nil {
			return err
		}
		i.Terms, err = tx.InheritedTerms(l.Account, l.ID)
		return err
	})
	return i
}

func withName(name string) lost.LocationPatch { return lost.LocationPatch{Name: lost.Set(name)} }

func withDescription(d string) lost.ItemPatch { return lost.ItemPatch{Description: lost.Set(d)} }

func items(t testing.TB, db *store.DB, l lost.Location, f lost.ItemFilter) lost.List[lost.Item] {
	t.Helper()
	if f.Limit == 0 {
		f.Page = lost.Page{Number: 1, Limit: lost.MaxLimit}
	}
	list, err := db.Items(t.Context(), account, l.ID, f)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestRecordsAreStoredCompletely(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, lost.LocationPatch{
			Name: lost.Set("Hôtel „Adler“ 😀"), Website: lost.Set("https://a.example"),
			LogoURL:     lost.Set("https://a.example/l.png"),
			Description: lost.Set("Two\nlines"), Type: lost.Set("zoo"), StorageDuration: lost.Set(0),
			StoragePlace: lost.Set("Shelf"),
			Address1:     lost.Set("1"), Address2: lost.Set("2"), City: lost.Set("3"), State: lost.Set("4"),
			ZipCode: lost.Set("5"), Country: lost.Set("DE"),
			Contact: lost.Set(lost.ContactPatch{
				Name: lost.Set("n"), Email: lost.Set("a@b.example"), Email2: lost.Set("c@d.example"),
				Phone: lost.Set("+4930901820"),
			}),
			Pickup:   lost.Set(lost.PickupPatch{From: lost.Set("10:00"), To: lost.Set("18:00")}),
			TimeZone: lost.Set("Europe/Berlin"), Charity: lost.Set("C"),
			PrivacyText: lost.Set("Two\nlines"), PrivacyURL: lost.Set("https://a.example/privacy"),
			Language: lost.Set("de"),
			Reminders: lost.Set(lost.ReminderSchedulePatch{
				AfterNotice: lost.Set([]int{2}), BeforePickup: lost.Set([]int{}),
			}),
		})
		got, err := db.Location(t.Context(), account, l.ID)
		if d := cmp.Diff(l, got); d != "" || err != nil {
			t.Errorf("location: %v %s", err, d)
		}
		i := addItem(t, db, l, lost.ItemPatch{
			Description: lost.Set("d"), DiscoveryPlace: lost.Set("p"), DiscoveryDate: lost.Set("2026-11-14"),
			Brand: lost.Set("b"), Model: lost.Set("m"), Color: lost.Set("c"),
			StoragePlace: lost.Set("s"), Notes: lost.Set("n"), ImageURL: lost.Set("https://a.example/i.png"),
			Language: lost.Set("pt-BR"),
			Shipping: lost.Set(lost.ShippingPatch{
				Weight: lost.Set(0.1), WeightUnit: lost.Set("lb"), BoxType: lost.Set("shoe"),
				IsDocument: lost.Set(false),
			}),
			Owner: lost.Set(lost.OwnerPatch{
				FirstName: lost.Set("f"), LastName: lost.Set("l"), Email: lost.Set("a@b.example"),
				Phone: lost.Set("+4930901820"),
			}),
		})
		gotItem, err := db.Item(t.Context(), account, l.ID, i.ID)
		if d := cmp.Diff(i, gotItem); d != "" || err != nil {
			t.Errorf("item: %v %s", err, d)
		}
		after := i
		_ = after.AddImage(lost.Image{
			File: "a.jpg", Thumbnail: "a-640.jpg", ContentType: "image/jpeg", Width: 3, Height: 4, Size: 5,
		}, i.CreatedAt.Add(time.Second))
		after.Shipping.Recipient = lost.Recipient{Name: "n", Address1: "1", City: "2", ZipCode: "3", Country: "DE"}
		after.ClosedAt, after.DisownedAt = i.CreatedAt.Add(time.Minute), i.CreatedAt.Add(time.Hour)
		_, _ = after.MoveTo(lost.Move{To: lost.Shipped, TrackingNumber: lost.Set("T")}, lost.ByKey,
			i.CreatedAt.Add(time.Second))
		write(t, db, func(tx *store.Tx) error { return tx.SaveItem(i, after) })
		gotItem, err = db.Item(t.Context(), account, l.ID, i.ID)
		if d := cmp.Diff(after, gotItem); d != "" || err != nil {
			t.Errorf("changed item: %v %s", err, d)
		}
	})
}

func TestAnotherAccountSeesNothing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		i := addItem(t, db, l, withDescription("Umbrella"))
		write(t, db, func(tx *store.Tx) error {
			return tx.AddHistory(i, lost.NewEntry(lost.Actor{}, lost.Created, tx.Now()))
		})
		const other = "acc_2"
		ctx := t.Context()
		if _, err := db.Location(ctx, other, l.ID); lost.CodeOf(err) != lost.NotFound {
			t.Errorf("Location: got error %v, want NotFound", err)
		}
		if _, err := db.Item(ctx, other, l.ID, i.ID); lost.CodeOf(err) != lost.NotFound {
			t.Errorf("Item: got error %v, want NotFound", err)
		}
		if _, err := db.Item(ctx, account, "loc_other", i.ID); lost.CodeOf(err) != lost.NotFound {
			t.Errorf("Item at another location: got error %v, want NotFound", err)
		}
		for _, term := range []string{"", "umb", "u"} {
			if list, err := db.Items(ctx, other, l.ID,
				lost.ItemFilter{Term: term, Page: lost.FirstPage()}); err != nil || len(list.Data) != 0 ||
				list.Count != 0 {
				t.Errorf("Items with %q: got %+v, %v, want none", term, list, err)
			}
		}
		if list, err := db.Locations(ctx, other, nil, lost.LocationFilter{Page: lost.FirstPage()}); err != nil ||
			len(list.Data) != 0 {
			t.Errorf("Locations: got %+v, %v, want none", list, err)
		}
		if list, err := db.History(ctx, other, i.ID, lost.FirstPage()); err != nil || len(list.Data) != 0 {
			t.Errorf("History: got %+v, %v, want none", list, err)
		}
	})
}

func TestLocationsSortByNameWithoutCaseAndAccents(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		for _, name := range []string{
			"zoo", "Über", "apple", "Zebra", "Éclair", "eagle", "10 Downing", "ab", "Apfel", "_x", "ångström", "ubahn",
			"日本",
		} {
			addLocation(t, db, withName(name))
		}
		list, err := db.Locations(t.Context(), account, nil,
			lost.LocationFilter{Page: lost.Page{Number: 1, Limit: 100}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range list.Data {
			got = append(got, l.Name)
		}
		want := []string{
			"10 Downing", "_x", "ab", "ångström", "Apfel", "apple", "eagle", "Éclair", "ubahn", "Über", "Zebra", "zoo",
			"日本",
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	})
}

func TestLocationsAreLimitedToAList(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		a, b := addLocation(t, db, withName("A")), addLocation(t, db, withName("B"))
		for _, c := range []struct {
			only []string
			want int
		}{{nil, 2}, {[]string{}, 0}, {[]string{a.ID}, 1}, {[]string{b.ID, "loc_none"}, 1}} {
			list, err := db.Locations(t.Context(), account, c.only, lost.LocationFilter{Page: lost.FirstPage()})
			if err != nil || len(list.Data) != c.want || list.Count != c.want {
				t.Errorf("only %v: got %d of %d, %v, want %d", c.only, len(list.Data), list.Count, err, c.want)
			}
		}
	})
}

func TestItemsFilter(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		for n, date := range []string{"", "2026-01-01", "2026-01-02", "2026-01-03"} {
			i := addItem(t, db, l,
				lost.ItemPatch{Description: lost.Set(fmt.Sprint("thing ", n)),
					DiscoveryDate: func() lost.Field[string] {
						if date == "" {
							return lost.Field[string]{}
						}
						return lost.Set(date)
					}()})
			if n%2 == 1 {
				moved := i
				moved.Status = lost.Donate
				write(t, db, func(tx *store.Tx) error { return tx.SaveItem(i, moved) })
			}
		}
		for name, c := range map[string]struct {
			f    lost.ItemFilter
			want string
		}{
			"all, newest first": {lost.ItemFilter{}, "3 2 1 0"},
			"one status":        {lost.ItemFilter{Statuses: []lost.Status{lost.Donate}}, "3 1"},
			"two statuses":      {lost.ItemFilter{Statuses: []lost.Status{lost.Donate, lost.Pending}}, "3 2 1 0"},
			"found":             {lost.ItemFilter{Source: lost.Found}, "3 2 1 0"},
			"requests":          {lost.ItemFilter{Source: lost.Request}, ""},
			"from":              {lost.ItemFilter{From: "2026-01-02"}, "3 2"},
			"to":                {lost.ItemFilter{To: "2026-01-02"}, "2 1"},
			"one day":           {lost.ItemFilter{From: "2026-01-02", To: "2026-01-02"}, "2"},
			"empty range":       {lost.ItemFilter{From: "2026-01-03", To: "2026-01-01"}, ""},
			"with term": {lost.ItemFilter{
				From: "2026-01-01", Term: "THING", Statuses: []lost.Status{lost.Donate},
			}, "3 1"},
		} {
			list := items(t, db, l, c.f)
			var got []string
			for _, i := range list.Data {
				got = append(got, strings.TrimPrefix(i.Description, "thing "))
			}
			if strings.Join(got, " ") != c.want || list.Count != len(got) {
				t.Errorf("%s: got %v of %d, want %s", name, got, list.Count, c.want)
			}
		}
	})
}

func TestPagesFollowEachOther(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		for n := range 25 {
			addItem(t, db, l, withDescription(fmt.Sprint("thing ", n)))
		}
		for _, term := range []string{"", "thing", "th"} {
			var got []string
			for page := 1; page <= 4; page++ {
				list := items(t, db, l, lost.ItemFilter{Term: term, Page: lost.Page{Number: page, Limit: 10}})
				if list.Count != 25 {
					t.Errorf("page %d of %q: got total %d, want 25", page, term, list.Count)
				}
				for _, i := range list.Data {
					got = append(got, i.Description)
				}
			}
			if len(got) != 25 || got[0] != "thing 24" || got[24] != "thing 0" {
				t.Errorf("the pages for %q contain %v, want thing 24 to thing 0", term, got)
			}
		}
	})
}

func TestCountingStops(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		const batchSize = 200 // in a single transaction, PostgreSQL would read all old versions of the counter's row
		for first := 0; first <= lost.MaxTotal; first += batchSize {
			write(t, db, func(tx *store.Tx) error {
				for n := first; n < first+batchSize; n++ {
					i, err := lost.NewItem(l.Account, l.ID, withDescription("common"), tx.Now())
					if err == nil {
						i.Reference = strconv.Itoa(n)
						err = tx.InsertItem(i)
					}
					if err != nil {
						return err
					}
				}
				return nil
			})
		}
		addItem(t, db, l, withDescription("rare"))
		for term, want := range map[string]lost.Total{
			"": {Count: 10000, AtLeast: true}, "common": {Count: 1000, AtLeast: true}, "rare": {Count: 1}, "none": {},
		} {
			if got := items(t, db, l, lost.ItemFilter{Term: term, Page: lost.FirstPage()}).Total; got != want {
				t.Errorf("%q: got %+v, want %+v", term, got, want)
			}
		}
		const common = lost.MaxTotal + batchSize
		for _, number := range []int{100, 101, common / 10, common/10 + 1} { // near the exact totals and the end
			page := lost.Page{Number: number, Limit: 10}
			list := items(t, db, l, lost.ItemFilter{Term: "common", Page: page})
			var got, want []string
			for _, i := range list.Data {
				got = append(got, i.Reference)
			}
			for n := common - page.Offset() - 1; n >= common-page.Offset()-10 && n >= 0; n-- {
				want = append(want, strconv.Itoa(n))
			}
			if !slices.Equal(got, want) || list.More() != (number <= common/10) || list.Count != 1000 {
				t.Errorf("page %d: got %v of %+v, want %v", number, got, list.Total, want)
			}
		}
	})
}

func TestCountsFollowEveryChange(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		var all []lost.Item
		for n := range 40 {
			all = append(all, addItem(t, db, l, withDescription(fmt.Sprint(n))))
		}
		var wg sync.WaitGroup
		for n, i := range all { // status changes in opposite directions at the same time
			wg.Go(func() {
				var errs []error
				for round := range 3 {
					errs = append(errs, db.Write(context.Background(), func(tx *store.Tx) error {
						before, err := tx.LockItem(account, l.ID, i.ID)
						if err != nil {
							return err
						}
						after := before
						after.Status = lost.Statuses()[(n+round*(1+n%2*6))%8]
						return tx.SaveItem(before, after)
					}))
				}
				if n%4 == 0 {
					errs = append(errs, db.Write(context.Background(), func(tx *store.Tx) error {
						locked, err := tx.LockItem(account, l.ID, i.ID)
						if err != nil {
							return err
						}
						return tx.DeleteItem(locked)
					}))
				}
				if err := errors.Join(errs...); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		counts := map[lost.Status]int{}
		for _, i := range items(t, db, l, lost.ItemFilter{}).Data {
			counts[i.Status]++
		}
		for _, s := range lost.Statuses() {
			if got := items(t, db, l, lost.ItemFilter{Statuses: []lost.Status{s}}).Count; got != counts[s] {
				t.Errorf("%s: got total %d, want %d", s, got, counts[s])
			}
		}
		if got := items(t, db, l, lost.ItemFilter{}).Count; got != 30 {
			t.Errorf("got total %d, want 30", got)
		}
	})
}

func TestADeletedLocationIsHiddenImmediatelyAndPurgedInBatches(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		i := addItem(t, db, l, withDescription("Umbrella"))
		addItem(t, db, l, withDescription("Hat"))
		write(t, db, func(tx *store.Tx) error {
			if err := tx.AddHistory(i, lost.NewEntry(lost.Actor{}, lost.Created, tx.Now())); err != nil {
				return err
			}
			return tx.HideLocation(l)
		})
		ctx := t.Context()
		if _, err := db.Location(ctx, account, l.ID); lost.CodeOf(err) != lost.NotFound {
			t.Errorf("Location: got error %v, want NotFound", err)
		}
		if _, err := db.Item(ctx, account, l.ID, i.ID); lost.CodeOf(err) != lost.NotFound {
			t.Errorf("Item: got error %v, want NotFound", err)
		}
		if list := items(t, db, l, lost.ItemFilter{}); len(list.Data) != 0 {
			t.Errorf("Items: got %+v, want none", list)
		}
		for _, want := range []int{1, 1, 0} {
			write(t, db, func(tx *store.Tx) error {
				purged, err := tx.PurgeItems(account, l.ID, 1)
				if len(purged) != want {
					t.Errorf("PurgeItems: got %d items, want %d", len(purged), want)
				}
				return err
			})
		}
		if h, err := db.History(ctx, account, i.ID, lost.FirstPage()); err != nil || len(h.Data) != 0 {
			t.Errorf("history of a purged item: got %+v, %v, want none", h, err)
		}
		write(t, db, func(tx *store.Tx) error { return tx.PurgeLocation(account, l.ID) })
		// The id and the permalink can be used again.
		write(t, db, func(tx *store.Tx) error { return tx.InsertLocation(l) })
	})
}

func TestDeletingAnItemDeletesItsHistory(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		i, other := addItem(t, db, l, withDescription("Umbrella")), addItem(t, db, l, withDescription("Hat"))
		write(t, db, func(tx *store.Tx) error {
			return errors.Join(tx.AddHistory(i, lost.NewEntry(lost.Actor{}, lost.Created, tx.Now())),
				tx.AddHistory(other, lost.NewEntry(lost.Actor{}, lost.Created, tx.Now())))
		})
		write(t, db, func(tx *store.Tx) error { return tx.DeleteItem(i) })
		for id, want := range map[string]int{i.ID: 0, other.ID: 1} {
			if h, err := db.History(t.Context(), account, id, lost.FirstPage()); err != nil || h.Count != want {
				t.Errorf("got %d history entries, want %d (%v)", h.Count, want, err)
			}
		}
	})
}

func TestAWriteCommitsAllOrNothing(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		errTest := errors.New("test error")
		insert := func(tx *store.Tx) {
			i, _ := lost.NewItem(l.Account, l.ID, withDescription("x"), tx.Now())
			if err := tx.InsertItem(i); err != nil {
				t.Error(err)
			}
		}
		if err := db.Write(t.Context(), func(tx *store.Tx) error { insert(tx); return errTest }); err != errTest {
			t.Errorf("got error %v, want %v", err, errTest)
		}
		func() {
			defer func() {
				if recover() != "test panic" {
					t.Error("the panic was not propagated")
				}
			}()
			_ = db.Write(t.Context(), func(tx *store.Tx) error { insert(tx); panic("test panic") })
		}()
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		if err := db.Write(canceled, func(tx *store.Tx) error {
			insert(tx)
			return nil
		}); !errors.Is(err, context.Canceled) {
			t.Errorf("canceled write: got error %v", err)
		}
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			return db.Write(tx.Context(), func(*store.Tx) error { return nil })
		})
		if err == nil {
			t.Error("a nested Write was allowed")
		}
		if n := items(t, db, l, lost.ItemFilter{}).Count; n != 0 {
			t.Errorf("got %d items, want 0", n)
		}
		addItem(t, db, l, withDescription("still works"))
	})
}

func TestAFailedWriteDoesNotAffectOthersInTheSameCommit(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		var wg sync.WaitGroup
		for n := range 200 {
			wg.Go(func() {
				err := db.Write(t.Context(), func(tx *store.Tx) error {
					i, err := lost.NewItem(l.Account, l.ID, withDescription("x"), tx.Now())
					if err != nil {
						return err
					}
					if err := tx.InsertItem(i); err != nil {
						return err
					}
					if n%2 == 1 {
						return lost.E(lost.Conflict, "odd")
					}
					return nil
				})
				if (n%2 == 1) != (lost.CodeOf(err) == lost.Conflict) {
					t.Errorf("write %d: got error %v", n, err)
				}
			})
		}
		wg.Wait()
		if got := items(t, db, l, lost.ItemFilter{}); got.Count != 100 {
			t.Errorf("got %d items, want 100", got.Count)
		}
	})
}

func TestAWriteRunsAgainAfterAConflict(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		existing := addItem(t, db, l, withDescription("first"))
		runs := 0
		write(t, db, func(tx *store.Tx) error {
			runs++
			i, err := lost.NewItem(l.Account, l.ID, withDescription("second"), tx.Now())
			if runs == 1 {
				i.Reference = existing.Reference
			}
			if err != nil {
				return err
			}
			return tx.InsertItem(i)
		})
		if runs != 2 {
			t.Errorf("got %d runs, want 2", runs)
		}
	})
}

func TestAnItemWithoutALocationIsNotStored(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		for _, location := range []string{"loc_none", "loc_\x00"} {
			i, _ := lost.NewItem(account, location, withDescription("nowhere"), storetest.Now())
			err := db.Write(t.Context(), func(tx *store.Tx) error {
				return errors.Join(tx.InsertItem(i),
					tx.AddHistory(i, lost.NewEntry(lost.Actor{}, lost.Created, tx.Now())))
			})
			if lost.CodeOf(err) != lost.NotFound {
				t.Errorf("at %q: got error %v, want NotFound", location, err)
			}
			if list, err := db.History(t.Context(), account, i.ID, lost.FirstPage()); err != nil || list.Count > 0 {
				t.Errorf("history at %q: got %v, %v, want none", location, list, err)
			}
			if list, err := db.Items(t.Context(), account, location,
				lost.ItemFilter{Page: lost.FirstPage()}); err != nil || list.Count > 0 {
				t.Errorf("items at %q: got %v, %v, want none", location, list, err)
			}
		}
	})
}

func TestTheDirectoryFindsTheAccount(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
		acc := lost.Account{ID: account, Name: "A", CreatedAt: now}
		key, _ := lost.NewKey(account, lost.KeyPatch{Name: lost.Set("k"), Locations: lost.Set([]string{"loc_1"})}, now)
		user := lost.User{
			Account: account, ID: lost.NewID(lost.UserID, now), Role: lost.OwnerRole, Email: "Anna@Example.com",
			Name: "Anna", PasswordHash: "hash", CreatedAt: now,
		}
		write(t, db, func(tx *store.Tx) error {
			return errors.Join(tx.InsertAccount(acc), tx.InsertKey(key, store.DirectoryHash("secret")),
				tx.InsertUser(user))
		})
		ctx := t.Context()
		got, err := db.KeyByHash(ctx, store.DirectoryHash("secret"))
		if d := cmp.Diff(key, got); d != "" || err != nil {
			t.Errorf("key: %v %s", err, d)
		}
		e, found, err := db.Lookup(ctx, store.UserEntry, store.DirectoryHash(lost.EmailKey("ANNA@example.com")))
		if err != nil || !found || e.Subject != user.ID {
			t.Errorf("user entry: got %+v, %t, %v", e, found, err)
		}
		gotUser, err := db.User(ctx, account, user.ID)
		if d := cmp.Diff(user, gotUser); d != "" || err != nil {
			t.Errorf("user: %v %s", err, d)
		}
		acc.Disable(true, now)
		write(t, db, func(tx *store.Tx) error { return tx.SaveAccount(acc) })
		if _, err := db.KeyByHash(ctx, store.DirectoryHash("secret")); lost.CodeOf(err) != lost.NotFound {
			t.Errorf("key of a disabled account: got error %v, want NotFound", err)
		}
		acc.Disable(false, now)
		write(t, db, func(tx *store.Tx) error { return errors.Join(tx.SaveAccount(acc), tx.RevokeKey(key)) })
		if _, err := db.KeyByHash(ctx, store.DirectoryHash("secret")); lost.CodeOf(err) != lost.NotFound {
			t.Errorf("revoked key: got error %v, want NotFound", err)
		}
		if list, err := db.Keys(ctx, account, lost.FirstPage()); err != nil || list.Count != 1 ||
			list.Data[0].RevokedAt.IsZero() {
			t.Errorf("Keys: got %+v, %v, want one revoked key", list, err)
		}
	})
}

func TestAStoredResponseExpires(t *testing.T) {
	clock := &storetest.Clock{}
	storetest.EachClock(t, clock.Now, func(t *testing.T, db *store.DB) {
		first := store.StoredResponse{Request: "r", Body: "s"}
		find := func() (r store.StoredResponse, found bool) {
			write(t, db, func(tx *store.Tx) (err error) {
				r, found, err = tx.FindResponse(account, "key")
				return err
			})
			return r, found
		}
		write(t, db, func(tx *store.Tx) error { return tx.SaveResponse(account, "key", first, store.ResponseLifetime) })
		clock.Advance(store.ResponseLifetime - time.Second)
		if r, found := find(); !found || r != first {
			t.Errorf("before it expires: got %+v, %t", r, found)
		}
		clock.Advance(2 * time.Second)
		if _, found := find(); found {
			t.Error("an expired response was found")
		}
		second := store.StoredResponse{Request: "r2", Body: "s2"}
		write(t, db, func(tx *store.Tx) error { return tx.SaveResponse(account, "key", second, store.FormLifetime) })
		if r, found := find(); !found || r != second {
			t.Errorf("reused key: got %+v, %t", r, found)
		}
		clock.Advance(store.FormLifetime - time.Second)
		if _, found := find(); !found {
			t.Error("a response with a longer lifetime was not found")
		}
		clock.Advance(2 * time.Second)
		write(t, db, func(tx *store.Tx) error {
			n, err := tx.PruneResponses(10)
			if n != 1 {
				t.Errorf("PruneResponses: got %d, want 1", n)
			}
			return err
		})
	})
}

func TestAPurgeIncludesTheFileOfAConcurrentUpload(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		i := addItem(t, db, l, withDescription("Umbrella"))
		locked, hidden := make(chan struct{}), make(chan struct{})
		uploaded := make(chan error, 1)
		if isSQLite(t) { // SQLite has one writer, so the upload cannot wait for the deletion
			close(hidden)
		}
		go func() {
			uploaded <- db.Write(context.Background(), func(tx *store.Tx) error {
				before, err := tx.LockItem(account, l.ID, i.ID)
				if err != nil {
					return err
				}
				close(locked)
				<-hidden
				after := before
				_ = after.AddImage(lost.Image{File: "late.jpg"}, tx.Now())
				return tx.SaveItem(before, after)
			})
		}()
		<-locked
		write(t, db, func(tx *store.Tx) error { return tx.HideLocation(l) })
		purged := make(chan []lost.Item, 1)
		go func() {
			var items []lost.Item
			_ = db.Write(context.Background(), func(tx *store.Tx) (err error) {
				items, err = tx.PurgeItems(account, l.ID, 10)
				return err
			})
			purged <- items
		}()
		if !isSQLite(t) {
			close(hidden)
		}
		if err := <-uploaded; err != nil {
			t.Fatal(err)
		}
		if items := <-purged; len(items) != 1 || len(items[0].Files()) != 1 {
			t.Errorf("PurgeItems: got %+v, want one item with the late file", items)
		}
	})
}

func isSQLite(t *testing.T) bool { return strings.HasSuffix(t.Name(), "/sqlite") }

func TestTwoChangesOfARecordHaveDifferentDisplayedTimes(t *testing.T) {
	clock := &storetest.Clock{} // the clock does not advance
	storetest.EachClock(t, clock.Now, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		seen := map[string]bool{}
		for range 3 {
			write(t, db, func(tx *store.Tx) error {
				before, err := tx.LockLocation(account, l.ID)
				if err != nil {
					return err
				}
				before.UpdatedAt = tx.Now()
				seen[tx.Now().Format("15:04:05.000")] = true
				return tx.SaveLocation(before)
			})
		}
		if len(seen) != 3 {
			t.Errorf("got the times %v, want 3 different times", seen)
		}
	})
}

func TestAnotherSecretIsRefused(t *testing.T) {
	storetest.EachUnmigrated(t, func(t *testing.T, setting string) {
		db := storetest.Open(t, setting, storetest.Now)
		if _, err := db.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			secret   string
			accepted bool
		}{{"the first of all secrets", true}, {"the first of all secrets", true},
			{"another secret of sixteen", false}} {
			instance := storetest.Open(t, setting, storetest.Now)
			if err := instance.UseSecret([]byte(c.secret)); err != nil {
				t.Fatal(err)
			}
			if err := instance.CheckSecret(t.Context()); (err == nil) != c.accepted {
				t.Errorf("CheckSecret with %q: got error %v", c.secret, err)
			}
		}
	})
}

// A separator in a text must not make the item unreadable.
func TestTextsAreStoredWithoutTheSeparator(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		l := addLocation(t, db, withName("Hotel"))
		i := addItem(t, db, l, withDescription("umbrella"))
		after := i
		after.Notes = "a\x1fb"
		write(t, db, func(tx *store.Tx) error { return tx.SaveItem(i, after) })
		got, err := db.Item(t.Context(), account, l.ID, i.ID)
		if err != nil || got.Notes != "a b" {
			t.Errorf("got %q, %v", got.Notes, err)
		}
	})
}

func TestPendingMigrations(t *testing.T) {
	storetest.EachUnmigrated(t, func(t *testing.T, setting string) {
		db, err := store.Open(t.Context(), setting, storetest.Now)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		check := func(state string, want ...string) {
			t.Helper()
			if got, err := db.PendingMigrations(t.Context()); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: got %v, %v; want %v", state, got, err, want)
			}
		}
		check("an empty database")
		const previous = 50
		if err := db.MigrateTo(t.Context(), previous); err != nil {
			t.Fatal(err)
		}
		names, err := db.PendingMigrations(t.Context())
		if err != nil || len(names) == 0 || names[0] != "0051_last_backup" {
			t.Fatalf("got %v, %v", names, err)
		}
		applied, err := db.Migrate(t.Context())
		if err != nil || !slices.Equal(applied, names) {
			t.Errorf("Migrate applied %v, %v; want %v", applied, err, names)
		}
		check("a migrated database")
	})
}
