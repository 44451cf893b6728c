package identity_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/services"
	"homeward/internal/testkit"
)

const hotel = "https://hotel.example"

// device simulates a phone that creates and uses a passkey.
type device struct {
	key      *ecdsa.PrivateKey
	id       []byte
	handle   string // the user handle from the registration
	counter  uint32
	unlocked bool // whether it tells the server that it has verified its holder
	origin   string
}

func newDevice() *device {
	return &device{
		key: testkit.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)), id: []byte(rand.Text()), unlocked: true,
		origin: hotel,
	}
}

func text64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// request holds the browser options that a device needs.
type request struct {
	Challenge string
	User      struct{ ID, Name string }
}

func parse(options []byte) (r request) {
	testkit.Must(0, json.Unmarshal(options, &r))
	return r
}

// signed returns the authenticator data and the client data for a response.
func (d *device) signed(kind, challenge string, more ...byte) (data, client []byte) {
	name := sha256.Sum256([]byte("hotel.example"))
	flags := byte(0x01)
	if d.unlocked {
		flags |= 0x04
	}
	if len(more) > 0 {
		flags |= 0x40
	}
	d.counter++
	data = append(binary.BigEndian.AppendUint32(append(name[:], flags), d.counter), more...)
	return data, testkit.Must(json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": d.origin}))
}

// make creates a passkey and returns the response to the options.
func (d *device) make(options []byte) []byte {
	a := parse(options)
	d.handle = a.User.ID
	point := testkit.Must(d.key.PublicKey.Bytes())[1:]
	// This is a credential without attestation.
	credential := slices.Concat(make([]byte, 16), []byte{0, byte(len(d.id))}, d.id,
		[]byte{0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 32}, point[:32], []byte{0x22, 0x58, 32},
		point[32:])
	data, client := d.signed("webauthn.create", a.Challenge, credential...)
	object := slices.Concat([]byte{0xa3, 0x63}, []byte("fmt"), []byte{0x64}, []byte("none"), []byte{0x67},
		[]byte("attStmt"), []byte{0xa0, 0x68}, []byte("authData"), []byte{0x58, byte(len(data))}, data)
	return d.respond(map[string]any{"clientDataJSON": text64(client), "attestationObject": text64(object)})
}

// use signs the challenge in the options with the passkey, and returns the response.
func (d *device) use(options []byte) []byte {
	data, client := d.signed("webauthn.get", parse(options).Challenge)
	sum := sha256.Sum256(client)
	digest := sha256.Sum256(append(slices.Clone(data), sum[:]...))
	return d.respond(map[string]any{
		"clientDataJSON": text64(client), "authenticatorData": text64(data), "userHandle": d.handle,
		"signature": text64(testkit.Must(ecdsa.SignASN1(rand.Reader, d.key, digest[:]))),
	})
}

func (d *device) respond(response map[string]any) []byte {
	return testkit.Must(json.Marshal(map[string]any{
		"id": text64(d.id), "rawId": text64(d.id), "type": "public-key", "response": response,
		"clientExtensionResults": map[string]any{},
	}))
}

// eachHotel is eachAccount with a base URL for which browsers allow passkeys.
func eachHotel(t *testing.T, fn func(l *account)) {
	t.Helper()
	eachAccount(t, fn, func(o *services.Options) { o.Wire.Base = hotel })
}

// errorOf returns only the error of a call that returns two values.
func errorOf[T any](_ T, err error) error { return err }

// addPasskey adds a passkey for a person, and returns it with the device that holds it.
func (l *account) addPasskey(in identity.Session, password string) (*device, lost.Passkey) {
	l.T.Helper()
	d := newDevice()
	p := testkit.Must(l.Services.Passkeys.AddPasskey(l.T.Context(), in,
		d.make(testkit.Must(l.Services.Passkeys.BeginPasskey(l.T.Context(), in, password, "Phone")))))
	return d, p
}

func (l *account) passkeyLogin(d *device) (identity.Session, error) {
	return l.Services.Passkeys.SignIn(l.T.Context(),
		d.use(testkit.Must(l.Services.Passkeys.BeginLogin(l.T.Context(), testkit.ClientAt("192.0.2.1")))), false,
		testkit.ClientAt("192.0.2.1"))
}

func TestAPasskeyLogsInWithoutASecondStep(t *testing.T) {
	eachHotel(t, func(l *account) {
		in := l.LoggedIn()
		d, p := l.addPasskey(in, testkit.OwnerPassword)
		l.SetUpTOTP(in)
		got, err := l.passkeyLogin(d)
		if err != nil || got.User.ID != l.Owner.ID || got.Session.NeedsSecondStep ||
			!slices.Equal(got.Session.Proofs, []lost.AuthProof{lost.PasskeyProof}) {
			t.Fatalf("%+v, %v", got.Session, err)
		}
		if all := testkit.Must(l.Services.Passkeys.List(t.Context(), in)); len(all) != 1 || all[0].UsedAt.IsZero() ||
			all[0].Name != "Phone" {
			t.Errorf("%+v", all)
		}
		half := testkit.Must(l.SignIn(l.Owner.Email, testkit.OwnerPassword, testkit.ClientAt("192.0.2.2")))
		step, err := l.Services.Passkeys.SecondStepByPasskey(t.Context(), half,
			d.use(testkit.Must(l.Services.Passkeys.BeginSecondStep(t.Context(), half))), testkit.ClientAt("192.0.2.2"))
		if err != nil || step.Session.NeedsSecondStep {
			t.Errorf("%+v, %v", step.Session, err)
		}
		l.ExpectCode(l.Services.Passkeys.RemovePasskey(t.Context(), in, p.ID, "not that one"), lost.Invalid,
			"removal with a wrong password")
		l.ExpectCode(l.Services.Passkeys.RemoveConfirmedByPasskey(t.Context(), in, p.ID,
			d.use(testkit.Must(l.Services.Passkeys.BeginConfirmation(t.Context(), in)))), "",
			"removal confirmed by the passkey")
		_, err = l.passkeyLogin(d)
		l.ExpectCode(err, lost.Unauthorized, "log-in with a removed passkey")
	})
}

func TestAddingAPasskeyEndsTheOtherSessions(t *testing.T) {
	eachHotel(t, func(l *account) {
		l.NewMember("anna", lost.DeskRole)
		anna := testkit.Must(l.SignIn("anna@hotel.example", "a password of anna", testkit.ClientAt("192.0.2.1")))
		other, here := l.LoggedIn(), l.LoggedIn()
		l.addPasskey(here, testkit.OwnerPassword)
		l.expectOnlySession(here, other, anna)
		l.expectNote("user " + l.Owner.Email + ", owner: passkey added, other sessions ended")
	})
}

func TestAPasskeyChallengeIsUsedOnceInTimeAndForItsPurpose(t *testing.T) {
	eachHotel(t, func(l *account) {
		in := l.LoggedIn()
		d, _ := l.addPasskey(in, testkit.OwnerPassword)
		login := func(response []byte) error {
			return errorOf(l.Services.Passkeys.SignIn(t.Context(), response, false, testkit.ClientAt("192.0.2.1")))
		}
		response := d.use(testkit.Must(l.Services.Passkeys.BeginLogin(t.Context(), testkit.ClientAt("192.0.2.1"))))
		l.ExpectCode(login(response), "", "first use of a challenge")
		l.ExpectCode(login(response), lost.Gone, "second use of a challenge")

		options := testkit.Must(l.Services.Passkeys.BeginLogin(t.Context(), testkit.ClientAt("192.0.2.1")))
		l.Clock.Advance(5 * time.Minute)
		l.ExpectCode(login(d.use(options)), lost.Gone, "expired challenge")
		l.ExpectCode(login(d.use(testkit.Must(l.Services.Passkeys.BeginConfirmation(t.Context(), in)))), lost.Gone,
			"challenge for another purpose")

		options = testkit.Must(l.Services.Passkeys.BeginPasskey(t.Context(), in, testkit.OwnerPassword, "Other"))
		created := newDevice().make(options)
		l.Clock.Advance(5 * time.Minute)
		l.ExpectCode(errorOf(l.Services.Passkeys.AddPasskey(t.Context(), in, created)), lost.Gone,
			"expired challenge of a new passkey")
		l.ExpectCode(errorOf(l.Services.Passkeys.BeginPasskey(t.Context(), in, "not that one", "Other")), lost.Invalid,
			"new passkey with a wrong password")

		options = testkit.Must(l.Services.Passkeys.BeginLogin(t.Context(), testkit.ClientAt("192.0.2.1")))
		d.unlocked = false
		l.ExpectCode(login(d.use(options)), lost.Unauthorized, "device that does not verify its holder")
		d.unlocked = true
		l.ExpectCode(login(d.use(options)), lost.Gone, "challenge after a failed response")
		d.origin = "https://hotel.example.phish.example"
		_, err := l.passkeyLogin(d)
		l.ExpectCode(err, lost.Unauthorized, "phishing origin")
		d.origin, d.counter = hotel, 0
		_, err = l.passkeyLogin(d)
		l.ExpectCode(err, lost.Forbidden, "cloned passkey")
	})
}

func TestAPasskeyLogsInOnlyItsUser(t *testing.T) {
	eachHotel(t, func(l *account) {
		in := l.LoggedIn()
		other := testkit.Must(l.Services.Accounts.Create(t.Context(), "Other"))
		eve := testkit.Must(l.Services.Accounts.CreateUser(t.Context(), other.ID, "eve@other.example", "Eve",
			testkit.OwnerPassword))
		eveIn := testkit.Must(l.SignIn(eve.Email, testkit.OwnerPassword, testkit.ClientAt("192.0.2.3")))
		d, p := l.addPasskey(in, testkit.OwnerPassword)
		hers, _ := l.addPasskey(eveIn, testkit.OwnerPassword)

		if d.handle == hers.handle || d.handle == "" {
			t.Error("two users have the same handle")
		}
		l.ExpectCode(errorOf(l.Services.Passkeys.Get(t.Context(), eveIn, p.ID)), lost.NotFound,
			"read by a user of another account")
		l.ExpectCode(l.Services.Passkeys.RemovePasskey(t.Context(), eveIn, p.ID, testkit.OwnerPassword), lost.NotFound,
			"removal by a user of another account")
		l.ExpectCode(l.Services.Passkeys.RemoveConfirmedByPasskey(t.Context(), eveIn, p.ID,
			hers.use(testkit.Must(l.Services.Passkeys.BeginConfirmation(t.Context(), eveIn)))), lost.NotFound,
			"removal confirmed by another user's passkey")

		ben := testkit.Must(l.Services.Accounts.CreateMember(t.Context(), l.Owner.Account,
			lost.Membership{Email: "ben@hotel.example", Name: "Ben", Role: lost.AdminRole}, testkit.OwnerPassword))
		benIn := testkit.Must(l.SignIn(ben.Email, testkit.OwnerPassword, testkit.ClientAt("192.0.2.3")))
		l.ExpectCode(l.Services.Passkeys.RemovePasskey(t.Context(), benIn, p.ID, testkit.OwnerPassword), lost.NotFound,
			"removal by a colleague")

		forged := *hers // claims the owner's user handle
		forged.handle = d.handle
		_, err := l.passkeyLogin(&forged)
		l.ExpectCode(err, lost.Unauthorized, "forged user handle")
		forged = *hers // claims the owner's credential id
		forged.id, forged.handle = d.id, d.handle
		_, err = l.passkeyLogin(&forged)
		l.ExpectCode(err, lost.Unauthorized, "forged credential id")

		l.SetUpTOTP(in)
		half := testkit.Must(l.SignIn(l.Owner.Email, testkit.OwnerPassword, testkit.ClientAt("192.0.2.4")))
		_, err = l.Services.Passkeys.SecondStepByPasskey(t.Context(), half,
			hers.use(testkit.Must(l.Services.Passkeys.BeginSecondStep(t.Context(), half))),
			testkit.ClientAt("192.0.2.4"))
		l.ExpectCode(err, lost.Unauthorized, "second step with another user's passkey")
		_, err = l.Services.Passkeys.SecondStepByPasskey(t.Context(), half,
			hers.use(testkit.Must(l.Services.Passkeys.BeginConfirmation(t.Context(), eveIn))),
			testkit.ClientAt("192.0.2.4"))
		l.ExpectCode(err, lost.Gone, "second step with another user's challenge")
		_, err = l.Services.Passkeys.SecondStepByPasskey(t.Context(), half,
			d.use(testkit.Must(l.Services.Passkeys.BeginConfirmation(t.Context(), in))), testkit.ClientAt("192.0.2.4"))
		l.ExpectCode(err, lost.Gone, "second step with a challenge for another purpose")
		_, err = l.Services.Passkeys.AddPasskey(t.Context(), eveIn,
			newDevice().make(testkit.Must(l.Services.Passkeys.BeginPasskey(t.Context(), in, testkit.OwnerPassword,
				"Mine"))))
		l.ExpectCode(err, lost.Gone, "passkey registered by another user")

		got, err := l.passkeyLogin(hers)
		if err != nil || got.User.ID != eve.ID {
			t.Errorf("%v, %v", got.User.ID, err)
		}
		testkit.Must(l.Services.Accounts.SetDisabled(t.Context(), other.ID, true))
		_, err = l.passkeyLogin(hers)
		l.ExpectCode(err, lost.Unauthorized, "log-in to a disabled account")
	})
}

// If a member loses their phone, only actors who may change the member can remove the member's passkeys.
func TestRemovingAMembersPasskeysNeedsPermission(t *testing.T) {
	eachHotel(t, func(l *account) {
		ctx := t.Context()
		admin, clerk := l.NewMember("admin", lost.AdminRole), l.NewMember("clerk", lost.DeskRole)
		ours, _ := l.addPasskey(l.LoggedIn(), testkit.OwnerPassword)
		theirs, _ := l.addPasskey(testkit.Must(l.SignIn(clerk.Email, "a password of clerk",
			testkit.ClientAt("192.0.2.1"))),
			"a password of clerk")
		if n := testkit.Must(l.Services.Team.List(ctx, admin.Actor())).Passkeys; n[l.Owner.ID] != 1 ||
			n[clerk.ID] != 1 ||
			n[admin.ID] != 0 {
			t.Errorf("passkeys of the team: got %v", n)
		}
		if all := testkit.Must(l.Services.Team.MemberPasskeys(ctx, admin.Actor(), clerk)); len(all) != 1 {
			t.Errorf("passkeys of the clerk: got %d, want 1", len(all))
		}
		_, err := l.Services.Team.MemberPasskeys(ctx, clerk.Actor(), clerk)
		l.ExpectCode(err, lost.Forbidden, "passkeys listed by a clerk")
		for who, by := range map[string]lost.User{l.Owner.ID: admin, admin.ID: clerk, clerk.ID: clerk} {
			_, err := l.Services.Team.RemoveMemberPasskeys(ctx, by.Actor(), who)
			l.ExpectCode(err, lost.Forbidden, "removal without permission")
		}
		testkit.Must(l.Services.Team.RemoveMemberPasskeys(ctx, admin.Actor(), clerk.ID))
		_, err = l.passkeyLogin(theirs)
		l.ExpectCode(err, lost.Unauthorized, "log-in with a removed passkey")
		if _, err := l.passkeyLogin(ours); err != nil {
			t.Errorf("log-in with another user's passkey: %v", err)
		}
		if got := l.AuditNotes(lost.PersonChanged); !slices.Contains(got,
			"user clerk@hotel.example, desk: passkeys removed") {
			t.Errorf("audit notes: got %q", got)
		}
	})
}

func TestANewPasswordRemovesRecentPasskeysThatAreNotConfirmed(t *testing.T) {
	eachHotel(t, func(l *account) {
		in := l.LoggedIn()
		old, _ := l.addPasskey(in, testkit.OwnerPassword)
		l.Clock.Advance(7 * 24 * time.Hour)
		in = l.LoggedIn()
		kept, keptKey := l.addPasskey(in, testkit.OwnerPassword)
		l.Clock.Advance(testkit.Pause)
		planted, plantedKey := l.addPasskey(in, testkit.OwnerPassword)
		recent := testkit.Must(l.Services.Profile.RecentPasskeys(t.Context(), l.Owner.Account, l.Owner.ID))
		if len(recent) != 2 || recent[0].ID != keptKey.ID || recent[1].ID != plantedKey.ID {
			t.Fatalf("recent passkeys: %+v", recent)
		}
		expect := func(d *device, want lost.Code, what string) {
			t.Helper()
			l.ExpectCode(errorOf(l.passkeyLogin(d)), want, what)
		}
		l.ExpectCode(l.Services.Profile.ForgotPassword(t.Context(), l.Owner.Email, testkit.ClientAt("192.0.2.9")), "",
			"reset link")
		in = testkit.Must(l.Services.Profile.ResetPassword(t.Context(), l.Token(lost.ResetLink),
			identity.PasswordChange{Password: "lantern paper violin", KeptPasskeys: []string{keptKey.ID}},
			testkit.ClientAt("192.0.2.9")))
		expect(old, "", "passkey that is older than a week")
		expect(kept, "", "confirmed passkey")
		expect(planted, lost.Unauthorized, "passkey that was not confirmed")
		testkit.Must(l.Services.Profile.ChangePassword(t.Context(), in, "lantern paper violin",
			withPassword("violin paper lantern"), testkit.ClientAt("192.0.2.9")))
		expect(kept, lost.Unauthorized, "passkey that was not confirmed again")
		expect(old, "", "old passkey after the second change")
	})
}
