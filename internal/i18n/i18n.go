// Package i18n holds the texts of guest pages, of messages to guests and desks, and of printed documents in every
// supported language, and formats dates, money and lists. The dashboard and the e-mails to its users are in English:
// their texts are in web/staff and outbox.
//
// Choose returns the Language for a reader. Say returns a text in this language; Date, Money, List, Country and other
// methods format values. A Language is created once and never changes, so all requests share it. The results are
// plain text and must be escaped by templates.
//
// The texts are in catalog/<language>/<area>.json, flat objects from key to text. The areas are common
// (dates, numbers, lists), guest, public, message, paper and error, and every key begins with its area.
//
// # To add a text
//
// First write it in English, under a key that says where it is shown, and use it:
//
//	"guest.pickup.until": "Collect it by {date}."
//	l.Say("guest.pickup.until", "date", l.Date(day))
//
// A text with plural forms has one form for each plural category in its language. The argument n selects the form:
//
//	"guest.days": {"one": "{n} day left", "other": "{n} days left"}
//	l.Say("guest.days", "n", days)
//
// Then translate it into every other language, with the same placeholders and with the plural forms that the language
// has for whole numbers: one, few and many in Polish, only other in Japanese. The tests list missing texts and unused
// keys. Until a text is translated, readers see it in English.
//
// # To add a language
//
// Add its tag to tags below and a folder to catalog, with the same files as en. The texts in common.json define its
// formats: number.four and number.five are the numbers 1234.5 and 12345.6 as the language writes them; months and
// weekdays are written as they appear in a date; date.first is the first day of a month. Write non-breaking spaces as
// \u00a0 or \u202f. If x/text has no country names in the language, add another source for them. Then
// run go test ./internal/i18n -run TheOrderOfCountries -update.
package i18n

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/text/language"
)

// tags lists the supported languages. English is first: it is the fallback, and tests compare the other catalogs with
// it.
var tags = []string{"en", "de", "fr", "es", "it", "pt", "nl", "pl", "ja", "zh"}

// relatives maps unsupported languages to a supported language that their speakers can read, and alternative codes to
// the usual one.
var relatives = map[string]string{"gsw": "de", "cmn": "zh", "yue": "zh"}

// Tags returns the supported languages, English first.
func Tags() []string { return slices.Clone(tags) }

// Language is a supported language.
type Language struct {
	tag       string
	rules     language.Tag // the language's tag in x/text, for plural rules
	messages  map[string]message
	numbers   numbers
	countries func() map[string]country
}

// Tag returns the BCP 47 tag, for an HTML lang attribute or a Content-Language header.
func (l *Language) Tag() string { return l.tag }

// Dir returns the writing direction, "ltr" or "rtl", for an HTML dir attribute.
func (l *Language) Dir() string { return l.Say("common.dir") }

// languages returns every supported language by tag.
var languages = sync.OnceValue(readLanguages) //nolint:gochecknoglobals // made once from embedded files, never changed

func readLanguages() map[string]*Language {
	all := map[string]*Language{}
	english := readCatalog(tags[0])
	for _, tag := range tags {
		l := &Language{tag: tag, rules: language.MustParse(tag), messages: maps.Clone(english)}
		maps.Copy(l.messages, readCatalog(tag))
		l.numbers = numbersLike(l.Say("common.number.four"), l.Say("common.number.five"))
		l.countries = sync.OnceValue(l.nameCountries)
		all[tag] = l
	}
	return all
}

// maxRanges is the largest number of languages read from an Accept-Language header. Browsers send fewer than ten.
const maxRanges = 50

// Choose returns the language for a reader. A preference is a BCP 47 tag or the value of an Accept-Language header.
// Choose uses the first preference that contains a supported language, and of its languages the one with the highest
// weight. If there is none, it returns English. Region and script are ignored: de-AT is German. Invalid preferences
// are skipped.
func Choose(preferences ...string) *Language {
	for _, p := range preferences {
		if l := preferred(p); l != nil {
			return l
		}
	}
	return languages()[tags[0]]
}

// preferred returns the supported language with the highest weight in a header, and the first of several with the
// same weight. It returns nil if there is none.
func preferred(header string) *Language {
	var found *Language
	var most float64
	left := maxRanges
	for wanted := range strings.SplitSeq(header, ",") {
		if left--; left < 0 {
			break
		}
		tag, parameter, _ := strings.Cut(wanted, ";")
		if l, w := match(tag), weight(parameter); l != nil && w > most {
			found, most = l, w
		}
	}
	return found
}

// match returns the supported language for a tag, or nil if there is none.
func match(tag string) *Language {
	tag = strings.TrimSpace(tag)
	if end := strings.IndexAny(tag, "-_"); end >= 0 {
		tag = tag[:end]
	}
	if len(tag) > 3 {
		return nil // no supported tag is that long, so its case need not be changed
	}
	tag = strings.ToLower(tag)
	if ours, related := relatives[tag]; related {
		tag = ours
	}
	return languages()[tag]
}

// weight parses a weight such as "q=0.8". It returns 1 if the parameter is empty, and 0 if it is invalid.
func weight(parameter string) float64 {
	parameter = strings.TrimSpace(parameter)
	if parameter == "" {
		return 1
	}
	name, value, _ := strings.Cut(parameter, "=")
	if !strings.EqualFold(strings.TrimSpace(name), "q") {
		return 0
	}
	if value = strings.TrimSpace(value); len(value) > len("0.123") {
		return 0
	}
	w, err := strconv.ParseFloat(value, 64)
	if err != nil || !(w >= 0 && w <= 1) { // also false for NaN
		return 0
	}
	return w
}
