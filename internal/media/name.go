package media

import (
	"crypto/rand"
	"regexp"
	"strings"

	"homeward/internal/lost"
)

// A name is 26 or more random characters (130 bits), the mark of a thumbnail,
// and the extension that its content was given when it came in.
var namePattern = regexp.MustCompile(`^([a-z2-7]{26,64})(-640)?\.(jpg|png|webp|gif|pdf)$`)

// NewName makes a name for a file with this extension ("jpg"). It is never the
// same twice and cannot be guessed: who knows the address may see the file.
func NewName(ext string) string {
	return strings.ToLower(rand.Text()) + "." + ext
}

// ThumbName is the name of a picture's thumbnail. It follows from the picture's
// name alone, so it can be linked to before it is made: a JPEG's is a JPEG, any
// other's is a PNG because it may be transparent.
func ThumbName(name string) string {
	stem, ext, _ := strings.Cut(name, ".")
	if ext == "jpg" {
		return stem + "-640.jpg"
	}
	return stem + "-640.png"
}

// originals lists the pictures whose thumbnail has this name; at most one of
// them exists. It is empty for a name that is no thumbnail's.
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

// NamesIn calls visit with every name of a file that stands in a text, wherever and however often.
func NamesIn(text string, visit func(name string)) {
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
		if strings.HasSuffix(text[:dot], "-640") {
			start -= len("-640")
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

// IsThumb tells the name of a thumbnail, which can be made again from its picture.
func IsThumb(name string) bool { return len(originals(name)) > 0 }

// IsName tells whether NewName or ThumbName could have made this.
func IsName(name string) bool { return namePattern.MatchString(name) }

// checkName refuses any other name. To the caller such a file is simply not
// there; no path ever reaches the disk or a bucket.
func checkName(name string) error {
	if !IsName(name) {
		return lost.Missing("file")
	}
	return nil
}

// ContentType tells how a file of this name is served.
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
