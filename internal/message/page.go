package message

import (
	"cmp"
	"strings"

	"homeward/internal/i18n"
	"homeward/internal/lost"
)

// page is the content of an e-mail, in reading order. The text part and the HTML part are rendered from it.
type page struct {
	Lang, Dir    string
	Subject      string
	Preheader    string // the preview that an inbox shows next to the subject
	Logo, Place  string
	Title, Hello string
	Lead         []string
	Said         [][]string // the text of a message in the item's conversation: its paragraphs, line by line
	Photo        *photo
	Facts        []fact
	Tasks        []task
	More         string
	Next         []string
	Link         *link
	Help         *help
	Privacy      *privacy
	Footer       string
	Stop         *link // where the reader stops such e-mails
}

// fact is one detail of an item. Code marks text that is read character by character, such as a reference. Link marks
// the URL of a web page.
type fact struct {
	Label      string
	Lines      []string
	Code, Link bool
}

// photo is the photo of the item, in the size in which it is shown. It is an attachment with the Content-ID photoID.
type photo struct {
	Alt           string
	Width, Height int
}

// task is an open task in a digest.
type task struct{ Reference, Item, What string }

type link struct{ Button, URL, Hint, Private string }

// help is the paragraph that says how to contact the location.
type help struct {
	Lead, Reply            string
	Name, Phone, Email     string
	PhoneLabel, EmailLabel string
}

// composer composes one message.
type composer struct {
	*i18n.Language
	lost.MessageData
	phrases
	base     string
	replies  string
	discreet bool
}

func (p *Sender) composer(l lost.MessageData) composer {
	return composer{
		Language: i18n.Choose(l.Languages()...), MessageData: l, phrases: phrasesOf(l), base: p.base,
		replies: p.replies, discreet: p.discreet,
	}
}

// limits are the maximum lengths of a record's texts, in characters.
type limits struct{ place, item, address int }

var (
	limitsInMail    = limits{maxPlace, maxItem, maxItem}
	limitsInSubject = limits{60, 40, 40}
	limitsInSMS     = limits{28, 28, 40}
)

// catalogText returns a text from the catalog. It passes every value that any of the texts may use.
func (s composer) catalogText(key string, r limits) string {
	i := s.Item
	return s.Say(key,
		"place", line(s.Location.Name, r.place), "item", line(i.Description, r.item), "reference", i.Reference,
		"address", line(strings.Join(s.address(), ", "), r.address), "charity", line(s.Location.Charity, r.item),
		"reason", line(i.Claim.Reason, maxReason), "question", line(s.About.Question, maxReason),
		"text", line(s.About.Text, maxSaid),
		"until", s.Date(i.StoreUntil()), "untilShort", s.DayMonth(i.StoreUntil()),
		"day", s.Date(i.Pickup.Date), "dayShort", s.DayMonth(i.Pickup.Date), "when", s.pickupTime(), "n", s.Tasks.Count,
		"price", s.money(i.Parcel.Price.Total()), "tracking", line(i.Shipping.TrackingNumber, r.address))
}

// pickupTime formats the date of a pickup, with the time if it is known.
func (s composer) pickupTime() string {
	p := s.Item.Pickup
	if p.Time == "" {
		return s.Date(p.Date)
	}
	return s.Say("message.when", "day", s.Date(p.Date), "time", s.Time(p.Time))
}

func (s composer) subject() string {
	if s.discreet {
		return headerText(s.catalogText(s.phrases.discreet, limitsInSubject), maxSubject)
	}
	return headerText(s.catalogText(s.phrases.subject, limitsInSubject), maxSubject)
}

// sms returns the text of an SMS.
func (s composer) sms() string {
	key := s.phrases.sms
	if s.discreet {
		key = s.discreetSMS
	}
	text := ascii.Replace(s.catalogText(key, limitsInSMS))
	if s.URL == "" {
		return text
	}
	return text + " " + ascii.Replace(s.Say(s.phrases.link, "link", s.URL))
}

