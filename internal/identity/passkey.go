package identity

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// Passkeys manages passkeys and logs people in with them.
type Passkeys struct {
	party        *webauthn.WebAuthn
	available    bool // whether browsers allow passkeys at the service's base URL
	db           *store.DB
	sessions     *Sessions
	wakeMessages func()
}

// PasskeysOptions are the dependencies of Passkeys.
type PasskeysOptions struct {
	BaseURL      string
	DB           *store.DB
	Sessions     *Sessions
	WakeMessages func()
}

// NewPasskeys creates Passkeys.
func NewPasskeys(o PasskeysOptions) *Passkeys {
	party, available := relyingParty(o.BaseURL)
	return &Passkeys{
		party: party, available: available,
		db: o.DB, sessions: o.Sessions, wakeMessages: o.WakeMessages,
	}
}

// relyingParty returns the WebAuthn relying party for the service's base URL. Browsers allow passkeys only for HTTPS
// with a domain name, or for localhost; for other URLs, available is false.
func relyingParty(base string) (party *webauthn.WebAuthn, available bool) {
	none := &webauthn.WebAuthn{}
	at, err := url.Parse(base)
	if err != nil {
		return none, false
	}
	host := at.Hostname()
	local := host == "localhost" || strings.HasSuffix(host, ".localhost")
	if host == "" || net.ParseIP(host) != nil || at.Scheme != "https" && !local {
		return none, false
	}
	party, err = webauthn.New(&webauthn.Config{
		RPID: host, RPDisplayName: "Homeward", RPOrigins: []string{at.Scheme + "://" + at.Host},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, UserVerification: protocol.VerificationRequired,
		},
		// Some passkey managers send extensions that were not requested. These are ignored.
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
	if err != nil {
		return none, false
	}
	return party, true
}

// Available reports whether people can log in with passkeys, which depends on the service's base URL.
func (k *Passkeys) Available() bool { return k.available }

func noPasskeys() error {
	return lost.E(lost.Conflict, "Passkeys need a domain name and HTTPS. Log in with your password.")
}

// List lists a person's passkeys, oldest first.
func (k *Passkeys) List(ctx context.Context, in Session) ([]lost.Passkey, error) {
	return k.db.Passkeys(ctx, in.User)
}

// Get returns one of a person's own passkeys.
func (k *Passkeys) Get(ctx context.Context, in Session, id string) (lost.Passkey, error) {
	return ownPasskey(ctx, k.db, in.User, id)
}

func ownPasskey(ctx context.Context, from passkeyReader, u lost.User, id string) (lost.Passkey, error) {
	p, err := from.Passkey(ctx, u.Account, id)
	if err == nil && p.UserID != u.ID {
		return lost.Passkey{}, lost.Missing("passkey")
	}
	return p, err
}

// passkeyReader reads passkeys. It is a database or a transaction.
type passkeyReader interface {
	Passkey(ctx context.Context, account, id string) (lost.Passkey, error)
	Passkeys(ctx context.Context, u lost.User) ([]lost.Passkey, error)
	PasskeyHandle(u lost.User) (string, error)
}

// keyHolder implements webauthn.User for a user.
type keyHolder struct {
	user        lost.User
	handle      string
	passkeys    []lost.Passkey
	credentials []webauthn.Credential // credentials[n] is the credential of passkeys[n]
}

func (h *keyHolder) WebAuthnID() []byte { return []byte(h.handle) }

func (h *keyHolder) WebAuthnName() string { return h.user.Email }

func (h *keyHolder) WebAuthnDisplayName() string { return cmp.Or(h.user.Name, h.user.Email) }

func (h *keyHolder) WebAuthnCredentials() []webauthn.Credential { return h.credentials }

func holderOf(ctx context.Context, from passkeyReader, u lost.User) (h *keyHolder, err error) {
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

// ceremony is the WebAuthn state that is saved until a device responds.
type ceremony struct {
	Session webauthn.SessionData
	Name    string // the name of the passkey, if one is being added
}

// BeginPasskey starts adding a passkey, and returns the options for the browser. It returns an error if the password
// is wrong.
func (k *Passkeys) BeginPasskey(ctx context.Context, in Session, password, name string) (options []byte, err error) {
	if !k.available {
		return nil, noPasskeys()
	}
	if name, err = lost.CheckPasskeyName(name); err != nil {
		return nil, err
	}
	err = k.sessions.withPassword(ctx, in, password, func(tx *store.Tx, u lost.User) error {
		h, err := holderOf(tx.Context(), tx, u)
		if err != nil {
			return err
		}
		if len(h.passkeys) >= lost.MaxPasskeys {
			return lost.TooManyPasskeysError()
		}
		creation, session, err := k.party.BeginRegistration(h,
			webauthn.WithExclusions(webauthn.Credentials(h.credentials).CredentialDescriptors()))
		if err != nil {
			return fmt.Errorf("start adding a passkey: %w", err)
		}
		if options, err = json.Marshal(creation.Response); err != nil {
			return fmt.Errorf("start adding a passkey: %w", err)
		}
		return saveChallenge(tx, lost.PasskeyAdding, u, session.Challenge, ceremony{*session, name})
	})
	return options, err
}

// AddPasskey saves the passkey that a person's device has created, and ends the person's other sessions.
func (k *Passkeys) AddPasskey(ctx context.Context, in Session, response []byte) (p lost.Passkey, err error) {
	if !k.available {
		return p, noPasskeys()
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(response)
	if err != nil {
		return p, invalidResponse(err)
	}
	var pending ceremony
	if err := takeChallenge(ctx, k.db, lost.PasskeyAdding, in.User, parsed.Response.CollectedClientData.Challenge,
		&pending); err != nil {
		return p, err
	}
	err = k.db.Write(ctx, func(tx *store.Tx) error {
		u, err := tx.LockUser(in.User.Account, in.User.ID)
		if err != nil {
			return err
		}
		if p, err = k.addPasskey(tx, u, pending, parsed); err != nil {
			return err
		}
		if err := notifyUser(tx, u, PasskeyAdded, u.Email); err != nil {
			return err
		}
		return in.endOthers(tx, u, "passkey added")
	})
	k.wakeMessages()
	return p, err
}

func (k *Passkeys) addPasskey(tx *store.Tx, u lost.User, pending ceremony,
	parsed *protocol.ParsedCredentialCreationData) (p lost.Passkey, err error) {
	h, err := holderOf(tx.Context(), tx, u)
	if err != nil {
		return p, err
	}
	if len(h.passkeys) >= lost.MaxPasskeys {
		return p, lost.TooManyPasskeysError()
	}
	credential, err := k.party.CreateCredential(h, pending.Session, parsed)
	if err != nil {
		return p, invalidResponse(err)
	}
	hash := store.DirectoryHash(string(credential.ID))
	if _, taken, err := tx.Lookup(tx.Context(), store.PasskeyEntry, hash); err != nil || taken {
		if err != nil {
			return p, err
		}
		return p, lost.E(lost.Conflict, "This passkey is already in use.")
	}
	stored, err := encodeCredential(*credential)
	if err != nil {
		return p, err
	}
	p = lost.NewPasskey(u, pending.Name, stored, tx.Now())
	return p, tx.InsertPasskey(p, hash)
}

// encodeCredential returns the JSON in which a credential is stored. It omits the manufacturer's attestation, which
// was not requested.
func encodeCredential(c webauthn.Credential) (string, error) {
	c.Attestation = webauthn.CredentialAttestation{}
	text, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("encode a passkey: %w", err)
	}
	return string(text), nil
}

// invalidResponse returns the error for a response from a device that is malformed or does not match the challenge.
func invalidResponse(cause error) error {
	return lost.E(lost.Unreadable, "Your device sent an unexpected response. Start again.").WithCause(cause)
}

// RemovePasskey removes one of a person's passkeys. It returns an error if the password is wrong.
func (k *Passkeys) RemovePasskey(ctx context.Context, in Session, id, password string) error {
	return k.sessions.withPassword(ctx, in, password, func(tx *store.Tx, u lost.User) error {
		return removePasskey(tx, u, id, in.Address)
	})
}

// RemoveConfirmedByPasskey removes one of a person's passkeys. It returns an error unless response, from the person's
// device, confirms the removal with one of their passkeys.
func (k *Passkeys) RemoveConfirmedByPasskey(ctx context.Context, in Session, id string, response []byte) error {
	s, err := k.readAssertion(ctx, lost.PasskeyConfirming, in.User, response)
	if err != nil {
		return err
	}
	err = k.db.Write(ctx, func(tx *store.Tx) error {
		u, err := tx.LockUser(in.User.Account, in.User.ID)
		if err != nil {
			return err
		}
		if err := k.usePasskey(tx, u, s); err != nil {
			return err
		}
		return removePasskey(tx, u, id, in.Address)
	})
	k.wakeMessages()
	return err
}

// removePasskey removes one of a user's passkeys, for a client with the given address.
func removePasskey(tx *store.Tx, u lost.User, id, address string) error {
	p, err := ownPasskey(tx.Context(), tx, u, id)
	if err != nil {
		return err
	}
	if err := tx.DeletePasskey(p); err != nil {
		return err
	}
	if err := notifyUser(tx, u, PasskeyRemoved, u.Email); err != nil {
		return err
	}
	return access.Audit(tx, u.Actor().WithAddress(address), lost.PersonChanged, u.ID, auditNote(u, "passkey removed"))
}

// deletePasskeys deletes all passkeys of a user.
func deletePasskeys(tx *store.Tx, u lost.User) error {
	all, err := tx.Passkeys(tx.Context(), u)
	if err != nil {
		return err
	}
	for _, p := range all {
		if err := tx.DeletePasskey(p); err != nil {
			return err
		}
	}
	return nil
}
