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

// row is one line of testdata/roles.txt: an address and the permission it needs. docs/use/roles.md says how to add one.
type row struct{ method, path, right string }

func (r row) String() string { return fmt.Sprintf("%-9s %-4s %s", r.right, r.method, r.path) }

// rows reads testdata/roles.txt.
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

// claim is the permission that the route itself names.
func claim(r staff.Route) row {
	right := cmp.Or(string(r.Right), "any")
	if r.Open {
		right = "open"
	}
	return row{method: r.Method, path: r.Path, right: right}
}

func TestEveryRouteIsInTheTableOfRoles(t *testing.T) {
	table := rows(t)
	var missing strings.Builder
	for _, r := range staff.Routes() {
		if want := claim(r); !slices.Contains(table, want) {
			fmt.Fprintln(&missing, want)
		}
	}
	if missing.Len() > 0 {
		t.Errorf("testdata/roles.txt lacks lines, or says otherwise. Look whether the right is the one that is "+
			"meant, and put them in where they sort:\n%s", &missing)
	}
	for _, r := range table {
		if !slices.ContainsFunc(staff.Routes(), func(o staff.Route) bool {
			return o.Method == r.method && o.Path == r.path
		}) {
			t.Errorf("testdata/roles.txt has a line of a page that there is not:\n%s", r)
		}
	}
}

// answered are the status codes of a page, of an accepted form, and of a form that the desk rejected.
var answered = []int{
	http.StatusOK, http.StatusCreated, http.StatusNoContent, http.StatusSeeOther, http.StatusTemporaryRedirect,
	http.StatusConflict, http.StatusUnprocessableEntity,
}

// unasked are the forms that need more than an address: the answer of a device, or a redirect to another site. The
// tests of passkeys and external logins send them.
var unasked = []string{
	"/settings/profile/passkeys", "/settings/profile/passkeys/options",
	"/settings/profile/passkeys/{passkey}/remove/passkey", "/settings/profile/unlink",
}

// Each role against each page and each form with an existing record, and visitors who are not logged in.
func TestEachRoleOpensThePagesInTheTable(t *testing.T) {
	c := newFixture(t, "")
	for _, r := range rows(t) {
		for name, u := range c.people {
			w := c.send(c.Handler, r, c.pathFor(r.path, u), u)
			if fault := c.fault(r, u, w); fault != "" {
				t.Errorf("%s: %s was answered %d, %s", r, name, w.Code, fault)
			}
		}
		w := c.send(c.Handler, r, c.pathFor(r.path, lost.User{}), lost.User{})
		if open := r.right == "open" || r.path == "/login/code"; !open && !sentAway(w) &&
			w.Code != http.StatusUnauthorized {
			t.Errorf("%s: a stranger was answered %d", r, w.Code)
		}
	}
}

// fault says what is wrong with a response; empty if it is as the table says.
func (c *fixture) fault(r row, u lost.User, w *httptest.ResponseRecorder) string {
	switch {
	case w.Code >= http.StatusInternalServerError:
		return "which is no answer"
	case r.right == "open":
		return unless(w.Code != http.StatusForbidden, "and it is open to everybody")
	case sentAway(w) && r.path != "/logout":
		return "and sent to log in"
	case r.right != "any" && !u.Role.Has(lost.Permission(r.right)):
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

// atHotel reports whether an address is about something at the hotel.
func (*fixture) atHotel(path string) bool {
	return strings.Contains(path, "{location}") ||
		slices.Contains([]string{"/at", "/t/{reference}", "/settings/messages/{message}"}, path)
}

// A route names the permission of its page so that users do not see what they may not use. If one names too little, the
// desk still refuses.
func TestTheDeskChecksPermissionsItself(t *testing.T) {
	c := newFixture(t, "")
	door := testkit.Must(staff.Unguarded(staff.Options{
		Services: c.Services, Base: c.at, Assets: testkit.Must(respond.NewAssets()), Now: c.Clock.Now,
	}))
	for _, r := range rows(t) {
		for _, role := range lost.Roles() {
			if r.right == "open" || r.right == "any" || role.Has(lost.Permission(r.right)) {
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

// asks reports whether a page only asks a question or redirects, and shows nothing that the user cannot see elsewhere.
// The desk checks the permission when the form is sent.
func asks(r row) bool {
	empty := []string{
		"/settings/keys/new", "/settings/webhooks/new", "/settings/team/invite", "/settings/account",
		"/at/{location}/scan", "/t/place/{location}/{place}",
	}
	return r.method == http.MethodGet &&
		(slices.Contains([]string{"handle", "remove", "record", "arrange"}, r.right) || slices.Contains(empty, r.path))
}

// Records of another account are answered like missing ones.
func TestRecordsOfOtherAccountsAreNotFound(t *testing.T) {
	c := newFixture(t, "")
	other := testkit.Must(c.Services.Accounts.Create(t.Context(), "Other"))
	eve := testkit.Must(c.Services.Accounts.CreateUser(t.Context(), other.ID, "eve@other.example", "Eve",
		testkit.Password))
	for _, r := range rows(t) {
		if r.right == "open" || !inBraces.MatchString(r.path) ||
			slices.Contains([]string{"/{$}", "/tasks/{kind}"}, r.path) {
			continue // which do not name or read records of the account
		}
		for name, u := range map[string]lost.User{"another account's owner": eve, "a colleague": c.people["owner"]} {
			if name == "a colleague" && !regexp.MustCompile(`\{(view|session|passkey)\}`).MatchString(r.path) {
				continue
			}
			path := c.pathFor(r.path, c.people["desk"])
			theirs, none := c.send(c.Handler, r, path, u), c.send(c.Handler, r, pathToNothing(r.path), u)
			if theirs.Code != http.StatusNotFound && theirs.Code != none.Code ||
				slices.Contains(answered, theirs.Code) {
				t.Errorf("%s: %s was answered %d, and %d where there is nothing", r, name, theirs.Code, none.Code)
			}
		}
	}
}
