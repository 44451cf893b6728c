package archtest_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

const (
	docsTop    = "../.." // the project's root, relative to this package
	docsFolder = "docs"
	docsIndex  = "docs/README.md"
	maxColumns = 120
	maxWords   = 24 // a sentence must have fewer than 25 words
	tabWidth   = 4
)

// generatedPages lists pages written by programs. Their texts are reviewed where they are declared.
var generatedPages = []string{"docs/use/problems.md", "docs/develop/licences.md"}

// rootPages lists the pages outside docs/.
var rootPages = []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"}

// markdownLine is one line of a page, with the kind of text that it belongs to.
type markdownLine struct {
	number int
	text   string
	kind   lineKind
}

type lineKind int

const (
	prose lineKind = iota
	blank
	heading
	code
	table
	comment
)

// block is a paragraph, list item or table cell: text in which a sentence may continue over several lines.
type block struct {
	line int
	text string
}

func TestDocsLinesEndAt120Columns(t *testing.T) {
	for _, name := range allPages(t) {
		for _, l := range readPage(t, name) {
			if l.kind == code || l.kind == table || l.kind == comment {
				continue
			}
			if n := columns(withoutLinkTargets(l.text)); n > maxColumns {
				t.Errorf("%s:%d has %d columns; wrap it at %d", name, l.number, n, maxColumns)
			}
		}
	}
}

func TestDocsSentencesAreShort(t *testing.T) {
	for _, name := range allPages(t) {
		if slices.Contains(generatedPages, name) {
			continue
		}
		for _, b := range blocks(readPage(t, name)) {
			for _, s := range sentences(b.text) {
				if n := words(s); n > maxWords {
					t.Errorf("%s:%d has a sentence of %d words; write at most %d: %s", name, b.line, n, maxWords, s)
				}
			}
		}
	}
}

func TestDocsPagesBeginWithPurposeAndExample(t *testing.T) {
	for _, name := range docsPages(t) {
		lines := readPage(t, name)
		if len(lines) == 0 || !strings.HasPrefix(lines[0].text, "# ") {
			t.Errorf("%s:1 does not begin with a heading", name)
			continue
		}
		if !purposeFollows(lines[1:]) {
			t.Errorf("%s:2 does not say what the page is for in a paragraph after the heading", name)
		}
		if name == docsIndex || slices.Contains(generatedPages, name) {
			continue
		}
		if at, missing := exampleMissing(lines); missing {
			t.Errorf("%s:%d: show a code block or numbered steps before the first table", name, at)
		}
	}
}

func TestDocsLinksResolve(t *testing.T) {
	anchors := map[string][]string{}
	pages := allPages(t)
	for _, name := range pages {
		anchors[name] = anchorsOf(readPage(t, name))
	}
	for _, name := range pages {
		for _, l := range readPage(t, name) {
			if l.kind == code {
				continue
			}
			for _, target := range linkTargets(l.text) {
				if problem := brokenLink(name, target, anchors); problem != "" {
					t.Errorf("%s:%d links to %s: %s", name, l.number, target, problem)
				}
			}
		}
	}
}

func TestDocsIndexListsEveryPage(t *testing.T) {
	var listed []string
	for _, l := range readPage(t, docsIndex) {
		for _, target := range linkTargets(l.text) {
			listed = append(listed, path.Join(path.Dir(docsIndex), target))
		}
	}
	for _, name := range docsPages(t) {
		if name != docsIndex && !slices.Contains(listed, name) {
			t.Errorf("%s does not list %s", docsIndex, name)
		}
	}
}

// TestPathsOfPagesInCodeExist fails if a comment, message or script refers to a page that does not exist, for example
// because it was moved.
func TestPathsOfPagesInCodeExist(t *testing.T) {
	for _, name := range files(t) {
		if filepath.Ext(name) == ".md" || strings.Contains(name, "/testdata/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(docsTop, name))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			for _, page := range pagePath.FindAllString(line, -1) {
				if _, err := os.Stat(filepath.Join(docsTop, page)); err != nil {
					t.Errorf("%s:%d refers to %s, which does not exist", name, i+1, page)
				}
			}
		}
	}
}

