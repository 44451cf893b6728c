package requests

import (
	"time"

	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// maxSuggestions is the maximum number of suggestions on a request's page.
const maxSuggestions = 20

// contrasts are the keys of the labels that show how well a found item matches a request in one respect.
var contrasts = map[string]string{
	"same": "requests.match.same", "nearly": "requests.match.nearly", "other": "requests.match.other",
}

// dayContrasts are the keys of the labels for dates. They differ from contrasts, because an item is found on or after
// the day on which it was lost.
var dayContrasts = map[string]string{
	"same": "requests.match.fits", "nearly": "requests.match.later", "other": "requests.match.other",
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
		shown[n].Compared = frame.ComparePhotos(c.Locale, i, m.Other)
	}
	return shown, list.Pending, err
}

// aspectsOf compares a found item with a request. It leaves out aspects for which neither has a value.
func aspectsOf(lang frame.Locale, request, found lost.Item, fits map[string]string) (all []frame.Aspect) {
	add := func(name, theirs, other string, labels map[string]string, fit string) {
		a := frame.Aspect{
			Name: name, Theirs: lost.Shorten(theirs, maxAspect), Found: lost.Shorten(other, maxAspect),
		}
		if key := labels[fit]; key != "" {
			a.Fit, a.Vague = frame.State{Word: lang.Say(key), Shape: fit}, true
		}
		if a.Vague || theirs != "" || other != "" {
			all = append(all, a)
		}
	}
	add(lang.Say("requests.what"), request.Description, found.Description, contrasts, fits["what"])
	add(lang.FieldLabel("category"), lang.CategoryName(request.Category), lang.CategoryName(found.Category), contrasts,
		fits["category"])
	add(lang.FieldLabel("serialNumber"), request.SerialNumber, found.SerialNumber, nil, "")
	add(lang.FieldLabel("brand"), request.Brand, found.Brand, contrasts, fits["brand"])
	add(lang.FieldLabel("model"), request.Model, found.Model, contrasts, fits["model"])
	add(lang.FieldLabel("color"), request.Color, found.Color, contrasts, fits["colour"])
	add(lang.Say("requests.where"), request.Claim.LostPlace, found.DiscoveryPlace, contrasts, fits["place"])
	add(lang.Say("requests.when"), lang.Day(request.Claim.LostDate), foundOn(lang, found), dayContrasts, fits["day"])
	if found.Notes != "" {
		add(lang.Say("requests.details"), request.Claim.Proof, found.Notes, nil, "")
	}
	return all
}

// foundOn formats the date that matching uses for a found item: when it was found or, if that is unknown, recorded.
func foundOn(lang frame.Locale, found lost.Item) string {
	if found.DiscoveryDate != "" {
		return lang.Day(found.DiscoveryDate)
	}
	recorded, _ := found.MatchDay()
	return lang.Say("requests.recorded", "date", lang.Day(recorded))
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
	key := "requests.refused"
	if found.LocationID == l.ID {
		key = "requests.refused.here"
	}
	c.Flash(c.Say(key, "reference", found.Reference))
	return c.Redirect(frame.LocationPath(l.ID, "/requests/"+id))
}
