//go:build !linux && !darwin

package app

// diskSpace is not known here.
func diskSpace(string) (free, size uint64, ok bool) { return 0, 0, false }
