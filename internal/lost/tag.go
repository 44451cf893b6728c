package lost

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Tag identifies what a printed QR code refers to: an item, by its reference, or a storage place of a location.
type Tag struct {
	Reference  string // of an item; empty for a place
	LocationID string // of a place
	Place      string
}

// The first path segments of the URLs in QR codes.
const (
	tagPath   = "/t/"
	placePath = "place/"
)

// labelCode is the prefix of the code on a parcel's label, which also identifies the item.
const labelCode = "HOMEWARD:"

// Address returns the text of the tag's QR code. It is a URL of the service, so that any phone's camera can open it.
func (t Tag) Address(base string) string {
	base = strings.TrimSuffix(base, "/") + tagPath
	if t.Reference != "" {
		return base + strings.ReplaceAll(t.Reference, "-", "")
	}
	return base + placePath + url.PathEscape(t.LocationID) + "/" + url.PathEscape(placeEscaper.Replace(t.Place))
}

// placeEscaper escapes the characters of a place's name that would change the path of the URL. The result is then
// escaped for the URL.
var placeEscaper = strings.NewReplacer("%", "%25", "/", "%2F", ".", "%2E")

// ReadTag parses scanned or typed input: a reference, ignoring case and punctuation, or the text of a QR code issued
// by the service at the base URL. It returns false for other input. It does not check whether the item or place
// exists.
func ReadTag(base, scanned string) (Tag, bool) {
	scanned = strings.TrimSpace(scanned)
	if reference, ok := ParseReference(scanned); ok {
		return Tag{Reference: reference}, true
	}
	if len(scanned) > MaxURL {
		return Tag{}, false
	}
	if code, ok := strings.CutPrefix(scanned, labelCode); ok {
		code, _, _ = strings.Cut(code, ":")
		reference, ok := ParseReference(code)
		return Tag{Reference: reference}, ok
	}
	rest, ok := belowBase(base, scanned)
	if !ok {
		return Tag{}, false
	}
	if rest, ok := strings.CutPrefix(rest, placePath); ok {
		return readPlace(rest)
	}
	reference, ok := ParseReference(rest)
	return Tag{Reference: reference}, ok
}

// belowBase returns the escaped path of a tag's URL after the base. It returns false if the URL does not belong to
// the service.
func belowBase(base, address string) (string, bool) {
	baseURL, err := url.Parse(base)
	if err != nil {
		return "", false
	}
	target, err := url.Parse(address)
	if err != nil || !strings.EqualFold(target.Host, baseURL.Host) || target.Host == "" ||
		target.Scheme != "http" && target.Scheme != "https" {
		return "", false
	}
	return strings.CutPrefix(target.EscapedPath(), strings.TrimSuffix(baseURL.EscapedPath(), "/")+tagPath)
}

func readPlace(escaped string) (Tag, bool) {
	location, place, _ := strings.Cut(escaped, "/")
	location, err := url.PathUnescape(location)
	if err != nil || location == "" {
		return Tag{}, false
	}
	place, err = url.PathUnescape(place)
	if err != nil {
		return Tag{}, false
	}
	return PlaceTag(location, place)
}

// PlaceTag returns the tag of a place from the unescaped path segments of its URL. It returns false if the place's
// name is not valid.
func PlaceTag(location, step string) (Tag, bool) {
	place, err := url.PathUnescape(step)
	if err != nil {
		return Tag{}, false
	}
	place, err = ParsePlace(place)
	return Tag{LocationID: location, Place: place}, err == nil && place != ""
}

// ParseReference parses a reference in upper or lower case, with a hyphen, a space or nothing between its groups. It
// returns false for other input.
func ParseReference(text string) (string, bool) {
	const most, length, group = 20, 6, 3
	if len(text) > most {
		return "", false
	}
	var letters []byte
	for _, r := range strings.ToUpper(text) {
		switch {
		case strings.ContainsRune("- \u00a0\u2010\u2011\u2013", r):
		case r < 0x80 && strings.IndexByte(referenceAlphabet, byte(r)) >= 0:
			letters = append(letters, byte(r))
		default:
			return "", false
		}
	}
	if len(letters) != length {
		return "", false
	}
	return string(letters[:group]) + "-" + string(letters[group:]), true
}

// ParsePlace validates the name of a storage place.
func ParsePlace(text string) (place string, err error) {
	var c check
	c.line(Set(text), "storagePlace", MaxPlace, &place)
	return place, c.Err()
}

// TagPaper is a paper format for printing tags.
type TagPaper string

// The paper formats. A roll has one tag on each page. The name of a sheet contains the number of columns and rows.
const (
	SmallRoll   TagPaper = "roll-62x29"  // 62 × 29 mm, for common label printers
	LargeRoll   TagPaper = "roll-4x6"    // 4 × 6 inches, the size of parcel labels
	A4Sheet     TagPaper = "a4-3x8"      // labels of 70 × 37 mm
	LetterSheet TagPaper = "letter-3x10" // labels of 2⅝ × 1 inch
)

// TagPapers lists all paper formats.
func TagPapers() []TagPaper { return []TagPaper{SmallRoll, LargeRoll, A4Sheet, LetterSheet} }

