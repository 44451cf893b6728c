package lost

import (
	"net/mail"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Limits on the length of texts in characters (not bytes), and on numbers. They are the same for every database.
const (
	MaxName        = 200
	MaxShort       = 200
	MaxPlace       = 500
	MaxDescription = 5000
	MaxPrivacyText = 2000
	MaxNotes       = 10000
	MaxURL         = 2048
	MaxEmail       = 254
	MaxTerm        = 200

	MaxStorageDays = 36500
	MaxWeight      = 100000
)

// DateLayout and TimeLayout are the layouts of dates and times of day.
const (
	DateLayout = "2006-01-02"
	TimeLayout = "15:04"
)

// check applies the fields of a patch to a record and collects the problems. A field that already has a problem is
// skipped, so that there is at most one message per field.
type check struct{ Problems }

// mandatory adds a problem if a required field was sent without a value.
func (c *check) mandatory(sent, empty bool, field string) {
	if sent && empty {
		c.Add(field, "required", "cannot be cleared; send a value or leave the field out")
	}
}

// line sets a single-line text, or adds a problem if the text is not valid.
func (c *check) line(f Field[string], field string, limit int, dst *string) {
	c.text(f, field, limit, false, dst)
}

// prose sets a multi-line text, or adds a problem if the text is not valid.
func (c *check) prose(f Field[string], field string, limit int, dst *string) {
	c.text(f, field, limit, true, dst)
}

// Line returns a single-line text without the space around it, or adds a problem if the text is not valid.
func (p *Problems) Line(field, text string, limit int) (s string) {
	c := &check{*p}
	c.line(Set(text), field, limit, &s)
	*p = c.Problems
	return s
}

// Prose returns a multi-line text without the space around it, or adds a problem if the text is not valid.
func (p *Problems) Prose(field, text string, limit int) (s string) {
	c := &check{*p}
	c.prose(Set(text), field, limit, &s)
	*p = c.Problems
	return s
}

// Require adds a problem if a field is empty and has no other problem.
func (p *Problems) Require(field, value string) {
	if value == "" && !p.Has(field) {
		p.Add(field, "required", "is required")
	}
}

func (c *check) text(f Field[string], field string, limit int, lines bool, dst *string) {
	if !f.Sent || c.Has(field) {
		return
	}
	s := strings.TrimSpace(f.Value)
	if onlyInvisible(s) {
		s = ""
	}
	switch {
	case f.Null:
		*dst = ""
	case utf8.RuneCountInString(s) > limit:
		c.Add(field, "too-long", "must have at most %d characters", limit)
	case hasControl(s, lines) && lines:
		c.Add(field, "control-character", "must not contain control characters")
	case hasControl(s, lines):
		c.Add(field, "control-character", "must not contain control characters or line breaks")
	default:
		*dst = s
	}
}

// onlyInvisible reports whether a text contains only invisible characters, such as joiners and direction marks.
func onlyInvisible(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.Is(unicode.Cf, r) && !unicode.IsSpace(r) })
}

// hasControl reports whether a text contains control characters or is not valid UTF-8. Line breaks and tabs are
// allowed if lines is set.
func hasControl(s string, lines bool) bool {
	if !utf8.ValidString(s) {
		return true
	}
	return strings.ContainsFunc(s, func(r rune) bool {
		if lines && (r == '\n' || r == '\r' || r == '\t') {
			return false
		}
		return unicode.IsControl(r)
	})
}

// formatted sets a field that must have a specific format. Null and an empty string clear the field.
func (c *check) formatted(f Field[string], field, code, must string, limit int, parse func(string) (string, bool),
	dst *string) {
	if !f.Sent || c.Has(field) {
		return
	}
	if isEmpty(f) {
		*dst = ""
		return
	}
	s := strings.TrimSpace(f.Value)
	out, ok := "", false
	if utf8.RuneCountInString(s) <= limit && !hasControl(s, false) {
		out, ok = parse(s)
	}
	if !ok {
		c.Add(field, code, "must be %s; send null to clear it", must)
		return
	}
	*dst = out
}

