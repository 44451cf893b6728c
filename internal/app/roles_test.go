package app_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"homeward/internal/lost"
	"homeward/internal/store/storetest"
)

// apiRow is one row of the table in docs/use/roles.md. It says which permission an API operation requires.
type apiRow struct{ method, path, right string }

func (r apiRow) String() string { return "| `" + r.method + " " + r.path + "` | " + r.right + " |" }

// apiRows reads the rows of the table.
func apiRows(t *testing.T) (rows []apiRow) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "use", "roles.md"))
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `([A-Z]+) (/v1/\\S+)` \\| ([a-z]+) \\|$")
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		rows = append(rows, apiRow{m[1], m[2], m[3]})
	}
	return rows
}

// operations returns the operations in the OpenAPI document.
func (s *service) operations() (all []apiRow) {
	s.t.Helper()
	res, err := http.Get(s.url + "/openapi.json")
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, _ := io.ReadAll(res.Body)
	var described struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal(body, &described); err != nil {
		s.t.Fatal(err)
	}
	for path, methods := range described.Paths {
		for method := range methods {
			method = strings.ToUpper(method)
			if strings.HasPrefix(path, "/v1/") && method != "PARAMETERS" {
				all = append(all, apiRow{method: method, path: path})
			}
		}
	}
	return all
}

// The test calls each operation with a key for each role. Keys cannot have the owner role.
func TestRolesHaveTheDocumentedPermissions(t *testing.T) {
	t.Parallel()
	s := startService(t, newConfig(t, storetest.SQLite(t)))
	rows := apiRows(t)
	for _, op := range s.operations() {
		if !slices.ContainsFunc(rows, func(r apiRow) bool { return r.method == op.method && r.path == op.path }) {
			op.right = "…"
			t.Errorf("docs/use/roles.md lacks an operation. Add the permission that it needs:\n%s", op)
		}
	}
	keys := map[lost.Role]string{}
	for _, role := range lost.KeyRoles() {
		properties := map[string]any{"name": "A " + string(role), "role": string(role)}
		if role == lost.PublishableRole {
			properties["origins"] = []string{"https://hotel.example"}
		}
		_, keys[role] = s.newKey(properties)
	}
	public := []string{"GET /v1/locations/{id}", "POST /v1/locations/{lid}/requests"}
	filled := regexp.MustCompile(`\{[^}]+\}`)
	for _, row := range rows {
		path := filled.ReplaceAllStringFunc(row.path, func(string) string { return lost.NewID("none", time.Now()) })
		for _, role := range lost.KeyRoles() {
			response := s.visibleResponse(keys[role], row.method, path, validBody(row.path))
			forbidden, wanted := strings.HasPrefix(response, "403"), row.right != "any" &&
				!role.Has(lost.Permission(row.right))
			if role == lost.PublishableRole {
				wanted = !slices.Contains(public, row.method+" "+row.path)
			}
			if forbidden != wanted {
				t.Errorf("%s %s: forbidden to %s: %v, want %v\n%.300s", row.method, row.path, role, forbidden, wanted,
					response)
			}
		}
	}
}

// validBody returns a body that an operation can parse. Invalid fields are reported only to clients with permission.
func validBody(path string) content {
	switch {
	case strings.HasSuffix(path, "/upload-logo"):
		return contents()["a logo"]
	case strings.HasSuffix(path, "/upload-image"):
		return contents()["an image"]
	case strings.HasSuffix(path, "/webhooks/{id}/replay"):
		return contents()["a time"]
	case strings.HasSuffix(path, "/owner-from-stay"):
		return content{"application/json", []byte(`{"stayId": "stay_none"}`)}
	default:
		return content{"application/json", []byte("{}")}
	}
}
