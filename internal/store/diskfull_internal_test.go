package store

import (
	"errors"
	"fmt"
	"testing"

	"homeward/internal/lost"
)

// Another error that asks the client to wait as long is not about the disk.
func TestOnlyAFullDiskIsADiskFullError(t *testing.T) {
	cause := errors.New("no space left")
	full := fmt.Errorf("save an item: %w", diskFullError(cause))
	if !IsDiskFull(full) || !errors.Is(full, cause) || lost.CodeOf(full) != lost.Unavailable {
		t.Errorf("got %v, want an error about a full disk with its cause", full)
	}
	other := lost.E(lost.Unavailable, "The service is restarting.")
	other.Wait = diskFullRetry
	if IsDiskFull(other) || IsDiskFull(nil) {
		t.Errorf("%v is taken for a full disk", other)
	}
}
