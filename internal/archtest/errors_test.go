package archtest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// TestNoStepRunsAfterAFailure forbids cmp.Or for steps that can fail. cmp.Or evaluates every argument, so a later
// step would run even after an earlier one had failed. Such steps must use `if err != nil { return err }`.
func TestNoStepRunsAfterAFailure(t *testing.T) {
	files := goFiles(t)
	failing := map[string]bool{}
	for _, f := range files {
		addFailing(f.ast, failing)
	}
	for _, f := range files {
		for _, call := range eagerSteps(f.ast, failing) {
			t.Errorf("%s: cmp.Or evaluates every argument: use an if for each step that can fail", f.at(call))
		}
	}
}

// addFailing adds the names of functions and methods whose only result is an error.
func addFailing(file *ast.File, failing map[string]bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if returnsError(n.Type) {
				failing[n.Name.Name] = true
			}
		case *ast.InterfaceType:
			for _, m := range n.Methods.List {
				if fn, is := m.Type.(*ast.FuncType); is && len(m.Names) == 1 && returnsError(fn) {
					failing[m.Names[0].Name] = true
				}
			}
		}
		return true
	})
}

// returnsError reports whether a function's only result is an error.
func returnsError(fn *ast.FuncType) bool {
	if fn.Results == nil || len(fn.Results.List) != 1 || len(fn.Results.List[0].Names) > 1 {
		return false
	}
	id, is := fn.Results.List[0].Type.(*ast.Ident)
	return is && id.Name == "error"
}

// eagerSteps returns the calls to cmp.Or in which an argument is an error or a call that returns one.
func eagerSteps(file *ast.File, failing map[string]bool) (found []*ast.CallExpr) {
	ast.Inspect(file, func(n ast.Node) bool {
		call, is := n.(*ast.CallExpr)
		if !is || !isSelector(call.Fun, "cmp", "Or") {
			return true
		}
		for _, arg := range call.Args {
			if isError(arg, failing) {
				found = append(found, call)
				break
			}
		}
		return true
	})
	return found
}

// isError reports whether an argument is an error, judging by its name, or a call to a function that returns one.
func isError(arg ast.Expr, failing map[string]bool) bool {
	switch arg := arg.(type) {
	case *ast.Ident:
		return arg.Name == "err" || strings.HasSuffix(arg.Name, "Err")
	case *ast.CallExpr:
		switch fn := arg.Fun.(type) {
		case *ast.Ident:
			return failing[fn.Name]
		case *ast.SelectorExpr:
			return failing[fn.Sel.Name]
		}
	}
	return false
}

func isSelector(e ast.Expr, pkg, name string) bool {
	s, is := e.(*ast.SelectorExpr)
	if !is || s.Sel.Name != name {
		return false
	}
	x, is := s.X.(*ast.Ident)
	return is && x.Name == pkg
}

func TestEagerStepsAreFound(t *testing.T) {
	const declared = `package x
func save() error { return nil }
func name() string { return "" }
type tx interface { Insert(i int) error }
var x = `
	for text, want := range map[string]int{
		`cmp.Or(err, save())`:             1,
		`cmp.Or(save(), save())`:          1,
		`cmp.Or(tx.Insert(i), tx.Add(i))`: 1,
		`cmp.Or(gone, err)`:               1,
		`cmp.Or(readErr, nil)`:            1,
		`cmp.Or(name(), "default")`:       0,
		`cmp.Or(title, "default")`:        0,
		`cmp.Or(cmp.Compare(a, b), c)`:    0,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", declared+text, 0)
		if err != nil {
			t.Fatal(err)
		}
		failing := map[string]bool{}
		addFailing(file, failing)
		if got := len(eagerSteps(file, failing)); got != want {
			t.Errorf("%s: found %d, want %d", text, got, want)
		}
	}
}
