package stays_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/lost/stay"
	"homeward/internal/outbox"
	"homeward/internal/pms/pmstest"
	"homeward/internal/stays"
	"homeward/internal/store"
	"homeward/internal/testkit"
)

const day = "2026-11-14"

// connect connects the fixture's location to a test server.
func connect(f *testkit.Fixture, s *pmstest.Server) {
	f.T.Helper()
	owner := f.Person("usr_owner", lost.OwnerRole)
	if err := f.Services.Stays.Connect(f.T.Context(), owner, f.Location.ID, s.System, s.Values()); err != nil {
		f.T.Fatal(err)
	}
}

// upload uploads a guest list for the fixture's location.
func upload(f *testkit.Fixture, text string, replace bool) (stays.Uploaded, error) {
	f.T.Helper()
	return f.Services.Stays.AddList(f.T.Context(), f.Person("usr_owner", lost.OwnerRole), f.Location.ID,
		stays.Upload{Content: []byte(text), Days: stay.DefaultKept, Replace: replace})
}

func lookUp(f *testkit.Fixture, a lost.Actor, room, on string) (stays.Result, error) {
	f.T.Helper()
	return f.Services.Stays.LookUp(f.T.Context(), a, f.Location.ID, room, on)
}

// audited counts the entries of the audit log with an action.
func audited(f *testkit.Fixture, action lost.AuditAction) int {
	f.T.Helper()
	list := testkit.Must(f.Services.AuditLog.List(f.T.Context(), f.Person("usr_owner", lost.OwnerRole),
		lost.AuditFilter{Action: action, PageCursor: lost.PageCursor{Limit: 100}}))
	for _, e := range list.Data {
		if strings.Contains(e.Note, "example.com") || strings.Contains(e.Note, "Meyer") {
			f.T.Errorf("the audit log names a guest: %q", e.Note)
		}
	}
	return len(list.Data)
}

// messages counts the messages about items that were sent to a guest.
func messages(f *testkit.Fixture, email string) int {
	f.T.Helper()
	return len(testkit.Must(f.DB.PersonMessages(f.T.Context(), f.Location.Account, lost.Person{Email: email}, 10)))
}

// stored counts the stored rows of guest lists that name a guest, whether or not they count.
func stored(f *testkit.Fixture, email string) int {
	f.T.Helper()
	keys, _, err := f.DB.RowsWithPerson(f.T.Context(), f.Location.Account, store.StayPersonalData(),
		lost.Person{Email: email}, nil)
	if err != nil {
		f.T.Fatal(err)
	}
	return len(keys)
}

func TestAGuestOfTheHotelSystemBecomesTheOwner(t *testing.T) {
	for _, system := range stay.Systems() {
		t.Run(string(system), func(t *testing.T) {
			s := pmstest.Start(t, system)
			testkit.EachLocation(t, func(f *testkit.Fixture) {
				connect(f, s)
				tested, err := f.Services.Stays.Test(f.T.Context(), f.Person("usr_owner", lost.OwnerRole),
					f.Location.ID)
				if err != nil || tested.Problem != "" || tested.TestedAt.IsZero() ||
					tested.Value(stay.ClientSecretSetting)+tested.Value(stay.APIKeySetting) != "" {
					t.Fatalf("got the test %+v, %v", tested, err)
				}
				desk := f.Person("usr_logger", lost.LoggerRole)
				b := s.Hotel.Bookings[0]
				found, err := lookUp(f, desk, "Zimmer "+b.Last().Room, b.Last().To)
				if err != nil || len(found.Candidates) == 0 || found.Candidates[0].Guest.Email != b.Guests[0].Email {
					t.Fatalf("got %+v, %v", found, err)
				}
				if n := messages(f, b.Guests[0].Email); n != 0 {
					t.Errorf("got %d messages after a look-up, want that nobody is told", n)
				}
				p, err := f.Services.Stays.Confirm(f.T.Context(), desk, f.Location.ID, found.Candidates[0].CandidateID)
				if err != nil {
					t.Fatal(err)
				}
				p.Description = lost.Set("Charger")
				i, err := f.Services.Items.Create(f.T.Context(), desk, f.Location.ID, p, lost.IdempotencyKey{})
				if err != nil || i.Owner.Email != b.Guests[0].Email || i.Owner.Phone != b.Guests[0].Phone {
					t.Errorf("got %+v, %v", i.Owner, err)
				}
				if n := messages(f, b.Guests[0].Email); n != 1 {
					t.Errorf("got %d messages after the guest was confirmed, want one", n)
				}
				if audited(f, lost.StaysLookedUp) != 1 || audited(f, lost.GuestConfirmed) != 1 ||
					audited(f, lost.StaysConnected) != 1 {
					t.Error("the audit log lacks an entry")
				}
			})
		})
	}
}

