package outbox

import (
	"context"
	"fmt"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/tracing"
)

// sendTicket e-mails a single-use link. If e-mail is not set up, it does nothing: the inviting user sees the
// invitation link on a page, and a password reset link is not shown to anyone.
func (o *Outbox) sendTicket(ctx context.Context, job store.Job) error {
	t, err := o.db.Ticket(ctx, job.Account, job.Payload)
	if err != nil {
		return lost.IgnoreNotFound(err) // the link was used or revoked
	}
	valid := t.CheckValid(o.db.Now()) == nil
	if !valid || !o.messenger.Sends(lost.ByEmail) {
		return nil
	}
	account, err := o.db.Account(ctx, job.Account)
	if err != nil || !account.DisabledAt.IsZero() {
		return lost.IgnoreNotFound(err)
	}
	user, err := o.db.User(ctx, job.Account, t.UserID)
	if err != nil && lost.CodeOf(err) != lost.NotFound {
		return err
	}
	if t.Kind != lost.InvitationLink && !user.Active() {
		return nil
	}
	token, err := o.db.TicketToken(t)
	if err != nil {
		return err
	}
	subject, text := ticketMail(t, user, account, o.base+t.Kind.Path()+token)
	if t.Kind == lost.InvitationLink {
		other, taken, err := o.db.UserByEmail(ctx, t.Email)
		if err != nil {
			return err
		}
		if taken && other.Account != t.Account && !other.VerifiedAt.IsZero() {
			text += invitationElsewhere
		}
	}
	return o.mailUser(ctx, t.Email, subject, text)
}

// invitationElsewhere is added to an invitation to a person who already has a login. Only the person learns this, not
// the inviting user.
const invitationElsewhere = "\nYou already log in to another account with this address. An address can belong to one " +
	"account only. To join, ask for an invitation to another address of yours.\n"

// mailUser sends an e-mail to a user.
func (o *Outbox) mailUser(ctx context.Context, to, subject, text string) error {
	ctx, span := tracing.StartClientSpan(ctx, "send "+string(lost.ByEmail))
	err := o.messenger.MailUser(ctx, to, subject, text)
	span.End(err)
	return err
}

// ticketMail returns the subject and text of an e-mail with a single-use link.
func ticketMail(t lost.EmailLink, u lost.User, a lost.Account, link string) (subject, text string) {
	valid := lost.HumanDuration(t.Kind.Life())
	switch t.Kind {
	case lost.InvitationLink:
		by := u.Name
		if by == "" {
			by = "A colleague"
		}
		return "Join " + a.Name + " on Homeward", fmt.Sprintf(
			"Hello %s,\n\n%s has invited you to the lost and found of %s. Choose a password to join:\n\n%s\n\n"+
				"The link works once and expires in 7 days. If you did not expect this invitation, ignore it.\n",
			t.Name, by, a.Name, link)
	case lost.AddressLink:
		return "Confirm your new e-mail address", fmt.Sprintf(
			"Hello %s,\n\nYou asked to use this address to log in to Homeward. Confirm it here:\n\n%s\n\n"+
				"The link works once and expires in %s. "+
				"If you did not ask for this, ignore this e-mail: nothing will change.\n",
			u.Name, link, valid)
	default:
		return "Choose a new password", fmt.Sprintf(
			"Hello %s,\n\nSomeone, probably you, asked to reset your Homeward password. "+
				"Choose a new one here:\n\n%s\n\n"+
				"The link works once and expires in %s. "+
				"If it was not you, ignore this e-mail: your password will stay the same.\n",
			u.Name, link, valid)
	}
}

// sendSecurityMail e-mails a user about a change to how they log in.
func (o *Outbox) sendSecurityMail(ctx context.Context, job store.Job) error {
	about, err := job.Arguments()
	if err != nil || len(about) != 2 {
		return lost.E(lost.Invalid, "The job must specify a change and an address.").WithCause(err)
	}
	subject, text := securityMail(about[0], o.base)
	if subject == "" || !o.messenger.Sends(lost.ByEmail) {
		return nil
	}
	return o.mailUser(ctx, about[1], subject, text)
}

