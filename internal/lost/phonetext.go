package lost

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// splitPhone splits a number in E.164 format into the calling code and the national number. A zero at the beginning of
// the national number is removed: it is dialled only inside the country, or nobody leaves it out, as in Italy.
func splitPhone(number string) (code, national string) {
	digits := strings.TrimPrefix(number, "+")
	for n := 1; n <= min(3, len(digits)); n++ {
		if strings.Contains(" "+callingCodes, " "+digits[:n]+" ") {
			return digits[:n], strings.TrimLeft(digits[n:], "0")
		}
	}
	return "", digits
}

// PhoneKey returns the form of a number in E.164 format that identifies a telephone. Numbers that differ only in a
// trunk zero after the calling code, as in +49 030, have the same key.
func PhoneKey(number string) string {
	code, national := splitPhone(number)
	return "+" + code + national
}

// StoredPhones lists the numbers with the same PhoneKey as they may be stored: without a trunk zero, and with one.
// Numbers with several trunk zeros, which also have this PhoneKey, are not listed.
func StoredPhones(number string) []string {
	code, national := splitPhone(number)
	return []string{"+" + code + national, "+" + code + "0" + national}
}

// PhoneSearchDigits returns the digits that every spelling of a number contains, in this order.
func PhoneSearchDigits(number string) string {
	_, national := splitPhone(number)
	return national[max(0, len(national)-minPhoneDigits):]
}

// trunkPrefixes lists the digits that are dialled before a national number, for countries where this is not only 0.
var trunkPrefixes = map[string][]string{
	"1": {"1"}, "7": {"8"}, "36": {"06"}, "52": {"01", "044", "045", "1"}, "370": {"8"}, "375": {"8", "80"},
	"992": {"8"}, "993": {"8"}, "996": {"8"}, "998": {"8"},
}

// exitCodes lists the digits that are dialled before a calling code. Most countries use 00.
var exitCodes = []string{"00", "011", "0011", "010", "001", "810", "8810", "119"}

// phoneSpellings describes which digits are spellings of a number.
type phoneSpellings struct {
	code, national string
	prose          bool // also short spellings, which are common in prose but may be anything else in a code
}

// minCodeDigits is the minimum length of a number in a code, unless it begins with a plus sign or an exit code.
const minCodeDigits = 9

// include reports whether digits are a spelling of the number. The parameter plus says that a plus sign precedes them.
func (p phoneSpellings) include(digits string, plus bool) bool {
	isWhole := func(s string) bool {
		rest, ok := strings.CutPrefix(s, p.code)
		return ok && strings.TrimLeft(rest, "0") == p.national
	}
	if plus {
		return isWhole(digits)
	}
	for _, exit := range exitCodes {
		if rest, ok := strings.CutPrefix(digits, exit); ok && isWhole(rest) {
			return true
		}
	}
	whole := isWhole(digits) || digits == "0"+p.national ||
		slices.ContainsFunc(trunkPrefixes[p.code], func(trunk string) bool { return digits == trunk+p.national })
	if !p.prose {
		return (whole || digits == p.national) && len(digits) >= minCodeDigits
	}
	suffix := strings.TrimLeft(digits, "0") // without the area code
	return whole || len(suffix) >= minPhoneDigits && strings.HasSuffix(p.code+p.national, suffix)
}

// digitGroup is a group of digits in a text.
type digitGroup struct {
	start, end int
	digits     string // in ASCII
}

// decimal returns the value of a decimal digit in any script, and whether r is one.
func decimal(r rune) (byte, bool) {
	if r <= unicode.MaxASCII {
		return byte(r), r >= '0' && r <= '9'
	}
	if !unicode.IsDigit(r) {
		return 0, false
	}
	zero := r // digits are assigned in groups of ten; a group starts after a character that is not a digit
	for zero > r-10 && unicode.IsDigit(zero-1) {
		zero--
	}
	return '0' + byte(r-zero)%10, true
}

// isPhoneSeparator reports whether r may separate the digits of a phone number.
func isPhoneSeparator(r rune) bool {
	return unicode.IsSpace(r) || unicode.In(r, unicode.Pd, unicode.Cf) || // dashes and invisible characters
		strings.ContainsRune(`.·•∙⋅/\|()（）[]_~'’−ー．／`, r)
}

