package message_test

import (
	"strings"
	"testing"
	"time"

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

func TestTheMonthlyReportListsFigures(t *testing.T) {
	m := staffMessage("en")
	m.Kinds, m.Lines, m.More = []notice.Kind{notice.Monthly}, nil, 0
	m.Path = "/at/all/reports?from=2026-10-01&to=2026-10-31"
	period := report.Period{From: "2026-10-01", To: "2026-10-31"}
	m.Reported = &report.Report{
		Period: period, Before: period.Before(),
		Items: report.ItemFigures{Found: 12, Returned: 7}, ItemsBefore: report.ItemFigures{Found: 9},
		Requests: report.RequestFigures{Filed: 4, Answered: 3},
	}
	m.Where = []string{"Hotel Adler", "Airport"}
	mail := mailNotices(t, m)
	golden(t, "staff-report.txt", mail.Header.Get("Subject")+"\n\n"+mail.Text)
}

// A later version of the program may have written a notice of a kind that this one does not know.
func TestANoticeOfAnUnknownKindHasATitle(t *testing.T) {
	m := staffMessage("en")
	m.Kinds, m.Lines, m.More = nil, nil, 1
	mail := mailNotices(t, m)
	if got := mail.Header.Get("Subject"); got != "1 notice" {
		t.Errorf("got the subject %q", got)
	}
}
