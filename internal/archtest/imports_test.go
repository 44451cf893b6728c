package archtest_test

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// layer describes a package's layer and which packages of this module it may import. Those packages must be in lower
// layers.
type layer struct {
	level float64
	may   []string
}

// layers lists every package of the service. Add new packages here first. .golangci.yml repeats the rules that are
// broken most often, so that editors show violations.
var layers = map[string]layer{
	"cmd/homeward": {13, []string{"internal/cli"}},
	"internal/cli": {12, anyLower},
	"internal/app": {11, anyLower},

	"internal/web": {10, []string{
		"internal/web/api", "internal/web/staff", "internal/web/guest", "internal/web/callback", "internal/web/respond",
		"internal/services",
		"internal/media", // for the handler that serves files
		"internal/tracing",
		"internal/lost",
	}},

	"internal/web/api": {9, callsServices(
		"internal/web/respond", "internal/v1", "internal/tracing", "internal/lost/stay", "docs")},
	"internal/web/guest":    {9, callsServices("internal/web/respond", "internal/i18n", "internal/ical")},
	"internal/web/callback": {9, callsServices("internal/web/respond")},
	"internal/demo":         {9, callsServices("internal/demo/picture")},
	"internal/mcp":          {9, []string{"internal/web/respond", "internal/v1", "internal/lost"}}, // calls the API
	"internal/web/staff":    {9, staffAreas},

	"internal/web/staff/bulk":      {8, staffArea},
	"internal/web/staff/calendar":  {8, staffArea},
	"internal/web/staff/finds":     {8, slices.Concat(staffArea, []string{"internal/lost/category"})},
	"internal/web/staff/items":     {8, slices.Concat(staffArea, []string{"internal/lost/category"})},
	"internal/web/staff/locations": {8, slices.Concat(staffArea, []string{"internal/itemcsv", "internal/lost/preset"})},
	"internal/web/staff/notices":   {8, slices.Concat(staffArea, []string{"internal/lost/notice"})},
	"internal/web/staff/owner":     {8, staffArea},
	"internal/web/staff/reports":   {8, slices.Concat(staffArea, []string{"internal/itemcsv", "internal/lost/report"})},
	"internal/web/staff/requests":  {8, staffArea},
	"internal/web/staff/search":    {8, staffArea},
	"internal/web/staff/settings":  {8, staffArea},
	"internal/web/staff/signin":    {8, staffArea},
	"internal/web/staff/storage":   {8, slices.Concat(staffArea, []string{"internal/lost/paper"})},
	"internal/web/staff/today":     {8, staffArea},
	"internal/web/staff/users":     {8, staffArea},
	"internal/web/staff/stayform":  {7, callsServices("internal/web/staff/frame", "internal/lost/stay")},
	"internal/web/staff/frame": {6, callsServices("internal/web/respond", "internal/i18n", "internal/lost/match",
		"internal/lost/category", "internal/lost/photo")},

	// services constructs the use cases, which do not import each other.
	"internal/services": {5, slices.Concat(useCases, []string{
		"internal/change", "internal/access", "internal/store", "internal/v1", "internal/payment", "internal/lost",
		"internal/lost/notice", "internal/lost/paper", "internal/lost/photo", "internal/lost/report",
		"internal/lost/stay",
	})},

	"internal/desk": {4, useCase("internal/change", "internal/itemcsv", "internal/lost/category",
		"internal/lost/paper", "internal/lost/report")},
	"internal/endpoint": {4, useCase()},
	"internal/papers": {4, useCase("internal/i18n", "internal/itemcsv", "internal/lost/paper",
		"internal/lost/report")},
	"internal/identity": {4, useCase()},
	"internal/shipping": {4, useCase("internal/change")},
	"internal/matching": {4, useCase("internal/change", "internal/lost/category", "internal/lost/match",
		"internal/lost/photo")},
	"internal/assistant": {4, useCase("internal/lost/photo")},
	"internal/privacy":   {4, useCase("internal/change", "internal/itemcsv")},
	"internal/notify":    {4, useCase("internal/lost/notice", "internal/lost/report")},
	"internal/live":      {4, []string{"internal/store", "internal/lost"}},
	"internal/outbox":    {4, []string{"internal/store", "internal/tracing", "internal/lost", "internal/lost/stay"}},
	"internal/stays":     {4, useCase("internal/itemcsv", "internal/lost/stay")},
	"internal/backup": {4, []string{
		"internal/store", "internal/store/transfer", "internal/media", "internal/lost",
	}},

	"internal/change":         {3.5, useCase()},
	"internal/access":         {3, []string{"internal/store", "internal/v1", "internal/lost"}},
	"internal/store/transfer": {3, []string{"internal/store"}},
	"internal/web/respond":    {3, []string{"internal/v1", "internal/lost"}}, // for the problem body in v1

	"internal/store": {2, []string{
		"internal/tracing", "internal/lost", "internal/lost/notice", "internal/lost/photo", "internal/lost/stay",
	}},
	"internal/otlp":    {2, []string{"internal/tracing"}},
	"internal/itemcsv": {2, []string{"internal/i18n", "internal/lost", "internal/lost/stay"}},
	"internal/v1":      {2, []string{"internal/lost", "internal/lost/report", "internal/lost/stay"}},
	"internal/webhook": {2, onlyLost},
	"internal/push":    {2, []string{"internal/lost", "internal/lost/notice"}},
	"internal/pms":     {2, []string{"internal/lost", "internal/lost/stay"}},
	"internal/message": {2, []string{
		"internal/i18n", "internal/lost", "internal/lost/notice", "internal/lost/report",
	}},
	"internal/courier": {2, onlyLost},
	"internal/payment": {2, []string{"internal/i18n", "internal/lost"}},
	"internal/pdf":     {2, []string{"internal/i18n", "internal/lost", "internal/lost/paper"}},
	"internal/media":   {2, []string{"internal/media/photofact", "internal/lost"}},
	"internal/oidc":    {2, onlyLost},
	"internal/reply":   {2, onlyLost},
	"internal/mailbox": {2, nil},
	"internal/tlsconf": {2, nil},
	"internal/openai":  {2, nil},
	"internal/vision":  {2.5, []string{"internal/openai", "internal/lost", "internal/lost/photo"}},

	"docs":                     {1, nil}, // the pages that the API shows
	"internal/i18n":            {1, nil},
	"internal/ical":            {1, nil},
	"internal/memory":          {1, nil},
	"internal/tracing":         {1, nil},
	"internal/metric":          {1, nil},
	"internal/demo/picture":    {1, nil},
	"internal/lost":            {1, nil},
	"internal/lost/notice":     {1.6, []string{"internal/lost", "internal/lost/report"}},
	"internal/lost/report":     {1.5, onlyLost},
	"internal/lost/category":   {1.5, []string{"internal/lost", "internal/lost/match"}},
	"internal/lost/match":      {1, nil},
	"internal/lost/paper":      {1.5, onlyLost},
	"internal/lost/photo":      {1.6, []string{"internal/lost", "internal/lost/category"}},
	"internal/lost/preset":     {1.5, onlyLost},
	"internal/lost/stay":       {1.5, onlyLost},
	"internal/media/photofact": {1.5, onlyLost},
}

