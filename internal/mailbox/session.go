package mailbox

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
	"github.com/emersion/go-sasl"
)

const (
	answerTime = time.Minute      // how long the server may take for a command
	fetchTime  = 10 * time.Minute // how long it may take to send an e-mail
	idleTime   = 5 * time.Minute  // how long to rely on the server to report new e-mails
)

// session is a connection to the mail server.
type session struct {
	r         *Reader
	conn      net.Conn
	client    *imapclient.Client
	news      chan struct{} // receives a value when the server reports a change
	canIdle   bool
	validity  uint32
	stopWatch func() bool
}

// connect connects to the server and logs in.
func (r *Reader) connect(ctx context.Context) (*session, error) {
	dialer := net.Dialer{Timeout: answerTime}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(r.host, r.port))
	if err != nil {
		return nil, fmt.Errorf("connect to the mail server: %w", err)
	}
	s := &session{r: r, conn: conn, news: make(chan struct{}, 1)}
	s.stopWatch = context.AfterFunc(ctx, func() { _ = conn.Close() })
	if err := s.within(answerTime, func() error { return s.begin(ctx) }); err != nil {
		s.close()
		return nil, r.clean(fmt.Errorf("log in to the mail server: %w", err))
	}
	return s, nil
}

// begin starts TLS and logs in.
func (s *session) begin(ctx context.Context) error {
	config := &tls.Config{ServerName: s.r.host, MinVersion: tls.VersionTLS12, RootCAs: s.r.o.Roots}
	options := &imapclient.Options{TLSConfig: config, UnilateralDataHandler: &imapclient.UnilateralDataHandler{
		Mailbox: func(*imapclient.UnilateralDataMailbox) { s.report() },
	}}
	switch {
	case s.r.tlsFirst:
		secure := tls.Client(s.conn, config)
		if err := secure.HandshakeContext(ctx); err != nil {
			return err
		}
		s.client = imapclient.New(secure, options)
	case s.r.plainLoopback && isLoopback(s.conn):
		s.client = imapclient.New(s.conn, options)
	default:
		client, err := imapclient.NewStartTLS(s.conn, options)
		if err != nil {
			return err
		}
		s.client = client
	}
	caps := s.client.Caps()
	if caps.Has(imap.AuthCap("PLAIN")) {
		if err := s.client.Authenticate(sasl.NewPlainClient("", s.r.user, s.r.password)); err != nil {
			return err
		}
	} else if err := s.client.Login(s.r.user, s.r.password).Wait(); err != nil {
		return err
	}
	s.canIdle = !s.r.ignoreIdle && s.client.Caps().Has(imap.CapIdle) // servers may offer more after the login
	return nil
}

// isLoopback reports whether the server is on this machine.
func isLoopback(conn net.Conn) bool {
	address, is := conn.RemoteAddr().(*net.TCPAddr)
	return is && address.IP.IsLoopback()
}

// report tells wait that the server reported a change.
func (s *session) report() {
	select {
	case s.news <- struct{}{}:
	default:
	}
}

// within runs commands and closes the connection if they take too long, because the commands have no context.
func (s *session) within(limit time.Duration, run func() error) error {
	late := time.AfterFunc(limit, func() { _ = s.conn.Close() })
	err := run()
	if !late.Stop() && err != nil {
		return fmt.Errorf("the mail server did not answer within %v: %w", limit, err)
	}
	return err
}

func (s *session) close() {
	s.stopWatch()
	_ = s.conn.Close()
	if s.client != nil {
		_ = s.client.Close()
	}
}

// open selects the folder.
func (s *session) open() error {
	return s.within(answerTime, func() error {
		data, err := s.client.Select(s.r.folder, nil).Wait()
		if err != nil {
			return s.r.clean(fmt.Errorf("open the folder: %w", err))
		}
		if flags := data.PermanentFlags; len(flags) > 0 && !slices.Contains(flags, imap.FlagSeen) &&
			!slices.Contains(flags, imap.FlagWildcard) {
			return errors.New("the mailbox is read-only: e-mails cannot be marked as read")
		}
		s.validity = data.UIDValidity
		return nil
	})
}

