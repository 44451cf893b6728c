package media

import (
	"crypto/rand"
	"regexp"
	"strconv"
	"strings"

	"homeward/internal/lost"
)

// namePattern matches file names: 26 or more random characters (130 bits), the length of the longer side for a
// thumbnail, and the extension for the recognised format.
var namePattern = regexp.MustCompile(`^([a-z2-7]{26,64})(-160|-320|-640)?\.(jpg|png|webp|gif|pdf)$`)

// NewName returns a new name for a file with the given extension, such as "jpg". It is unique and cannot be guessed,
// because anyone who knows a file's URL can read the file.
func NewName(ext string) string {
	return strings.ToLower(rand.Text()) + "." + ext
}

// signaturePrefix begins the names of signatures. Other names are shorter, so they cannot begin with it by chance and
// be as long.
const signaturePrefix = "signature"

// randomLength is the number of random characters in a name.
const randomLength = 26

// PrivateQuery is the query parameter that makes Handler treat any file as private. Pages use it for signatures that
// were stored before their names began with a prefix.
const PrivateQuery = "private"

// NewSignatureName returns a new name for the picture of a signature. IsPrivate recognises it.
func NewSignatureName(ext string) string { return signaturePrefix + NewName(ext) }

// IsPrivate reports whether a file contains personal data, judging by its name: a PDF, which is made by the service and
// contains a name and an address, or a signature.
func IsPrivate(name string) bool {
	stem, ext, _ := strings.Cut(name, ".")
	return ext == "pdf" || strings.HasPrefix(stem, signaturePrefix) && len(stem) > randomLength
}

// ThumbName returns the name of a picture's largest thumbnail. It depends only on the picture's name, so pages can link
// to a thumbnail before it exists. A JPEG's thumbnail is a JPEG; all other thumbnails are PNG, because they may be
// transparent.
func ThumbName(name string) string { return thumbName(name, ThumbSide) }

// thumbName returns the name of the thumbnail with the given side.
func thumbName(name string, side int) string {
	stem, ext, _ := strings.Cut(name, ".")
	if ext != "jpg" {
		ext = "png"
	}
	return stem + "-" + strconv.Itoa(side) + "." + ext
}

// thumbSide returns the side of the thumbnail with a name.
func thumbSide(name string) int {
	m := namePattern.FindStringSubmatch(name)
	side, err := strconv.Atoi(strings.TrimPrefix(m[2], "-"))
	if err != nil {
		return ThumbSide
	}
	return side
}

// originals returns the possible names of the picture that a thumbnail was made from. It returns nil if name is not a
// thumbnail's name.
func originals(name string) []string {
	m := namePattern.FindStringSubmatch(name)
	switch {
	case m == nil || m[2] == "":
		return nil
	case m[3] == "jpg":
		return []string{m[1] + ".jpg"}
	case m[3] == "png":
		return []string{m[1] + ".png", m[1] + ".webp", m[1] + ".gif"}
	}
	return nil
}

// VisitNames calls visit for every occurrence of a file name in a text.
func VisitNames(text string, visit func(name string)) {
	for from := 0; ; {
		dot := strings.IndexByte(text[from:], '.')
		if dot < 0 {
			return
		}
		dot += from
		from = dot + 1
		end := from
		for end < len(text) && end-dot <= len(".webp") && isLetterOrDigit(text[end]) {
			end++
		}
		start := dot
		for _, side := range lost.ThumbnailSides() {
			if suffix := "-" + strconv.Itoa(side); strings.HasSuffix(text[:dot], suffix) {
				start = dot - len(suffix)
			}
		}
		for start > 0 && isLetterOrDigit(text[start-1]) {
			start--
		}
		if name := text[start:end]; IsName(name) {
			visit(name)
		}
	}
}

func isLetterOrDigit(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

// IsThumb reports whether name is a thumbnail's name. A thumbnail can be made again from its picture.
func IsThumb(name string) bool { return len(originals(name)) > 0 }

// IsName reports whether NewName or ThumbName could have returned this name.
func IsName(name string) bool { return namePattern.MatchString(name) }

// checkName returns NotFound unless IsName is true, so that untrusted paths never reach the disk or bucket.
func checkName(name string) error {
	if !IsName(name) {
		return lost.Missing("file")
	}
	return nil
}

// ContentType returns the content type of a file with this name.
func ContentType(name string) string {
	switch _, ext, _ := strings.Cut(name, "."); ext {
	case "jpg":
		return "image/jpeg"
	case "png":
		return "image/png"
	case "webp":
		return "image/webp"
	case "gif":
		return "image/gif"
	case "pdf":
		return "application/pdf"
	}
	return "application/octet-stream"
}
