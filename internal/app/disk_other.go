//go:build !linux && !darwin

package app

// isOthers is not known here.
func isOthers(string) bool { return false }

// diskSpace is not known here.
func diskSpace(string) (free, size uint64, ok bool) { return 0, 0, false }
