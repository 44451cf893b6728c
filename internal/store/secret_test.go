package store_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeward/internal/lost"
	"homeward/internal/lost/notice"
	"homeward/internal/lost/stay"
	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

const oldSecret, newSecret = "the secret of last year", "the secret of this year"

// openWithSecrets opens a database with the given secrets, and returns it with the result of
// CheckSecret.
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

// secretData holds one record of each kind that has encrypted or derived data.
type secretData struct {
	user     lost.User
	endpoint lost.Endpoint
	link     lost.Link
	ticket   lost.EmailLink
	browser  notice.Subscription
	tokens   [3]string // tokens of the link and the ticket, and the passkey handle
	stop     string    // the token of the link that stops notices
	pushKey  []byte
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
	k.browser = notice.Subscription{
		Account: account, ID: lost.NewID(lost.PushID, db.Now()), UserID: k.user.ID, SessionID: "ses_1",
		Endpoint: "https://push.example.com/1", PublicKey: "key", AuthSecret: "secret", CreatedAt: db.Now(),
	}
	_, k.link, _ = addNotified(t, db, l)
	write(t, db, func(tx *store.Tx) error {
		k.ticket = lost.NewEmailLink(lost.ResetLink, k.user, k.user.Email, tx.Now())
		for _, err := range []error{
			tx.InsertUser(k.user), tx.SaveEndpoint(k.endpoint), tx.SavePushSubscription(k.browser),
			tx.SaveTOTP(k.user, lost.TOTPSettings{Seed: "GEZDGNBVGY3TQOJQ", Since: tx.Now()}), tx.SendTicket(k.ticket),
			tx.SaveResponse(account, k.user.ID, store.StoredResponse{Request: "r", Body: "hw_a_new_key"}, time.Hour),
			tx.SaveStayConnection(stay.Connection{
				Account: account, LocationID: l.ID, System: stay.Mews,
				Values: map[string]string{stay.AccessTokenSetting: "hidden"}, ConnectedAt: tx.Now(),
			}),
			tx.InsertCandidates([]stay.Candidate{{
				Account: account, CandidateID: lost.NewID(lost.StayID, tx.Now()), CreatedAt: tx.Now(),
			}}),
			tx.InsertChallenge(lost.Challenge{Kind: "k", Data: "begun", ExpiresAt: tx.Now().Add(time.Hour)}, k.user.ID),
		} {
			if err != nil {
				return err
			}
		}
		return nil
	})
	k.tokens = k.derivedTokens(t, db)
	var err error
	if k.stop, err = db.NoticeToken(account, k.user.ID); err != nil {
		t.Fatal(err)
	}
	if k.pushKey, err = db.PushKey(0); err != nil {
		t.Fatal(err)
	}
	return k
}

// derivedTokens derives the tokens from the stored records.
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

// check fails if any data cannot be decrypted, or if a token has changed.
func (k secretData) check(t *testing.T, db *store.DB) {
	t.Helper()
	if got, err := db.Endpoint(t.Context(), account, k.endpoint.ID); err != nil || got.Secret != k.endpoint.Secret ||
		!cmp.Equal(got.OldSecrets, k.endpoint.OldSecrets) || !cmp.Equal(got.Headers, k.endpoint.Headers) {
		t.Errorf("endpoint: %v %s", err, cmp.Diff(k.endpoint, got))
	}
	if got, err := db.TOTP(t.Context(), k.user); err != nil || got.Seed != "GEZDGNBVGY3TQOJQ" {
		t.Errorf("TOTP: got %+v, %v", got, err)
	}
	write(t, db, func(tx *store.Tx) error {
		if got, found, err := tx.FindResponse(account, k.user.ID); err != nil || !found || got.Body != "hw_a_new_key" {
			t.Errorf("stored response: got %+v, %t, %v", got, found, err)
		}
		return nil
	})
	if got, err := db.PushSubscription(t.Context(), account, k.browser.ID); err != nil || got != k.browser {
		t.Errorf("push subscription: got %+v, %v", got, err)
	}
	if got, err := db.PushKey(0); err != nil || !bytes.Equal(got, k.pushKey) {
		t.Errorf("push key: got %x, %v, want %x", got, err, k.pushKey)
	}
	if _, user, err := db.NoticeTokenUser(k.stop); err != nil || user != k.user.ID {
		t.Errorf("link that stops notices: got %q, %v", user, err)
	}
	if got := k.derivedTokens(t, db); got != k.tokens {
		t.Errorf("tokens: got %v, want %v", got, k.tokens)
	}
	for n, kind := range []store.DirectoryKind{store.LinkEntry, store.TicketEntry} {
		if _, found, err := db.Lookup(t.Context(), kind, store.DirectoryHash(k.tokens[n])); !found || err != nil {
			t.Errorf("the token of a %s was not found: %v", kind, err)
		}
	}
}

