package locations

import (
	"errors"
	"testing"

	"homeward/internal/i18n"
	"homeward/internal/lost"
	"homeward/internal/web/staff/frame"
)

func TestAListThatWasDeletedDuringItsUploadSaysWhatToDo(t *testing.T) {
	for tag, want := range map[string]string{
		"en": "The guest lists were deleted or replaced during the upload. Upload the list again.",
		"de": "Die Gästelisten wurden während des Hochladens gelöscht oder ersetzt. Laden Sie die Liste noch einmal " +
			"hoch.",
	} {
		c := &call{&frame.Call{Locale: frame.Locale{Language: i18n.Choose(tag)}}}
		err := c.explainList(lost.E(lost.Conflict, "They were deleted."), nil)
		file := &frame.Input{Name: listField, Label: "File"}
		summary, err := c.MarkErrors([]*frame.Input{file}, err)
		if err != nil || file.Error != want || len(summary) != 1 || summary[0].Field != listField {
			t.Errorf("%s: got %q in the summary %+v (%v), want %q", tag, file.Error, summary, err, want)
		}
		if other := errors.New("disk full"); !errors.Is(c.explainList(other, nil), other) {
			t.Error("another error was replaced")
		}
	}
}