// page returns the content of an e-mail.
func (s composer) page() page {
	p := page{
		Lang: s.Tag(), Dir: s.Dir(), Subject: s.subject(), Logo: s.logo(), Place: line(s.Location.Name, maxPlace),
		Title: s.mail(s.title), Hello: s.hello(), Lead: []string{s.mail(s.lead)}, Facts: s.facts(), Next: s.next(),
		Link: s.pageLink(), Help: s.help(), Privacy: s.privacy(), Footer: s.mail(s.footer),
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
	p.Said = paragraphs(s.About.Text, lost.MaxThreadText)
	p.Photo = s.photo()
	return p
}

// photo returns the photo of the item, or nil if the e-mail shows none. A discreet e-mail does not, because others may
// see it on the screen.
func (s composer) photo() *photo {
	const maxWidth, maxHeight = 534, 400 // the sheet is 600 pixels wide, with padding
	image := s.Photo.Image
	if len(s.Photo.Content) == 0 || s.discreet || image.Width <= 0 || image.Height <= 0 {
		return nil
	}
	scale := min(1, float64(lost.ThumbnailSide)/float64(max(image.Width, image.Height)),
		float64(maxWidth)/float64(image.Width), float64(maxHeight)/float64(image.Height))
	return &photo{
		Alt:   s.Say("guest.photo.alt"),
		Width: max(1, int(float64(image.Width)*scale)), Height: max(1, int(float64(image.Height)*scale)),
	}
}

func (s composer) mail(key string) string { return s.catalogText(key, limitsInMail) }

// logo returns the URL of the location's logo on our own server. A logo on another server would reveal to it who
// reads the e-mail, and when.
func (s composer) logo() string {
	if s.Location.LogoFile == "" || s.base == "" {
		return ""
	}
	return s.base + "/files/" + s.Location.LogoFile
}

func (s composer) hello() string {
	if name := s.reader(); name != "" {
		return s.Say("message.hello", "name", name)
	}
	return s.Say("message.hello.anyone")
}

// reader returns the name in the greeting, or an empty string if no name is used.
func (s composer) reader() string {
	if s.toDesk() {
		return s.deskName()
	}
	if s.Kind.ToFinder() {
		return personName(s.Item.Finder.Name)
	}
	if lost.IsFromPublicPage(s.Item) {
		return ""
	}
	return personName(s.GreetingName(s.Item.Owner.FirstName, s.Item.Owner.LastName))
}

func (s composer) facts() []fact {
	var all []fact
	add := func(show bool, label string, lines ...string) {
		if show && strings.Join(lines, "") != "" {
			all = append(all,
				fact{
					Label: s.Say(label), Lines: lines, Code: label == "message.fact.reference",
					Link: label == "message.fact.carrier",
				})
		}
	}
	add(true, "message.fact.reference", s.Item.Reference)
	// Anybody may have filled in the form on the public page, so its text is not sent to the address in the form.
	add(s.Kind != lost.ReceivedMessage && !lost.IsFromPublicPage(s.Item), "message.fact.item",
		line(s.Item.Description, maxItem))
	add(s.pickup, "message.fact.when", s.pickupTime())
	add(s.where, "message.fact.where", s.address()...)
	add(s.until, "message.fact.until", s.Date(s.Item.StoreUntil()))
	s.parcelFacts(add)
	return all
}

// next returns the paragraphs about the next steps.
func (s composer) next() []string {
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

// pageLink returns the link to the reader's page, or nil if there is none.
func (s composer) pageLink() *link {
	if s.URL == "" || s.button == "" {
		return nil
	}
	l := &link{Button: s.Say(s.button), URL: s.URL, Hint: s.Say("message.link")}
	if !s.toDesk() {
		l.Private = s.Say("message.link.private")
	}
	return l
}

func (s composer) help() *help {
	if s.toDesk() {
		return nil
	}
	c := s.Location.Contact
	h := &help{
		Lead: s.mail("message.help"), Name: line(c.Name, maxPlace), Phone: line(c.Phone, maxPlace),
		Email:      line(c.Email, lost.MaxEmail),
		PhoneLabel: s.Say("message.help.phone"), EmailLabel: s.Say("message.help.email"),
	}
	if s.replyTo() != "" {
		h.Reply = s.Say("message.help.reply")
	}
	return h
}

// replyTo returns the address for replies, or an empty string if there is none. Replies belong in the conversation; a
// person reads them at the location's address if the conversation accepts none, or if no mailbox is read.
func (s composer) replyTo() string {
	conversation := s.tokenAddress()
	if conversation != "" && !s.ThreadClosed {
		return conversation
	}
	if email, ok := lost.ParseEmail(s.Location.Contact.Email); ok && !s.toDesk() {
		return email
	}
	return conversation
}

// tokenAddress returns the address of the mailbox for replies with the token of the message, or an empty string if
// replies are not received.
func (s composer) tokenAddress() string {
	at := strings.LastIndexByte(s.replies, '@')
	if at <= 0 || s.ReplyToken == "" {
		return ""
	}
	return s.replies[:at] + "+" + s.ReplyToken + s.replies[at:]
}

// bounceAddress returns the address to which servers report that a message did not arrive, or an empty string if it is
// the sender. The token in it says which message that is, even if the report does not contain the message. The domain
// must be the sender's, so that the server accepts it and spam filters do not mind.
func (s composer) bounceAddress(from string) string {
	_, domain, _ := strings.Cut(s.replies, "@")
	if !strings.EqualFold(domain, from[strings.LastIndexByte(from, '@')+1:]) {
		return ""
	}
	return s.tokenAddress()
}

// toDesk reports whether the message is for a location's desk.
func (s composer) toDesk() bool { return s.Kind.ToDesk() }

// deskName returns the name of the location's contact. It returns an empty string if a label is sent to another
// address, which somebody else may read.
func (s composer) deskName() string {
	if s.Kind == lost.LabelMessage && s.To != s.Location.Contact.Email {
		return ""
	}
	return personName(s.Location.Contact.Name)
}

// tasks returns the open tasks, and a sentence that says how many more there are.
func (s composer) tasks() (all []task, more string) {
	for _, t := range s.Tasks.Data {
		key, why := "message.digest.task", line(t.Item.Parcel.Problem(t.Kind), maxWhy)
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

// address returns the location's address, line by line.
func (s composer) address() []string {
	l := s.Location
	if !hasAddress(l) {
		return nil
	}
	return s.addressLines(i18n.Address{
		Line1: l.Address1, Line2: l.Address2, City: l.City, State: l.State, ZipCode: l.ZipCode, Country: l.Country,
	})
}

// addressLines formats an address line by line.
func (s composer) addressLines(a i18n.Address) []string {
	for _, text := range []*string{&a.Name, &a.Company, &a.Line1, &a.Line2, &a.City, &a.State, &a.ZipCode, &a.Country} {
		*text = line(*text, maxPlace)
	}
	return s.Address(a)
}
