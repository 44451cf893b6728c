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

// device creates and uses passkeys like a phone.
type device struct {
	key      *ecdsa.PrivateKey
	id       []byte
	handle   string // the user handle that it was given
	counter  uint32
	unlocked bool // it verifies its holder
	origin   string
}

func newDevice() *device {
	return &device{
		key: testkit.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)), id: []byte(rand.Text()), unlocked: true,
		origin: hotel,
	}
}

func text64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// asked is what a browser is asked for.
type asked struct {
	Challenge string
	User      struct{ ID, Name string }
}

func ask(options []byte) (a asked) {
	testkit.Must(0, json.Unmarshal(options, &a))
	return a
}

// signed gives the authenticator data and client data of an answer.
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

// make answers the request for a new passkey.
func (d *device) make(options []byte) []byte {
	a := ask(options)
	d.handle = a.User.ID
	point := testkit.Must(d.key.PublicKey.Bytes())[1:]
	// no attestation, and the id of the passkey
	own := slices.Concat(make([]byte, 16), []byte{0, byte(len(d.id))}, d.id,
		[]byte{0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 32}, point[:32], []byte{0x22, 0x58, 32},
		point[32:])
	data, client := d.signed("webauthn.create", a.Challenge, own...)
	object := slices.Concat([]byte{0xa3, 0x63}, []byte("fmt"), []byte{0x64}, []byte("none"), []byte{0x67},
		[]byte("attStmt"), []byte{0xa0, 0x68}, []byte("authData"), []byte{0x58, byte(len(data))}, data)
	return d.answer(map[string]any{"clientDataJSON": text64(client), "attestationObject": text64(object)})
}

// use answers the request for an existing passkey.
func (d *device) use(options []byte) []byte {
	data, client := d.signed("webauthn.get", ask(options).Challenge)
	sum := sha256.Sum256(client)
	digest := sha256.Sum256(append(slices.Clone(data), sum[:]...))
	return d.answer(map[string]any{
		"clientDataJSON": text64(client), "authenticatorData": text64(data), "userHandle": d.handle,
		"signature": text64(testkit.Must(ecdsa.SignASN1(rand.Reader, d.key, digest[:]))),
	})
}

func (d *device) answer(response map[string]any) []byte {
	return testkit.Must(json.Marshal(map[string]any{
		"id": text64(d.id), "rawId": text64(d.id), "type": "public-key", "response": response,
		"clientExtensionResults": map[string]any{},
	}))
}

// eachHotel is eachAccount at an address where passkeys can be used.
func eachHotel(t *testing.T, fn func(l *account)) {
	t.Helper()
	eachAccount(t, fn, func(o *services.Options) { o.Wire.Base = hotel })
}

// errorOf is the error of a call.
func errorOf[T any](_ T, err error) error { return err }

// give adds a passkey for a person.
func (l *account) give(in identity.Session, password string) (*device, lost.Passkey) {
	l.T.Helper()
	d := newDevice()
	p := testkit.Must(l.Services.Passkeys.AddPasskey(l.T.Context(), in,
		d.make(testkit.Must(l.Services.Passkeys.BeginPasskey(l.T.Context(), in, password, "Phone")))))
	return d, p
}

func (l *account) enter(d *device) (identity.Session, error) {
	return l.Services.Passkeys.SignIn(l.T.Context(),
		d.use(testkit.Must(l.Services.Passkeys.AskPasskey(l.T.Context(), testkit.From("192.0.2.1")))), false,
		testkit.From("192.0.2.1"))
}

func TestAPasskeyLogsInWithoutASecondStep(t *testing.T) {
	eachHotel(t, func(l *account) {
		in := l.LoggedIn()
		d, p := l.give(in, testkit.OwnerPassword)
		l.SetUpTOTP(in)
		got, err := l.enter(d)
		if err != nil || got.User.ID != l.Owner.ID || got.Session.Waits ||
			!slices.Equal(got.Session.Proven, []lost.AuthProof{lost.PasskeyProof}) {
			t.Fatalf("%+v, %v", got.Session, err)
		}
		if all := testkit.Must(l.Services.Passkeys.List(t.Context(), in)); len(all) != 1 || all[0].UsedAt.IsZero() ||
			all[0].Name != "Phone" {
			t.Errorf("%+v", all)
		}
		half := testkit.Must(l.SignIn(l.Owner.Email, testkit.OwnerPassword, testkit.From("192.0.2.2")))
		step, err := l.Services.Passkeys.SecondStepByPasskey(t.Context(), half,
			d.use(testkit.Must(l.Services.Passkeys.AskPasskeyOf(t.Context(), half))), testkit.From("192.0.2.2"))
		if err != nil || step.Session.Waits {
			t.Errorf("%+v, %v", step.Session, err)
		}
		l.ExpectCode(l.Services.Passkeys.RemovePasskey(t.Context(), in, p.ID, "not that one"), lost.Invalid,
			"removed without the password")
		l.ExpectCode(l.Services.Passkeys.RemoveConfirmedByPasskey(t.Context(), in, p.ID,
			d.use(testkit.Must(l.Services.Passkeys.AskPasskeyAgain(t.Context(), in)))), "", "removed by itself")
		_, err = l.enter(d)
		l.ExpectCode(err, lost.Unauthorized, "removed")
	})
}

