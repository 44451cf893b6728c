package locations_test

import (
	"bytes"
	"fmt"
	"html"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/lost/stay"
	"homeward/internal/pms/pmstest"
	"homeward/internal/store"
	"homeward/internal/testkit"
	"homeward/internal/web/browsertest"
	"homeward/internal/web/staff/stafftest"
)

// guestRow is a guest list with one guest.
const guestRow = "room,departure,email\n207,2026-11-14,bea@example.com\n"

// uploadGuests sends the form for a guest list. Fields with an empty value are left out.
func uploadGuests(v *testkit.Visitor, l lost.Location, list, days, replace string) testkit.Response {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, value := range map[string]string{"days": days, "replace": replace} {
		if value != "" {
			testkit.Must(0, w.WriteField(name, value))
		}
	}
	testkit.Must(testkit.Must(w.CreateFormFile("file", "guests.csv")).Write([]byte(list)))
	testkit.Must(0, w.Close())
	r := httptest.NewRequest(http.MethodPost, testkit.Base+"/locations/"+l.ID+"/stays/list", &b)
	r.Header.Set("Content-Type", w.FormDataContentType())
	return v.Do(r)
}

var problemText = regexp.MustCompile(`(?s)id="(\w+)-error"[^>]*>(.*?)</p>`)

// expectListProblem fails unless a response is the form with a problem of a field, and what was chosen.
func expectListProblem(t *testing.T, name string, a testkit.Response, status int, field, text string) {
	t.Helper()
	found := problemText.FindStringSubmatch(a.Body)
	if a.Code != status || !strings.Contains(a.Body, `enctype="multipart/form-data"`) || found == nil {
		t.Errorf("%s: got status %d and problem %q, want %d and the form", name, a.Code, found, status)
		return
	}
	if got := html.UnescapeString(found[2]); found[1] != field || !strings.Contains(got, text) {
		t.Errorf("%s: got %q for the field %s, want %q for %s", name, got, found[1], text, field)
	}
}

func TestAGuestListThatIsRefusedShowsTheFormAgain(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l, v := h.NewLocation("Hotel Adler"), h.LogIn()
		const size = "The file is larger than 10 MB. Split it"
		large := guestRow + strings.Repeat("\n", stay.MaxListBytes)
		expectListProblem(t, "a little too large", uploadGuests(v, l, large, "7", "1"), 422, "file", size)
		huge := large + strings.Repeat("\n", 1<<20)
		expectListProblem(t, "much too large", uploadGuests(v, l, huge, "7", "1"), 413, "file", size)
		for _, days := range []string{"0", "366", "-1", "soon", ""} {
			a := uploadGuests(v, l, guestRow, days, "1")
			expectListProblem(t, days+" days", a, 422, "days", "Enter a number of days from 1 to 365.")
			if want := "Days to keep the list: Enter a number"; !stafftest.Shows(a, want) {
				t.Errorf("%s days: the summary does not name the field", days)
			}
		}
		const columns = "Expected columns: room, departure, and e-mail or phone."
		for list, text := range map[string]string{
			"Raum,departure,email,Rate\n1,2026-11-14,a@example.com,9\n": "no heading for the room. These columns " +
				"are not used: “Raum”, “Rate”. " + columns,
			"room,email\n1,a@example.com\n":              "no heading for the departure. " + columns,
			"room,departure\n1,2026-11-14\n":             "e-mail address or phone number. " + columns,
			"room,departure,email\n1,soon,a@example.com": "No row has a room, a date of departure",
			"a,b,c,d,e,f\n":                              "“a”, “b”, “c”, “d”, “e”, …",
		} {
			expectListProblem(t, list, uploadGuests(v, l, list, "7", "1"), 422, "file", text)
		}
		if lists := testkit.Must(h.Services.Stays.Get(t.Context(), h.Actor, l.ID)).Lists; len(lists) != 0 {
			t.Errorf("a list was stored: %+v", lists)
		}
	})
}

func TestAGuestListBeyondTheLimitShowsTheFormAgain(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l, v := h.NewLocation("Hotel Adler"), h.LogIn()
		full := testkit.Must(stay.NewList(h.Actor.Account, l.ID, 30, h.Clock.Now()))
		full.Rows = stay.MaxStoredRows
		testkit.Must(0, h.DB.Write(t.Context(), func(tx *store.Tx) error {
			if err := tx.InsertGuestList(full); err != nil {
				return err
			}
			_, err := tx.ActivateGuestList(full, false)
			return err
		}))
		a := uploadGuests(v, l, guestRow, "7", "")
		expectListProblem(t, "limit", a, 409, "file", "Choose to replace the earlier lists, or delete them first.")
		replaces := regexp.MustCompile(`name="replace"[^>]* checked`).MatchString(a.Body)
		if replaces || !strings.Contains(a.Body, `value="7"`) {
			t.Error("the form does not keep what was chosen")
		}
		if a := uploadGuests(v, l, guestRow, "7", "1"); a.Code != http.StatusSeeOther {
			t.Errorf("got status %d for the replacement, want 303", a.Code)
		}
	})
}

