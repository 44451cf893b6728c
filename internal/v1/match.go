package v1

import "homeward/internal/lost"

// Matching has the matching settings of a location.
type Matching struct {
	Sisters bool `json:"sisters" input:"optional"`
}

// MatchedItem is a found item that may be the item of a request.
type MatchedItem struct {
	ItemID     string   `json:"itemId"`
	LocationID string   `json:"locationId"`
	Score      float64  `json:"score"`
	Likelihood string   `json:"likelihood" enum:"likelihoods"`
	Reasons    []string `json:"reasons"`
}

// MatchedRequest is a request that a found item may match.
type MatchedRequest struct {
	RequestID  string   `json:"requestId"`
	LocationID string   `json:"locationId"`
	Score      float64  `json:"score"`
	Likelihood string   `json:"likelihood" enum:"likelihoods"`
	Reasons    []string `json:"reasons"`
}

// million is the score of a perfect match.
const million = 1_000_000

// MatchedItem converts a found item that is suggested for a request.
func (w Encoder) MatchedItem(m lost.Match) MatchedItem {
	return MatchedItem{
		ItemID: m.ItemID, LocationID: m.Other.LocationID, Score: float64(m.Score) / million,
		Likelihood: string(m.Likelihood), Reasons: append([]string{}, m.Reasons...),
	}
}

// MatchedRequest converts a request for which a found item is suggested.
func (w Encoder) MatchedRequest(m lost.Match) MatchedRequest {
	return MatchedRequest{
		RequestID: m.RequestID, LocationID: m.Other.LocationID, Score: float64(m.Score) / million,
		Likelihood: string(m.Likelihood), Reasons: append([]string{}, m.Reasons...),
	}
}
