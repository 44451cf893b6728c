package store_test

import (
	"os"
	"testing"

	"homeward/internal/store"
	"homeward/internal/store/storetest"
)

func TestMain(m *testing.M) {
	store.SetEach(storetest.EachUnmigrated)
	os.Exit(m.Run())
}
