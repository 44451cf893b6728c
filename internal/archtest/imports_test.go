package archtest_test

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// room says where a package stands and which of our packages it may import: only
// ones on a lower floor, and of those only the named.
type room struct {
	floor int
	may   []string
}

// rooms is the whole truth about import directions; .golangci.yml repeats what is
// broken most easily. A new package gets its line here first.
var rooms = map[string]room{
	"cmd/homeward": {10, []string{"internal/app"}},

	"internal/app": {9, everything},

	"internal/web": {8, []string{
		"internal/web/api", "internal/web/staff", "internal/web/guest", "internal/web/callback", "internal/web/respond",
		"internal/services",
		"internal/media", // to mount the address that serves its files
		"internal/tracing",
		"internal/lost",
	}},

	"internal/web/api":      {7, with("internal/web/respond", "internal/v1", "internal/lost")},
	"internal/web/staff":    {7, with("internal/web/respond", "internal/i18n", "internal/lost")},
	"internal/web/guest":    {7, with("internal/web/respond", "internal/i18n", "internal/lost")},
	"internal/demo":         {7, with("internal/demo/picture", "internal/lost")},
	"internal/web/callback": {7, with("internal/web/respond", "internal/lost")},

	// services builds the use cases, which do not know each other; it has the off switch of payments from payment.
	"internal/services": {6, []string{
		"internal/desk", "internal/identity", "internal/shipping", "internal/matching", "internal/privacy",
		"internal/change", "internal/access", "internal/store", "internal/v1", "internal/payment", "internal/lost",
	}},

	"internal/desk":     {5, useCase("internal/change", "internal/itemcsv")},
	"internal/identity": {5, useCase()},
	"internal/shipping": {5, useCase("internal/change")},
	"internal/matching": {5, useCase("internal/change", "internal/lost/match")},
	"internal/privacy":  {5, useCase("internal/change", "internal/itemcsv")},
	"internal/change":   {4, useCase()},
	"internal/access":   {3, []string{"internal/store", "internal/v1", "internal/lost"}},

	"internal/web/respond": {3, []string{"internal/v1", "internal/lost"}}, // v1 has the problem body that it writes
	"internal/outbox":      {3, []string{"internal/store", "internal/tracing", "internal/lost"}},
	"internal/backup":      {3, []string{"internal/store", "internal/media", "internal/lost"}},

	"internal/store":   {2, []string{"internal/tracing", "internal/lost"}},
	"internal/otlp":    {2, []string{"internal/tracing"}}, // sends spans and log lines to a collector
	"internal/itemcsv": {2, onlyLost},
	"internal/v1":      {2, onlyLost},
	"internal/webhook": {2, onlyLost},
	"internal/message": {2, []string{"internal/i18n", "internal/lost"}},
	"internal/courier": {2, onlyLost},
	"internal/payment": {2, []string{"internal/i18n", "internal/lost"}},
	"internal/pdf":     {2, []string{"internal/i18n", "internal/lost"}},
	"internal/media":   {2, onlyLost},
	"internal/oidc":    {2, onlyLost},

	"internal/tlsconf": {2, nil},

	"internal/i18n":         {1, nil},
	"internal/demo/picture": {1, nil},
	"internal/lost":         {1, nil},

	"internal/tracing": {1, nil}, // the way back from a piece of work to the request that left it

	"internal/lost/match": {1, nil}, // how well a find answers a request
}

var (
	everything = []string{"*"}
	onlyLost   = []string{"internal/lost"}
)

// with gives what a package that calls the use cases may import: the services, and the packages that are named.
func with(more ...string) []string {
	return append([]string{
		"internal/services", "internal/desk", "internal/identity", "internal/shipping", "internal/matching",
		"internal/privacy",
	}, more...)
}

// useCase gives what a package of use cases may import: the layers below, and the packages that are named.
func useCase(more ...string) []string {
	return append([]string{"internal/access", "internal/store", "internal/v1", "internal/lost"}, more...)
}

// tools are no part of the program. They may import every room, and no room imports them.
var tools = []string{"internal/archtest", "internal/secretscan", "internal/testkit", "internal/cmd/bench", "internal/cmd/capacity", "internal/cmd/licences", "internal/cmd/matcheval"}

// isTool tells the tools, among them test support: packages like store/storetest.
func isTool(pkg string) bool {
	return slices.Contains(tools, pkg) || strings.HasSuffix(path.Base(pkg), "test")
}

// reserved lists what only some packages may import, by the beginning of its path.
var reserved = map[string][]string{
	"database/sql":               {"internal/store"},
	"github.com/jackc/pgx":       {"internal/store"},
	"modernc.org/sqlite":         {"internal/store"},
	"github.com/alecthomas/kong": {"cmd/homeward", "internal/app"},

	"go.opentelemetry.io/otel/sdk":       {"internal/otlp"}, // others know the way, not the load
	"go.opentelemetry.io/otel/exporters": {"internal/otlp"},
}

