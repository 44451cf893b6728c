package api

import (
	"reflect"
	"testing"

	v1 "homeward/internal/v1"
)

func TestListElementsAreCompleteInAPatch(t *testing.T) {
	s := &schemas{made: map[string]object{}}
	s.ref(reflect.TypeFor[v1.Zone](), inUpdate)
	if s.made["BandInput"].get("required") == nil || s.made["BandPatch"] != nil {
		t.Errorf("schemas for changing a tariff: got %v", s.made)
	}
}
