package finds_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/stay"
	"homeward/internal/pms/pmstest"
	"homeward/internal/stays"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

// guestID matches the id of the first guest in a form.
var guestID = regexp.MustCompile(`name="stay" value="(stay_[0-9a-z]+)"`)

// lookupID matches the id of a look-up in a form.
var lookupID = regexp.MustCompile(`name="stays-lookup" value="(look_[0-9a-z]+)"`)

func connect(t testing.TB, h *testkit.Server, l lost.Location, s *pmstest.Server) {
	t.Helper()
	if err := h.Services.Stays.Connect(t.Context(), h.Actor, l.ID, s.System, s.Values()); err != nil {
		t.Fatal(err)
	}
}

func TestAGuestOfTheRoomBecomesTheOwnerWithoutScripts(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l, s := h.NewLocation("Hotel Adler"), pmstest.Start(t, stay.Apaleo)
		v, at := h.As(h.NewMember("Lou", lost.LoggerRole)), "/at/"+l.ID+"/find"
		if strings.Contains(v.Get(at).Body, "data-stays") {
			t.Error("the form offers a look-up at a location without a connection")
		}
		connect(t, h, l, s)
		b := s.Hotel.Bookings[1] // a shared room
		typed := url.Values{
			"description": {"Black umbrella"}, "discoveryPlace": {"Zimmer " + b.Last().Room + ", Bad"},
			"discoveryDate": {b.Last().To}, "brand": {"Brolly"}, "once": {"form-1"}, "notes": {"wet"},
		}
		look := url.Values{"stays": {"look"}}
		for name, values := range typed {
			look[name] = values
		}
		shown := stafftest.SendFind(v, at, look, stafftest.JPEG(20, 20))
		guest := b.Guests[0]
		for _, want := range []string{
			"Black umbrella", `value="Brolly"`, "wet", `value="form-1"`, stay.MaskEmail(guest.Email),
			strings.TrimPrefix(stay.MaskPhone(guest.Phone), "+"), guest.LastName, "None of them",
			"left that day", "Choose the photos again.",
		} {
			if !strings.Contains(shown.Body, want) {
				t.Errorf("the form (%d) does not show %q", shown.Code, want)
			}
		}
		if strings.Contains(shown.Body, guest.Email) || strings.Contains(shown.Body, guest.Phone) {
			t.Error("the form contains the full address of a guest")
		}
		ids, lookup := guestID.FindAllStringSubmatch(shown.Body, -1), lookupID.FindStringSubmatch(shown.Body)
		if len(ids) < 2 || lookup == nil {
			t.Fatalf("got %d guests of a shared room", len(ids))
		}
		// A rejected form keeps the guests and the choice.
		typed.Set("stay", ids[0][1])
		typed.Set("stays-lookup", lookup[1])
		typed.Set("description", "")
		if a := stafftest.SendFind(v, at, typed); a.Code != http.StatusUnprocessableEntity ||
			!strings.Contains(a.Body, `value="`+ids[0][1]+`" checked`) {
			t.Errorf("got status %d for a form without a description, or the choice is lost", a.Code)
		}
		typed.Set("description", "Black umbrella")
		typed.Set("owner.email", "other@example.com")
		if a := stafftest.SendFind(v, at, typed); a.Code != http.StatusUnprocessableEntity {
			t.Errorf("got status %d for a guest and another owner", a.Code)
		}
		typed.Del("owner.email")
		if a := stafftest.SendFind(v, at, typed); a.Code != http.StatusSeeOther {
			t.Fatalf("got status %d: %s", a.Code, a.Body)
		}
		i := stafftest.NewestItem(h, l)
		if i.Owner.Email != guest.Email || i.Owner.Phone != guest.Phone || i.Language != guest.Language {
			t.Errorf("got the owner %+v, language %q", i.Owner, i.Language)
		}
		h.Clock.Advance(2 * time.Hour) // the look-up has expired, and the browser repeats the form
		again := stafftest.SendFind(v, at, typed)
		if again.Code != http.StatusConflict || !strings.Contains(again.Body, i.Reference) ||
			stafftest.NewestItem(h, l).ID != i.ID {
			t.Errorf("got status %d for the repeated form", again.Code)
		}
	})
}

func TestAChoiceOfAnotherUserIsRejected(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l := h.NewLocation("Hotel Adler")
		testkit.Must(h.Services.Stays.AddList(t.Context(), h.Actor, l.ID, stays.Upload{
			Content: []byte("room,departure,email\n207,2026-11-14,bea@example.com\n"), Days: 30,
		}))
		found := testkit.Must(h.Services.Stays.LookUp(t.Context(), h.Actor, l.ID, "207", "2026-11-14"))
		v := h.As(h.NewMember("Lou", lost.LoggerRole))
		a := stafftest.SendFind(v, "/at/"+l.ID+"/find", url.Values{
			"description": {"Hat"}, "stay": {found.Candidates[0].CandidateID}, "once": {"form-1"},
		})
		if a.Code != http.StatusUnprocessableEntity {
			t.Errorf("got status %d for the candidate of another user", a.Code)
		}
	})
}

