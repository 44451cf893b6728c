package desk

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"slices"
	"strings"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// turn is one count of what somebody tries: who, and how they are slowed down. It is kept in the database, so it holds on every
// copy of the service.
type turn struct {
	pace
	who string
}

// pace is what is counted, and how fast it may be tried.
type pace struct {
	kind string
	lost.ThrottlePolicy
	ends bool // when a try went well, those before it are forgotten; else only that one is
}

// The paces. Log-ins from a browser that nobody is known to use are counted by the address and the client together, which is strict;
// by each alone, which is mild, because others share them. A browser with which the person has logged in before has a count of
// its own: no stranger, wherever they try, keeps a person out of it.
var (
	byBrowser = pace{"sign-in browser", lost.ThrottlePolicy{Free: 5, First: 15 * time.Second, Most: 5 * time.Minute, Memory: time.Hour}, true}
	byPair    = pace{"sign-in", lost.ThrottlePolicy{Free: 5, First: 15 * time.Second, Most: 15 * time.Minute, Memory: time.Hour}, true}
	byEmail   = pace{"sign-in email", lost.ThrottlePolicy{Free: 50, First: time.Second, Most: time.Minute, Memory: time.Hour}, false}
	byClient  = pace{"sign-in client", lost.ThrottlePolicy{Free: 30, First: 5 * time.Second, Most: 15 * time.Minute, Memory: time.Hour}, false}

	codes    = pace{"code", lost.ThrottlePolicy{Free: 5, First: 30 * time.Second, Most: 15 * time.Minute, Memory: time.Hour}, true}
	confirms = pace{"confirm", lost.ThrottlePolicy{Free: 5, First: 15 * time.Second, Most: 5 * time.Minute, Memory: time.Hour}, true}
	links    = pace{"link", lost.ThrottlePolicy{Free: 20, First: 5 * time.Second, Most: 5 * time.Minute, Memory: time.Hour}, false}

	// These are begun without anybody being known, and kept for a while. Many people may share an address, and every look at the
	// page of the log-in begins one.
	challenges = pace{"challenge", lost.ThrottlePolicy{Free: 300, First: time.Second, Most: 30 * time.Second, Memory: 10 * time.Minute}, false}

	// What one client reports on public pages: five at once, and then one every ten minutes.
	reports = pace{"report", lost.ThrottlePolicy{Free: 4, First: 10 * time.Minute, Most: 10 * time.Minute, Memory: time.Hour}, false}

	// These count every try, because each sends a mail.
	resetsByEmail  = pace{"reset email", lost.ThrottlePolicy{Free: 3, First: 5 * time.Minute, Most: time.Hour, Memory: 6 * time.Hour}, false}
	resetsByClient = pace{"reset client", lost.ThrottlePolicy{Free: 10, First: time.Minute, Most: time.Hour, Memory: time.Hour}, false}
	addresses      = pace{"address", lost.ThrottlePolicy{Free: 3, First: 5 * time.Minute, Most: time.Hour, Memory: 6 * time.Hour}, false}
	invitations    = pace{"invitation", lost.ThrottlePolicy{Free: 50, First: 10 * time.Second, Most: 10 * time.Minute, Memory: 24 * time.Hour}, false}
)

func (p pace) of(who ...string) turn { return turn{p, strings.Join(who, " ")} }

// take counts tries before they are made: many at once are then no way around it. Where one has to wait, none is counted. Turns are
// always named in the same order, so that two wait for each other in one direction only.
func take(tx *store.Tx, turns ...turn) error {
	kept := make([]lost.Throttle, len(turns))
	var wait time.Duration
	for n, t := range turns {
		throttle, err := tx.LockThrottle(t.kind, store.Slot(t.who))
		if err != nil {
			return err
		}
		kept[n], wait = throttle, max(wait, throttle.Wait(tx.Now()))
	}
	if wait > 0 {
		return lost.TryLater(wait)
	}
	for n, t := range turns {
		kept[n].Fail(t.ThrottlePolicy, tx.Now())
		if err := tx.SaveThrottle(t.kind, store.Slot(t.who), kept[n]); err != nil {
			return err
		}
	}
	return nil
}

func (d *Desk) take(ctx context.Context, turns ...turn) error {
	return d.db.Write(ctx, func(tx *store.Tx) error { return take(tx, turns...) })
}

// giveBack takes back what was counted of tries that went well.
func giveBack(tx *store.Tx, turns ...turn) error {
	for _, t := range turns {
		throttle, err := tx.LockThrottle(t.kind, store.Slot(t.who))
		if err != nil {
			return err
		}
		if throttle.Forgive(tx.Now()); t.ends {
			throttle = lost.Throttle{}
		}
		if err := tx.SaveThrottle(t.kind, store.Slot(t.who), throttle); err != nil {
			return err
		}
	}
	return nil
}

// signInTurns is what a log-in counts against.
func (d *Desk) signInTurns(u lost.User, email string, from lost.Client) []turn {
	if nonce, known := d.remembers(u, from.Mark); known {
		return []turn{byBrowser.of(u.ID, nonce)}
	}
	email = store.Fold(email)
	return []turn{byPair.of(email, from.Address), byEmail.of(email), byClient.of(from.Address)}
}

// codeTurn is what a code counts against.
func (d *Desk) codeTurn(u lost.User, from lost.Client) turn {
	nonce, _ := d.remembers(u, from.Mark)
	return codes.of(u.ID, nonce)
}

// A mark is what a browser keeps of the people who have logged in with it: something of its own, and for each of the last few of them
// what only the service can make of it. It lets nobody in.
const (
	markPeople = 5
	maxMark    = 400
)

// remembers tells whether a browser's mark says that a user has logged in with it, and what it has of its own.
func (d *Desk) remembers(u lost.User, mark string) (nonce string, known bool) {
	if u.ID == "" || mark == "" || len(mark) > maxMark {
		return "", false
	}
	parts := strings.Split(mark, ".")
	want, err := d.db.Mark(u, parts[0])
	if err != nil {
		return "", false
	}
	for _, have := range parts[1:] {
		if subtle.ConstantTimeCompare([]byte(have), []byte(want)) == 1 {
			return parts[0], true
		}
	}
	return "", false
}

// remember adds a user to a browser's mark.
func (d *Desk) remember(u lost.User, mark string) (string, error) {
	if _, known := d.remembers(u, mark); known {
		return mark, nil
	}
	parts := strings.Split(mark, ".")
	if mark == "" || len(mark) > maxMark {
		parts = []string{rand.Text()}
	}
	own, err := d.db.Mark(u, parts[0])
	people := append(slices.Clone(parts[1:]), own)
	people = people[max(0, len(people)-markPeople):]
	return strings.Join(append(parts[:1:1], people...), "."), err
}
