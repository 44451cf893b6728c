package main

import (
	"os"
	"testing"
)

// RunMain is the environment variable that makes the test binary behave like the program.
const RunMain = "HOMEWARD_TEST_RUN_MAIN"

// TestMain runs the real main function instead of the tests if a test has started the test binary as the program.
func TestMain(m *testing.M) {
	if os.Getenv(RunMain) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}
