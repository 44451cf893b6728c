// Package pms asks property-management systems of hotels who stayed in a room. It has one implementation for each of
// Apaleo, Mews, Oracle OHIP and Cloudbeds, written from their public contracts.
//
// An answer is untrusted: its size, the number of pages and the time are limited, and redirects are not followed. The
// address is checked like that of a webhook: private addresses are refused unless the operator allows them.
package pms

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/stay"
)

// Options are the dependencies of a Client.
type Options struct {
	// Transport must not connect to private addresses: the account names the address of its system.
	Transport http.RoundTripper
	// CheckURL returns the problems with the address of a system.
	CheckURL func(string) lost.Problems
	// IsPrivate reports whether the transport refused to connect because the address is private.
	IsPrivate func(error) bool
	Now       func() time.Time
}

// Client asks the systems. It keeps access tokens and the ids of rooms in memory. It is safe for concurrent use.
type Client struct {
	http      *http.Client
	checkURL  func(string) lost.Problems
	isPrivate func(error) bool
	now       func() time.Time

	mu     sync.Mutex
	tokens map[string]token
	rooms  map[string]roomID
}

// NewClient returns a Client.
func NewClient(o Options) *Client {
	return &Client{
		http: &http.Client{
			Transport:     o.Transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		checkURL: o.CheckURL, isPrivate: o.IsPrivate, now: o.Now,
		tokens: map[string]token{}, rooms: map[string]roomID{},
	}
}

// system is one kind of property-management system.
type system interface {
	// stays lists the stays in a room that ended or will end on the days of the query. It reports lastRoomOnly if
	// guests who have moved are listed with their last room only.
	stays(ctx context.Context, q stay.Query) (all []stay.Stay, lastRoomOnly bool, err error)
	// check reads as little as possible with all the rights that stays needs.
	check(ctx context.Context) error
}

// CheckURL returns the problems with the address of a system.
func (c *Client) CheckURL(raw string) lost.Problems { return c.checkURL(raw) }

// Stays lists the stays in a room that ended or will end on the days of the query, at most maxStays. It reports
// lastRoomOnly if guests who have moved are listed with their last room only. Its error is a *stay.SystemError. The
// caller limits the time with ctx.
func (c *Client) Stays(ctx context.Context, to stay.Connection,
	q stay.Query) (all []stay.Stay, lastRoomOnly bool, err error) {
	s, err := c.system(to)
	if err != nil {
		return nil, false, err
	}
	all, lastRoomOnly, err = s.stays(ctx, q)
	all = slices.DeleteFunc(all, func(s stay.Stay) bool { return len(s.ID) > maxID })
	return all[:min(len(all), maxStays)], lastRoomOnly, err
}

// Check returns an error if the system cannot be asked for stays. Its error is a *stay.SystemError.
func (c *Client) Check(ctx context.Context, to stay.Connection) error {
	s, err := c.system(to)
	if err != nil {
		return err
	}
	return s.check(ctx)
}

func (c *Client) system(to stay.Connection) (system, error) {
	for _, s := range to.System.Settings() {
		isURL := s.Name == stay.URLSetting || s.Name == stay.TokenURLSetting
		if isURL && len(c.checkURL(to.Value(s.Name))) > 0 { // the operator may no longer allow private addresses
			return nil, &stay.SystemError{Problem: stay.NotAllowed}
		}
	}
	switch caller := (caller{client: c, to: to}); to.System {
	case stay.Apaleo:
		return apaleo{caller}, nil
	case stay.Mews:
		return mews{caller}, nil
	case stay.OHIP:
		return ohip{caller}, nil
	case stay.Cloudbeds:
		return cloudbeds{caller}, nil
	default:
		return nil, &stay.SystemError{Problem: stay.NotReached}
	}
}
