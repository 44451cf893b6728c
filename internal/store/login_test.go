package store_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

// addAnna adds a user to the account.
func addAnna(t *testing.T, db *store.DB) lost.User {
	t.Helper()
	u := newAnna(t, db)
	write(t, db, func(tx *store.Tx) error { return tx.InsertUser(u) })
	return u
}

func newAnna(t *testing.T, db *store.DB) lost.User {
	t.Helper()
	return lost.User{
		Account: account, ID: lost.NewID(lost.UserID, db.Now()), Role: lost.OwnerRole, Email: "anna@example.com",
		Name: "Anna", CreatedAt: db.Now(),
	}
}

func TestTOTPIsStoredWithAnEncryptedSeed(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		u := addAnna(t, db)
		want := lost.TOTPSettings{Seed: "GEZDGNBVGY3TQOJQ", Since: db.Now(), Step: 59, Recovery: []string{"hash"}}
		write(t, db, func(tx *store.Tx) error { return tx.SaveTOTP(u, want) })
		if got, err := db.TOTP(t.Context(), u); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%v %s", err, cmp.Diff(want, got))
		}
		if got, err := db.User(t.Context(), account, u.ID); err != nil || !got.TwoStepAt.Equal(want.Since) {
			t.Errorf("TwoStepAt: got %v, %v, want %v", got.TwoStepAt, err, want.Since)
		}
		if rows := store.TableRows(t, db, "users", "email two_step_seed recovery"); strings.Contains(rows[0],
			want.Seed) {
			t.Errorf("the seed is stored in plain text: %q", rows)
		}
		write(t, db, func(tx *store.Tx) error { return tx.DeleteTOTP(u) })
		if got, err := db.TOTP(t.Context(), u); err != nil || !cmp.Equal(got, lost.TOTPSettings{}) {
			t.Errorf("TOTP after DeleteTOTP: got %+v, %v, want none", got, err)
		}
	})
}

func TestATicketIsFoundByItsTokenAndUsedOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		write(t, db, func(tx *store.Tx) error {
			return tx.InsertAccount(lost.Account{ID: account, Name: "Hotel", CreatedAt: tx.Now()})
		})
		u := addAnna(t, db)
		var ticket lost.EmailLink
		write(t, db, func(tx *store.Tx) error {
			ticket = lost.NewEmailLink(lost.ResetLink, u, u.Email, tx.Now())
			ticket.Name, ticket.Role, ticket.Locations = "Anna", lost.DeskRole, []string{"loc_1"}
			return tx.SendTicket(ticket)
		})
		token, err := db.TicketToken(ticket)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := db.TicketByHash(t.Context(), store.DirectoryHash(token)); err != nil || !cmp.Equal(got, ticket) {
			t.Errorf("%v %s", err, cmp.Diff(ticket, got))
		}
		for table, columns := range map[string]string{
			"tickets": "id user_id email name", "directory": "hash subject", "jobs": "payload kind",
		} {
			for _, row := range store.TableRows(t, db, table, columns) {
				if strings.Contains(row, token) {
					t.Errorf("the token is stored in %s: %s", table, row)
				}
			}
		}
		for _, want := range []bool{true, false} {
			write(t, db, func(tx *store.Tx) error {
				if found, err := tx.ConsumeEmailLink(account, ticket.ID); err != nil || found != want {
					t.Errorf("ConsumeEmailLink: got %t, %v, want %t", found, err, want)
				}
				return nil
			})
		}
		if _, err := db.TicketByHash(t.Context(), store.DirectoryHash(token)); lost.CodeOf(err) != lost.NotFound {
			t.Errorf("TicketByHash of a used ticket: got error %v, want NotFound", err)
		}
	})
}

func TestExpiredRowsArePruned(t *testing.T) {
	clock := &storetest.Clock{}
	storetest.EachClock(t, clock.Now, func(t *testing.T, db *store.DB) {
		u := addAnna(t, db)
		write(t, db, func(tx *store.Tx) error {
			for _, lasting := range []bool{false, true} {
				s := lost.NewSession(u, lost.Client{}, lasting, []lost.AuthProof{lost.PasswordProof}, tx.Now())
				if err := tx.InsertSession(s, s.ID); err != nil {
					return err
				}
			}
			if err := tx.SendTicket(lost.NewEmailLink(lost.ResetLink, u, u.Email, tx.Now())); err != nil {
				return err
			}
			for _, kind := range []lost.ChallengeKind{lost.ExternalLoginChallenge, lost.PasskeyLoginChallenge} {
				if err := tx.InsertChallenge(lost.NewChallenge(kind, lost.User{}, "", tx.Now()),
					string(kind)); err != nil {
					return err
				}
			}
			for n, free := range []time.Time{tx.Now(), tx.Now().Add(48 * time.Hour)} {
				if _, err := tx.LockThrottle("try", strconv.Itoa(n)); err != nil {
					return err
				}
				if err := tx.SaveThrottle("try", strconv.Itoa(n),
					lost.Throttle{Failures: 1, AllowedAt: free, ExpiresAt: free.Add(time.Hour)}); err != nil {
					return err
				}
			}
			return nil
		})
		clock.Advance(24 * time.Hour)
		write(t, db, func(tx *store.Tx) error {
			for table, prune := range map[string]func() (int64, error){
				"sessions":  func() (int64, error) { return tx.PruneSessions(10) },
				"tickets":   func() (int64, error) { return tx.PruneTickets(tx.Now(), 10) },
				"throttles": func() (int64, error) { return tx.PruneThrottles(10) },
			} {
				if n, err := prune(); err != nil || n != 1 {
					t.Errorf("pruned %d %s, %v, want 1", n, table, err)
				}
			}
			if n, err := tx.PruneChallenges(10); err != nil || n != 2 {
				t.Errorf("pruned %d challenges, %v, want 2", n, err)
			}
			return nil
		})
		// The entries for the user and the remaining session are left.
		if rows := store.TableRows(t, db, "directory", "kind hash"); len(rows) != 2 {
			t.Errorf("directory: got rows %q, want 2", rows)
		}
	})
}

func TestSessionsOfAUserAreLimited(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		u := addAnna(t, db)
		for range 5 {
			write(t, db, func(tx *store.Tx) error {
				s := lost.NewSession(u, lost.Client{}, false, []lost.AuthProof{lost.PasswordProof}, tx.Now())
				if err := tx.InsertSession(s, s.ID); err != nil {
					return err
				}
				return tx.TrimSessions(u, 3)
			})
		}
		if all, err := db.Sessions(t.Context(), account, u.ID, db.Now(), 10); err != nil || len(all) != 3 {
			t.Errorf("got %d sessions, %v, want 3", len(all), err)
		}
	})
}
