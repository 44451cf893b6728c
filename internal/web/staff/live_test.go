package staff_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/desk"
	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/testkit"
)

// liveMessage is a message of a stream.
type liveMessage struct {
	Changed, Report, Choice, Access bool
	Counts                          map[string]struct{ Short, Text string }
	ended                           bool // not a message, but the end of the stream
}

// liveServer is a server whose streams a test reads.
type liveServer struct {
	*testkit.Server
	url string
}

func eachLiveServer(t *testing.T, fn func(t *testing.T, s liveServer)) {
	t.Helper()
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		web := httptest.NewServer(h.Handler)
		t.Cleanup(func() {
			h.Services.Close()
			web.Close()
		})
		fn(t, liveServer{h, web.URL})
	})
}

// get sends a request as the user with a session.
func (s liveServer) get(path, token string, header http.Header) *http.Response {
	s.T.Helper()
	r := testkit.Must(http.NewRequestWithContext(s.T.Context(), http.MethodGet, s.url+path, http.NoBody))
	for name, values := range header {
		r.Header[name] = values
	}
	r.AddCookie(&http.Cookie{Name: "session", Value: token})
	res := testkit.Must(http.DefaultTransport.RoundTrip(r))
	s.T.Cleanup(func() { _ = res.Body.Close() })
	return res
}

var eventStream = http.Header{"Accept": {"text/event-stream"}}

// follow opens a stream, and returns its messages after the first one, which tells the page to read itself again.
func (s liveServer) follow(query, token string) <-chan liveMessage {
	s.T.Helper()
	res := s.get("/live?"+query, token, eventStream)
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/event-stream" ||
		res.Header.Get("X-Accel-Buffering") != "no" {
		s.T.Fatalf("got status %d and headers %v, want a stream", res.StatusCode, res.Header)
	}
	messages := make(chan liveMessage, 100)
	go func() {
		defer func() { messages <- liveMessage{ended: true} }()
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			if text, found := strings.CutPrefix(lines.Text(), "data: "); found {
				var m liveMessage
				if json.Unmarshal([]byte(text), &m) != nil {
					return
				}
				messages <- m
			}
		}
	}()
	if query == "static=1" {
		return messages
	}
	if first := next(s.T, messages); !first.Changed {
		s.T.Fatalf("the first message is %+v", first)
	}
	return messages
}

func next(t testing.TB, messages <-chan liveMessage) liveMessage {
	t.Helper()
	select {
	case m := <-messages:
		return m
	case <-time.After(time.Minute):
		t.Fatal("no message arrived")
		return liveMessage{}
	}
}

func expectEnd(t *testing.T, messages <-chan liveMessage) {
	t.Helper()
	for {
		if next(t, messages).ended {
			return
		}
	}
}

func (s liveServer) newRequest(at lost.Location) lost.Item {
	return testkit.Must(s.Services.Requests.File(s.T.Context(), s.Actor, at.ID, testkit.RequestFor("Umbrella"),
		lost.IdempotencyKey{}))
}

// choose donates an item as its owner.
func (s liveServer) choose(i lost.Item) {
	s.T.Helper()
	link, _, err := s.DB.LinkForAddress(s.T.Context(), i.Account, i.ID, i.Owner.Address())
	testkit.Must(0, err)
	testkit.Must(s.Services.Guests.Choose(s.T.Context(), testkit.Must(s.DB.LinkToken(link)),
		lost.ChoicePatch{Choice: lost.ChooseDonate}))
}

// setTasks sets the tasks of an item, as the background job does.
func (s liveServer) setTasks(i lost.Item, kinds ...lost.TaskKind) {
	s.T.Helper()
	testkit.Must(0, s.DB.Write(s.T.Context(), func(tx *store.Tx) error { return tx.SetTasks(i, kinds) }))
}

