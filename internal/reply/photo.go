package reply

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"image"
	_ "image/jpeg" // registers the format for image.DecodeConfig
	_ "image/png"  // registers the format for image.DecodeConfig
	"path"
	"strings"

	_ "golang.org/x/image/webp" // registers the format for image.DecodeConfig

	"homeward/internal/lost"
)

// Pictures that are smaller are decoration: icons and tracking pixels, or the logo of a signature if the text shows
// them.
const (
	minAttachedSide = 48  // pixels
	minShownSide    = 200 // pixels
	minShownBytes   = 8 << 10
)

// addPhotos adds the photos among the parts. shown has the Content-IDs of the pictures that the HTML text shows, and
// whether the person's own text does, and not only the quoted text.
func (m *Message) addPhotos(parts []part, shown map[string]bool) {
	for i := range parts {
		p := &parts[i]
		if p.isText() || p.isReport() || isTechnical(p.media) {
			continue
		}
		if !p.mayBePhoto() {
			m.omit(p)
			continue
		}
		own, isShown := shown[strings.Trim(p.header.get("content-id"), "<> ")]
		if isShown && !own {
			continue
		}
		if p.cut || len(m.Photos) >= MaxPhotos {
			m.omit(p)
			continue
		}
		content := p.decoded()
		kind := photoType(content)
		if kind == "" || len(content) > MaxPhoto || p.open && !isComplete(kind, content) {
			m.omit(p)
			continue
		}
		if !isDecoration(content, isShown) {
			m.Photos = append(m.Photos, Photo{Name: fileName(p.name), Type: kind, Content: content})
		}
	}
}

// omit records that a part is not in the message.
func (m *Message) omit(p *part) {
	if len(m.Omitted) < lost.MaxThreadOmitted {
		m.Omitted = append(m.Omitted, cmp.Or(fileName(p.name), p.media))
	}
}

// mayBePhoto reports whether a part is declared as a picture, or is a file of unknown type with a picture's name.
func (p *part) mayBePhoto() bool {
	if p.media == "application/octet-stream" || p.media == "application/x-msdownload" {
		switch strings.ToLower(path.Ext(p.name)) {
		case ".jpg", ".jpeg", ".png", ".webp", ".heic", ".heif":
			return true
		}
	}
	return strings.HasPrefix(p.media, "image/")
}

// isTechnical reports whether a part is not an attachment that the person added.
func isTechnical(media string) bool {
	switch media {
	case "application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature",
		"application/ms-tnef", "text/calendar", "text/x-amp-html", "text/enriched", "message/disposition-notification",
		"message/feedback-report":
		return true
	default:
		return false
	}
}

// photoType returns the type of a picture by its first bytes, or an empty string if it is not accepted.
func photoType(content []byte) string {
	head := string(content[:min(len(content), 16)])
	switch {
	case strings.HasPrefix(head, "\xff\xd8\xff"):
		return "image/jpeg"
	case strings.HasPrefix(head, "\x89PNG\r\n\x1a\n"):
		return "image/png"
	case len(head) >= 12 && head[:4] == "RIFF" && head[8:12] == "WEBP":
		return "image/webp"
	case len(head) >= 12 && head[4:8] == "ftyp":
		switch head[8:12] {
		case "heic", "heix", "heim", "heis", "mif1", "msf1":
			return "image/heic"
		}
	}
	return ""
}

// isComplete reports whether the end of a picture is there, as far as its format tells.
func isComplete(kind string, content []byte) bool {
	end := content[max(0, len(content)-64):]
	switch kind {
	case "image/jpeg":
		return bytes.Contains(end, []byte("\xff\xd9"))
	case "image/png":
		return bytes.Contains(end, []byte("IEND"))
	case "image/webp":
		return uint64(binary.LittleEndian.Uint32(content[4:])) <= uint64(len(content)-8)
	default:
		return false
	}
}

// isDecoration reports whether a picture is too small to be a photo. Its size in pixels is unknown for HEIC.
func isDecoration(content []byte, isShown bool) bool {
	least := minAttachedSide
	if isShown {
		least = minShownSide
		if len(content) < minShownBytes {
			return true
		}
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(content))
	return err == nil && min(config.Width, config.Height) < least
}

// fileName returns a file name without folders, or an empty string.
func fileName(name string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	if name == "." || name == "/" {
		return ""
	}
	return lost.Shorten(name, maxFile-1)
}
