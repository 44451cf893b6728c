package photofact

import (
	"math"
	"runtime"
)

// cluster is a group of similar colours.
type cluster struct {
	mean           lab
	light, colored float32 // variance of the lightness, and of the other two coordinates
	weight         float32
}

// distance returns how much a colour differs from the cluster, relative to the variance of the cluster. A colour that
// may be a shadow on the background differs less.
func (k cluster) distance(c lab) float32 {
	// The least standard deviations: of light, which differs within a picture, and of colours.
	const light, colored = 0.05, 0.018
	const darkest = 0.6 // the lightness of a shadow
	mean, l := k.mean, c.l-k.mean.l
	if l < 0 && c.l > darkest*mean.l {
		f := c.l / mean.l
		mean.a *= f
		mean.b *= f
		l /= 2
	}
	a, b := c.a-mean.a, c.b-mean.b
	return l*l/(k.light+light*light) + (a*a+b*b)/(k.colored+colored*colored)
}

// findClusters divides colours into at most most clusters, by the method of k-means. Each colour has a weight.
// lightness is how much a difference in lightness counts.
func findClusters(colors []lab, weights []float32, most int, lightness float32) []cluster {
	all := firstClusters(colors, weights, most, lightness)
	for range 8 {
		runtime.Gosched() // requests do not wait for all steps
		sums := make([]cluster, len(all))
		for n, c := range colors {
			if weights[n] > 0 {
				sums[nearest(all, c, lightness)].add(c, weights[n])
			}
		}
		for n := range sums {
			if sums[n].weight > 0 {
				sums[n].finish()
				all[n] = sums[n]
			} else {
				all[n].weight = 0
			}
		}
	}
	return all
}

// firstClusters returns clusters to begin with: the mean, and then the colour that is the least similar to those
// before.
func firstClusters(colors []lab, weights []float32, most int, lightness float32) []cluster {
	var first cluster
	for n, c := range colors {
		first.add(c, weights[n])
	}
	if first.weight == 0 {
		return nil
	}
	first.finish()
	all := []cluster{first}
	heaviest := float32(0)
	for _, w := range weights {
		heaviest = max(heaviest, w)
	}
	apart := make([]float32, len(colors))
	for n, c := range colors {
		apart[n] = c.square(first.mean, lightness)
	}
	for len(all) < most {
		best, at := float32(0), 0
		for n := range colors {
			if v := apart[n] * min(1, 4*weights[n]/heaviest); v > best {
				best, at = v, n
			}
		}
		if best == 0 {
			break
		}
		all = append(all, cluster{mean: colors[at]})
		for n, c := range colors {
			apart[n] = min(apart[n], c.square(colors[at], lightness))
		}
	}
	return all
}

// add adds a colour to the sums of a cluster, which finish divides.
func (k *cluster) add(c lab, weight float32) {
	k.weight += weight
	k.mean.l += weight * c.l
	k.mean.a += weight * c.a
	k.mean.b += weight * c.b
	k.light += weight * c.l * c.l
	k.colored += weight * (c.a*c.a + c.b*c.b)
}

func (k *cluster) finish() {
	m := &k.mean
	m.l /= k.weight
	m.a /= k.weight
	m.b /= k.weight
	k.light = max(0, k.light/k.weight-m.l*m.l)
	k.colored = max(0, k.colored/k.weight-m.a*m.a-m.b*m.b) / 2
}

// nearest returns the index of the cluster that is the most similar to a colour.
func nearest(all []cluster, c lab, lightness float32) int {
	best, least := 0, float32(math.Inf(1))
	for n := range all {
		if d := c.square(all[n].mean, lightness); d < least {
			best, least = n, d
		}
	}
	return best
}
