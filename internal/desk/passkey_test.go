package desk_test

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

	"homeward/internal/desk"
	"homeward/internal/lost"
	"homeward/internal/store"
	v1 "homeward/internal/v1"
)

const hotel = "https://hotel.example"

// device makes passkeys and uses them, as a phone does.
type device struct {
	key      *ecdsa.PrivateKey
	id       []byte
	handle   string // what it calls the person, as it was told
	counter  uint32
	unlocked bool // it makes sure who holds it
	origin   string
}

func newDevice() *device {
	return &device{key: must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader)), id: []byte(rand.Text()), unlocked: true, origin: hotel}
}

func text64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// asked is what a browser is asked for.
type asked struct {
	Challenge string
	User      struct{ ID, Name string }
}

func ask(options []byte) (a asked) {
	must(0, json.Unmarshal(options, &a))
	return a
}

// signed is what the device says of itself, and of the question.
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
	return data, must(json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": d.origin}))
}

// make answers the question for a new passkey.
func (d *device) make(options []byte) []byte {
	a := ask(options)
	d.handle = a.User.ID
	point := must(d.key.PublicKey.Bytes())[1:]
	own := slices.Concat(make([]byte, 16), []byte{0, byte(len(d.id))}, d.id, // nobody's make, and the name of the passkey
		[]byte{0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 32}, point[:32], []byte{0x22, 0x58, 32}, point[32:])
	data, client := d.signed("webauthn.create", a.Challenge, own...)
	object := slices.Concat([]byte{0xa3, 0x63}, []byte("fmt"), []byte{0x64}, []byte("none"), []byte{0x67}, []byte("attStmt"), []byte{0xa0, 0x68}, []byte("authData"), []byte{0x58, byte(len(data))}, data)
	return d.answer(map[string]any{"clientDataJSON": text64(client), "attestationObject": text64(object)})
}

// use answers the question for a passkey.
func (d *device) use(options []byte) []byte {
	data, client := d.signed("webauthn.get", ask(options).Challenge)
	sum := sha256.Sum256(client)
	digest := sha256.Sum256(append(slices.Clone(data), sum[:]...))
	return d.answer(map[string]any{
		"clientDataJSON": text64(client), "authenticatorData": text64(data), "userHandle": d.handle,
		"signature": text64(must(ecdsa.SignASN1(rand.Reader, d.key, digest[:]))),
	})
}

func (d *device) answer(response map[string]any) []byte {
	return must(json.Marshal(map[string]any{"id": text64(d.id), "rawId": text64(d.id), "type": "public-key", "response": response, "clientExtensionResults": map[string]any{}}))
}

// eachHotel is eachLodge at an address where passkeys can be used.
func eachHotel(t *testing.T, fn func(l *lodge)) {
	t.Helper()
	eachLodge(t, func(l *lodge) {
		l.desk = desk.New(desk.Options{
			DB: l.db, Wire: v1.Wire{Base: hotel}, Messenger: scribe{}, Now: l.clock.Now, Nudge: func() {}, NudgeLetters: func() {}, NudgeLanes: func(...store.Lane) {}, Hashing: quick,
		})
		fn(l)
	})
}

// give gives somebody a passkey.
func (l *lodge) give(in desk.Insider, password string) (*device, lost.Passkey) {
	l.t.Helper()
	d := newDevice()
	p := must(l.desk.AddPasskey(l.t.Context(), in, d.make(must(l.desk.BeginPasskey(l.t.Context(), in, password, "Phone")))))
	return d, p
}

func (l *lodge) enter(d *device) (desk.Insider, error) {
	return l.desk.EnterByPasskey(l.t.Context(), d.use(must(l.desk.AskPasskey(l.t.Context(), from("192.0.2.1")))), false, from("192.0.2.1"))
}

