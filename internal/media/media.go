// Package media accepts pictures, stores files and serves them. It removes metadata, creates thumbnails, finds out what
// pictures show and reads QR codes of tags. The files, including printed PDFs, are in a folder or in S3. The package
// does not know which item a file belongs to.
//
// A Processor receives an upload as a stream, recognises its format from its content, removes metadata (where, by
// whom and with which device the picture was taken) and rotates the picture upright. It makes the thumbnail later, or
// when the thumbnail is first requested. A Store keeps the files in a folder or in S3, under names that cannot be
// guessed. Handler serves them.
//
// Uploads are untrusted. A length in a file never determines an allocation, a picture is decoded only if the memory
// needed is within the budget, and all pictures that are decoded at once stay within it together.
package media

import (
	"errors"
	"fmt"
	"strings"

	"homeward/internal/lost"
)

const (
	// MaxPixels is the maximum number of pixels in a picture. A file of a few kilobytes can claim to have billions, so
	// the header is checked before anything is decoded.
	MaxPixels = 50_000_000

	// ThumbSide is the maximum length of the largest thumbnail's longer side, in pixels.
	ThumbSide = lost.ThumbnailSide
)

// format is a supported picture format.
type format struct {
	ext         string
	contentType string
	// clean copies the picture without its metadata and returns information about it.
	clean func(*reader, *writer) (pictureInfo, error)
}

// pictureInfo holds the properties of a picture that are known without decoding it.
type pictureInfo struct {
	width, height int
	orientation   int  // the EXIF orientation: 1 is upright, 0 is unknown
	animated      bool // has several frames; rotating would keep only the first one

	keepsOrientation bool // the cleaned file says how to show it upright

	// These fields are known when the pixels begin. For an animation, they describe its first frame.
	memory         int64 // maximum memory that decoding can need, in bytes
	scalable       bool  // decodeScaled may be able to decode it
	rotationCopies bool  // rotating the picture or encoding the result needs four more bytes per pixel
}

// needsRotation reports whether the picture must be rotated to be upright. Animations are not rotated, because only
// the first frame would remain.
func (f pictureInfo) needsRotation() bool {
	return f.orientation > 1 && !f.animated && !f.keepsOrientation
}

// recognise returns the format of a file that starts with head. File names and declared types are not reliable.
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
	return lost.E(lost.Unsupported, "The picture is damaged or incomplete.").
		WithCause(fmt.Errorf("%w: %w", errDamaged, cause))
}

// errDamaged is the cause of errors about pictures that cannot be displayed.
var errDamaged = errors.New("damaged picture")

// IsDamaged reports whether an error says that a picture cannot be displayed. It is false if the picture could not be
// read or is Heavy.
func IsDamaged(err error) bool { return errors.Is(err, errDamaged) }
