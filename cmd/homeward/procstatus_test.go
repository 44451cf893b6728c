package main_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
)

// rss returns the resident memory of a process in MB.
func rss(t *testing.T, p *process) int { return procStatus(t, p, "VmRSS") >> 10 }

// procStatus returns a value from /proc/PID/status, or 0 on systems other than Linux.
func procStatus(t *testing.T, p *process, name string) (figure int) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if n, _ := fmt.Sscanf(line, name+": %d", &figure); n == 1 {
			return figure
		}
	}
	t.Fatalf("/proc has no %s", name)
	return 0
}
