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
	floor float64 // a fraction orders the parts of one floor, like the dashboard's frame and areas
	may   []string
}

// rooms is the whole truth about import directions; .golangci.yml repeats what is
// broken most easily. A new package gets its line here first.
var rooms = map[string]room{
	"cmd/homeward": {8, []string{"internal/cli"}},
	"internal/cli": {7, everything},
	"internal/app": {6, everything},

	"internal/web": {5, []string{
		"internal/web/api", "internal/web/staff", "internal/web/guest", "internal/web/callback", "internal/web/respond",
		"internal/desk",
		"internal/media", // to mount the address that serves its files
		"internal/tracing",
		"internal/lost",
	}},

	"internal/web/api":      {4, []string{"internal/desk", "internal/web/respond", "internal/v1", "internal/lost"}},
	"internal/web/staff":    {4, slices.Concat(staffAreas, []string{"internal/web/staff/frame"})},
	"internal/web/guest":    {4, []string{"internal/desk", "internal/web/respond", "internal/i18n", "internal/lost"}},
	"internal/demo":         {4, []string{"internal/desk", "internal/demo/picture", "internal/lost"}},
	"internal/web/callback": {4, []string{"internal/desk", "internal/web/respond", "internal/lost"}},

	"internal/web/staff/account":   {3.6, staffArea},
	"internal/web/staff/bulk":      {3.6, staffArea},
	"internal/web/staff/finds":     {3.6, staffArea},
	"internal/web/staff/items":     {3.6, staffArea},
	"internal/web/staff/locations": {3.6, staffArea},
	"internal/web/staff/requests":  {3.6, staffArea},
	"internal/web/staff/settings":  {3.6, staffArea},
	"internal/web/staff/signin":    {3.6, staffArea},
	"internal/web/staff/storage":   {3.6, staffArea},
	"internal/web/staff/today":     {3.6, append(slices.Clone(staffArea), "internal/web/staff/reports")},
	"internal/web/staff/reports":   {3.4, staffArea}, // has no pages of its own; the start page shows it
	"internal/web/staff/frame":     {3.2, []string{"internal/desk", "internal/web/respond", "internal/i18n", "internal/lost"}},

	"internal/web/respond": {3, []string{"internal/v1", "internal/lost"}}, // v1 has the problem body that it writes
	"internal/desk":        {3, []string{"internal/store", "internal/v1", "internal/itemcsv", "internal/lost", "internal/lost/match"}},
	"internal/outbox":      {3, []string{"internal/store", "internal/tracing", "internal/lost"}},
	"internal/backup":      {4, []string{"internal/store", "internal/store/transfer", "internal/media", "internal/lost"}},

	"internal/store/transfer": {3, []string{"internal/store"}},

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

	// staffArea is what an area of the dashboard may import: areas do not import each other.
	staffArea = []string{
		"internal/web/staff/frame", "internal/desk", "internal/web/respond", "internal/i18n", "internal/lost",
	}
	staffAreas = []string{
		"internal/web/staff/account", "internal/web/staff/bulk", "internal/web/staff/finds", "internal/web/staff/items",
		"internal/web/staff/locations", "internal/web/staff/requests", "internal/web/staff/settings",
		"internal/web/staff/signin", "internal/web/staff/storage", "internal/web/staff/today",
	}
)

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
	"github.com/alecthomas/kong": {"internal/cli"},

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
				t.Errorf("%s (floor %v) may import %s (floor %v): not downward", name, r.floor, below, target.floor)
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