func (c *check) url(f Field[string], field string, dst *string) {
	c.formatted(f, field, "invalid-url",
		"an HTTP or HTTPS URL of at most 2048 characters, such as https://example.com", MaxURL, parseURL, dst)
}

func parseURL(s string) (string, bool) {
	u, err := url.Parse(s)
	ok := err == nil && (u.Scheme == "http" || u.Scheme == "https") && isHost(u.Hostname()) && isPort(u.Port()) &&
		!strings.ContainsAny(s, " \"<>\\^`{|}")
	return s, ok
}

func (c *check) httpsURL(f Field[string], field string, dst *string) {
	c.formatted(f, field, "invalid-url", "an HTTPS URL without user name and password, of at most 2048 characters, "+
		"such as https://example.com/privacy", MaxURL, parseHTTPS, dst)
}

// parseHTTPS accepts a URL that guests can follow safely. It rejects user names and passwords, which can make a URL
// look like that of another site, and invisible characters.
func parseHTTPS(s string) (string, bool) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" || u.User != nil {
		return "", false
	}
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) }) {
		return "", false
	}
	return parseURL(s)
}

// isHost reports whether s can be the host of a URL: a name, or an IP address.
func isHost(s string) bool {
	if _, err := netip.ParseAddr(s); err == nil {
		return true
	}
	return areLabels(strings.Split(strings.TrimSuffix(s, "."), "."))
}

func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return s == "" || err == nil && n > 0
}

func (c *check) email(f Field[string], field string, dst *string) {
	c.formatted(f, field, "invalid-email", "an e-mail address such as anna@example.com", MaxEmail, ParseEmail, dst)
}

// ParseEmail accepts an e-mail address with a full domain, without a display name or comments. It returns false for
// other input.
func ParseEmail(s string) (string, bool) {
	a, err := mail.ParseAddress(s)
	if err != nil || a.Address != s || a.Name != "" || utf8.RuneCountInString(s) > MaxEmail {
		return "", false
	}
	local, domain, _ := strings.Cut(s, "@")
	invisible := func(r rune) bool { return !unicode.IsGraphic(r) }
	if len(local) > 64 || strings.ContainsAny(local, "\"\\ ") || strings.Contains(domain, "@") ||
		strings.ContainsFunc(local, invisible) {
		return "", false
	}
	return s, isDomain(domain)
}

// isDomain reports whether s is a host name of at least two labels, or localhost.
func isDomain(s string) bool {
	if s == "localhost" {
		return true
	}
	labels := strings.Split(s, ".")
	last := labels[len(labels)-1]
	return len(labels) >= 2 && strings.ContainsFunc(last, unicode.IsLetter) && areLabels(labels)
}

// areLabels reports whether each part of a host name is well formed.
func areLabels(labels []string) bool {
	for _, l := range labels {
		bad := strings.ContainsFunc(l, func(r rune) bool {
			return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
		})
		if l == "" || len(l) > 63 || bad || l[0] == '-' || l[len(l)-1] == '-' {
			return false
		}
	}
	return true
}

// phone sets a phone number. The country is the one in which a number without a country code is dialled; it may be
// empty.
func (c *check) phone(f Field[string], field, country string, dst *string) {
	c.formatted(f, field, "invalid-phone", "a phone number with + and the country code, such as +49 30 901820", 60,
		func(s string) (string, bool) { return ParsePhoneIn(s, country) }, dst)
}

// typedPhone is like phone, but for a number to search for, in any spelling.
func (c *check) typedPhone(f Field[string], field string, countries []string, dst *string) {
	c.formatted(f, field, "invalid-phone", "a phone number with + and the country code, such as +49 30 901820", 60,
		func(s string) (string, bool) { return ParseTypedPhone(s, countries) }, dst)
}

