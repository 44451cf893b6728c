package main

import (
	"fmt"
	"io"
)

// sweep prints how many true matches and how many requests without a match have a candidate of a probability or more.
func sweep(out io.Writer, samples []sample, rank func(sample) []guess) {
	fmt.Fprintln(out, "\n| likely from | true matches | unmatched requests |\n|---|--:|--:|")
	for from := 0.4; from < 0.96; from += 0.05 {
		matched, unmatched, right, wrong := 0.0, 0.0, 0.0, 0.0
		for _, s := range samples {
			if s.request.Item == "" {
				unmatched++
			} else {
				matched++
			}
			for n, g := range rank(s) {
				if g.value < from {
					break
				}
				if s.request.Item == g.item {
					right++
				} else if s.request.Item == "" && n == 0 {
					wrong++
				}
			}
		}
		fmt.Fprintf(out, "| %.2f | %.1f %% | %.1f %% |\n", from, 100*right/matched, 100*wrong/max(unmatched, 1))
	}
}
