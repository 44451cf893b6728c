// Package memory decides how much memory the process uses before it collects garbage, and what it returns to the
// system.
package memory

import (
	"io/fs"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// Limit sets Go's memory limit to nine tenths of the container's limit, so that the garbage collector runs more
// often before the container runs out of memory and is killed. One tenth is left for memory that Go does not manage.
// Go itself reads GOMEMLIMIT but not the container's limit. If GOMEMLIMIT is set, Limit does nothing.
func Limit() {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	if limit := containerMemory(os.DirFS("/")); limit > 0 {
		debug.SetMemoryLimit(limit / 10 * 9)
	}
}

// containerMemory returns the memory limit of this process's control groups in bytes, or 0 if there is none.
func containerMemory(root fs.FS) (lowest int64) {
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(groups)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		base, file := "sys/fs/cgroup", "memory.max"
		if parts[1] == "memory" { // cgroup version 1
			base, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		} else if parts[1] != "" {
			continue
		}
		for at := path.Clean("/" + parts[2]); ; at = path.Dir(at) { // the limits of parent groups apply too
			if n := readLimit(root, path.Join(base, at, file)); n > 0 && (lowest == 0 || n < lowest) {
				lowest = n
			}
			if at == "/" {
				break
			}
		}
	}
	return lowest
}

// readLimit reads a limit from a file. It returns 0 for no limit, which cgroup version 1 writes as a huge number.
func readLimit(root fs.FS, name string) int64 {
	const unlimited = 1 << 50
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || n >= unlimited {
		return 0
	}
	return n
}