// unread returns the e-mails that are neither handled nor given up, oldest first.
func (s *session) unread() (uids []imap.UID, err error) {
	err = s.within(answerTime, func() error {
		found, err := s.client.UIDSearch(&imap.SearchCriteria{
			NotFlag: []imap.Flag{imap.FlagSeen, imap.FlagFlagged, imap.FlagDeleted},
		}, nil).Wait()
		if err != nil {
			return s.r.clean(fmt.Errorf("search the mailbox: %w", err))
		}
		uids = found.AllUIDs()
		slices.Sort(uids)
		return nil
	})
	return uids, err
}

var errTooLong = errors.New("the mail server sent more than was requested")

// fetch returns an e-mail, or the first part of a large one. It returns nil if the e-mail no longer exists.
func (s *session) fetch(uid imap.UID) (raw []byte, err error) {
	err = s.within(fetchTime, func() error {
		set := imap.UIDSetNum(uid)
		found, err := s.client.Fetch(set, &imap.FetchOptions{UID: true, RFC822Size: true}).Collect()
		if err != nil || len(found) == 0 {
			return err
		}
		section := &imap.FetchItemBodySection{Peek: true}
		if found[0].RFC822Size > MaxSize {
			section.Partial = &imap.SectionPartial{Size: firstPart}
		}
		raw, err = s.fetchSection(set, section)
		return err
	})
	if err != nil {
		return nil, s.r.clean(fmt.Errorf("fetch an e-mail: %w", err))
	}
	return raw, nil
}

// fetchSection reads a section of an e-mail. It fails if the section is incomplete.
func (s *session) fetchSection(set imap.UIDSet, section *imap.FetchItemBodySection) (raw []byte, err error) {
	command := s.client.Fetch(set, &imap.FetchOptions{
		UID: true, BodySection: []*imap.FetchItemBodySection{section},
	})
	for message := command.Next(); message != nil; message = command.Next() {
		for item := message.Next(); item != nil; item = message.Next() {
			body, is := item.(imapclient.FetchItemDataBodySection)
			if !is || body.Literal == nil || raw != nil {
				continue
			}
			size := body.Literal.Size()
			if size > MaxSize+firstPart {
				_ = s.conn.Close() // before Close, which would read the rest
				_ = command.Close()
				return nil, errTooLong
			}
			raw, err = io.ReadAll(body.Literal)
			if err == nil && int64(len(raw)) != size {
				err = io.ErrUnexpectedEOF
			}
			if err != nil {
				_ = command.Close()
				return nil, err
			}
		}
	}
	return raw, command.Close()
}

// flag marks an e-mail.
func (s *session) flag(uid imap.UID, flag imap.Flag) error {
	return s.within(answerTime, func() error {
		store := &imap.StoreFlags{Op: imap.StoreFlagsAdd, Silent: true, Flags: []imap.Flag{flag}}
		if err := s.client.Store(imap.UIDSetNum(uid), store, nil).Close(); err != nil {
			return s.r.clean(fmt.Errorf("mark an e-mail: %w", err))
		}
		return nil
	})
}

// wait returns when the server reports a change or the time has passed. It fails if the connection was closed.
func (s *session) wait(ctx context.Context, limit time.Duration) error {
	var idle *imapclient.IdleCommand
	if s.canIdle {
		err := s.within(answerTime, func() (err error) {
			idle, err = s.client.Idle()
			return err
		})
		if err != nil {
			return s.r.clean(fmt.Errorf("wait for e-mails: %w", err))
		}
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.client.Closed():
		return errors.New("the mail server closed the connection")
	case <-timer.C:
	case <-s.news:
	}
	if idle == nil {
		return nil
	}
	return s.within(answerTime, func() error { return errors.Join(idle.Close(), idle.Wait()) })
}

// handle calls the handler. A panic counts as a failure of this e-mail alone.
func (r *Reader) handle(ctx context.Context, raw []byte) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("reading the e-mail failed: %v", v)
		}
	}()
	return r.o.Handle(ctx, bytes.NewReader(raw))
}

// clean removes the password from a server's answer.
func (r *Reader) clean(err error) error {
	if r.password == "" || !strings.Contains(err.Error(), r.password) {
		return err
	}
	return errors.New(strings.ReplaceAll(err.Error(), r.password, "…"))
}
