package v1

import (
	"homeward/internal/lost"
)

// Person identifies a person.
type Person struct {
	Email string `json:"email,omitempty" input:"optional" format:"idn-email" max:"254" doc:"E-mail address, in any case. Either this or phone." example:"anna@example.com"`
	Phone string `json:"phone,omitempty" input:"optional" sample:"omit" doc:"Phone number with + and country code. Either this or email." example:"+48221234567"`
}

// DecodePerson reads a person.
func DecodePerson(body []byte) (p lost.PersonPatch, err error) {
	err = decode(body, &p.DecodeResult, func(o *object) {
		o.text("email", &p.Email)
		o.text("phone", &p.Phone)
	})
	return p, err
}

// Person writes a person.
func (w Encoder) Person(p lost.Person) Person { return Person(p) }

// PersonExport is everything that is stored about a person.
type PersonExport struct {
	Person     Person       `json:"person" doc:"Whose data it is."`
	ExportedAt string       `json:"exportedAt" format:"date-time" doc:"When it was read." example:"2026-11-15T08:30:00.000Z"`
	Records    []PersonItem `json:"records" doc:"Their items and requests, the oldest first, with what belongs to each."`
	Messages   []Message    `json:"messages" doc:"What was written to them about items that are not theirs, or no longer, the oldest first, at most 1000."`
	Complete   bool         `json:"complete" doc:"False where there are more than 10000 records, and the oldest of them are here." example:"true"`
}

// PersonItem is an item or request of a person with its related records.
type PersonItem struct {
	Item      Item             `json:"item" doc:"The item or request as retrieve-item shows it."`
	History   []Entry          `json:"history" doc:"What happened to it, the newest first, at most 1000 lines."`
	Messages  []Message        `json:"messages" doc:"What was written about it, the newest first, at most 200."`
	Shipments []PersonShipment `json:"shipments" doc:"Where it was to be sent and what was paid for that, the newest first."`
}

// PersonShipment is a shipment of an item to the person.
type PersonShipment struct {
	ID        string     `json:"id" doc:"Identifier." example:"shp_06f5q2k8h40v3w9d7n1m8x2b4c"`
	Recipient *Recipient `json:"recipient,omitempty" doc:"Who it goes to and where."`
	Price     *Price     `json:"price,omitempty" doc:"What it costs."`
	PaidAt    string     `json:"paidAt,omitempty" format:"date-time" doc:"When that was paid." example:"2026-11-15T08:30:00.000Z"`
	Invoice   int64      `json:"invoice,omitempty" doc:"Number of the invoice." example:"1"`
	CreatedAt string     `json:"createdAt" format:"date-time" doc:"When it was begun." example:"2026-11-15T08:30:00.000Z"`
}

// PersonItem writes an item of a person with its related records.
func (w Encoder) PersonItem(i lost.Item, history []lost.Entry, messages []lost.Message,
	shipments []lost.Shipment) PersonItem {
	out := PersonItem{Item: w.Item(i), History: []Entry{}, Messages: []Message{}, Shipments: []PersonShipment{}}
	for _, e := range history {
		out.History = append(out.History, w.Entry(e))
	}
	for _, m := range messages {
		out.Messages = append(out.Messages, w.PersonMessage(m))
	}
	for _, s := range shipments {
		one := PersonShipment{ID: s.ID, PaidAt: moment(s.PaidAt), Invoice: s.Invoice, CreatedAt: moment(s.CreatedAt)}
		if s.To.Known() {
			r := Recipient(s.To)
			one.Recipient = &r
		}
		if s.Quote.Price.Known() {
			p := priceOf(s.Quote.Price)
			one.Price = &p
		}
		out.Shipments = append(out.Shipments, one)
	}
	return out
}

// PersonMessage writes a message to a person.
func (w Encoder) PersonMessage(m lost.Message) Message { return w.Message(m, "", "") }

// Erasure is the removal of a person.
type Erasure struct {
	ID        string `json:"id" doc:"Identifier." example:"ers_06f5q2k8h40v3w9d7n1m8x2b4c"`
	State     string `json:"state" enum:"erasureStates" doc:"running while something may be left, then done." example:"done"`
	Erased    Erased `json:"erased" doc:"What was removed so far, counted."`
	CreatedAt string `json:"createdAt" format:"date-time" doc:"When it was asked for." example:"2026-11-15T08:30:00.000Z"`
	DoneAt    string `json:"doneAt,omitempty" format:"date-time" doc:"When nothing was left." example:"2026-11-15T08:30:01.000Z"`
}

// Erased counts what was removed about a person.
type Erased struct {
	Items      int `json:"items" doc:"Found items whose owner they were; the items stay, without anybody." example:"2"`
	Requests   int `json:"requests" doc:"Requests that they had filed; their words are gone." example:"1"`
	Mentions   int `json:"mentions" doc:"Texts elsewhere that held the address." example:"0"`
	Messages   int `json:"messages" doc:"Messages." example:"5"`
	Links      int `json:"links" doc:"Private links, which lead nowhere now." example:"2"`
	History    int `json:"history" doc:"Lines of history whose remarks were removed." example:"5"`
	Events     int `json:"events" doc:"Events whose bodies do not tell of them any more." example:"1"`
	Deliveries int `json:"deliveries" doc:"Webhook deliveries of these; what was on its way is sent without them." example:"1"`
	Shipments  int `json:"shipments" doc:"Shipments. Number, date and amount of their invoices stay, as the law wants it." example:"1"`
	Files      int `json:"files" doc:"Photos, labels, invoices, signatures and other papers." example:"3"`
	Answers    int `json:"answers" doc:"Answers that were kept for repeated requests." example:"0"`
	ImportRows int `json:"importRows" doc:"Rows of imported files." example:"0"`
	Views      int `json:"views" doc:"Saved views that searched for the address." example:"0"`
	UnderWay   int `json:"underWay" doc:"Items that stay as they are because their parcel is paid for and has not arrived. They follow by themselves within a day when it has, or when the fee was given back; until then the erasure is running." example:"0"`
}

// Erasure writes an erasure.
func (w Encoder) Erasure(e lost.Erasure) Erasure {
	return Erasure{
		ID: e.ID, State: string(e.State()), Erased: Erased(e.Erased), CreatedAt: moment(e.CreatedAt),
		DoneAt: moment(e.DoneAt),
	}
}
