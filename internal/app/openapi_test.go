package app_test

import (
	"io"
	"net/http"
	"slices"
	"sync"
	"testing"

	"homeward/internal/web/api/apitest"
)

// document checks every response in the test run against the OpenAPI document of the first service that is started.
var document struct {
	sync.Mutex
	checker *apitest.Checker
}

// newConformingTransport returns a transport that fails the test if a request or response does not conform to the
// service's OpenAPI document.
func newConformingTransport(t testing.TB, service string, base http.RoundTripper) http.RoundTripper {
	t.Helper()
	document.Lock()
	defer document.Unlock()
	if document.checker == nil {
		res, err := http.Get(service + "/openapi.json")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		text, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("GET /openapi.json: %d %v", res.StatusCode, err)
		}
		if document.checker, err = apitest.NewChecker(text); err != nil {
			t.Fatal(err)
		}
	}
	return document.checker.Transport(base, func(err error) { t.Errorf("not as documented: %v", err) })
}

// uncalledOperations returns the documented operations that no test has called successfully.
func uncalledOperations() []string {
	document.Lock()
	defer document.Unlock()
	// A stay can only be chosen with a hotel system or a guest list, which the dashboard adds.
	return slices.DeleteFunc(document.checker.Unseen(), func(id string) bool { return id == "set-owner-from-stay" })
}
