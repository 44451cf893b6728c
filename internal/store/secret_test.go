package store_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

const formerSecret, presentSecret = "the secret of last year", "the secret of this year"

// with opens a database once more, with secrets of the test's choice, and gives what the service would say of them.
func with(t *testing.T, setting string, secret string, others ...string) (*store.DB, error) {
	t.Helper()
	db := storetest.Open(t, setting, storetest.Now)
	var former [][]byte
	for _, o := range others {
		former = append(former, []byte(o))
	}
	if err := db.UseSecret([]byte(secret), former...); err != nil {
		t.Fatal(err)
	}
	return db, db.CheckSecret(t.Context())
}

// kept is one of everything that is sealed or derived.
type kept struct {
	user     lost.User
	endpoint lost.Endpoint
	link     lost.Link
	ticket   lost.Ticket
	tokens   [3]string // of link, ticket and passkeys
}

func keepOneOfEach(t *testing.T, db *store.DB, l lost.Location) (k kept) {
	t.Helper()
	k.user = lost.User{Account: account, ID: lost.NewID(lost.UserID, db.Now()), Role: lost.OwnerRole, Email: lost.NewReference() + "@example.com", CreatedAt: db.Now()}
	k.endpoint = addEndpoint(t, db, account)
	k.endpoint.Headers = map[string]string{"X-Hidden": "hidden"}
	k.endpoint.Rotate("whsec_BBBB", db.Now().Add(time.Hour))
	_, k.link, _ = told(t, db, l)
	write(t, db, func(tx *store.Tx) error {
		k.ticket = lost.NewTicket(lost.ResetTicket, k.user, k.user.Email, tx.Now())
		for _, err := range []error{
			tx.InsertUser(k.user), tx.SaveEndpoint(k.endpoint), tx.SaveTwoStep(k.user, lost.TwoStep{Seed: "GEZDGNBVGY3TQOJQ", Since: tx.Now()}), tx.SendTicket(k.ticket),
			tx.SaveAnswer(account, k.user.ID, store.Answer{Request: "r", Body: "hw_a_new_key"}, time.Hour),
			tx.InsertChallenge(lost.Challenge{Kind: "k", Data: "begun", ExpiresAt: tx.Now().Add(time.Hour)}, k.user.ID),
		} {
			if err != nil {
				return err
			}
		}
		return nil
	})
	k.tokens = k.derived(t, db)
	return k
}

// derived gives the tokens as they follow from what is kept.
func (k kept) derived(t *testing.T, db *store.DB) (tokens [3]string) {
	t.Helper()
	link, err := db.Link(t.Context(), account, k.link.ID)
	if err != nil {
		t.Fatal(err)
	}
	ticket, err := db.Ticket(t.Context(), account, k.ticket.ID)
	if err != nil {
		t.Fatal(err)
	}
	for n, derive := range []func() (string, error){
		func() (string, error) { return db.Token(link) }, func() (string, error) { return db.TicketToken(ticket) }, func() (string, error) { return db.PasskeyHandle(k.user) },
	} {
		if tokens[n], err = derive(); err != nil {
			t.Fatal(err)
		}
	}
	return tokens
}

// opens fails where anything that was kept cannot be read, or leads elsewhere than it did.
func (k kept) opens(t *testing.T, db *store.DB) {
	t.Helper()
	if got, err := db.Endpoint(t.Context(), account, k.endpoint.ID); err != nil || got.Secret != k.endpoint.Secret || !cmp.Equal(got.OldSecrets, k.endpoint.OldSecrets) || !cmp.Equal(got.Headers, k.endpoint.Headers) {
		t.Errorf("endpoint: %v %s", err, cmp.Diff(k.endpoint, got))
	}
	if got, err := db.TwoStep(t.Context(), k.user); err != nil || got.Seed != "GEZDGNBVGY3TQOJQ" {
		t.Errorf("second step: %+v %v", got, err)
	}
	write(t, db, func(tx *store.Tx) error {
		if got, found, err := tx.Answer(account, k.user.ID); err != nil || !found || got.Body != "hw_a_new_key" {
			t.Errorf("answer: %+v %v %v", got, found, err)
		}
		return nil
	})
	if got := k.derived(t, db); got != k.tokens {
		t.Errorf("tokens are %v, and were %v", got, k.tokens)
	}
	for n, kind := range []store.DirectoryKind{store.GuestEntry, store.TicketEntry} {
		if _, found, err := db.Lookup(t.Context(), kind, store.DirectoryHash(k.tokens[n])); !found || err != nil {
			t.Errorf("the token of a %s leads nowhere: %v", kind, err)
		}
	}
}

