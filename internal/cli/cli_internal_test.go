package cli

import (
	"cmp"
	"os"
	"reflect"
	"strings"
	"testing"
)

func TestOperatorGuideListsEveryCommand(t *testing.T) {
	page, err := os.ReadFile("../../docs/operate/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	list, _, _ := strings.Cut(string(page), "\n## ")
	for _, f := range reflect.VisibleFields(reflect.TypeFor[commands]()) {
		if _, is := f.Tag.Lookup("cmd"); !is || f.Type == reflect.TypeFor[serveCommand]() { // the default command
			continue
		}
		name := cmp.Or(f.Tag.Get("name"), strings.ToLower(f.Name))
		if !strings.Contains(list, "homeward "+name) && !strings.Contains(list, "· "+name+" ") {
			t.Errorf("docs/operate/commands.md does not list homeward %s", name)
		}
	}
}
