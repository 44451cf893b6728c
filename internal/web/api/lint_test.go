package api_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"homeward/internal/npmtest"
)

// The document must have no error and no warning, and no error by the OWASP rules, whose exceptions are argued in
// tools/openapi/owasp.yaml.
func TestTheDocumentPassesTheLinters(t *testing.T) {
	npmtest.Need(t)
	installed, err := npmtest.Install("tools/openapi")
	if err != nil {
		t.Fatal(err)
	}
	root, err := npmtest.Root()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "openapi.json")
	if err := os.WriteFile(name, document(t), 0o600); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(installed, "node_modules", ".bin")
	for _, rules := range []string{"spectral.yaml", "owasp.yaml", "redocly.yaml"} {
		text, err := os.ReadFile(filepath.Join(root, "tools", "openapi", rules))
		if err == nil {
			err = os.WriteFile(filepath.Join(installed, rules), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, linter := range [][]string{
		{"spectral", "lint", "--fail-severity=warn", "--ruleset=spectral.yaml", name},
		{"spectral", "lint", "--fail-severity=error", "--ruleset=owasp.yaml", name},
		{"redocly", "lint", "--config=redocly.yaml", name},
	} {
		cmd := exec.CommandContext(t.Context(), filepath.Join(bin, linter[0]), linter[1:]...)
		cmd.Dir = installed
		cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true", "NO_COLOR=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", linter, err, out)
		}
	}
}
