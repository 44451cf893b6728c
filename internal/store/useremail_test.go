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
		// the same letters, composed and decomposed
		{"j\u00fcrgen@example.com", "ju\u0308rgen@example.com"},
		{"th\u1ec7@example.com", "the\u0302\u0323@example.com"},
		{"anna@b\u00fccher.example", "anna@bu\u0308cher.example"},
	} {
		if a, b := lost.EmailKey(same[0]), lost.EmailKey(same[1]); a != b {
			t.Errorf("%s and %s: got %q and %q, want the same key", same[0], same[1], a, b)
		}
	}
	for _, other := range [][2]string{
		{"jürgen@example.com", "jurgen@example.com"}, {"straße@example.com", "strasse@example.com"},
		{"bjørn@example.com", "bjorn@example.com"}, {"\u212aarl@example.com", "karl@example.com"},
		{"anna@bücher.example", "anna@bucher.example"}, {"an\u200bna@example.com", "anna@example.com"},
		{"JÜRGEN@example.com", "jürgen@example.com"}, {"ju\u0308rgen@example.com", "jurgen@example.com"},
		{"o\ufb03ce@example.com", "office@example.com"}, {"\uff41nna@example.com", "anna@example.com"},
		{"\u0430nna@example.com", "anna@example.com"}, {"\u212bsa@example.com", "\u00c5sa@example.com"},
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

// TestDecomposedEntriesOfEarlierVersionsStillFindTheirUser stores directory entries with decomposed addresses, as
// earlier versions did. Their users are found by both spellings, and a user whose address only differs in the spelling
// can still log in with it. Nobody else can get the address.
func TestDecomposedEntriesOfEarlierVersionsStillFindTheirUser(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
		const composed, decomposed, other = "j\u00fcrgen@example.com", "ju\u0308rgen@example.com",
			"re\u0301ne\u0301@example.com"
		add := func(email, key string) string {
			t.Helper()
			u := lost.User{
				Account: account, ID: lost.NewID(lost.UserID, now), Role: lost.OwnerRole, Email: email, Name: "Robin",
				CreatedAt: now,
			}
			e := store.DirectoryEntry{Account: account, Subject: u.ID}
			write(t, db, func(tx *store.Tx) error {
				if err := tx.InsertUser(u); err != nil {
					return err
				}
				if err := tx.RemoveEntry(store.UserEntry, e); err != nil {
					return err
				}
				return tx.AddEntry(store.UserEntry, store.DirectoryHash(key), e)
			})
			return u.ID
		}
		expect := func(email, want string) {
			t.Helper()
			u, found, err := db.UserByEmail(t.Context(), email)
			if err != nil || found != (want != "") || found && u.ID != want {
				t.Errorf("%+q: got %q, %t, %v; want %q", email, u.ID, found, err, want)
			}
		}
		write(t, db, func(tx *store.Tx) error {
			return tx.InsertAccount(lost.Account{ID: account, Name: "A", CreatedAt: now})
		})
		first := add(other, other)
		expect(other, first)
		expect("r\u00e9n\u00e9@example.com", first)
		expect("Re\u0301n\u00e9@example.com", first)
		expect("RE\u0301NE\u0301@example.com", first) // as in earlier versions
		expect("rene@example.com", "")
		second := add(decomposed, decomposed)
		third := add(composed, composed)
		expect(decomposed, second)
		expect(composed, third)
	})
}