var (
	anyLower = []string{"*"}
	onlyLost = []string{"internal/lost"}
	useCases = []string{
		"internal/desk", "internal/identity", "internal/shipping", "internal/matching", "internal/privacy",
		"internal/assistant", "internal/endpoint", "internal/live", "internal/notify", "internal/papers",
		"internal/stays",
	}

	// staffArea lists the packages that each area of the dashboard may import. Areas do not import each other.
	staffArea = callsServices("internal/web/staff/frame", "internal/web/staff/stayform", "internal/web/respond",
		"internal/i18n", "internal/lost/stay")
	staffAreas = []string{
		"internal/web/staff/bulk", "internal/web/staff/calendar", "internal/web/staff/finds",
		"internal/web/staff/items", "internal/web/staff/locations", "internal/web/staff/notices",
		"internal/web/staff/owner", "internal/web/staff/reports",
		"internal/web/staff/requests", "internal/web/staff/search",
		"internal/web/staff/settings", "internal/web/staff/signin", "internal/web/staff/storage",
		"internal/web/staff/today", "internal/web/staff/users", "internal/web/staff/frame",
	}
)

// callsServices returns the packages that a caller of use cases may import: the services, lost, the use cases, and the
// packages in more.
func callsServices(more ...string) []string {
	return slices.Concat([]string{"internal/services", "internal/lost"}, useCases, more)
}

// useCase returns the packages that a package of use cases may import: the packages of lower layers that every use case
// needs, and the packages in more.
func useCase(more ...string) []string {
	return append([]string{"internal/access", "internal/store", "internal/v1", "internal/lost"}, more...)
}

// testPackages lists packages that are used only in tests. Like programs for developers, they are not part of the
// service: they may import every package, but the service must not import them.
var testPackages = []string{"internal/archtest", "internal/secretscan", "internal/testkit"}

// isTool reports whether a package is not part of the service.
func isTool(pkg string) bool {
	return slices.Contains(testPackages, pkg) || within(pkg, "internal/cmd") ||
		strings.HasSuffix(path.Base(pkg), "test")
}

// reserved maps import path prefixes to the only packages that may import them.
var reserved = map[string][]string{
	"database/sql":               {"internal/store"},
	"github.com/jackc/pgx":       {"internal/store"},
	"modernc.org/sqlite":         {"internal/store"},
	"github.com/alecthomas/kong": {"internal/cli"},

	"github.com/modelcontextprotocol/go-sdk": {"internal/mcp"},
}