// Guests are looked up on the day on which they left a room, or on the day after if nobody else left it then. The guest
// of the booking comes first, through the whole service and with each system, whatever the guests did.
func TestTheRightGuestIsFirstAmongRandomStays(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for _, system := range stay.Systems() {
		t.Run(string(system), func(t *testing.T) {
			testkit.EachLocation(t, func(f *testkit.Fixture) {
				h := pmstest.RandomHotel(rand.New(rand.NewPCG(seed, uint64(len(system)))))
				s := pmstest.StartHotel(f.T, system, h)
				connect(f, s)
				desk := f.Person("usr_desk", lost.DeskRole)
				var right, moved, shared, early int
				for n, b := range s.Hotel.Bookings {
					at := b.Segments[n%len(b.Segments)]
					on := at.To
					if next := lost.AddDays(on, 1); n%2 == 1 && !s.Hotel.Left(at.Room, next) {
						on = next
					}
					found := testkit.Must(lookUp(f, desk, "Room "+at.Room, on))
					if len(found.Candidates) > 0 && found.Candidates[0].Guest.Email == b.Guests[0].Email {
						right++
					} else {
						f.T.Logf("%s in %s on %s is not first of %d", b.ID, at.Room, on, len(found.Candidates))
					}
					if found.LastRoomOnly != (system == stay.Mews) {
						f.T.Fatalf("the guests are listed with their last room only: %t", found.LastRoomOnly)
					}
					moved, shared = moved+min(1, len(b.Segments)-1), shared+len(b.Guests)-1
					if b.Booked != "" {
						early++
					}
					f.Clock.Advance(time.Minute) // so that the look-ups stay within the limit
				}
				all := len(s.Hotel.Bookings)
				f.T.Logf("%d of %d right; %d moves, %d shared rooms, %d early departures", right, all, moved, shared,
					early)
				if all != 200 || right*100 < 98*all || shared < 20 || early < 10 ||
					moved < 5 && system != stay.Mews {
					f.T.Errorf("the right guest was first for %d of %d bookings", right, all)
				}
				missed, of := missedInFormerRooms(f, desk, h)
				f.T.Logf("%d of %d guests who moved are missed in the room that they left", missed, of)
				if of < 5 || system == stay.Mews != (missed == of) || system != stay.Mews && missed > 0 {
					f.T.Errorf("%d of %d guests who moved are missed in the room that they left", missed, of)
				}
			})
		})
	}
}

// missedInFormerRooms counts the guests who have moved, and those of them whom a look-up does not find in the room and
// on the day that they left it.
func missedInFormerRooms(f *testkit.Fixture, desk lost.Actor, h pmstest.Hotel) (missed, of int) {
	f.T.Helper()
	for _, b := range h.Bookings {
		if len(b.Segments) == 1 {
			continue
		}
		of++
		found := testkit.Must(lookUp(f, desk, "Room "+b.Segments[0].Room, b.Segments[0].To))
		if !slices.ContainsFunc(found.Candidates, func(c stay.Candidate) bool { return c.ID == b.ID }) {
			missed++
		}
		f.Clock.Advance(time.Minute)
	}
	return missed, of
}

