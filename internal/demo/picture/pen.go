package picture

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/image/vector"
)

// matrix maps sheet coordinates to pixels: x' = ax + cy + e, y' = bx + dy + f.
type matrix [6]float64

func moved(x, y float64) matrix { return matrix{1, 0, 0, 1, x, y} }
func scaled(by float64) matrix  { return matrix{by, 0, 0, by, 0, 0} }
func turned(by float64) matrix {
	sin, cos := math.Sincos(by)
	return matrix{cos, sin, -sin, cos, 0, 0}
}

// times returns a matrix that applies n first, and then m.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[2]*n[1], m[1]*n[0] + m[3]*n[1], m[0]*n[2] + m[2]*n[3], m[1]*n[2] + m[3]*n[3],
		m[0]*n[4] + m[2]*n[5] + m[4], m[1]*n[4] + m[3]*n[5] + m[5],
	}
}

func (m matrix) apply(p point) point {
	return point{m[0]*p.x + m[2]*p.y + m[4], m[1]*p.x + m[3]*p.y + m[5]}
}

type point struct{ x, y float64 }

// pen fills shapes on a picture.
type pen struct {
	on *image.RGBA
	m  matrix
}

// at returns a pen for the same picture with another coordinate system.
func (p *pen) at(m matrix) *pen { return &pen{on: p.on, m: m} }

// turned returns a pen whose coordinate system is rotated around x, y by the given number of degrees.
func (p *pen) turned(degrees, x, y float64) *pen {
	return p.at(p.m.times(moved(x, y)).times(turned(degrees * math.Pi / 180)).times(moved(-x, -y)))
}

// path fills a shape given as an SVG path with absolute M, L, C and Z commands.
func (p *pen) path(c color.Color, shape string) { p.fill(c, outlines(shape)) }

// oval fills an ellipse with its centre at x, y.
func (p *pen) oval(c color.Color, x, y, rx, ry float64) { p.fill(c, [][]point{oval(x, y, rx, ry)}) }

// ring draws a circle around x, y with a line of the given width.
func (p *pen) ring(c color.Color, x, y, radius, width float64) {
	around := oval(x, y, radius, radius)
	p.stroke(c, width, append(around, around[0]))
}

// box fills a rectangle with rounded corners.
func (p *pen) box(c color.Color, x, y, w, h, r float64) { p.fill(c, [][]point{box(x, y, w, h, r)}) }

// line draws a line along a shape, with round ends.
func (p *pen) line(c color.Color, width float64, shape string) {
	for _, o := range outlines(shape) {
		p.stroke(c, width, o)
	}
}

// stroke draws a line along points: a quadrilateral for each segment, and a disc at each point. All parts have the
// same orientation, so that overlaps are not cut out.
func (p *pen) stroke(c color.Color, width float64, along []point) {
	var parts [][]point
	half := width / 2
	for n, a := range along {
		parts = append(parts, oval(a.x, a.y, half, half))
		if n == 0 {
			continue
		}
		b := along[n-1]
		length := math.Hypot(a.x-b.x, a.y-b.y)
		if length == 0 {
			continue
		}
		dx, dy := (a.y-b.y)/length*half, (b.x-a.x)/length*half
		parts = append(parts,
			[]point{{b.x + dx, b.y + dy}, {a.x + dx, a.y + dy}, {a.x - dx, a.y - dy}, {b.x - dx, b.y - dy}})
	}
	p.fill(c, parts)
}

// fill fills polygons. It changes only the area of the picture that contains them.
func (p *pen) fill(c color.Color, polygons [][]point) {
	least, most := point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for _, polygon := range polygons {
		for n, at := range polygon {
			at = p.m.apply(at)
			polygon[n] = at
			least, most = point{min(least.x, at.x), min(least.y, at.y)}, point{max(most.x, at.x), max(most.y, at.y)}
		}
	}
	area := image.Rect(int(math.Floor(least.x)), int(math.Floor(least.y)), int(math.Ceil(most.x))+1,
		int(math.Ceil(most.y))+1)
	if area = area.Intersect(p.on.Bounds()); area.Empty() {
		return
	}
	r := vector.NewRasterizer(area.Dx(), area.Dy())
	for _, polygon := range polygons {
		for n, at := range polygon {
			x, y := float32(at.x-float64(area.Min.X)), float32(at.y-float64(area.Min.Y))
			if n == 0 {
				r.MoveTo(x, y)
			} else {
				r.LineTo(x, y)
			}
		}
		r.ClosePath()
	}
	r.DrawOp = draw.Over
	r.Draw(p.on, area, image.NewUniform(c), image.Point{})
}

