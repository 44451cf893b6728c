package lost_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"homeward/internal/lost"
)

// docs/use/roles.md must have a row for each permission, with yes for each role that has it.
func TestTableOfRolesIsUpToDate(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "use", "roles.md"))
	if err != nil {
		t.Fatal(err)
	}
	heading := "| what | right |"
	for _, role := range lost.Roles() {
		heading += fmt.Sprintf(" %s |", role)
	}
	if !strings.Contains(string(text), heading) {
		t.Errorf("docs/use/roles.md does not have the heading %s", heading)
	}
	for _, right := range lost.Permissions() {
		cells := fmt.Sprintf(" | `%s` |", right)
		for _, role := range lost.Roles() {
			if role.Has(right) {
				cells += " yes |"
			} else {
				cells += " |"
			}
		}
		if !strings.Contains(string(text), cells+"\n") {
			t.Errorf("docs/use/roles.md does not have a row that ends with%s", cells)
		}
	}
}
