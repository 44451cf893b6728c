package archtest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Size limits. A package, file, type or function that exceeds its limit must be split.
const (
	maxFunctionLines = 60
	maxFileLines     = 400
	maxPackageFiles  = 40
	maxTypeMethods   = 60
)

// largerPackages lists packages that may have more files than others, because they have one file for each kind of
// record.
var largerPackages = map[string]int{"internal/store": 62, "internal/lost": 60}

// handles lists the types in store whose methods are queries. They may have more methods than other types.
var handles = []string{"internal/store.DB", "internal/store.Tx", "internal/store.reader"}

// goFile is a parsed Go file in the main module.
type goFile struct {
	source
	text string
	ast  *ast.File
	fset *token.FileSet
}

// goFiles parses every Go file in the main module, including tests.
func goFiles(t *testing.T) []goFile {
	t.Helper()
	var all []goFile
	for _, s := range sources(t) {
		text, err := os.ReadFile(filepath.Join(root, s.file))
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, s.file, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, goFile{source: s, text: string(text), ast: parsed, fset: fset})
	}
	return all
}

// lines returns how many lines a node covers.
func (f goFile) lines(n ast.Node) int {
	return f.fset.Position(n.End()).Line - f.fset.Position(n.Pos()).Line + 1
}

// at returns a node's position as file:line:column.
func (f goFile) at(n ast.Node) string { return f.fset.Position(n.Pos()).String() }

func TestFunctionsAreShort(t *testing.T) {
	longest, checked := 0, 0
	for _, f := range goFiles(t) {
		if f.test {
			continue
		}
		for _, d := range f.ast.Decls {
			fn, is := d.(*ast.FuncDecl)
			if !is {
				continue
			}
			checked++
			n := f.lines(fn)
			longest = max(longest, n)
			if n > maxFunctionLines {
				t.Errorf("%s: %s has %d lines, want at most %d", f.at(fn), fn.Name.Name, n, maxFunctionLines)
			}
		}
	}
	t.Logf("%d functions, the longest has %d lines", checked, longest)
}

func TestFilesAreShort(t *testing.T) {
	longest := 0
	for _, f := range goFiles(t) {
		n := strings.Count(f.text, "\n")
		if f.test {
			continue
		}
		longest = max(longest, n)
		if n > maxFileLines {
			t.Errorf("%s has %d lines, want at most %d", f.file, n, maxFileLines)
		}
	}
	t.Logf("the longest file that is not a test has %d lines", longest)
}

func TestPackagesHaveFewFiles(t *testing.T) {
	files := map[string]int{}
	for _, s := range sources(t) {
		if !s.test {
			files[s.pkg]++
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(files)) {
		limit := max(maxPackageFiles, largerPackages[pkg])
		if n := files[pkg]; n > limit {
			t.Errorf("package %s has %d files, want at most %d", pkg, n, limit)
		}
	}
}

func TestTypesHaveFewMethods(t *testing.T) {
	methods := map[string]int{}
	for _, f := range goFiles(t) {
		if f.test {
			continue
		}
		for _, d := range f.ast.Decls {
			if fn, is := d.(*ast.FuncDecl); is && fn.Recv != nil {
				methods[f.pkg+"."+receiver(fn)]++
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		if n := methods[name]; n > maxTypeMethods && !slices.Contains(handles, name) {
			t.Errorf("type %s has %d methods, want at most %d", name, n, maxTypeMethods)
		}
	}
}

// receiver returns the name of a method's receiver type.
func receiver(fn *ast.FuncDecl) string {
	t := fn.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// lineLimited lists the extensions of files whose line length is limited.
var lineLimited = []string{".go", ".sh", ".yml", ".yaml"}

func TestLinesAreShort(t *testing.T) {
	for _, name := range files(t) {
		if !slices.Contains(lineLimited, path.Ext(name)) || strings.Contains(name, "/testdata/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(string(text), "// Code generated ") {
			continue // people read the template
		}
		for i, line := range strings.Split(string(text), "\n") {
			if n := columns(line); n > maxColumns {
				t.Errorf("%s:%d has %d columns, want at most %d", name, i+1, n, maxColumns)
			}
		}
	}
}
