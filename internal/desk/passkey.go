package desk

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// relyingParty checks what devices answer on the service's address. Browsers use passkeys with a name and TLS alone, or on the same
// machine; nil elsewhere.
func relyingParty(base string) *webauthn.WebAuthn {
	at, err := url.Parse(base)
	if err != nil {
		return nil
	}
	host := at.Hostname()
	local := host == "localhost" || strings.HasSuffix(host, ".localhost")
	if host == "" || net.ParseIP(host) != nil || at.Scheme != "https" && !local {
		return nil
	}
	party, err := webauthn.New(&webauthn.Config{
		RPID: host, RPDisplayName: "Homeward", RPOrigins: []string{at.Scheme + "://" + at.Host}, AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{ResidentKey: protocol.ResidentKeyRequirementRequired, UserVerification: protocol.VerificationRequired},
		// Some programs that keep passkeys say more than they were asked.
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
	if err != nil {
		return nil
	}
	return party
}

// TakesPasskeys tells whether people can log in with passkeys, which depends on the service's address.
func (d *Desk) TakesPasskeys() bool { return d.party != nil }

func noPasskeys() error {
	return lost.E(lost.Conflict, "Passkeys need an address with a name and TLS. Log in with your password.")
}

// Passkeys lists a person's passkeys, the oldest first.
func (d *Desk) Passkeys(ctx context.Context, in Insider) ([]lost.Passkey, error) {
	return d.db.Passkeys(ctx, in.User)
}

// Passkey gives one of a person's own passkeys.
func (d *Desk) Passkey(ctx context.Context, in Insider, id string) (lost.Passkey, error) {
	return ownPasskey(ctx, d.db, in.User, id)
}

func ownPasskey(ctx context.Context, from keyRack, u lost.User, id string) (lost.Passkey, error) {
	p, err := from.Passkey(ctx, u.Account, id)
	if err == nil && p.UserID != u.ID {
		return lost.Passkey{}, lost.Missing("passkey")
	}
	return p, err
}

// keyRack is where passkeys are read from: the database, or a transaction.
type keyRack interface {
	Passkey(ctx context.Context, account, id string) (lost.Passkey, error)
	Passkeys(ctx context.Context, u lost.User) ([]lost.Passkey, error)
	PasskeyHandle(u lost.User) (string, error)
}

// keyHolder is a user as what checks answers knows them.
type keyHolder struct {
	user        lost.User
	handle      string
	passkeys    []lost.Passkey
	credentials []webauthn.Credential // of the passkeys, in their order
}

func (h *keyHolder) WebAuthnID() []byte                         { return []byte(h.handle) }
func (h *keyHolder) WebAuthnName() string                       { return h.user.Email }
func (h *keyHolder) WebAuthnDisplayName() string                { return cmp.Or(h.user.Name, h.user.Email) }
func (h *keyHolder) WebAuthnCredentials() []webauthn.Credential { return h.credentials }

func holderOf(ctx context.Context, from keyRack, u lost.User) (h *keyHolder, err error) {
	h = &keyHolder{user: u}
	if h.handle, err = from.PasskeyHandle(u); err != nil {
		return nil, err
	}
	if h.passkeys, err = from.Passkeys(ctx, u); err != nil {
		return nil, err
	}
	h.credentials = make([]webauthn.Credential, len(h.passkeys))
	for n, p := range h.passkeys {
		if err := json.Unmarshal([]byte(p.Credential), &h.credentials[n]); err != nil {
			return nil, fmt.Errorf("read a passkey: %w", err)
		}
	}
	return h, nil
}

// ceremony is what is kept until a device answers.
type ceremony struct {
	Session webauthn.SessionData
	Name    string // of the passkey that is being added
}

// BeginPasskey begins to add a passkey of a name for a person who shows once more that they know their password, and gives what
// their browser is to be asked.
func (d *Desk) BeginPasskey(ctx context.Context, in Insider, password, name string) (options []byte, err error) {
	if d.party == nil {
		return nil, noPasskeys()
	}
	if name, err = lost.CheckPasskeyName(name); err != nil {
		return nil, err
	}
	err = d.confirmed(ctx, in, password, func(tx *store.Tx, u lost.User) error {
		h, err := holderOf(tx.Context(), tx, u)
		if err != nil {
			return err
		}
		if len(h.passkeys) >= lost.MaxPasskeys {
			return lost.TooManyPasskeys()
		}
		creation, session, err := d.party.BeginRegistration(h, webauthn.WithExclusions(webauthn.Credentials(h.credentials).CredentialDescriptors()))
		if err != nil {
			return fmt.Errorf("begin to add a passkey: %w", err)
		}
		if options, err = json.Marshal(creation.Response); err != nil {
			return fmt.Errorf("begin to add a passkey: %w", err)
		}
		return begin(tx, lost.PasskeyAdding, u, session.Challenge, ceremony{*session, name})
	})
	return options, err
}

// AddPasskey adds the passkey that a person's device has made.
func (d *Desk) AddPasskey(ctx context.Context, in Insider, answer []byte) (p lost.Passkey, err error) {
	if d.party == nil {
		return p, noPasskeys()
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return p, notUnderstood(err)
	}
	var begun ceremony
	if err := d.answered(ctx, lost.PasskeyAdding, in.User, parsed.Response.CollectedClientData.Challenge, &begun); err != nil {
		return p, err
	}
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		u, err := tx.LockUser(in.User.Account, in.User.ID)
		if err != nil {
			return err
		}
		if p, err = d.addPasskey(tx, u, begun, parsed); err != nil {
			return err
		}
		return cmp.Or(tell(tx, u, PasskeyAdded, u.Email), audit(tx, u.Actor(), lost.PersonChanged, u.ID, changedTo(u, "passkey added")))
	})
	d.nudgeLetters()
	return p, err
}

