package v1

import "homeward/internal/lost"

// Matching says what a location's found items and requests are compared with.
type Matching struct {
	Sisters bool `json:"sisters" input:"optional" doc:"Whether they are compared also with those of the account's other locations that have this set. Off at first." example:"true"`
}

// MatchedItem is a found item that may answer a request.
type MatchedItem struct {
	ItemID     string   `json:"itemId" doc:"The find." example:"item_06f5q2k8h40v3w9d7n1m8x2b4d"`
	LocationID string   `json:"locationId" doc:"Where it is: this location, or a sister." example:"loc_06f5q2k8h40v3w9d7n1m8x2b4c"`
	Score      float64  `json:"score" doc:"How well it fits, from 0 to 1." example:"0.934215"`
	Likelihood string   `json:"likelihood" enum:"likelihoods" doc:"The score in a word. What is less than possible is not listed." example:"likely"`
	Reasons    []string `json:"reasons" doc:"What speaks for it and against it, in words." example:"same brand: knirps"`
}

// MatchedRequest is a request that a found item may answer.
type MatchedRequest struct {
	RequestID  string   `json:"requestId" doc:"The request." example:"item_06f5q2k8h40v3w9d7n1m8x2b4c"`
	LocationID string   `json:"locationId" doc:"Where it was filed: this location, or a sister." example:"loc_06f5q2k8h40v3w9d7n1m8x2b4c"`
	Score      float64  `json:"score" doc:"How well the find fits, from 0 to 1." example:"0.934215"`
	Likelihood string   `json:"likelihood" enum:"likelihoods" doc:"The score in a word. What is less than possible is not listed." example:"likely"`
	Reasons    []string `json:"reasons" doc:"What speaks for it and against it, in words." example:"same brand: knirps"`
}

// million is the unit of scores.
const million = 1_000_000

// MatchedItem writes a found item that is suggested for a request.
func (w Encoder) MatchedItem(m lost.Match) MatchedItem {
	return MatchedItem{
		ItemID: m.ItemID, LocationID: m.Other.LocationID, Score: float64(m.Score) / million,
		Likelihood: string(m.Likelihood), Reasons: append([]string{}, m.Reasons...),
	}
}

// MatchedRequest writes a request for which a found item is suggested.
func (w Encoder) MatchedRequest(m lost.Match) MatchedRequest {
	return MatchedRequest{
		RequestID: m.RequestID, LocationID: m.Other.LocationID, Score: float64(m.Score) / million,
		Likelihood: string(m.Likelihood), Reasons: append([]string{}, m.Reasons...),
	}
}