// A list that is uploaded twice, or that repeats what the hotel system says, shows each guest once.
func TestAGuestOfSeveralSourcesIsOneCandidate(t *testing.T) {
	s := pmstest.Start(t, stay.Apaleo)
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		const list = "room,arrival,departure,name,email\n207,2026-11-12," + day + ",Bea Meyer,bea@example.com\n" +
			"207,2026-11-12," + day + ",Bea Meyer,daughter@example.com\n"
		testkit.Must(upload(f, list, true))
		testkit.Must(upload(f, list, false))
		desk := f.Person("usr_desk", lost.DeskRole)
		if found := testkit.Must(lookUp(f, desk, "207", day)); len(found.Candidates) != 2 {
			f.T.Errorf("got %d candidates of two guests with one name, listed twice", len(found.Candidates))
		}
		connect(f, s)
		b := s.Hotel.Bookings[0]
		before := len(testkit.Must(lookUp(f, desk, b.Last().Room, b.Last().To)).Candidates)
		g := b.Guests[0]
		testkit.Must(upload(f, fmt.Sprintf("room,departure,name,email\n%s,%s,%s %s,%s\n", b.Last().Room, b.Last().To,
			g.FirstName, g.LastName, strings.ToUpper(g.Email)), false))
		found := testkit.Must(lookUp(f, desk, b.Last().Room, b.Last().To))
		if len(found.Candidates) != before || found.Candidates[0].ID != b.ID {
			f.T.Errorf("got %d candidates, want %d; the first is %s", len(found.Candidates), before,
				found.Candidates[0].ID)
		}
	})
}

func TestACandidateBelongsToWhoLookedItUp(t *testing.T) {
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		testkit.Must(upload(f, "room,departure,email\n207,"+day+",bea@example.com\n", true))
		desk := f.Person("usr_desk", lost.DeskRole)
		found := testkit.Must(lookUp(f, desk, "207", day))
		id := found.Candidates[0].CandidateID
		other := f.NewLocation(testkit.LocationNamed("Hotel Bär"))
		stranger := desk
		stranger.Account = "acc_other"
		for what, try := range map[string]func() error{
			"another user": func() error {
				_, err := f.Services.Stays.Confirm(f.T.Context(), f.Person("usr_2", lost.DeskRole), f.Location.ID, id)
				return err
			},
			"another location": func() error {
				_, err := f.Services.Stays.Confirm(f.T.Context(), desk, other.ID, id)
				return err
			},
			"another account": func() error {
				_, err := f.Services.Stays.Confirm(f.T.Context(), stranger, f.Location.ID, id)
				return err
			},
			"an invented id": func() error {
				_, err := f.Services.Stays.Confirm(f.T.Context(), desk, f.Location.ID, "stay_1")
				return err
			},
			"a location out of reach": func() error {
				limited := desk
				limited.Locations = []string{other.ID}
				_, err := f.Services.Stays.Confirm(f.T.Context(), limited, f.Location.ID, id)
				return err
			},
		} {
			if err := try(); testkit.Code(err) != lost.NotFound {
				f.T.Errorf("%s: got %v, want not found", what, err)
			}
		}
		again := testkit.Must(f.Services.Stays.Candidates(f.T.Context(), desk, f.Location.ID, found.LookupID))
		if len(again.Candidates) != 1 {
			f.T.Errorf("got %d candidates of the look-up again, want 1", len(again.Candidates))
		}
		again = testkit.Must(f.Services.Stays.Candidates(f.T.Context(), f.Person("usr_2", lost.DeskRole), f.Location.ID,
			found.LookupID))
		if len(again.Candidates) != 0 {
			f.T.Error("another user sees the candidates")
		}
		// The fixture's item has an owner.
		_, err := f.Services.Stays.ConfirmFor(f.T.Context(), desk, f.Location.ID, f.Item.ID, id)
		if lost.ReasonOf(err) != lost.HasOwner {
			f.T.Errorf("got %v for an item with an owner", err)
		}
		hat := f.NewItem(testkit.ItemDescribed("Hat"))
		p := testkit.Must(f.Services.Stays.ConfirmFor(f.T.Context(), desk, f.Location.ID, hat.ID, id))
		i := testkit.Must(f.Services.Items.Update(f.T.Context(), desk, f.Location.ID, hat.ID, p))
		if i.Owner.Email != "bea@example.com" {
			f.T.Errorf("got the owner %+v", i.Owner)
		}
		f.Clock.Advance(stay.Valid)
		if _, err := f.Services.Stays.Confirm(f.T.Context(), desk, f.Location.ID, id); testkit.Code(err) !=
			lost.NotFound {
			f.T.Errorf("got %v for an expired candidate", err)
		}
	})
}

