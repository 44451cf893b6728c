package desk

import (
	"cmp"
	"context"
	"crypto/rand"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// Voucher is a provider with whom people log in instead, and who says who they are. It is met outside transactions.
type Voucher interface {
	Name() string   // what people call it
	Issuer() string // what it calls itself
	Down() bool     // it could not be reached a moment ago
	// Ask gives the address where the person logs in. They come back with the state and a code.
	Ask(ctx context.Context, state, nonce, verifier string) (address string, err error)
	// Hear gives who it is that came back with a code.
	Hear(ctx context.Context, code, nonce, verifier string) (lost.Vouched, error)
}

// VouchedBy is the name of the provider with whom people can log in; empty where there is none. Down tells that it could not be reached
// a moment ago.
func (d *Desk) VouchedBy() (name string, down bool) {
	if d.voucher == nil {
		return "", false
	}
	return d.voucher.Name(), d.voucher.Down()
}

func noVoucher() error { return lost.E(lost.NotFound, "There is nothing at this address.") }

// vouching is what is kept until a person comes back from the provider.
type vouching struct{ Nonce, Verifier, Next string }

// BeginVouched begins a log-in with the provider: the browser keeps the state and goes to the address. Next is where the person wants to go.
func (d *Desk) BeginVouched(ctx context.Context, next string, from lost.Client) (state, address string, err error) {
	if d.voucher == nil {
		return "", "", noVoucher()
	}
	v := vouching{Nonce: rand.Text(), Verifier: rand.Text() + rand.Text(), Next: next}
	state = rand.Text()
	if address, err = d.voucher.Ask(ctx, state, v.Nonce, v.Verifier); err != nil {
		return "", "", err
	}
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		return cmp.Or(take(tx, challenges.of(from.Address)), begin(tx, lost.Vouching, lost.User{}, state, v))
	})
	return state, address, err
}

// EndVouched begins a session for whoever came back from the provider. Nobody becomes a user by that: it lets in whom somebody has invited
// before, first by the address that the provider has verified, and from then on by what it calls them.
func (d *Desk) EndVouched(ctx context.Context, state, code string, from lost.Client) (in Insider, next string, err error) {
	if d.voucher == nil {
		return in, "", noVoucher()
	}
	var begun vouching
	if err := d.answered(ctx, lost.Vouching, lost.User{}, state, &begun); err != nil {
		return in, "", err
	}
	v, err := d.voucher.Hear(ctx, code, begun.Nonce, begun.Verifier)
	if err != nil {
		return in, "", err
	}
	u, err := d.vouchedUser(ctx, v)
	if err != nil {
		return in, "", err
	}
	err = d.db.Write(ctx, func(tx *store.Tx) error {
		if err := cmp.Or(d.introduce(tx, u, v), giveBack(tx, challenges.of(from.Address))); err != nil {
			return err
		}
		in, err = d.admit(tx, u, false, from, lost.VouchedProof)
		return err
	})
	d.nudgeLetters()
	return in, begun.Next, err
}

// vouchedUser finds the user whom the provider means.
func (d *Desk) vouchedUser(ctx context.Context, v lost.Vouched) (u lost.User, err error) {
	i, err := d.db.IdentityBySubject(ctx, v.Issuer, v.Subject)
	switch {
	case err == nil:
		if err = d.enabled(ctx, i.Account, "user"); err == nil {
			u, err = d.db.User(ctx, i.Account, i.UserID)
		}
		err = lost.UnlessMissing(err)
	case lost.CodeOf(err) == lost.NotFound:
		if err = d.mayIntroduce(v); err == nil {
			u, err = d.userByEmail(ctx, v.Email)
		}
	}
	if err != nil {
		return u, err
	}
	if !u.Active() {
		return u, d.notInvited(v)
	}
	return u, nil
}

// mayIntroduce is nil, or why what the provider says of somebody does not tell which user they are.
func (d *Desk) mayIntroduce(v lost.Vouched) error {
	switch {
	case v.Email == "":
		return lost.E(lost.Forbidden, "%s did not tell us your e-mail address, so we do not know who you are. Ask whoever runs it to pass on the address (the scope is called email).", d.voucher.Name())
	case !v.Verified:
		return lost.E(lost.Forbidden, "%s has not verified that %s is your e-mail address. Verify it there, then come back.", d.voucher.Name(), v.Email)
	default:
		return nil
	}
}

func (d *Desk) notInvited(v lost.Vouched) error {
	return lost.E(lost.Forbidden, "Nobody can log in to Homeward as %s. Ask an owner or admin of your team to invite you, or to let you in again.", cmp.Or(v.Email, "you"))
}

// introduce keeps that a user is who the provider means. Once that is known, nobody else whom the provider gives the same address takes
// the user's place.
func (d *Desk) introduce(tx *store.Tx, u lost.User, v lost.Vouched) error {
	if _, err := tx.LockUser(u.Account, u.ID); err != nil {
		return err
	}
	known, err := tx.Identity(tx.Context(), u, v.Issuer)
	switch {
	case err == nil && known.Subject == v.Subject:
		return tx.SeeIdentity(known)
	case err == nil:
		return lost.E(lost.Forbidden, "The user with the address %s is linked to somebody else at %s. If that was you, log in with your password and undo the link in your profile.", u.Email, d.voucher.Name())
	case lost.CodeOf(err) != lost.NotFound:
		return err
	}
	return cmp.Or(tx.InsertIdentity(lost.NewIdentity(u, v, tx.Now())), tell(tx, u, IdentityLinked, u.Email),
		audit(tx, u.Actor(), lost.PersonChanged, u.ID, changedTo(u, "linked to "+d.voucher.Name())))
}

// Identity gives who a person is at the provider; NotFound where that is not known.
func (d *Desk) Identity(ctx context.Context, in Insider) (lost.Identity, error) {
	if d.voucher == nil {
		return lost.Identity{}, lost.Missing("identity")
	}
	return d.db.Identity(ctx, in.User, d.voucher.Issuer())
}

// Unlink has the provider's word for a person count no more, who shows once more that they know their password.
func (d *Desk) Unlink(ctx context.Context, in Insider, password string) error {
	if d.voucher == nil {
		return noVoucher()
	}
	return d.confirmed(ctx, in, password, func(tx *store.Tx, u lost.User) error {
		i, err := tx.Identity(tx.Context(), u, d.voucher.Issuer())
		if err != nil {
			return lost.UnlessMissing(err)
		}
		return cmp.Or(tx.DeleteIdentity(i), audit(tx, u.Actor(), lost.PersonChanged, u.ID, changedTo(u, "link to "+d.voucher.Name()+" undone")))
	})
}
