package staff_test

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"homeward/internal/lost"
	"homeward/internal/store"
	"homeward/internal/web/housetest"
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

// crew is a house with a person of each role.
type crew struct {
	*housetest.House
	people map[string]lost.User
	names  map[string]string // what stands in an address within braces
}

func newCrew(t *testing.T) *crew {
	t.Helper()
	c := &crew{House: housetest.One(t), people: map[string]lost.User{}, names: map[string]string{}}
	hotel, zoo := c.Location("Hotel"), c.Location("Zoo")
	c.names["location"], c.names["item"] = hotel.ID, c.Item(hotel, "Hat").ID
	for _, role := range lost.Roles() {
		c.people[string(role)] = c.person(role, nil)
	}
	for _, role := range lost.Roles() {
		if role.Limited() {
			c.people[string(role)+" elsewhere"] = c.person(role, []string{zoo.ID})
		}
	}
	c.names["user"] = c.person(lost.DeskRole, nil).ID
	return c
}

// person is somebody without a password: nobody waits for hashes here.
func (c *crew) person(role lost.Role, locations []string) lost.User {
	var u lost.User
	housetest.Must(0, c.DB.Write(c.T.Context(), func(tx *store.Tx) error {
		u = lost.User{Account: c.Owner.Account, ID: lost.NewID(lost.UserID, tx.Now()), Name: string(role), Role: role, Locations: locations, CreatedAt: tx.Now()}
		u.Email = u.ID + "@homeward.example"
		return tx.InsertUser(u)
	}))
	return u
}

// ask sends a request in a session of its own: some end the one that they are sent in.
func (c *crew) ask(r row, u lost.User) *httptest.ResponseRecorder {
	c.T.Helper()
	path := regexp.MustCompile(`\{([^}]+)\}`).ReplaceAllStringFunc(r.path, func(name string) string {
		if name == "{$}" {
			return ""
		}
		return cmp.Or(c.names[strings.Trim(name, "{}.")], "nothing")
	})
	req := httptest.NewRequestWithContext(c.T.Context(), r.method, housetest.Base+path, strings.NewReader(""))
	req.Header.Set("Accept", "text/html")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	if r.method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if u.ID != "" {
		token := rand.Text()
		housetest.Must(0, c.DB.Write(c.T.Context(), func(tx *store.Tx) error {
			return tx.InsertSession(lost.NewSession(u, lost.Client{}, false, []lost.Proof{lost.PasswordProof}, tx.Now()), store.DirectoryHash(token))
		}))
		req.AddCookie(&http.Cookie{Name: "session", Value: token})
	}
	w := httptest.NewRecorder()
	c.Handler.ServeHTTP(w, req)
	return w
}

// Each role against each page, and those who are not logged in.
func TestEachRoleOpensThePagesThatTheTableSays(t *testing.T) {
	c := newCrew(t)
	for _, r := range rows(t) {
		for name, u := range c.people {
			w := c.ask(r, u)
			may := r.right == "open" || r.right == "any" || u.Role.Has(lost.Right(r.right))
			away := w.Code == http.StatusSeeOther && strings.HasPrefix(w.Header().Get("Location"), "/login") && r.path != "/logout"
			if forbidden := w.Code == http.StatusForbidden; forbidden == may || w.Code >= http.StatusInternalServerError || away && r.right != "open" {
				t.Errorf("%s: %s was answered %d, and may is %v", r, name, w.Code, may)
			}
			// That a form cannot be read is said before anything is looked up.
			hidden := slices.Contains([]int{http.StatusNotFound, http.StatusBadRequest, http.StatusUnsupportedMediaType}, w.Code)
			if strings.HasSuffix(name, "elsewhere") && may && strings.Contains(r.path, "{location}") && !hidden {
				t.Errorf("%s: %s was answered %d, as if the location could be reached", r, name, w.Code)
			}
		}
		w := c.ask(r, lost.User{})
		away := w.Code == http.StatusSeeOther && strings.HasPrefix(w.Header().Get("Location"), "/login")
		if open := r.right == "open" || r.path == "/login/code"; !open && !away {
			t.Errorf("%s: a stranger was answered %d", r, w.Code)
		}
	}
}