func TestRolesOfTheGuestLookUp(t *testing.T) {
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		testkit.Must(upload(f, "room,departure,email\n207,"+day+",bea@example.com\n", true))
		for role, may := range map[lost.Role][2]bool{ // look up, connect
			lost.OwnerRole: {true, true}, lost.AdminRole: {true, true}, lost.DeskRole: {true, false},
			lost.LoggerRole: {true, false}, lost.ViewerRole: {false, false},
		} {
			a := f.Person("usr_"+string(role), role)
			if _, err := lookUp(f, a, "207", day); (err == nil) != may[0] {
				f.T.Errorf("%s: a look-up returned %v", role, err)
			}
			if available, err := f.Services.Stays.Available(f.T.Context(), a, f.Location.ID); available != may[0] ||
				err != nil {
				f.T.Errorf("%s: the look-up is available: %t, %v", role, available, err)
			}
			_, err := f.Services.Stays.Get(f.T.Context(), a, f.Location.ID)
			if (err == nil) != may[1] {
				f.T.Errorf("%s: reading the settings returned %v", role, err)
			}
			err = f.Services.Stays.Disconnect(f.T.Context(), a, f.Location.ID)
			if (err == nil) != may[1] {
				f.T.Errorf("%s: disconnecting returned %v", role, err)
			}
		}
	})
}

func TestFailuresOfTheHotelSystemSayWhatToDo(t *testing.T) {
	for _, system := range stay.Systems() {
		t.Run(string(system), func(t *testing.T) {
			s := pmstest.Start(t, system)
			testkit.EachLocation(t, func(f *testkit.Fixture) {
				connect(f, s)
				desk := f.Person("usr_desk", lost.DeskRole)
				b := s.Hotel.Bookings[0]
				for fault, want := range map[pmstest.Fault]stay.Problem{
					pmstest.Hang: stay.TimedOut, pmstest.TooManyFault: stay.TooMany,
					pmstest.ServerError: stay.NotReached,
				} {
					s.Fail(fault)
					began := time.Now()
					found, err := lookUp(f, desk, b.Last().Room, b.Last().To)
					if stays.ProblemOf(err) != want || testkit.Code(err) != lost.Unavailable ||
						len(found.Candidates) > 0 {
						t.Errorf("fault %d: got %+v, %v", fault, found, err)
					}
					if took := time.Since(began); took > 3*time.Second {
						t.Errorf("fault %d: the look-up took %s", fault, took)
					}
				}
				tested, err := f.Services.Stays.Test(f.T.Context(), f.Person("usr_owner", lost.OwnerRole),
					f.Location.ID)
				if err != nil || tested.Problem == "" {
					t.Errorf("got the test %+v, %v", tested, err)
				}
				s.Fail(pmstest.None)
				s.ExpireTokens()
				if _, err := lookUp(f, desk, b.Last().Room, b.Last().To); err != nil {
					t.Errorf("got %v after the tokens had expired", err)
				}
				if n := audited(f, lost.StaysLookedUp); n != 4 {
					t.Errorf("got %d look-ups in the audit log, want 4", n)
				}
			})
		})
	}
}

