package cli

import (
	"bytes"
	"testing"
	"time"

	"homeward/internal/store/transfer"
)

func TestProgressTellsTheRemainingMinutes(t *testing.T) {
	for _, c := range []struct {
		name     string
		terminal bool
		elapsed  time.Duration
		step     transfer.Step
		want     string
	}{
		{"too soon", false, time.Second, transfer.Step{Name: "table items", Done: 5, Share: 0.1}, ""},
		{"unknown total", false, time.Minute, transfer.Step{Name: "files", Done: 5}, "restore: files, 5\n"},
		{"minutes", false, time.Minute, transfer.Step{Name: "table items", Done: 700, Share: 0.25},
			"restore: table items, 700 (25 %, about 3 minutes left)\n"},
		{"the last minute", false, time.Minute, transfer.Step{Name: "building index a", Share: 0.75},
			"restore: building index a (75 %, less than a minute left)\n"},
		{"no guess", false, time.Minute, transfer.Step{Name: "table items", Done: 1, Share: 0.01},
			"restore: table items, 1 (1 %)\n"},
		{"terminal", true, time.Minute, transfer.Step{Name: "table items", Done: 700, Share: 0.5},
			"\r\x1b[Krestore: [###############...............] 50 %, about a minute left: table items, 700\r\x1b[K"},
	} {
		var out bytes.Buffer
		now := time.Now()
		p := &progressPrinter{to: &out, operation: "restore", terminal: c.terminal, started: now, last: now}
		p.now = func() time.Time { return now.Add(c.elapsed) }
		p.report(c.step)
		p.finish()
		if out.String() != c.want {
			t.Errorf("%s: got %q, want %q", c.name, out.String(), c.want)
		}
	}
}
