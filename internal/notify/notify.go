// Package notify tells members of staff what they asked for: that a guest reported a lost item, wrote or paid, that a
// likely match was found, that the storage time of an item ends, and how the last month was. One instance of the
// service at a time follows the events of the accounts in which anybody wants notices, and writes a notice for each
// person and thing. Notices are sent when they are due; those that are due together are one message. What a person may
// see is checked when a notice is sent.
package notify

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"homeward/internal/access"
	"homeward/internal/lost"
	"homeward/internal/lost/notice"
	"homeward/internal/lost/report"
	"homeward/internal/store"
)

// Messenger composes and sends messages to members of staff.
type Messenger interface {
	Sends(by lost.Channel) bool
	// MailNotices sends an e-mail. After an Invalid error, another attempt would fail too.
	MailNotices(ctx context.Context, m notice.Message) error
	// ComposePush returns the texts of a push message. They name no guest.
	ComposePush(m notice.Message) (title, body string)
}

// ReportFunc returns the figures of a period at some locations, or at all that the actor can see if there are none.
type ReportFunc func(ctx context.Context, a lost.Actor, locations []string, p report.Period) (report.Report, error)

// Notices stores what notices people want, and sends them.
type Notices struct {
	db        *store.DB
	messenger Messenger
	pusher    Pusher
	report    ReportFunc
	base      string
	log       *slog.Logger
	observe   func(channel, outcome string)
}

// Options are the dependencies of Notices.
type Options struct {
	DB        *store.DB
	Messenger Messenger
	Pusher    Pusher
	Report    ReportFunc
	Base      string // the public base URL for links
	Log       *slog.Logger
	// Observe is called with what became of each message: sent, failed, dropped, or retry. May be nil.
	Observe func(channel, outcome string)
}

// New creates Notices.
func New(o Options) *Notices {
	n := &Notices{
		db: o.DB, messenger: o.Messenger, pusher: o.Pusher, report: o.Report, base: o.Base, log: o.Log,
		observe: o.Observe,
	}
	if n.observe == nil {
		n.observe = func(string, string) {}
	}
	return n
}

// SendsMail reports whether e-mail is set up.
func (n *Notices) SendsMail() bool { return n.messenger.Sends(lost.ByEmail) }

// Settings returns what notices a user has asked for.
func (n *Notices) Settings(ctx context.Context, u lost.User) (notice.Settings, error) {
	s, found, err := n.db.NoticeSettings(ctx, u.Account, u.ID)
	if !found {
		s = notice.NewSettings(u)
	}
	return s, err
}

// Change changes what notices the actor wants. Locations that they cannot see are left out.
func (n *Notices) Change(ctx context.Context, a lost.Actor, to notice.Settings) error {
	return n.changeSettings(ctx, a.Account, a.ID, func(tx *store.Tx, u lost.User, s *notice.Settings) error {
		if !u.Active() || a.Kind != lost.ByUser {
			return lost.E(lost.Forbidden, "Only active users can change their notices.")
		}
		if err := keepVisible(tx, u.Actor(), &to); err != nil {
			return err
		}
		return s.Change(to, tx.Now())
	}, a)
}

// keepVisible removes the locations that do not exist or that the actor cannot see.
func keepVisible(tx *store.Tx, a lost.Actor, s *notice.Settings) error {
	if len(s.Locations) == 0 || len(s.Locations) > notice.MaxLocations {
		return nil // Change reports that
	}
	known, err := tx.LocationNames(tx.Context(), a.Account, s.Locations, len(s.Locations))
	s.Locations = []string{}
	for _, l := range known {
		if a.CanAccess(l.ID) {
			s.Locations = append(s.Locations, l.ID)
		}
	}
	return err
}

