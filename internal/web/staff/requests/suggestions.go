package requests

import (
	"time"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// maxSuggestions is how many suggestions the page of a request shows.
const maxSuggestions = 20

// contrasts are how a find goes with a request in one aspect, in words.
var contrasts = map[string]frame.State{"same": {Word: "Same", Shape: "same"}, "nearly": {Word: "Nearly", Shape: "nearly"}, "other": {Word: "Different", Shape: "other"}}

// dayContrasts are those of days: nobody finds a thing before it is lost, and seldom in the same hour.
var dayContrasts = map[string]frame.State{"same": {Word: "Fits", Shape: "same"}, "nearly": {Word: "Later", Shape: "nearly"}, "other": {Word: "Different", Shape: "other"}}

// maxAspect bounds what is shown of each side, so that both can be seen at once.
const maxAspect = 280

// suggestFinds shows what may be what a request is about, each beside it. Whoever has just filed or changed the request waits for what is being looked for;
// later the page tells what is known, and nobody waits for others' work.
func (c *call) suggestFinds(i lost.Item) ([]frame.Suggestion, error) {
	const news = time.Minute
	look := c.Desk.Suggested
	if c.Now().Sub(i.UpdatedAt) < news {
		look = c.Desk.Matches
	}
	list, err := look(c.Context(), c.Actor(), i.LocationID, i.ID, lost.Page{Number: 1, Limit: maxSuggestions})
	if err != nil {
		return nil, err
	}
	shown, err := c.Suggest(i, list.Data)
	for n, m := range list.Data[:len(shown)] {
		shown[n].Fits, shown[n].Aspects = i.MayMatch(m.Other) == nil, aspectsOf(i, m.Other, c.Desk.Contrast(i, m.Other))
	}
	return shown, err
}

// aspectsOf sets a find beside a request. What neither says is left out.
func aspectsOf(request, found lost.Item, fits map[string]string) (all []frame.Aspect) {
	add := func(name, theirs, other string, fit frame.State) {
		a := frame.Aspect{Name: name, Theirs: lost.Shorten(theirs, maxAspect), Found: lost.Shorten(other, maxAspect), Fit: fit, Vague: fit.Word != ""}
		if a.Vague || theirs != "" || other != "" {
			all = append(all, a)
		}
	}
	add("What", request.Description, found.Description, contrasts[fits["what"]])
	add("Brand", request.Brand, found.Brand, contrasts[fits["brand"]])
	add("Model", request.Model, found.Model, contrasts[fits["model"]])
	add("Colour", request.Color, found.Color, contrasts[fits["colour"]])
	add("Where", request.Claim.LostPlace, found.DiscoveryPlace, contrasts[fits["place"]])
	add("When", frame.Day(request.Claim.LostDate), foundOn(found), dayContrasts[fits["day"]])
	if found.Notes != "" {
		add("Details", request.Claim.Proof, found.Notes, frame.State{})
	}
	return all
}

// foundOn is the day that matching goes by, in words.
func foundOn(found lost.Item) string {
	if found.DiscoveryDate != "" {
		return frame.Day(found.DiscoveryDate)
	}
	recorded, _ := found.SoughtFrom()
	return "Recorded " + frame.Day(recorded)
}

// refuseMatch says that a find is not what a request is about.
func (c *call) refuseMatch() error {
	values, err := c.ReadForm()
	if err != nil {
		return err
	}
	l, err := c.Location()
	if err != nil {
		return err
	}
	id := c.Request.PathValue("id")
	found, err := c.Desk.AnyItem(c.Context(), c.Actor(), values.Get("item"))
	if err != nil {
		return err
	}
	if err := c.Desk.RefuseMatch(c.Context(), c.Actor(), l.ID, id, found.ID); err != nil {
		return err
	}
	told := found.Reference + " is not it, and is not suggested for this request again."
	if found.LocationID == l.ID {
		told += " You still find it by searching."
	}
	c.Flash(told)
	return c.Redirect(frame.LocationPath(l.ID, "/requests/"+id))
}