// A secret follows another: what was sealed and sent before is good before, during and after, and the former one can be thrown away.
func TestASecretIsReplacedWhileBothAreInUse(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		if _, err := storetest.Open(t, setting, storetest.Now).Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		before, err := with(t, setting, formerSecret)
		if err != nil {
			t.Fatal(err)
		}
		l := addLocation(t, before, named("Hotel"))
		first := keepOneOfEach(t, before, l)
		// A copy that knows both and still writes with the former one is there before the other way round, and goes on.
		ready, err := with(t, setting, formerSecret, presentSecret)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := with(t, setting, presentSecret); err == nil {
			t.Error("a secret without the one that it replaces was taken")
		}
		both, err := with(t, setting, presentSecret, formerSecret)
		if err != nil {
			t.Fatal(err)
		}
		second, third := keepOneOfEach(t, both, l), keepOneOfEach(t, ready, l)
		for _, db := range []*store.DB{ready, both} {
			first.opens(t, db)
			second.opens(t, db)
			third.opens(t, db)
		}
		for _, wrong := range []string{presentSecret, formerSecret} {
			if _, err := with(t, setting, wrong); err == nil || !strings.Contains(err.Error(), "HOMEWARD_SECRET_OLD") {
				t.Errorf("one of both alone: %v", err)
			}
		}
		for range 2 { // and again, when nothing is left
			if err := both.RotateSecret(t.Context(), func(store.Resealed) {}); err != nil {
				t.Fatal(err)
			}
		}
		after, err := with(t, setting, presentSecret)
		if err != nil {
			t.Fatal(err)
		}
		first.opens(t, after)
		second.opens(t, after)
		third.opens(t, after)
		keepOneOfEach(t, after, l).opens(t, after)
		if n, err := after.CountStrange(t.Context()); n != 0 || err != nil {
			t.Errorf("%d texts are sealed by nobody: %v", n, err)
		}
		if _, err := with(t, setting, formerSecret); err == nil {
			t.Error("the former secret is still taken")
		}
		// A copy that nobody has started again since writes with what is dropped, which is noticed.
		keepOneOfEach(t, before, l)
		if n, err := after.CountStrange(t.Context()); n != 6 || err != nil {
			t.Errorf("%d texts are strange: %v", n, err)
		}
		if err := after.RotateSecret(t.Context(), func(store.Resealed) {}); err == nil || !strings.Contains(err.Error(), "6 texts") {
			t.Errorf("what cannot be opened is passed over: %v", err)
		}
	})
}

// Every column that holds a secret is sealed, or holds only a hash of it. A new one must be put on one of these lists.
func TestEveryColumnWithASecretIsSealedOrHashed(t *testing.T) {
	hashed := []string{
		"users.password_hash", "users.recovery", "directory.hash", "challenges.hash", "imports.digest",
		"answers.once_key", // of the caller's choice and the actor's id
		"answers.request",  // what was asked
	}
	harmless := []string{
		"links.link_key", "tickets.link_key", // which secret, as a print
		"locations.name_key",  // for the order of lists
		"passkeys.credential", // the public half
		"api_keys.hint",       // its last letters
	}
	suspect := regexp.MustCompile(`secret|seed|password|token|headers|recovery|credential|hash|digest$|key$|hint|\.answer$|\.request$|challenges\.data`)
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		if _, err := storetest.Open(t, setting, storetest.Now).Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := with(t, setting, formerSecret); err != nil {
			t.Fatal(err)
		}
		db, err := with(t, setting, presentSecret, formerSecret)
		if err != nil {
			t.Fatal(err)
		}
		keepOneOfEach(t, db, addLocation(t, db, named("Hotel")))
		sealed := store.SealedPlaces()
		for _, column := range store.Columns(t, db) {
			if _, is := sealed[column]; !is && suspect.MatchString(column) && !slices.Contains(hashed, column) && !slices.Contains(harmless, column) {
				t.Errorf("%s may hold a secret: seal it and list it in sealedPlaces, or say here why not", column)
			}
		}
		form := regexp.MustCompile(`^[0-9a-f]{12}\.[A-Za-z0-9+/]+=*$`)
		for place, only := range sealed {
			table, column, _ := strings.Cut(place, ".")
			if only != "" {
				table += " WHERE " + only
			}
			texts := store.TableRows(t, db, table, column)
			if len(texts) == 0 {
				t.Errorf("nothing is in %s: keep something there, so that this test sees it", place)
			}
			for _, text := range texts {
				if !form.MatchString(text) {
					t.Errorf("%s is not sealed: %.40q", place, text)
				}
			}
		}
	})
}