// steps is the number of straight lines used to approximate a curve.
const steps = 24

// oval returns points on an ellipse.
func oval(x, y, rx, ry float64) []point {
	n := 16 + int(max(rx, ry)/2)
	points := make([]point, n)
	for k := range points {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(n))
		points[k] = point{x + rx*cos, y + ry*sin}
	}
	return points
}

// box returns points on a rectangle with rounded corners, in the same orientation as oval.
func box(x, y, w, h, r float64) []point {
	r = min(r, w/2, h/2)
	var points []point
	corners := []point{{x + w - r, y + h - r}, {x + r, y + h - r}, {x + r, y + r}, {x + w - r, y + r}}
	for k, c := range corners {
		const parts = 6
		for j := range parts + 1 {
			sin, cos := math.Sincos(math.Pi / 2 * (float64(k) + float64(j)/parts))
			points = append(points, point{c.x + r*cos, c.y + r*sin})
		}
	}
	return points
}

// outlines parses a shape and returns its polygons. It does not report syntax errors, because a test draws all shapes.
func outlines(shape string) (all [][]point) {
	words := strings.Fields(spaced.Replace(shape))
	var now []point
	command := byte('M')
	next := func() point {
		x, _ := strconv.ParseFloat(words[0], 64)
		y, _ := strconv.ParseFloat(words[1], 64)
		words = words[2:]
		return point{x, y}
	}
	for len(words) > 0 {
		if first := words[0][0]; first >= 'A' && first <= 'Z' {
			command, words = first, words[1:]
		}
		switch command {
		case 'M':
			if len(now) > 0 {
				all = append(all, now)
			}
			now, command = []point{next()}, 'L'
		case 'C':
			now = curve(now, next(), next(), next())
		case 'Z':
			now = append(now, now[0])
		default:
			now = append(now, next())
		}
	}
	return append(all, now)
}

// spaced puts spaces around the commands in a shape.
var spaced = strings.NewReplacer("M", " M ", "L", " L ", "C", " C ", "Z", " Z ", ",", " ")

// curve appends a cubic Bézier curve that starts at the last point, has the control points a and b, and ends at end.
func curve(from []point, a, b, end point) []point {
	start := from[len(from)-1]
	for k := 1; k <= steps; k++ {
		t := float64(k) / steps
		u := 1 - t
		w0 := u * u * u
		w1 := 3 * u * u * t
		w2 := 3 * u * t * t
		w3 := t * t * t
		from = append(from, point{w0*start.x + w1*a.x + w2*b.x + w3*end.x, w0*start.y + w1*a.y + w2*b.y + w3*end.y})
	}
	return from
}

// shiftedBy returns a shape with all its points moved by x, y.
func shiftedBy(x, y float64, shape string) string {
	words := strings.Fields(spaced.Replace(shape))
	isX := true
	for n, w := range words {
		v, err := strconv.ParseFloat(w, 64)
		if err != nil {
			continue
		}
		if isX {
			v += x
		} else {
			v += y
		}
		isX = !isX
		words[n] = strconv.FormatFloat(v, 'g', -1, 64)
	}
	return strings.Join(words, " ")
}

// shifted moves a shape drawn around the origin to x on the centre line of a pair of glasses.
func shifted(x float64, shape string) string { return shiftedBy(x, 160, shape) }

// reversed reverses the orientation of an outline. A reversed outline inside another one cuts a hole.
func reversed(points []point) []point {
	slices.Reverse(points)
	return points
}
