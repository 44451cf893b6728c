package respond

import (
	"bytes"
	"io/fs"
	"path"
	"testing"
)

func TestCondenseRemovesOnlyWhatIsNotCode(t *testing.T) {
	const script = "// What it does.\n// Second line.\n(() => {\n  const a = 'x // y' // kept\n\n" +
		"  /* one\n     two */\n  try { f('/* no comment */') } catch { /* kept */ }\n})()\n"
	const want = "(() => {\nconst a = 'x // y' // kept\ntry { f('/* no comment */') } catch { /* kept */ }\n})()\n"
	if got := condense([]byte(script)); string(got) != want {
		t.Errorf("the condensed script is\n%s\nwant\n%s", got, want)
	}
	const mixed = "/* one */ a {}\nb {}\n/* two */\n"
	if got, want := string(condense([]byte(mixed))), "/* one */ a {}\nb {}\n"; got != want {
		t.Errorf("the condensed style is %q, want %q", got, want)
	}
	const style = "/* All\n   pages */\n\n:root {\n  --a: 1; /* kept */\n}\n"
	if got, want := string(condense([]byte(style))), ":root {\n--a: 1; /* kept */\n}\n"; got != want {
		t.Errorf("the condensed style is %q, want %q", got, want)
	}
}

func TestStylesAreCondensedExceptTexts(t *testing.T) {
	const style = ":root {\n--a: 1; /* removed; } */\n--font: a, \"b, c\";\n}\n" +
		"p > a:hover,\n.b :focus { width: calc(1px + 2px); }\n@media (width >= 1px) and (hover: hover) {\n" +
		".d::after { content: \"; } : , \"; }\n}\n"
	const want = ":root{--a:1;--font:a,\"b, c\"}p > a:hover,.b :focus{width:calc(1px + 2px)}" +
		"@media (width >= 1px) and (hover:hover){.d::after{content:\"; } : , \"}}"
	if got := string(condenseStyle([]byte(style))); got != want {
		t.Errorf("the condensed style is\n%s\nwant\n%s", got, want)
	}
}

// A text of several lines would lose its indentation.
func TestScriptsHaveNoTextOfSeveralLines(t *testing.T) {
	scripts, err := fs.Glob(shared, "assets/*.js")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("found the scripts %v, %v", scripts, err)
	}
	for _, name := range scripts {
		body, err := fs.ReadFile(shared, name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(body) {
			if bytes.Count(line, []byte("`"))%2 != 0 {
				t.Errorf("%s has a text of several lines: %s", path.Base(name), line)
			}
		}
	}
}
