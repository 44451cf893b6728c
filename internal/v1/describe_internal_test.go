package v1

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// wireFields reads the package's source and returns every field that has a JSON name, in the form that Describe
// expects.
func wireFields(t *testing.T) map[string]bool {
	t.Helper()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]bool{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, is := n.(*ast.TypeSpec); is {
				addJSONFields(t, fields, spec)
			}
			return true
		})
	}
	return fields
}

func addJSONFields(t *testing.T, fields map[string]bool, spec *ast.TypeSpec) {
	t.Helper()
	structure, is := spec.Type.(*ast.StructType)
	if !is {
		return
	}
	for _, f := range structure.Fields.List {
		if f.Tag == nil {
			continue
		}
		tag, err := strconv.Unquote(f.Tag.Value)
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		if name != "" {
			fields[spec.Name.Name+"."+name] = true
		}
	}
}

func TestEveryFieldHasADescription(t *testing.T) {
	fields := wireFields(t)
	if !fields["Item.status"] || !fields["List.data"] {
		t.Fatalf("no API types were found: %v", fields)
	}
	for field := range fields {
		if d, ok := Describe(field); !ok || d.Text == "" {
			t.Errorf("%s has no description", field)
		}
	}
}

func TestEveryDescriptionHasAField(t *testing.T) {
	fields := wireFields(t)
	described := map[string]bool{}
	for _, table := range descriptions {
		for field := range table {
			if !fields[field] {
				t.Errorf("%s is described, but the field does not exist", field)
			}
			if described[field] {
				t.Errorf("%s is described twice", field)
			}
			described[field] = true
		}
	}
}
