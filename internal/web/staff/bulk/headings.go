package bulk

import (
	"maps"
	"slices"

	"homeward/internal/desk"
	"homeward/internal/i18n"
	"homeward/internal/web/staff/frame"
)

// heading returns the heading of a column in an exported file, in the user's language.
func heading(lang frame.Locale, column string) string {
	if key := "bulk.column." + column; lang.Has(key) {
		return lang.Say(key)
	}
	return lang.FieldLabel(column)
}

// headings returns the headings of an exported file in the order of its columns. A file with items of all locations
// has a column for the location.
func headings(lang frame.Locale, s frame.Scope) (all []string) {
	for _, column := range desk.ItemColumns() {
		all = append(all, heading(lang, column))
	}
	if s.All {
		all = append(all, heading(lang, desk.LocationColumn))
	}
	return all
}

// knownHeadings returns the fields of headings in all languages of the dashboard. If a heading means different fields
// in two languages, the language counts in which more headings of the file are known.
func knownHeadings(file []string) map[string]string {
	known := map[string]string{}
	var languages []map[string]string
	for _, tag := range i18n.Tags() {
		lang, words := frame.Locale{Language: i18n.Choose(tag)}, map[string]string{}
		for _, column := range append(desk.ItemColumns(), desk.LocationColumn) {
			words[heading(lang, column)] = column
		}
		languages = append(languages, words)
	}
	matches := func(words map[string]string) (n int) {
		for _, h := range file {
			if _, known := words[h]; known {
				n++
			}
		}
		return n
	}
	slices.SortStableFunc(languages, func(a, b map[string]string) int { return matches(a) - matches(b) })
	for _, words := range languages {
		maps.Copy(known, words)
	}
	return known
}
