package items

import (
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// maxSuggestions is the maximum number of requests that an item's page suggests.
const maxSuggestions = 5

// matchingRequests are requests that a found item may match.
type matchingRequests struct {
	Requests []frame.Suggestion
	Meaning  string // how often matches are right
	Rest     string // the total number of requests, as text, if not all are shown
}

// matchingRequests returns the requests that a found item may match. It reads the stored matches and never waits for
// matching to run.
func (c *call) matchingRequests(i lost.Item) (m matchingRequests, err error) {
	if !i.Matchable() {
		return m, nil
	}
	list, err := c.Services.Suggestions.Suggested(c.Context(), c.Actor(), i.LocationID, i.ID,
		lost.Page{Number: 1, Limit: maxSuggestions})
	if err != nil {
		return m, err
	}
	if list.More() {
		m.Rest = c.Total(list.Total, "items.likely", "items.likely.at-least")
	}
	m.Meaning = c.DescribeLikelihoods()
	m.Requests, err = c.Suggest(i, list.Data)
	return m, err
}

// acceptedRequest is the acceptance of a request for a found item. It is empty if it cannot be undone.
type acceptedRequest struct {
	Text     string
	Undo     string // the path to undo it
	Decision string // its id
}

// acceptedRequest returns the acceptance of a request for a found item.
func (c *call) acceptedRequest(l lost.Location, i lost.Item) (out acceptedRequest, err error) {
	if !c.May(lost.HandleItems) {
		return out, nil
	}
	request, open, err := c.Services.Requests.UndoableMatch(c.Context(), c.Actor(), i)
	if err != nil || open.ID == "" {
		return out, err
	}
	out.Text = c.Say("items.accepted", "reference", request.Reference,
		"time", open.Until.In(l.Zone()).Format(lost.TimeLayout))
	out.Decision, out.Undo = open.ID, frame.LocationPath(request.LocationID, "/requests/"+request.ID+"/undo")
	return out, nil
}
