package staff

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// The layout reads what every page has from whatever page it is given: a field of the same name would be read instead, without a word.
func TestNoPageHidesWhatEveryPageHas(t *testing.T) {
	common := map[string]bool{}
	for f := range reflect.TypeFor[page]().Fields() {
		common[f.Name] = true
	}
	structs := structsOf(t)
	pages := 0
	for name, s := range structs {
		if name == "page" || !isPage(name, structs) {
			continue
		}
		pages++
		for _, field := range s.Fields.List {
			for _, n := range field.Names {
				if common[n.Name] {
					t.Errorf("%s has a field %s of its own", name, n.Name)
				}
			}
		}
	}
	if pages < 50 {
		t.Errorf("only %d pages were found", pages)
	}
}

// isPage tells whether a struct has what every page has, by itself or from another.
func isPage(name string, structs map[string]*ast.StructType) bool {
	s, known := structs[name]
	if !known || name == "page" {
		return name == "page"
	}
	for _, field := range s.Fields.List {
		if part, is := field.Type.(*ast.Ident); is && len(field.Names) == 0 && isPage(part.Name, structs) {
			return true
		}
	}
	return false
}

// structsOf reads the structs of this room from its source: reflection does not list them.
func structsOf(t *testing.T) map[string]*ast.StructType {
	t.Helper()
	structs := map[string]*ast.StructType{}
	for _, file := range parsed(t, "*.go") {
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, is := n.(*ast.TypeSpec); is {
				if s, is := spec.Type.(*ast.StructType); is {
					structs[spec.Name.Name] = s
				}
			}
			return true
		})
	}
	return structs
}

// parsed reads source that is no test.
func parsed(t *testing.T, pattern string) (files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}