// PerPage returns the number of tags on a page.
func (p TagPaper) PerPage() int {
	switch p {
	case A4Sheet:
		return 24
	case LetterSheet:
		return 30
	default:
		return 1
	}
}

// MaxLabels is the maximum number of shipping labels that are printed together.
const MaxLabels = 50

// MaxTags is the maximum number of tags in a job: ten sheets of A4.
const MaxTags = 240

// MaxTagCode is the maximum length of the text of a tag's QR code, in bytes. On the smallest label, a phone's camera
// cannot read a longer code.
const MaxTagCode = 300

// TagJob is a set of tags to print.
type TagJob struct {
	Paper    TagPaper
	Skip     int // number of labels on the first sheet that are already used
	Language string
	At       time.Time // creation time in the PDF, so that the same tags produce the same bytes
	Faces    []TagFace
}

// TagFace is the content of one tag.
type TagFace struct {
	Code      string // text of the QR code
	Reference string // of an item
	Place     string // of a place
	Text      string // description of the item
	Found     string // discovery date, if it is known
	Location  string // name of the location
}

// Check validates the job. The error lists all problems.
func (j TagJob) Check() error {
	var p Problems
	known := false
	for _, paper := range TagPapers() {
		known = known || paper == j.Paper
	}
	if !known {
		p.Add("paper", "not-allowed", "must be one of %s", Quoted(TagPapers()))
	}
	if j.Skip < 0 || j.Skip >= j.Paper.PerPage() {
		p.Add("start", "out-of-range", "must be a label on the sheet, from 1 to %d", j.Paper.PerPage())
	}
	if len(j.Faces) == 0 {
		p.Add("tags", "required", "must contain at least one tag")
	}
	if len(j.Faces) > MaxTags {
		p.Add("tags", "too-many", "must contain at most %d tags", MaxTags)
	}
	for _, f := range j.Faces {
		if len(f.Code) > MaxTagCode {
			p.Add("tags", "too-long", "must have shorter names: %q does not fit in a QR code", Shorten(f.Place, 40))
			break
		}
	}
	return p.Err()
}

// CodeFormat is the format of a bar code or QR code.
type CodeFormat string

// The formats.
const (
	QRCode  CodeFormat = "qr"
	EAN13   CodeFormat = "ean-13"
	EAN8    CodeFormat = "ean-8"
	UPCA    CodeFormat = "upc-a"
	Code128 CodeFormat = "code-128"
	Code39  CodeFormat = "code-39"
)

// CodeFormats lists all formats.
func CodeFormats() []CodeFormat { return []CodeFormat{QRCode, EAN13, EAN8, UPCA, Code128, Code39} }

// IsProduct reports whether codes of the format identify a product. All copies of a product have the same code.
func (f CodeFormat) IsProduct() bool { return f == EAN13 || f == EAN8 || f == UPCA }

// PhotoCode is a bar code or QR code in a photo.
type PhotoCode struct {
	Format CodeFormat
	Text   string
}

// privateCode matches texts of codes with personal data and secrets: contacts, Wi-Fi passwords, two-step logins,
// payments and boarding passes.
var privateCode = regexp.MustCompile(`(?i)^(wifi:|begin:|mecard:|bizcard:|matmsg:|mailto:|tel:|sms|geo:|otpauth|` +
	`bitcoin:|ethereum:|bcd\b|spc\b|hc1:|m[1-9][a-z' -]*/[a-z])`)

// contactCode matches texts of codes with e-mail addresses and phone numbers, such as those of luggage tags. The
// numbers of things have no plus sign, and no words or spaces before them.
var contactCode = regexp.MustCompile(`\S@\S|\S\s*(\(at\)|\[at\])\s*\S|[+＋]([\s()/._-]*\pN){7,}|` +
	`\s.*(\pN[\s()/._-]*){7,}|(\pN[\s()/._-]*){7,}\s.*\S`)

// minCode39 is the minimum length of a code without check digits. Patterns are read as shorter ones.
const minCode39 = 5

// NewPhotoCode returns a code that was read in a photo. It returns false if the code may not be kept: it is too long or
// too short, it is not a single line of text, it contains personal data, or it is the tag of a parcel of this service.
func NewPhotoCode(format CodeFormat, text string) (PhotoCode, bool) {
	text = strings.TrimSpace(text)
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }
	switch {
	case text == "", !utf8.ValidString(text), utf8.RuneCountInString(text) > MaxPhotoCode,
		strings.ContainsFunc(text, unprintable), format == Code39 && len(text) < minCode39,
		privateCode.MatchString(text), contactCode.MatchString(text), strings.HasPrefix(text, labelCode):
		return PhotoCode{}, false
	}
	return PhotoCode{format, text}, true
}

// Names reports whether the code contains one of the names or addresses of a person.
func (c PhotoCode) Names(names []string) bool { return RemoveNamesFromCode(c.Text, names...) != c.Text }

// WithoutTags returns the facts without the codes of tags that the service at the base URL has printed.
func (f PhotoFacts) WithoutTags(base string) PhotoFacts {
	f.Codes = slices.DeleteFunc(slices.Clone(f.Codes), func(c PhotoCode) bool {
		_, is := ReadTag(base, c.Text)
		return is && strings.Contains(c.Text, tagPath)
	})
	return f
}
