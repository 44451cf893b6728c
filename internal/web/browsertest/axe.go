package browsertest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"homeward/internal/npmtest"
)

// violation is an accessibility rule of axe that a page violates.
type violation struct {
	ID, Impact, Help, HelpURL string
	Nodes                     []struct {
		Target         []any
		HTML           string
		FailureSummary string
	}
}

// CheckAccessibility fails the test if axe finds accessibility violations. If npm, which installs axe, is missing, it
// logs a message and skips the check; in CI it fails the test instead.
func (v *Visitor) CheckAccessibility() {
	v.t.Helper()
	script, err := axe()
	if errors.Is(err, exec.ErrNotFound) && os.Getenv("CI") == "" {
		v.t.Logf("accessibility check skipped because npm is not installed: %v", err)
		return
	}
	v.must(err)
	var found []violation
	v.withScripts(func() error {
		if err := v.eval(script+"\n;0", nil); err != nil {
			return err
		}
		// Naming every element takes long, so the elements are named only if there are violations.
		return v.eval(`(async () => {
			const options = {resultTypes: ['violations'], preload: false, iframes: false}
			const quick = await axe.run(document, {...options, selectors: false, elementRef: false})
			return quick.violations.length ? (await axe.run(document, options)).violations : []
		})()`, &found)
	})
	for _, f := range found {
		v.t.Errorf("%s: %s: %s", v.options, v.Location(), f)
	}
}

func (f violation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): %s\n%s", f.ID, f.Impact, f.Help, f.HelpURL)
	for _, n := range f.Nodes {
		fmt.Fprintf(&b, "\n  %v  %.200s\n    %s", n.Target, n.HTML,
			strings.ReplaceAll(n.FailureSummary, "\n", "\n    "))
	}
	return b.String()
}

// axe returns the source code of axe. It installs and reads axe only once.
var axe = sync.OnceValues(func() (string, error) {
	folder, err := npmtest.Install("internal/web/browsertest/axe")
	if err != nil {
		return "", err
	}
	script, err := os.ReadFile(filepath.Join(folder, "node_modules", "axe-core", "axe.min.js"))
	return string(script), err
})
