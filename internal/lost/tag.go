package lost

import (
	"net/url"
	"strings"
	"time"
)

// Tag is what a printed code identifies: an item by its reference, or a storage place of a location.
type Tag struct {
	Reference  string // of an item; empty for a place
	LocationID string // of a place
	Place      string
}

// The first path segments of the addresses in codes.
const (
	tagPath   = "/t/"
	placePath = "place/"
)

// labelCode is the prefix of the code on a parcel's label, which identifies the item too.
const labelCode = "HOMEWARD:"

// Address is the content of the tag's code: an address of the service, so that any phone's camera can open it.
func (t Tag) Address(base string) string {
	base = strings.TrimSuffix(base, "/") + tagPath
	if t.Reference != "" {
		return base + strings.ReplaceAll(t.Reference, "-", "")
	}
	return base + placePath + url.PathEscape(t.LocationID) + "/" + url.PathEscape(plainSteps.Replace(t.Place))
}

// plainSteps escapes the characters of a place's name that would change the path of its address. The result is escaped
// once more like any other text.
var plainSteps = strings.NewReplacer("%", "%25", "/", "%2F", ".", "%2E")

// ReadTag parses what was scanned or typed: a reference in any spelling, or the content of a code of the service at
// this address. Anything else is not a tag. It does not check whether the item or place exists.
func ReadTag(base, scanned string) (Tag, bool) {
	scanned = strings.TrimSpace(scanned)
	if reference, is := ParseReference(scanned); is {
		return Tag{Reference: reference}, true
	}
	if len(scanned) > MaxURL {
		return Tag{}, false
	}
	if said, is := strings.CutPrefix(scanned, labelCode); is {
		said, _, _ = strings.Cut(said, ":")
		reference, is := ParseReference(said)
		return Tag{Reference: reference}, is
	}
	rest, is := belowBase(base, scanned)
	if !is {
		return Tag{}, false
	}
	if rest, is := strings.CutPrefix(rest, placePath); is {
		return readPlace(rest)
	}
	reference, is := ParseReference(rest)
	return Tag{Reference: reference}, is
}

// belowBase returns the escaped path of a tag's address, if it belongs to the service.
func belowBase(base, address string) (string, bool) {
	ours, err := url.Parse(base)
	if err != nil {
		return "", false
	}
	theirs, err := url.Parse(address)
	if err != nil || !strings.EqualFold(theirs.Host, ours.Host) || theirs.Host == "" ||
		theirs.Scheme != "http" && theirs.Scheme != "https" {
		return "", false
	}
	return strings.CutPrefix(theirs.EscapedPath(), strings.TrimSuffix(ours.EscapedPath(), "/")+tagPath)
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

// PlaceTag returns the tag of a place from the unescaped path segments of its address.
func PlaceTag(location, step string) (Tag, bool) {
	place, err := url.PathUnescape(step)
	if err != nil {
		return Tag{}, false
	}
	place, err = ParsePlace(place)
	return Tag{LocationID: location, Place: place}, err == nil && place != ""
}

// ParseReference reads a reference as people write it: in any case, with a hyphen, a space or nothing between its
// groups.
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

// ParsePlace reads the name of a storage place, or returns what is wrong with it.
func ParsePlace(text string) (place string, err error) {
	var c check
	c.line(Set(text), "storagePlace", MaxPlace, &place)
	return place, c.Err()
}

// TagPaper names what tags are printed on.
type TagPaper string

// The papers for tags. A roll has one tag on each page, a sheet as many as its name says, across and down.
const (
	SmallRoll   TagPaper = "roll-62x29"  // 62 × 29 mm, for common label printers
	LargeRoll   TagPaper = "roll-4x6"    // 4 × 6 inches, as for parcels
	A4Sheet     TagPaper = "a4-3x8"      // labels of 70 × 37 mm
	LetterSheet TagPaper = "letter-3x10" // labels of 2⅝ × 1 inch
)

// TagPapers lists them.
func TagPapers() []TagPaper { return []TagPaper{SmallRoll, LargeRoll, A4Sheet, LetterSheet} }

// PerPage is how many tags a page of the paper has.
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

// MaxTags is the most tags that are printed at once: ten sheets of A4.
const MaxTags = 240

// MaxTagCode is the most bytes in a tag's code. The dots of a longer code are too small for a phone's camera on the
// smallest label.
const MaxTagCode = 300

// TagJob is a set of tags to print.
type TagJob struct {
	Paper    TagPaper
	Skip     int // used labels on the first sheet
	Language string
	At       time.Time // written as the time of printing, so that the same tags give the same bytes
	Faces    []TagFace
}

// TagFace is the content of one tag.
type TagFace struct {
	Code      string // content of the QR code
	Reference string // of an item
	Place     string // of a place
	Text      string // description of the item
	Found     string // the day, if it is known
	Location  string // its name
}

// Check returns everything that is wrong with the job.
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
		p.Add("start", "out-of-range", "must be a label of the sheet, from 1 to %d", j.Paper.PerPage())
	}
	if len(j.Faces) == 0 {
		p.Add("tags", "required", "must be at least one")
	}
	if len(j.Faces) > MaxTags {
		p.Add("tags", "too-many", "must be at most %d at once", MaxTags)
	}
	for _, f := range j.Faces {
		if len(f.Code) > MaxTagCode {
			p.Add("tags", "too-long", "must have shorter names: %q does not fit into a code", Shorten(f.Place, 40))
			break
		}
	}
	return p.Err()
}