func (d *Desk) addPasskey(tx *store.Tx, u lost.User, begun ceremony, parsed *protocol.ParsedCredentialCreationData) (p lost.Passkey, err error) {
	h, err := holderOf(tx.Context(), tx, u)
	if err != nil {
		return p, err
	}
	if len(h.passkeys) >= lost.MaxPasskeys {
		return p, lost.TooManyPasskeys()
	}
	made, err := d.party.CreateCredential(h, begun.Session, parsed)
	if err != nil {
		return p, notUnderstood(err)
	}
	hash := store.DirectoryHash(string(made.ID))
	if _, taken, err := tx.Lookup(tx.Context(), store.PasskeyEntry, hash); err != nil || taken {
		return p, cmp.Or(err, error(lost.E(lost.Conflict, "This passkey is in use already.")))
	}
	kept, err := keptCredential(*made)
	if err != nil {
		return p, err
	}
	p = lost.NewPasskey(u, begun.Name, kept, tx.Now())
	return p, tx.InsertPasskey(p, hash)
}

// keptCredential is what is kept of a credential: not what its maker says of the device, which nobody asked for.
func keptCredential(c webauthn.Credential) (string, error) {
	c.Attestation = webauthn.CredentialAttestation{}
	text, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("keep a passkey: %w", err)
	}
	return string(text), nil
}

// notUnderstood is the answer to what no device says of its own accord, and to what does not fit.
func notUnderstood(cause error) error {
	return lost.E(lost.Unreadable, "What your device answered does not fit. Begin again.").Because(cause)
}

// asked begins a log-in with any of a user's passkeys, or with anybody's, and gives what the browser is to be asked.
func (d *Desk) asked(tx *store.Tx, kind lost.ChallengeKind, u lost.User) ([]byte, error) {
	var assertion *protocol.CredentialAssertion
	var session *webauthn.SessionData
	var err error
	if u.ID == "" {
		assertion, session, err = d.party.BeginDiscoverableLogin()
	} else {
		h, problem := holderOf(tx.Context(), tx, u)
		if problem != nil {
			return nil, problem
		}
		if len(h.passkeys) == 0 {
			return nil, lost.Missing("passkey")
		}
		assertion, session, err = d.party.BeginLogin(h)
	}
	if err != nil {
		return nil, fmt.Errorf("begin to use a passkey: %w", err)
	}
	options, err := json.Marshal(assertion.Response)
	if err != nil {
		return nil, fmt.Errorf("begin to use a passkey: %w", err)
	}
	return options, begin(tx, kind, u, session.Challenge, ceremony{Session: *session})
}

// AskPasskey begins a log-in with a passkey, for somebody of whom nothing is known yet.
func (d *Desk) AskPasskey(ctx context.Context, from lost.Client) (options []byte, err error) {
	return d.askPasskey(ctx, lost.PasskeyEntering, lost.User{}, challenges.of(from.Address))
}

// AskPasskeyOf begins the second step of a log-in with one of the person's passkeys.
func (d *Desk) AskPasskeyOf(ctx context.Context, half Insider) (options []byte, err error) {
	return d.askPasskey(ctx, lost.PasskeySecondStep, half.User, challenges.of(half.User.ID))
}

// AskPasskeyAgain begins to have a person who is in confirm something with one of their passkeys.
func (d *Desk) AskPasskeyAgain(ctx context.Context, in Insider) (options []byte, err error) {
	return d.askPasskey(ctx, lost.PasskeyConfirming, in.User, challenges.of(in.User.ID))
}

func (d *Desk) askPasskey(ctx context.Context, kind lost.ChallengeKind, u lost.User, by turn) (options []byte, err error) {
	if d.party == nil {
		return nil, noPasskeys()
	}
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		if err := take(tx, by); err != nil {
			return err
		}
		options, err = d.asked(tx, kind, u)
		return err
	})
	return options, err
}

// shown is what a device has answered, with what it is held against.
type shown struct {
	begun  ceremony
	parsed *protocol.ParsedCredentialAssertionData
}

