package frame

import (
	"cmp"
	"strings"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// Thread is the conversation with a guest, as the desk sees it.
type Thread struct {
	Messages []ThreadMessage // oldest first
	Path     string          // the path to which answers are sent
	CanWrite bool
	Waits    bool   // one side waits for an answer
	NotSent  bool   // messages to the guest are only saved
	Rejected string // says that a message from the guest was not accepted; may be empty
	Once     string
	Newest   string // the id of the newest message that is shown
	Text     Input
	Photos   Input
	Page     string // the page itself
	Template Input  // the templates to choose from; there may be none
}

// ThreadMessage is one message of a conversation.
type ThreadMessage struct {
	Who, When, Text, Seen string
	Omitted               string // says which attachments were not kept; may be empty
	Guest                 bool
	Photos                []ThreadPhoto
}

// ThreadPhoto is a photo in a message.
type ThreadPhoto struct{ Small, Full string }

// LoadThread returns the conversation about an item, and records that the desk has seen it, unless the browser only
// prefetches the page. It returns nil if there is none and the guest cannot be reached.
func LoadThread(c *Call, i lost.Item, l lost.Location) (*Thread, error) {
	read := c.Services.Threads.See
	if Prefetches(c) {
		read = c.Services.Threads.Newest
	}
	list, err := read(c.Context(), c.Actor(), i)
	if err != nil || len(list.Data) == 0 && i.Owner.Address() == "" {
		return nil, err
	}
	t := &Thread{
		Newest: lost.NoThreadMessage,
		Path:   LocationPath(i.LocationID, "/items/"+i.ID+"/thread"), Page: ItemPath(i), Once: NewFormKey(),
		CanWrite: c.May(lost.HandleItems) && i.Owner.Address() != "", NotSent: c.NotSentTo(i.Owner) != "",
		Text: Input{Name: "text", Label: c.Say("frame.thread.text"), Type: "area", Required: true},
		Photos: Input{
			Name: "photo", Label: c.Say("frame.thread.photos", "n", lost.MaxThreadImages), Type: "file",
			Accept: "image/*", Multiple: true,
		},
	}
	t.Text.Hint = languageHint(c.Locale, guestLanguage(i, l).Tag())
	if err := t.addTemplates(c, i, l); err != nil {
		return nil, err
	}
	rejected, found, err := c.Services.Threads.LastRejection(c.Context(), c.Actor(), i, list.Data)
	if err != nil {
		return nil, err
	}
	if found {
		t.Rejected = c.Say("frame.thread.rejected", "when", c.Moment(rejected.At, l.Zone()), "reason",
			NoteText(c.Locale, rejected.Note))
	}
	for n := len(list.Data) - 1; n >= 0; n-- { // the list is newest first
		m := list.Data[n]
		shown := ThreadMessage{
			Who: authorName(c.Locale, i, m), When: c.Moment(m.At, l.Zone()), Text: m.Text,
			Guest: m.From == lost.FromGuest,
		}
		switch {
		case m.Sender != "":
			shown.Who = c.Say("frame.thread.sender", "name", shown.Who, "address", m.Sender)
		case !shown.Guest && m.SeenAt.IsZero():
			shown.Seen = c.Say("frame.thread.unseen")
		case !shown.Guest:
			shown.Seen = c.Say("frame.thread.seen", "when", c.Moment(m.SeenAt, l.Zone()))
		}
		if len(m.Omitted) > 0 {
			shown.Omitted = c.Say("frame.thread.omitted", "n", len(m.Omitted), "names", c.List(m.Omitted))
		}
		for _, image := range m.Images {
			shown.Photos = append(shown.Photos, ThreadPhoto{
				Small: respond.SmallImage(image, lost.ThumbnailSide), Full: respond.FilePath(image.File),
			})
		}
		t.Messages, t.Newest = append(t.Messages, shown), m.ID
		t.Waits = t.Waits || m.AnsweredAt.IsZero()
	}
	return t, nil
}

// authorName returns the display name of the author of a message. A guest is called by the owner's or claimant's name,
// unless the item had another owner when the message was written.
func authorName(l Locale, i lost.Item, m lost.ThreadMessage) string {
	if m.From != lost.FromGuest {
		return l.ActorName(m.Author)
	}
	name := ""
	if m.Address == lost.AddressKey(i.Owner.Address()) {
		name = OwnerName(l, i.Owner)
	}
	if i.Source == lost.Request {
		return cmp.Or(name, l.Say("frame.thread.claimant"))
	}
	return cmp.Or(name, l.Say("frame.thread.guest"))
}

// addTemplates adds the templates that the user can choose from, those in the guest's language first.
func (t *Thread) addTemplates(c *Call, i lost.Item, l lost.Location) error {
	if !t.CanWrite {
		return nil
	}
	all, err := c.Services.Templates.List(c.Context(), c.Actor())
	if err != nil {
		return err
	}
	guest := guestLanguage(i, l)
	t.Template = Input{Name: "template", Label: c.Say("frame.thread.template"), Type: "list"}
	var other []Option
	for _, template := range all {
		option := Option{template.ID, c.Say("frame.thread.template.option", "name", template.Name,
			"language", c.LanguageName(template.Language))}
		if template.Language == guest.Tag() {
			t.Template.Options = append(t.Template.Options, option)
		} else {
			other = append(other, option)
		}
	}
	t.Template.Options = append(t.Template.Options, other...)
	return nil
}

// InsertTemplate adds the filled template with the given id to a message that the user has begun.
func (t *Thread) InsertTemplate(c *Call, i lost.Item, l lost.Location, id, begun string) error {
	template, err := c.Services.Templates.Get(c.Context(), c.Actor(), id)
	if err != nil {
		return err
	}
	text := template.Fill(i, l, guestLanguage(i, l).FullName(i.Owner.FirstName, i.Owner.LastName))
	if begun = strings.TrimRight(begun, " \r\n"); begun != "" {
		text = begun + "\n\n" + text
	}
	t.Text.Value, t.Text.Focus, t.Template.Value = text, true, id
	return nil
}

// AskPhotosAgain says that photos which the user has chosen must be chosen again, because a page cannot do that.
func (t *Thread) AskPhotosAgain(c *Call) { t.Photos.Hint = c.Say("frame.thread.photos.again") }

// guestLanguage returns the language in which the guest of an item gets messages.
func guestLanguage(i lost.Item, l lost.Location) *i18n.Language {
	return i18n.Choose(lost.MessageData{Item: i, Location: l}.Languages()...)
}

// languageHint says which language the guest reads, unless it is the user's own.
func languageHint(l Locale, guest string) string {
	if guest == l.Tag() {
		return ""
	}
	return l.Say("frame.thread.language", "language", l.LanguageName(guest))
}

// MarkErrors puts the errors of a message next to its inputs, and returns the lines of the error summary. It returns an
// error that is not about the message unchanged.
func (t *Thread) MarkErrors(c *Call, wrong error) ([]Problem, error) {
	switch lost.CodeOf(wrong) {
	case lost.TooLarge, lost.Unsupported, lost.Unreadable, lost.TooSlow:
		t.Photos.Error = c.PhotoFault(wrong)
		return []Problem{{Field: t.Photos.Name, Text: joinLabel(c.Locale, t.Photos.Label, t.Photos.Error)}}, nil
	default:
		return c.MarkErrors([]*Input{&t.Text, &t.Photos}, wrong)
	}
}
