package respond

import (
	"net/url"
	"strconv"
	"strings"

	"homeward/internal/lost"
)

// SrcSet returns the srcset attribute of an image: its thumbnails with their widths, from the smallest to the one with
// the given side. It is empty if there is no choice.
func SrcSet(i lost.Image, side int) string {
	var set []string
	width := 0
	for _, t := range i.Thumbnails() {
		if t.Width == width { // a very narrow image
			continue
		}
		width = t.Width
		set = append(set, FilePath(t.File)+" "+strconv.Itoa(t.Width)+"w")
		if t.Side >= side {
			break
		}
	}
	if len(set) < 2 {
		return ""
	}
	return strings.Join(set, ", ")
}

// SmallImage returns the path of the thumbnail that is shown by browsers without srcset: the smallest one that has at
// least the given side, or the image itself if it has no thumbnails.
func SmallImage(i lost.Image, side int) string {
	for _, t := range i.Thumbnails() {
		if t.Side >= side {
			return FilePath(t.File)
		}
	}
	if i.Thumbnail != "" {
		return FilePath(i.Thumbnail)
	}
	return FilePath(i.File)
}

// FilePath returns the path at which a file is served.
func FilePath(name string) string { return "/files/" + url.PathEscape(name) }
