// Package media accepts pictures, stores files and serves them.
//
// A Processor receives an upload as a stream, recognises its format by content, removes metadata (where the picture was
// taken, by whom, with which device), rotates it upright and makes its thumbnail. A Store holds the results, in a
// folder or in S3, under names that cannot be guessed. Handler serves them.
//
// Uploads are untrusted: a length in a file never determines an allocation, a picture is decoded only if the memory
// that it needs is within the budget, and the whole process decodes one picture at a time.
package media

import (
	"strings"

	"homeward/internal/lost"
)

const (
	// MaxPixels is the maximum number of pixels of a picture. A file of a few kilobytes can claim billions, so it is
	// checked in the header, before any decoding.
	MaxPixels = 50_000_000

	// ThumbSide is the maximum length of a thumbnail's longer side, in pixels.
	ThumbSide = 640
)

// format is a picture format that is accepted.
type format struct {
	ext         string
	contentType string
	// clean copies the picture without its metadata and returns information about it.
	clean func(*reader, *writer) (pictureInfo, error)
}

// pictureInfo holds the properties of a picture that are known without decoding it.
type pictureInfo struct {
	width, height int
	orientation   int  // as in EXIF: 1 is upright, 0 is unknown
	animated      bool // has several frames, which rotating would lose

	// Known when the pixels begin; for an animation, about its first frame:
	memory         int64 // upper bound of the memory that decoding needs, in bytes
	rotationCopies bool  // rotating it, or encoding the result, needs four more bytes per pixel
}

// needsRotation reports whether the picture has to be rotated to be upright. Animations are not rotated, because only
// the first frame would remain.
func (f pictureInfo) needsRotation() bool { return f.orientation > 1 && !f.animated }

// recognise detects the format from the first bytes. A file name or a declared type is not reliable.
func recognise(head []byte) (format, bool) {
	switch h := string(head); {
	case strings.HasPrefix(h, "\xff\xd8\xff"):
		return format{"jpg", "image/jpeg", cleanJPEG}, true
	case strings.HasPrefix(h, pngSignature):
		return format{"png", "image/png", cleanPNG}, true
	case strings.HasPrefix(h, "GIF87a"), strings.HasPrefix(h, "GIF89a"):
		return format{"gif", "image/gif", cleanGIF}, true
	case len(h) >= 12 && h[:4] == "RIFF" && h[8:12] == "WEBP":
		return format{"webp", "image/webp", cleanWebP}, true
	}
	return format{}, false
}

func unsupportedFormat() *lost.Error {
	return lost.E(lost.Unsupported, "The file is not a JPEG, PNG, WebP or GIF picture.")
}

func damagedPicture(cause error) *lost.Error {
	return lost.E(lost.Unsupported, "The picture is damaged or incomplete.").WithCause(cause)
}