func TestAStreamTellsOnlyOfAccessibleLocations(t *testing.T) {
	eachLiveServer(t, func(t *testing.T, s liveServer) {
		hotel, zoo := s.NewLocation("Hotel"), s.NewLocation("Zoo")
		_, owner := s.Session(s.Owner, lost.Client{})
		_, keeper := s.Session(s.NewMember("Keeper", lost.DeskRole, zoo.ID), lost.Client{})
		of, elsewhere := s.follow("", owner), s.follow("location="+hotel.ID, keeper)
		here := s.follow("", keeper)
		s.newRequest(hotel)
		if m := next(t, of); !m.Changed || !m.Report {
			t.Errorf("the owner got %+v, want a new lost report", m)
		}
		s.NewItem(zoo, "Umbrella")
		if m := next(t, here); !m.Changed || m.Report {
			t.Errorf("a user with access only to the zoo got %+v, want only the item at the zoo", m)
		}
		s.Services.Live.Drain()
		for m := next(t, elsewhere); !m.ended; m = next(t, elsewhere) {
			if m.Changed || m.Report {
				t.Errorf("a user without access to the hotel got %+v", m)
			}
		}
	})
}

func TestAStreamTellsOfAnOwnersChoiceAndOfOpenTasks(t *testing.T) {
	eachLiveServer(t, func(t *testing.T, s liveServer) {
		hotel := s.NewLocation("Hotel")
		i := s.NewItem(hotel, "Umbrella", func(p *lost.ItemPatch) {
			p.Owner = lost.Set(lost.OwnerPatch{Email: lost.Set("guest@example.com")})
		})
		_, token := s.Session(s.Owner, lost.Client{})
		messages := s.follow("here="+hotel.ID, token)
		s.choose(i)
		if m := next(t, messages); !m.Changed || !m.Choice {
			t.Errorf("got %+v, want the owner's choice", m)
		}
		s.setTasks(s.newRequest(hotel), lost.AnswerTask)
		for {
			m := next(t, messages)
			if got := m.Counts["requests"]; got.Short == "1" && got.Text == "1 open request" {
				break
			}
		}
	})
}

func TestAStreamEndsWhenAccessDoes(t *testing.T) {
	for name, end := range map[string]func(s liveServer, in identity.Session){
		"logged out": func(s liveServer, in identity.Session) {
			testkit.Must(0, s.Services.Sessions.SignOut(s.T.Context(), in))
		},
		"logged out elsewhere": func(s liveServer, in identity.Session) {
			other := in
			other.Session, _ = s.Session(in.User, lost.Client{})
			testkit.Must(0, s.Services.Sessions.EndOthers(s.T.Context(), other))
		},
		"another role": func(s liveServer, in identity.Session) {
			testkit.Must(s.Services.Team.ChangeMember(s.T.Context(), s.Actor, in.User.ID, lost.Membership{
				Email: in.User.Email, Name: in.User.Name, Role: lost.LoggerRole,
			}))
		},
		"blocked": func(s liveServer, in identity.Session) {
			testkit.Must(s.Services.Team.SetMemberDisabled(s.T.Context(), s.Actor, in.User.ID, true))
		},
		"stopping": func(s liveServer, _ identity.Session) { s.Services.Live.Drain() },
	} {
		t.Run(name, func(t *testing.T) {
			eachLiveServer(t, func(t *testing.T, s liveServer) {
				s.NewLocation("Hotel")
				u := s.NewMember("Desk", lost.DeskRole)
				session, token := s.Session(u, lost.Client{})
				_, other := s.Session(s.Owner, lost.Client{})
				messages, stays := s.follow("", token), s.follow("", other)
				end(s, identity.Session{User: u, Session: session})
				expectEnd(t, messages)
				if name == "stopping" {
					expectEnd(t, stays)
					return
				}
				s.newRequest(s.NewLocation("Zoo"))
				if m := next(t, stays); m.ended || m.Access {
					t.Errorf("the stream of another user got %+v", m)
				}
			})
		})
	}
}

func TestAStreamIsRefused(t *testing.T) {
	s := testkit.NewServer(t)
	web := httptest.NewServer(s.Handler)
	t.Cleanup(func() {
		s.Services.Close()
		web.Close()
	})
	live := liveServer{s, web.URL}
	_, logger := s.Session(s.NewMember("Logger", lost.LoggerRole), lost.Client{})
	_, owner := s.Session(s.Owner, lost.Client{})
	expect := func(token string, want int) {
		t.Helper()
		if res := live.get("/live", token, eventStream); res.StatusCode != want {
			t.Errorf("got status %d, want %d", res.StatusCode, want)
		}
	}
	expect("none", http.StatusNoContent) // the browser does not try again, and its console has no error
	expect(logger, http.StatusForbidden)
	for range 30 {
		live.follow("", owner)
	}
	expect(owner, http.StatusTooManyRequests)
	if res := live.get("/", owner, http.Header{"Accept": {"text/html"}}); res.StatusCode != http.StatusOK {
		t.Errorf("a page got status %d while too many streams are open", res.StatusCode)
	}
	s.Services.Live.Drain()
	expect(owner, http.StatusServiceUnavailable)
}

