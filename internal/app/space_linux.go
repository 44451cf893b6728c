package app

import "syscall"

// spaceLeft is how many bytes can still be written to a folder's disk.
func spaceLeft(folder string) (bytes uint64, known bool) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil {
		return 0, false
	}
	return disk.Bavail * uint64(disk.Bsize), true
}