// heard reads what a device has answered, once.
func (d *Desk) heard(ctx context.Context, kind lost.ChallengeKind, u lost.User, answer []byte) (s shown, err error) {
	if d.party == nil {
		return s, noPasskeys()
	}
	if s.parsed, err = protocol.ParseCredentialRequestResponseBytes(answer); err != nil {
		return s, notUnderstood(err)
	}
	return s, d.answered(ctx, kind, u, s.parsed.Response.CollectedClientData.Challenge, &s.begun)
}

// usePasskey is nil when a user's passkey has given the answer, and keeps that it was used.
func (d *Desk) usePasskey(tx *store.Tx, u lost.User, s shown) error {
	h, err := holderOf(tx.Context(), tx, u)
	if err != nil {
		return err
	}
	var used *webauthn.Credential
	if len(s.begun.Session.UserID) == 0 {
		_, used, err = d.party.ValidatePasskeyLogin(func(_, _ []byte) (webauthn.User, error) { return h, nil }, s.begun.Session, s.parsed)
	} else {
		used, err = d.party.ValidateLogin(h, s.begun.Session, s.parsed)
	}
	if err != nil {
		return notYourPasskey().Because(err)
	}
	if used.Authenticator.CloneWarning {
		return lost.E(lost.Forbidden, "This passkey seems to have been copied. Log in with your password, remove it in your profile and add a new one.")
	}
	n := slices.IndexFunc(h.credentials, func(c webauthn.Credential) bool { return string(c.ID) == string(used.ID) })
	p := h.passkeys[n]
	p.UsedAt = tx.Now()
	if p.Credential, err = keptCredential(*used); err != nil {
		return err
	}
	return tx.SavePasskey(p)
}

func notYourPasskey() *lost.Error {
	return lost.E(lost.Unauthorized, "This passkey opens nothing here, or does so no more. Log in with your password.")
}

// EnterByPasskey begins a session for whoever has a passkey. It is enough by itself: the device has made sure who holds it.
func (d *Desk) EnterByPasskey(ctx context.Context, answer []byte, lasting bool, from lost.Client) (in Insider, err error) {
	s, err := d.heard(ctx, lost.PasskeyEntering, lost.User{}, answer)
	if err != nil {
		return in, err
	}
	u, err := d.userByPasskey(ctx, s.parsed.RawID)
	if err != nil {
		return in, err
	}
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		if err := cmp.Or(d.usePasskey(tx, u, s), giveBack(tx, challenges.of(from.Address))); err != nil {
			return err
		}
		in, err = d.admit(tx, u, lasting, from, lost.PasskeyProof)
		return err
	})
	return in, err
}

// userByPasskey finds whose passkey it is that a device names, unless they or their account are kept out.
func (d *Desk) userByPasskey(ctx context.Context, name []byte) (u lost.User, err error) {
	e, found, err := d.db.Lookup(ctx, store.PasskeyEntry, store.DirectoryHash(string(name)))
	if err != nil {
		return u, err
	}
	if !found {
		return u, notYourPasskey()
	}
	p, err := d.db.Passkey(ctx, e.Account, e.Subject)
	if err == nil {
		err = d.enabled(ctx, e.Account, "user")
	}
	if err == nil {
		u, err = d.db.User(ctx, p.Account, p.UserID)
	}
	if lost.CodeOf(err) == lost.NotFound || err == nil && !u.Active() {
		return u, notYourPasskey()
	}
	return u, err
}

// SecondStepByPasskey finishes a log-in with one of the person's passkeys.
func (d *Desk) SecondStepByPasskey(ctx context.Context, half Insider, answer []byte, from lost.Client) (in Insider, err error) {
	s, err := d.heard(ctx, lost.PasskeySecondStep, half.User, answer)
	if err != nil {
		return in, err
	}
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		if err := d.usePasskey(tx, half.User, s); err != nil {
			return err
		}
		in, err = d.pass(tx, half, from, lost.PasskeyProof)
		return err
	})
	return in, err
}

// RemovePasskey removes one of a person's passkeys, who shows once more that they know their password.
func (d *Desk) RemovePasskey(ctx context.Context, in Insider, id, password string) error {
	return d.confirmed(ctx, in, password, func(tx *store.Tx, u lost.User) error { return removePasskey(tx, u, id) })
}

// RemovePasskeyByOne removes one of a person's passkeys, who shows that they have one.
func (d *Desk) RemovePasskeyByOne(ctx context.Context, in Insider, id string, answer []byte) error {
	s, err := d.heard(ctx, lost.PasskeyConfirming, in.User, answer)
	if err != nil {
		return err
	}
	return d.db.Write(ctx, func(tx *store.Tx) error {
		u, err := tx.LockUser(in.User.Account, in.User.ID)
		if err != nil {
			return err
		}
		if err := d.usePasskey(tx, u, s); err != nil {
			return err
		}
		return removePasskey(tx, u, id)
	})
}

func removePasskey(tx *store.Tx, u lost.User, id string) error {
	p, err := ownPasskey(tx.Context(), tx, u, id)
	if err != nil {
		return err
	}
	return cmp.Or(tx.DeletePasskey(p), audit(tx, u.Actor(), lost.PersonChanged, u.ID, changedTo(u, "passkey removed")))
}
