package archtest_test

import (
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// oddEnglish matches archaic words and unusual expressions for technical terms. Use the common term instead, such as
// fix, revoke, expire, retry or available.
var oddEnglish = regexp.MustCompile(`(?i)\b(` + strings.Join([]string{
	`mend(s|ed|ing)?`,
	`whoever`, `whomever`, `whence`, `whither`, `wherefore`, `whereof`, `whereupon`, `whilst`, `thereof`, `therein`,
	`thither`, `herein`, `hereby`, `hitherto`, `heretofore`, `henceforth`, `aforesaid`, `erelong`,
	`betimes`, `forsooth`, `lest`, `unto`, `naught`, `nought`, `thrice`, `tidings`, `amongst`,
	`villains?`, `wharf`, `innkeepers?`, `ground floor`,
	`(is|are|was|were) not to be had`, `(can|could) be had`, `is to be had`, `had only from`,
	`(does|do) not belong together`,
	`(its|their|his|her) time is over`,
	`opens? nothing`, `leads? nowhere`, `arrived? whole`, `not right yet`, `comes? to nothing`,
	`of whom is known`, `whom? it (is|was) about`,
	`no such thing as it`, `all of that is`,
}, `|`) + `)\b`)

// proseFiles lists the extensions of files that contain text for people to read.
var proseFiles = []string{".go", ".md", ".html", ".js", ".css", ".yml", ".yaml", ".json", ".http"}

func TestTextIsPlainEnglish(t *testing.T) {
	for _, name := range files(t) {
		if !slices.Contains(proseFiles, path.Ext(name)) || isForeignText(name) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if word := oddEnglish.FindString(line); word != "" {
				t.Errorf("%s:%d: say %q in plain English: %s", name, i+1, word, strings.TrimSpace(line))
			}
		}
	}
}

// isForeignText reports whether a file contains third-party text, text in other languages, or the list above.
func isForeignText(name string) bool {
	for _, part := range []string{
		"/testdata/", "/catalog/", "/matchtest/", "package-lock.json", "english_test.go", "licences.md",
	} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return strings.HasPrefix(name, "internal/lost/match/")
}

// adverbs lists words that must not be function names. A function is named after what it does or returns.
var adverbs = []string{
	"some", "few", "told", "beside", "another", "whoever", "else", "again", "anew", "once", "twice", "both", "here",
	"there", "meanwhile", "instead", "somewhere", "elsewhere", "later", "soon", "never", "always", "formerly",
	"without", "with", "of", "many", "much", "mine", "theirs", "ours", "likewise", "besides", "thus",
}

func TestFunctionsAreVerbsAndStatementsDoOneThing(t *testing.T) {
	for _, f := range goFiles(t) {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if slices.Contains(adverbs, strings.ToLower(n.Name.Name)) {
					t.Errorf("%s: the name %s does not say what the function does", f.at(n), n.Name.Name)
				}
			case *ast.AssignStmt:
				if len(n.Lhs) > 3 && len(n.Rhs) > 3 {
					t.Errorf("%s: %d values are assigned in one statement, want at most 3", f.at(n), len(n.Lhs))
				}
			case *ast.IndexExpr:
				if indexesByBool(n) {
					t.Errorf("%s: use an if instead of a map with bool keys", f.at(n))
				}
			case *ast.IfStmt:
				if hasUnrelatedInit(n) {
					t.Errorf("%s: the statement before the condition is unrelated to it", f.at(n))
				}
			}
			return true
		})
	}
}

// indexesByBool reports whether an expression is map[bool]T{…}[b].
func indexesByBool(n *ast.IndexExpr) bool {
	lit, is := n.X.(*ast.CompositeLit)
	if !is {
		return false
	}
	m, is := lit.Type.(*ast.MapType)
	if !is {
		return false
	}
	key, is := m.Key.(*ast.Ident)
	return is && key.Name == "bool"
}

// hasUnrelatedInit reports whether a statement has the form `if x = f(); other {`, where the condition uses nothing
// that the first part assigns.
func hasUnrelatedInit(n *ast.IfStmt) bool {
	init, is := n.Init.(*ast.AssignStmt)
	if !is {
		return false
	}
	used := map[string]bool{}
	ast.Inspect(n.Cond, func(n ast.Node) bool {
		if id, is := n.(*ast.Ident); is {
			used[id.Name] = true
		}
		return true
	})
	for _, l := range init.Lhs {
		for _, name := range identifiers(l) {
			if used[name] {
				return false
			}
		}
	}
	return true
}

// identifiers returns the names on the left side of an assignment: x for x, and x and y for x.y.
func identifiers(e ast.Expr) (names []string) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, is := n.(*ast.Ident); is && id.Name != "_" {
			names = append(names, id.Name)
		}
		return true
	})
	return names
}
