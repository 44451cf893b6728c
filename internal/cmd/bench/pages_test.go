package main

import (
	"slices"
	"testing"
)

func TestEveryPageOfTheDashboardIsMeasured(t *testing.T) {
	t.Parallel()
	for _, route := range pageRoutes() {
		measured := slices.ContainsFunc(measuredPages(), func(p measuredPage) bool { return p.route == route })
		if _, excused := unmeasuredPages()[route]; measured == excused {
			t.Errorf("%s must be in measuredPages or, with a reason, in unmeasuredPages, and not in both", route)
		}
	}
}