func TestAGuestListIsReadReplacedAndDeleted(t *testing.T) {
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		list := "Zimmer;Anreise;Abreise;Name;E-Mail;Telefon;Sprache;Rate\n" +
			"207;12.11.2026;14.11.2026;Anna Meyer;anna@example.com;+49 30 901820;de;100\n" +
			"0207;12.11.2026;14.11.2026;Meyer, Anna;anna2@example.com;;de;0\n" +
			"208;12.11.2026;14.11.2026;No Address;;;;100\n"
		out, err := upload(f, list, true)
		if err != nil || out.Rows != 2 || out.Skipped != 1 || fmt.Sprint(out.Unknown) != "[Rate]" {
			f.T.Fatalf("got %+v, %v", out, err)
		}
		desk := f.Person("usr_desk", lost.DeskRole)
		found := testkit.Must(lookUp(f, desk, "Room 207", day))
		if len(found.Candidates) != 2 || found.Candidates[0].Guest.Language != "de" ||
			found.Candidates[0].Guest.FirstName != "Anna" || found.Candidates[0].Guest.LastName != "Meyer" {
			f.T.Errorf("got %+v", found.Candidates)
		}
		testkit.Must(upload(f, "room,departure,email\n207,"+day+",carl@example.com\n", false))
		if found = testkit.Must(lookUp(f, desk, "207", day)); len(found.Candidates) != 3 {
			f.T.Errorf("got %d candidates after another list was added, want 3", len(found.Candidates))
		}
		testkit.Must(upload(f, "room,departure,email\n207,"+day+",dora@example.com\n", true))
		if found = testkit.Must(lookUp(f, desk, "207", day)); len(found.Candidates) != 1 {
			f.T.Errorf("got %d candidates after the lists were replaced, want 1", len(found.Candidates))
		}
		f.Clock.Advance(time.Second)
		upkeep(f)
		if carl, dora := stored(f, "carl@example.com"), stored(f, "dora@example.com"); carl != 0 || dora != 1 {
			f.T.Errorf("got %d and %d stored rows after the upkeep, want 0 and 1", carl, dora)
		}
		f.Clock.Advance((stay.DefaultKept*24 + 1) * time.Hour)
		if found = testkit.Must(lookUp(f, desk, "207", day)); len(found.Candidates) != 0 {
			f.T.Error("an expired list still counts")
		}
	})
}

// A list is kept for as many days as were chosen. Then it no longer counts, and the background job deletes its rows.
func TestAGuestListIsKeptForTheChosenDays(t *testing.T) {
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		owner, desk := f.Person("usr_owner", lost.OwnerRole), f.Person("usr_desk", lost.DeskRole)
		add := func(days int) error {
			_, err := f.Services.Stays.AddList(f.T.Context(), owner, f.Location.ID, stays.Upload{
				Content: []byte("room,departure,email\n207," + day + ",bea@example.com\n"), Days: days, Replace: true,
			})
			return err
		}
		expect := func(when string, days, want int) {
			f.T.Helper()
			upkeep(f)
			found := testkit.Must(lookUp(f, desk, "207", day))
			if rows := stored(f, "bea@example.com"); rows != want || len(found.Candidates) != want {
				f.T.Errorf("%s, to be kept for %d days: got %d rows and %d guests, want %d", when, days, rows,
					len(found.Candidates), want)
			}
		}
		for _, days := range []int{1, 7, stay.DefaultKept, stay.MaxKept} {
			if err := add(days); err != nil {
				f.T.Fatal(err)
			}
			end := f.Clock.Now().AddDate(0, 0, days)
			lists := testkit.Must(f.DB.GuestLists(f.T.Context(), f.Location.Account, f.Location.ID, f.Clock.Now()))
			if len(lists) != 1 || !lists[0].ExpiresAt.Equal(end) {
				f.T.Fatalf("got %+v, want one list until %v", lists, end)
			}
			f.Clock.Advance(end.Sub(f.Clock.Now()) - time.Second)
			expect("before the end", days, 1)
			f.Clock.Advance(time.Second)
			expect("at the end", days, 0)
		}
		for _, days := range []int{-1, 0, stay.MaxKept + 1} {
			p := lost.ProblemsOf(add(days))
			if len(p) != 1 || p[0].Field != "days" || p[0].Code != "out-of-range" ||
				p[0].Message != "must be from 1 to 365" {
				f.T.Errorf("%d days: got %+v, want a problem of the field days", days, p)
			}
		}
	})
}

func upkeep(f *testkit.Fixture) {
	outbox.New(outbox.Options{DB: f.DB, KeepDeliveries: time.Hour}).RunUpkeepOnce(f.T.Context())
}

