package media_test

import (
	"slices"
	"strings"
	"testing"

	"homeward/internal/media"
)

func TestNamesAreFoundAnywhereInAText(t *testing.T) {
	a, b := media.NewName("jpg"), media.NewName("pdf")
	thumb := media.ThumbName(a)
	for text, want := range map[string][]string{
		a: {a},
		`{"file":"` + a + `","thumbnail":"` + thumb + `"}`: {a, thumb},
		"https://x.example/files/" + a + "?x=1 " + b:       {a, b},
		"." + a + ".":                    {a},
		"..." + a + "," + a:              {a, a},
		a + "x":                          nil,
		"1" + a:                          nil,
		strings.Repeat("a", 20) + ".jpg": nil,
		strings.Repeat("a", 65) + ".jpg": nil,
		"-640.jpg":                       nil,
		"Hello. World.":                  nil,
		"":                               nil,
	} {
		var got []string
		media.VisitNames(text, func(name string) { got = append(got, name) })
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
