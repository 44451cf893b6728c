package frame

import (
	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// Thread is the conversation with a guest, as the desk sees it.
type Thread struct {
	Messages []ThreadMessage // oldest first
	Path     string          // the path to which answers are sent
	CanWrite bool
	Waits    bool // the guest waits for an answer
	NotSent  bool // messages to the guest are only saved
	Once     string
	Text     Input
}

// ThreadMessage is one message of a conversation.
type ThreadMessage struct {
	Who, When, Text, Seen string
	Guest                 bool
	Photos                []ThreadPhoto
}

// ThreadPhoto is a photo in a message.
type ThreadPhoto struct{ Small, Full string }

// LoadThread returns the conversation about an item, and records that the desk has seen it. It returns nil if there is
// none and the guest cannot be reached.
func LoadThread(c *Call, i lost.Item, l lost.Location) (*Thread, error) {
	list, err := c.Services.Threads.See(c.Context(), c.Actor(), i)
	if err != nil || len(list.Data) == 0 && i.Owner.Address() == "" {
		return nil, err
	}
	t := &Thread{
		Path: LocationPath(i.LocationID, "/items/"+i.ID+"/thread"), Once: NewFormKey(),
		CanWrite: c.May(lost.HandleItems) && i.Owner.Address() != "", NotSent: c.NotSentTo(i.Owner) != "",
		Text: Input{Name: "text", Label: c.Say("frame.thread.text"), Type: "area", Required: true},
	}
	for n := len(list.Data) - 1; n >= 0; n-- { // the list is newest first
		m := list.Data[n]
		shown := ThreadMessage{
			Who: c.ActorName(m.Author), When: c.Moment(m.At, l.Zone()), Text: m.Text, Guest: m.From == lost.FromGuest,
		}
		switch {
		case m.Sender != "":
			shown.Who = c.Say("frame.thread.sender", "name", shown.Who, "address", m.Sender)
		case !shown.Guest && m.SeenAt.IsZero():
			shown.Seen = c.Say("frame.thread.unseen")
		case !shown.Guest:
			shown.Seen = c.Say("frame.thread.seen", "when", c.Moment(m.SeenAt, l.Zone()))
		}
		for _, image := range m.Images {
			shown.Photos = append(shown.Photos, ThreadPhoto{
				Small: respond.SmallImage(image, lost.ThumbnailSide), Full: respond.FilePath(image.File),
			})
		}
		t.Messages = append(t.Messages, shown)
		t.Waits = t.Waits || shown.Guest && m.AnsweredAt.IsZero()
	}
	return t, nil
}