func TestAPersonInAGuestListIsExportedAndErased(t *testing.T) {
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		testkit.Must(upload(f, "room,departure,name,email,phone\n207,"+day+",Bea Bär,bea@example.com,\n"+
			"207,"+day+",Bea Bär,other@example.com,\n", true))
		desk := f.Person("usr_desk", lost.DeskRole)
		before := testkit.Must(lookUp(f, desk, "207", day))
		owner, bea := f.Person("usr_owner", lost.OwnerRole), lost.PersonPatch{Email: lost.Set("Bea@example.com")}
		var out bytes.Buffer
		if err := f.Services.People.ExportPerson(f.T.Context(), owner, bea, &out); err != nil {
			f.T.Fatal(err)
		}
		if text := out.String(); !strings.Contains(text, `"stays":[{"room":"207"`) || strings.Contains(text, "other@") {
			f.T.Errorf("got the export %s", text)
		}
		erased := testkit.Must(f.Services.People.EraseNow(f.T.Context(), owner, bea))
		if erased.Erased.ImportRows != 1 {
			f.T.Errorf("got %+v", erased.Erased)
		}
		if found := testkit.Must(lookUp(f, desk, "207", day)); len(found.Candidates) != 1 ||
			found.Candidates[0].Guest.Email != "other@example.com" {
			f.T.Errorf("got %+v after the erasure", found.Candidates)
		}
		_, err := f.Services.Stays.Confirm(f.T.Context(), desk, f.Location.ID, before.Candidates[0].CandidateID)
		if testkit.Code(err) != lost.NotFound {
			f.T.Errorf("got %v for a candidate from before the erasure", err)
		}
	})
}

func TestAGuestListThatCannotBeReadSaysWhy(t *testing.T) {
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		for text, code := range map[string]string{
			"": "empty", "name,email\nA,a@example.com\n": "no-room", "room,email\n1,a@example.com\n": "no-departure",
			"room,departure\n1,2026-11-14\n": "no-address", "room,departure,email\n1,soon,a@example.com\n": "no-guests",
		} {
			_, err := upload(f, text, true)
			if p := lost.ProblemsOf(err); len(p) != 1 || p[0].Code != code {
				f.T.Errorf("%q: got %v, want %s", text, err, code)
			}
		}
	})
}

func TestALocationIsDeletedWithItsGuests(t *testing.T) {
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		s := pmstest.Start(f.T, stay.Mews)
		f.Location = f.NewLocation(testkit.LocationNamed("Hotel Bär")) // without items
		connect(f, s)
		testkit.Must(upload(f, "room,departure,email\n207,"+day+",bea@example.com\n", true))
		if err := f.Services.Locations.Delete(f.T.Context(), f.Actor, f.Location.ID); err != nil {
			f.T.Fatal(err)
		}
		testkit.Must(0, f.DB.Write(f.T.Context(), func(tx *store.Tx) error {
			return tx.PurgeLocation(f.Location.Account, f.Location.ID)
		}))
		upkeep(f)
		if n := stored(f, "bea@example.com"); n != 0 {
			f.T.Errorf("got %d stored rows after the location was deleted", n)
		}
		if _, err := f.DB.StayConnection(f.T.Context(), f.Location.Account, f.Location.ID); testkit.Code(err) !=
			lost.NotFound {
			f.T.Errorf("got %v for the connection of a deleted location", err)
		}
	})
}

