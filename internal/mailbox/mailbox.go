// Package mailbox reads e-mails from an IMAP mailbox and passes each one to a handler.
//
// An e-mail is marked as seen only after the handler has returned nil. If the program stops in between, the handler
// receives the e-mail again, so it must recognise e-mails that it already knows, for example by their Message-ID. An
// e-mail that fails again and again does not stop the others: after a number of attempts it is flagged and left unread
// for a person.
//
// The flags in the mailbox are the only state, so the mailbox must not be read by anybody else. Only one Reader may
// run at a time for a mailbox: with several copies of the program, the caller must choose one of them.
package mailbox

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"
)

// Handler processes one e-mail. The e-mail is handled if it returns nil, and is passed again later if it returns an
// error. An e-mail above MaxSize ends early.
type Handler func(ctx context.Context, raw io.Reader) error

// Limits.
const (
	MaxSize   = 40 << 20 // bytes of an e-mail that is read completely
	firstPart = 4 << 20  // bytes that are read of a larger one; the text usually comes before the attachments

	maxAttempts = 10 // of an e-mail; the waits between them add up to eight and a half hours
	maxPauses   = 9  // doublings of a wait

	stableTime = 10 * time.Minute // a connection that lasts longer was not a failure
)

// Options are the settings of a Reader.
type Options struct {
	URL    string // imaps://user:password@host:port/INBOX; imap:// uses STARTTLS except for loopback addresses
	Handle Handler
	Log    *slog.Logger
	Roots  *x509.CertPool // trusted certificate authorities; nil for those of the system

	Poll  time.Duration // how often to look for e-mails if the server does not report them; one minute if zero
	Retry time.Duration // the first wait before an e-mail is tried again; one minute if zero
	Redo  time.Duration // the first wait before connecting again; one second if zero
}

// Reader reads a mailbox.
type Reader struct {
	host, port, user, password string
	folder                     string
	tlsFirst                   bool
	plainLoopback              bool // no TLS to a server on this machine
	ignoreIdle                 bool
	o                          Options

	validity uint32 // of the UIDs in failed
	failed   map[imap.UID]failure
}

// failure is an e-mail that the handler could not process.
type failure struct {
	attempts int
	again    time.Time
}

// errURL does not quote the setting, which contains the password.
var errURL = errors.New("the mailbox must be a URL such as imaps://user:password@host/INBOX")

// New returns a Reader, or an error if the URL is invalid.
func New(o Options) (*Reader, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Hostname() == "" || u.Scheme != "imap" && u.Scheme != "imaps" || u.User.Username() == "" ||
		u.RawQuery != "" || u.Fragment != "" {
		return nil, errURL
	}
	r := &Reader{
		host: u.Hostname(), user: u.User.Username(), tlsFirst: u.Scheme == "imaps", o: o,
		plainLoopback: true,
		folder:        cmp.Or(strings.Trim(u.Path, "/"), "INBOX"),
		port:          cmp.Or(u.Port(), "143"),
		failed:        map[imap.UID]failure{},
	}
	if r.tlsFirst {
		r.port = cmp.Or(u.Port(), "993")
	}
	r.password, _ = u.User.Password()
	r.o.Poll = cmp.Or(o.Poll, time.Minute)
	r.o.Retry = cmp.Or(o.Retry, time.Minute)
	r.o.Redo = cmp.Or(o.Redo, time.Second)
	if o.Log == nil {
		r.o.Log = slog.New(slog.DiscardHandler)
	}
	return r, nil
}

// Run reads the mailbox until the context ends. If the connection fails, it connects again after a while.
func (r *Reader) Run(ctx context.Context) {
	for failures := 0; ; {
		start := time.Now()
		err := r.read(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(start) > stableTime {
			failures = 0
		}
		wait := r.o.Redo << min(failures, maxPauses)
		failures++
		r.o.Log.Warn("reading the mailbox failed; connecting again", "error", err, "wait", wait)
		if !sleep(ctx, wait) {
			return
		}
	}
}

// Check connects, logs in and opens the mailbox, and reads nothing.
func (r *Reader) Check(ctx context.Context) error {
	s, err := r.connect(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	return s.open()
}

// read connects and reads e-mails until the connection fails or the context ends.
func (r *Reader) read(ctx context.Context) error {
	s, err := r.connect(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.open(); err != nil {
		return err
	}
	r.o.Log.Info("reading replies from the mailbox", "host", r.host, "folder", r.folder)
	for {
		next, err := r.readNew(ctx, s)
		if err != nil {
			return err
		}
		if err := s.wait(ctx, next); err != nil {
			return err
		}
	}
}

// readNew passes the unread e-mails to the handler. It returns how long to wait for the next attempt.
func (r *Reader) readNew(ctx context.Context, s *session) (time.Duration, error) {
	uids, err := s.unread()
	if err != nil {
		return 0, err
	}
	r.forget(s.validity, uids)
	for _, uid := range uids {
		if time.Now().Before(r.failed[uid].again) {
			continue
		}
		if err := r.readOne(ctx, s, uid); err != nil {
			return 0, err
		}
	}
	wait := r.o.Poll
	if s.canIdle {
		wait = max(wait, idleTime)
	}
	for _, f := range r.failed {
		wait = min(wait, max(time.Until(f.again), time.Millisecond))
	}
	return wait, nil
}

// forget removes the failures of e-mails that are no longer unread.
func (r *Reader) forget(validity uint32, unread []imap.UID) {
	kept := map[imap.UID]failure{}
	for _, uid := range unread {
		if f, known := r.failed[uid]; known && validity == r.validity {
			kept[uid] = f
		}
	}
	r.validity, r.failed = validity, kept
}

// readOne passes one e-mail to the handler. It returns an error only if the connection failed or the context ended. An
// e-mail that cannot be fetched counts as failed too, because some e-mails make servers fail.
func (r *Reader) readOne(ctx context.Context, s *session, uid imap.UID) error {
	if r.failed[uid].attempts >= maxAttempts { // the connection failed before it could be flagged
		return r.giveUp(s, uid)
	}
	raw, fetchErr := s.fetch(uid)
	if fetchErr == nil && raw == nil {
		return nil // it was deleted in the meantime
	}
	err := fetchErr
	if err == nil {
		err = r.handle(ctx, raw)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil {
		delete(r.failed, uid)
		return s.flag(uid, imap.FlagSeen)
	}
	f := r.failed[uid]
	f.attempts++
	wait := r.o.Retry << min(f.attempts-1, maxPauses)
	f.again = time.Now().Add(wait)
	r.failed[uid] = f
	r.o.Log.Warn("e-mail could not be read; trying again", "uid", uint32(uid), "error", err, "wait", wait)
	if _, isAnswer := errors.AsType[*imap.Error](fetchErr); fetchErr != nil && !isAnswer {
		return fetchErr // the connection may be unusable
	}
	if f.attempts >= maxAttempts {
		return r.giveUp(s, uid)
	}
	return nil
}

// giveUp flags an e-mail, so that it is not read again.
func (r *Reader) giveUp(s *session, uid imap.UID) error {
	r.o.Log.Error("e-mail could not be read; it is flagged and stays unread in the mailbox", "uid", uint32(uid))
	if err := s.flag(uid, imap.FlagFlagged); err != nil {
		return err
	}
	delete(r.failed, uid)
	return nil
}

// sleep waits. It reports whether the context is still valid.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
