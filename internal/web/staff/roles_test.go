package staff_test

import (
	"cmp"
	"fmt"
	"maps"
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

// row is one line of testdata/roles.txt: a route and its permission. docs/use/roles.md explains how to add a line.
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
			t.Fatalf("testdata/roles.txt has a line that is not a permission, a method and a path: %q", line)
		}
		all = append(all, row{right: parts[0], method: parts[1], path: parts[2]})
	}
	return all
}

// claim returns a row with the permission that the route itself names.
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
		t.Errorf("testdata/roles.txt lacks these lines, or lists other permissions for them. Check the permissions "+
			"and add the lines in sorted order:\n%s", &missing)
	}
	for _, r := range table {
		if !slices.ContainsFunc(staff.Routes(), func(o staff.Route) bool {
			return o.Method == r.method && o.Path == r.path
		}) {
			t.Errorf("testdata/roles.txt has a line for a route that does not exist:\n%s", r)
		}
	}
}

// allowedStatuses are the status codes of a page, of an accepted form, and of a form that was rejected for a reason
// other than permissions.
var allowedStatuses = []int{
	http.StatusOK, http.StatusCreated, http.StatusNoContent, http.StatusSeeOther, http.StatusTemporaryRedirect,
	http.StatusConflict, http.StatusUnprocessableEntity,
}

// specialForms lists forms that need more than a path: the response of a device, a redirect to another site, or another
// server. The tests of passkeys, external logins and guest look-up cover them.
var specialForms = []string{
	"/settings/profile/passkeys", "/settings/profile/passkeys/options",
	"/settings/profile/passkeys/{passkey}/remove/passkey", "/settings/profile/unlink",
	"/locations/{location}/stays/test", // of a connected hotel system
}

// The test opens each page and sends each form with an existing record, with each role and without a login.
func TestEachRoleOpensThePagesInTheTable(t *testing.T) {
	c := newFixture(t, "")
	for _, r := range rows(t) {
		for name, u := range c.people {
			w := c.send(c.Handler, r, c.pathFor(r.path, u), u)
			if fault := c.fault(r, u, w); fault != "" {
				t.Errorf("%s: %s got status %d: %s", r, name, w.Code, fault)
			}
		}
		w := c.send(c.Handler, r, c.pathFor(r.path, lost.User{}), lost.User{})
		if open := r.right == "open" || r.path == "/login/code"; !open && !redirectedToLogin(w) &&
			w.Code != http.StatusUnauthorized {
			t.Errorf("%s: got status %d without a login", r, w.Code)
		}
	}
	c.checkAuditedAddresses()
}

// checkAuditedAddresses checks that each audit entry about a request to the dashboard has the address of the client.
// The fixture itself calls the use cases, as an actor with another address.
func (c *fixture) checkAuditedAddresses() {
	c.T.Helper()
	from := map[lost.AuditAction]bool{}
	f := lost.AuditFilter{PageCursor: lost.PageCursor{Limit: 5000}}
	for _, e := range testkit.Must(c.Services.AuditLog.List(c.T.Context(), c.Owner.Actor(), f)).Data {
		switch e.Actor.Address {
		case clientAddress:
			from[e.Action] = true
		case "":
			if e.Actor.Kind == lost.ByUser || e.Actor.Kind == lost.ByKey {
				c.T.Errorf("an audit entry has no address: %+v", e)
			}
		}
	}
	const minActions = 12 // most of the actions that the forms lead to
	if len(from) < minActions {
		c.T.Errorf("the dashboard wrote audit entries with %d actions, want at least %d: %v", len(from), minActions,
			slices.Sorted(maps.Keys(from)))
	}
}

// fault describes how a response differs from what testdata/roles.txt requires. It is empty if there is no
// difference.
func (c *fixture) fault(r row, u lost.User, w *httptest.ResponseRecorder) string {
	switch {
	case w.Code >= http.StatusInternalServerError:
		return "server error"
	case r.right == "open":
		return unless(w.Code != http.StatusForbidden, "the route is open to everybody")
	case redirectedToLogin(w) && r.path != "/logout":
		return "redirected to the login page"
	case r.right != "any" && !u.Role.Has(lost.Permission(r.right)):
		return unless(w.Code == http.StatusForbidden, "the role lacks the permission")
	case len(u.Locations) > 0 && c.atHotel(r.path):
		return unless(w.Code == http.StatusNotFound, "the user has no access to the location")
	case slices.Contains(specialForms, r.path):
		return unless(w.Code != http.StatusForbidden, "the role has the permission")
	default:
		return unless(slices.Contains(allowedStatuses, w.Code), "the role has the permission")
	}
}