func TestDocsRulesNoticeMistakes(t *testing.T) {
	long := strings.Repeat("word ", maxWords) + "word."
	if got := sentences("One `a. b` two. Three [link. text](x.md)? Four 1.5 five: six."); len(got) != 3 {
		t.Errorf("sentences are %q, want 3", got)
	}
	if n := words(long); n != maxWords+1 {
		t.Errorf("words(%q) = %d", long, n)
	}
	page := parsePage("# A\n\nFor tests.\n\n| a | b |\n|---|---|\n| " + long + " | c |\n")
	if _, missing := exampleMissing(page); !missing {
		t.Error("a page without an example was accepted")
	}
	if found := blocks(page); !slices.ContainsFunc(found, func(b block) bool { return words(b.text) > maxWords }) {
		t.Errorf("the long sentence in a table cell was not found in %v", found)
	}
	if _, missing := exampleMissing(parsePage("# A\n\nFor tests.\n\n1. Do it.\n\n| a |\n|---|\n")); missing {
		t.Error("numbered steps were not accepted as an example")
	}
	if n := columns(withoutLinkTargets("[a](" + strings.Repeat("x", 200) + ")")); n > maxColumns {
		t.Errorf("a link's target counts as %d columns", n)
	}
	got := anchorsOf(parsePage("# A page: with `code`, and 2 words\n"))
	if !slices.Equal(got, []string{"a-page-with-code-and-2-words"}) {
		t.Errorf("anchors are %q", got)
	}
}

// docsPages returns every Markdown file below docs/.
func docsPages(t *testing.T) []string {
	t.Helper()
	var pages []string
	err := filepath.WalkDir(filepath.Join(docsTop, docsFolder), func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() || filepath.Ext(name) != ".md" {
			return nil
		}
		rel, err := filepath.Rel(docsTop, name)
		if err != nil {
			return err
		}
		pages = append(pages, filepath.ToSlash(rel))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) == 0 {
		t.Fatal("docs/ has no pages")
	}
	return pages
}

func allPages(t *testing.T) []string {
	t.Helper()
	return append(slices.Clone(rootPages), docsPages(t)...)
}

func readPage(t *testing.T, name string) []markdownLine {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(docsTop, name))
	if err != nil {
		t.Fatal(err)
	}
	return parsePage(string(text))
}

var (
	fence      = regexp.MustCompile("^ *(```|~~~)")
	listMarker = regexp.MustCompile(`^\s*([-*]|\d+\.) `)
	numbered   = regexp.MustCompile(`^\s*1\. `)
	pagePath   = regexp.MustCompile(`\bdocs/[\w/-]+\.md\b`)
)

// parsePage determines the kind of each line. A line indented by four spaces after a blank line is code.
func parsePage(text string) []markdownLine {
	var lines []markdownLine
	fenced, inList := false, false
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		l := markdownLine{number: i + 1, text: line}
		previous := blank
		if i > 0 {
			previous = lines[i-1].kind
		}
		isFence := fence.MatchString(line)
		switch {
		case fenced || isFence:
			l.kind = code
			fenced = fenced != isFence
		case strings.TrimSpace(line) == "":
			l.kind = blank
		case strings.HasPrefix(line, "#"):
			l.kind = heading
		case strings.HasPrefix(strings.TrimSpace(line), "|"):
			l.kind = table
		case strings.HasPrefix(line, "<!--"):
			l.kind = comment
		case isIndentedCode(line, previous, inList):
			l.kind = code
		}
		if l.kind == prose {
			inList = listMarker.MatchString(line) || inList && (previous == prose || strings.HasPrefix(line, " "))
		}
		if l.kind == heading {
			inList = false
		}
		lines = append(lines, l)
	}
	return lines
}

// isIndentedCode reports whether a line belongs to an indented code block. Inside a list, indented text continues a
// list item, and code is indented further.
func isIndentedCode(line string, previous lineKind, inList bool) bool {
	indent := "    "
	if inList {
		indent = "       "
	}
	return strings.HasPrefix(line, indent) && (previous == blank || previous == code)
}