// TestASecretIsRotatedWhileBothAreInUse checks that existing data and links keep working during and
// after a rotation, and that the former secret is no longer needed afterwards.
func TestASecretIsRotatedWhileBothAreInUse(t *testing.T) {
	storetest.EachSetting(t, func(t *testing.T, setting string) {
		if _, err := storetest.Open(t, setting, storetest.Now).Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		before, err := openWithSecrets(t, setting, oldSecret)
		if err != nil {
			t.Fatal(err)
		}
		l := addLocation(t, before, withName("Hotel"))
		first := addSecretData(t, before, l)
		// An operator may first restart an instance with both secrets, the old one first. This
		// instance must keep working after another instance has started to use the new secret.
		ready, err := openWithSecrets(t, setting, oldSecret, newSecret)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := openWithSecrets(t, setting, newSecret); err == nil {
			t.Error("a new secret was accepted without the secret that it replaces")
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
				t.Errorf("CheckSecret with only one of the two secrets: got error %v", err)
			}
		}
		for range 2 { // the second rotation has nothing to do
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
			t.Errorf("CountUndecryptable: got %d, %v, want 0", n, err)
		}
		if _, err := openWithSecrets(t, setting, oldSecret); err == nil {
			t.Error("the former secret was accepted")
		}
		// An instance that was not restarted still encrypts with the former secret, which must be
		// detected.
		addSecretData(t, before, l)
		if n, err := after.CountUndecryptable(t.Context()); n != 9 || err != nil {
			t.Errorf("CountUndecryptable: got %d, %v, want 9", n, err)
		}
		if err := after.RotateSecret(t.Context(), func(store.RotationProgress) {}); err == nil ||
			!strings.Contains(err.Error(), "9 values") {
			t.Errorf("RotateSecret with 9 undecryptable values: got error %v", err)
		}
	})
}

// TestEveryColumnWithASecretIsEncryptedOrHashed checks all columns whose name suggests a secret. A
// new column must be added to one of these lists.
func TestEveryColumnWithASecretIsEncryptedOrHashed(t *testing.T) {
	hashed := []string{
		"users.password_hash", "users.recovery", "directory.hash", "challenges.hash", "imports.digest",
		"answers.once_key", // the caller's idempotency key, with the actor's id
		"answers.request",  // a digest
	}
	harmless := []string{
		"links.link_key", "tickets.link_key", // fingerprint of a secret
		"locations.name_key",   // a sort key
		"passkeys.credential",  // public key
		"api_keys.hint",        // last characters of the key
		"locations.match_hint", // when claimants are told
		"embeddings.text_hash", // of a description
		"photo_bands.hash",     // what a photo looks like
		"items.serial_key",     // the searched form of the serial number
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
		addSecretData(t, db, addLocation(t, db, withName("Hotel")))
		encrypted := store.EncryptedColumns()
		for _, column := range store.Columns(t, db) {
			if _, ok := encrypted[column]; !ok && suspect.MatchString(column) && !slices.Contains(hashed, column) &&
				!slices.Contains(harmless, column) {
				t.Errorf("%s may hold a secret: add it to encryptedColumns or to a list in this test", column)
			}
		}
		pattern := regexp.MustCompile(`^[0-9a-f]{12}\.[A-Za-z0-9+/]+=*$`)
		for name, condition := range encrypted {
			table, column, _ := strings.Cut(name, ".")
			if condition != "" {
				table += " WHERE " + condition
			}
			texts := store.TableRows(t, db, table, column)
			if len(texts) == 0 {
				t.Errorf("%s is empty: add data to secretData for this test", name)
			}
			for _, text := range texts {
				if !pattern.MatchString(text) {
					t.Errorf("%s is not encrypted: %.40q", name, text)
				}
			}
		}
	})
}