func TestAPasskeyOpensByItself(t *testing.T) {
	eachHotel(t, func(l *lodge) {
		in := l.in()
		d, p := l.give(in, ownersPassword)
		l.twoStep(in)
		got, err := l.enter(d)
		if err != nil || got.User.ID != l.owner.ID || got.Session.Waits || !slices.Equal(got.Session.Proven, []lost.Proof{lost.PasskeyProof}) {
			t.Fatalf("%+v, %v", got.Session, err)
		}
		if all := must(l.desk.Passkeys(t.Context(), in)); len(all) != 1 || all[0].UsedAt.IsZero() || all[0].Name != "Phone" {
			t.Errorf("%+v", all)
		}
		half := must(l.signIn(l.owner.Email, ownersPassword, from("192.0.2.2")))
		step, err := l.desk.SecondStepByPasskey(t.Context(), half, d.use(must(l.desk.AskPasskeyOf(t.Context(), half))), from("192.0.2.2"))
		if err != nil || step.Session.Waits {
			t.Errorf("%+v, %v", step.Session, err)
		}
		l.code(l.desk.RemovePasskey(t.Context(), in, p.ID, "not that one"), lost.Invalid, "removed without the password")
		l.code(l.desk.RemovePasskeyByOne(t.Context(), in, p.ID, d.use(must(l.desk.AskPasskeyAgain(t.Context(), in)))), "", "removed by itself")
		_, err = l.enter(d)
		l.code(err, lost.Unauthorized, "removed")
	})
}

func TestAnAnswerIsTakenOnceAndInTimeAndForWhatWasAsked(t *testing.T) {
	eachHotel(t, func(l *lodge) {
		in := l.in()
		d, _ := l.give(in, ownersPassword)
		enter := func(answer []byte) error {
			return taken(l.desk.EnterByPasskey(t.Context(), answer, false, from("192.0.2.1")))
		}
		answer := d.use(must(l.desk.AskPasskey(t.Context(), from("192.0.2.1"))))
		l.code(enter(answer), "", "the first time")
		l.code(enter(answer), lost.Gone, "the second time")

		options := must(l.desk.AskPasskey(t.Context(), from("192.0.2.1")))
		l.clock.Advance(5 * time.Minute)
		l.code(enter(d.use(options)), lost.Gone, "late")
		l.code(enter(d.use(must(l.desk.AskPasskeyAgain(t.Context(), in)))), lost.Gone, "asked for something else")

		options = must(l.desk.BeginPasskey(t.Context(), in, ownersPassword, "Other"))
		made := newDevice().make(options)
		l.clock.Advance(5 * time.Minute)
		l.code(taken(l.desk.AddPasskey(t.Context(), in, made)), lost.Gone, "added late")
		l.code(taken(l.desk.BeginPasskey(t.Context(), in, "not that one", "Other")), lost.Invalid, "added without the password")

		options = must(l.desk.AskPasskey(t.Context(), from("192.0.2.1")))
		d.unlocked = false
		l.code(enter(d.use(options)), lost.Unauthorized, "a device that lets anybody")
		d.unlocked = true
		l.code(enter(d.use(options)), lost.Gone, "a wrong answer used it up")
		d.origin = "https://hotel.example.phish.example"
		_, err := l.enter(d)
		l.code(err, lost.Unauthorized, "a false page")
		d.origin, d.counter = hotel, 0
		_, err = l.enter(d)
		l.code(err, lost.Forbidden, "a copy")
	})
}

