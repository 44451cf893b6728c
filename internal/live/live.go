// Package live tells the open pages of the dashboard that something they show has changed. A Hub hears of every change
// that this process commits, and tells the other processes that use the same database. Each open page has a Tab, which
// collects what concerns the page. The package knows neither HTTP nor what a page contains.
package live

import (
	"context"
	"crypto/rand"
	"log/slog"
	mathrand "math/rand/v2"
	"slices"
	"sync"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store"
)

// Limits of the number of open pages.
const (
	maxTabs        = 50_000
	maxAccountTabs = 20_000
	maxSessionTabs = 30
	// Every session may open openBurst pages at once, and then one more in each openInterval.
	openBurst    = 60
	openInterval = 200 * time.Millisecond
)

const (
	// idleTime is how long the hub listens to other processes after the last page was closed.
	idleTime = time.Minute
	// memory is how long the hub remembers the last change of an account. A page that was rendered or connected before
	// that is read again.
	memory = time.Minute
	// clockMargin is how much the clocks of processes may differ.
	clockMargin = 3 * time.Second
	// pageTime is the time in which one page may be read again. All pages of an account need a multiple of it.
	pageTime = 5 * time.Millisecond
	maxDelay = time.Minute
)

// Database is what a Hub needs of a database.
type Database interface {
	Broadcast(ctx context.Context, sender string, changes []store.PageChange) error
	ListenForChanges(ctx context.Context, sender string, ready func(), heard func([]store.PageChange)) error
}

// Hub connects changes with open pages.
type Hub struct {
	db     Database
	log    *slog.Logger
	sender string // identifies this process

	mu       sync.Mutex
	accounts map[string]*account // those with open pages
	sessions map[string]*session
	changed  map[string]time.Time // the last change in each account
	pruned   time.Time            // when old entries of changed and sessions were last deleted
	tabs     int
	closed   bool

	listening time.Time // since when all changes are heard; zero if they are not
	stop      context.CancelFunc
	idle      *time.Timer // stops listening

	outgoing broadcast
	running  sync.WaitGroup
}

type account struct {
	tabs       map[*Tab]struct{}
	generation int64 // number of changes
	counts     map[string]*cachedCounts
}

// session limits the pages that one session opens.
type session struct {
	open    int
	allowed float64 // pages that may be opened now
	at      time.Time
}

// NewHub returns a hub. The caller must call Close.
func NewHub(db Database, log *slog.Logger) *Hub {
	h := &Hub{
		db: db, log: log, sender: rand.Text(), accounts: map[string]*account{}, sessions: map[string]*session{},
		changed: map[string]time.Time{}, pruned: time.Now(),
	}
	h.outgoing.send = func(ctx context.Context, changes []store.PageChange) error {
		return db.Broadcast(ctx, h.sender, changes)
	}
	return h
}

// Scope tells what a page shows, and to whom.
type Scope struct {
	Account, User, Session string
	Locations              []string // the locations that the user can access; nil for all
	Location               string   // the location that the page shows; empty for all
	Item                   string   // the found item that the page shows; empty for lists and requests
	Static                 bool     // the page follows no changes; only its menu does
}

// shows reports whether the page shows something that has changed.
func (s Scope) shows(c store.PageChange) bool {
	switch {
	case s.Static:
		return false
	case c.Item != "" && c.Item == s.Item:
		return true
	case c.Kind == store.MatchesChanged:
		return false
	case c.Location == "":
		return c.Item == ""
	case s.Location != "" && s.Location != c.Location:
		return false
	default: // the page about an item also shows the requests that it matches
		return s.Item == "" || c.Item == "" || c.Kind == store.RequestChanged || c.Kind == store.LostReportFiled
	}
}

func (s Scope) mayAccess(location string) bool {
	return s.Locations == nil || slices.Contains(s.Locations, location)
}

// Tab is an open page.
type Tab struct {
	Scope
	hub   *Hub
	ready chan struct{}
	news  News // guarded by hub.mu
}

// News is what a page has to be told.
type News struct {
	Changed bool          // something that the page shows has changed
	Delay   time.Duration // how long the page waits before it is read again, so that not all pages are at once
	Counts  bool          // the numbers in the menu may have changed
	Report  bool          // a lost report was filed
	Choice  bool          // an owner made a choice
	Access  bool          // the user or the session may have lost access
	End     bool          // the process is about to stop
}

// Ready returns a channel that has a value if there is news.
func (t *Tab) Ready() <-chan struct{} { return t.ready }

// Take returns the news since the last call.
func (t *Tab) Take() News {
	t.hub.mu.Lock()
	defer t.hub.mu.Unlock()
	n := t.news
	t.news = News{End: n.End}
	return n
}

// wake makes Ready return. The caller holds hub.mu.
func (t *Tab) wake() {
	select {
	case t.ready <- struct{}{}:
	default: // the page has not yet taken the earlier news
	}
}

// markChanged tells the page to read itself again. The caller holds hub.mu.
func (t *Tab) markChanged(tabs int) {
	if !t.news.Changed {
		t.news.Delay = mathrand.N(min(time.Duration(tabs)*pageTime, maxDelay)) //nolint:gosec // not a secret
	}
	t.news.Changed = true
	t.wake()
}

