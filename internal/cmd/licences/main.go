// Command licences tells under which licences the service is made of what others wrote: it finds the modules that the program and its tests are built
// from, reads the licence files that came with each, and writes docs/develop/licences.md. A licence that is not on the list of those we can keep to, or
// none at all, is an error. It needs no network: everything is there once the program was built.
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

// report is where it is kept.
const report = "docs/develop/licences.md"

func main() {
	text, err := Report(context.Background(), ".")
	if err == nil {
		err = os.WriteFile(report, text, 0o644) //nolint:gosec // it is to be read by all
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1) //nolint:forbidigo // this is main
	}
}

// acceptable are the licences that ask for no more than to be named and passed on. The Mozilla licence asks for the source of its files where they were changed: they are not.
var acceptable = []string{
	"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0", "CC0-1.0", "ISC", "MIT", "MIT-0", "MPL-2.0", "Unlicense", "Zlib",
	"Bitstream-Vera", "public domain",
}

// Module is something that others wrote.
type Module struct {
	Path, Version string
	Dir           string
	Licences      []string
	Shipped       bool // in the program, and not in its tests alone
}

// Report is the report about the module whose root is named.
func Report(ctx context.Context, root string) ([]byte, error) {
	modules, err := Modules(ctx, root)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("# Licences\n\n" +
		"This page lists the modules by others that Homeward uses, with their licences. `make licences` writes it from\n" +
		"go.mod and the licence files of each module. A test fails if it is out of date. Homeward's own licence is in\n" +
		"[LICENSE](../../LICENSE).\n\n" +
		"    make licences\n\n" +
		"These licences are accepted:\n\n- " + strings.Join(acceptable, "\n- ") + "\n")
	write(&b, "In the program", modules, true)
	write(&b, "Only in tests and tools", modules, false)
	b.WriteString("\n## Other software\n\n- axe-core (MPL-2.0), only in tests of pages.\n" +
		"- Swagger UI (Apache-2.0), in github.com/swaggest/swgui.\n")
	return b.Bytes(), nil
}

func write(b io.Writer, title string, modules []Module, shipped bool) {
	_, _ = fmt.Fprintf(b, "\n## %s\n\n| module | version | licence |\n|---|---|---|\n", title) // into memory
	for _, m := range modules {
		if m.Shipped == shipped {
			_, _ = fmt.Fprintf(b, "| %s | %s | %s |\n", m.Path, m.Version, strings.Join(m.Licences, ", "))
		}
	}
}

// Modules lists what the program and its tests are built from, with the licences of each. All that is wrong is in the error.
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
	var faults []error
	for path, m := range all {
		_, m.Shipped = shipped[path]
		if m.Licences, err = Licences(m.Dir); err != nil {
			faults = append(faults, fmt.Errorf("%s %s: %w", m.Path, m.Version, err))
		}
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b Module) int { return strings.Compare(a.Path, b.Path) })
	return out, errors.Join(faults...)
}

// list asks the go command for the modules that packages are built from. What is built for one system is not what is built for another: Linux is where it runs.
func list(ctx context.Context, root string, packages ...string) (map[string]Module, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-deps", "-json=Module"}, packages...)...) //nolint:gosec // our own arguments
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

// licenceFile is how the files are called.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|unlicense|copyright)([-._].*)?$`)

// read are files that no program tells the licence of, and somebody has read: by their SHA-256, so that one which changes is read again.
var read = map[string][]string{
	"5ae5bee3072a841376451b48d8cfcec7188e10543926d5870828d36c8a750dc5": nil,                                     // modernc.org/memory LICENSE-LOGO: where its logo is from, which is not in the program
	"66550c0ad5ca7ec1e08683e5f872cc45c741f311eee3b8ee484206ecbf9c740d": nil,                                     // github.com/miekg/dns COPYRIGHT: names, and that LICENSE counts
	"8438c9c89b849131ead81d5435cb97fcf052df5b0b286dda8a2d4c29e6cb3fd0": {"public domain"},                       // modernc.org/sqlite LICENSE-SQLITE
	"7a083b136e64d064794c3419751e5c7dd10d2f64c108fe5ba161eae5e5958a93": {"Bitstream-Vera"},                      // github.com/go-fonts/dejavu LICENSE-DejaVu
	"f597097efe3d97021f89170746bd3a0fb9a8b6fb26b82043ed68a4e0283bee6c": {"BSD-2-Clause", "BSD-3-Clause", "MIT"}, // modernc.org/libc LICENSE-3RD-PARTY.md: parts of musl and others
}

// mostOf is how much of a file must be known, in percent; the rest are names and years.
const mostOf = 70

// Licences names the licences of a module, by the files in its folder.
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
		if ids, known := read[fmt.Sprintf("%x", sha256.Sum256(text))]; known {
			found = append(found, ids...)
			continue
		}
		scan := licensecheck.Scan(text)
		if scan.Percent < mostOf {
			return nil, fmt.Errorf("of its %s only %.0f %% are words of a licence that is known", e.Name(), scan.Percent)
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
		return nil, errors.New("no licence is known of it")
	}
	for _, id := range found {
		if !slices.Contains(acceptable, id) {
			return found, fmt.Errorf("its licence %s is not one of those that are accepted", id)
		}
	}
	return found, nil
}
