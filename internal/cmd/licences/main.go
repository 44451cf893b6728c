// Command licences lists the licences of all dependencies. It finds the modules that the program and its tests are
// built from, reads their licence files, and writes docs/develop/licences.md. It fails if a licence is missing or not
// accepted. Once the program has been built, this command needs no network.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// report is the path of the page that lists the licences.
const report = "docs/develop/licences.md"

func main() {
	text, err := Report(context.Background(), ".")
	if err == nil {
		err = os.WriteFile(report, text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

// acceptable lists licences that require only attribution and a copy of their text. The Mozilla licence also requires
// publishing the source of changed files, but we do not change any.
var acceptable = []string{
	"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0", "CC0-1.0", "ISC", "MIT", "MIT-0", "MPL-2.0",
	"Unlicense", "Zlib",
	"Bitstream-Vera", "public domain",
}

// Module is a third-party module that the program or its tests are built from.
type Module struct {
	Path, Version string
	Dir           string
	Licences      []string
	Shipped       bool // part of the program, not only of its tests and tools
}

// introduction is the beginning of the licence page, up to the list of accepted licences.
const introduction = `# Licences

This page lists the third-party modules that Homeward uses, with their licences. ` + "`make licences`" + ` writes it
from go.mod and the licence files of each module. A test fails if it is out of date. Homeward's own licence is in
[LICENSE](../../LICENSE).

    make licences

These licences are accepted:

`

// otherSoftware is the end of the licence page, which lists software that is not a Go module.
const otherSoftware = `
## Other software

- axe-core (MPL-2.0), only in tests of pages.
- Open word lists (CC BY-SA 3.0 and others), in a data file: see [Thesaurus](thesaurus.md).
- Swagger UI (Apache-2.0), in github.com/swaggest/swgui.
`

// Report returns the licence page for the Go module in the folder root. It returns an error if a licence is missing or
// not accepted.
func Report(ctx context.Context, root string) ([]byte, error) {
	modules, err := Modules(ctx, root)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(introduction)
	for _, name := range acceptable {
		b.WriteString("- " + name + "\n")
	}
	write(&b, "In the program", modules, true)
	write(&b, "Only in tests and tools", modules, false)
	b.WriteString(otherSoftware)
	return b.Bytes(), nil
}

func write(b io.Writer, title string, modules []Module, shipped bool) {
	// Writing to memory does not fail.
	_, _ = fmt.Fprintf(b, "\n## %s\n\n| module | version | licence |\n|---|---|---|\n", title)
	for _, m := range modules {
		if m.Shipped == shipped {
			_, _ = fmt.Fprintf(b, "| %s | %s | %s |\n", m.Path, m.Version, strings.Join(m.Licences, ", "))
		}
	}
}

// Modules returns the modules that the program and its tests are built from, with their licences. The error describes
// all problems.
func Modules(ctx context.Context, root string) ([]Module, error) {
	shipped, err := list(ctx, root, "./cmd/homeward")
	if err != nil {
		return nil, err
	}
	all, err := list(ctx, root, "-test", "./...")
	if err != nil {
		return nil, err
	}
	var out []Module
	var errs []error
	for path, m := range all {
		_, m.Shipped = shipped[path]
		if m.Licences, err = Licences(m.Dir); err != nil {
			errs = append(errs, fmt.Errorf("%s %s: %w", m.Path, m.Version, err))
		}
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b Module) int { return strings.Compare(a.Path, b.Path) })
	return out, errors.Join(errs...)
}

// list returns the modules that the given packages are built from, according to the go command. The list depends on
// the operating system; it is made for Linux, where the program runs.
func list(ctx context.Context, root string, packages ...string) (map[string]Module, error) {
	cmd := exec.CommandContext(ctx, "go",
		append([]string{"list", "-deps", "-json=Module"}, packages...)...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOPROXY=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, &stderr)
	}
	modules := map[string]Module{}
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		var p struct {
			Module *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return modules, nil
		} else if err != nil {
			return nil, err
		}
		if p.Module != nil && !p.Module.Main {
			modules[p.Module.Path] = Module{Path: p.Module.Path, Version: p.Module.Version, Dir: p.Module.Dir}
		}
	}
}

// licenceFile matches the names of licence files.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense|copyright)([-._].*)?$`)

// reviewed lists the licences of files that cannot be recognised automatically and were reviewed by a person. The key
// is the SHA-256 of the file, so that a changed file must be reviewed again.
var reviewed = map[string][]string{
	// modernc.org/memory LICENSE-LOGO: about its logo, which is not part of the program
	"5ae5bee3072a841376451b48d8cfcec7188e10543926d5870828d36c8a750dc5": nil,
	// github.com/miekg/dns COPYRIGHT: names and a reference to LICENSE
	"66550c0ad5ca7ec1e08683e5f872cc45c741f311eee3b8ee484206ecbf9c740d": nil,
	// modernc.org/sqlite LICENSE-SQLITE
	"8438c9c89b849131ead81d5435cb97fcf052df5b0b286dda8a2d4c29e6cb3fd0": {"public domain"},
	// github.com/go-fonts/dejavu LICENSE-DejaVu
	"7a083b136e64d064794c3419751e5c7dd10d2f64c108fe5ba161eae5e5958a93": {"Bitstream-Vera"},
	// modernc.org/libc LICENSE-3RD-PARTY.md: code from musl and others
	"f597097efe3d97021f89170746bd3a0fb9a8b6fb26b82043ed68a4e0283bee6c": {"BSD-2-Clause", "BSD-3-Clause", "MIT"},
}

// minRecognised is the minimum percentage of a file that must be recognised. The rest may be names and years.
const minRecognised = 70

// Licences returns the licences found in a module's folder. It returns an error if there is no known licence.
func Licences(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, e := range entries {
		if !licenceFile.MatchString(e.Name()) || e.IsDir() || filepath.Ext(e.Name()) == ".go" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		if ids, known := reviewed[fmt.Sprintf("%x", sha256.Sum256(text))]; known {
			found = append(found, ids...)
			continue
		}
		scan := licensecheck.Scan(text)
		if scan.Percent < minRecognised {
			return nil,
				fmt.Errorf("only %.0f %% of its %s matches a known licence", scan.Percent, e.Name())
		}
		for _, m := range scan.Match {
			if !m.IsURL && !slices.Contains(found, m.ID) {
				found = append(found, m.ID)
			}
		}
	}
	slices.Sort(found)
	found = slices.Compact(found)
	if len(found) == 0 {
		return nil, errors.New("it has no known licence")
	}
	for _, id := range found {
		if !slices.Contains(acceptable, id) {
			return found, fmt.Errorf("its licence %s is not accepted", id)
		}
	}
	return found, nil
}
