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

const oldSecret, newSecret = "the secret of last year", "the secret of this year"

// openWithSecrets opens a database with the given secrets, and returns the result of CheckSecret.
func openWithSecrets(t *testing.T, setting string, secret string, others ...string) (*store.DB, error) {
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

// secretData is one of everything that is encrypted or derived.
type secretData struct {
	user     lost.User
	endpoint lost.Endpoint
	link     lost.Link
	ticket   lost.EmailLink
	tokens   [3]string // of the link, the ticket and the passkey handle
}

func addSecretData(t *testing.T, db *store.DB, l lost.Location) (k secretData) {
	t.Helper()
	k.user = lost.User{
		Account: account, ID: lost.NewID(lost.UserID, db.Now()), Role: lost.OwnerRole,
		Email: lost.NewReference() + "@example.com", CreatedAt: db.Now(),
	}
	k.endpoint = addEndpoint(t, db, account)
	k.endpoint.Headers = map[string]string{"X-Hidden": "hidden"}
	k.endpoint.Rotate("whsec_BBBB", db.Now().Add(time.Hour))
	_, k.link, _ = addNotified(t, db, l)
	write(t, db, func(tx *store.Tx) error {
		k.ticket = lost.NewTicket(lost.ResetTicket, k.user, k.user.Email, tx.Now())
		for _, err := range []error{
			tx.InsertUser(k.user), tx.SaveEndpoint(k.endpoint),
			tx.SaveTOTP(k.user, lost.TOTPSettings{Seed: "GEZDGNBVGY3TQOJQ", Since: tx.Now()}), tx.SendTicket(k.ticket),
			tx.SaveResponse(account, k.user.ID, store.StoredResponse{Request: "r", Body: "hw_a_new_key"}, time.Hour),
			tx.InsertChallenge(lost.Challenge{Kind: "k", Data: "begun", ExpiresAt: tx.Now().Add(time.Hour)}, k.user.ID),
		} {
			if err != nil {
				return err
			}
		}
		return nil
	})
	k.tokens = k.derivedTokens(t, db)
	return k
}

// derivedTokens derives the tokens again.
func (k secretData) derivedTokens(t *testing.T, db *store.DB) (tokens [3]string) {
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
		func() (string, error) { return db.LinkToken(link) }, func() (string, error) { return db.TicketToken(ticket) },
		func() (string, error) { return db.PasskeyHandle(k.user) },
	} {
		if tokens[n], err = derive(); err != nil {
			t.Fatal(err)
		}
	}
	return tokens
}

// check fails if anything cannot be decrypted, or if a token has changed.
func (k secretData) check(t *testing.T, db *store.DB) {
	t.Helper()
	if got, err := db.Endpoint(t.Context(), account, k.endpoint.ID); err != nil || got.Secret != k.endpoint.Secret ||
		!cmp.Equal(got.OldSecrets, k.endpoint.OldSecrets) || !cmp.Equal(got.Headers, k.endpoint.Headers) {
		t.Errorf("endpoint: %v %s", err, cmp.Diff(k.endpoint, got))
	}
	if got, err := db.TOTP(t.Context(), k.user); err != nil || got.Seed != "GEZDGNBVGY3TQOJQ" {
		t.Errorf("TOTP: %+v %v", got, err)
	}
	write(t, db, func(tx *store.Tx) error {
		if got, found, err := tx.FindResponse(account, k.user.ID); err != nil || !found || got.Body != "hw_a_new_key" {
			t.Errorf("stored response: %+v %v %v", got, found, err)
		}
		return nil
	})
	if got := k.derivedTokens(t, db); got != k.tokens {
		t.Errorf("tokens are %v, want %v", got, k.tokens)
	}
	for n, kind := range []store.DirectoryKind{store.LinkEntry, store.TicketEntry} {
		if _, found, err := db.Lookup(t.Context(), kind, store.DirectoryHash(k.tokens[n])); !found || err != nil {
			t.Errorf("the token of a %s is not found: %v", kind, err)
		}
	}
}

