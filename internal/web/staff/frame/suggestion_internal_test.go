package frame

import (
	"os"
	"regexp"
	"testing"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

func TestReasonsAreTranslated(t *testing.T) {
	reasons := []lost.Reason{
		{Code: "same-kind", Terms: []string{"passport"}},
		{Code: "same-words", Words: []string{"“quagga”"}},
		{Code: "found-later", Days: 3},
	}
	for tag, want := range map[string]string{
		"en": "Same kind of item: passport; both say: “quagga”; found 3 days later",
		"de": "Gleiche Art von Gegenstand: Reisepass; in beiden steht: „quagga“; 3 Tage später gefunden",
		"ja": "同じ種類の物、両方の説明にある言葉：「quagga」、3日後に発見",
	} {
		if got := explainMatch(Locale{i18n.Choose(tag)}, reasons); got != want {
			t.Errorf("%s: got %q, want %q", tag, got, want)
		}
	}
}

// TestEveryReasonHasAText reads the codes from the code that makes them, because a reason without a text would be shown
// as its key.
func TestEveryReasonHasAText(t *testing.T) {
	code, err := os.ReadFile("../../../lost/match/reason.go")
	if err != nil {
		t.Fatal(err)
	}
	codes := regexp.MustCompile(`(?:Code: |fixed\(|listBoth\(|nearly\()"([a-z-]+[a-z])"`).
		FindAllStringSubmatch(string(code), -1)
	if len(codes) < 40 {
		t.Errorf("found only %d codes", len(codes))
	}
	for _, c := range codes {
		if !English().Has("frame.reason." + c[1]) {
			t.Errorf("the reason %q has no text", c[1])
		}
	}
}
