package staff

import (
	"testing"

	"homeward/internal/lost"
)

func TestAFieldThatAFormLacksIsNamedAsPeopleCallIt(t *testing.T) {
	for field, want := range map[string]string{
		"discoveryDate": "When it was found", "owner.email": "E-mail address", "brand": "Brand", "shippingRules.world.bands[2].upToGrams": "Up to grams", "locations[3]": "Locations", "": "",
	} {
		if got := label(field); got != want {
			t.Errorf("%s is called %q, not %q", field, got, want)
		}
	}
	var p lost.Problems
	p.Add("pickupTime.from", "not-before-to", "must be earlier than pickupTime.to")
	summary, err := judge(nil, p.Err())
	if want := "Pick-up from: Must be earlier than “pick-up until”."; err != nil || len(summary) != 1 || summary[0].Text != want {
		t.Errorf("the summary is %+v, %v", summary, err)
	}
	if told := lost.ProblemsOf(inWords(p.Err())); told[0].Message != "Must be earlier than “pick-up until”." || p[0].Message != "must be earlier than pickupTime.to" {
		t.Errorf("a script is told %+v, and the rules said %+v", told, p)
	}
}
