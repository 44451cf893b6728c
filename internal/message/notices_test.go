package message_test

import (
	"html"
	"regexp"
	"strings"
	"testing"
	"time"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/lost/notice"
	"homeward/internal/lost/report"
	"homeward/internal/message"
	"homeward/internal/message/mailtest"
)

// mailNotices sends notices and returns the e-mail.
func mailNotices(t *testing.T, m notice.Message) mailtest.Mail {
	t.Helper()
	server := mailtest.Start(t)
	p, err := message.New(message.Options{
		SMTP: server.URL(), From: "lost@example.com", Base: "https://lost.example.com",
		Now: func() time.Time { return time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.MailNotices(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	return server.Next(t, m.User.Email)
}

func staffMessage(language string) notice.Message {
	item := lost.Item{Reference: "K7F-3QD", Description: "Black umbrella\r\nBcc: eve@example.com"}
	item.Owner = lost.Owner{FirstName: "Anna", LastName: "Arnold", Email: "anna@example.com"}
	return notice.Message{
		ID: "ntc_1", User: lost.User{Email: "ben@hotel.example", Name: "Ben Berg", Language: language},
		Kinds: []notice.Kind{notice.Report, notice.Answer}, More: 3, Path: "/",
		Lines: []notice.Line{
			{Kind: notice.Report, Item: item, LocationName: "Hotel Adler"},
			{Kind: notice.Answer, Item: item, LocationName: "Hotel Adler"},
		},
		StopURL: "https://lost.example.com/notices/stop/acc_1.usr_1.abc?kind=report&kind=answer",
	}
}

func TestNoticesAreOneEmailThatCanBeStopped(t *testing.T) {
	m := mailNotices(t, staffMessage("en"))
	golden(t, "staff-notices.txt", m.Header.Get("Subject")+"\n\n"+m.Text)
	golden(t, "staff-notices.html", m.HTML)
	stop := "<https://lost.example.com/notices/stop/acc_1.usr_1.abc?kind=report&kind=answer>"
	if got := m.Header.Get("List-Unsubscribe"); got != stop {
		t.Errorf("got List-Unsubscribe %q", got)
	}
	if got := m.Header.Get("List-Unsubscribe-Post"); got != "List-Unsubscribe=One-Click" {
		t.Errorf("got List-Unsubscribe-Post %q", got)
	}
	if m.Header.Get("Bcc") != "" || strings.Contains(m.Raw, "anna@example.com") || strings.Contains(m.Raw, "Arnold") {
		t.Errorf("the e-mail names the guest:\n%s", m.Raw)
	}
}

func TestSubjectsOfNoticesAreDiscreetInEveryLanguage(t *testing.T) {
	for _, language := range []string{"en", "de", "fr", "es", "it", "pt", "nl", "pl", "ja", "zh"} {
		one := staffMessage(language)
		one.Kinds, one.Lines, one.More = one.Kinds[:1], one.Lines[:1], 0
		for _, m := range []notice.Message{one, staffMessage(language)} {
			mail := mailNotices(t, m)
			subject, err := mail.Header.Subject()
			if err != nil || subject == "" {
				t.Errorf("%s: got subject %q: %v", language, subject, err)
			}
			for _, detail := range []string{"umbrella", "Adler", "K7F-3QD", "Anna"} {
				if strings.Contains(subject, detail) {
					t.Errorf("%s: the subject %q names %s", language, subject, detail)
				}
			}
		}
	}
}

// monthlyMessage returns the report of October, with figures of every kind. Of the items found in October, two were
// returned, one was donated and one is still here; of those found in September, one was returned and one donated.
func monthlyMessage(language string) notice.Message {
	m := staffMessage(language)
	m.Kinds, m.Lines, m.More = []notice.Kind{notice.Monthly}, nil, 0
	m.Path = "/at/all/reports?from=2026-10-01&to=2026-10-31"
	m.Where = []string{"Hotel Adler", "Airport"}
	b := report.New(report.Period{From: "2026-10-01", To: "2026-10-31"}, []lost.LocationName{{ID: "loc_1"}},
		time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC))
	october, september := report.DayNumber("2026-10-05"), report.DayNumber("2026-09-05")
	for _, found := range []int{october, october, september} {
		b.AddFind(report.Find{FoundOn: found, EndedOn: found + 4, Outcome: lost.OutcomeCollected})
	}
	for _, found := range []int{october, september} {
		b.AddFind(report.Find{FoundOn: found, EndedOn: found + 9, Outcome: lost.OutcomeDonated})
	}
	b.AddFind(report.Find{FoundOn: october, Outcome: lost.OutcomeOpen, Held: true})
	asked := time.Date(2026, 10, 7, 8, 0, 0, 0, time.UTC)
	b.AddRequest(0, lost.RequestFacts{CreatedAt: asked, AnsweredAt: asked.Add(90 * time.Minute)})
	b.AddRequest(0, lost.RequestFacts{CreatedAt: asked, State: lost.RequestPending})
	b.AddRequest(1, lost.RequestFacts{CreatedAt: asked, AnsweredAt: asked.Add(5 * time.Hour)})
	b.AddPayments(0, lost.PaymentFacts{Number: 2, Price: lost.Price{Postage: 2400, Handling: 600, Currency: "EUR"}})
	b.AddPayments(0, lost.PaymentFacts{
		Number: 1, Refund: true, Price: lost.Price{Postage: 1200, Handling: 300, Currency: "EUR"},
	})
	b.AddPayments(1, lost.PaymentFacts{Number: 1, Price: lost.Price{Postage: 900, Currency: "USD"}})
	r := b.Report()
	m.Reported = &r
	return m
}

func TestTheMonthlyReportListsFigures(t *testing.T) {
	mail := mailNotices(t, monthlyMessage("en"))
	golden(t, "staff-report.txt", mail.Header.Get("Subject")+"\n\n"+mail.Text)
	golden(t, "staff-report.html", mail.HTML)
}

// Each figure is in the text and in the HTML, with the amounts and numbers of the language.
func TestTheMonthlyReportSpeaksEveryLanguage(t *testing.T) {
	for _, tag := range i18n.Tags() {
		mail, l := mailNotices(t, monthlyMessage(tag)), i18n.Choose(tag)
		plain, rich := squeeze(mail.Text), squeeze(html.UnescapeString(mail.HTML))
		percent := func(n int) string { return l.Say("reports.percent", "n", n) }
		for _, f := range []struct{ key, value, before string }{
			{"reports.figure.found", "4", "2"}, {"reports.figure.returned", "2", "1"},
			{"reports.rate", percent(67), percent(50)}, {"reports.figure.donated", "1", "1"},
			{"reports.figure.discarded", "0", "0"}, {"reports.median", "4", "4"},
			{"message.staff.report.filed", "2", "1"},
			{
				"reports.answer.median", l.Say("reports.time.minutes", "n", 90),
				l.Say("reports.time.hours", "n", 5),
			},
			{"reports.handling", l.Money(600, "EUR"), l.Money(0, "EUR")},
			{"reports.shipping", l.Money(2400, "EUR"), l.Money(0, "EUR")},
			{"reports.refunds", l.Money(-1500, "EUR"), l.Money(0, "EUR")},
			{"reports.total", l.Money(1500, "EUR"), l.Money(0, "EUR")},
			{"reports.shipping", l.Money(0, "USD"), l.Money(900, "USD")},
		} {
			text := l.Say("message.staff.report.value", "value", f.value, "before", f.before)
			want := squeeze(l.Say("message.fact", "label", l.Say(f.key), "value", text))
			if !strings.Contains(plain, want) {
				t.Errorf("%s: the text lacks %q:\n%s", tag, want, mail.Text)
			}
			if !strings.Contains(rich, squeeze(l.Say(f.key))) || !strings.Contains(rich, squeeze(text)) {
				t.Errorf("%s: the HTML lacks %q: %q", tag, l.Say(f.key), text)
			}
		}
		here := squeeze(l.Say("message.fact", "label", l.Say("reports.figure.here"), "value", "1"))
		if !strings.Contains(plain, here) || !strings.Contains(rich, "/at/all/reports?from=2026-10-01&to=2026-10-31") {
			t.Errorf("%s: the e-mail lacks %q or the link to the report:\n%s", tag, here, mail.Text)
		}
		if key := textKey.FindString(mail.Text); key != "" {
			t.Errorf("%s: the e-mail contains the key %s", tag, key)
		}
	}
}

// textKey matches the key of a text, which an e-mail contains if the text is missing.
var textKey = regexp.MustCompile(`\b(reports|message|users)\.[a-z][a-z.-]+`)

// squeeze removes the spaces from a text. Lines of Japanese and Chinese are broken without one.
func squeeze(text string) string { return strings.Join(strings.Fields(text), "") }

// A later version of the program may have written a notice of a kind that this one does not know.
func TestANoticeOfAnUnknownKindHasATitle(t *testing.T) {
	m := staffMessage("en")
	m.Kinds, m.Lines, m.More = nil, nil, 1
	mail := mailNotices(t, m)
	if got := mail.Header.Get("Subject"); got != "1 notice" {
		t.Errorf("got the subject %q", got)
	}
}