// securityMail returns an e-mail that describes a change to how a user logs in, and says what to do if the user did
// not make it. The subject is empty for an unknown change.
func securityMail(change, base string) (subject, text string) {
	subject, text = securityChange(change)
	switch change {
	case store.AddressChanged: // a password reset link can no longer reach this address
		text += "\n\nIf that was not you, tell an owner or admin of your account immediately.\n"
	case store.AddressRequested: // a new password also cancels the change
		text += fmt.Sprintf("\n\nIf that was not you, choose a new password immediately at %s/forgot. "+
			"This cancels the change. Also tell an owner or admin of your account.\n", base)
	case store.TOTPReset, store.PasskeysReset: // done by nobody who uses the account
		text += "\n\nIf you have questions, contact an owner or admin of your account.\n"
	case store.PasskeysRemoved: // always done by another user
		text += "\n\nIf you did not ask for this, contact an owner or admin.\n"
	default:
		text += fmt.Sprintf("\n\nIf that was not you, choose a new password immediately at %s/forgot, "+
			"and tell an owner or admin of your account.\n", base)
	}
	return subject, text
}

func securityChange(change string) (subject, text string) {
	switch change {
	case store.PasswordChanged:
		return "Your password was changed",
			"Hello,\n\nYour Homeward password was changed, and you were logged out everywhere else."
	case store.TOTPEnabled:
		return "Two-step login was switched on",
			"Hello,\n\nFrom now on, Homeward will ask for a code from your authenticator app " +
				"when you log in with your password. You were logged out everywhere else."
	case store.TOTPDisabled:
		return "Two-step login was switched off",
			"Hello,\n\nHomeward no longer asks you for a code when you log in."
	case store.RecoveryRenewed:
		return "You have new recovery codes",
			"Hello,\n\nNew recovery codes were created for your two-step login. The old ones no longer work."
	case store.PasskeyRemoved:
		return "A passkey was removed",
			"Hello,\n\nA passkey was removed from your Homeward login. It can no longer be used to log in."
	case store.PasskeyAdded:
		return "You can log in with a new passkey",
			"Hello,\n\nA passkey was added to your Homeward login, and you were logged out everywhere else. " +
				"You can see the passkey in your profile."
	case store.PasskeysRemoved:
		return "Your passkeys were removed",
			"Hello,\n\nAn owner or admin of your account removed your Homeward passkeys. " +
				"You can log in with your password and add new passkeys in your profile."
	case store.TOTPReset:
		return "Two-step login was switched off",
			"Hello,\n\nThe operator of Homeward had to replace the service's secret. Your two-step login no longer " +
				"works without the former one, so it was switched off. You can log in with your password and " +
				"switch it on again in your profile."
	case store.PasskeysReset:
		return "Your passkeys were removed",
			"Hello,\n\nThe operator of Homeward had to replace the service's secret. Your passkeys no longer work " +
				"without the former one, so they were removed. You can log in with your password and add new " +
				"passkeys in your profile."
	case store.IdentityLinked:
		return "You can log in without your password",
			"Hello,\n\nYour organisation's login was linked to your Homeward profile. You can see it there."
	case store.IdentityUnlinked:
		return "Your login was unlinked",
			"Hello,\n\nYour organisation's login was unlinked from your Homeward profile."
	case store.AddressRequested:
		return "Somebody asked to change your e-mail address",
			"Hello,\n\nSomebody who knows your password, probably you, asked to log in to Homeward with another " +
				"address. The change takes effect when that address is confirmed."
	case store.AddressChanged:
		return "Your e-mail address was changed",
			"Hello,\n\nYou can no longer log in to Homeward with this address. It was replaced by another one."
	default:
		return "", ""
	}
}

// sendWebhookDisabledMail e-mails one user that a webhook was disabled. Each user has a separate job, so that one
// rejected address does not prevent e-mails to the others.
func (o *Outbox) sendWebhookDisabledMail(ctx context.Context, job store.Job) error {
	ids, err := job.Arguments()
	if err != nil || len(ids) != 2 {
		return lost.E(lost.Invalid, "The job must specify a user and a webhook.").WithCause(err)
	}
	user, err := o.db.User(ctx, job.Account, ids[0])
	if lost.CodeOf(err) == lost.NotFound || err == nil && !user.DisabledAt.IsZero() {
		return nil
	}
	if err != nil {
		return err
	}
	e, err := o.db.Endpoint(ctx, job.Account, ids[1])
	if lost.CodeOf(err) == lost.NotFound || err == nil && e.Enabled {
		return nil // the webhook was deleted, or enabled again
	}
	if err != nil || !o.messenger.Sends(lost.ByEmail) {
		return err
	}
	return o.mailUser(ctx, user.Email, "A webhook was switched off", webhookDisabledText(e))
}

func webhookDisabledText(e lost.Endpoint) string {
	name := e.URL
	if e.Description != "" {
		name = e.Description + " (" + e.URL + ")"
	}
	return "Hello,\n\nThe webhook " + name + " was switched off.\n\n" + e.Reason + "\n\nWebhook ID: " + e.ID + "\n"
}
