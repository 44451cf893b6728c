package v1

import (
	"homeward/internal/lost"
	"homeward/internal/lost/stay"
)

// Person identifies a person by an e-mail address or a phone number.
type Person struct {
	Email string `json:"email,omitempty" input:"optional" format:"idn-email" max:"254"`
	Phone string `json:"phone,omitempty" input:"optional" max:"60" sample:"omit"`
}

// DecodePerson decodes a person.
func DecodePerson(body []byte) (p lost.PersonPatch, err error) {
	err = decode(body, &p.DecodeResult, func(o *object) {
		o.text("email", &p.Email)
		o.text("phone", &p.Phone)
	})
	return p, err
}

// Person converts a person to the API format.
func (w Encoder) Person(p lost.Person) Person { return Person(p) }

// PersonExport contains all data that is stored about a person.
type PersonExport struct {
	Person     Person           `json:"person"`
	ExportedAt string           `json:"exportedAt" format:"date-time"`
	Records    []PersonItem     `json:"records"`
	Stays      []PersonStay     `json:"stays"`
	Messages   []Message        `json:"messages"`
	Thread     []ThreadMessage  `json:"thread"`
	Shipments  []PersonShipment `json:"shipments"`
	Events     []EventBody      `json:"events"`
	Complete   bool             `json:"complete"`
}

// PersonItem is a person's item or request, with its related records.
type PersonItem struct {
	Item      Item             `json:"item"`
	History   []Entry          `json:"history"`
	Messages  []Message        `json:"messages"`
	Thread    []ThreadMessage  `json:"thread"`
	Shipments []PersonShipment `json:"shipments"`
}

// PersonStay is a row of a guest list that names the person.
type PersonStay struct {
	Room      string `json:"room"`
	Arrival   string `json:"arrival" format:"date"`
	Departure string `json:"departure" format:"date"`
	FirstName string `json:"firstName,omitempty"`
	LastName  string `json:"lastName,omitempty"`
	Email     string `json:"email,omitempty"`
	Phone     string `json:"phone,omitempty"`
	Language  string `json:"language,omitempty"`
}

// PersonShipment is a shipment of an item to the person.
type PersonShipment struct {
	ID        string     `json:"id"`
	Recipient *Recipient `json:"recipient,omitempty"`
	Price     *Price     `json:"price,omitempty"`
	PaidAt    string     `json:"paidAt,omitempty" format:"date-time"`
	Invoice   int64      `json:"invoice,omitempty"`
	CreatedAt string     `json:"createdAt" format:"date-time"`
}

// PersonItem converts a person's item or request and its related records to the API format.
func (w Encoder) PersonItem(i lost.Item, history []lost.Entry, messages []lost.Message, thread []lost.ThreadMessage,
	shipments []lost.Shipment) PersonItem {
	out := PersonItem{
		Item: w.Item(i), History: []Entry{}, Messages: []Message{}, Thread: w.PersonThread(thread),
		Shipments: []PersonShipment{},
	}
	for _, e := range history {
		out.History = append(out.History, w.Entry(e))
	}
	for _, m := range messages {
		out.Messages = append(out.Messages, w.PersonMessage(m))
	}
	for _, s := range shipments {
		out.Shipments = append(out.Shipments, w.PersonShipment(s))
	}
	return out
}

// PersonThread converts the messages of a person's conversations to the API format.
func (w Encoder) PersonThread(messages []lost.ThreadMessage) []ThreadMessage {
	out := []ThreadMessage{}
	for _, m := range messages {
		out = append(out, w.ThreadMessage(m))
	}
	return out
}

// PersonStay converts a row of a guest list to the API format.
func (w Encoder) PersonStay(s stay.Stay) PersonStay {
	g := s.Guest
	return PersonStay{
		Room: s.Room, Arrival: s.Arrival, Departure: s.Departure, FirstName: g.FirstName, LastName: g.LastName,
		Email: g.Email, Phone: g.Phone, Language: g.Language,
	}
}

// PersonShipment converts a shipment to a person to the API format.
func (w Encoder) PersonShipment(s lost.Shipment) PersonShipment {
	out := PersonShipment{ID: s.ID, PaidAt: moment(s.PaidAt), Invoice: s.Invoice, CreatedAt: moment(s.CreatedAt)}
	if s.To.Known() {
		r := Recipient(s.To)
		out.Recipient = &r
	}
	if s.Quote.Price.Known() {
		p := priceOf(s.Quote.Price)
		out.Price = &p
	}
	return out
}

// PersonMessage converts a message that was sent to a person. It omits the subject and the text.
func (w Encoder) PersonMessage(m lost.Message) Message { return w.Message(m, "", "") }

// Erasure is the removal of a person's data.
type Erasure struct {
	ID        string `json:"id"`
	State     string `json:"state" enum:"erasureStates"`
	Erased    Erased `json:"erased"`
	CreatedAt string `json:"createdAt" format:"date-time"`
	DoneAt    string `json:"doneAt,omitempty" format:"date-time"`
}

// Erased counts the records that were removed or redacted for a person.
type Erased struct {
	Items      int `json:"items"`
	Requests   int `json:"requests"`
	Mentions   int `json:"mentions"`
	Messages   int `json:"messages"`
	Links      int `json:"links"`
	History    int `json:"history"`
	Events     int `json:"events"`
	Deliveries int `json:"deliveries"`
	Shipments  int `json:"shipments"`
	Files      int `json:"files"`
	Answers    int `json:"answers"`
	ImportRows int `json:"importRows"`
	Views      int `json:"views"`
	UnderWay   int `json:"underWay"`

	SharedPhones int `json:"sharedPhones"`
}

// Erasure converts an erasure to the API format.
func (w Encoder) Erasure(e lost.Erasure) Erasure {
	return Erasure{
		ID: e.ID, State: string(e.State()), Erased: Erased(e.Erased), CreatedAt: moment(e.CreatedAt),
		DoneAt: moment(e.DoneAt),
	}
}
