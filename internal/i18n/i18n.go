// Package i18n holds the texts of the dashboard, of guest pages, of messages to guests and desks, and of printed
// documents in every supported language, and formats dates, money and lists. E-mails about the login and about webhooks
// are in English: their texts are in outbox.
//
// Choose returns the Language for a reader. Say returns a text in this language; Date, Money, List, Country and other
// methods format values. A Language is created when it is first used and never changes, so all requests share it. The
// results are plain text and must be escaped by templates; only the result of Rich is HTML.
//
// The texts are in catalog/<language>/<area>.json, flat objects from key to text, and every key begins with its area.
// The areas are common (dates, numbers, lists), guest, public, message, paper and error, and one for each package below
// web/staff, in the file staff-<area>.json.
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
// A text with links or emphasis marks them with placeholders, each of which {end} closes. Rich turns them into HTML and
// escapes everything else. {em}, {strong}, {code}, {mark} for references, and {unseen}, which only screen readers read,
// need no argument; links do:
//
//	"today.help.team": "An owner can change that under {link}Team{end}. {strong}Be careful.{end}"
//	{{rich "today.help.team" "link" (link "/settings/team")}}
//
// Then translate it into every other language, with the same placeholders and with the plural forms that the language
// has for whole numbers: one, few and many in Polish, only other in Japanese. The tests list missing texts and unused
// keys. Until a text is translated, readers see it in English.
//
// # To add a language
//
// Add its tag and its own name to tags and names below and a folder to catalog, with the same files as en. The texts in
// common.json define its formats: number.four and number.five are the numbers 1234.5 and 12345.6 as the language writes
// them; months and weekdays are written as they appear in a date; date.first is the first day of a month. Write
// non-breaking spaces as \u00a0 or \u202f. If x/text has no country names in the language, add another source for them.
// Then run go test ./internal/i18n -run TheOrderOfCountries -update.
package i18n

import (
	"cmp"
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

// names are the names of the languages, each in its own language.
var names = map[string]string{
	"en": "English", "de": "Deutsch", "fr": "Français", "es": "Español", "it": "Italiano",
	"pt": "Português", "nl": "Nederlands", "pl": "Polski", "ja": "日本語", "zh": "简体中文",
}

// Tags returns the supported languages, English first.
func Tags() []string { return slices.Clone(tags) }

// Exists reports whether a BCP 47 tag is of a language that exists, whether or not it is supported.
func Exists(tag string) bool {
	_, err := language.Parse(tag)
	return err == nil
}

// Name returns the name of a language in the language itself, or the tag if the language is not supported.
func Name(tag string) string { return cmp.Or(names[tag], tag) }

// Language is a supported language.
type Language struct {
	tag       string
	rules     language.Tag // the language's tag in x/text, for plural rules
	messages  map[string]message
	english   *Language // for texts that are not translated; nil for English
	numbers   numbers
	countries func() map[string]country
}

// Tag returns the BCP 47 tag, for an HTML lang attribute or a Content-Language header.
func (l *Language) Tag() string { return l.tag }

// Dir returns the writing direction, "ltr" or "rtl", for an HTML dir attribute.
func (l *Language) Dir() string { return l.Say("common.dir") }

// languages holds a function for each supported language, which reads it when it is first used. Most services need
// few of the languages, and the texts of all of them would be a large part of their memory.
var languages = languageReaders() //nolint:gochecknoglobals // made once, never changed

func languageReaders() map[string]func() *Language {
	all := map[string]func() *Language{}
	for _, tag := range tags {
		all[tag] = sync.OnceValue(func() *Language { return readLanguage(tag, all[tags[0]]) })
	}
	return all
}

func readLanguage(tag string, english func() *Language) *Language {
	l := &Language{tag: tag, rules: language.MustParse(tag), messages: readCatalog(tag)}
	if tag != tags[0] {
		l.english = english()
	}
	l.numbers = numbersLike(l.Say("common.number.four"), l.Say("common.number.five"))
	l.countries = sync.OnceValue(l.nameCountries)
	return l
}

// message returns the entry of a key, in English if it is not translated, and the language of the entry.
func (l *Language) message(key string) (message, *Language, bool) {
	m, known := l.messages[key]
	if !known && l.english != nil {
		return l.english.message(key)
	}
	return m, l, known
}

// maxRanges is the largest number of languages read from an Accept-Language header. Browsers send fewer than ten.
const maxRanges = 50

// Choose returns the language for a reader. A preference is a BCP 47 tag or the value of an Accept-Language header.
// Choose uses the first preference that contains a supported language, and of its languages the one with the highest
// weight. If there is none, it returns English. Region and script are ignored: de-AT is German. Invalid preferences
// are skipped.
func Choose(preferences ...string) *Language {
	for _, p := range preferences {
		if tag := preferred(p); tag != "" {
			return languages[tag]()
		}
	}
	return languages[tags[0]]()
}

// preferred returns the tag of the supported language with the highest weight in a header, and the first of several
// with the same weight. It returns an empty string if there is none.
func preferred(header string) string {
	var found string
	var most float64
	left := maxRanges
	for wanted := range strings.SplitSeq(header, ",") {
		if left--; left < 0 {
			break
		}
		tag, parameter, _ := strings.Cut(wanted, ";")
		if ours, w := match(tag), weight(parameter); ours != "" && w > most {
			found, most = ours, w
		}
	}
	return found
}

// match returns the tag of the supported language for a tag, or an empty string if there is none.
func match(tag string) string {
	tag = strings.TrimSpace(tag)
	if end := strings.IndexAny(tag, "-_"); end >= 0 {
		tag = tag[:end]
	}
	if len(tag) > 3 {
		return "" // no supported tag is that long, so its case need not be changed
	}
	tag = strings.ToLower(tag)
	if ours, related := relatives[tag]; related {
		tag = ours
	}
	if !slices.Contains(tags, tag) {
		return ""
	}
	return tag
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