func (c *check) country(f Field[string], field string, dst *string) {
	c.formatted(f, field, "invalid-country", "a 2-letter ISO 3166-1 country code, such as DE", 2, ParseCountry, dst)
}

func (c *check) timeZone(f Field[string], field string, dst *string) {
	c.formatted(f, field, "invalid-time-zone", "an IANA time zone, such as Europe/Berlin", 64,
		func(s string) (string, bool) {
			// The names Local and Factory, and names that do not start with a capital letter, may be files in the
			// time zone directory that are not time zones or that differ between machines.
			if s == "" || s[0] < 'A' || s[0] > 'Z' || s == "Local" || s == "Factory" {
				return "", false
			}
			_, err := time.LoadLocation(s)
			return s, err == nil
		}, dst)
}

func (c *check) date(f Field[string], field string, dst *string) {
	c.formatted(f, field, "invalid-date", "a real date in the format YYYY-MM-DD", 10, ParseDate, dst)
}

// between sets a number, or adds a problem if it is out of range. Null sets 0.
func (c *check) between(f Field[int], field string, least, most int, dst *int) {
	switch {
	case !f.Sent || c.Has(field):
	case f.Null:
		*dst = 0
	case f.Value < least || f.Value > most:
		c.Add(field, "out-of-range", "must be a whole number from %d to %d", least, most)
	default:
		*dst = f.Value
	}
}

// ParseDate accepts a real date in the format YYYY-MM-DD. It returns false for other input.
func ParseDate(s string) (string, bool) {
	t, err := time.Parse(DateLayout, s)
	return s, err == nil && t.Year() >= 1
}

func (c *check) timeOfDay(f Field[string], field string, dst *string) {
	c.formatted(f, field, "invalid-time", "a time from 00:00 to 23:59 in the format HH:mm", 5,
		func(s string) (string, bool) {
			_, err := time.Parse(TimeLayout, s)
			return s, err == nil && len(s) == len(TimeLayout)
		}, dst)
}

// Shorten truncates a text to the given number of characters and adds an ellipsis. Shorter texts stay unchanged.
func Shorten(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

// AddDays returns the date that is a number of days after another, or the last possible date.
func AddDays(day string, n int) string {
	date, err := time.Parse(DateLayout, day)
	if err != nil {
		return day
	}
	if date = date.AddDate(0, 0, n); date.Year() > 9999 {
		return "9999-12-31"
	}
	return date.Format(DateLayout)
}

// MaxLanguage is the maximum length of a language tag.
const MaxLanguage = 35

func (c *check) language(f Field[string], field string, dst *string) {
	c.formatted(f, field, "invalid-language", "a language tag, such as de or pt-BR", MaxLanguage, ParseLanguage, dst)
}

// ParseLanguage accepts a well-formed BCP 47 tag: a language of two or three letters, optionally with a script, a
// region and more. The service need not support the language. The result has the usual case, such as zh-Hant-TW. It
// returns false for other input.
func ParseLanguage(s string) (string, bool) {
	parts := strings.Split(s, "-")
	if n := len(parts[0]); n < 2 || n > 3 || !lettersOnly(parts[0]) || len(s) > MaxLanguage {
		return "", false
	}
	parts[0] = strings.ToLower(parts[0])
	for i, p := range parts[1:] {
		if len(p) == 0 || len(p) > 8 || strings.ContainsFunc(p, func(r rune) bool {
			return !isLetter(r) && (r < '0' || r > '9')
		}) {
			return "", false
		}
		p = strings.ToLower(p)
		switch {
		case len(p) == 4 && lettersOnly(p):
			p = strings.ToUpper(p[:1]) + p[1:]
		case len(p) == 2:
			p = strings.ToUpper(p)
		}
		parts[i+1] = p
	}
	return strings.Join(parts, "-"), true
}

func lettersOnly(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !isLetter(r) })
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
