package reply

import (
	"regexp"
	"slices"
	"strings"
)

var (
	// anyLabel matches a line such as "From: Anna" in any language.
	anyLabel = regexp.MustCompile(`^\s*[*_]*\p{L}[\p{L}\p{M} .'’-]{0,30}[*_]*\s?[:：][*_]*\s*\S`)
	year     = regexp.MustCompile(`\b20\d\d`)
	// framed matches the line above a quoted e-mail, such as "-------- Original --------", in any language.
	framed = regexp.MustCompile(`^\s*[-_=*—–]{3,}\s*[^-_=*—–\s].{0,60}[-_=*—–]{3,}\s*$`)
	mails  = regexp.MustCompile(`[^\s<>()\[\]:;,"'：]+@[^\s<>()\[\]:;,"']+`)
)

// endAtHeaders marks the end of what the person wrote above the header of our e-mail. It knows the header by our
// address, so it need not know the language.
func (s Self) endAtHeaders(lines []string) []string {
	for i, line := range lines {
		if !anyLabel.MatchString(line) || !slices.ContainsFunc(mails.FindAllString(line, -1), s.isOwn) {
			continue
		}
		if first, ok := ownHeader(lines, i); ok {
			return slices.Insert(slices.Clone(lines), first, markEnd)
		}
	}
	return lines
}

// ownHeader reports whether the line with our address is part of a header: at least three fields, or two below a framed
// line, one of which is a date. It returns where the header begins, with the framed line.
func ownHeader(lines []string, at int) (first int, ok bool) {
	const before, after = 4, 8
	first = at
	for first > max(0, at-before) && anyLabel.MatchString(lines[first-1]) {
		first--
	}
	fields, dated := 0, false
	for _, line := range lines[first:min(len(lines), at+after)] {
		if anyLabel.MatchString(line) {
			fields++
			dated = dated || year.MatchString(line) && clockTime.MatchString(line)
		}
	}
	above := first - 1
	for above >= 0 && strings.TrimSpace(lines[above]) == "" {
		above--
	}
	least := 3
	if above >= 0 && framed.MatchString(lines[above]) {
		first, least = above, 2
	}
	if fields < least || !dated {
		return at, false
	}
	return first, true
}
