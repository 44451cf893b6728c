package paper

import (
	"slices"
	"time"

	"homeward/internal/lost"
)

// Handover is a hand-over of several items to one recipient.
type Handover struct {
	To           lost.Destination
	Recipient    string // the person
	Organisation string
	IDChecked    bool
	Note         string // for the histories of the items
	At           time.Time
	Signature    []byte // a PNG; nil if nobody signed on the screen
}

// Name returns the name of the recipient with the organisation.
func (h Handover) Name() string {
	if h.Organisation == "" {
		return h.Recipient
	}
	return lost.Shorten(h.Recipient+", "+h.Organisation, lost.MaxName)
}

// HandoverDestinations lists the destinations of a hand-over: nobody receives what is discarded.
func HandoverDestinations() []lost.Destination {
	return slices.DeleteFunc(lost.Destinations(), func(d lost.Destination) bool { return d == lost.Discarded })
}

// HandoverPatch is a hand-over of several items as received from a form.
type HandoverPatch struct {
	Items                                []string
	Destination, Recipient, Organisation string
	IDChecked                            bool
	Note                                 string
	Signature                            []byte
	// Seen holds each item's UpdatedAt when the user loaded the form. Items that are not in it are not checked.
	Seen map[string]time.Time
}

// Read validates the hand-over. The error lists all problems.
func (p HandoverPatch) Read(now time.Time) (Handover, error) {
	h := Handover{To: lost.Destination(p.Destination), IDChecked: p.IDChecked, At: now}
	var wrong lost.Problems
	if !slices.Contains(HandoverDestinations(), h.To) {
		wrong.Add("destination", "not-allowed", "must be one of %s", lost.Quoted(HandoverDestinations()))
	}
	h.Recipient = wrong.Line("recipient", p.Recipient, maxName)
	wrong.Require("recipient", h.Recipient)
	h.Organisation = wrong.Line("organisation", p.Organisation, maxName)
	h.Note = wrong.Prose("note", p.Note, lost.MaxDescription)
	return h, wrong.Err()
}

// maxName is the maximum length of a name. Those of a recipient and an organisation are stored as one.
const maxName = lost.MaxName / 2

// Destroyed tells how items were destroyed.
type Destroyed struct {
	Method  Method
	On      string // the day
	Witness string
}

// Method is a way to destroy data carriers or papers.
type Method string

// The methods.
const (
	Shredded Method = "shredded"
	Wiped    Method = "wiped" // the data was deleted, and the device was recycled
	Crushed  Method = "crushed"
	Service  Method = "service" // by a certified company
)

// Methods lists all methods.
func Methods() []Method { return []Method{Shredded, Wiped, Crushed, Service} }

// Known reports whether the method is valid.
func (m Method) Known() bool { return slices.Contains(Methods(), m) }

// Read validates how items were destroyed. The error lists all problems. An empty certificate is a form to fill in.
func (d Destroyed) Read() (Destroyed, error) {
	var wrong lost.Problems
	if d.Method != "" && !d.Method.Known() {
		wrong.Add("method", "not-allowed", "must be one of %s", lost.Quoted(Methods()))
	}
	if d.On != "" {
		readDay(&wrong, "date", d.On)
	}
	d.Witness = wrong.Line("witness", d.Witness, maxName)
	return d, wrong.Err()
}

// Destructible reports whether a certificate of destruction is meant for items of this category.
func Destructible(c lost.Category) bool {
	switch c {
	case lost.PhoneCategory, lost.LaptopCategory, lost.TabletCategory, lost.CameraCategory, lost.ElectronicsCategory:
		return true
	default:
		return c.IsIdentity()
	}
}
