package v1

import "homeward/internal/lost"

// Matching holds the matching settings of a location.
type Matching struct {
	Sisters bool   `json:"sisters" input:"optional"`
	Hint    string `json:"hint,omitempty" input:"optional" enum:"matchHints"`
}

// MatchedItem is a found item that may be the item that a request describes.
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

// million is the domain's score of a perfect match. The API's scores are fractions of it.
const million = 1_000_000

// MatchedItem converts a match to the found item that it suggests for a request.
func (w Encoder) MatchedItem(m lost.Match) MatchedItem {
	return MatchedItem{
		ItemID: m.ItemID, LocationID: m.Other.LocationID, Score: float64(m.Score) / million,
		Likelihood: string(m.Likelihood), Reasons: reasonTexts(m),
	}
}

// MatchedRequest converts a match to the request that it suggests for a found item.
func (w Encoder) MatchedRequest(m lost.Match) MatchedRequest {
	return MatchedRequest{
		RequestID: m.RequestID, LocationID: m.Other.LocationID, Score: float64(m.Score) / million,
		Likelihood: string(m.Likelihood), Reasons: reasonTexts(m),
	}
}

// reasonTexts returns the reasons of a match in English.
func reasonTexts(m lost.Match) []string {
	texts := make([]string, len(m.Reasons))
	for n, r := range m.Reasons {
		texts[n] = r.Text
	}
	return texts
}
