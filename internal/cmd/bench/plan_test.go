package main

import (
	"encoding/json"
	"testing"
	"time"

	"homeward/internal/lost"
)

// An item that is created is not overdue, as when it was found a few days ago.
func TestNewItemsWereFoundRecently(t *testing.T) {
	for _, owned := range []bool{false, true} {
		for _, body := range newItems(owned) {
			var in bareInput
			if err := json.Unmarshal([]byte(body), &in); err != nil {
				t.Fatal(err)
			}
			found, err := time.Parse(lost.DateLayout, in.DiscoveryDate)
			if err != nil || time.Since(found) > 10*24*time.Hour || time.Until(found) > 24*time.Hour {
				t.Fatalf("found on %s, %v", in.DiscoveryDate, err)
			}
		}
	}
}
