package owner_test

import (
	"testing"

	"homeward/internal/web/browsertest"
)

func TestMain(m *testing.M) { browsertest.Main(m) }
