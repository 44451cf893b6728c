package identity

import (
	"cmp"
	"context"
	"crypto/rand"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/store"
)

// ExternalLogin logs people in through an identity provider.
type ExternalLogin struct {
	db           *store.DB
	provider     IdentityProvider
	sessions     *Sessions
	wakeMessages func()
}

// ExternalLoginOptions are the dependencies of ExternalLogin.
type ExternalLoginOptions struct {
	DB           *store.DB
	Provider     IdentityProvider
	Sessions     *Sessions
	WakeMessages func()
}

// NewExternalLogin creates ExternalLogin.
func NewExternalLogin(o ExternalLoginOptions) *ExternalLogin {
	return &ExternalLogin{
		db: o.DB, provider: o.Provider, sessions: o.Sessions, wakeMessages: o.WakeMessages,
	}
}

// IdentityProvider is an OpenID Connect provider through which people log in. It is called outside transactions.
type IdentityProvider interface {
	Name() string   // display name
	Issuer() string // issuer identifier
	Down() bool     // whether the last call failed to reach the provider
	// AuthURL returns the URL where the person logs in. The provider then redirects them back with the state and a
	// code.
	AuthURL(ctx context.Context, state, nonce, verifier string) (address string, err error)
	// Exchange returns the identity of the person whom the provider redirected back with the code.
	Exchange(ctx context.Context, code, nonce, verifier string) (lost.ProviderIdentity, error)
}

// Provider returns the name of the identity provider, or "" if there is none. down is true if the last call failed to
// reach the provider.
func (e *ExternalLogin) Provider() (name string, down bool) {
	return e.provider.Name(), e.provider.Down()
}

// NoProvider is the IdentityProvider that is used if external login is not set up.
type NoProvider struct{}

// Name returns "".
func (NoProvider) Name() string { return "" }

// Issuer returns "".
func (NoProvider) Issuer() string { return "" }

// Down returns false.
func (NoProvider) Down() bool { return false }

// AuthURL returns an error.
func (NoProvider) AuthURL(context.Context, string, string, string) (string, error) {
	return "", notConfigured()
}

// Exchange returns an error.
func (NoProvider) Exchange(context.Context, string, string, string) (lost.ProviderIdentity, error) {
	return lost.ProviderIdentity{}, notConfigured()
}

// configured reports whether there is a provider.
func (e *ExternalLogin) configured() bool { return e.provider.Issuer() != "" }

func notConfigured() error { return lost.E(lost.NotFound, "There is nothing at this address.") }

// pendingLogin is the data that is saved until the provider redirects the person back.
type pendingLogin struct {
	Nonce, Verifier, Next string
	Link                  string // id of the logged-in user who connects the provider; empty for a login
}

// Begin starts an external login. It returns the state, which the browser must store, and the URL that the browser
// must open. next is the page to open after the login. If in is the session of a user, the user is not logged in again
// but connected to the provider.
func (e *ExternalLogin) Begin(ctx context.Context, in Session, next string,
	from lost.Client) (state, address string, err error) {
	if !e.configured() {
		return "", "", notConfigured()
	}
	v := pendingLogin{Nonce: rand.Text(), Verifier: rand.Text() + rand.Text(), Next: next, Link: in.User.ID}
	state = rand.Text()
	if address, err = e.provider.AuthURL(ctx, state, v.Nonce, v.Verifier); err != nil {
		return "", "", err
	}
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		if err := access.Throttle(tx, challenges.NewAttempt(from.Address)); err != nil {
			return err
		}
		return saveChallenge(tx, lost.ExternalLoginChallenge, lost.User{}, state, v)
	})
	return state, address, err
}

// Finish starts a session for a person whom the provider redirected back. It never creates users. At the first login,
// it finds the existing user by the verified e-mail address, and from then on by the identifier that the provider has
// for the person. If Begin was called with the session present, it connects that user instead and returns no session.
func (e *ExternalLogin) Finish(ctx context.Context, present Session, state, code string,
	from lost.Client) (in Session, next string, err error) {
	if !e.configured() {
		return in, "", notConfigured()
	}
	var pending pendingLogin
	if err := takeChallenge(ctx, e.db, lost.ExternalLoginChallenge, lost.User{}, state, &pending); err != nil {
		return in, "", err
	}
	v, err := e.provider.Exchange(ctx, code, pending.Nonce, pending.Verifier)
	if err != nil {
		return in, "", err
	}
	if pending.Link != "" {
		return in, pending.Next, e.connect(ctx, present, pending.Link, v, from)
	}
	u, err := e.userByIdentity(ctx, v)
	if err != nil {
		return in, "", err
	}
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		if err := e.linkIdentity(tx, u, v, from); err != nil {
			return err
		}
		if err := access.Forgive(tx, challenges.NewAttempt(from.Address)); err != nil {
			return err
		}
		in, err = e.sessions.admit(tx, u, false, from, lost.ProviderProof)
		return err
	})
	e.wakeMessages()
	return in, pending.Next, err
}

