package paper

import (
	"strings"
	"time"

	"homeward/internal/lost"
)

// Handover is a hand-over of several items to one recipient.
type Handover struct {
	To           lost.Destination
	Recipient    string // the person
	Organisation string
	IDChecked    bool
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
	h := Handover{
		To: lost.Destination(p.Destination), Recipient: strings.TrimSpace(p.Recipient),
		Organisation: strings.TrimSpace(p.Organisation), IDChecked: p.IDChecked, At: now,
	}
	var wrong lost.Problems
	if !h.To.Known() {
		wrong.Add("destination", "not-allowed", "must be one of %s", lost.Quoted(lost.Destinations()))
	}
	line(&wrong, "recipient", h.Recipient, true)
	line(&wrong, "organisation", h.Organisation, false)
	return h, wrong.Err()
}

// line checks a text of one line.
func line(wrong *lost.Problems, field, text string, required bool) {
	switch {
	case text == "" && required:
		wrong.Add(field, "required", "is required")
	case len([]rune(text)) > lost.MaxName/2:
		wrong.Add(field, "too-long", "must have at most %d characters", lost.MaxName/2)
	case strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }):
		wrong.Add(field, "control-character", "must be on one line")
	}
}

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
func (m Method) Known() bool {
	for _, known := range Methods() {
		if m == known {
			return true
		}
	}
	return false
}

// Read validates how items were destroyed. The error lists all problems. An empty certificate is a form to fill in.
func (d Destroyed) Read() (Destroyed, error) {
	var wrong lost.Problems
	if d.Method != "" && !d.Method.Known() {
		wrong.Add("method", "not-allowed", "must be one of %s", lost.Quoted(Methods()))
	}
	if d.On != "" {
		readDay(&wrong, "date", d.On)
	}
	d.Witness = strings.TrimSpace(d.Witness)
	line(&wrong, "witness", d.Witness, false)
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