func TestUnknownHeadingsOfAGuestListAreShown(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		l, v := h.NewLocation("Hotel Adler"), h.LogIn()
		expect := func(list string, want ...string) {
			t.Helper()
			if a := uploadGuests(v, l, list, "7", "1"); a.Code != http.StatusSeeOther {
				t.Fatalf("got status %d, want 303: %s", a.Code, a.Body)
			}
			page := v.Get("/locations/" + l.ID + "/stays")
			if missing := stafftest.MissingText(page, want...); missing != "" {
				t.Errorf("the page does not say %q", missing)
			}
		}
		expect("room,departure,email,Rate,<b>\n207,2026-11-14,bea@example.com,9,\n208,,,,\n", "1 guest was saved.",
			"1 row was skipped", "These columns are not used: “Rate”, “&lt;b&gt;”. Expected columns: room")
		var list strings.Builder // the message must fit into a cookie
		list.WriteString("部屋,出発日,メール")
		for n := range 150 {
			fmt.Fprintf(&list, ",%d%s", n, strings.Repeat("部", 80))
		}
		list.WriteString("\n207,2026-11-14,bea@example.com\n")
		expect(list.String(), "These columns are not used: “0部部", "”, …. Expected columns")
		expect(guestRow, "1 guest was saved.")
		if page := v.Get("/locations/" + l.ID + "/stays"); stafftest.Shows(page, "These columns are not used") {
			t.Error("unknown headings are shown without any")
		}
	})
}

// The page connects a location with each hotel system, tests the connection, says what is wrong, and ends it.
func TestAHotelSystemIsConnectedOnThePage(t *testing.T) {
	testkit.Each(t, func(t *testing.T, h *testkit.Server) {
		for _, system := range stay.Systems() {
			l, s := h.NewLocation("Hotel "+system.Name()), pmstest.Start(t, system)
			v, at := h.LogIn(), "/locations/"+l.ID+"/stays"
			form := url.Values{"system": {string(system)}}
			for name, value := range s.Values() {
				form.Set(name, value)
			}
			stafftest.ExpectPage(t, v.Post(at+"/connect", form), http.StatusSeeOther)
			shown := v.Get(at)
			stafftest.ExpectPage(t, shown, http.StatusOK, "The connection to "+system.Name()+" works.")
			for _, setting := range system.Settings() {
				value := s.Values()[setting.Name]
				if setting.Secret && value != "" && strings.Contains(shown.Body, value) {
					t.Errorf("%s: the page contains the %s", system, setting.Name)
				}
			}
			stafftest.ExpectPage(t, v.Post(at+"/test", nil), http.StatusSeeOther)
			stafftest.ExpectPage(t, v.Get(at), http.StatusOK, "The connection to "+system.Name()+" works.")
			s.Close()
			stafftest.ExpectPage(t, v.Post(at+"/test", nil), http.StatusSeeOther)
			stafftest.ExpectPage(t, v.Get(at), http.StatusOK, "It failed.", "cannot be reached")
			stafftest.ExpectPage(t, v.Post(at+"/disconnect", nil), http.StatusSeeOther)
			stafftest.ExpectPage(t, v.Get(at), http.StatusOK, "Disconnected. The credentials were deleted.")
		}
	})
}

func TestTheGuestLookUpIsSetUpInABrowser(t *testing.T) {
	testkit.EachBrowserServer(t, func(t *testing.T, h *testkit.Server, at string) {
		l, s := h.NewLocation("Hotel Adler"), pmstest.Start(t, stay.Cloudbeds)
		file := filepath.Join(t.TempDir(), "guests.csv")
		if err := os.WriteFile(file, []byte(guestRow), 0o600); err != nil {
			t.Fatal(err)
		}
		v := browsertest.New(t, browsertest.Options{Phone: true})
		stafftest.OpenAsOwner(v, h, at+"/locations/"+l.ID+"/stays")
		v.Choose("Connect a hotel system", "Cloudbeds")
		v.Follow("Continue")
		v.Fill("Code of the property", s.Values()[stay.PropertySetting])
		v.Fill("API key", s.Values()[stay.APIKeySetting])
		v.Fill("Address of the API", s.URL)
		v.CheckAccessibility()
		v.Follow("Connect and test")
		v.See("This location is connected to Cloudbeds.", "It worked.")
		s.Fail(pmstest.ForbiddenOnly)
		v.Follow("Test")
		v.See("It failed.", "do not allow reading reservations")
		v.CheckAccessibility()
		s.Fail(pmstest.None)
		v.Follow("Test")
		v.See("The connection to Cloudbeds works.")
		v.Upload("Guest list as CSV", file)
		v.Follow("Upload list")
		v.See("1 guest was saved.", "1 row, uploaded")
		stafftest.ExpectNoOverflow(t, v)
		v.Follow("Delete guest lists")
		v.See("The guest lists were deleted.")
		v.SeeNot("1 row, uploaded")
	})
}
