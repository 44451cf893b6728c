package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestInstancesAreJudgedByTheMedianAndOnlyWithEnoughCores(t *testing.T) {
	one := &instanceResult{op: "get", instances: 1, rates: []float64{100, 100, 10}}
	many := &instanceResult{op: "get", instances: 3, rates: []float64{200, 250, 190}}
	if got := many.gain(one); got != 2.5 {
		t.Errorf("the gain is %v, want 2.5", got)
	}
	for cores, want := range map[int]string{2: "too few cores to judge", coresForInstances: "ok"} {
		if got := judgeInstances(minGain, cores); got != want {
			t.Errorf("%d cores: %q, want %q", cores, got, want)
		}
	}
	if got := judgeInstances(minGain-0.01, coresForInstances); !strings.Contains(got, "missed") {
		t.Errorf("the verdict for a small gain is %q, want missed", got)
	}
	var b strings.Builder
	reportInstances(func(form string, args ...any) { _, _ = fmt.Fprintf(&b, form, args...) },
		[]*instanceResult{one, many})
	if !strings.Contains(b.String(), "| get | 3 | 200 | 2.50 |") {
		t.Errorf("the report is\n%s", b.String())
	}
}
