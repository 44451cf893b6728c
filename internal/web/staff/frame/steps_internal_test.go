package frame

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"homeward/internal/lost"
)

func TestEveryNextStepHasAButton(t *testing.T) {
	i := lost.Item{ID: "item_1", LocationID: "loc_1", Source: lost.Found, Parcel: lost.Parcel{
		TrackingURL: "https://carrier.example/1",
		Documents:   []lost.Document{{Kind: lost.LabelPaper, File: "label.pdf"}},
	}}
	acts := constantsOf(t, "NextAction")
	for _, act := range acts {
		here := act == string(lost.AnswerAct) // the form for this step is on the page itself
		s := English().StepsOf(i, []lost.NextAction{lost.NextAction(act)})[0]
		if s.Name == "" || (s.To == ItemPath(i)) != here {
			t.Errorf("%s: got step %+v", act, s)
		}
	}
	if len(acts) < 16 {
		t.Errorf("got only the steps %q, want at least 16", acts)
	}
}

// constantsOf reads the values of a type's constants from the source of package lost, because not every type has a
// list of its values.
func constantsOf(t *testing.T, name string) (values []string) {
	t.Helper()
	names, err := filepath.Glob("../../../lost/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range names {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			spec, is := n.(*ast.ValueSpec)
			if !is || len(spec.Values) != 1 {
				return true
			}
			of, is := spec.Type.(*ast.Ident)
			text, literal := spec.Values[0].(*ast.BasicLit)
			if is && literal && of.Name == name {
				values = append(values, strings.Trim(text.Value, `"`))
			}
			return true
		})
	}
	return values
}
