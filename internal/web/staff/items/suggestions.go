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
	m.Requests, err = c.Suggest(i, list.Data)
	return m, err
}
