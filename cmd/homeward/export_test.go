package main

import (
	"os"
	"testing"
)

// RunMain is the environment variable that makes the test binary behave as the program.
const RunMain = "HOMEWARD_TEST_RUN_MAIN"

// TestMain runs the real main instead of the tests if a test starts the test binary as the program.
func TestMain(m *testing.M) {
	if os.Getenv(RunMain) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}