// A secret is rotated: what was encrypted and sent before works before, during and after the rotation, and the former
// secret can be dropped.
func TestASecretIsRotatedWhileBothAreInUse(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		if _, err := storetest.Open(t, setting, storetest.Now).Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		before, err := openWithSecrets(t, setting, oldSecret)
		if err != nil {
			t.Fatal(err)
		}
		l := addLocation(t, before, named("Hotel"))
		first := addSecretData(t, before, l)
		// A copy that knows both secrets in the former order may start first, and keeps working.
		ready, err := openWithSecrets(t, setting, oldSecret, newSecret)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := openWithSecrets(t, setting, newSecret); err == nil {
			t.Error("a secret was accepted without the one that it replaces")
		}
		both, err := openWithSecrets(t, setting, newSecret, oldSecret)
		if err != nil {
			t.Fatal(err)
		}
		second, third := addSecretData(t, both, l), addSecretData(t, ready, l)
		for _, db := range []*store.DB{ready, both} {
			first.check(t, db)
			second.check(t, db)
			third.check(t, db)
		}
		for _, wrong := range []string{newSecret, oldSecret} {
			if _, err := openWithSecrets(t, setting, wrong); err == nil ||
				!strings.Contains(err.Error(), "HOMEWARD_SECRET_OLD") {
				t.Errorf("only one of both secrets: %v", err)
			}
		}
		for range 2 { // and again, when nothing is left to do
			if err := both.RotateSecret(t.Context(), func(store.RotationProgress) {}); err != nil {
				t.Fatal(err)
			}
		}
		after, err := openWithSecrets(t, setting, newSecret)
		if err != nil {
			t.Fatal(err)
		}
		first.check(t, after)
		second.check(t, after)
		third.check(t, after)
		addSecretData(t, after, l).check(t, after)
		if n, err := after.CountUndecryptable(t.Context()); n != 0 || err != nil {
			t.Errorf("%d texts cannot be decrypted: %v", n, err)
		}
		if _, err := openWithSecrets(t, setting, oldSecret); err == nil {
			t.Error("the former secret is still accepted")
		}
		// A copy that was not restarted writes with the dropped secret, which must be noticed.
		addSecretData(t, before, l)
		if n, err := after.CountUndecryptable(t.Context()); n != 6 || err != nil {
			t.Errorf("%d texts cannot be decrypted: %v", n, err)
		}
		if err := after.RotateSecret(t.Context(), func(store.RotationProgress) {}); err == nil ||
			!strings.Contains(err.Error(), "6 texts") {
			t.Errorf("texts that cannot be decrypted are ignored: %v", err)
		}
	})
}

// Every column that holds a secret is encrypted, or holds only a hash. A new column must be added to one of these
// lists.
func TestEveryColumnWithASecretIsEncryptedOrHashed(t *testing.T) {
	hashed := []string{
		"users.password_hash", "users.recovery", "directory.hash", "challenges.hash", "imports.digest",
		"answers.once_key", // chosen by the caller, with the actor's id
		"answers.request",  // a digest
	}
	harmless := []string{
		"links.link_key", "tickets.link_key", // the fingerprint of a secret
		"locations.name_key",  // a sort key
		"passkeys.credential", // the public key
		"api_keys.hint",       // the last characters
	}
	suspect := regexp.MustCompile(`secret|seed|password|token|headers|recovery|credential|hash|digest$|key$|hint` +
		`|\.answer$|\.request$|challenges\.data`)
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		if _, err := storetest.Open(t, setting, storetest.Now).Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := openWithSecrets(t, setting, oldSecret); err != nil {
			t.Fatal(err)
		}
		db, err := openWithSecrets(t, setting, newSecret, oldSecret)
		if err != nil {
			t.Fatal(err)
		}
		addSecretData(t, db, addLocation(t, db, named("Hotel")))
		sealed := store.EncryptedColumns()
		for _, column := range store.Columns(t, db) {
			if _, is := sealed[column]; !is && suspect.MatchString(column) && !slices.Contains(hashed, column) &&
				!slices.Contains(harmless, column) {
				t.Errorf("%s may hold a secret: encrypt it and add it to encryptedColumns, or say here why not", column)
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
				t.Errorf("%s is empty: store something there, so that this test can check it", place)
			}
			for _, text := range texts {
				if !form.MatchString(text) {
					t.Errorf("%s is not encrypted: %.40q", place, text)
				}
			}
		}
	})
}
