package v1

import (
	"homeward/internal/lost"
)

// Claim is what a request has in addition to the fields of every item.
type Claim struct {
	State         string `json:"state" enum:"requestStates" doc:"What became of it. A PENDING one can be accepted or rejected, once; WITHDRAWN says that the claimant has it again." example:"MATCHED"`
	LostPlace     string `json:"lostPlace,omitempty" doc:"Where it was lost." example:"Breakfast room"`
	LostDate      string `json:"lostDate,omitempty" format:"date" doc:"When it was lost, YYYY-MM-DD." example:"2026-11-13"`
	Proof         string `json:"proof,omitempty" doc:"What only the owner can know." example:"My initials A. K. are inside the handle"`
	Reason        string `json:"reason,omitempty" sample:"omit" doc:"With REJECTED: what the claimant was told." example:"We have looked everywhere and have not found it."`
	MatchedItemID string `json:"matchedItemId,omitempty" doc:"With MATCHED: the found item that is the claimant's." example:"item_06f5q2k8h40v3w9d7n1m8x2b4d"`
}

func claim(c lost.Claim) *Claim {
	return &Claim{
		State: string(c.State), LostPlace: c.LostPlace, LostDate: c.LostDate, Proof: c.Proof, Reason: c.Reason,
		MatchedItemID: c.MatchedItemID,
	}
}

// Request is a new request of a claimant. It is stored as an Item.
type Request struct {
	Description string `json:"description" input:"required" max:"5000" doc:"What was lost." example:"Black umbrella with a wooden handle"`
	LostPlace   string `json:"lostPlace" input:"optional" max:"500" doc:"Where it was lost." example:"Breakfast room"`
	LostDate    string `json:"lostDate" input:"optional" format:"date" doc:"When it was lost, YYYY-MM-DD; not in the future." example:"2026-11-13"`
	Proof       string `json:"proof" input:"optional" max:"5000" doc:"What only the owner can know." example:"My initials A. K. are inside the handle"`
	Brand       string `json:"brand" input:"optional" max:"200" doc:"Manufacturer." example:"Knirps"`
	Model       string `json:"model" input:"optional" max:"200" doc:"The brand's model." example:"T.200"`
	Color       string `json:"color" input:"optional" max:"200" doc:"Colour." example:"black"`
	Language    string `json:"language" input:"optional" max:"35" pattern:"^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$" doc:"The claimant's language, as a BCP 47 tag." example:"pl"`
	Owner       *Owner `json:"owner" input:"required" doc:"The claimant, with an e-mail address or a phone number."`
}

// DecodeRequest reads a new request.
func DecodeRequest(body []byte) (p lost.RequestPatch, err error) {
	err = decode(body, &p.DecodeResult, func(o *object) {
		o.text("description", &p.Description)
		o.text("lostPlace", &p.LostPlace)
		o.text("lostDate", &p.LostDate)
		o.text("proof", &p.Proof)
		o.text("brand", &p.Brand)
		o.text("model", &p.Model)
		o.text("color", &p.Color)
		o.text("language", &p.Language)
		var item lost.ItemPatch
		o.owner(&item)
		p.Owner = item.Owner
		o.owned("id", "locationId", "reference", "source", "status", "images", "request", "storeUntil", "createdAt",
			"updatedAt")
	})
	return p, err
}

// Decision is the decision about a request.
type Decision struct {
	Type   string `json:"type" input:"required" enum:"decisions" doc:"Whether it was found." example:"accept"`
	ItemID string `json:"itemId" input:"optional" max:"200" doc:"With accept, and required there: the found item that is the claimant's." example:"item_06f5q2k8h40v3w9d7n1m8x2b4d"`
	Reason string `json:"reason" input:"optional" max:"5000" sample:"omit" doc:"With reject: what the claimant is told besides." example:"We have looked everywhere and have not found it."`
}

// DecodeDecision reads the decision about a request.
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
	ID        string `json:"id" doc:"Identifier." example:"msg_06f5q2k8h40v3w9d7n1m8x2b4c"`
	Kind      string `json:"kind" enum:"messageKinds" doc:"What it is about." example:"notice"`
	Channel   string `json:"channel" enum:"channels" doc:"How it travels: SMS where there is no e-mail address." example:"email"`
	To        string `json:"to" doc:"The e-mail address or phone number it goes to." example:"anna@example.com"`
	State     string `json:"state" enum:"messageStates" doc:"What became of it. kept: the operator has set up nothing to send it with; its words are here to be handed on. canceled: what it would say is no longer so." example:"sent"`
	Error     string `json:"error,omitempty" sample:"omit" doc:"Why it failed, in words." example:"550 There is no such mailbox"`
	CreatedAt string `json:"createdAt" format:"date-time" doc:"When it was made." example:"2026-11-15T08:30:00.000Z"`
	SettledAt string `json:"settledAt,omitempty" format:"date-time" doc:"When it was sent, kept or given up; absent while it waits." example:"2026-11-15T08:30:02.000Z"`
	Subject   string `json:"subject,omitempty" doc:"Subject of an e-mail. Only for keys that may write." example:"We found something of yours at Hotel Adler"`
	Text      string `json:"text,omitempty" doc:"What it says. Only for keys that may write: it holds the guest's private link, for as long as that works." example:"Choose what happens with it: https://homeward.example/g/k3v5…"`
}

// Message writes a message, with subject and text if they are given.
func (w Encoder) Message(m lost.Message, subject, text string) Message {
	return Message{
		ID: m.ID, Kind: string(m.Kind), Channel: string(m.Channel), To: m.To, State: string(m.State), Error: m.Error,
		CreatedAt: moment(m.CreatedAt), SettledAt: moment(m.SettledAt), Subject: subject, Text: text,
	}
}

// Task is something that a location's desk has to do.
type Task struct {
	Kind        string `json:"kind" enum:"taskKinds" doc:"What is to be done." example:"answer-request"`
	Since       string `json:"since" format:"date-time" doc:"Since when." example:"2026-11-15T08:30:00.000Z"`
	Reason      string `json:"reason,omitempty" sample:"omit" doc:"Why it is there, in words: what the carrier or the payment provider said, why there is no price, or what the owner agreed to. Only with label-refused, parcel-trouble, refund-due and shipping-wanted." example:"The postal code does not exist in PL."`
	ItemID      string `json:"itemId" doc:"The item or request it is about." example:"item_06f5q2k8h40v3w9d7n1m8x2b4c"`
	Reference   string `json:"reference" doc:"Its reference." example:"K7F-3QD"`
	Description string `json:"description" doc:"Its description." example:"Black umbrella with a wooden handle"`
	Source      string `json:"source" enum:"sources" doc:"Whether it was found or is a request." example:"request"`
}

// Task writes a task.
func (w Encoder) Task(t lost.Task) Task {
	return Task{
		Kind: string(t.Kind), Since: moment(t.Since), Reason: t.Item.TaskReason(t.Kind), ItemID: t.ItemID,
		Reference: t.Item.Reference, Description: t.Item.Description, Source: string(t.Item.Source),
	}
}