// connect links the logged-in user to an identity at the provider that has the same e-mail address. This also proves
// that the address is theirs.
func (e *ExternalLogin) connect(ctx context.Context, in Session, user string, v lost.ProviderIdentity,
	from lost.Client) error {
	if in.User.ID != user {
		return lost.E(lost.Conflict, "You are no longer logged in as the same user. Log in and start again.")
	}
	if err := e.checkIdentity(v); err != nil {
		return err
	}
	if lost.EmailKey(v.Email) != lost.EmailKey(in.User.Email) {
		return lost.E(lost.Forbidden, "At %s your address is %s, but here it is %s. Change it in your profile first.",
			e.provider.Name(), v.Email, in.User.Email)
	}
	err := e.db.Write(ctx, func(tx *store.Tx) error {
		u, err := tx.LockUser(in.User.Account, in.User.ID)
		if err != nil {
			return err
		}
		if err := access.Forgive(tx, challenges.NewAttempt(from.Address)); err != nil {
			return err
		}
		if err := e.linkIdentity(tx, u, v, from); err != nil || !u.VerifiedAt.IsZero() {
			return err
		}
		u.VerifiedAt = tx.Now()
		if err := yieldAddress(tx, u); err != nil {
			return err
		}
		if err := tx.ClaimEmail(u); err != nil {
			return err
		}
		return tx.SaveUser(u)
	})
	e.wakeMessages()
	return err
}

// userByIdentity returns the user that an identity at the provider belongs to.
func (e *ExternalLogin) userByIdentity(ctx context.Context, v lost.ProviderIdentity) (u lost.User, err error) {
	i, err := e.db.IdentityBySubject(ctx, v.Issuer, v.Subject)
	switch {
	case err == nil:
		if err = access.CheckAccountEnabled(ctx, e.db, i.Account, "user"); err == nil {
			u, err = e.db.User(ctx, i.Account, i.UserID)
		}
		err = lost.IgnoreNotFound(err)
	case lost.CodeOf(err) == lost.NotFound:
		if err = e.checkIdentity(v); err == nil {
			u, err = e.sessions.userByEmail(ctx, v.Email)
		}
		if err == nil && u.Active() && u.VerifiedAt.IsZero() {
			err = e.notVerified(v)
		}
	}
	if err != nil {
		return u, err
	}
	if !u.Active() {
		return u, e.notInvited(v)
	}
	return u, nil
}

// checkIdentity returns an error if the identity has no verified e-mail address.
func (e *ExternalLogin) checkIdentity(v lost.ProviderIdentity) error {
	switch {
	case v.Email == "":
		return lost.E(lost.Forbidden,
			"%s did not share your e-mail address, so we do not know who you are. Ask its administrator to share "+
				"the address (the scope is called email).", e.provider.Name())
	case !v.Verified:
		return lost.E(lost.Forbidden,
			"%s has not verified that %s is your e-mail address. Verify it there, then come back.", e.provider.Name(),
			v.Email)
	default:
		return nil
	}
}

// notVerified returns the error for a user who was invited with a link that was not sent to their address. Somebody
// else may have used the link and chosen the password, so the person must not be logged in to that account.
func (e *ExternalLogin) notVerified(v lost.ProviderIdentity) error {
	return lost.E(lost.Forbidden,
		"Nobody has confirmed yet that the Homeward user %s is you. Log in with your password, then connect %s in "+
			"your profile.", v.Email, e.provider.Name())
}

func (e *ExternalLogin) notInvited(v lost.ProviderIdentity) error {
	return lost.E(lost.Forbidden,
		"%s cannot log in to Homeward. Ask an owner or admin of your team to invite you or unblock you.",
		cmp.Or(v.Email, "This user"))
}

// linkIdentity links a user to an identity at the provider. From then on, another identity with the same e-mail
// address cannot log in as this user.
func (e *ExternalLogin) linkIdentity(tx *store.Tx, u lost.User, v lost.ProviderIdentity, from lost.Client) error {
	if _, err := tx.LockUser(u.Account, u.ID); err != nil {
		return err
	}
	linked, err := tx.Identity(tx.Context(), u, v.Issuer)
	switch {
	case err == nil && linked.Subject == v.Subject:
		return tx.TouchIdentity(linked)
	case err == nil:
		return lost.E(lost.Forbidden,
			"%s is already linked to another user at %s. If that was you, log in with your "+
				"password and remove the link in your profile.", u.Email, e.provider.Name())
	case lost.CodeOf(err) != lost.NotFound:
		return err
	}
	if err := tx.InsertIdentity(lost.NewIdentity(u, v, tx.Now())); err != nil {
		return err
	}
	if err := notifyUser(tx, u, IdentityLinked, u.Email); err != nil {
		return err
	}
	return access.Audit(tx, u.Actor().WithAddress(from.Address), lost.PersonChanged, u.ID,
		auditNote(u, "linked to "+e.provider.Name()))
}

// Identity returns a person's linked identity at the provider. The error is NotFound if there is none.
func (e *ExternalLogin) Identity(ctx context.Context, in Session) (lost.Identity, error) {
	if !e.configured() {
		return lost.Identity{}, lost.Missing("identity")
	}
	return e.db.Identity(ctx, in.User, e.provider.Issuer())
}

// Unlink removes the link to the provider. It returns an error if the password is wrong.
func (e *ExternalLogin) Unlink(ctx context.Context, in Session, password string) error {
	if !e.configured() {
		return notConfigured()
	}
	return e.sessions.withPassword(ctx, in, password, func(tx *store.Tx, u lost.User) error {
		i, err := tx.Identity(tx.Context(), u, e.provider.Issuer())
		if err != nil {
			return lost.IgnoreNotFound(err)
		}
		if err := tx.DeleteIdentity(i); err != nil {
			return err
		}
		if err := notifyUser(tx, u, IdentityUnlinked, u.Email); err != nil {
			return err
		}
		return access.Audit(tx, in.actorFor(u), lost.PersonChanged, u.ID,
			auditNote(u, "link to "+e.provider.Name()+" removed"))
	})
}