// impure lists standard library packages that the domain must not import.
var impure = []string{"context", "database/sql", "encoding/json", "net/http", "os", "log"}

func TestEveryPackageHasALayer(t *testing.T) {
	for _, pkg := range packages(t) {
		if _, listed := layers[pkg]; !listed && !isTool(pkg) {
			t.Errorf("package %s is not in the table of layers: add it to internal/archtest/imports_test.go", pkg)
		}
	}
}

func TestLayersOnlyPointDown(t *testing.T) {
	for name, l := range layers {
		for _, below := range l.may {
			if below == "*" {
				continue
			}
			if target, known := layers[below]; !known {
				t.Errorf("%s may import %s, which is not in the table", name, below)
			} else if target.level >= l.level {
				t.Errorf("%s (layer %v) may import %s (layer %v): not downward", name, l.level, below, target.level)
			}
		}
	}
}

func TestPackagesImportOnlyLowerLayers(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || isTool(s.pkg) {
			continue
		}
		for _, imported := range s.imports {
			if fault := importFault(s.pkg, imported); fault != "" {
				t.Errorf("%s imports %s: %s", s.file, imported, fault)
			}
		}
	}
}

// TestTestsOfLostImportOnlyLost checks that the domain stays independent. Tests of other packages may import higher
// layers.
func TestTestsOfLostImportOnlyLost(t *testing.T) {
	for _, s := range sources(t) {
		if s.pkg != "internal/lost" || !s.test {
			continue
		}
		for _, imported := range s.imports {
			if ours, is := strings.CutPrefix(imported, module); is && ours != s.pkg {
				t.Errorf("%s imports %s: tests of lost may import only lost from this module", s.file, imported)
			}
		}
	}
}

func TestImportFaultFindsWrongImports(t *testing.T) {
	for _, c := range []struct {
		from, imported string
		wrong          bool
	}{
		{"internal/web/api", "homeward/internal/desk", false},
		{"internal/web/api", "homeward/internal/store", true},
		{"internal/web/api", "homeward/internal/web", true},
		{"internal/web/staff/items", "homeward/internal/web/staff/today", true},
		{"internal/desk", "homeward/internal/identity", true},
		{"internal/desk", "homeward/internal/media", true},
		{"internal/app", "homeward/internal/outbox", false},
		{"internal/app", "homeward/internal/store/storetest", true},
		{"internal/app", "homeward/internal/cli", true},
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
		{"internal/app", "github.com/alecthomas/kong", true},
		{"internal/lost", "net/mail", false},
		{"internal/lost", "net/http", true},
		{"internal/lost", "os", true},
		{"internal/lost", "log/slog", true},
		{"internal/lost", "github.com/google/uuid", true},
		{"internal/lost", "golang.org/x/text/language", true},
		{"internal/lost", "golang.org/x/text/unicode/norm", false},
	} {
		if fault := importFault(c.from, c.imported); (fault != "") != c.wrong {
			t.Errorf("importFault(%s, %s) = %q, want a fault: %t", c.from, c.imported, fault, c.wrong)
		}
	}
}

// importFault returns why an import is not allowed, or "" if it is allowed.
func importFault(from, imported string) string {
	if ours, is := strings.CutPrefix(imported, module); is {
		return ownImportFault(from, ours)
	}
	for reservedPath, allowed := range reserved {
		if within(imported, reservedPath) && !slices.Contains(allowed, from) {
			return "only " + strings.Join(allowed, " and ") + " may import it"
		}
	}
	if from == "internal/lost" {
		return domainImportFault(imported)
	}
	return ""
}

func ownImportFault(from, to string) string {
	l := layers[from]
	switch {
	case isTool(to):
		return "it is only for tests and developer tools"
	case slices.Contains(l.may, to):
		return ""
	case slices.Equal(l.may, anyLower) && layers[to].level < l.level:
		return ""
	default:
		return "it may import only " + strings.Join(l.may, ", ")
	}
}

func domainImportFault(imported string) string {
	// The standard library has no rules for international domains and for composing letters. These packages are pure:
	// tables and functions.
	if imported == "golang.org/x/net/idna" || imported == "golang.org/x/text/unicode/norm" {
		return ""
	}
	if strings.Contains(strings.Split(imported, "/")[0], ".") {
		return "the domain may import only the standard library, x/net/idna and x/text/unicode/norm"
	}
	for _, path := range impure {
		if within(imported, path) {
			return "the domain must not use I/O, contexts or JSON"
		}
	}
	return ""
}

// within reports whether an import path is the given path or a path below it.
func within(imported, above string) bool {
	return imported == above || strings.HasPrefix(imported, above+"/")
}

// packages returns the path of every package in the main module.
func packages(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, s := range sources(t) {
		all = append(all, s.pkg)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
