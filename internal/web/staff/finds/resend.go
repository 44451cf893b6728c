package finds

import (
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"

	"homeward/internal/lost"
	"homeward/internal/web/respond"
	"homeward/internal/web/staff/frame"
)

// rememberPlace remembers where a find was, for the person who recorded it, at that location, and for a shift.
func (c *call) rememberPlace(l lost.Location, place string) {
	const shift = 12 * 60 * 60
	c.SetCookie(frame.DiscoveryPlaceCookie, url.Values{"person": {c.Session.User.ID}, "at": {l.ID}, "place": {place}}.Encode(), shift)
}

// lastPlace is where the person's last find at the location was. What somebody else left in this browser is not told.
func (c *call) lastPlace() string {
	kept, err := url.ParseQuery(c.Cookie(frame.DiscoveryPlaceCookie))
	if err != nil || kept.Get("person") != c.Session.User.ID || kept.Get("at") != c.Request.PathValue("location") {
		return ""
	}
	return kept.Get("place")
}

// findKey makes a form record once, whoever sends it again: which of its buttons was pressed makes no other find of it.
func findKey(values url.Values) lost.IdempotencyKey {
	said := maps.Clone(values)
	delete(said, "then")
	return frame.FormKey(said, "find")
}

// errStartedByAnotherUser is for what one person began and another's session would carry out. To a script it says that the right person has to log
// in; it keeps the find until then.
var errStartedByAnotherUser = lost.E(lost.Unauthorized, "Somebody else began this find. It can be sent once they have logged in again.")

// startedByAnotherUser tells a form that somebody else opened in this browser before this person logged in.
func (c *call) startedByAnotherUser(values url.Values) bool {
	person := values.Get("person")
	return person != "" && person != c.Session.User.ID
}

// duplicateSend says why a form that was sent has to be sent once more.
type duplicateSend struct {
	Anothers      bool // somebody else began it
	ID, Reference string
	Href          string // of the find that it made the first time; empty where that is gone
}

// refuseOtherUsersForm shows a form that somebody else began: whoever is there now may save it, knowingly, as theirs.
func (c *call) refuseOtherUsersForm(values url.Values, photos []*multipart.FileHeader) error {
	if !c.WantsHTML() {
		return errStartedByAnotherUser
	}
	return c.showFindFormAgain(values, photos, duplicateSend{Anothers: true})
}

// showSavedBefore answers a form that made a find before and now says something else, as one does to which somebody went back: with the find that
// there is, and with the form, ready to make another.
func (c *call) showSavedBefore(values url.Values, photos []*multipart.FileHeader, again lost.IdempotencyKey, conflict error) error {
	location := c.Request.PathValue("location")
	i, err := c.Desk.RecordedOnce(c.Context(), c.Actor(), location, again)
	if err != nil && lost.CodeOf(err) != lost.NotFound {
		return err
	}
	s := duplicateSend{}
	if err == nil {
		s = duplicateSend{ID: i.ID, Reference: i.Reference, Href: frame.LocationPath(location, "/find/"+i.ID)}
		if c.May(lost.Look) {
			s.Href = frame.ItemPath(i)
		}
	}
	respond.Failed(c.Writer, conflict)
	if !c.WantsHTML() {
		return respond.JSON(c.Writer, http.StatusConflict, s.problem())
	}
	return c.showFindFormAgain(values, photos, s)
}

// sentBefore is what a script is told of a form that made a find before.
type sentBefore struct {
	Detail    string `json:"detail"`
	Reference string `json:"reference,omitempty"`
	Href      string `json:"href,omitempty"`
}

func (s duplicateSend) problem() sentBefore {
	if s.ID == "" {
		return sentBefore{Detail: "This form was saved before, and what it made is gone since. Save once more, and it becomes a find."}
	}
	return sentBefore{
		Detail:    "This form was saved before, as " + s.Reference + ". What it says now is not saved. Save once more, and this becomes another find.",
		Reference: s.Reference, Href: s.Href,
	}
}

// showFindFormAgain shows a form with what was typed and as a new one: the next time it is sent it is taken.
func (c *call) showFindFormAgain(values url.Values, photos []*multipart.FileHeader, why duplicateSend) error {
	values = maps.Clone(values)
	delete(values, "once")
	return c.showFindForm(http.StatusConflict, values, withPhotoProblem(nil, photos), func(p *findPage) { p.Again = &why })
}

// withPhotoProblem adds to what is wrong with a form that its photos have to be chosen again: a browser does not send them by itself a second time.
func withPhotoProblem(wrong error, photos []*multipart.FileHeader) error {
	if len(photos) == 0 {
		return wrong
	}
	p := slices.Clone(lost.ProblemsOf(wrong))
	p.Add("photo", "choose-again", "choose the photos once more")
	return p.Err()
}
