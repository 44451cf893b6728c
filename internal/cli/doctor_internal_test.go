package cli

import (
	"fmt"
	"os"
	"syscall"
	"testing"
)

func TestRemedyForAFullDiskIsSpace(t *testing.T) {
	full := fmt.Errorf("files: cannot write: %w", &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC})
	if got := writeRemedy(full, "give access"); got != spaceRemedy {
		t.Errorf("a full disk: %q", got)
	}
	if got := writeRemedy(os.ErrPermission, "give access"); got != "give access" {
		t.Errorf("no permission: %q", got)
	}
}
