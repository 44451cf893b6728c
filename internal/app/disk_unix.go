//go:build linux || darwin

package app

import "syscall"

// DiskSpace returns the bytes available to this process on the disk of a folder, and the size of that disk.
func DiskSpace(folder string) (free, size uint64, ok bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return 0, 0, false
	}
	return s.Bavail * uint64(s.Bsize), s.Blocks * uint64(s.Bsize), true
}
