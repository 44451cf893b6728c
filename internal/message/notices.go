package message

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"homeward/internal/i18n"
	"homeward/internal/lost/notice"
	"homeward/internal/lost/report"
)

// noticePhrases maps the kinds of notice to the keys of their names.
var noticePhrases = map[notice.Kind]string{
	notice.Report: "message.staff.kind.report", notice.Match: "message.staff.kind.match",
	notice.Answer: "message.staff.kind.answer", notice.Payment: "message.staff.kind.payment",
	notice.Storage: "message.staff.kind.storage", notice.Monthly: "message.staff.kind.monthly",
}

// MailNotices sends notices to a member of staff by e-mail, in their language. It returns the same errors as Send. The
// subject names neither an item nor a location nor a guest.
func (p *Sender) MailNotices(ctx context.Context, m notice.Message) error {
	if p.smtp == nil {
		return errors.New("no mail server is configured")
	}
	s := noticeComposer{i18n.Choose(m.User.Language), m, p.base}
	content := s.page()
	e := p.envelope(m.User.Email, m.ID)
	e.from.Name, e.to.Name = "Homeward", headerText(personName(m.User.Name), maxPerson)
	e.subject, e.stop = content.Subject, m.StopURL
	e.text = content.text(func(label, value string) string {
		return s.Say("message.fact", "label", label, "value", value)
	})
	e.secrets = []string{m.StopURL, m.StopURL[strings.LastIndexByte(m.StopURL, '/')+1:]}
	var err error
	if e.html, err = content.html(); err != nil {
		return fmt.Errorf("render the e-mail: %w", err)
	}
	return p.smtp.deliver(ctx, e, func() error { return nil })
}

// ComposePush returns the title and the text of a push message, in the language of the member of staff. They name
// locations and references, but no guest and no item.
func (p *Sender) ComposePush(m notice.Message) (title, body string) {
	s := noticeComposer{i18n.Choose(m.User.Language), m, p.base}
	var parts []string
	for _, l := range m.Lines[:min(len(m.Lines), maxPushLines)] {
		place := line(l.LocationName, maxPlace)
		parts = append(parts, s.Say("message.staff.line", "what", l.Item.Reference, "place", place))
	}
	return s.title(), strings.Join(parts, "\n")
}

// maxPushLines is the maximum number of lines in a push message.
const maxPushLines = 3

// noticeComposer composes an e-mail to a member of staff.
type noticeComposer struct {
	*i18n.Language
	notice.Message
	base string
}

// title returns what the notices are about, without details.
func (s noticeComposer) title() string {
	if n := len(s.Lines) + s.More; n > 1 || len(s.Kinds) == 0 {
		return s.Say("message.staff.title", "n", n)
	}
	return s.Say(noticePhrases[s.Kinds[0]])
}

func (s noticeComposer) page() page {
	title := s.title()
	p := page{
		Lang: s.Tag(), Dir: s.Dir(), Subject: headerText(title, maxSubject), Preheader: title, Place: "Homeward",
		Title: title, Hello: s.hello(), Footer: s.Say("message.staff.footer"),
		Link: &link{Button: s.Say("message.staff.button"), URL: s.base + s.Path, Hint: s.Say("message.link")},
		Stop: &link{Button: s.Say("message.staff.stop"), URL: s.StopURL},
	}
	if s.Reported != nil {
		p.Lead, p.Facts = []string{s.reportLead()}, s.figures()
		p.Link.Button = s.Say("message.staff.report.button")
		return p
	}
	for _, l := range s.Lines {
		what := s.Say(noticePhrases[l.Kind])
		p.Tasks = append(p.Tasks, task{
			Reference: l.Item.Reference, Item: line(l.Item.Description, maxPlace),
			What: s.Say("message.staff.line", "what", what, "place", line(l.LocationName, maxPlace)),
		})
	}
	if s.More > 0 {
		p.More = s.Say("message.digest.more", "n", s.More)
	}
	return p
}

func (s noticeComposer) hello() string {
	if name := personName(s.User.Name); name != "" {
		return s.Say("message.hello", "name", name)
	}
	return s.Say("message.hello.anyone")
}

func (s noticeComposer) reportLead() string {
	period := s.Reported.Period
	return s.Say("message.staff.report.lead", "from", s.ShortDateYear(period.From), "to", s.ShortDateYear(period.To))
}

