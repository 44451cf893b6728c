package main

import (
	"os"
	"testing"
)

// RunMain is set for a test binary that is to be the program itself.
const RunMain = "HOMEWARD_TEST_RUN_MAIN"

// TestMain makes the test binary the program where a test starts it as one: the real main, in a process of its own.
func TestMain(m *testing.M) {
	if os.Getenv(RunMain) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}
