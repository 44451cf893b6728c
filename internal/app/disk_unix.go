//go:build linux || darwin

package app

import "syscall"

// diskSpace tells how much room the disk of a folder has, and how much of it is left for us.
func diskSpace(folder string) (free, size uint64, ok bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return 0, 0, false
	}
	return s.Bavail * uint64(s.Bsize), s.Blocks * uint64(s.Bsize), true
}
