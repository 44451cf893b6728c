package items

import (
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// maxSuggestions is how many requests the page of an item shows.
const maxSuggestions = 5

// matchingRequests are requests that a found item may match.
type matchingRequests struct {
	Requests []frame.Suggestion
	Rest     string // the total, if not all are shown
}

// matchingRequests returns the requests that a found item may match. It uses stored matches and never waits for
// matching.
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
		m.Rest = "These are the most likely of " + frame.CountText(list.Total, "request", "requests") + "."
	}
	m.Requests, err = c.Suggest(i, list.Data)
	return m, err
}
