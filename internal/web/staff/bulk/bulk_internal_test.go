package bulk

import (
	"testing"

	"homeward/internal/desk"
	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

func TestTheReasonOfARefusalIsInTheLanguageOfThePage(t *testing.T) {
	german := frame.Locale{Language: i18n.Choose("de")}
	refused := desk.Outcome{Why: "It is paid.", Refused: lost.E(lost.Conflict, "It is paid.")}
	for _, c := range []struct {
		lang    frame.Locale
		outcome desk.Outcome
		want    string
	}{
		{frame.English(), refused, "It is paid."},
		{german, refused, german.Say("frame.problem.conflict")},
		{german, desk.Outcome{Why: "No reason was given."}, "No reason was given."},
	} {
		if got := (bulkPage{Page: frame.Page{Locale: c.lang}}).Reason(c.outcome); got != c.want {
			t.Errorf("%s: got %q, want %q", c.lang.Tag(), got, c.want)
		}
	}
}