// The audit log says that a guest was confirmed if, and only if, the guest became the owner of an item.
func TestAConfirmationIsInTheAuditLogWithItsItem(t *testing.T) {
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		ctx, items := f.T.Context(), f.Services.Items
		testkit.Must(upload(f, "room,departure,email\n207,"+day+",bea@example.com\n", true))
		desk := f.Person("usr_desk", lost.DeskRole)
		id := testkit.Must(lookUp(f, desk, "207", day)).Candidates[0].CandidateID
		expect := func(when string, want int) {
			f.T.Helper()
			if got := audited(f, lost.GuestConfirmed); got != want {
				f.T.Errorf("%s: got %d entries, want %d", when, got, want)
			}
		}
		p := testkit.Must(f.Services.Stays.Confirm(ctx, desk, f.Location.ID, id))
		if _, err := items.Create(ctx, desk, f.Location.ID, p, lost.IdempotencyKey{}); err == nil {
			f.T.Fatal("an item without a description was recorded")
		}
		expect("after a form that was not accepted", 0)
		p.Description = lost.Set("Hat")
		key := lost.IdempotencyKey{Key: "form-1", Request: "1"}
		testkit.Must(items.Create(ctx, desk, f.Location.ID, p, key))
		testkit.Must(items.Create(ctx, desk, f.Location.ID, p, key))
		expect("after the form was sent twice", 1)

		coat := f.NewItem(testkit.ItemDescribed("Coat"))
		p = testkit.Must(f.Services.Stays.ConfirmFor(ctx, desk, f.Location.ID, coat.ID, id))
		testkit.Must(items.Update(ctx, desk, f.Location.ID, coat.ID,
			lost.ItemPatch{Owner: lost.Set(lost.OwnerPatch{Email: lost.Set("carl@example.com")})}))
		if _, err := items.Update(ctx, desk, f.Location.ID, coat.ID, p); err == nil {
			f.T.Error("the owner whom somebody else has entered was replaced")
		}
		expect("after a conflict", 1)
		scarf := f.NewItem(testkit.ItemDescribed("Scarf"))
		for range 2 {
			p = testkit.Must(f.Services.Stays.ConfirmFor(ctx, desk, f.Location.ID, scarf.ID, id))
			testkit.Must(items.Update(ctx, desk, f.Location.ID, scarf.ID, p))
		}
		expect("after a repeated request", 2)
	})
}

// insertList adds a guest list of the fixture's location without rows, which does not count yet.
func insertList(f *testkit.Fixture, rows int) stay.List {
	f.T.Helper()
	l := testkit.Must(stay.NewList(f.Location.Account, f.Location.ID, stay.DefaultKept, f.Clock.Now()))
	l.Rows = rows
	testkit.Must(0, f.DB.Write(f.T.Context(), func(tx *store.Tx) error { return tx.InsertGuestList(l) }))
	return l
}

// activate makes a guest list count, and reports whether it does.
func activate(f *testkit.Fixture, l stay.List, replace bool) (active bool) {
	f.T.Helper()
	testkit.Must(0, f.DB.Write(f.T.Context(), func(tx *store.Tx) (err error) {
		active, err = tx.ActivateGuestList(l, replace)
		return err
	}))
	return active
}

func TestConcurrentUploadsKeepTheLimitOfALocation(t *testing.T) {
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		if !activate(f, insertList(f, stay.MaxStoredRows-1), false) {
			f.T.Fatal("the first list does not count")
		}
		const uploads = 6
		results := make(chan error, uploads)
		for n := range uploads {
			go func() {
				_, err := upload(f, fmt.Sprintf("room,departure,email\n%d,%s,bea@example.com\n", n+1, day), false)
				results <- err
			}()
		}
		stored := 0
		for range uploads {
			switch err := <-results; {
			case err == nil:
				stored++
			case lost.ReasonOf(err) != lost.LimitReached:
				f.T.Error(err)
			}
		}
		if stored != 1 {
			f.T.Errorf("%d lists were added where one row was left", stored)
		}
	})
}

func TestAGuestListThatWasDeletedDuringItsUploadDoesNotCount(t *testing.T) {
	testkit.EachLocation(t, func(f *testkit.Fixture) {
		first, second := insertList(f, 1), insertList(f, 1)
		if !activate(f, first, true) || !activate(f, second, true) {
			f.T.Error("one of two concurrent replacements failed")
		}
		lists := testkit.Must(f.DB.GuestLists(f.T.Context(), f.Location.Account, f.Location.ID, f.Clock.Now()))
		if len(lists) != 1 || lists[0].ID != second.ID {
			f.T.Errorf("got %+v, want the last one", lists)
		}
		third := insertList(f, 1)
		err := f.Services.Stays.RemoveLists(f.T.Context(), f.Person("usr_owner", lost.OwnerRole), f.Location.ID)
		if err != nil {
			f.T.Fatal(err)
		}
		if activate(f, third, false) {
			f.T.Error("a list counts that was deleted while its rows were stored")
		}
	})
}
