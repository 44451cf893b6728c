//go:build !linux && !darwin

package cli

// ownedByAnother is not implemented on this platform; it always returns false.
func ownedByAnother(string) bool { return false }