func TestTheFormStaysUsableIfTheHotelSystemFails(t *testing.T) {
	for _, system := range stay.Systems() {
		t.Run(string(system), func(t *testing.T) {
			t.Parallel()
			testkit.Each(t, func(t *testing.T, h *testkit.Server) {
				l, s := h.NewLocation("Hotel Adler"), pmstest.Start(t, system)
				connect(t, h, l, s)
				v, at := h.LogIn(), "/at/"+l.ID+"/find"
				b := s.Hotel.Bookings[0]
				typed := url.Values{
					"description": {"Hat"}, "discoveryPlace": {"Room " + b.Last().Room}, "discoveryDate": {b.Last().To},
					"stays": {"look"}, "once": {"form-1"},
				}
				look := func(want string) {
					t.Helper()
					began := time.Now()
					a := stafftest.SendFind(v, at, typed)
					if took := time.Since(began); a.Code != http.StatusOK || took > 3*time.Second ||
						!strings.Contains(a.Body, want) || !strings.Contains(a.Body, "Hat</textarea>") {
						t.Errorf("got status %d after %s, or not %q", a.Code, took, want)
					}
				}
				look(stay.MaskEmail(b.Guests[0].Email))
				for fault, want := range map[pmstest.Fault]string{
					pmstest.Hang: "did not answer in time", pmstest.TooManyFault: "accepts no more requests",
					pmstest.BrokenJSON: "unexpected answer", pmstest.WrongJSON: "unexpected answer",
					pmstest.ServerError: "cannot be reached",
				} {
					s.Fail(fault)
					look(want)
				}
				s.Fail(pmstest.None)
				s.ExpireTokens()
				look(stay.MaskEmail(b.Guests[0].Email))
				typed.Set("discoveryPlace", "Lobby")
				look("No room was recognised")
				typed.Del("stays")
				if a := stafftest.SendFind(v, at, typed); a.Code != http.StatusSeeOther {
					t.Errorf("got status %d for the form without a guest", a.Code)
				}
				if i := stafftest.NewestItem(h, l); i.Owner.Email != "" || i.Description != "Hat" {
					t.Errorf("got %+v, want the find without an owner", i)
				}
			})
		})
	}
}

func TestGuestsAreLookedUpInABrowser(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l, s := h.NewLocation("Hotel Adler"), pmstest.Start(t, stay.Cloudbeds)
	connect(t, h, l, s)
	b := s.Hotel.Bookings[0] // the only guest of this room with this name
	for _, o := range []browsertest.Options{{Phone: true}, {Dark: true, NoScript: true}} {
		t.Run(o.String(), func(t *testing.T) {
			v := browsertest.New(t, o)
			stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/find")
			v.Fill("What is it?", "Phone charger")
			v.Fill("Where was it?", "Room "+b.Last().Room)
			v.Fill("When?", b.Last().To)
			if o.NoScript {
				v.Follow("Who stayed here?")
			} else {
				s.Fail(pmstest.ServerError)
				v.Click("Who stayed here?")
				v.See("The hotel system cannot be reached.")
				s.Fail(pmstest.None)
				v.Click("Who stayed here?")
			}
			v.See("Who is the owner?", stay.MaskEmail(b.Guests[0].Email))
			v.CheckAccessibility()
			stafftest.ExpectNoOverflow(t, v)
			v.Screenshot("stays")
			v.Click(b.Guests[0].FirstName + " " + b.Guests[0].LastName)
			v.Follow("Save")
			v.See("Write this on the tag")
			if i := stafftest.NewestItem(h, l); i.Owner.Email != b.Guests[0].Email || i.Description != "Phone charger" {
				t.Errorf("got %+v", i)
			}
		})
	}
}

// A service that stops during a look-up loses nothing that was typed.
func TestNothingTypedIsLostIfTheServiceStopsDuringALookUp(t *testing.T) {
	h, at := testkit.NewBrowserServer(t)
	l, s := h.NewLocation("Hotel Adler"), pmstest.Start(t, stay.Mews)
	connect(t, h, l, s)
	v := browsertest.New(t, browsertest.Options{Phone: true})
	v.IgnoreError("ERR_EMPTY_RESPONSE")
	stafftest.OpenAsOwner(v, h, at+"/at/"+l.ID+"/find")
	v.Fill("What is it?", "Phone charger")
	v.Fill("Where was it?", "Room 101")
	h.SetDown(true)
	v.Click("Who stayed here?")
	v.See("The hotel system did not answer in time.")
	h.SetDown(false)
	v.Follow("Save")
	v.See("Write this on the tag")
	if i := stafftest.NewestItem(h, l); i.Description != "Phone charger" || i.DiscoveryPlace != "Room 101" {
		t.Errorf("got %+v", i)
	}
}
