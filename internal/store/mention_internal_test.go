package store

import (
	"slices"
	"strings"
	"testing"

	"homeward/internal/lost"
)

func TestReplaceStringsKeepsTheRestOfTheText(t *testing.T) {
	const text = ` { "a" : [ 1e999, true , null, "x", { "b\u00e9": "x\n", "x": {} } ], "c":"y", "d":[["x"],[]] } `
	const want = ` { "a" : [ 1e999, true , null, "X", { "b\u00e9": "X\n", "X": {} } ], "c":"y", "d":[["X"],[]] } `
	var paths []string
	got := replaceStrings(text, func(path []string, s string) string {
		paths = append(paths, strings.Join(path, ".")+"="+s)
		return strings.ReplaceAll(s, "x", "X")
	})
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	wantPaths := []string{"=a", "a=x", "a.=bé", "a.bé=x\n", "a.=x", "=c", "c=y", "=d", "d=x"}
	if !slices.Equal(paths, wantPaths) {
		t.Errorf("got paths %q, want %q", paths, wantPaths)
	}
	for _, text := range []string{`{}`, `[]`, `"x"`, `1`, `[1,2]`, ` [] `} {
		if got := replaceStrings(text, func(_ []string, s string) string { return s }); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// A text with digits only is valid JSON, but has no strings.
func TestAnAddressIsRemovedFromJSONAndFromOtherTexts(t *testing.T) {
	p := lost.Person{Phone: "+12125551234"}
	for _, c := range []struct {
		text, want string
		prose      bool
	}{
		{"12125551234", "[removed]", false},
		{"5551234", "[removed]", true},
		{"5551234", "5551234", false},
		{`{"notes":"5551234","serialNumber":"5551234"}`, `{"notes":"[removed]","serialNumber":"5551234"}`, false},
		{`{"Notes":"5551234","SerialNumber":"5551234"}`, `{"Notes":"[removed]","SerialNumber":"5551234"}`, true},
		{`{"metadata":{"notes":"5551234"}}`, `{"metadata":{"notes":"5551234"}}`, true},
		{`[{"text":"5551234"},{"error":"5551234"}]`, `[{"text":"[removed]"},{"error":"5551234"}]`, false},
		{`{"5551234": not JSON`, `{"[removed]": not JSON`, true},
	} {
		if got := removeAddress(c.text, p, c.prose); got != c.want {
			t.Errorf("removeAddress(%s, prose: %t) = %s, want %s", c.text, c.prose, got, c.want)
		}
	}
}

func TestImportedCellsAreSearchedByTheirColumn(t *testing.T) {
	const rows = `[{"n":1,"cells":{"description":"Bag","externalId":"5551234","#3":"5551234"}},` +
		`{"n":2,"cells":{"description":"Hat 5551234","externalId":"5551234","owner.lastName":"Kim"}},` +
		`{"n":3,"cells":{"description":"Cap","owner.phone":"555-1234","owner.lastName":"Kim"}}]`
	text, n, err := redactRows(rows, lost.Person{Phone: "+12125551234"})
	if err != nil || n != 2 {
		t.Fatalf("got %d rows, %v; want 2", n, err)
	}
	const want = `[{"cells":{"description":"Bag","externalId":"5551234","#3":"5551234"},"n":1},` +
		`{"cells":{"description":"Hat [removed]","externalId":"5551234"},"n":2},{"cells":{"description":"Cap"},"n":3}]`
	if text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}
