package store

import "testing"

// each is set by tests outside the package, which may use storetest.
var each func(t *testing.T, fn func(t *testing.T, setting string))

// SetEach lends storetest.EachSetting to the tests inside the package.
func SetEach(fn func(t *testing.T, fn func(t *testing.T, setting string))) { each = fn }
