package message

import (
	"cmp"
	"strings"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// page is everything that a mail says, in the order in which it is read. The text and the HTML part are two layouts of it.
type page struct {
	Lang, Dir    string
	Subject      string
	Preheader    string // what an inbox shows beside the subject
	Logo, Place  string
	Title, Hello string
	Lead         []string
	Facts        []fact
	Tasks        []task
	More         string
	Next         []string
	Link         *link
	Help         *help
	Footer       string
}

// fact is one thing to know of an item. Code is for what is read out letter by letter, Link for the address of a page.
type fact struct {
	Label      string
	Lines      []string
	Code, Link bool
}

// task is one thing that waits for a desk.
type task struct{ Reference, Item, What string }

type link struct{ Button, URL, Hint, Private string }

// help is how to reach a human.
type help struct {
	Lead, Reply            string
	Name, Phone, Email     string
	PhoneLabel, EmailLabel string
}

// scribe writes one letter.
type scribe struct {
	*i18n.Language
	lost.Letter
	phrases
	base     string
	discreet bool
}

func (p *Post) scribe(l lost.Letter) scribe {
	return scribe{Language: i18n.Choose(l.Languages()...), Letter: l, phrases: phrasesOf(l), base: p.base, discreet: p.discreet}
}

// room is how much of a record's texts there is room for.
type room struct{ place, item, address int }

var (
	roomInMail    = room{maxPlace, maxItem, maxItem}
	roomInSubject = room{60, 40, 40}
	roomInSMS     = room{28, 28, 40}
)

// say gives a text with everything that any of them may mention; each takes what it needs.
func (s scribe) say(key string, r room) string {
	i := s.Item
	return s.Say(key,
		"place", line(s.Location.Name, r.place), "item", line(i.Description, r.item), "reference", i.Reference,
		"address", line(strings.Join(s.address(), ", "), r.address), "charity", line(s.Location.Charity, r.item),
		"reason", line(i.Claim.Reason, maxReason), "question", line(s.About.Question, maxReason),
		"until", s.Date(i.StoreUntil()), "untilShort", s.DayMonth(i.StoreUntil()),
		"day", s.Date(i.Pickup.Date), "dayShort", s.DayMonth(i.Pickup.Date), "when", s.when(), "n", s.Tasks.Count,
		"price", s.money(i.Parcel.Price.Total()), "tracking", line(i.Shipping.TrackingNumber, r.address))
}

// when is the day of a pick-up, with its time where that is known.
func (s scribe) when() string {
	p := s.Item.Pickup
	if p.Time == "" {
		return s.Date(p.Date)
	}
	return s.Say("message.when", "day", s.Date(p.Date), "time", s.Time(p.Time))
}

func (s scribe) subject() string {
	if s.discreet {
		return header(s.say(s.phrases.discreet, roomInSubject), maxSubject)
	}
	return header(s.say(s.phrases.subject, roomInSubject), maxSubject)
}

// sms is the one short text of an SMS.
func (s scribe) sms() string {
	key := s.phrases.sms
	if s.discreet {
		key = s.discreetSMS
	}
	text := ascii.Replace(s.say(key, roomInSMS))
	if s.URL == "" {
		return text
	}
	return text + " " + ascii.Replace(s.Say(s.phrases.link, "link", s.URL))
}

// page writes everything that a mail says.
func (s scribe) page() page {
	p := page{
		Lang: s.Tag(), Dir: s.Dir(), Subject: s.subject(), Logo: s.logo(), Place: line(s.Location.Name, maxPlace),
		Title: s.mail(s.title), Hello: s.hello(), Lead: []string{s.mail(s.lead)}, Facts: s.facts(), Next: s.next(),
		Link: s.way(), Help: s.help(), Footer: s.mail(s.footer),
	}
	p.Preheader = p.Lead[0]
	if s.discreet {
		p.Preheader = s.Say("message.discreet.preheader")
	}
	for _, note := range s.notes {
		p.Lead = append(p.Lead, s.mail(note))
	}
	if s.Kind == lost.DigestMessage {
		p.Tasks, p.More = s.tasks()
	}
	return p
}

func (s scribe) mail(key string) string { return s.say(key, roomInMail) }

// logo is the address of the location's logo on our own server. One elsewhere would learn who reads the mail, and when.
func (s scribe) logo() string {
	if s.Location.LogoFile == "" || s.base == "" {
		return ""
	}
	return s.base + "/files/" + s.Location.LogoFile
}

func (s scribe) hello() string {
	if name := s.reader(); name != "" {
		return s.Say("message.hello", "name", name)
	}
	return s.Say("message.hello.anyone")
}

// reader is how the reader is greeted.
func (s scribe) reader() string {
	if s.toDesk() {
		return s.deskName()
	}
	if s.Item.ByStranger() {
		return ""
	}
	return person(s.Item.Owner.FirstName)
}

func (s scribe) facts() []fact {
	var all []fact
	add := func(tell bool, label string, lines ...string) {
		if tell && strings.Join(lines, "") != "" {
			all = append(all, fact{Label: s.Say(label), Lines: lines, Code: label == "message.fact.reference", Link: label == "message.fact.carrier"})
		}
	}
	add(true, "message.fact.reference", s.Item.Reference)
	// What a stranger may have typed on the public page is not sent to whomever they named.
	add(s.Kind != lost.ReceivedMessage && !s.Item.ByStranger(), "message.fact.item", line(s.Item.Description, maxItem))
	add(s.pickup, "message.fact.when", s.when())
	add(s.where, "message.fact.where", s.address()...)
	add(s.until, "message.fact.until", s.Date(s.Item.StoreUntil()))
	s.parcelFacts(add)
	return all
}

// next is what happens, or can be done, next.
func (s scribe) next() []string {
	var all []string
	if s.pickup {
		all = append(all, s.Say("message.pickup.bring"))
	}
	for _, step := range s.steps {
		all = append(all, s.mail(step))
	}
	if s.phrases.page != "" && s.URL != "" {
		all = append(all, s.mail(s.phrases.page))
	}
	return all
}

// way leads to the reader's page, where there is one.
func (s scribe) way() *link {
	if s.URL == "" || s.button == "" {
		return nil
	}
	return &link{Button: s.Say(s.button), URL: s.URL, Hint: s.Say("message.link"), Private: s.Say("message.link.private")}
}

func (s scribe) help() *help {
	if s.toDesk() {
		return nil
	}
	c := s.Location.Contact
	h := &help{
		Lead: s.mail("message.help"), Name: line(c.Name, maxPlace), Phone: line(c.Phone, maxPlace), Email: line(c.Email, lost.MaxEmail),
		PhoneLabel: s.Say("message.help.phone"), EmailLabel: s.Say("message.help.email"),
	}
	if s.replyTo() != "" {
		h.Reply = s.Say("message.help.reply")
	}
	return h
}

// replyTo is whom an answer reaches; empty where that is nobody.
func (s scribe) replyTo() string {
	if email, ok := lost.ParseEmail(s.Location.Contact.Email); ok && !s.toDesk() {
		return email
	}
	return ""
}

// toDesk tells the letters that are for a location's desk.
func (s scribe) toDesk() bool { return s.Kind == lost.DigestMessage || s.Kind == lost.LabelMessage }

// deskName is the name of the location's contact. Whoever reads the second address may be somebody else.
func (s scribe) deskName() string {
	if s.Kind == lost.LabelMessage && s.To != s.Location.Contact.Email {
		return ""
	}
	return person(s.Location.Contact.Name)
}

// tasks lists what waits, and says how much more there is.
func (s scribe) tasks() (all []task, more string) {
	for _, t := range s.Tasks.Data {
		key, why := "message.digest.task", line(t.Item.Parcel.Trouble(t.Kind), maxWhy)
		if why != "" {
			key = "message.digest.reason"
		}
		what := s.Say(cmp.Or(taskPhrases[t.Kind], "message.task.other"))
		all = append(all, task{
			Reference: t.Item.Reference, Item: line(t.Item.Description, maxPlace),
			What: s.Say(key, "task", what, "date", s.Date(s.Location.Day(t.Since)), "reason", why),
		})
	}
	if n := s.Tasks.Count - len(all); n > 0 {
		more = s.Say("message.digest.more", "n", n)
	}
	return all, more
}

func hasAddress(l lost.Location) bool { return l.Address1 != "" || l.City != "" }

// address is where the location is, line by line.
func (s scribe) address() []string {
	l := s.Location
	if !hasAddress(l) {
		return nil
	}
	return s.envelopeLines(i18n.Address{Line1: l.Address1, Line2: l.Address2, City: l.City, State: l.State, ZipCode: l.ZipCode, Country: l.Country})
}

// envelopeLines writes an address line by line.
func (s scribe) envelopeLines(a i18n.Address) []string {
	for _, text := range []*string{&a.Name, &a.Company, &a.Line1, &a.Line2, &a.City, &a.State, &a.ZipCode, &a.Country} {
		*text = line(*text, maxPlace)
	}
	return s.Address(a)
}
