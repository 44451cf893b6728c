package main

import (
	"strings"
	"testing"
)

func TestCopiesAreJudgedByTheMedianAndOnlyWithEnoughCores(t *testing.T) {
	one := &copyResult{op: "get", copies: 1, rates: []float64{100, 100, 10}}
	many := &copyResult{op: "get", copies: 3, rates: []float64{200, 250, 190}}
	if got := many.gain(one); got != 2.5 {
		t.Errorf("the gain is %v, want that of the middle pair", got)
	}
	for cores, want := range map[int]string{2: "too few cores to tell", coresForCopies: "ok"} {
		if got := judgeCopies(minGain, cores); got != want {
			t.Errorf("%d cores: %q, want %q", cores, got, want)
		}
	}
	if got := judgeCopies(minGain-0.01, coresForCopies); !strings.Contains(got, "missed") {
		t.Errorf("a gain that is too small is %q", got)
	}
	var b strings.Builder
	reportCopies(&b, []*copyResult{one, many})
	if !strings.Contains(b.String(), "| get | 3 | 200 | 2.50 |") {
		t.Errorf("the report is\n%s", b.String())
	}
}
