package archtest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTestsNamedInTheThreatModelExist checks that every boundary in SECURITY.md lists at least one test, and that all
// listed tests exist.
func TestTestsNamedInTheThreatModelExist(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "SECURITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	exists := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	for _, name := range files(t) {
		if !strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declared.FindAllSubmatch(source, -1) {
			exists[string(m[1])] = true
		}
	}
	named := regexp.MustCompile(`\bTest[A-Z]\w+`)
	boundaries := 0
	for line := range strings.SplitSeq(string(text), "\n") {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| boundary") {
			continue
		}
		boundaries++
		tests := named.FindAllString(line, -1)
		if len(tests) == 0 {
			t.Errorf("a boundary has no test: %.60s", line)
		}
		for _, test := range tests {
			if !exists[test] {
				t.Errorf("SECURITY.md lists %s, which does not exist", test)
			}
		}
	}
	if boundaries < 20 {
		t.Errorf("found only %d boundaries; does the test still read the table?", boundaries)
	}
}
