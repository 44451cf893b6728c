package outbox

import (
	"context"
	"fmt"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/tracing"
)

// sendTicket e-mails a single-use link. If e-mail is not set up, it does nothing: an invitation link is shown
// to the inviting user, and a password link is shown to nobody.
func (o *Outbox) sendTicket(ctx context.Context, job store.Job) error {
	t, err := o.db.Ticket(ctx, job.Account, job.Payload)
	if err != nil {
		return lost.IgnoreNotFound(err) // used or revoked
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
	return o.mailUser(ctx, t.Email, subject, text)
}

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
			"Hello %s,\n\n%s invites you to the lost and found of %s. Choose a password to join:\n\n%s\n\n"+
				"The link works once, for 7 days. If you did not expect this invitation, you can ignore it.\n",
			t.Name, by, a.Name, link)
	case lost.AddressLink:
		return "Confirm your new e-mail address", fmt.Sprintf(
			"Hello %s,\n\nyou asked to log in to Homeward with this address from now on. Confirm it here:\n\n%s\n\n"+
				"The link works once, for %s. If that was not you, ignore this mail: nothing changes.\n",
			u.Name, link, valid)
	default:
		return "Choose a new password", fmt.Sprintf(
			"Hello %s,\n\nsomebody, probably you, asked for a new password for Homeward. Choose one here:\n\n%s\n\n"+
				"The link works once, for %s. If it was not you, ignore this mail: your password stays the same.\n",
			u.Name, link, valid)
	}
}

// sendSecurityMail sends an e-mail about a change to a user's log-in.
func (o *Outbox) sendSecurityMail(ctx context.Context, job store.Job) error {
	about, err := job.Arguments()
	if err != nil || len(about) != 2 {
		return lost.E(lost.Invalid, "The job has no change or no address.").WithCause(err)
	}
	subject, text := securityMail(about[0], o.base)
	if subject == "" || !o.messenger.Sends(lost.ByEmail) {
		return nil
	}
	return o.mailUser(ctx, about[1], subject, text)
}

// securityMail returns an e-mail that describes a change to a user's log-in, and what to do if the user did
// not make it. The subject is empty for an unknown change.
func securityMail(change, base string) (subject, text string) {
	subject, text = securityChange(change)
	switch change {
	case store.AddressChanged: // a password link would no longer reach this address
		text += "\n\nIf that was not you, tell an owner or admin of your account immediately.\n"
	case store.PasskeysRemoved: // always done by another user
		text += "\n\nIf you did not ask for that, ask them why.\n"
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
			"Hello,\n\nyour password for Homeward was changed, and you were logged out everywhere else."
	case store.TOTPEnabled:
		return "Two-step login was switched on",
			"Hello,\n\nfrom now on, Homeward asks for a code from your app when you log in with your password."
	case store.TOTPDisabled:
		return "Two-step login was switched off",
			"Hello,\n\nHomeward no longer asks you for a code when you log in."
	case store.PasskeyAdded:
		return "You can log in with a new passkey",
			"Hello,\n\na passkey was added to your log-in for Homeward. Your profile lists it."
	case store.PasskeysRemoved:
		return "Your passkeys were removed",
			"Hello,\n\nan owner or admin of your account removed your passkeys for Homeward. " +
				"You can log in with your password and add new passkeys in your profile."
	case store.IdentityLinked:
		return "You can log in without your password",
			"Hello,\n\nyour log-in for Homeward was linked to your organisation's log-in. Your profile shows it."
	case store.AddressChanged:
		return "Your e-mail address was changed",
			"Hello,\n\nyou no longer log in to Homeward with this address: it was replaced by another one."
	default:
		return "", ""
	}
}

// sendWebhookDisabledMail e-mails one user that a webhook was disabled. Each user has a separate job, so that
// a refused address does not prevent the e-mails to the others.
func (o *Outbox) sendWebhookDisabledMail(ctx context.Context, job store.Job) error {
	ids, err := job.Arguments()
	if err != nil || len(ids) != 2 {
		return lost.E(lost.Invalid, "The job has no user or no webhook.").WithCause(err)
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
		return nil // deleted, or enabled again
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
	return "Hello,\n\nthe webhook " + name + " was switched off.\n\n" + e.Reason + "\n\nIts id is " + e.ID + ".\n"
}
