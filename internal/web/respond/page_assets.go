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
	"strconv"
	"strings"

	"homeward/internal/lost"
)

// Assets is what pages load beside themselves: stylesheets and scripts. Each has a name that changes with its
// content, so that a browser asks for it once and never shows an old one.
type Assets struct {
	byName map[string]asset
	named  map[string]string // as it is called in the folder -> as it is served
}

type asset struct {
	contentType   string
	plain, zipped []byte
}

// AssetsPath is where they are served.
const AssetsPath = "/assets/"

var assetTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

//go:embed assets
var shared embed.FS

// NewAssets reads the files that the pages of all doors load: they share one look.
func NewAssets() (*Assets, error) {
	a := &Assets{byName: map[string]asset{}, named: map[string]string{}}
	files, err := fs.ReadDir(shared, "assets")
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		body, err := fs.ReadFile(shared, path.Join("assets", f.Name()))
		if err != nil {
			return nil, err
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
		return fmt.Errorf("%s is no kind of file that pages load", name)
	}
	var zipped bytes.Buffer
	w, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	if err != nil {
		return err
	}
	_, _ = w.Write(body) // into memory
	if err := w.Close(); err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	served := strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:6]) + ext
	a.named[name] = served
	a.byName[served] = asset{contentType: contentType, plain: body, zipped: zipped.Bytes()}
	return nil
}

// Path is the address of a file by its name in the folder. It panics at a name that is not there: names are constants of ours.
func (a *Assets) Path(name string) string {
	served, known := a.named[name]
	if !known {
		panic("reply: there is no asset " + name)
	}
	return AssetsPath + served
}

// Serve answers with the file of a name, which may be kept for ever.
func (a *Assets) Serve(w http.ResponseWriter, r *http.Request, name string) error {
	file, known := a.byName[name]
	if !known {
		return lost.Missing("file")
	}
	h, body := w.Header(), file.plain
	h.Set("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = file.zipped
	}
	h.Set("Content-Type", file.contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body) // a client that left is no error of ours
	return nil
}
