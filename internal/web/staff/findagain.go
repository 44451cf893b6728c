package staff

import (
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
)

// whereCookie remembers where the last find was: the next is often from there.
const whereCookie = "where"

// keepPlace remembers where a find was, for the person who recorded it, at that location, and for a shift.
func (c *call) keepPlace(l lost.Location, place string) {
	const shift = 12 * 60 * 60
	c.keep(whereCookie, url.Values{"person": {c.in.User.ID}, "at": {l.ID}, "place": {place}}.Encode(), shift)
}

// lastPlace is where the person's last find at the location was. What somebody else left in this browser is not told.
func (c *call) lastPlace() string {
	kept, err := url.ParseQuery(c.cookie(whereCookie))
	if err != nil || kept.Get("person") != c.in.User.ID || kept.Get("at") != c.r.PathValue("location") {
		return ""
	}
	return kept.Get("place")
}

// findOnce makes a form record once, whoever sends it again: which of its buttons was pressed makes no other find of it.
func findOnce(values url.Values) lost.IdempotencyKey {
	said := maps.Clone(values)
	delete(said, "then")
	return once(said, "find")
}

// errBegunByAnother is for what one person began and another's session would carry out. To a script it says that the right person has to log
// in; it keeps the find until then.
var errBegunByAnother = lost.E(lost.Unauthorized, "Somebody else began this find. It can be sent once they have logged in again.")

// begunByAnother tells a form that somebody else opened in this browser before this person logged in.
func (c *call) begunByAnother(values url.Values) bool {
	person := values.Get("person")
	return person != "" && person != c.in.User.ID
}

// secondSend says why a form that was sent has to be sent once more.
type secondSend struct {
	Anothers      bool // somebody else began it
	ID, Reference string
	Href          string // of the find that it made the first time; empty where that is gone
}

// refuseAnothers shows a form that somebody else began: whoever is there now may save it, knowingly, as theirs.
func (c *call) refuseAnothers(values url.Values, photos []*multipart.FileHeader) error {
	if !c.wantsPage() {
		return errBegunByAnother
	}
	return c.presentAgain(values, photos, secondSend{Anothers: true})
}

// savedBefore answers a form that made a find before and now says something else, as one does to which somebody went back: with the find that
// there is, and with the form, ready to make another.
func (c *call) savedBefore(values url.Values, photos []*multipart.FileHeader, again lost.IdempotencyKey, conflict error) error {
	location := c.r.PathValue("location")
	i, err := c.desk.RecordedOnce(c.ctx(), c.actor(), location, again)
	if err != nil && lost.CodeOf(err) != lost.NotFound {
		return err
	}
	s := secondSend{}
	if err == nil {
		s = secondSend{ID: i.ID, Reference: i.Reference, Href: atPath(location, "/find/"+i.ID)}
		if c.may(lost.Look) {
			s.Href = itemPath(i)
		}
	}
	respond.Failed(c.w, conflict)
	if !c.wantsPage() {
		return respond.JSON(c.w, http.StatusConflict, s.problem())
	}
	return c.presentAgain(values, photos, s)
}

// sentBefore is what a script is told of a form that made a find before.
type sentBefore struct {
	Detail    string `json:"detail"`
	Reference string `json:"reference,omitempty"`
	Href      string `json:"href,omitempty"`
}

func (s secondSend) problem() sentBefore {
	if s.ID == "" {
		return sentBefore{Detail: "This form was saved before, and what it made is gone since. Save once more, and it becomes a find."}
	}
	return sentBefore{
		Detail:    "This form was saved before, as " + s.Reference + ". What it says now is not saved. Save once more, and this becomes another find.",
		Reference: s.Reference, Href: s.Href,
	}
}

// presentAgain shows a form with what was typed and as a new one: the next time it is sent it is taken.
func (c *call) presentAgain(values url.Values, photos []*multipart.FileHeader, why secondSend) error {
	values = maps.Clone(values)
	delete(values, "once")
	return c.presentFind(http.StatusConflict, values, photosAsWell(nil, photos), func(p *findPage) { p.Again = &why })
}

// photosAsWell adds to what is wrong with a form that its photos have to be chosen again: a browser does not send them by itself a second time.
func photosAsWell(wrong error, photos []*multipart.FileHeader) error {
	if len(photos) == 0 {
		return wrong
	}
	p := slices.Clone(lost.ProblemsOf(wrong))
	p.Add("photo", "choose-again", "choose the photos once more")
	return p.Err()
}
