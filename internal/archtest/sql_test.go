package archtest_test

import (
	"go/ast"
	"slices"
	"testing"
)

// rawAccess lists the methods of store that run arbitrary SQL. They exist for store/transfer, which copies whole
// databases.
var rawAccess = []string{"Raw", "AllowAuditDelete", "WriteOnce"}

func TestOnlyTransferRunsItsOwnSQL(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.test || within(f.pkg, "internal/store") {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			s, is := n.(*ast.SelectorExpr)
			if is && slices.Contains(rawAccess, s.Sel.Name) {
				t.Errorf("%s: %s is for store/transfer; add a query to store", f.at(s), s.Sel.Name)
			}
			return true
		})
	}
}