// phoneRuns splits the digits of a text into runs of groups. Within a run, only separators are between the groups.
func phoneRuns(text string) (runs [][]digitGroup) {
	const maxSeparators = 6
	var group *digitGroup
	connected, separators := false, 0
	for at, r := range text {
		d, is := decimal(r)
		switch {
		case is && group != nil && separators == 0 && connected:
			group.digits, group.end = group.digits+string(d), at+utf8.RuneLen(r)
			continue
		case is:
			if !connected || len(runs) == 0 {
				runs = append(runs, nil)
			}
			last := &runs[len(runs)-1]
			*last = append(*last, digitGroup{start: at, end: at + utf8.RuneLen(r), digits: string(d)})
			group = &(*last)[len(*last)-1]
			connected, separators = true, 0
		case isPhoneSeparator(r) && separators < maxSeparators:
			separators++
		default:
			connected, separators = false, 0
		}
	}
	return runs
}

// removePhone removes a phone number from a text, however it is written: with or without the calling code, with a
// trunk prefix, and with any usual punctuation. Unless the text is prose, the number must be whole.
func removePhone(text, number string, prose bool) string {
	code, national := splitPhone(number)
	spellings := phoneSpellings{code: code, national: national, prose: prose}
	var out strings.Builder
	end := 0
	for _, run := range phoneRuns(text) {
		for first := 0; first < len(run); first++ {
			start, last, found := findPhone(text[end:], end, run[first:], spellings)
			if found && !continuesPhone(text[end:], end, run[:first+last+1], first) {
				out.WriteString(text[end:start] + removedWords)
				end = run[first+last].end
				run, first = run[first+last+1:], -1
			}
		}
	}
	return out.String() + text[end:]
}

// continuesPhone reports whether the groups after the first n continue an international number of another country:
// 30 901820 in +43 30 901820 is not a German number.
func continuesPhone(left string, offset int, run []digitGroup, n int) bool {
	if n == 0 {
		return false
	}
	digits := ""
	for _, g := range run {
		digits += g.digits
	}
	_, plus := phoneStart(left, run[0].start-offset, run[n].end-offset)
	international, exit := strings.CutPrefix(digits, "00")
	return (plus || exit) && len(international) <= maxPhoneDigits
}

// findPhone looks for the longest spelling of a number that begins with the first group of a run. The parameter left is
// the text that has not been searched yet, which begins at offset. It returns where the spelling starts and the index
// of its last group.
func findPhone(left string, offset int, run []digitGroup, spellings phoneSpellings) (start, last int, found bool) {
	const maxDigits = maxPhoneDigits + 6 // a number with an exit code and a trunk prefix
	digits := ""
	for n, g := range run {
		between := ""
		if n > 0 {
			between = left[run[n-1].end-offset : g.start-offset]
		}
		bracketed := g.digits == "0" && opensBracket(between) && closesBracket(left[g.end-offset:])
		if n == 0 || !bracketed { // leave out the zero of +49 (0)30
			digits += g.digits
		}
		if len(digits) > maxDigits {
			break
		}
		from, plus := phoneStart(left, run[0].start-offset, g.end-offset)
		if spellings.include(digits, plus) {
			start, last, found = from+offset, n, true
		}
	}
	return start, last, found
}

func opensBracket(before string) bool {
	return strings.HasSuffix(before, "(") || strings.HasSuffix(before, "（") || strings.HasSuffix(before, "[")
}

func closesBracket(after string) bool {
	return strings.HasPrefix(after, ")") || strings.HasPrefix(after, "）") || strings.HasPrefix(after, "]")
}

// phoneStart returns where the spelling of a number starts, including a plus sign and a bracket before its first digit.
// A bracket is included only if it is closed before the end of the spelling.
func phoneStart(text string, first, end int) (start int, plus bool) {
	for start = first; ; {
		r, size := utf8.DecodeLastRuneInString(text[:start])
		before, sizeBefore := utf8.DecodeLastRuneInString(text[:start-size])
		switch {
		case r == '+' || r == '＋':
			plus = true
		case r == '(' && strings.Contains(text[first:end], ")"), r == '（' && strings.Contains(text[first:end], "）"),
			r == '[' && strings.Contains(text[first:end], "]"):
		case (r == ' ' || r == '\u00a0' || unicode.Is(unicode.Cf, r)) && (before == '+' || before == '＋'):
			size += sizeBefore
			plus = true
		default:
			return start, plus
		}
		start -= size
	}
}
