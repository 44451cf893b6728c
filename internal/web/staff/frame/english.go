package frame

import (
	"fmt"

	"homeward/internal/lost"
)

// Plural formats a number with the singular or plural form of an English noun. Areas in all languages use plural forms
// of texts instead.
func Plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return Thousands(n) + " " + more
}

// CountText formats a total with its English noun. See Plural. A total that is only a lower bound is formatted as "n or
// more".
func CountText(t lost.Total, one, more string) string {
	if t.AtLeast {
		return Thousands(t.Count) + " or more " + more
	}
	return Plural(t.Count, one, more)
}

// Thousands formats a number with separators in English. Areas in all languages use Number instead.
func Thousands(n int) string {
	const group = 1000
	if n < group {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", Thousands(n/group), n%group)
}
