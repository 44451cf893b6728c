package frame

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeward/internal/desk"
	"homeward/internal/live"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// Pages follow what happens elsewhere. The script live.js keeps one stream of server-sent events open while a page is
// visible. If something that the page shows has changed, the stream says so, and the script reads the page again.

// livePages lists the routes of the pages that are read again after a change. Of all other pages, only the numbers in
// the menu are updated.
var livePages = []string{
	"/{$}", "/tasks/{kind}", "/at/{location}/items", "/at/{location}/items/{id}", "/at/{location}/requests",
	"/at/{location}/requests/{id}", "/at/{location}/storage", "/at/{location}/storage/held", "/at/{location}/places",
	"/at/{location}/place", "/at/{location}/pickups", "/at/{location}/pickups/day",
}

// The intervals of a stream.
const (
	sendInterval    = 800 * time.Millisecond // between two messages
	heartbeat       = 25 * time.Second       // proxies close a connection without data after a minute
	recheckInterval = 5 * time.Minute        // of the session, in case that the stream missed its end
)

// backgroundHeader marks a request that a script makes on its own, without the user.
const backgroundHeader = "Homeward-Background"

// inBackground reports whether a script makes the request on its own. Such a request does not count as use of the
// session, changes no cookies, and does not take messages that the next page shows.
func inBackground(r *http.Request) bool {
	return r.Header.Get(backgroundHeader) != "" || r.Header.Get("Accept") == streamType
}

// streamType is the content type of a stream.
const streamType = "text/event-stream"

// wantsStream reports whether a script asks for a stream.
func wantsStream(c *Call) bool { return c.Request.Header.Get("Accept") == streamType }

// followsChanges reports whether the page of a request is read again after a change.
func followsChanges(r *http.Request) bool {
	method, route, _ := strings.Cut(r.Pattern, " ")
	return method == http.MethodGet && slices.Contains(livePages, route)
}

// liveURL returns the address of the stream for a page whose menu opens the lists of s.
func liveURL(c *Call, s Scope) string {
	query := url.Values{"here": {s.ID()}, "since": {strconv.FormatInt(c.began.UnixMicro(), 10)}}
	if !followsChanges(c.Request) {
		query.Set("static", "1")
		return "/live?" + query.Encode()
	}
	location := cmp.Or(c.Request.PathValue("location"), c.Request.URL.Query().Get("location"))
	if location != AllLocations {
		query.Set("location", location)
	}
	if strings.HasSuffix(c.Request.Pattern, "/items/{id}") {
		query.Set("item", c.Request.PathValue("id"))
	}
	return "/live?" + query.Encode()
}

// addLive makes a page follow changes, and adds the numbers to its menu.
func addLive(c *Call, p *Page, s Scope) {
	if !c.May(lost.ViewItems) {
		return
	}
	p.LiveURL, p.Follows = liveURL(c, s), followsChanges(c.Request)
	open, err := openCounts(c, s.ID())
	if err != nil { // the menu is shown without numbers
		return
	}
	counts := formatMenuCounts(c.Locale, open)
	for n := range p.Menu {
		p.Menu[n].Count, p.Menu[n].Counted = counts[p.Menu[n].Icon]
	}
}

// openCounts returns the numbers in the menu.
func openCounts(c *Call, here string) (live.Counts, error) {
	a := c.Actor()
	key := here
	if a.Locations != nil {
		key += " " + strings.Join(a.Locations, ",")
	}
	return c.Services.Live.Counts(a.Account, key, func() (n live.Counts, err error) {
		n.Tasks, n.Requests, err = c.Services.Reports.CountOpen(c.Context(), a, here)
		return n, err
	})
}

// Count is a number in the menu.
type Count struct {
	Short string `json:"short"` // empty if the number is 0
	Text  string `json:"text"`  // for screen readers
}

// formatMenuCounts returns the numbers in the menu by the icons of their links.
func formatMenuCounts(l Locale, n live.Counts) map[string]Count {
	return map[string]Count{
		"today":    formatMenuCount(l, n.Tasks, "frame.count.tasks", "frame.count.tasks.or-more"),
		"requests": formatMenuCount(l, n.Requests, "frame.count.requests", "frame.count.requests.or-more"),
	}
}

// formatMenuCount formats a number in the menu. key is its text for screen readers, and orMore the text for a large
// number, which is not counted to the end.
func formatMenuCount(l Locale, n int, key, orMore string) Count {
	switch {
	case n == 0:
		return Count{}
	case n >= desk.MaxMenuCount:
		n = desk.MaxMenuCount - 1
		return Count{Short: l.Number(n) + "+", Text: l.Say(orMore, "n", n)}
	default:
		return Count{Short: l.Number(n), Text: l.Say(key, "n", n)}
	}
}