// outside lists what the rules in lost must do without, though it is in the standard library.
var outside = []string{"context", "database/sql", "encoding/json", "net/http", "os", "log"}

func TestEveryPackageHasItsPlace(t *testing.T) {
	for _, pkg := range packages(t) {
		if _, placed := rooms[pkg]; !placed && !isTool(pkg) {
			t.Errorf("package %s is not in the table of rooms: place it in internal/archtest/imports_test.go, with its floor and what it may import", pkg)
		}
	}
}

func TestTheTableItselfOnlyPointsDown(t *testing.T) {
	for name, r := range rooms {
		for _, below := range r.may {
			if below == "*" {
				continue
			}
			if target, known := rooms[below]; !known {
				t.Errorf("%s may import %s, which is not in the table", name, below)
			} else if target.floor >= r.floor {
				t.Errorf("%s (floor %d) may import %s (floor %d): not downward", name, r.floor, below, target.floor)
			}
		}
	}
}

func TestRoomsImportOnlyWhatTheyMay(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || isTool(s.pkg) {
			continue
		}
		for _, imported := range s.imports {
			if fault := faultOf(s.pkg, imported); fault != "" {
				t.Errorf("%s imports %s: %s", s.file, imported, fault)
			}
		}
	}
}

// Tests may reach for whatever shows the behaviour, except at the bottom: what
// lost's tests import, lost would come to need.
func TestTestsOfLostStayAtTheBottom(t *testing.T) {
	for _, s := range sources(t) {
		if s.pkg != "internal/lost" || !s.test {
			continue
		}
		for _, imported := range s.imports {
			if ours, is := strings.CutPrefix(imported, module); is && ours != s.pkg {
				t.Errorf("%s imports %s: lost and its tests know no other room", s.file, imported)
			}
		}
	}
}

func TestTheRulesNoticeAWrongImport(t *testing.T) {
	for _, c := range []struct {
		from, imported string
		wrong          bool
	}{
		{"internal/web/api", "homeward/internal/desk", false},
		{"internal/web/api", "homeward/internal/store", true},
		{"internal/web/api", "homeward/internal/web", true},
		{"internal/desk", "homeward/internal/media", true},
		{"internal/app", "homeward/internal/outbox", false},
		{"internal/app", "homeward/internal/store/storetest", true},
		{"internal/app", "homeward/cmd/homeward", true},
		{"internal/media", "homeward/internal/store", true},
		{"internal/message", "homeward/internal/i18n", false},
		{"internal/web/guest", "homeward/internal/i18n", false},
		{"internal/desk", "homeward/internal/i18n", true},
		{"internal/i18n", "homeward/internal/lost", true},
		{"internal/i18n", "golang.org/x/text/language", false},
		{"internal/media", "github.com/minio/minio-go/v7", false},
		{"internal/media", "os", false},
		{"internal/desk", "database/sql", true},
		{"internal/store", "github.com/jackc/pgx/v5/pgxpool", false},
		{"internal/lost", "net/mail", false},
		{"internal/lost", "net/http", true},
		{"internal/lost", "os", true},
		{"internal/lost", "log/slog", true},
		{"internal/lost", "github.com/google/uuid", true},
		{"internal/lost", "golang.org/x/text/language", true},
	} {
		if fault := faultOf(c.from, c.imported); (fault != "") != c.wrong {
			t.Errorf("%s imports %s: fault %q, want one: %t", c.from, c.imported, fault, c.wrong)
		}
	}
}

// faultOf says what is wrong with a room's import; nothing if it is fine.
func faultOf(from, imported string) string {
	if ours, is := strings.CutPrefix(imported, module); is {
		return faultInHouse(from, ours)
	}
	for reservedPath, holders := range reserved {
		if within(imported, reservedPath) && !slices.Contains(holders, from) {
			return "that is kept for " + strings.Join(holders, " and ")
		}
	}
	if from == "internal/lost" {
		return faultInLost(imported)
	}
	return ""
}

func faultInHouse(from, to string) string {
	r := rooms[from]
	switch {
	case isTool(to):
		return "that is for tests and tools"
	case slices.Contains(r.may, to):
		return ""
	case slices.Equal(r.may, everything) && rooms[to].floor < r.floor:
		return ""
	default:
		return "not among what it may import: " + strings.Join(r.may, ", ")
	}
}

func faultInLost(imported string) string {
	if strings.Contains(strings.Split(imported, "/")[0], ".") {
		return "the rules need the standard library only"
	}
	for _, o := range outside {
		if within(imported, o) {
			return "the rules touch nothing outside"
		}
	}
	return ""
}

// within tells whether one import path is another or lies below it.
func within(imported, above string) bool {
	return imported == above || strings.HasPrefix(imported, above+"/")
}

// packages names every package of the main module, by its folder.
func packages(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, s := range sources(t) {
		all = append(all, s.pkg)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