// A page that updates itself must not keep the session of somebody who has left, must not take a message that the next
// page shows, and must not change the location where the user works in another tab.
func TestARequestInTheBackgroundLeavesNoTraces(t *testing.T) {
	eachLiveServer(t, func(t *testing.T, s liveServer) {
		hotel := s.NewLocation("Hotel")
		session, token := s.Session(s.Owner, lost.Client{})
		s.Clock.Advance(time.Hour)
		seen := func() time.Time {
			return testkit.Must(s.DB.Session(t.Context(), session.Account, session.ID)).SeenAt
		}
		before := seen()
		header := http.Header{
			"Accept": {"text/html"}, "Homeward-Background": {"1"}, "Cookie": {"tell=" + url.QueryEscape("Saved.")},
		}
		res := s.get("/at/"+hotel.ID+"/items", token, header)
		if res.StatusCode != http.StatusOK || len(res.Cookies()) > 0 {
			t.Errorf("got status %d and cookies %v, want no cookies", res.StatusCode, res.Cookies())
		}
		s.follow("", token)
		if !seen().Equal(before) {
			t.Error("the request counts as use of the session")
		}
		header.Del("Homeward-Background")
		if res := s.get("/at/"+hotel.ID+"/items", token, header); len(res.Cookies()) == 0 || !seen().After(before) {
			t.Error("a request of the user sets no cookies or does not count as use of the session")
		}
	})
}

// Browsers prefetch a page when the pointer is over its link.
func TestAPrefetchedPageDoesNotChangeTheLocation(t *testing.T) {
	eachLiveServer(t, func(t *testing.T, s liveServer) {
		hotel := s.NewLocation("Hotel")
		_, token := s.Session(s.Owner, lost.Client{})
		for _, path := range []string{"/?location=" + hotel.ID, "/at/" + hotel.ID + "/items"} {
			for purpose, want := range map[string]bool{"prefetch": false, "": true} {
				header := http.Header{"Accept": {"text/html"}, "Sec-Purpose": {purpose}}
				changed := slices.ContainsFunc(s.get(path, token, header).Cookies(), func(c *http.Cookie) bool {
					return c.Name == "at" && c.Value == hotel.ID
				})
				if changed != want {
					t.Errorf("%s with the purpose %q changes the location: %v, want %v", path, purpose, changed, want)
				}
			}
		}
	})
}

func TestAPrefetchedPageDoesNotSeeMessages(t *testing.T) {
	eachLiveServer(t, func(t *testing.T, s liveServer) {
		i := s.NewItem(s.NewLocation("Hotel"), "Umbrella", func(p *lost.ItemPatch) {
			p.Owner = lost.Set(lost.OwnerPatch{Email: lost.Set("anna@example.com")})
		})
		link, _, err := s.DB.LinkForAddress(t.Context(), i.Account, i.ID, "anna@example.com")
		testkit.Must(0, err)
		testkit.Must(0, s.Services.Threads.WriteAsGuest(t.Context(), testkit.Must(s.DB.LinkToken(link)), desk.Draft{
			Via: lost.ViaPage, ThreadPatch: lost.ThreadPatch{Text: lost.Set("Have you found it?")},
		}))
		_, token := s.Session(s.Owner, lost.Client{})
		for _, purpose := range []string{"prefetch", ""} {
			s.get("/at/"+i.LocationID+"/items/"+i.ID, token, http.Header{"Sec-Purpose": {purpose}})
			m := testkit.Must(s.DB.Thread(t.Context(), i.Account, i.ID, lost.FirstPage())).Data[0]
			if seen := !m.SeenAt.IsZero(); seen != (purpose == "") {
				t.Errorf("after a request with the purpose %q: seen is %t", purpose, seen)
			}
		}
	})
}