func (n *Notices) changeSettings(ctx context.Context, account, user string,
	change func(tx *store.Tx, u lost.User, s *notice.Settings) error, by lost.Actor) error {
	return n.db.Write(ctx, func(tx *store.Tx) error {
		u, err := tx.LockUser(account, user)
		if err != nil {
			return err
		}
		s, found, err := tx.NoticeSettings(ctx, account, user)
		if err != nil {
			return err
		}
		if !found {
			s = notice.NewSettings(u)
		}
		if err := change(tx, u, &s); err != nil {
			return err
		}
		if err := tx.SaveNoticeSettings(s); err != nil {
			return err
		}
		actor := u.Actor().WithAddress(by.Address)
		return access.Audit(tx, actor, lost.PersonChanged, u.ID, u.Email+", "+string(u.Role)+": notices")
	})
}

// Subscriber returns the user whose e-mails the link with a token stops, and their settings. It returns a NotFound
// error if there is none.
func (n *Notices) Subscriber(ctx context.Context, token string) (lost.User, notice.Settings, error) {
	account, user, err := n.db.NoticeTokenUser(token)
	if err != nil {
		return lost.User{}, notice.Settings{}, err
	}
	u, err := n.db.User(ctx, account, user)
	if err != nil {
		return u, notice.Settings{}, err
	}
	s, err := n.Settings(ctx, u)
	return u, s, err
}

// StopEmails ends the e-mails about some kinds, or about all kinds if there are none, for the user whom a token names.
// It is idempotent.
func (n *Notices) StopEmails(ctx context.Context, token string, kinds []notice.Kind, from lost.Client) error {
	u, _, err := n.Subscriber(ctx, token)
	if err != nil {
		return err
	}
	err = n.changeSettings(ctx, u.Account, u.ID, func(tx *store.Tx, _ lost.User, s *notice.Settings) error {
		if !s.StopEmails(tx.Now(), kinds...) {
			return errUnchanged
		}
		return nil
	}, lost.Actor{Address: from.Address})
	if errors.Is(err, errUnchanged) {
		return nil
	}
	return err
}

// errUnchanged means that there is nothing to save.
var errUnchanged = errors.New("the notices are unchanged")

// poll is the interval at which events are read. If a pass takes long, there is more time between passes.
const (
	poll     = 5 * time.Second
	restTime = 20 // how many times longer than a pass
	maxRest  = 5 * time.Minute
)

// Run writes and sends notices until the context ends. Only one instance of the service may run it at a time.
func (n *Notices) Run(ctx context.Context) {
	for ctx.Err() == nil {
		began := time.Now()
		err := n.plan(ctx)
		rest := max(poll, min(maxRest, restTime*time.Since(began))) // however slow the mail server is
		if err := errors.Join(err, n.sendDue(ctx)); err != nil && ctx.Err() == nil {
			n.log.Error("notices for staff failed; retrying", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(rest):
		}
	}
}

// RunOnce writes the notices about everything new, and sends those that are due.
func (n *Notices) RunOnce(ctx context.Context) error {
	return errors.Join(n.plan(ctx), n.sendDue(ctx))
}

// plan writes the notices about everything new, and those with reports.
func (n *Notices) plan(ctx context.Context) error {
	return errors.Join(n.collect(ctx), n.planReports(ctx))
}

// planReports writes the notices of monthly reports that are due, and plans the next ones.
func (n *Notices) planReports(ctx context.Context) error {
	for range maxRounds {
		due, err := n.db.DueReports(ctx, n.db.Now(), accountsPerPage)
		if err != nil || len(due) == 0 {
			return err
		}
		for _, d := range due { // an account may be deleted now
			err = errors.Join(err, lost.IgnoreNotFound(n.planReport(ctx, d)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (n *Notices) planReport(ctx context.Context, due notice.Settings) error {
	return n.db.Write(ctx, func(tx *store.Tx) error {
		if _, err := tx.LockUser(due.Account, due.UserID); err != nil {
			return err
		}
		s, found, err := tx.NoticeSettings(ctx, due.Account, due.UserID)
		if err != nil || !found || s.ReportAt.IsZero() || s.ReportAt.After(tx.Now()) {
			return err
		}
		if err := tx.AddNotices([]notice.Notice{s.NewReport(tx.Now())}); err != nil {
			return err
		}
		return tx.SaveNoticeSettings(s)
	})
}
