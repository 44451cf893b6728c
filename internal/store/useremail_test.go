package store_test

import (
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

func TestAnAddressIdentifiesOnePerson(t *testing.T) {
	for _, same := range [][2]string{
		{"Anna.Berg@Example.COM", "anna.berg@example.com"}, {"anna@BÜCHER.example", "anna@xn--bcher-kva.example"},
		{"jürgen@example.com", "jürgen@EXAMPLE.com"},
	} {
		if a, b := lost.EmailKey(same[0]), lost.EmailKey(same[1]); a != b {
			t.Errorf("%s and %s: got %q and %q, want the same key", same[0], same[1], a, b)
		}
	}
	for _, other := range [][2]string{
		{"jürgen@example.com", "jurgen@example.com"}, {"straße@example.com", "strasse@example.com"},
		{"bjørn@example.com", "bjorn@example.com"}, {"\u212aarl@example.com", "karl@example.com"},
		{"anna@bücher.example", "anna@bucher.example"}, {"an\u200bna@example.com", "anna@example.com"},
		{"JÜRGEN@example.com", "jürgen@example.com"},
	} {
		if a, b := lost.EmailKey(other[0]), lost.EmailKey(other[1]); a == b {
			t.Errorf("%s and %s have the same key %q", other[0], other[1], a)
		}
	}
}

// TestFoldedEntriesOfEarlierVersionsStillFindTheirUser stores a directory entry with a folded address, as earlier
// versions did. Its user is still found, but not by a similar address. Another user can have the similar address.
func TestFoldedEntriesOfEarlierVersionsStillFindTheirUser(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
		newUser := func(email string) lost.User {
			return lost.User{
				Account: account, ID: lost.NewID(lost.UserID, now), Role: lost.OwnerRole, Email: email, Name: "Robin",
				CreatedAt: now,
			}
		}
		first, second := newUser("jürgen@example.com"), newUser("jurgen@example.com")
		write(t, db, func(tx *store.Tx) error {
			if err := tx.InsertAccount(lost.Account{ID: account, Name: "A", CreatedAt: now}); err != nil {
				return err
			}
			if err := tx.InsertUser(first); err != nil {
				return err
			}
			e := store.DirectoryEntry{Account: account, Subject: first.ID}
			if err := tx.RemoveEntry(store.UserEntry, e); err != nil {
				return err
			}
			return tx.AddEntry(store.UserEntry, store.DirectoryHash(store.Fold(first.Email)), e)
		})
		expect := func(email, want string) {
			t.Helper()
			u, found, err := db.UserByEmail(t.Context(), email)
			if err != nil || found != (want != "") || found && u.ID != want {
				t.Errorf("%s: got %q, %t, %v; want %q", email, u.ID, found, err, want)
			}
		}
		expect("jürgen@EXAMPLE.com", first.ID)
		expect("jurgen@example.com", "")
		write(t, db, func(tx *store.Tx) error { return tx.InsertUser(second) })
		expect("jürgen@example.com", first.ID)
		expect("jurgen@example.com", second.ID)
	})
}
