package respond

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"homeward/internal/lost"
)

// Assets are the stylesheets, scripts and icons that pages load. Each file is served under a name that contains a
// hash of its content, so browsers can cache it forever and never use an outdated version.
type Assets struct {
	byServedName map[string]asset
	servedNames  map[string]string // by file name
}

type asset struct {
	contentType string
	plain       []byte
	zipped      func() []byte // compresses the content when it is first requested
}

// AssetsPath is the path below which assets are served.
const AssetsPath = "/assets/"

var assetTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

// furtherParts are files that are appended to others, which saves requests.
var furtherParts = map[string][]string{"staff.js": {"live.js", "upload.js"}}

//go:embed assets
var shared embed.FS

// NewAssets reads the embedded assets. The guest pages and the dashboard share them.
func NewAssets() (*Assets, error) {
	a := &Assets{byServedName: map[string]asset{}, servedNames: map[string]string{}}
	files, err := fs.ReadDir(shared, "assets")
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		body, err := fs.ReadFile(shared, path.Join("assets", f.Name()))
		if err != nil {
			return nil, err
		}
		for _, further := range furtherParts[f.Name()] {
			more, err := fs.ReadFile(shared, path.Join("assets", further))
			if err != nil {
				return nil, err
			}
			body = slices.Concat(body, []byte(";\n"), more) // scripts have no semicolon at their ends
		}
		if err := a.add(f.Name(), body); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (a *Assets) add(name string, body []byte) error {
	ext := path.Ext(name)
	contentType := assetTypes[ext]
	if contentType == "" {
		return fmt.Errorf("asset %s has an unknown file type", name)
	}
	body = condense(body)
	if ext == ".css" {
		body = condenseStyle(body)
	}
	sum := sha256.Sum256(body)
	served := strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:6]) + ext
	a.servedNames[name] = served
	a.byServedName[served] = asset{contentType: contentType, plain: body, zipped: sync.OnceValue(func() []byte {
		return Compress(body)
	})}
	return nil
}

// A comment takes whole lines. Comments behind code stay, because only a parser can tell them from text.
var wholeLineComment = regexp.MustCompile(`(?m)^[ \t]*(?://.*|/\*(?:[^*]|\*+[^*/])*\*+/[ \t]*)$`)

// condense removes indentation, empty lines, and comments on lines of their own. Every page loads these files, so
// their size matters. No script has a text of several lines.
func condense(body []byte) []byte {
	var condensed bytes.Buffer
	for line := range bytes.Lines(wholeLineComment.ReplaceAll(body, nil)) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			condensed.Write(line)
			condensed.WriteByte('\n')
		}
	}
	return condensed.Bytes()
}

// These match the comments of a stylesheet and the spaces that separate nothing. Both also match texts, which stay.
var (
	styleComment = regexp.MustCompile(`"[^"]*"|/\*(?:[^*]|\*+[^*/])*\*+/`)
	styleSpace   = regexp.MustCompile(`"[^"]*"|;?\s*\}\s*|\s*[{;,]\s*|:\s+`)
)

// condenseStyle removes comments, and spaces that separate nothing.
func condenseStyle(body []byte) []byte {
	body = styleComment.ReplaceAllFunc(body, func(part []byte) []byte {
		if part[0] == '/' {
			return nil
		}
		return part
	})
	return styleSpace.ReplaceAllFunc(body, func(part []byte) []byte {
		if part = bytes.TrimSpace(part); part[len(part)-1] == '}' {
			return []byte{'}'}
		}
		return part
	})
}

// Path returns the URL path of the asset with this file name. It panics if there is no such asset, because the names
// are fixed in the code.
func (a *Assets) Path(name string) string {
	served, known := a.servedNames[name]
	if !known {
		panic("respond: no asset named " + name)
	}
	return AssetsPath + served
}

// Compress returns content that never changes, compressed with gzip as far as possible.
func Compress(body []byte) []byte {
	var zipped bytes.Buffer
	w, _ := gzip.NewWriterLevel(&zipped, gzip.BestCompression) // fails only for an unknown level
	_, _ = w.Write(body)                                       // a buffer accepts everything
	_ = w.Close()
	return zipped.Bytes()
}

// Serve responds with the asset that is served under name, or returns a not-found error. Clients may cache it
// forever.
func (a *Assets) Serve(w http.ResponseWriter, r *http.Request, name string) error {
	file, known := a.byServedName[name]
	if !known {
		return lost.Missing("file")
	}
	h, body := w.Header(), file.plain
	h.Set("Vary", "Accept-Encoding")
	if AcceptsGzip(r.Header) {
		h.Set("Content-Encoding", "gzip")
		body = file.zipped()
	}
	h.Set("Content-Type", file.contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body) // an error only means that the client disconnected
	return nil
}
