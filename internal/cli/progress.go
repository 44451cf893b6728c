package cli

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"homeward/internal/app"
	"homeward/internal/store/transfer"
)

// progressPrinter prints the progress of a long operation: a bar on a terminal, lines otherwise.
type progressPrinter struct {
	to        io.Writer
	operation string
	terminal  bool
	now       func() time.Time
	started   time.Time
	last      time.Time // when progress was last printed
	drawn     bool      // whether a bar is on the terminal's current line
}

// progress returns a function that prints the progress of a long operation, and a function to call
// at the end of the operation.
func (s statusWriter) progress(operation string) (report transfer.Progress, finish func()) {
	p := &progressPrinter{to: s.Writer, operation: operation, terminal: app.IsTerminal(s.Writer), now: time.Now}
	p.started = p.now()
	p.last = p.started
	return p.report, p.finish
}

const clearLine = "\r\x1b[K"

func (p *progressPrinter) report(s transfer.Step) {
	interval := 2 * time.Second
	if p.terminal {
		interval /= 10
	}
	now := p.now()
	if now.Sub(p.last) < interval {
		return
	}
	p.last = now
	text := s.Name
	if s.Done > 0 {
		text += fmt.Sprintf(", %d", s.Done)
	}
	rest := remaining(now.Sub(p.started), s.Share)
	switch {
	case !p.terminal && s.Share > 0:
		_, _ = fmt.Fprintf(p.to, "%s: %s (%.0f %%%s)\n", p.operation, text, math.Floor(100*s.Share), rest)
	case !p.terminal:
		_, _ = fmt.Fprintf(p.to, "%s: %s\n", p.operation, text)
	default:
		_, _ = fmt.Fprintf(p.to, clearLine+"%s: %s %.0f %%%s: %s", p.operation, drawBar(s.Share),
			math.Floor(100*s.Share), rest, text)
		p.drawn = true
	}
}

// finish removes the bar.
func (p *progressPrinter) finish() {
	if p.drawn {
		_, _ = io.WriteString(p.to, clearLine)
		p.drawn = false
	}
}

func drawBar(share float64) string {
	const width = 30
	full := int(width * min(max(share, 0), 1))
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", width-full) + "]"
}

// remaining returns a text with the time that an operation will still take. It is empty while an
// estimate would be a guess.
func remaining(elapsed time.Duration, share float64) string {
	const shortest, least = 3 * time.Second, 0.02
	if elapsed < shortest || share < least {
		return ""
	}
	rest := time.Duration(float64(elapsed) * (1 - share) / share)
	if rest < time.Minute {
		return ", less than a minute left"
	}
	minutes := int(math.Ceil(rest.Minutes()))
	if minutes == 1 {
		return ", about a minute left"
	}
	return fmt.Sprintf(", about %d minutes left", minutes)
}