// blocks returns the parts of a page whose sentences are checked.
func blocks(lines []markdownLine) []block {
	var all []block
	open := false
	for _, l := range lines {
		if l.kind == table {
			for cell := range strings.SplitSeq(strings.Trim(strings.TrimSpace(l.text), "|"), " | ") {
				all = append(all, block{l.number, cell})
			}
		}
		if l.kind != prose {
			open = false
			continue
		}
		text := strings.TrimSpace(listMarker.ReplaceAllString(l.text, ""))
		if open && !listMarker.MatchString(l.text) {
			all[len(all)-1].text += " " + text
			continue
		}
		all = append(all, block{l.number, text})
		open = true
	}
	return all
}

var (
	codeSpan    = regexp.MustCompile("`[^`]*`")
	linkSyntax  = regexp.MustCompile(`!?\[([^\]]*)\]\(([^)\s]*)\)`)
	sentenceEnd = regexp.MustCompile(`[.!?]["')*]*(\s+|$)`)
)

// sentences splits a text into sentences. Full stops in code and link texts do not end a sentence.
func sentences(text string) []string {
	text = codeSpan.ReplaceAllString(text, "code")
	text = linkSyntax.ReplaceAllStringFunc(text, func(link string) string {
		return strings.ReplaceAll(linkSyntax.FindStringSubmatch(link)[1], ".", "")
	})
	var all []string
	for _, s := range sentenceEnd.Split(text, -1) {
		if s = strings.TrimSpace(s); s != "" {
			all = append(all, s)
		}
	}
	return all
}

func words(sentence string) int {
	n := 0
	for _, w := range strings.Fields(sentence) {
		if strings.IndexFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) >= 0 {
			n++
		}
	}
	return n
}

func purposeFollows(lines []markdownLine) bool {
	for _, l := range lines {
		if l.kind != blank {
			return l.kind == prose && !listMarker.MatchString(l.text)
		}
	}
	return false
}

// exampleMissing returns the line of the first table that no example precedes, or the last line if the page has no
// example at all. missing is false if an example precedes the first table.
func exampleMissing(lines []markdownLine) (line int, missing bool) {
	for _, l := range lines {
		switch {
		case l.kind == code, l.kind == prose && numbered.MatchString(l.text):
			return 0, false
		case l.kind == table:
			return l.number, true
		}
	}
	return lines[len(lines)-1].number, true
}

func linkTargets(line string) []string {
	var targets []string
	for _, m := range linkSyntax.FindAllStringSubmatch(codeSpan.ReplaceAllString(line, ""), -1) {
		targets = append(targets, m[2])
	}
	return targets
}

// brokenLink returns what is wrong with a link, or "" if it is correct. It does not check links to other sites.
func brokenLink(page, target string, anchors map[string][]string) string {
	if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
		return ""
	}
	file, anchor, hasAnchor := strings.Cut(target, "#")
	linked := page
	if file != "" {
		linked = path.Join(path.Dir(page), file)
	}
	if _, err := os.Stat(filepath.Join(docsTop, linked)); err != nil {
		return fmt.Sprintf("%s does not exist", linked)
	}
	if known, isPage := anchors[linked]; hasAnchor && isPage && !slices.Contains(known, anchor) {
		return fmt.Sprintf("%s has no heading for #%s", linked, anchor)
	}
	return ""
}

// anchorsOf returns the anchors that Markdown hosts generate from headings.
func anchorsOf(lines []markdownLine) []string {
	var all []string
	for _, l := range lines {
		if l.kind != heading {
			continue
		}
		var b strings.Builder
		for _, r := range strings.ToLower(strings.TrimLeft(l.text, "# ")) {
			switch {
			case r == ' ':
				b.WriteRune('-')
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				b.WriteRune(r)
			}
		}
		all = append(all, b.String())
	}
	return all
}

func withoutLinkTargets(line string) string {
	return linkSyntax.ReplaceAllString(line, "[$1]")
}

func columns(line string) int {
	return utf8.RuneCountInString(strings.ReplaceAll(line, "\t", strings.Repeat(" ", tabWidth)))
}
