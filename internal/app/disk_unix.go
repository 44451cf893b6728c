//go:build linux || darwin

package app

import (
	"os"
	"syscall"
)

// isOthers tells whether a folder belongs to another user than the one that this runs as.
func isOthers(folder string) bool {
	info, err := os.Stat(folder)
	if err != nil {
		return false
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) != os.Geteuid()
}

// diskSpace tells how much room the disk of a folder has, and how much of it is left for us.
func diskSpace(folder string) (free, size uint64, ok bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return 0, 0, false
	}
	return s.Bavail * uint64(s.Bsize), s.Blocks * uint64(s.Bsize), true
}
