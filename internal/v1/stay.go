package v1

import (
	"homeward/internal/lost"
	"homeward/internal/lost/stay"
)

// Stays are the guests who come into question as the owner of an item.
type Stays struct {
	Room string `json:"room"`
	Date string `json:"date" format:"date"`
	Data []Stay `json:"data"`
}

// Stay is a guest who stayed in a room. Addresses are masked.
type Stay struct {
	ID        string `json:"id"`
	Reason    string `json:"reason" enum:"stayReasons"`
	FirstName string `json:"firstName,omitempty"`
	LastName  string `json:"lastName,omitempty"`
	Language  string `json:"language,omitempty"`
	Email     string `json:"email,omitempty"`
	Phone     string `json:"phone,omitempty"`
	Room      string `json:"room"`
	Arrival   string `json:"arrival" format:"date"`
	Departure string `json:"departure" format:"date"`
	Shared    bool   `json:"shared"`
	ExpiresAt string `json:"expiresAt" format:"date-time"`
}

// Stays converts the result of a look-up to the API format.
func (w Encoder) Stays(room, day string, all []stay.Candidate) Stays {
	out := Stays{Room: room, Date: day, Data: []Stay{}}
	for _, c := range all {
		out.Data = append(out.Data, Stay{
			ID: c.CandidateID, Reason: string(c.Reason), FirstName: c.Guest.FirstName, LastName: c.Guest.LastName,
			Language: c.Guest.Language, Email: stay.MaskEmail(c.Guest.Email), Phone: stay.MaskPhone(c.Guest.Phone),
			Room: c.Room, Arrival: c.Arrival, Departure: c.Departure, Shared: c.Others,
			ExpiresAt: moment(c.CreatedAt.Add(stay.Valid)),
		})
	}
	return out
}

// StayChoice is a request to make a guest the owner of an item.
type StayChoice struct {
	StayID string `json:"stayId" input:"required" max:"100"`
}

// StayPatch is a StayChoice that was decoded.
type StayPatch struct {
	StayID lost.Field[string]
	lost.DecodeResult
}

// DecodeStayChoice decodes a request to make a guest the owner of an item.
func DecodeStayChoice(body []byte) (p StayPatch, err error) {
	err = decode(body, &p.DecodeResult, func(o *object) { o.text("stayId", &p.StayID) })
	if err == nil && len(p.Problems) == 0 && p.StayID.Value == "" {
		p.Problems.Add("stayId", "required", "must be set to the id of a stay")
	}
	if err == nil {
		err = p.Problems.Err()
	}
	return p, err
}
