package bulk_test

import (
	"html"
	"net/http"
	"strings"
	"testing"

	"homeward/internal/i18n"
	"homeward/internal/testkit"
	"homeward/internal/web/staff/stafftest"
)

// speak changes the user's language.
func speak(t *testing.T, v *testkit.Visitor, tag string) {
	t.Helper()
	form := stafftest.FormWith(t, v.Get("/settings/profile").Body, "language")
	form.Set("language", tag)
	stafftest.ExpectPage(t, v.Post("/settings/profile", form), http.StatusSeeOther)
}

// TestProblemsOfAFileAreExplainedInEveryLanguage checks that each problem has a sentence with the cell's text, and
// none has only the text for unknown problems.
func TestProblemsOfAFileAreExplainedInEveryLanguage(t *testing.T) {
	h := testkit.NewServer(t)
	l, v := h.NewLocation("Hotel Adler"), h.LogIn()
	long := strings.Repeat("x", 201)
	file := "description,discoveryDate,status,pickupTime,closed,shipping.weight,shipping.boxType,source,language," +
		"handover.at,handover.idChecked,metadata,imageUrl,brand,owner.email\n" +
		"Hat,31.31.2026,lost,25:70,perhaps,heavy,coffin,request,xx,soon,,oops,nowhere," + long + ",anna\n" +
		"Hat,2099-01-01,,,,-1,,,,2099-01-02,,,,,\n" +
		"Hat,,PENDING,09:30,,,,,,,yes,,,,\n" +
		",,,,,,,,,,,,,,\n,,,,,,,,,,,,,Mayser,\n" +
		"Hat,,,,,,,,,,,,,,,more\n"
	quoted := []string{
		"31.31.2026", "lost", "25:70", "perhaps", "heavy", "coffin", "request", "xx", "soon", "oops", "nowhere",
		long[:60] + "…", "2099-01-01", "-1", "2099-01-02", "09:30", "yes",
	}
	for _, tag := range i18n.Tags() {
		speak(t, v, tag)
		lang := i18n.Choose(tag)
		at := stafftest.UploadFile(v, "/at/"+l.ID+"/import", tag+".csv", file).Header.Get("Location")
		page := html.UnescapeString(v.Get(at).Body)
		for _, text := range quoted {
			if !strings.Contains(page, quote(lang, text)) {
				t.Errorf("%s: no problem quotes %q", tag, text)
			}
		}
		for _, text := range []string{
			`{"booking": "HH-4711"}`, lang.Say("frame.status.pickup"), "200", "100",
		} {
			if !strings.Contains(page, text) {
				t.Errorf("%s: the page does not contain %q", tag, text)
			}
		}
		if other := lang.Say("frame.invalid.other"); strings.Contains(page, other) {
			t.Errorf("%s: a problem has only the text %q", tag, other)
		}
		if tag != "en" && (strings.Contains(page, "must be") || strings.Contains(page, "is not")) {
			t.Errorf("%s: the page has English text", tag)
		}
	}
}

// quote returns a text in the quotation marks of a language.
func quote(lang *i18n.Language, text string) string {
	quoted, _, _ := strings.Cut(lang.Say("bulk.invalid.other", "text", text, "remedy", "|"), text)
	return quoted + text
}

func TestUnreadableFilesAreExplainedInEveryLanguage(t *testing.T) {
	h := testkit.NewServer(t)
	l, v := h.NewLocation("Hotel Adler"), h.LogIn()
	for _, tag := range i18n.Tags() {
		speak(t, v, tag)
		other := i18n.Choose(tag).Say("frame.invalid.other")
		for file, want := range map[string]string{
			"":                                "",
			"description\nSchl\xfcssel\n":     "UTF-8",
			"description\nHat\n24\" screen\n": "3",
			"description" + strings.Repeat(",x", 5000) + "\n": "200",
		} {
			a := stafftest.UploadFile(v, "/at/"+l.ID+"/import", "finds.csv", file)
			if a.Code != http.StatusUnprocessableEntity || strings.Contains(a.Body, other) ||
				!strings.Contains(a.Body, want) {
				t.Errorf("%s: %.20q: got status %d and the text %q or not %q", tag, file, a.Code, other, want)
			}
		}
	}
}
