package requests

import (
	"time"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// maxSuggestions is the maximum number of suggestions on a request's page.
const maxSuggestions = 20

// contrasts are the labels that show how well a found item matches a request in one respect.
var contrasts = map[string]frame.State{
	"same": {Word: "Same", Shape: "same"}, "nearly": {Word: "Nearly", Shape: "nearly"},
	"other": {Word: "Different", Shape: "other"},
}

// dayContrasts are the labels for dates. They differ from contrasts, because an item is found on or after the day on
// which it was lost.
var dayContrasts = map[string]frame.State{
	"same": {Word: "Fits", Shape: "same"}, "nearly": {Word: "Later", Shape: "nearly"},
	"other": {Word: "Different", Shape: "other"},
}

// maxAspect is the longest text on each side of a comparison, so that both sides fit on the screen.
const maxAspect = 280

// suggestFinds returns the found items that may match a request, each with a comparison. If the request was just
// created or changed, it waits until matching has finished; otherwise it uses the stored matches. pending reports
// whether matches are still being computed.
func (c *call) suggestFinds(i lost.Item) (shown []frame.Suggestion, pending bool, err error) {
	const recent = time.Minute
	suggest := c.Services.Suggestions.Suggested
	if c.Now().Sub(i.UpdatedAt) < recent {
		suggest = c.Services.Suggestions.Matches
	}
	list, err := suggest(c.Context(), c.Actor(), i.LocationID, i.ID, lost.Page{Number: 1, Limit: maxSuggestions})
	if err != nil {
		return nil, false, err
	}
	shown, err = c.Suggest(i, list.Data)
	for n, m := range list.Data[:len(shown)] {
		shown[n].Fits, shown[n].Aspects = i.MayMatch(m.Other) == nil,
			aspectsOf(c.Locale, i, m.Other, c.Services.Suggestions.Contrast(i, m.Other))
	}
	return shown, list.Pending, err
}

// aspectsOf compares a found item with a request. It leaves out aspects for which neither has a value.
func aspectsOf(lang frame.Locale, request, found lost.Item, fits map[string]string) (all []frame.Aspect) {
	add := func(name, theirs, other string, fit frame.State) {
		a := frame.Aspect{
			Name: name, Theirs: lost.Shorten(theirs, maxAspect), Found: lost.Shorten(other, maxAspect), Fit: fit,
			Vague: fit.Word != "",
		}
		if a.Vague || theirs != "" || other != "" {
			all = append(all, a)
		}
	}
	add("What", request.Description, found.Description, contrasts[fits["what"]])
	add("Brand", request.Brand, found.Brand, contrasts[fits["brand"]])
	add("Model", request.Model, found.Model, contrasts[fits["model"]])
	add("Colour", request.Color, found.Color, contrasts[fits["colour"]])
	add("Where", request.Claim.LostPlace, found.DiscoveryPlace, contrasts[fits["place"]])
	add("When", lang.Day(request.Claim.LostDate), foundOn(lang, found), dayContrasts[fits["day"]])
	if found.Notes != "" {
		add("Details", request.Claim.Proof, found.Notes, frame.State{})
	}
	return all
}

// foundOn formats the date that matching uses for a found item: when it was found or, if that is unknown, recorded.
func foundOn(lang frame.Locale, found lost.Item) string {
	if found.DiscoveryDate != "" {
		return lang.Day(found.DiscoveryDate)
	}
	recorded, _ := found.MatchDay()
	return "Recorded " + lang.Day(recorded)
}

// refuseMatch records that a found item does not match a request.
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
	found, err := c.Services.Items.GetAnywhere(c.Context(), c.Actor(), values.Get("item"))
	if err != nil {
		return err
	}
	if err := c.Services.Suggestions.RejectMatch(c.Context(), c.Actor(), l.ID, id, found.ID); err != nil {
		return err
	}
	text := found.Reference + " will not be suggested for this request again."
	if found.LocationID == l.ID {
		text += " You can still find it with search."
	}
	c.Flash(text)
	return c.Redirect(frame.LocationPath(l.ID, "/requests/"+id))
}
