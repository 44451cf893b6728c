package outbox

import (
	"context"
	"fmt"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/tracing"
)

// sendTicket sends a link that is good for one thing. Where no mail goes out there is nothing to do: an invitation's link is shown to whoever
// invited, a link to a password to nobody.
func (o *Outbox) sendTicket(ctx context.Context, job store.Job) error {
	t, err := o.db.Ticket(ctx, job.Account, job.Payload)
	if err != nil || t.Opens(o.db.Now()) != nil || !o.post.Sends(lost.ByEmail) {
		return lost.UnlessMissing(err) // used or taken back, expired, or not to be sent
	}
	account, err := o.db.Account(ctx, job.Account)
	if err != nil || !account.DisabledAt.IsZero() {
		return lost.UnlessMissing(err)
	}
	user, err := o.db.User(ctx, job.Account, t.UserID)
	if err != nil && lost.CodeOf(err) != lost.NotFound {
		return err
	}
	if t.Kind != lost.InvitationTicket && !user.Active() {
		return nil
	}
	token, err := o.db.TicketToken(t)
	if err != nil {
		return err
	}
	subject, text := ticketWords(t, user, account, o.base+t.Kind.Path()+token)
	return o.tell(ctx, t.Email, subject, text)
}

// tell writes a mail to one of our users.
func (o *Outbox) tell(ctx context.Context, to, subject, text string) error {
	ctx, span := tracing.Call(ctx, "send "+string(lost.ByEmail))
	err := o.post.Tell(ctx, to, subject, text)
	span.End(err)
	return err
}

// ticketWords is what a mail with a link says.
func ticketWords(t lost.Ticket, u lost.User, a lost.Account, link string) (subject, text string) {
	valid := lost.InWords(t.Kind.Life())
	switch t.Kind {
	case lost.InvitationTicket:
		by := u.Name
		if by == "" {
			by = "A colleague"
		}
		return "Join " + a.Name + " on Homeward", fmt.Sprintf("Hello %s,\n\n%s invites you to the lost and found of %s. Choose a password here, and you are in:\n\n%s\n\n"+
			"The link works once, for 7 days. If you do not know what this is about, you need not do anything.\n", t.Name, by, a.Name, link)
	case lost.AddressTicket:
		return "Confirm your new e-mail address", fmt.Sprintf("Hello %s,\n\nyou want to log in to Homeward with this address from now on. Confirm it here:\n\n%s\n\n"+
			"The link works once, for %s. If that was not you, you need not do anything: nothing changes.\n", u.Name, link, valid)
	default:
		return "Choose a new password", fmt.Sprintf("Hello %s,\n\nsomebody, probably you, asked for a new password for Homeward. Choose one here:\n\n%s\n\n"+
			"The link works once, for %s. If it was not you, you need not do anything: your password stays as it is.\n", u.Name, link, valid)
	}
}

// tellPerson tells an address what happened to a user's log-in.
func (o *Outbox) tellPerson(ctx context.Context, job store.Job) error {
	about, err := job.Names()
	if err != nil || len(about) != 2 {
		return lost.E(lost.Invalid, "The job names nothing that happened, or nobody to hear of it.").Because(err)
	}
	subject, text := happened(about[0], o.base)
	if subject == "" || !o.post.Sends(lost.ByEmail) {
		return nil
	}
	return o.tell(ctx, about[1], subject, text)
}

// happened says what was done with a person's log-in, and what to do where it was not them.
func happened(what, base string) (subject, text string) {
	const notYou = "\n\nIf that was not you, choose a new password at once at %s/forgot, and tell an owner or admin of your account.\n"
	said := map[string][2]string{
		store.PasswordChanged: {"Your password was changed", "Hello,\n\nyour password for Homeward was changed, and you were logged out everywhere else."},
		store.TwoStepOn:       {"The second step was switched on", "Hello,\n\nwhen you log in to Homeward, it asks for a code of your app besides your password from now on."},
		store.TwoStepOff:      {"The second step was switched off", "Hello,\n\nHomeward no longer asks you for a code when you log in."},
		store.PasskeyAdded:    {"You can log in with a new passkey", "Hello,\n\na passkey was added to your log-in for Homeward. Your profile lists it."},
		store.PasskeysRemoved: {"Your passkeys were removed", "Hello,\n\nan owner or admin of your account removed your passkeys for Homeward. You log in with your password, and can add new ones in your profile."},
		store.IdentityLinked:  {"You can log in without your password", "Hello,\n\nyour log-in for Homeward was linked to the log-in that your organisation uses. Your profile shows it."},
		store.AddressChanged:  {"Your e-mail address was changed", "Hello,\n\nyou no longer log in to Homeward with this address: it was replaced by another one."},
	}[what]
	if said[0] == "" {
		return "", ""
	}
	switch what {
	case store.AddressChanged: // a link for a new password would not reach this address any more
		return said[0], said[1] + "\n\nIf that was not you, tell an owner or admin of your account at once.\n"
	case store.PasskeysRemoved: // which the person did not do
		return said[0], said[1] + "\n\nIf you did not ask for that, ask them why.\n"
	default:
		return said[0], said[1] + fmt.Sprintf(notYou, base)
	}
}
