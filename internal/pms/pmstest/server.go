package pmstest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost/stay"
)

// Server is a test server of one system.
type Server struct {
	*httptest.Server
	Hotel  Hotel
	System stay.System
	state  state
}

// Start starts a test server of a system, which stops at the end of the test.
func Start(t testing.TB, system stay.System) *Server {
	t.Helper()
	return StartHotel(t, system, newHotel(true))
}

// StartHotel is like Start, for a hotel.
func StartHotel(t testing.TB, system stay.System, h Hotel) *Server {
	t.Helper()
	s := &Server{Hotel: h, System: system}
	if system == stay.Mews { // a reservation has one resource
		s.Hotel = h.presentRooms()
	}
	s.state.tokens, s.state.done = map[string]bool{}, make(chan struct{})
	mux := http.NewServeMux()
	switch system {
	case stay.Apaleo:
		s.serveApaleo(mux)
	case stay.Mews:
		s.serveMews(mux)
	case stay.OHIP:
		s.serveOHIP(mux)
	default:
		s.serveCloudbeds(mux)
	}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.state.mu.Lock()
		s.state.requests++
		s.state.mu.Unlock()
		if !s.fails(w, r) {
			mux.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(func() {
		close(s.state.done)
		s.Close()
	})
	return s
}

// presentRooms returns the hotel as a system tells it that knows only the present room of a reservation.
func (h Hotel) presentRooms() Hotel {
	h.Bookings = slices.Clone(h.Bookings)
	for n := range h.Bookings {
		b := &h.Bookings[n]
		b.Segments = []Segment{{b.Last().Room, b.Segments[0].From, b.Last().To}}
	}
	return h
}

// Values returns the settings of a connection to the server.
func (s *Server) Values() map[string]string {
	return map[string]string{
		stay.URLSetting: s.URL, stay.TokenURLSetting: s.URL + "/connect/token",
		stay.PropertySetting: s.Hotel.Property, stay.ClientIDSetting: clientID, stay.ClientSecretSetting: clientSecret,
		stay.AppKeySetting: appKey, stay.EnterpriseSetting: "ENT1", stay.ClientTokenSetting: clientToken,
		stay.AccessTokenSetting: accessToken, stay.APIKeySetting: apiKey,
	}
}

// Connection returns a connection to the server.
func (s *Server) Connection() stay.Connection {
	return stay.Connection{Account: "acc_1", LocationID: "loc_1", System: s.System, Values: s.Values()}
}

// The credentials that the servers accept.
const (
	clientID     = "homeward"
	clientSecret = "client-secret"
	appKey       = "41ecd082-8997-4c69-af34-2f72b83645ff"
	clientToken  = "CLIENT-TOKEN"
	accessToken  = "ACCESS-TOKEN"
	apiKey       = "cbat_key"
)

// Fail makes the server fail in a way from now on. None ends it.
func (s *Server) Fail(f Fault) {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	s.state.fault = f
}

func (s *Server) fault() Fault {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	return s.state.fault
}

// ExpireTokens ends all access tokens that the server has issued.
func (s *Server) ExpireTokens() {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	clear(s.state.tokens)
}

// Tokens returns how many access tokens the server has issued.
func (s *Server) Tokens() int {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	return s.state.issued
}

// Requests returns how many requests the server has received.
func (s *Server) Requests() int {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	return s.state.requests
}

// fails answers a request in the way of the fault. It returns false if the request is to be answered as usual.
func (s *Server) fails(w http.ResponseWriter, r *http.Request) bool {
	isToken := strings.Contains(r.URL.Path, "token")
	only := map[Fault]string{
		NoCalendar: "/roomCalendar", BusyCalendar: "/roomCalendar", HangingCalendar: "/roomCalendar",
		NoCustomers: "/customers/getAll", NoCompanions: "/companionships/getAll",
	}
	fault := s.fault()
	if !strings.HasSuffix(r.URL.Path, only[fault]) {
		return false
	}
	switch fault {
	case Hang, HangingCalendar:
		select {
		case <-r.Context().Done():
		case <-s.state.done:
		}
	case TooManyFault, BusyCalendar:
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusTooManyRequests)
	case BrokenJSON:
		_, _ = w.Write([]byte(`{"reservations": [{"id": "RES-`))
	case WrongJSON:
		_, _ = w.Write([]byte(`"maintenance"`))
	case ServerError:
		w.WriteHeader(http.StatusInternalServerError)
	case Redirect:
		http.Redirect(w, r, "http://127.0.0.1:1/elsewhere", http.StatusFound)
	case NotFound:
		w.WriteHeader(http.StatusNotFound)
	case NoCalendar, NoCustomers, NoCompanions:
		w.WriteHeader(http.StatusForbidden)
	case ForbiddenOnly:
		if isToken {
			return false
		}
		w.WriteHeader(http.StatusForbidden)
	default:
		return false
	}
	return true
}

// issue writes a new access token.
func (s *Server) issue(w http.ResponseWriter) {
	s.state.mu.Lock()
	s.state.issued++
	token := fmt.Sprintf("token-%d", s.state.issued)
	s.state.tokens[token] = true
	s.state.mu.Unlock()
	answer(w, map[string]any{"access_token": token, "expires_in": 3600, "token_type": "Bearer"})
}

// accepts reports whether a request has an access token that is valid, and answers it otherwise.
func (s *Server) accepts(w http.ResponseWriter, r *http.Request) bool {
	s.state.mu.Lock()
	ok := s.state.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
	s.state.mu.Unlock()
	if !ok {
		w.WriteHeader(http.StatusUnauthorized)
	}
	return ok
}

func answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}

// page returns a part of a list, and whether there is more.
func page[T any](all []T, offset, limit int) ([]T, bool) {
	if offset < 0 || offset >= len(all) || limit <= 0 {
		return nil, false
	}
	end := min(offset+limit, len(all))
	return all[offset:end], end < len(all)
}

func utc(at time.Time) string { return at.UTC().Format(time.RFC3339) }
