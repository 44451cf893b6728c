package locations

import (
	"net/url"
	"testing"
	"time"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

func TestClosuresAreReadAsEachLanguageWritesThem(t *testing.T) {
	for _, c := range []struct{ tag, line, from, to, reason string }{
		{"de", "24.12.2026 - 26.12.2026 Weihnachten", "2026-12-24", "2026-12-26", "Weihnachten"},
		{"de", "24.–26.12.2026 Weihnachten", "2026-12-24", "2026-12-26", "Weihnachten"},
		{"de", "24.12.–2.1.2027, Ferien", "2026-12-24", "2027-01-02", "Ferien"},
		{"de", "24. Dezember 2026 bis 26. Dezember 2026: Weihnachten", "2026-12-24", "2026-12-26", "Weihnachten"},
		{"de", "24.12.26", "2026-12-24", "", ""},
		{"fr", "25/12/2026 Noël", "2026-12-25", "", "Noël"},
		{"fr", "1er janvier 2027 – 2 janvier 2027", "2027-01-01", "2027-01-02", ""},
		{"nl", "25-12-2026 t/m 26-12-2026 Kerst", "2026-12-25", "2026-12-26", "Kerst"},
		{"pt", "1 de janeiro de 2027 Ano-Novo", "2027-01-01", "", "Ano-Novo"},
		{"ja", "2026年12月31日～2027年1月3日 年末年始", "2026-12-31", "2027-01-03", "年末年始"},
		{"zh", "2027年2月6日至2027年2月12日 春节", "2027-02-06", "2027-02-12", "春节"},
		{"en", "Dec 24, 2026 to Dec 26, 2026 Christmas", "2026-12-24", "2026-12-26", "Christmas"},
		{"en", "24–26 December 2026 Christmas", "2026-12-24", "2026-12-26", "Christmas"},
		{"en", "12/24/2026", "2026-12-24", "", ""},
		{"en", "2026-12-24/2026-12-26", "2026-12-24", "2026-12-26", ""},
		{"en", "2026-12-24 24 hours of stocktaking", "2026-12-24", "", "24 hours of stocktaking"},
		{"en", "2026-12-24 - to be decided", "2026-12-24", "", "to be decided"},
	} {
		got, ok := readClosure(c.line, dateOrder(frame.Locale{Language: i18n.Choose(c.tag)}))
		if want := (lost.Closure{From: c.from, To: c.to, Reason: c.reason}); !ok || got != want {
			t.Errorf("%s: %q: got %+v, want %+v", c.tag, c.line, got, want)
		}
	}
}

func TestClosuresAreReadAsTheFormShowsThem(t *testing.T) {
	for _, tag := range i18n.Tags() {
		lang := frame.Locale{Language: i18n.Choose(tag)}
		day := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
		var want []lost.Closure
		for ; day.Year() == 2027; day = day.AddDate(0, 0, 9) {
			last := day.AddDate(0, 0, 2)
			want = append(want, lost.Closure{
				From: day.Format(lost.DateLayout), To: last.Format(lost.DateLayout), Reason: "Feast",
			})
		}
		var problems lost.Problems
		text := url.Values{"closures": {closureLines(want, lang.ShortDateYear)}}
		got := readClosures(lang, text, closuresField, &problems)
		if len(problems) > 0 || len(got) != len(want) {
			t.Fatalf("%s: got %d closures, want %d; problems %v", tag, len(got), len(want), problems)
		}
		for n := range want {
			if got[n] != want[n] {
				t.Errorf("%s: got %+v, want %+v", tag, got[n], want[n])
			}
		}
	}
}

func TestLinesThatCouldMeanSomethingElseAreRejected(t *testing.T) {
	for _, line := range []string{
		"3/4/2027 Spring", "at Christmas", "31.02.2027", "24.12.2026 – 31.02.2027", "26.12.2026 – 24.12.2026",
		"24.12.2026 – 45 days", "26.–24.12.2026", "24.12.", "–",
	} {
		var problems lost.Problems
		readClosures(frame.English(), url.Values{"closures": {"2027-01-01\n\n" + line}}, closuresField, &problems)
		if len(problems) != 1 || frame.NumbersIn(problems[0].Message)[0] != 3 {
			t.Errorf("%q: got %v, want a problem of line 3", line, problems)
		}
	}
}
