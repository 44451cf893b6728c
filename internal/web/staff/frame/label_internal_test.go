package frame

import (
	"slices"
	"testing"

	"homeward/internal/lost"
)

func TestEveryEditableFieldHasALabel(t *testing.T) {
	for _, field := range slices.Concat(lost.EditableItemFields(), lost.EditableLocationFields()) {
		if !English().Has(fieldPrefix + field) {
			t.Errorf("the field %s has no label", field)
		}
	}
}