// liveMessage is one message of a stream.
type liveMessage struct {
	Changed bool             `json:"changed,omitempty"` // the page must be read again
	Delay   int64            `json:"delay,omitempty"`   // milliseconds until then
	Counts  map[string]Count `json:"counts,omitempty"`
	Report  bool             `json:"report,omitempty"` // a lost report was filed
	Choice  bool             `json:"choice,omitempty"` // an owner made a choice
	Access  bool             `json:"access,omitempty"` // the user's access has changed or ended
}

// serveLive sends a stream of messages about changes, until the page is closed or the user has lost access.
func serveLive(c *Call) error {
	connection := http.NewResponseController(c.Writer)
	if !wantsStream(c) || connection.SetReadDeadline(time.Time{}) != nil { // or the writer does not support streams
		c.Writer.WriteHeader(http.StatusNoContent)
		return nil
	}
	query := c.Request.URL.Query()
	since, _ := strconv.ParseInt(cmp.Or(c.Request.Header.Get("Last-Event-ID"), query.Get("since")), 10, 64)
	a := c.Actor()
	tab, err := c.Services.Live.Open(live.Scope{
		Account: a.Account, User: c.Session.User.ID, Session: c.Session.Session.ID, Locations: a.Locations,
		Location: query.Get("location"), Item: query.Get("item"), Static: query.Get("static") != "",
	}, time.UnixMicro(since))
	if err != nil {
		return err
	}
	defer tab.Close()
	h := c.Writer.Header()
	h.Set("Content-Type", streamType)
	h.Set("X-Accel-Buffering", "no") // otherwise nginx would collect messages
	respond.BeginStream(c.Writer)
	s := &liveStream{Call: c, tab: tab, here: query.Get("here"), connection: connection}
	const maxRetry = 4000
	if !s.send(fmt.Sprintf("retry: %d\n\n", 1000+rand.N(maxRetry))) { //nolint:gosec // not a secret
		return nil
	}
	s.run()
	return nil
}

// liveStream is the stream of one page.
type liveStream struct {
	*Call
	tab        *live.Tab
	here       string
	connection *http.ResponseController
	counts     live.Counts // the numbers that were sent last
	counted    bool
}

// run sends messages until the stream ends.
func (s *liveStream) run() {
	beat, recheck := time.NewTicker(heartbeat), time.NewTimer(s.untilRecheck())
	defer beat.Stop()
	defer recheck.Stop()
	for {
		var ok bool
		select {
		case <-s.Context().Done():
			return
		case <-beat.C:
			ok = s.send(":\n\n")
		case <-recheck.C:
			ok = s.checkAccess()
			recheck.Reset(s.untilRecheck())
		case <-s.tab.Ready():
			ok = s.sendNews() && s.pause()
		}
		if !ok {
			return
		}
	}
}

// untilRecheck returns the time until the session must be read again: when it expires, or earlier.
func (s *liveStream) untilRecheck() time.Duration {
	return min(recheckInterval, max(time.Second, s.Session.Session.ExpiresAt.Sub(s.Now())))
}

// pause waits for the time between two messages.
func (s *liveStream) pause() bool {
	select {
	case <-time.After(sendInterval):
		return true
	case <-s.Context().Done():
		return false
	}
}

// sendNews sends the news of the page. It returns false at the end of the stream.
func (s *liveStream) sendNews() bool {
	n := s.tab.Take()
	if n.End || n.Access && !s.checkAccess() {
		return false
	}
	m := liveMessage{Changed: n.Changed, Delay: n.Delay.Milliseconds(), Report: n.Report, Choice: n.Choice}
	now := time.Now()
	if n.Counts {
		counts, err := openCounts(s.Call, s.here)
		if err == nil && (!s.counted || counts != s.counts) {
			m.Counts = formatMenuCounts(s.Locale, counts)
			s.counts, s.counted = counts, true
		}
	}
	if !m.Changed && !m.Report && !m.Choice && m.Counts == nil {
		return true
	}
	return s.sendMessage(m, now)
}

func (s *liveStream) sendMessage(m liveMessage, now time.Time) bool {
	text, err := json.Marshal(m)
	return err == nil && s.send(fmt.Sprintf("id: %d\ndata: %s\n\n", now.UnixMicro(), text))
}

// checkAccess reads the session again. If the user's access has changed, it tells the page, and returns false.
func (s *liveStream) checkAccess() bool {
	in, err := s.Services.Sessions.Peek(s.Context(), s.SessionToken(), s.Client())
	was := s.Session.User
	switch {
	case lost.CodeOf(err) == lost.Unavailable:
		return true // the next check follows
	case err == nil && in.User.Role == was.Role && slices.Equal(in.User.Locations, was.Locations) &&
		(in.User.Locations == nil) == (was.Locations == nil):
		s.Session = in
		return true
	}
	s.sendMessage(liveMessage{Access: true}, time.Now())
	return false
}

// send sends text at once. It returns false if the page was closed.
func (s *liveStream) send(text string) bool {
	if _, err := respond.Stream(s.Writer, []byte(text)); err != nil {
		return false
	}
	return s.connection.Flush() == nil
}