// unknownFigure stands for a figure that is not known.
const unknownFigure = "–"

// figureList collects the figures of a report, each with that of the month before.
type figureList struct {
	noticeComposer
	facts []fact
}

func (l *figureList) add(key, value, before string) {
	text := l.Say("message.staff.report.value", "value", value, "before", before)
	l.facts = append(l.facts, fact{Label: l.Say(key), Lines: []string{text}})
}

func (l *figureList) count(key string, n, before int) { l.add(key, l.Number(n), l.Number(before)) }

// figures returns the figures of a report.
func (s noticeComposer) figures() []fact {
	r, l := s.Reported, &figureList{noticeComposer: s}
	if len(s.Where) > 0 {
		const maxNames = 20
		names := s.Where[:min(len(s.Where), maxNames)]
		where := line(s.List(names), maxReason)
		l.facts = append(l.facts, fact{Label: s.Say("users.locations"), Lines: []string{where}})
	}
	l.count("reports.figure.found", r.Items.Found, r.ItemsBefore.Found)
	l.count("reports.figure.returned", r.Items.Returned, r.ItemsBefore.Returned)
	l.add("reports.rate", s.returnRate(0), s.returnRate(1))
	l.count("reports.figure.donated", r.Items.Donated, r.ItemsBefore.Donated)
	l.count("reports.figure.discarded", r.Items.Discarded, r.ItemsBefore.Discarded)
	l.count("reports.figure.police", r.Items.Police, r.ItemsBefore.Police)
	l.count("reports.figure.authority", r.Items.Authority, r.ItemsBefore.Authority)
	l.count("reports.figure.auctioned", r.Items.Auctioned, r.ItemsBefore.Auctioned)
	l.count("reports.figure.finder", r.Items.Finder, r.ItemsBefore.Finder)
	l.add("reports.median", s.days(r.Items.MedianDays()), s.days(r.ItemsBefore.MedianDays()))
	here := 0
	for _, a := range r.Ages {
		here += a.Items
	}
	l.facts = append(l.facts, fact{Label: s.Say("reports.figure.here"), Lines: []string{s.Number(here)}})
	l.count("message.staff.report.filed", r.Requests.Filed, r.RequestsBefore.Filed)
	l.count("message.staff.report.answered", r.Requests.Answered, r.RequestsBefore.Answered)
	l.add("reports.answer.median", s.duration(r.Requests.MedianAnswer()),
		s.duration(r.RequestsBefore.MedianAnswer()))
	for _, m := range report.MoneyPairs(*r) {
		l.money(m[0], m[1])
	}
	return l.facts
}

// money adds what was paid and refunded in one currency.
func (l *figureList) money(now, before report.MoneyFigures) {
	add := func(key string, amount, earlier int64) {
		l.add(key, l.Money(amount, now.Currency), l.Money(earlier, now.Currency))
	}
	add("reports.handling", now.Handling, before.Handling)
	add("reports.shipping", now.Shipping, before.Shipping)
	add("reports.refunds", -now.Refunded, -before.Refunded)
	add("reports.total", now.Balance(), before.Balance())
}

// returnRate returns the percentage of items that were returned among those found in the month of the report, or in one
// of the months before. Items that are still open do not count.
func (s noticeComposer) returnRate(monthsBefore int) string {
	months := s.Reported.Months
	if len(months) <= monthsBefore {
		return unknownFigure
	}
	percent, known := months[len(months)-1-monthsBefore].Rate()
	if !known {
		return unknownFigure
	}
	return s.Say("reports.percent", "n", percent)
}

// days formats a number of days.
func (s noticeComposer) days(n int, known bool) string {
	if !known {
		return unknownFigure
	}
	return s.Number(n)
}

// duration formats a time in the same units as the page of reports.
func (s noticeComposer) duration(d time.Duration, known bool) string {
	const day = 24 * time.Hour
	switch {
	case !known:
		return unknownFigure
	case d < 2*time.Hour:
		return s.Say("reports.time.minutes", "n", int(d/time.Minute))
	case d < 3*day:
		return s.Say("reports.time.hours", "n", int(d/time.Hour))
	default:
		return s.Say("reports.time.days", "n", int(d/day))
	}
}
