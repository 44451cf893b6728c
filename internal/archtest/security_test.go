package archtest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What SECURITY.md says is held by tests is: each that it names is there, and each boundary names one.
func TestEveryTestThatTheThreatModelNamesExists(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "SECURITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
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
			there[string(m[1])] = true
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
			t.Errorf("no test is named for a boundary: %.60s", line)
		}
		for _, test := range tests {
			if !there[test] {
				t.Errorf("SECURITY.md names %s, which is no test", test)
			}
		}
	}
	if boundaries < 20 {
		t.Errorf("only %d boundaries", boundaries)
	}
}