// readAgain tells the page that anything may have changed. The caller holds hub.mu.
func (t *Tab) readAgain(tabs int) {
	t.news.Counts = true
	if !t.Static {
		t.markChanged(tabs)
	}
	t.wake()
}

// Open adds a page that was last read at the given time. It returns an error if there are too many pages, or the
// process is about to stop. The caller must call Close.
func (h *Hub) Open(s Scope, since time.Time) (*Tab, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	if h.closed {
		return nil, lost.E(lost.Unavailable, "The service is about to stop. Try again.")
	}
	h.prune(now)
	a, of := h.accounts[s.Account], h.sessions[s.Session]
	if of == nil {
		of = &session{allowed: openBurst, at: now}
	}
	of.allowed = min(openBurst, of.allowed+float64(now.Sub(of.at))/float64(openInterval))
	of.at = now
	if h.tabs >= maxTabs || a != nil && len(a.tabs) >= maxAccountTabs || of.open >= maxSessionTabs || of.allowed < 1 {
		return nil, lost.E(lost.TooMany, "Too many pages are open. They still work, but do not update themselves.")
	}
	of.allowed--
	of.open++
	h.sessions[s.Session] = of
	if a == nil {
		a = &account{tabs: map[*Tab]struct{}{}, counts: map[string]*cachedCounts{}}
		h.accounts[s.Account] = a
	}
	t := &Tab{Scope: s, hub: h, ready: make(chan struct{}, 1)}
	a.tabs[t] = struct{}{}
	h.tabs++
	h.listen()
	missed := since.Before(h.listening) || since.Before(now.Add(-memory)) ||
		since.Before(h.changed[s.Account].Add(clockMargin))
	if missed && !h.listening.IsZero() { // otherwise setListening follows
		t.readAgain(len(a.tabs))
	}
	return t, nil
}

// Close removes the page.
func (t *Tab) Close() {
	h := t.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	a := h.accounts[t.Account]
	if a == nil {
		return
	}
	if _, open := a.tabs[t]; !open {
		return
	}
	delete(a.tabs, t)
	if len(a.tabs) == 0 {
		delete(h.accounts, t.Account)
	}
	h.sessions[t.Session].open--
	h.tabs--
	if h.tabs == 0 && h.idle == nil && !h.closed {
		h.idle = time.AfterFunc(idleTime, h.stopIfIdle)
	}
}

// Tabs returns the number of open pages.
func (h *Hub) Tabs() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.tabs
}

// prune deletes entries that are no longer needed. The caller holds mu.
func (h *Hub) prune(now time.Time) {
	if now.Sub(h.pruned) < memory {
		return
	}
	h.pruned = now
	for id, at := range h.changed {
		if now.Sub(at) > memory+clockMargin {
			delete(h.changed, id)
		}
	}
	for id, s := range h.sessions {
		if s.open == 0 && now.Sub(s.at) > openBurst*openInterval {
			delete(h.sessions, id)
		}
	}
}

// Publish tells the open pages of all processes of committed changes. It does not block.
func (h *Hub) Publish(changes []store.PageChange) {
	h.deliver(changes)
	h.outgoing.add(changes)
}

// deliver tells the open pages of this process of changes.
func (h *Hub) deliver(changes []store.PageChange) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	h.prune(now)
	for _, c := range changes {
		h.changed[c.Account] = now
		a := h.accounts[c.Account]
		if a == nil {
			continue
		}
		a.generation++
		var outdated []*Tab
		for t := range a.tabs {
			if t.receive(c) {
				outdated = append(outdated, t)
			}
		}
		for _, t := range outdated {
			t.markChanged(len(outdated))
		}
	}
}

// receive tells the page of a change, and reports whether it must be read again. The caller holds hub.mu.
func (t *Tab) receive(c store.PageChange) (outdated bool) {
	if c.Kind == store.AccessChanged {
		if c.Item == "" || c.Item == t.User || c.Item == t.Session {
			t.news.Access = true
			t.wake()
		}
		return false
	}
	ofAccount := c.Location == "" && c.Item == ""
	if !ofAccount && !t.mayAccess(c.Location) {
		return false
	}
	t.news.Counts = true
	t.news.Report = t.news.Report || c.Kind == store.LostReportFiled
	t.news.Choice = t.news.Choice || c.Kind == store.OwnerChose
	t.wake()
	return t.shows(c)
}

// Drain ends all tabs, and opens no more.
func (h *Hub) Drain() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, a := range h.accounts {
		for t := range a.tabs {
			t.news.End = true
			t.wake()
		}
	}
}

// Close ends all tabs, and tells the other processes of the last changes.
func (h *Hub) Close() {
	h.Drain()
	h.mu.Lock()
	if h.stop != nil {
		h.stop()
	}
	if h.idle != nil {
		h.idle.Stop()
	}
	h.mu.Unlock()
	h.running.Wait()
	h.outgoing.close()
}
