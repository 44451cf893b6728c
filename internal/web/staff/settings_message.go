package staff

import (
	"net/http"

	"homeward/internal/desk"
	"homeward/internal/lost"
)

func postRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/settings/messages", Right: lost.Look, serve: (*call).listPost},
		{Method: http.MethodGet, Path: "/settings/messages/{message}", Right: lost.Look, serve: (*call).showPost},
	}
}

// postLine is a message as it is shown.
type postLine struct {
	lost.Message
	What  string
	State state
	Item  string // address of the item's page; empty for a digest
}

func postLineOf(m lost.Message) postLine {
	line := postLine{Message: m, What: postName(m.Kind), State: postState(m.State)}
	if m.ItemID != "" {
		line.Item = atPath(m.LocationID, "/items/"+m.ItemID)
	}
	return line
}

func postState(s lost.MessageState) state {
	switch s {
	case lost.MessageSent:
		return state{"Sent", "done"}
	case lost.MessageKept:
		return state{"Kept", "over"}
	case lost.MessageFailed:
		return state{"Failed", "bad"}
	case lost.MessageCanceled:
		return state{"Not needed any more", "over"}
	default:
		return state{"Waiting", "waiting"}
	}
}

// postNames says what each kind of message tells.
var postNames = map[lost.MessageKind]string{
	lost.NoticeMessage:     "Something of yours was found",
	lost.MatchMessage:      "What you reported was found",
	lost.ReminderMessage:   "Reminder to choose",
	lost.LastCallMessage:   "Last reminder",
	lost.PickupSoonMessage: "You collect it tomorrow",
	lost.MissedMessage:     "You did not come",
	lost.ChoiceMessage:     "What you chose",
	lost.ReceivedMessage:   "Your report is here",
	lost.RejectedMessage:   "It was not found",
	lost.QuestionMessage:   "A question from the desk",
	lost.DigestMessage:     "What waits, to the desk",
	lost.PriceMessage:      "What sending costs",
	lost.ReceiptMessage:    "Receipt",
	lost.ShippedMessage:    "It is on its way",
	lost.DeliveredMessage:  "It has arrived",
	lost.RefundMessage:     "Money given back",
	lost.LabelMessage:      "Papers of a parcel, to the desk",
}

func postName(k lost.MessageKind) string {
	if name, known := postNames[k]; known {
		return name
	}
	return string(k)
}

type postsPage struct {
	settingsPage
	Messages     []postLine
	State, Place input
	Filtered     bool
	KeptOnly     bool // there is nothing to send e-mail with
	Demo         bool // and is not to be
	Pager        seekLinks
}

func (c *call) listPost() error {
	q := c.r.URL.Query()
	f := lost.MessageFilter{State: among(q.Get("state"), lost.MessageStates()), Location: q.Get("location"), Seek: c.seekFrom()}
	found, err := c.desk.AllMessages(c.ctx(), c.actor(), f)
	if err != nil {
		return err
	}
	p := postsPage{settingsPage: c.settings("Messages"), Filtered: f.State != "" || f.Location != "", KeptOnly: !c.desk.Sends(lost.ByEmail), Demo: c.demo}
	p.Wide = true
	last := ""
	for _, m := range found.Data {
		p.Messages, last = append(p.Messages, postLineOf(m)), m.ID
	}
	p.Pager = c.linksAfter(found.More, last)
	p.State = input{Name: "state", Label: "What became of it", Type: "list", Value: string(f.State), Required: true, Narrow: true, Options: []option{{"", "Anything"}}}
	for _, s := range lost.MessageStates() {
		p.State.Options = append(p.State.Options, option{string(s), postState(s).Word})
	}
	p.Place = input{Name: "location", Label: "Location", Type: "list", Value: f.Location, Required: true, Narrow: true, Options: []option{{"", "All locations"}}}
	for _, l := range p.Places {
		p.Place.Options = append(p.Place.Options, option{l.ID, l.Name})
	}
	return c.write(http.StatusOK, "messages", p)
}

type postPage struct {
	settingsPage
	Message       postLine
	Subject, Text string
	MayRead       bool
	KeptOnly      bool
	Demo          bool
}

func (c *call) showPost() error {
	m, err := c.desk.Message(c.ctx(), c.actor(), c.r.PathValue("message"))
	if err != nil {
		return err
	}
	return c.write(http.StatusOK, "message", c.postPage(m))
}

func (c *call) postPage(m desk.Correspondence) postPage {
	return postPage{
		settingsPage: c.settings("Message"), Message: postLineOf(m.Message), Subject: m.Subject, Text: m.Text,
		MayRead: c.may(lost.Handle), KeptOnly: !c.desk.Sends(m.Channel), Demo: c.demo,
	}
}
