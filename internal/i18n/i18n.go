// Package words is what the service says to people, in every language that it speaks.
//
// Choose finds the Language for a reader; Say gives a text in it, and Date, Money,
// List, Country and the others write values as its readers do. A Language never
// changes and is made once: all requests share it. Nothing here escapes: what comes
// out is plain text, and the templates it goes into see to that.
//
// The texts are in catalog/<language>/<area>.json, flat objects from key to text.
// The areas are common (dates, numbers, lists), guest, public, message, paper and error,
// and every key begins with its area.
//
// # To add a text
//
// Write it in English first, under a key that says where it stands, and use it:
//
//	"guest.pickup.until": "Collect it by {date}."
//	l.Say("guest.pickup.until", "date", l.Date(day))
//
// A text that counts has one form for each plural category of its language, chosen
// by the argument n:
//
//	"guest.days": {"one": "{n} day left", "other": "{n} days left"}
//	l.Say("guest.days", "n", days)
//
// Then write it in every other language, with the same placeholders, in the forms
// which that language has for whole numbers: one, few and many in Polish, other
// alone in Japanese. The tests list what is missing, and find keys that nobody uses. Until a
// translation is there, its readers see the English text.
//
// # To add a language
//
// Add its tag to tags below and a folder to catalog, with the same files as en. The
// patterns in common.json are its manner: number.four and number.five are the
// numbers 1234.5 and 12345.6 as they are written there; months and weekdays stand as
// they do inside a date; date.first is the first day of a month. Spaces that must
// not break are written \u00a0 or \u202f. A language of which x/text knows no names for
// countries needs another source for them.
package i18n

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/text/language"
)

// tags are the languages that we speak. English is first: it is what everybody
// else gets, and what the other catalogs are compared with.
var tags = []string{"en", "de", "fr", "es", "it", "pt", "nl", "pl", "ja", "zh"}

// relatives are languages whose readers can read one of ours, and languages with a second code.
var relatives = map[string]string{"gsw": "de", "cmn": "zh", "yue": "zh"}

// Tags names the languages that we speak, English first.
func Tags() []string { return slices.Clone(tags) }

// Language is one of the languages that we speak.
type Language struct {
	tag       string
	rules     language.Tag // what x/text knows it by
	messages  map[string]message
	numbers   numbers
	countries func() map[string]country
}

// Tag is the BCP 47 tag, for an HTML lang attribute or a Content-Language header.
func (l *Language) Tag() string { return l.tag }

// Dir is the direction of writing, "ltr" or "rtl", for an HTML dir attribute.
func (l *Language) Dir() string { return l.Say("common.dir") }

// spoken holds every language by its tag.
var spoken = sync.OnceValue(speak) //nolint:gochecknoglobals // made once from embedded files, never changed

func speak() map[string]*Language {
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

// maxRanges bounds how much of an Accept-Language header is read. Browsers send fewer than ten.
const maxRanges = 50

// Choose finds the language to speak. A preference is a BCP 47 tag or the value of
// an Accept-Language header. The first that has a language of ours decides, by its
// heaviest; without any it is English. Only the language counts, not the region or
// the script: de-AT is German. What cannot be read is passed over.
func Choose(preferences ...string) *Language {
	for _, p := range preferences {
		if l := heaviest(p); l != nil {
			return l
		}
	}
	return spoken()[tags[0]]
}

// heaviest finds the language of ours that a header wants most, of equals the first; nil if it wants none.
func heaviest(header string) *Language {
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

// match finds the language of ours that a tag names; nil if there is none.
func match(tag string) *Language {
	tag = strings.TrimSpace(tag)
	if end := strings.IndexAny(tag, "-_"); end >= 0 {
		tag = tag[:end]
	}
	if len(tag) > 3 {
		return nil // no language of ours, and not worth changing its case
	}
	tag = strings.ToLower(tag)
	if ours, related := relatives[tag]; related {
		tag = ours
	}
	return spoken()[tag]
}

// weight reads "q=0.8"; 1 where there is none, 0 where it cannot be read.
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
	if err != nil || !(w >= 0 && w <= 1) { // not a number is neither
		return 0
	}
	return w
}
