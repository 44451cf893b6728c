//go:build linux || darwin

package app

import "syscall"

// DiskSpace returns the number of bytes available to this process on the disk that contains a folder, and the size of
// that disk. If these cannot be determined, ok is false.
func DiskSpace(folder string) (free, size uint64, ok bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return 0, 0, false
	}
	return s.Bavail * uint64(s.Bsize), s.Blocks * uint64(s.Bsize), true
}
