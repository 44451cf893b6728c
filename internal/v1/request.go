package v1

import (
	"homeward/internal/lost"
)

// Claim holds the fields that a request has in addition to those of an item.
type Claim struct {
	State         string `json:"state" enum:"requestStates"`
	LostPlace     string `json:"lostPlace,omitempty"`
	LostDate      string `json:"lostDate,omitempty" format:"date"`
	Proof         string `json:"proof,omitempty"`
	Reason        string `json:"reason,omitempty" sample:"omit"`
	MatchedItemID string `json:"matchedItemId,omitempty"`

	RegisterItemID string `json:"registerItemId,omitempty" sample:"omit"`

	TrackerLink      string `json:"trackerLink,omitempty" format:"uri" sample:"omit"`
	TrackerLinkUntil string `json:"trackerLinkUntil,omitempty" format:"date-time" sample:"omit"`
}

func (w Encoder) claim(c lost.Claim) *Claim {
	out := Claim{
		State: string(c.State), LostPlace: c.LostPlace, LostDate: c.LostDate, Proof: c.Proof, Reason: c.Reason,
		MatchedItemID: c.MatchedItemID, RegisterItemID: c.RegisterItemID,
	}
	if w.Now != nil {
		if out.TrackerLink = c.Tracker(w.Now()); out.TrackerLink != "" {
			out.TrackerLinkUntil = moment(c.TrackerUntil)
		}
	}
	return &out
}

// eventItem converts an item to the API format for the body of an event. It omits the tracker link: receivers store
// events for longer than the link is valid, and pass them on.
func (w Encoder) eventItem(i lost.Item) Item {
	w.Now = nil
	return w.Item(i)
}

// Request is a claimant's new request. The API returns it as an Item.
type Request struct {
	Description string `json:"description" input:"required" max:"5000"`
	LostPlace   string `json:"lostPlace" input:"optional" max:"500"`
	LostDate    string `json:"lostDate" input:"optional" format:"date"`
	Proof       string `json:"proof" input:"optional" max:"5000"`
	TrackerLink string `json:"trackerLink" input:"optional" format:"uri" max:"2048" sample:"sent"`
	Brand       string `json:"brand" input:"optional" max:"200"`
	Model       string `json:"model" input:"optional" max:"200"`
	Color       string `json:"color" input:"optional" max:"200"`
	Language    string `json:"language" input:"optional" max:"35" pattern:"^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$"`
	Owner       *Owner `json:"owner" input:"required"`

	ExternalID string   `json:"externalId" input:"optional" max:"200"`
	Metadata   Metadata `json:"metadata" input:"optional"`

	Category     string `json:"category" input:"optional" enum:"categories"`
	SerialNumber string `json:"serialNumber" input:"optional" max:"200"`
}

// DecodeRequest decodes a claimant's new request.
func DecodeRequest(body []byte) (p lost.RequestPatch, err error) {
	err = decode(body, &p.DecodeResult, func(o *object) {
		o.text("description", &p.Description)
		o.text("lostPlace", &p.LostPlace)
		o.text("lostDate", &p.LostDate)
		o.text("proof", &p.Proof)
		o.text("trackerLink", &p.TrackerLink)
		o.text("brand", &p.Brand)
		o.text("model", &p.Model)
		o.text("color", &p.Color)
		o.text("language", &p.Language)
		o.text("externalId", &p.ExternalID)
		o.text("category", &p.Category)
		o.text("serialNumber", &p.SerialNumber)
		o.metadata(&p.Metadata)
		var item lost.ItemPatch
		o.owner(&item)
		p.Owner = item.Owner
		o.owned("id", "locationId", "reference", "source", "status", "images", "request", "storeUntil", "createdAt",
			"updatedAt")
	})
	return p, err
}

// Decision is a decision about a request.
type Decision struct {
	Type   string `json:"type" input:"required" enum:"decisions"`
	ItemID string `json:"itemId" input:"optional" max:"200"`
	Reason string `json:"reason" input:"optional" max:"5000" sample:"omit"`
}

// DecodeDecision decodes a decision about a request.
func DecodeDecision(body []byte) (p lost.DecisionPatch, err error) {
	err = decode(body, &p.DecodeResult, func(o *object) {
		o.text("type", &p.Type)
		o.text("itemId", &p.ItemID)
		o.text("reason", &p.Reason)
	})
	return p, err
}

// Message is an e-mail or SMS about an item.
type Message struct {
	ID        string `json:"id"`
	Kind      string `json:"kind" enum:"messageKinds"`
	Channel   string `json:"channel" enum:"channels"`
	To        string `json:"to"`
	State     string `json:"state" enum:"messageStates"`
	Error     string `json:"error,omitempty" sample:"omit"`
	CreatedAt string `json:"createdAt" format:"date-time"`
	SettledAt string `json:"settledAt,omitempty" format:"date-time"`
	Subject   string `json:"subject,omitempty"`
	Text      string `json:"text,omitempty"`
}

// Message converts a message to the API format. The subject and the text may be empty.
func (w Encoder) Message(m lost.Message, subject, text string) Message {
	return Message{
		ID: m.ID, Kind: string(m.Kind), Channel: string(m.Channel), To: m.To, State: string(m.State), Error: m.Error,
		CreatedAt: moment(m.CreatedAt), SettledAt: moment(m.SettledAt), Subject: subject, Text: text,
	}
}

// Task is something that the staff of a location have to do.
type Task struct {
	Kind        string `json:"kind" enum:"taskKinds"`
	Since       string `json:"since" format:"date-time"`
	Reason      string `json:"reason,omitempty" sample:"omit"`
	ItemID      string `json:"itemId"`
	Reference   string `json:"reference"`
	Description string `json:"description"`
	Source      string `json:"source" enum:"sources"`
}

// Task converts a task to the API format.
func (w Encoder) Task(t lost.Task) Task {
	return Task{
		Kind: string(t.Kind), Since: moment(t.Since), Reason: t.Item.TaskReason(t.Kind), ItemID: t.ItemID,
		Reference: t.Item.Reference, Description: t.Item.Description, Source: string(t.Item.Source),
	}
}

// ThreadMessage is one message in the conversation about an item.
type ThreadMessage struct {
	ID     string  `json:"id"`
	From   string  `json:"from" enum:"threadSides"`
	Text   string  `json:"text" input:"required" max:"4000"`
	Images []Image `json:"images"`
	Author *Actor  `json:"author,omitempty"`
	Sender string  `json:"sender,omitempty" sample:"omit"`

	Omitted []string `json:"omitted,omitempty" sample:"omit"`

	Via    string `json:"via" enum:"threadChannels"`
	At     string `json:"at" format:"date-time"`
	SeenAt string `json:"seenAt,omitempty" format:"date-time"`
}

// ThreadMessage converts a message of a conversation to the API format.
func (w Encoder) ThreadMessage(m lost.ThreadMessage) ThreadMessage {
	return ThreadMessage{
		ID: m.ID, From: string(m.From), Text: m.Text, Images: w.images(m.Images), Sender: m.Sender,
		Omitted: m.Omitted, Via: string(m.Via),
		Author: &Actor{Type: string(m.Author.Kind), ID: m.Author.ID, Name: m.Author.Name},
		At:     moment(m.At), SeenAt: moment(m.SeenAt),
	}
}

// DecodeThreadMessage decodes a new message of a conversation.
func DecodeThreadMessage(body []byte) (p lost.ThreadPatch, err error) {
	err = decode(body, &p.DecodeResult, func(o *object) { o.text("text", &p.Text) })
	return p, err
}
