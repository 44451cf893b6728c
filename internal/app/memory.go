package app

import (
	"io/fs"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// keepWithinMemory has the collector work harder before a container's limit is reached: Go knows GOMEMLIMIT, and not what the container may take. A tenth
// is left for what is not the heap. Whoever sets GOMEMLIMIT has decided.
func keepWithinMemory() {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	if limit := containerMemory(os.DirFS("/")); limit > 0 {
		debug.SetMemoryLimit(limit / 10 * 9)
	}
}

// containerMemory is what the control groups of this process allow it, in bytes; 0 where they say nothing.
func containerMemory(root fs.FS) (least int64) {
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
		if parts[1] == "memory" { // the older form
			base, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		} else if parts[1] != "" {
			continue
		}
		for at := path.Clean("/" + parts[2]); ; at = path.Dir(at) { // a group may not take more than the one that it is in
			if n := bytesIn(root, path.Join(base, at, file)); n > 0 && (least == 0 || n < least) {
				least = n
			}
			if at == "/" {
				break
			}
		}
	}
	return least
}

// bytesIn reads a limit; 0 where there is none, which the older form writes as a number that no machine has.
func bytesIn(root fs.FS, name string) int64 {
	const none = 1 << 50
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || n >= none {
		return 0
	}
	return n
}
