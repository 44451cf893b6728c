//go:build linux || darwin

package cli

import (
	"os"
	"syscall"
)

// ownedByAnother reports whether a folder belongs to a user other than the one that runs this process.
func ownedByAnother(folder string) bool {
	info, err := os.Stat(folder)
	if err != nil {
		return false
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) != os.Geteuid()
}
