package cli

import (
	"cmp"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"homeward/internal/app"
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

func TestSettingsPageListsEverySettingInAFile(t *testing.T) {
	page, err := os.ReadFile("../../docs/operate/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Secrets in files\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var listed []string
	for line := range strings.Lines(section) {
		if row, isRow := strings.CutPrefix(line, "| HOMEWARD_"); isRow {
			names, _, _ := strings.Cut("HOMEWARD_"+row, " |")
			listed = append(listed, strings.Split(names, ", ")...)
		}
	}
	want := []string{"HOMEWARD_SECRET_FILE", "HOMEWARD_SECRET_OLD_FILE"}
	for _, name := range app.SecretSettings() {
		want = append(want, name+app.FileSuffix)
	}
	slices.Sort(listed)
	slices.Sort(want)
	if !slices.Equal(listed, want) {
		t.Errorf("docs/operate/settings.md lists\n%v\nwant\n%v", listed, want)
	}
}
