//go:build !linux && !darwin

package app

// DiskSpace is not implemented on this platform; ok is always false.
func DiskSpace(string) (free, size uint64, ok bool) { return 0, 0, false }
