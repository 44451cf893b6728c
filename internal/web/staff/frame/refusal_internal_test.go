package frame

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// TestEveryRefusalIsAMessageOfAUseCase notices when a use case changes a message, which would lose its translations.
func TestEveryRefusalIsAMessageOfAUseCase(t *testing.T) {
	german := Locale{Language: i18n.Choose("de")}
	messages := useCaseMessages(t)
	for _, r := range refusals() {
		if !slices.ContainsFunc(messages, r.pattern.MatchString) {
			t.Errorf("no use case has the message of %s: %s", r.key, r.pattern)
		}
	}
	for english, want := range map[string]string{
		"Must have at most 200 characters.":     "Höchstens 200 Zeichen sind möglich.",
		"Must be a whole number from 1 to 365.": "Geben Sie eine ganze Zahl von 1 bis 365 ein.",
		"K7F-3QD is not in storage. Open it and check its status.": "K7F-3QD ist nicht im Lager. Öffnen Sie den " +
			"Gegenstand und prüfen Sie seinen Status.",
		"This is not a message of any use case.": "",
	} {
		if got, known := german.translateRefusal(english); got != want || known != (want != "") {
			t.Errorf("%s: got %q, want %q", english, got, want)
		}
	}
}

// TestRefusalsNameTheRemedyInEveryLanguage checks that the errors and the fields of a form have their own texts.
func TestRefusalsNameTheRemedyInEveryLanguage(t *testing.T) {
	var p lost.Problems
	p.Add("owner", "required", "must have an e-mail address or phone number, so that the claimant can be reached")
	refused := lost.E(lost.Conflict, "Somebody has decided again since. Open the request again.")
	for _, tag := range i18n.Tags() {
		l := Locale{Language: i18n.Choose(tag)}
		if got, want := l.FieldErrorText(p[0]), l.Say("frame.refusal.claimant-contact"); got != want {
			t.Errorf("%s: got %q for the field, want %q", tag, got, want)
		}
		if got, want := l.ErrorText(refused), l.Say("frame.refusal.decided-again"); got != want {
			t.Errorf("%s: got %q for the error, want %q", tag, got, want)
		}
	}
}

// verb matches a verb of a format.
var verb = regexp.MustCompile(`%[dsq]`)

// useCaseMessages returns the messages in the source of the use cases and of the pages as pages show them in English.
func useCaseMessages(t *testing.T) (messages []string) {
	t.Helper()
	for _, pattern := range []string{"*", "*/*", "web/staff/*"} {
		for _, name := range glob(t, "../../../"+pattern+"/*.go") {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if call, is := n.(*ast.CallExpr); is {
					for _, argument := range call.Args {
						if text := textOf(argument); strings.Contains(text, " ") {
							text = verb.ReplaceAllString(text, "7")
							messages = append(messages, text, Sentence(text))
						}
					}
				}
				return true
			})
		}
	}
	return messages
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(names), err)
	}
	return names
}

// textOf returns the text of a literal, or of several that are joined.
func textOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value) // other literals have no text
		return text
	case *ast.BinaryExpr:
		return textOf(e.X) + textOf(e.Y)
	}
	return ""
}
