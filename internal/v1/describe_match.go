package v1

import (
	"strconv"

	"homeward/internal/lost"
)

// describeLikelihood describes the field likelihood.
func describeLikelihood() Description {
	text := "The score in one word, with how many of a hundred such matches were right when it was " +
		"measured: likely (" + strconv.Itoa(lost.Likely.PercentRight()) + "), possible (" +
		strconv.Itoa(lost.Possible.PercentRight()) + ") or unlikely (" +
		strconv.Itoa(lost.Unlikely.PercentRight()) + ")."
	return Description{text, "likely"}
}

// matchDescriptions describes the fields of the types in match.go.
var matchDescriptions = map[string]Description{
	"Matching.sisters": {
		"Whether to match with sister locations: all other locations of the account that also have this set. " +
			"The default is false.",
		"true",
	},
	"Matching.hint": {
		"From which likelihood a claimant's page says that the location may have the item and is checking: likely, " +
			"possible, or off, the default. The page never says what was found. Present only if it is not off.",
		"likely",
	},

	"MatchedItem.itemId": {"The found item.", "item_06f5q2k8h40v3w9d7n1m8x2b4d"},
	"MatchedItem.locationId": {
		"Location of the found item: this location or a sister location.",
		"loc_06f5q2k8h40v3w9d7n1m8x2b4c",
	},
	"MatchedItem.score":      {"How well the found item matches, from 0 to 1.", "0.934215"},
	"MatchedItem.likelihood": describeLikelihood(),
	"MatchedItem.reasons":    {"Reasons for and against the match, as text.", "same brand: knirps"},

	"MatchedRequest.requestId": {"The request.", "item_06f5q2k8h40v3w9d7n1m8x2b4c"},
	"MatchedRequest.locationId": {
		"Where the request was filed: this location or a sister location.",
		"loc_06f5q2k8h40v3w9d7n1m8x2b4c",
	},
	"MatchedRequest.score":      {"How well the request matches, from 0 to 1.", "0.934215"},
	"MatchedRequest.likelihood": describeLikelihood(),
	"MatchedRequest.reasons":    {"Reasons for and against the match, as text.", "same brand: knirps"},
}