func TestAPasskeyChallengeIsUsedOnceInTimeAndForItsPurpose(t *testing.T) {
	eachHotel(t, func(l *account) {
		in := l.LoggedIn()
		d, _ := l.give(in, testkit.OwnerPassword)
		enter := func(answer []byte) error {
			return errorOf(l.Services.Passkeys.SignIn(t.Context(), answer, false, testkit.From("192.0.2.1")))
		}
		answer := d.use(testkit.Must(l.Services.Passkeys.AskPasskey(t.Context(), testkit.From("192.0.2.1"))))
		l.ExpectCode(enter(answer), "", "the first time")
		l.ExpectCode(enter(answer), lost.Gone, "the second time")

		options := testkit.Must(l.Services.Passkeys.AskPasskey(t.Context(), testkit.From("192.0.2.1")))
		l.Clock.Advance(5 * time.Minute)
		l.ExpectCode(enter(d.use(options)), lost.Gone, "late")
		l.ExpectCode(enter(d.use(testkit.Must(l.Services.Passkeys.AskPasskeyAgain(t.Context(), in)))), lost.Gone,
			"asked for something else")

		options = testkit.Must(l.Services.Passkeys.BeginPasskey(t.Context(), in, testkit.OwnerPassword, "Other"))
		made := newDevice().make(options)
		l.Clock.Advance(5 * time.Minute)
		l.ExpectCode(errorOf(l.Services.Passkeys.AddPasskey(t.Context(), in, made)), lost.Gone, "added late")
		l.ExpectCode(errorOf(l.Services.Passkeys.BeginPasskey(t.Context(), in, "not that one", "Other")), lost.Invalid,
			"added without the password")

		options = testkit.Must(l.Services.Passkeys.AskPasskey(t.Context(), testkit.From("192.0.2.1")))
		d.unlocked = false
		l.ExpectCode(enter(d.use(options)), lost.Unauthorized, "a device that lets anybody")
		d.unlocked = true
		l.ExpectCode(enter(d.use(options)), lost.Gone, "a wrong answer used it up")
		d.origin = "https://hotel.example.phish.example"
		_, err := l.enter(d)
		l.ExpectCode(err, lost.Unauthorized, "a false page")
		d.origin, d.counter = hotel, 0
		_, err = l.enter(d)
		l.ExpectCode(err, lost.Forbidden, "a copy")
	})
}

