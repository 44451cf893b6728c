package match_test

import (
	"testing"

	"homeward/internal/lost/match"
)

// score returns how well a found item matches a request. Both are phones, with the given serial numbers and categories.
func score(request, found match.Subject) float64 {
	request.Description, found.Description = "black phone", "black phone"
	return match.Compare(match.Read(request), match.Read(found), match.Counts{"": 10}).Value
}

func TestSerialNumbersDecideAMatch(t *testing.T) {
	none := score(match.Subject{}, match.Subject{})
	for name, c := range map[string]struct {
		request, found string
		compared       int // 1 if better than without numbers, -1 if worse
	}{
		"equal":                   {"C39-7741X", "c39 7741x", 1},
		"only the end is known":   {"7741XQ", "C39-7741XQ", 1},
		"too short an end":        {"41XQ", "C39-7741XQ", -1},
		"different":               {"C39-7741X", "C39-7742X", -1},
		"only the request has it": {"C39-7741X", "", 0},
		"nothing but marks":       {"---", "C39-7741X", 0},
		"a masked number":         {"AE1234567", "••••4567", 0},
	} {
		got := score(match.Subject{Serial: c.request}, match.Subject{Serial: c.found})
		if c.compared > 0 && got <= none || c.compared < 0 && got >= none || c.compared == 0 && got != none {
			t.Errorf("%s: got %f, without numbers %f", name, got, none)
		}
	}
}

func TestTheSameCategoryIsEvidence(t *testing.T) {
	none := score(match.Subject{}, match.Subject{})
	same := score(match.Subject{Category: "phone"}, match.Subject{Category: "phone"})
	differs := score(match.Subject{Category: "phone"}, match.Subject{Category: "toy"})
	if !(differs < none && none < same) {
		t.Errorf("got %f with another category, %f without, %f with the same", differs, none, same)
	}
	for _, c := range []string{"", match.OtherCategory} {
		if got := score(match.Subject{Category: "phone"}, match.Subject{Category: c}); got != none {
			t.Errorf("category %q: got %f, want %f", c, got, none)
		}
	}
}
