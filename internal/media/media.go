// Package media takes in pictures, keeps files and gives them out again.
//
// A Lab receives an upload as a stream, recognises it by content, takes out
// whatever tells more than the picture itself (where it was made, by whom, with
// which device), turns it upright and makes its thumbnail. A Store keeps the
// results, in a folder or in S3, under names that nobody can guess. Handler
// serves them.
//
// Uploads are hostile until shown otherwise: no length found in a file is ever
// allocated, nothing is decoded before the memory that it takes is known to be
// bearable, and one picture at a time is decoded in the whole process.
package media

import (
	"strings"

	"homeward/internal/lost"
)

const (
	// MaxPixels is the most a picture may have. A few kilobytes can claim
	// billions, so this is read from the header, before any decoding.
	MaxPixels = 50_000_000

	// ThumbSide is the longer side of a thumbnail, in pixels, at most.
	ThumbSide = 640
)

// format is a kind of picture that is taken.
type format struct {
	ext         string
	contentType string
	// clean copies the picture without what does not belong to it, and tells what it saw.
	clean func(*reader, *writer) (facts, error)
}

// facts is what a walk through a file tells without decoding it.
type facts struct {
	width, height int
	orientation   int  // as in EXIF: 1 is upright, 0 is unknown
	animated      bool // has several frames, which turning would lose

	// Known when the pixels begin, of the first frame where there are several:
	memory int64 // what decoding takes at most, in bytes
	copied bool  // turning it, or encoding it then, takes four bytes a pixel more
}

// turned tells whether the picture has to be turned to stand upright. A moving
// one is left as it is: turning would keep its first frame only.
func (f facts) turned() bool { return f.orientation > 1 && !f.animated }

// recognise tells the format by the first bytes; a name or a declared type proves nothing.
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

func notTaken() *lost.Error {
	return lost.E(lost.Unsupported, "The file is not a JPEG, PNG, WebP or GIF picture.")
}

func damaged(cause error) *lost.Error {
	return lost.E(lost.Unsupported, "The picture is damaged or incomplete.").Because(cause)
}
