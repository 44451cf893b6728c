package identity

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// beginAssertion creates a challenge for a passkey of u, or of any user if u is empty. It returns the options for the
// browser.
func (k *Passkeys) beginAssertion(tx *store.Tx, kind lost.ChallengeKind, u lost.User) ([]byte, error) {
	var assertion *protocol.CredentialAssertion
	var session *webauthn.SessionData
	var err error
	if u.ID == "" {
		assertion, session, err = k.party.BeginDiscoverableLogin()
	} else {
		h, problem := holderOf(tx.Context(), tx, u)
		if problem != nil {
			return nil, problem
		}
		if len(h.passkeys) == 0 {
			return nil, lost.Missing("passkey")
		}
		assertion, session, err = k.party.BeginLogin(h)
	}
	if err != nil {
		return nil, fmt.Errorf("start a passkey log-in: %w", err)
	}
	options, err := json.Marshal(assertion.Response)
	if err != nil {
		return nil, fmt.Errorf("start a passkey log-in: %w", err)
	}
	return options, saveChallenge(tx, kind, u, session.Challenge, ceremony{Session: *session})
}

// BeginLogin starts a login with a passkey of any user. It returns the options for the browser.
func (k *Passkeys) BeginLogin(ctx context.Context, from lost.Client) (options []byte, err error) {
	return k.askPasskey(ctx, lost.PasskeyLoginChallenge, lost.User{}, challenges.NewAttempt(from.Address))
}

// BeginSecondStep starts the second step of a login with one of the person's passkeys. It returns the options for the
// browser.
func (k *Passkeys) BeginSecondStep(ctx context.Context, half Session) (options []byte, err error) {
	return k.askPasskey(ctx, lost.PasskeySecondStep, half.User, challenges.NewAttempt(half.User.ID))
}

// BeginConfirmation lets a logged-in person confirm an action with one of their passkeys. It returns the options for
// the browser.
func (k *Passkeys) BeginConfirmation(ctx context.Context, in Session) (options []byte, err error) {
	return k.askPasskey(ctx, lost.PasskeyConfirming, in.User, challenges.NewAttempt(in.User.ID))
}

func (k *Passkeys) askPasskey(ctx context.Context, kind lost.ChallengeKind, u lost.User,
	by access.Attempt) (options []byte, err error) {
	if !k.available {
		return nil, noPasskeys()
	}
	err = k.db.Write(ctx, func(tx *store.Tx) error {
		if err := access.Throttle(tx, by); err != nil {
			return err
		}
		options, err = k.beginAssertion(tx, kind, u)
		return err
	})
	return options, err
}

// assertion is the response from a device, with the challenge that it responds to.
type assertion struct {
	pending ceremony
	parsed  *protocol.ParsedCredentialAssertionData
}

// readAssertion parses the response from a device and deletes its challenge, so that each challenge can be used only
// once.
func (k *Passkeys) readAssertion(ctx context.Context, kind lost.ChallengeKind, u lost.User,
	response []byte) (s assertion, err error) {
	if !k.available {
		return s, noPasskeys()
	}
	if s.parsed, err = protocol.ParseCredentialRequestResponseBytes(response); err != nil {
		return s, invalidResponse(err)
	}
	return s, takeChallenge(ctx, k.db, kind, u, s.parsed.Response.CollectedClientData.Challenge, &s.pending)
}

// usePasskey checks that a response comes from one of the user's passkeys, and records the use of the passkey.
func (k *Passkeys) usePasskey(tx *store.Tx, u lost.User, s assertion) error {
	h, err := holderOf(tx.Context(), tx, u)
	if err != nil {
		return err
	}
	var used *webauthn.Credential
	if len(s.pending.Session.UserID) == 0 {
		_, used, err = k.party.ValidatePasskeyLogin(func(_, _ []byte) (webauthn.User, error) {
			return h, nil
		}, s.pending.Session, s.parsed)
	} else {
		used, err = k.party.ValidateLogin(h, s.pending.Session, s.parsed)
	}
	if err != nil {
		return notYourPasskey().WithCause(err)
	}
	if used.Authenticator.CloneWarning {
		return lost.E(lost.Forbidden,
			"This passkey seems to have been copied. Log in with your password, remove it in your profile and add a "+
				"new one.")
	}
	n := slices.IndexFunc(h.credentials, func(c webauthn.Credential) bool { return string(c.ID) == string(used.ID) })
	p := h.passkeys[n]
	p.UsedAt = tx.Now()
	if p.Credential, err = encodeCredential(*used); err != nil {
		return err
	}
	return tx.SavePasskey(p)
}

func notYourPasskey() *lost.Error {
	return lost.E(lost.Unauthorized, "This passkey is not registered here. Log in with your password.")
}

// SignIn starts a session for the user whose passkey signed the response. No second step is needed, because the
// device has verified its holder.
func (k *Passkeys) SignIn(ctx context.Context, response []byte, lasting bool,
	from lost.Client) (in Session, err error) {
	s, err := k.readAssertion(ctx, lost.PasskeyLoginChallenge, lost.User{}, response)
	if err != nil {
		return in, err
	}
	u, err := k.userByPasskey(ctx, s.parsed.RawID)
	if err != nil {
		return in, err
	}
	err = k.db.Write(ctx, func(tx *store.Tx) error {
		if err := k.usePasskey(tx, u, s); err != nil {
			return err
		}
		if err := access.Forgive(tx, challenges.NewAttempt(from.Address)); err != nil {
			return err
		}
		in, err = k.sessions.admit(tx, u, lasting, from, lost.PasskeyProof)
		return err
	})
	return in, err
}

// userByPasskey returns the user who has the passkey with a credential id. It returns an error if the user or their
// account is disabled.
func (k *Passkeys) userByPasskey(ctx context.Context, name []byte) (u lost.User, err error) {
	e, found, err := k.db.Lookup(ctx, store.PasskeyEntry, store.DirectoryHash(string(name)))
	if err != nil {
		return u, err
	}
	if !found {
		return u, notYourPasskey()
	}
	p, err := k.db.Passkey(ctx, e.Account, e.Subject)
	if err == nil {
		err = access.CheckAccountEnabled(ctx, k.db, e.Account, "user")
	}
	if err == nil {
		u, err = k.db.User(ctx, p.Account, p.UserID)
	}
	if lost.CodeOf(err) == lost.NotFound || err == nil && !u.Active() {
		return u, notYourPasskey()
	}
	return u, err
}

// SecondStepByPasskey completes a login with one of the person's passkeys.
func (k *Passkeys) SecondStepByPasskey(ctx context.Context, half Session, response []byte,
	from lost.Client) (in Session, err error) {
	s, err := k.readAssertion(ctx, lost.PasskeySecondStep, half.User, response)
	if err != nil {
		return in, err
	}
	err = k.db.Write(ctx, func(tx *store.Tx) error {
		if err := k.usePasskey(tx, half.User, s); err != nil {
			return err
		}
		in, err = k.sessions.completeSignIn(tx, half, from, lost.PasskeyProof)
		return err
	})
	return in, err
}