func TestAPasskeyOpensNobodyElse(t *testing.T) {
	eachHotel(t, func(l *lodge) {
		in := l.in()
		other := must(l.desk.CreateAccount(t.Context(), "Other"))
		eve := must(l.desk.CreateUser(t.Context(), other.ID, "eve@other.example", "Eve", ownersPassword))
		eves := must(l.signIn(eve.Email, ownersPassword, from("192.0.2.3")))
		d, p := l.give(in, ownersPassword)
		hers, _ := l.give(eves, ownersPassword)

		if d.handle == hers.handle || d.handle == "" {
			t.Error("both are called the same")
		}
		l.code(taken(l.desk.Passkey(t.Context(), eves, p.ID)), lost.NotFound, "looked at by another")
		l.code(l.desk.RemovePasskey(t.Context(), eves, p.ID, ownersPassword), lost.NotFound, "removed by another")
		l.code(l.desk.RemovePasskeyByOne(t.Context(), eves, p.ID, hers.use(must(l.desk.AskPasskeyAgain(t.Context(), eves)))), lost.NotFound, "removed by another's passkey")

		ben := must(l.desk.CreateMember(t.Context(), l.owner.Account, lost.Membership{Email: "ben@hotel.example", Name: "Ben", Role: lost.AdminRole}, ownersPassword))
		bens := must(l.signIn(ben.Email, ownersPassword, from("192.0.2.3")))
		l.code(l.desk.RemovePasskey(t.Context(), bens, p.ID, ownersPassword), lost.NotFound, "removed by a colleague")

		lying := *hers // which says that it is the owner's
		lying.handle = d.handle
		_, err := l.enter(&lying)
		l.code(err, lost.Unauthorized, "a handle of somebody else's")
		lying = *hers // which says that it is the owner's passkey
		lying.id, lying.handle = d.id, d.handle
		_, err = l.enter(&lying)
		l.code(err, lost.Unauthorized, "another key")

		l.twoStep(in)
		half := must(l.signIn(l.owner.Email, ownersPassword, from("192.0.2.4")))
		_, err = l.desk.SecondStepByPasskey(t.Context(), half, hers.use(must(l.desk.AskPasskeyOf(t.Context(), half))), from("192.0.2.4"))
		l.code(err, lost.Unauthorized, "a second step with another's passkey")
		_, err = l.desk.SecondStepByPasskey(t.Context(), half, hers.use(must(l.desk.AskPasskeyAgain(t.Context(), eves))), from("192.0.2.4"))
		l.code(err, lost.Gone, "a second step with another's challenge")
		_, err = l.desk.SecondStepByPasskey(t.Context(), half, d.use(must(l.desk.AskPasskeyAgain(t.Context(), in))), from("192.0.2.4"))
		l.code(err, lost.Gone, "a second step with what was asked for something else")
		_, err = l.desk.AddPasskey(t.Context(), eves, newDevice().make(must(l.desk.BeginPasskey(t.Context(), in, ownersPassword, "Mine"))))
		l.code(err, lost.Gone, "added to another")

		got, err := l.enter(hers)
		if err != nil || got.User.ID != eve.ID {
			t.Errorf("%v, %v", got.User.ID, err)
		}
		must(l.desk.SetAccountDisabled(t.Context(), other.ID, true))
		_, err = l.enter(hers)
		l.code(err, lost.Unauthorized, "an account that is switched off")
	})
}

// Whoever has lost their phone is helped by those who may change them, and by nobody else.
func TestAColleaguesPasskeysAreRemovedByThoseWhoMay(t *testing.T) {
	eachHotel(t, func(l *lodge) {
		ctx := t.Context()
		admin, clerk := l.member("admin", lost.AdminRole), l.member("clerk", lost.DeskRole)
		ours, _ := l.give(l.in(), ownersPassword)
		theirs, _ := l.give(must(l.signIn(clerk.Email, "a password of clerk", from("192.0.2.1"))), "a password of clerk")
		if n := must(l.desk.Team(ctx, admin.Actor())).Passkeys; n[l.owner.ID] != 1 || n[clerk.ID] != 1 || n[admin.ID] != 0 {
			t.Errorf("the team has %v", n)
		}
		if all := must(l.desk.MemberPasskeys(ctx, admin.Actor(), clerk)); len(all) != 1 {
			t.Errorf("the clerk has %d", len(all))
		}
		_, err := l.desk.MemberPasskeys(ctx, clerk.Actor(), clerk)
		l.code(err, lost.Forbidden, "a clerk looks")
		for who, by := range map[string]lost.User{l.owner.ID: admin, admin.ID: clerk, clerk.ID: clerk} {
			_, err := l.desk.RemoveMemberPasskeys(ctx, by.Actor(), who)
			l.code(err, lost.Forbidden, "who may not")
		}
		must(l.desk.RemoveMemberPasskeys(ctx, admin.Actor(), clerk.ID))
		_, err = l.enter(theirs)
		l.code(err, lost.Unauthorized, "a passkey that was removed")
		if _, err := l.enter(ours); err != nil {
			t.Errorf("a passkey of somebody else: %v", err)
		}
		if got := l.noted(lost.PersonChanged); !slices.Contains(got, "user clerk@hotel.example, desk: passkeys removed") {
			t.Errorf("the log says %q", got)
		}
	})
}
