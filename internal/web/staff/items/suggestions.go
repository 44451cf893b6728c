package items

import (
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

// maxSuggestions is how many suggestions the page of an item shows. It is about more than them.
const maxSuggestions = 5

// matchingRequests is who may miss a find.
type matchingRequests struct {
	Requests []frame.Suggestion
	Rest     string // how many there are, where they are not all here
}

// missingRequests shows the requests that a find may answer. Nobody waits for what is being looked for: the page is about more.
func (c *call) missingRequests(i lost.Item) (m matchingRequests, err error) {
	if !i.Sought() {
		return m, nil
	}
	list, err := c.Desk.Suggested(c.Context(), c.Actor(), i.LocationID, i.ID, lost.Page{Number: 1, Limit: maxSuggestions})
	if err != nil {
		return m, err
	}
	if list.More() {
		m.Rest = "These are the likeliest of " + frame.CountText(list.Total, "request", "requests") + "."
	}
	m.Requests, err = c.Suggest(i, list.Data)
	return m, err
}