func TestAPasskeyLogsInOnlyItsUser(t *testing.T) {
	eachHotel(t, func(l *account) {
		in := l.LoggedIn()
		other := testkit.Must(l.Services.Accounts.Create(t.Context(), "Other"))
		eve := testkit.Must(l.Services.Accounts.CreateUser(t.Context(), other.ID, "eve@other.example", "Eve",
			testkit.OwnerPassword))
		eves := testkit.Must(l.SignIn(eve.Email, testkit.OwnerPassword, testkit.From("192.0.2.3")))
		d, p := l.give(in, testkit.OwnerPassword)
		hers, _ := l.give(eves, testkit.OwnerPassword)

		if d.handle == hers.handle || d.handle == "" {
			t.Error("both are called the same")
		}
		l.ExpectCode(errorOf(l.Services.Passkeys.Get(t.Context(), eves, p.ID)), lost.NotFound, "looked at by another")
		l.ExpectCode(l.Services.Passkeys.RemovePasskey(t.Context(), eves, p.ID, testkit.OwnerPassword), lost.NotFound,
			"removed by another")
		l.ExpectCode(l.Services.Passkeys.RemoveConfirmedByPasskey(t.Context(), eves, p.ID,
			hers.use(testkit.Must(l.Services.Passkeys.AskPasskeyAgain(t.Context(), eves)))), lost.NotFound,
			"removed by another's passkey")

		ben := testkit.Must(l.Services.Accounts.CreateMember(t.Context(), l.Owner.Account,
			lost.Membership{Email: "ben@hotel.example", Name: "Ben", Role: lost.AdminRole}, testkit.OwnerPassword))
		bens := testkit.Must(l.SignIn(ben.Email, testkit.OwnerPassword, testkit.From("192.0.2.3")))
		l.ExpectCode(l.Services.Passkeys.RemovePasskey(t.Context(), bens, p.ID, testkit.OwnerPassword), lost.NotFound,
			"removed by a colleague")

		lying := *hers // which claims to be the owner's
		lying.handle = d.handle
		_, err := l.enter(&lying)
		l.ExpectCode(err, lost.Unauthorized, "a handle of somebody else's")
		lying = *hers // which claims to be the owner's passkey
		lying.id, lying.handle = d.id, d.handle
		_, err = l.enter(&lying)
		l.ExpectCode(err, lost.Unauthorized, "another key")

		l.SetUpTOTP(in)
		half := testkit.Must(l.SignIn(l.Owner.Email, testkit.OwnerPassword, testkit.From("192.0.2.4")))
		_, err = l.Services.Passkeys.SecondStepByPasskey(t.Context(), half,
			hers.use(testkit.Must(l.Services.Passkeys.AskPasskeyOf(t.Context(), half))), testkit.From("192.0.2.4"))
		l.ExpectCode(err, lost.Unauthorized, "a second step with another's passkey")
		_, err = l.Services.Passkeys.SecondStepByPasskey(t.Context(), half,
			hers.use(testkit.Must(l.Services.Passkeys.AskPasskeyAgain(t.Context(), eves))), testkit.From("192.0.2.4"))
		l.ExpectCode(err, lost.Gone, "a second step with another's challenge")
		_, err = l.Services.Passkeys.SecondStepByPasskey(t.Context(), half,
			d.use(testkit.Must(l.Services.Passkeys.AskPasskeyAgain(t.Context(), in))), testkit.From("192.0.2.4"))
		l.ExpectCode(err, lost.Gone, "a second step with what was asked for something else")
		_, err = l.Services.Passkeys.AddPasskey(t.Context(), eves,
			newDevice().make(testkit.Must(l.Services.Passkeys.BeginPasskey(t.Context(), in, testkit.OwnerPassword,
				"Mine"))))
		l.ExpectCode(err, lost.Gone, "added to another")

		got, err := l.enter(hers)
		if err != nil || got.User.ID != eve.ID {
			t.Errorf("%v, %v", got.User.ID, err)
		}
		testkit.Must(l.Services.Accounts.SetDisabled(t.Context(), other.ID, true))
		_, err = l.enter(hers)
		l.ExpectCode(err, lost.Unauthorized, "an account that is switched off")
	})
}

// Members who have lost their phone are helped by those who may change them, and by nobody else.
func TestRemovingAMembersPasskeysNeedsPermission(t *testing.T) {
	eachHotel(t, func(l *account) {
		ctx := t.Context()
		admin, clerk := l.NewMember("admin", lost.AdminRole), l.NewMember("clerk", lost.DeskRole)
		ours, _ := l.give(l.LoggedIn(), testkit.OwnerPassword)
		theirs, _ := l.give(testkit.Must(l.SignIn(clerk.Email, "a password of clerk", testkit.From("192.0.2.1"))),
			"a password of clerk")
		if n := testkit.Must(l.Services.Team.List(ctx, admin.Actor())).Passkeys; n[l.Owner.ID] != 1 ||
			n[clerk.ID] != 1 ||
			n[admin.ID] != 0 {
			t.Errorf("the team has %v", n)
		}
		if all := testkit.Must(l.Services.Team.MemberPasskeys(ctx, admin.Actor(), clerk)); len(all) != 1 {
			t.Errorf("the clerk has %d", len(all))
		}
		_, err := l.Services.Team.MemberPasskeys(ctx, clerk.Actor(), clerk)
		l.ExpectCode(err, lost.Forbidden, "a clerk looks")
		for who, by := range map[string]lost.User{l.Owner.ID: admin, admin.ID: clerk, clerk.ID: clerk} {
			_, err := l.Services.Team.RemoveMemberPasskeys(ctx, by.Actor(), who)
			l.ExpectCode(err, lost.Forbidden, "who may not")
		}
		testkit.Must(l.Services.Team.RemoveMemberPasskeys(ctx, admin.Actor(), clerk.ID))
		_, err = l.enter(theirs)
		l.ExpectCode(err, lost.Unauthorized, "a passkey that was removed")
		if _, err := l.enter(ours); err != nil {
			t.Errorf("a passkey of somebody else: %v", err)
		}
		if got := l.AuditNotes(lost.PersonChanged); !slices.Contains(got,
			"user clerk@hotel.example, desk: passkeys removed") {
			t.Errorf("the log says %q", got)
		}
	})
}
