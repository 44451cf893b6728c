package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"homeward/internal/lost"
	"homeward/internal/lost/match"
)

// bin contains the candidates whose probabilities have the same first digit.
type bin struct {
	count, right int
	sum          float64 // of the probabilities
}

func (b bin) mean() float64  { return b.sum / float64(b.count) }
func (b bin) share() float64 { return float64(b.right) / float64(b.count) }

// binsOf divides the candidates of samples by their probability.
func binsOf(samples []sample, rank func(sample) []guess) (bins [10]bin) {
	for _, s := range samples {
		for _, g := range rank(s) {
			b := &bins[min(len(bins)-1, int(g.value*float64(len(bins))))]
			b.count++
			b.sum += g.value
			if g.item == s.request.Item {
				b.right++
			}
		}
	}
	return bins
}

// reliability prints how often candidates of a probability are right.
func reliability(out io.Writer, bins [10]bin) {
	fmt.Fprintln(out, "\n| probability | pairs | mean | right |\n|---|--:|--:|--:|")
	for n, b := range bins {
		if b.count > 0 {
			fmt.Fprintf(out, "| %.1f–%.1f | %d | %.2f | %.2f |\n", float64(n)/10, float64(n+1)/10, b.count, b.mean(),
				b.share())
		}
	}
}

// likelihoodsOf divides the candidates of samples by their likelihood, the most likely first.
func likelihoodsOf(samples []sample, rank func(sample) []guess) (of [3]bin) {
	for _, s := range samples {
		for _, g := range rank(s) {
			level := 2
			if g.likely {
				level = 0
			} else if match.Possible(g.value) {
				level = 1
			}
			of[level].count++
			if g.item == s.request.Item {
				of[level].right++
			}
		}
	}
	return of
}

// likelihoods prints how many candidates of each likelihood are right.
func likelihoods(out io.Writer, samples []sample, rank func(sample) []guess) {
	fmt.Fprintln(out, "\n| likelihood | pairs | right |\n|---|--:|--:|")
	for n, b := range likelihoodsOf(samples, rank) {
		fmt.Fprintf(out, "| %s | %d | %.1f %% |\n", lost.Likelihoods()[n], b.count, 100*b.share())
	}
}

// drawReliability writes a diagram of how often candidates of a probability are right. Its diagonal is where the
// probability is exactly that.
func drawReliability(path string, bins [10]bin) error {
	const size, left, top = 300.0, 50.0, 15.0
	x := func(v float64) float64 { return left + size*v }
	y := func(v float64) float64 { return top + size*(1-v) }
	var svg strings.Builder
	fmt.Fprint(&svg, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 370 365" font-family="sans-serif" `+
		`font-size="12">`+"\n<title>How often pairs of a probability are right</title>\n"+
		`<rect width="370" height="365" fill="#fff"/>`+"\n")
	for tenth := 0; tenth <= 10; tenth += 2 {
		v := float64(tenth) / 10
		fmt.Fprintf(&svg, `<path d="M%.0f %.0fH%.0f" stroke="#ddd"/>`+
			`<text x="%.0f" y="%.0f" text-anchor="end">%.1f</text>`+
			`<text x="%.0f" y="%.0f" text-anchor="middle">%.1f</text>`+"\n",
			x(0), y(v), x(1), x(0)-6, y(v)+4, v, x(v), y(0)+16, v)
	}
	fmt.Fprintf(&svg, `<path d="M%.0f %.0fL%.0f %.0f" stroke="#999" stroke-dasharray="4"/>`+"\n",
		x(0), y(0), x(1), y(1))
	var line []string
	for _, b := range bins {
		if b.count > 0 {
			line = append(line, fmt.Sprintf("%.1f,%.1f", x(b.mean()), y(b.share())))
		}
	}
	fmt.Fprintf(&svg, `<polyline points="%s" fill="none" stroke="#0b57d0" stroke-width="2"/>`+"\n",
		strings.Join(line, " "))
	for _, at := range line {
		cx, cy, _ := strings.Cut(at, ",")
		fmt.Fprintf(&svg, `<circle cx="%s" cy="%s" r="3.5" fill="#0b57d0"/>`+"\n", cx, cy)
	}
	fmt.Fprintf(&svg, `<text x="%.0f" y="358" text-anchor="middle">probability</text>`+
		`<text transform="rotate(-90)" x="-%.0f" y="14" text-anchor="middle">share that is right</text>`+"\n</svg>\n",
		x(0.5), y(0.5))
	const readable = 0o644
	return os.WriteFile(path, []byte(svg.String()), readable)
}
