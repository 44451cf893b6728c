package staff

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"homeward/internal/web/staff/frame"
)

// The layout reads the fields of frame.Page from every page. If a page had its own field with the same name, the
// layout would silently read that field instead.
func TestNoPageHidesAFieldOfTheCommonPage(t *testing.T) {
	common := map[string]bool{}
	for f := range reflect.TypeFor[frame.Page]().Fields() {
		common[f.Name] = true
	}
	structs := structsOf(t)
	pages := 0
	for name, s := range structs {
		if name == "frame.Page" || !isPage(name, structs) {
			continue
		}
		pages++
		for _, field := range s.Fields.List {
			for _, n := range field.Names {
				if common[n.Name] {
					t.Errorf("%s has its own field %s, which hides the field of frame.Page", name, n.Name)
				}
			}
		}
	}
	if pages < 50 {
		t.Errorf("got %d pages, want at least 50", pages)
	}
}

// isPage reports whether a struct embeds frame.Page, directly or through another struct.
func isPage(name string, structs map[string]*ast.StructType) bool {
	if name == "frame.Page" {
		return true
	}
	s, known := structs[name]
	if !known {
		return false
	}
	for _, field := range s.Fields.List {
		if len(field.Names) == 0 && isPage(embeddedName(name, field.Type), structs) {
			return true
		}
	}
	return false
}

// embeddedName returns the name of an embedded type with its package, in the format that structsOf uses.
func embeddedName(in string, embedded ast.Expr) string {
	switch e := embedded.(type) {
	case *ast.Ident:
		pkg, _, _ := strings.Cut(in, ".")
		return pkg + "." + e.Name
	case *ast.SelectorExpr:
		if pkg, is := e.X.(*ast.Ident); is {
			return pkg.Name + "." + e.Sel.Name
		}
	}
	return ""
}

// structsOf returns the structs of package frame and of all areas, by name. It parses the source code, because
// reflection cannot list types.
func structsOf(t *testing.T) map[string]*ast.StructType {
	t.Helper()
	names, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	structs := map[string]*ast.StructType{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, is := n.(*ast.TypeSpec); is {
				if s, is := spec.Type.(*ast.StructType); is {
					structs[file.Name.Name+"."+spec.Name.Name] = s
				}
			}
			return true
		})
	}
	return structs
}
