package archtest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// module is the prefix of this module's import paths.
const module = "homeward/"

// root is the repository's root, relative to this package.
var root = filepath.Join("..", "..")

// source is one Go file in the module.
type source struct {
	file    string // the path from the root, with slashes
	pkg     string // the path of its package, such as internal/lost
	test    bool
	doc     bool     // whether it has a package comment
	imports []string // the full import paths
}

// sources parses every Go file in the main module. It reads the files without the go command, so that the test cache
// notices changes.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	otherModules := []string{"tools", "clients", "examples"}
	for _, name := range files(t) {
		top, _, _ := strings.Cut(name, "/")
		if !strings.HasSuffix(name, ".go") || strings.Contains(name, "/testdata/") ||
			slices.Contains(otherModules, top) {
			continue
		}
		all = append(all, parse(t, name))
	}
	if len(all) == 0 {
		t.Fatal("found no Go files; does the test read the right directory?")
	}
	return all
}

func parse(t *testing.T, name string) source {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil,
		parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	s := source{
		file: name,
		pkg:  path.Dir(name),
		test: strings.HasSuffix(name, "_test.go"),
		doc:  hasText(f.Doc),
	}
	for _, spec := range f.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s.imports = append(s.imports, imported)
	}
	return s
}

func hasText(doc *ast.CommentGroup) bool {
	return doc != nil && strings.TrimSpace(doc.Text()) != ""
}

// files returns every file that git does not ignore, as a path from the root with slashes.
func files(t *testing.T) []string {
	t.Helper()
	ignored := ignoredNames(t)
	var names []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case rel == ".git" || ignored(rel):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.Type().IsRegular():
			names = append(names, rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// ignoredNames returns a function that reports whether .gitignore ignores a name. It supports only the kinds of
// pattern in our .gitignore: a path from the root, with a slash that is not at its end, and a name or "*.suffix" in
// any directory.
func ignoredNames(t *testing.T) func(name string) bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, ".gitignore"))
	if err != nil {
		t.Fatal(err)
	}
	patterns := strings.Fields(string(text))
	return func(name string) bool {
		for _, p := range patterns {
			p = strings.TrimSuffix(p, "/")
			if strings.Contains(p, "/") {
				if name == strings.TrimPrefix(p, "/") {
					return true
				}
			} else if ok, _ := path.Match(p, path.Base(name)); ok {
				return true
			}
		}
		return false
	}
}
