package staff_test

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/testkit"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff"
)

// row is one line of testdata/roles.txt: an address, and the right that it needs. docs/roles.md says how one is added.
type row struct{ method, path, right string }

func (r row) String() string { return fmt.Sprintf("%-9s %-4s %s", r.right, r.method, r.path) }

// rows reads them.
func rows(t *testing.T) (all []row) {
	t.Helper()
	text, err := os.ReadFile("testdata/roles.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		parts := strings.Fields(line)
		if len(parts) != 3 {
			t.Fatalf("testdata/roles.txt has a line that is not a right, a method and an address: %q", line)
		}
		all = append(all, row{right: parts[0], method: parts[1], path: parts[2]})
	}
	return all
}

// claim is what the route itself says of the right that it needs.
func claim(r staff.Route) row {
	right := cmp.Or(string(r.Right), "any")
	if r.Open {
		right = "open"
	}
	return row{method: r.Method, path: r.Path, right: right}
}

func TestEveryPageHasItsLineInTheTableOfRoles(t *testing.T) {
	table := rows(t)
	var missing strings.Builder
	for _, r := range staff.Routes() {
		if want := claim(r); !slices.Contains(table, want) {
			fmt.Fprintln(&missing, want)
		}
	}
	if missing.Len() > 0 {
		t.Errorf("testdata/roles.txt lacks lines, or says otherwise. Look whether the right is the one that is meant, and put them in where they sort:\n%s", &missing)
	}
	for _, r := range table {
		if !slices.ContainsFunc(staff.Routes(), func(o staff.Route) bool { return o.Method == r.method && o.Path == r.path }) {
			t.Errorf("testdata/roles.txt has a line of a page that there is not:\n%s", r)
		}
	}
}

// answered are the codes of a page, of a form that was taken, and of one with which the desk found something wrong.
var answered = []int{http.StatusOK, http.StatusCreated, http.StatusNoContent, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusConflict, http.StatusUnprocessableEntity}

// unasked are the forms that need more than an address to be understood: what a device says to a question that it was asked, or a link to somebody
// elsewhere. The tests of passkeys and of logging in with a provider send them.
var unasked = []string{
	"/settings/profile/passkeys", "/settings/profile/passkeys/options", "/settings/profile/passkeys/{passkey}/remove/passkey", "/settings/profile/unlink",
}

// Each role against each page and each form, with something that there is, and those who are not logged in.
func TestEachRoleOpensThePagesThatTheTableSays(t *testing.T) {
	c := newFixture(t, "")
	for _, r := range rows(t) {
		for name, u := range c.people {
			w := c.send(c.Handler, r, c.pathFor(r.path, u), u)
			if fault := c.fault(r, u, w); fault != "" {
				t.Errorf("%s: %s was answered %d, %s", r, name, w.Code, fault)
			}
		}
		w := c.send(c.Handler, r, c.pathFor(r.path, lost.User{}), lost.User{})
		if open := r.right == "open" || r.path == "/login/code"; !open && !sentAway(w) && w.Code != http.StatusUnauthorized {
			t.Errorf("%s: a stranger was answered %d", r, w.Code)
		}
	}
}

// fault says what is wrong with an answer to somebody; nothing if it is as the table has it.
func (c *fixture) fault(r row, u lost.User, w *httptest.ResponseRecorder) string {
	switch {
	case w.Code >= http.StatusInternalServerError:
		return "which is no answer"
	case r.right == "open":
		return unless(w.Code != http.StatusForbidden, "and it is open to everybody")
	case sentAway(w) && r.path != "/logout":
		return "and sent to log in"
	case r.right != "any" && !u.Role.Has(lost.Right(r.right)):
		return unless(w.Code == http.StatusForbidden, "and may not do it")
	case len(u.Locations) > 0 && c.atHotel(r.path):
		return unless(w.Code == http.StatusNotFound, "as if the location could be reached")
	case slices.Contains(unasked, r.path):
		return unless(w.Code != http.StatusForbidden, "and may do it")
	default:
		return unless(slices.Contains(answered, w.Code), "and may do it")
	}
}

func unless(right bool, fault string) string {
	if right {
		return ""
	}
	return fault
}

func sentAway(w *httptest.ResponseRecorder) bool {
	return w.Code == http.StatusSeeOther && strings.HasPrefix(w.Header().Get("Location"), "/login")
}

// atHotel tells whether an address is about something at the hotel.
func (*fixture) atHotel(path string) bool {
	return strings.Contains(path, "{location}") || slices.Contains([]string{"/at", "/t/{reference}", "/settings/messages/{message}"}, path)
}

// A route says which right its page needs so that nobody is shown what they may not use. Should one say too little, the desk refuses all the same.
func TestTheDeskRefusesWhatNoRouteDoes(t *testing.T) {
	c := newFixture(t, "")
	door := testkit.Must(staff.Unguarded(staff.Options{Desk: c.Desk, Base: c.at, Assets: testkit.Must(respond.NewAssets()), Now: c.Clock.Now}))
	for _, r := range rows(t) {
		for _, role := range lost.Roles() {
			if r.right == "open" || r.right == "any" || role.Has(lost.Right(r.right)) {
				continue
			}
			u := c.people[string(role)]
			w := c.send(door, r, c.pathFor(r.path, u), u)
			if !asks(r) && w.Code != http.StatusForbidden && w.Code != http.StatusNotFound {
				t.Errorf("%s: %s was answered %d by the desk", r, role, w.Code)
			}
			if strings.Contains(w.Body.String(), c.at+"/g/") {
				t.Errorf("%s: %s was given a guest's link", r, role)
			}
		}
	}
}

// asks tells of a page that only asks what is to be done, or leads on, with nothing on it but what its reader sees elsewhere too. The desk is asked
// when the form is sent.
func asks(r row) bool {
	empty := []string{"/settings/keys/new", "/settings/webhooks/new", "/settings/team/invite", "/settings/account", "/at/{location}/scan", "/t/place/{location}/{place}"}
	return r.method == http.MethodGet && (slices.Contains([]string{"handle", "remove", "record", "arrange"}, r.right) || slices.Contains(empty, r.path))
}

// What is another account's is answered as what there is not.
func TestNobodySeesWhetherAnotherAccountHasSomething(t *testing.T) {
	c := newFixture(t, "")
	other := testkit.Must(c.Desk.CreateAccount(t.Context(), "Other"))
	eve := testkit.Must(c.Desk.CreateUser(t.Context(), other.ID, "eve@other.example", "Eve", testkit.Password))
	for _, r := range rows(t) {
		if r.right == "open" || !inBraces.MatchString(r.path) || slices.Contains([]string{"/{$}", "/tasks/{kind}"}, r.path) {
			continue // which name nothing of the account's, or look at nothing of it
		}
		for name, u := range map[string]lost.User{"another account's owner": eve, "a colleague": c.people["owner"]} {
			if name == "a colleague" && !regexp.MustCompile(`\{(view|session|passkey)\}`).MatchString(r.path) {
				continue
			}
			path := c.pathFor(r.path, c.people["desk"])
			theirs, none := c.send(c.Handler, r, path, u), c.send(c.Handler, r, pathToNothing(r.path), u)
			if theirs.Code != http.StatusNotFound && theirs.Code != none.Code || slices.Contains(answered, theirs.Code) {
				t.Errorf("%s: %s was answered %d, and %d where there is nothing", r, name, theirs.Code, none.Code)
			}
		}
	}
}