func unless(right bool, fault string) string {
	if right {
		return ""
	}
	return fault
}

func redirectedToLogin(w *httptest.ResponseRecorder) bool {
	return w.Code == http.StatusSeeOther && strings.HasPrefix(w.Header().Get("Location"), "/login")
}

// atHotel reports whether a path names a record at the hotel.
func (*fixture) atHotel(path string) bool {
	return strings.Contains(path, "{location}") ||
		slices.Contains([]string{"/at", "/t/{reference}", "/settings/messages/{message}"}, path)
}

// A route names the permission that its page needs, so that users do not see pages that they may not use. Even
// without this check, package desk must reject the action.
func TestTheDeskChecksPermissionsItself(t *testing.T) {
	c := newFixture(t, "")
	handler := testkit.Must(staff.Unguarded(staff.Options{
		Services: c.Services, Base: c.at, Assets: testkit.Must(respond.NewAssets()), Now: c.Clock.Now,
	}))
	for _, r := range rows(t) {
		for _, role := range lost.Roles() {
			if r.right == "open" || r.right == "any" || role.Has(lost.Permission(r.right)) {
				continue
			}
			u := c.people[string(role)]
			w := c.send(handler, r, c.pathFor(r.path, u), u)
			if !onlyAsks(r) && w.Code != http.StatusForbidden && w.Code != http.StatusNotFound {
				t.Errorf("%s: %s got status %d from the desk, want 403 or 404", r, role, w.Code)
			}
			if strings.Contains(w.Body.String(), c.at+"/g/") {
				t.Errorf("%s: the response to %s contains a guest's link", r, role)
			}
		}
	}
}

// onlyAsks reports whether a page only redirects or shows a form, without any data that the user cannot see
// elsewhere. Package desk checks the permission when the form is sent.
func onlyAsks(r row) bool {
	empty := []string{
		"/settings/keys/new", "/settings/webhooks/new", "/settings/team/invite", "/settings/account",
		"/at/{location}/scan", "/t/place/{location}/{place}",
	}
	posted := []string{"/category", "/at/{location}/papers/hand-over"} // forms that have too much content for a URL
	return slices.Contains(posted, r.path) || r.method == http.MethodGet &&
		(slices.Contains([]string{"handle", "remove", "record", "arrange"}, r.right) || slices.Contains(empty, r.path))
}

// Requests for records of another account get the same response as requests for missing records.
func TestRecordsOfOtherAccountsAreNotFound(t *testing.T) {
	c := newFixture(t, "")
	other := testkit.Must(c.Services.Accounts.Create(t.Context(), "Other"))
	eve := testkit.Must(c.Services.Accounts.CreateUser(t.Context(), other.ID, "eve@other.example", "Eve",
		testkit.Password))
	for _, r := range rows(t) {
		if r.right == "open" || !inBraces.MatchString(r.path) ||
			slices.Contains([]string{"/{$}", "/tasks/{kind}"}, r.path) {
			continue // the page does not show records of the account
		}
		for name, u := range map[string]lost.User{"another account's owner": eve, "a colleague": c.people["owner"]} {
			if name == "a colleague" && !regexp.MustCompile(`\{(view|session|passkey)\}`).MatchString(r.path) {
				continue
			}
			path := c.pathFor(r.path, c.people["desk"])
			theirs, none := c.send(c.Handler, r, path, u), c.send(c.Handler, r, pathToNothing(r.path), u)
			if theirs.Code != http.StatusNotFound && theirs.Code != none.Code ||
				slices.Contains(allowedStatuses, theirs.Code) {
				t.Errorf("%s: %s got status %d, and %d for a missing record", r, name, theirs.Code, none.Code)
			}
		}
	}
}
